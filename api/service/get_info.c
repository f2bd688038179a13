/*
 * GET /v1/info: the daemon's version, algorithms, formats, limits, cache and
 * device.
 */
#include "api/cache_json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/service/device_json.h"
#include "daemon/base/limits.h"
#include "storage/ingest/upload/upload.h"
#include "storage/rows/row_cache.h"
#include "storage/search/adjacency_cache.h"
#include "storage/store.h"

/* Returns an object with the limits of this daemon, by name. */
static json_t *limits_json(const struct apsp_request *req)
{
	const struct apsp_store_parts *parts =
		apsp_store_parts(req->config->store);
	struct apsp_limits limits = req->config->limits;
	json_t *out = json_object();

	apsp_request_places(
		req, &limits.max_connections, &limits.max_peer_connections);
	limits.max_uploads = apsp_budget_limits(parts->uploads)->max_shares;
	limits.max_upload_memory_bytes =
		apsp_budget_limits(parts->uploads)->max_one_memory_bytes;
	limits.max_answer_memory_bytes =
		apsp_budget_limits(parts->answers)->max_one_memory_bytes;
#define LIMIT(type, member, name, value)                                       \
	if (*name)                                                             \
		json_object_set_new(                                           \
			out, name, json_integer((json_int_t)limits.member));
#define FIXED(constant, name, value)                                           \
	if (*name)                                                             \
		json_object_set_new(out, name, json_integer(constant));
#include "daemon/base/limits.def"
	return out;
}

/*
 * Returns how much of a memory budget is in use: the number of its users, the
 * number of bytes that these users have reserved, and the largest number of
 * bytes that can be reserved.
 */
static json_t *budget_json(struct apsp_budget *budget)
{
	const struct apsp_budget_use use = apsp_budget_used(budget);

	return json_pack("{s:I, s:I, s:I}", "under_way",
		(json_int_t)use.n_shares, "memory_bytes",
		(json_int_t)use.memory_bytes, "max_memory_bytes",
		(json_int_t)apsp_budget_limits(budget)->max_memory_bytes);
}

int apsp_api_get_info(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_server_config *config = req->config;
	const struct apsp_store_parts *parts = apsp_store_parts(config->store);
	json_t *algorithms = json_array(), *formats = json_array();
	json_t *transforms = json_array();
	json_t *uploads = budget_json(parts->uploads);
	struct apsp_device_info device;
	struct apsp_row_cache_counts rows;
	uint64_t max_arcs_bytes;
	uint64_t arcs_bytes =
		apsp_adjacency_cache_bytes(parts->adjacencies, &max_arcs_bytes);

	apsp_row_cache_count(parts->rows, &rows);
	for (const char *const *name = config->algorithms; *name; name++)
		json_array_append_new(algorithms, json_string(*name));
	for (int i = 0; i < APSP_N_FORMATS; i++)
		json_array_append_new(
			formats, json_string(apsp_formats[i].name));
	for (enum apsp_transform i = 0; apsp_transform_name(i); i++)
		json_array_append_new(
			transforms, json_string(apsp_transform_name(i)));
	json_object_set_new(uploads, "disk_bytes",
		json_integer((json_int_t)apsp_budget_used(parts->uploads)
				     .disk_bytes));
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			  "s:o}",
			"version", config->version, "algorithms", algorithms,
			"formats", formats, "transforms", transforms, "limits",
			limits_json(req), "uploads", uploads, "answers",
			budget_json(parts->answers), "searches",
			json_pack("{s:I, s:I}", "arcs_bytes",
				(json_int_t)arcs_bytes, "max_arcs_bytes",
				(json_int_t)max_arcs_bytes),
			"rows",
			json_pack("{s:I, s:I}", "rows_bytes",
				(json_int_t)rows.bytes, "max_rows_bytes",
				(json_int_t)rows.limit_bytes),
			"cache", apsp_cache_json(req), "device",
			apsp_device_chosen(config->worker, &device)
				? apsp_device_json(config->worker, &device)
				: json_null()),
		err);
}
