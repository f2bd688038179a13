/*
 * The default limits; see limits.h.
 */
#include "daemon/base/limits.h"

const struct apsp_limits apsp_default_limits = {
#define LIMIT(type, member, name, value) .member = (value),
#include "daemon/base/limits.def"
};
