/*
 * GET /v1/graphs/{graph}/path?from=U&to=V: one shortest path from the tables.
 * If the query has ?ties=, ?k=, ?avoid= or ?hops=, or if the profile has widest
 * paths, the answer usually comes from a search over the arcs (path_search.h).
 */
#include <stdlib.h>
#include <string.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/paths/path_search.h"
#include "api/paths/path_text.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

enum {
	TIE_ARCS_DEFAULT = 10000, /* default of ?max_arcs= */
	LONG_HOPS = 512, /* if a path has more arcs than this, writing its text
			    takes a millisecond or more */
};

/* Read ?hops=: "3" for exactly 3 arcs, "..3" for at most 3. */
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
			"tolerance= and max_arcs= are options of ties=all, "
			"which is missing");
	if (ties && strcmp(ties, "all") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"ties is '%s'; expected all", ties);
	r = apsp_query_number(
		req, "tolerance", &out->has_tolerance, &out->tolerance, err);
	if (r == 0)
		r = apsp_query_uint(req, "max_arcs", 0, APSP_TIE_ARCS_MAX,
			TIE_ARCS_DEFAULT, &max_arcs, err);
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

static int options_read(const struct apsp_request *req,
	struct apsp_path_options *out, struct apsp_err *err)
{
	const char *ties = apsp_query_get(req, "ties");
	const char *k = apsp_query_get(req, "k");
	const char *hops = apsp_query_get(req, "hops");
	uint64_t value;
	int r;

	if (!!ties + !!k + !!hops > 1)
		return apsp_fail(err, APSP_EMALFORMED,
			"ties=, k= and hops= are different questions: ask for"
			" all shortest paths, for the k shortest, or for a"
			" number of arcs");
	*out = (struct apsp_path_options){.kind = APSP_PATH_ONE};
	r = ties_read(req, ties, out, err);
	if (r == 0 && hops)
		r = hops_read(hops, out, err);
	if (r == 0)
		r = apsp_query_uint(req, "k", 1, APSP_K_MAX, 1, &value, err);
	if (r < 0)
		return r;
	out->k = (uint32_t)value;
	if (apsp_query_get(req, "avoid") || apsp_query_get(req, "avoid_arc"))
		out->kind = APSP_PATH_AVOID;
	if (ties)
		out->kind = APSP_PATH_TIES;
	else if (k)
		out->kind = APSP_PATH_K;
	else if (hops)
		out->kind = APSP_PATH_WITHIN;
	return 0;
}

/* Answer from the tables. Returns 1 if the answer is 304. */
static int look_up(struct apsp_request *req, struct apsp_reading *reading,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};
	int r = apsp_reading_etag(req, reading, false, err);

	if (r == 0)
		r = apsp_reading_pair_row(req, reading, err);
	if (r == 0)
		r = apsp_lookup_path(reading->tables, reading->from,
			reading->to, &path, err);
	if (r == 0 && path.hops > LONG_HOPS)
		r = apsp_request_move(req, err);
	if (r != 0)
		return r;
	apsp_path_write(&w, reading, reading->from, reading->to, &path);
	return apsp_reply_text(req, MHD_HTTP_OK, &text, err);
}

int apsp_api_get_path(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	struct apsp_path_options options;
	int r;

	r = options_read(req, &options, err);
	if (r == 0 && !req->state) {
		r = apsp_reading_open_pair(req, &reading, err);
		if (r == 0 && options.kind == APSP_PATH_ONE &&
			!apsp_reading_is_widest(&reading))
			r = look_up(req, &reading, err);
		else if (r == 0)
			r = apsp_path_search_begin(
				req, &options, &reading, err);
	}
	if (r != 0 || !req->state) /* if look_up() has answered from the tables,
				      req->state is NULL: there is no search to
				      continue */
		return r < 0 ? r : 0;
	r = apsp_path_search_run(req, err);
	return r <= 0 ? r : apsp_path_search_reply(req, err);
}
