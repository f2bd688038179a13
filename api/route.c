/*
 * To be written.
 */
#include "api/route.h"
