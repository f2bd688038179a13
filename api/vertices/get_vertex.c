/*
 * GET /v1/graphs/{graph}/vertices/{vertex}: the vertex with its attributes, the
 * numbers of its outgoing and incoming arcs, the sums of these arcs' weights,
 * and three counts: the vertices that it reaches, the vertices that reach it,
 * and the vertices in its component.
 */
#include <math.h>
#include <stdlib.h>

#include "api/encode/json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/vertices/vertex_reading.h"
#include "storage/tables/lookup.h"
#include "storage/tables/table_stats.h"

static json_t *attributes_json(
	const struct apsp_attributes *attributes, uint32_t v)
{
	json_t *out = json_object();

	for (uint32_t c = 0; attributes && out && c < attributes->n_columns;
		c++)
		if (apsp_attributes_value(attributes, c, v) != APSP_NO_VALUE)
			json_object_set_new(out, attributes->columns[c].name,
				json_string(apsp_attributes_text(
					attributes, c, v)));
	return out;
}

/*
 * Make the JSON object with the vertex's betweenness. The object is empty if
 * the tables have no betweenness.
 */
static int measures_json(const struct apsp_vertex_reading *reading,
	json_t **out, struct apsp_err *err)
{
	struct apsp_tables *tables = reading->reading.tables;
	double n = (double)tables->header.n_vertices -
		   apsp_reading_n_left_out(&reading->reading);
	double x, most = (n - 1) * (n - 2); /* number of ordered pairs of two
					       vertices other than this one */
	int r = apsp_table_stats_betweenness(tables, reading->v, &x, err);

	if (r < 0)
		return r;
	*out = r == 0 ? json_object()
		      : json_pack("{s:o, s:o}", "betweenness",
				apsp_json_number(x), "betweenness_normalized",
				apsp_json_number(
					most > 0 ? x / most : (double)NAN));
	return 0;
}

/* Make the answer. The answer takes over `measures`. */
static json_t *vertex_json(const struct apsp_vertex_reading *reading,
	const struct apsp_neighbourhood *place, bool on_cycle, json_t *measures)
{
	const struct apsp_generation *generation = reading->reading.generation;
	const struct apsp_vertex_arcs arcs = apsp_adjacency_vertex(
		apsp_adjacency_cache_arcs(reading->arcs), reading->v);
	const struct apsp_labels *labels = generation->labels;
	json_t *members = json_pack("{s:s, s:I, s:o, s:I, s:I, s:o, s:o,"
				    " s:b, s:I, s:I, s:{s:I, s:s}, s:o}",
		"vertex", apsp_labels_get(labels, reading->v, NULL), "index",
		(json_int_t)reading->v, "attributes",
		attributes_json(generation->attributes, reading->v),
		"out_degree", (json_int_t)arcs.out_degree, "in_degree",
		(json_int_t)arcs.in_degree, "out_strength",
		apsp_json_number(arcs.out_strength), "in_strength",
		apsp_json_number(arcs.in_strength), "on_cycle", (int)on_cycle,
		/* the vertex itself does not count as reached; the statistics
		   count in the same way */
		"reaches", (json_int_t)place->n_reached - 1, "reached_by",
		(json_int_t)place->n_reaching - 1, "component", "size",
		(json_int_t)place->n_component, "first",
		apsp_labels_get(labels, place->first, NULL), "measures",
		measures);

	if (apsp_reading_leaves_out(&reading->reading, reading->v))
		json_object_set_new(members, "left_out", json_true());
	return apsp_reading_answer(&reading->reading, members);
}

static void reading_free(void *state)
{
	apsp_vertex_reading_done(state);
	free(state);
}

int apsp_api_get_vertex(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_vertex_reading *reading = req->state;
	struct apsp_neighbourhood place;
	json_t *measures = NULL, *body;
	bool on_cycle = false;
	int r;

	if (!reading)
		reading = apsp_request_state(
			req, sizeof(*reading), reading_free, err);
	if (!reading)
		return APSP_ENOMEM;
	r = apsp_vertex_reading_open(req, reading, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_reading_rows(
		req, &reading->reading, APSP_DEMAND_FROM, &reading->v, 1, err);
	if (r == 0)
		r = apsp_reading_rows(req, &reading->reading, APSP_DEMAND_TO,
			&reading->v, 1, err);
	if (r < 0)
		return r;
	r = apsp_lookup_neighbourhood(
		reading->reading.tables, reading->v, &place, err);
	if (r == 0)
		r = apsp_lookup_on_cycle(
			reading->reading.tables, reading->v, &on_cycle, err);
	if (r == 0)
		r = measures_json(reading, &measures, err);
	if (r < 0)
		return r;
	body = vertex_json(reading, &place, on_cycle, measures);
	apsp_adjacency_cache_close(APSP_TAKE(reading->arcs));
	return apsp_reply_json(req, MHD_HTTP_OK, body, err);
}
