/*
 * GET /v1/info: the daemon's version, algorithms, formats, limits, cache and
 * device.
 */
#include <stdlib.h>

#include "api/cache_json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/service/device_json.h"
#include "daemon/base/auto.h"
#include "storage/ingest/upload/upload.h"
#include "storage/search/adjacency_cache.h"
#include "storage/store.h"

static json_t *algorithms_json(const char *const *names)
{
	json_t *list = json_array();

	for (; *names; names++)
		json_array_append_new(list, json_string(*names));
	return list;
}

static json_t *formats_json(void)
{
	json_t *list = json_array();

	for (int i = 0; i < APSP_N_FORMATS; i++)
		json_array_append_new(list,
			json_string(apsp_format_name((enum apsp_format)i)));
	return list;
}

static json_t *transforms_json(void)
{
	json_t *list = json_array();

	for (int i = 0; apsp_transform_name((enum apsp_transform)i); i++)
		json_array_append_new(list, json_string(apsp_transform_name(
						    (enum apsp_transform)i)));
	return list;
}

static json_t *limits_json(const struct apsp_server_limits *limits,
	const struct apsp_budget_limits *uploads,
	const struct apsp_budget_limits *answers)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I,"
		" s:I, s:I, s:I, s:I, s:I}",
		"connections", (json_int_t)limits->max_connections,
		"peer_connections", (json_int_t)limits->max_peer_connections,
		"uploads", (json_int_t)uploads->max_shares, "waiters",
		(json_int_t)limits->max_waiters, "json_bytes",
		(json_int_t)limits->max_json_bytes, "body_bytes",
		(json_int_t)limits->max_body_bytes, "upload_bytes",
		(json_int_t)limits->max_upload_bytes, "inflated_bytes",
		(json_int_t)limits->max_inflated_bytes, "arcs",
		(json_int_t)limits->max_arcs, "vertices",
		(json_int_t)APSP_VERTICES_MAX, "pairs",
		(json_int_t)limits->max_pairs, "search_arcs",
		(json_int_t)limits->max_search_arcs, "answer_bytes",
		(json_int_t)answers->max_one_memory_bytes, "yield_rate",
		(json_int_t)limits->yield_rate, "request_timeout_s",
		(json_int_t)limits->request_timeout_s, "upload_timeout_s",
		(json_int_t)limits->upload_timeout_s);
}

/* What uploads that are under way take. */
static json_t *uploads_json(struct apsp_budget *budget)
{
	const struct apsp_budget_use use = apsp_budget_used(budget);

	return json_pack("{s:I, s:I, s:I, s:I}", "under_way",
		(json_int_t)use.n_shares, "memory_bytes",
		(json_int_t)use.memory_bytes, "max_memory_bytes",
		(json_int_t)apsp_budget_limits(budget)->max_memory_bytes,
		"disk_bytes", (json_int_t)use.disk_bytes);
}

/* The memory of answers that are not sent yet, and of their searches. */
static json_t *answers_json(struct apsp_budget *budget)
{
	const struct apsp_budget_use use = apsp_budget_used(budget);

	return json_pack("{s:I, s:I, s:I}", "under_way",
		(json_int_t)use.n_shares, "memory_bytes",
		(json_int_t)use.memory_bytes, "max_memory_bytes",
		(json_int_t)apsp_budget_limits(budget)->max_memory_bytes);
}

/* The memory of the arcs that searches walk. */
static json_t *searches_json(struct apsp_adjacency_cache *arcs)
{
	return json_pack("{s:I, s:I}", "arcs_bytes",
		(json_int_t)apsp_adjacency_cache_bytes(arcs), "max_arcs_bytes",
		(json_int_t)apsp_adjacency_cache_limit(arcs));
}

/* The device that computes; null while none is chosen. */
static json_t *chosen_json(struct apsp_worker *worker)
{
	APSP_AUTO(apsp_free) struct apsp_device_info *devices = NULL;
	int n;

	devices = calloc(APSP_DEVICES_MAX, sizeof(*devices));
	if (!devices)
		return NULL;
	n = apsp_worker_devices(worker, devices, APSP_DEVICES_MAX, NULL);
	for (int i = 0; i < n && i < APSP_DEVICES_MAX; i++) {
		if (devices[i].chosen)
			return apsp_device_json(worker, &devices[i]);
	}
	return json_null();
}

int apsp_api_get_info(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_server_config *config = apsp_request_config(req);
	struct apsp_store *store = apsp_request_store(req);
	struct apsp_budget *uploads = apsp_store_uploads(store);
	struct apsp_budget *answers = apsp_store_answers(store);

	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"version", config->version, "algorithms",
			algorithms_json(config->algorithms), "formats",
			formats_json(), "transforms", transforms_json(),
			"limits",
			limits_json(&config->limits,
				apsp_budget_limits(uploads),
				apsp_budget_limits(answers)),
			"uploads", uploads_json(uploads), "answers",
			answers_json(answers), "searches",
			searches_json(apsp_store_adjacencies(store)), "cache",
			apsp_cache_json(req), "device",
			chosen_json(apsp_request_worker(req))),
		err);
}
