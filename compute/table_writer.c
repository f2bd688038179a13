/*
 * To be written.
 */
#include "compute/table_writer.h"
