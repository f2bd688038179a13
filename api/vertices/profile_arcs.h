/*
 * An answer with arcs of a profile: the arcs of the vertex that params[1] names
 * or, if the route has no such parameter, all arcs. Parallel arcs are merged.
 * Self-loops and arcs that the rule drops are left out. ?sort= sorts the arcs,
 * and ?limit= and ?cursor= divide them into pages. In CSV, the row of an arc
 * also has attributes of vertices. If the arcs are those of one vertex, the row
 * has the attributes of the arc's other end; otherwise, it has the attributes
 * of both ends.
 */
#ifndef APSP_API_VERTICES_PROFILE_ARCS_H
#define APSP_API_VERTICES_PROFILE_ARCS_H

#include "api/http/request.h"

/*
 * Answer the request. The handler that calls this function is called again
 * until the arcs are loaded and sorted. APSP_EMALFORMED: an argument is wrong,
 * or the profile does not have the values by which the arcs are sorted. Also
 * fails as apsp_vertex_reading_open() does.
 */
int apsp_profile_arcs_reply(struct apsp_request *req, struct apsp_err *err);

#endif
