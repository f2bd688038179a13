/*
 * To be written.
 */
#include "api/reply.h"
