/*
 * Options of a path; see path_options.h.
 */
#include "api/paths/path_options.h"

#include <string.h>

#include "api/http/query.h"
#include "daemon/base/auto.h"
#include "storage/search/path_cost.h"
#include "storage/tables/table_read.h"

/* "..3" or "3". */
static int hops_read(
	const char *text, struct apsp_path_options *out, struct apsp_err *err)
{
	const char *digits = strncmp(text, "..", 2) == 0 ? text + 2 : text;
	size_t n = strspn(digits, "0123456789");
	unsigned long value = n > 0 && n < 9 ? strtoul(digits, NULL, 10) : 0;

	if (n == 0 || digits[n] != '\0' || n >= 9 ||
		value > APSP_PATH_COST_WALK_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"hops is '%s'; expected 3 for exactly so many arcs, or"
			" ..3 for at most so many, up to %d",
			text, APSP_PATH_COST_WALK_MAX);
	out->n_arcs = (uint32_t)value;
	out->exactly = digits == text;
	return 0;
}

static int ties_read(const struct apsp_request *req, const char *ties,
	struct apsp_path_options *out, struct apsp_err *err)
{
	uint64_t max_arcs;
	int r;

	if (!ties && (apsp_query_get(req, "tolerance") ||
			     apsp_query_get(req, "max_arcs")))
		return apsp_fail(err, APSP_EMALFORMED,
			"tolerance= and max_arcs= say how ties=all answers;"
			" without it they mean nothing");
	if (ties && strcmp(ties, "all") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"ties is '%s'; expected all", ties);
	r = apsp_query_number(
		req, "tolerance", &out->has_tolerance, &out->tolerance, err);
	if (r == 0)
		r = apsp_query_uint(req, "max_arcs", 0, APSP_PATH_ARCS_MAX,
			APSP_PATH_ARCS_DEFAULT, &max_arcs, err);
	if (r < 0)
		return r;
	if (out->has_tolerance && !(out->tolerance >= 0 && out->tolerance <= 1))
		return apsp_fail(err, APSP_EMALFORMED,
			"tolerance is %g; expected a share of the distance,"
			" from 0 to 1",
			out->tolerance);
	out->max_arcs = (uint32_t)max_arcs;
	return 0;
}

int apsp_path_options_read(const struct apsp_request *req,
	struct apsp_path_options *out, struct apsp_err *err)
{
	const char *ties = apsp_query_get(req, "ties");
	const char *k = apsp_query_get(req, "k");
	const char *hops = apsp_query_get(req, "hops");
	struct apsp_path_options options = {.kind = APSP_PATH_ONE};
	uint64_t value;
	int r;

	if (!!ties + !!k + !!hops > 1)
		return apsp_fail(err, APSP_EMALFORMED,
			"ties=, k= and hops= are different questions: ask for"
			" all shortest paths, for the k shortest, or for a"
			" number of arcs");
	r = ties_read(req, ties, &options, err);
	if (r == 0 && hops)
		r = hops_read(hops, &options, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "k", 1, APSP_PATH_K_MAX, 1, &value, err);
	if (r < 0)
		return r;
	options.k = (uint32_t)value;
	if (apsp_query_get(req, "avoid"))
		options.kind = APSP_PATH_AVOID;
	if (ties)
		options.kind = APSP_PATH_TIES;
	else if (k)
		options.kind = APSP_PATH_K;
	else if (hops)
		options.kind = APSP_PATH_WITHIN;
	*out = options;
	return 0;
}

static int64_t vertex_find(
	const struct apsp_reading *reading, const char *text, size_t size)
{
	return apsp_labels_find(reading->generation->labels, text, size);
}

/*
 * Avoid the arc between the labels before and after the > at `at`. Returns 1,
 * or 0 if the graph lacks one of the labels.
 */
static int avoid_arc(const struct apsp_reading *reading, const char *text,
	const char *at, struct apsp_avoided *out, struct apsp_err *err)
{
	int64_t tail = vertex_find(reading, text, (size_t)(at - text));
	int64_t head = vertex_find(reading, at + 1, strlen(at + 1));
	int r;

	if (tail < 0 || head < 0)
		return 0;
	r = apsp_table_read_has_arc(
		reading->tables, (uint32_t)tail, (uint32_t)head, err);
	if (r == 0)
		r = apsp_fail(err, APSP_EBADVERTEX,
			"avoid has '%s', but the profile '%s' of graph '%s' "
			"has no arc from the one vertex to the other",
			text, reading->profile->name, reading->snapshot->name);
	if (r > 0)
		r = apsp_avoided_arc(out, reading->generation->n_vertices,
			(uint32_t)tail, (uint32_t)head, err);
	return r < 0 ? r : 1;
}

/*
 * Avoid the vertex or arc that a text names. A label may contain >, so each >
 * is tried. Returns 1, or 0 if the text names neither.
 */
static int avoid_one(const struct apsp_reading *reading, const char *text,
	uint32_t from, uint32_t to, struct apsp_avoided *out,
	struct apsp_err *err)
{
	uint32_t n = reading->generation->n_vertices;
	int64_t v = vertex_find(reading, text, strlen(text));
	int r = 0;

	if (v == from || v == to)
		return apsp_fail(err, APSP_EMALFORMED,
			"avoid has '%s', where the path %s", text,
			v == from ? "begins" : "ends");
	if (v >= 0)
		r = apsp_avoided_vertex(out, n, (uint32_t)v, err);
	if (v >= 0)
		return r < 0 ? r : 1;
	for (const char *at = text; r == 0 && (at = strchr(at, '>')); at++)
		r = avoid_arc(reading, text, at, out, err);
	return r;
}

/* Refuse a text that names nothing, on the pool if suggestions take long. */
static int unknown_refuse(struct apsp_request *req,
	const struct apsp_reading *reading, const char *text,
	struct apsp_err *err)
{
	const struct apsp_generation *generation = reading->generation;
	int r = apsp_reading_labels_are_many(generation->labels)
			? apsp_request_move(req, err)
			: 0;

	if (r < 0)
		return r;
	apsp_request_extra(req,
		json_pack("{s:o*}", "suggestions",
			apsp_reading_vertex_suggestions(generation, text)));
	return apsp_fail(err, APSP_EBADVERTEX,
		"avoid has '%s', which is neither a vertex of graph '%s' nor an"
		" arc, as 'a>b'",
		text, reading->snapshot->name);
}

int apsp_path_options_avoided(struct apsp_request *req,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	struct apsp_avoided *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_avoided_done) struct apsp_avoided avoided = {0};
	const char *text;
	size_t at = 0;

	while ((text = apsp_query_next(req, "avoid", &at))) {
		int r = avoid_one(reading, text, from, to, &avoided, err);

		if (r == 0)
			return unknown_refuse(req, reading, text, err);
		if (r < 0)
			return r;
	}
	*out = APSP_TAKE(avoided);
	return 0;
}
