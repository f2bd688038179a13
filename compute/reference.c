/*
 * To be written.
 */
#include "compute/reference.h"
