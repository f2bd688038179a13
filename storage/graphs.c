/*
 * To be written.
 */
#include "storage/graphs.h"
