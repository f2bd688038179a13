/*
 * To be written.
 */
#include "storage/jobs.h"
