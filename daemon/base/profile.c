/*
 * To be written.
 */
#include "daemon/base/profile.h"
