/*
 * Reading a graph; see reading.h.
 */
#include "api/reading.h"

#include <string.h>

#include "api/http/query.h"
#include "api/job_json.h"
#include "daemon/base/auto.h"
#include "storage/store.h"

enum {
	N_SUGGESTIONS = 5,
	MANY_BYTES = 65536, /* of labels: some 2,000 or more */
};

int apsp_reading_snapshot(struct apsp_request *req,
	const struct apsp_graph_snapshot **out, struct apsp_err *err)
{
	return apsp_graphs_snapshot(
		apsp_request_store(req), req->params[0], out, err);
}

int apsp_reading_open(struct apsp_request *req, struct apsp_reading *out,
	struct apsp_err *err)
{
	const char *profile = apsp_query_get(req, "profile");
	struct apsp_reading reading = {0};
	uint64_t job = 0;
	int r;

	r = apsp_reading_snapshot(req, &reading.snapshot, err);
	if (r < 0)
		return r;
	r = apsp_graph_snapshot_tables(reading.snapshot,
		profile ? profile : "default", &reading.generation,
		&reading.profile, &job, err);
	if (r < 0) {
		APSP_AUTO(apsp_free)
		char *link = job ? apsp_job_link(req, job) : NULL;

		if (link)
			apsp_request_extra(req, json_pack("{s:o, s:s}", "job",
							apsp_job_id_json(job),
							"job_url", link));
		apsp_reading_done(&reading);
		return r;
	}
	reading.tables = reading.profile->tables;
	*out = reading;
	return 0;
}

void apsp_reading_done(struct apsp_reading *reading)
{
	if (reading->snapshot)
		apsp_graph_snapshot_unref(reading->snapshot);
	memset(reading, 0, sizeof(*reading));
}

const char *apsp_reading_transform(const struct apsp_reading *reading)
{
	return reading->profile->tables_rule_known
		       ? apsp_transform_name(
				 reading->profile->tables_rule.transform)
		       : NULL;
}

bool apsp_reading_labels_are_many(const struct apsp_labels *labels)
{
	size_t size;

	apsp_labels_bytes(labels, &size);
	return size > MANY_BYTES;
}

json_t *apsp_reading_suggestions(
	const struct apsp_labels *labels, const char *unknown)
{
	uint32_t near[2 * N_SUGGESTIONS];
	size_t n = apsp_labels_suggest(labels, unknown, near, N_SUGGESTIONS);
	json_t *out = json_array();

	for (size_t i = 0; out && i < n; i++)
		json_array_append_new(out,
			json_string(apsp_labels_get(labels, near[i], NULL)));
	return out;
}

int apsp_reading_vertex(struct apsp_request *req,
	const struct apsp_reading *reading, const char *label, uint32_t *out,
	struct apsp_err *err)
{
	const struct apsp_labels *labels = reading->generation->labels;
	int64_t v = apsp_labels_find(labels, label, strlen(label));
	int r = 0;

	if (v < 0 && apsp_reading_labels_are_many(labels))
		r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	if (v < 0) {
		apsp_request_extra(
			req, json_pack("{s:o*}", "suggestions",
				     apsp_reading_suggestions(labels, label)));
		return apsp_fail(err, APSP_ENOVERTEX,
			"'%s' is not in graph '%s'", label,
			reading->snapshot->name);
	}
	*out = (uint32_t)v;
	return 0;
}

int apsp_reading_arcs(struct apsp_request *req,
	const struct apsp_reading *reading,
	struct apsp_shared_adjacency **shared, struct apsp_err *err)
{
	int r = 0;

	if (!*shared)
		r = apsp_adjacency_cache_open(
			apsp_store_adjacencies(apsp_request_store(req)),
			reading->tables, shared, err);
	while (r == 0 && !apsp_adjacency_cache_arcs(*shared)) {
		r = apsp_adjacency_cache_load(*shared, reading->tables, err);
		if (r > 0 && apsp_request_again(req))
			return 1;
		r = r < 0 ? r : 0;
	}
	return r;
}
