/*
 * The server's table of routes.
 */
#ifndef APSP_API_ENDPOINTS_ENDPOINTS_H
#define APSP_API_ENDPOINTS_ENDPOINTS_H

#include "api/http/route.h"

/* The routes that struct apsp_server_config needs. The last item has the
   pattern NULL. */
extern const struct apsp_route apsp_endpoints[];

#endif
