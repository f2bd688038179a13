/*
 * To be written.
 */
#include "storage/tables.h"
