/*
 * To be written.
 */
#include "compute/components.h"
