/*
 * To be written.
 */
#include "daemon/base/table_file.h"
