/*
 * To be written.
 */
#include "api/server.h"
