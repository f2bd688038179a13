/*
 * The limits for clients: how many connections, bytes and arcs, and how much
 * time, they are allowed to use. The list of limits is in limits.def.
 */
#ifndef APSP_DAEMON_BASE_LIMITS_H
#define APSP_DAEMON_BASE_LIMITS_H

#include <stdint.h>

struct apsp_limits {
#define LIMIT(type, member, name, value) type member;
#include "daemon/base/limits.def"
};

enum {
#define FIXED(constant, name, value) constant = (value),
#include "daemon/base/limits.def"
};

/* The limits that the daemon uses; tests use other limits. */
extern const struct apsp_limits apsp_default_limits;

#endif
