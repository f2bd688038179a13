/* GET /v1/graphs/{graph}/vertices/{vertex}/arcs?direction=out|in: the arcs of
   one vertex in a profile. */
#include "api/handlers.h"
#include "api/vertices/profile_arcs.h"

int apsp_api_list_vertex_arcs(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_profile_arcs_reply(req, err);
}
