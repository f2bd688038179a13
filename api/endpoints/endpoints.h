/*
 * The server's table of routes.
 */
#ifndef APSP_API_ENDPOINTS_ENDPOINTS_H
#define APSP_API_ENDPOINTS_ENDPOINTS_H

#include "api/http/route.h"

/* The routes for a server's configuration. The last one has no pattern. */
extern const struct apsp_route apsp_endpoints[];

#endif
