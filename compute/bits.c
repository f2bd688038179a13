/*
 * To be written.
 */
#include "compute/bits.h"
