/*
 * To be written.
 */
#include "daemon/base/graph_file.h"
