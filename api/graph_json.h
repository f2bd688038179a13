/*
 * A graph, its generations and profiles as JSON.
 */
#ifndef APSP_API_GRAPH_JSON_H
#define APSP_API_GRAPH_JSON_H

#include <jansson.h>

#include "storage/graphs.h"

/*
 * {"name", …the current generation, "pending": null or a generation with its
 * "error"}; the generation's members are null before the first tables. NULL:
 * out of memory.
 */
json_t *apsp_graph_json(const struct apsp_graph_view *view);

/* One profile's rule, tables and newest job. NULL: out of memory. */
json_t *apsp_profile_view_json(const struct apsp_profile_view *profile);

#endif
