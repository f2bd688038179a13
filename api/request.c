/*
 * To be written.
 */
#include "api/request.h"
