/*
 * To be written.
 */
#include "compute/event.h"
