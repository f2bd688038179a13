/*
 * To be written.
 */
#include "api/listen.h"
