/*
 * To be written.
 */
#include "compute/lengths.h"
