/*
 * To be written.
 */
#include "compute/solve.h"
