/*
 * To be written.
 */
#include "compute/worker.h"
