/*
 * GET /readyz: whether the database, the cache directory and the device can be
 * used, and the size of the cache. The answer also lists stored things that
 * cannot be read at present, such as the file of tokens. These things do not
 * make the status 503 (api/service/README.md, An unreadable file of tokens is
 * no 503).
 */
#include "api/access/tokens.h"
#include "api/cache_json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "compute/worker/worker.h"
#include "daemon/base/clock.h"
#include "daemon/follow/follower.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/store.h"

enum {
	TROUBLES_MAX = 16, /* largest number of sentences in one answer */
};

/* Returns a list of sentences about stored things that cannot be used. */
static json_t *troubles_json(const struct apsp_request *req)
{
	struct apsp_tokens *tokens = req->config->tokens;
	struct apsp_err troubles[TROUBLES_MAX], why;
	int64_t since_ms = tokens ? apsp_tokens_trouble(tokens, &why) : 0;
	size_t n = apsp_snapshot_map_troubles(
		req->config->graphs, troubles, TROUBLES_MAX);
	char since[APSP_CLOCK_UTC_SIZE];
	json_t *list = json_array();

	if (since_ms != 0) {
		apsp_clock_utc_write(since_ms, since);
		json_array_append_new(list,
			json_sprintf("the file of tokens cannot be read since "
				     "%s, and the tokens that were read before "
				     "stay valid: %s",
				since, why.message));
	}
	for (size_t i = 0; i < n && i < TROUBLES_MAX; i++)
		json_array_append_new(list, json_string(troubles[i].message));
	if (n > TROUBLES_MAX)
		json_array_append_new(
			list, json_sprintf("and %zu more, which are in the log",
				      n - TROUBLES_MAX));
	return list;
}

/* Returns how far this daemon is behind the daemon that it follows; JSON null
   if it follows no daemon. */
static json_t *follow_json(struct apsp_follower *follower)
{
	struct apsp_follower_status status;

	if (!follower)
		return json_null();
	apsp_follower_get(follower, &status);
	return json_pack("{s:s, s:b, s:f, s:o, s:I, s:o}", "writer",
		status.writer, "reachable", status.reachable, "seconds_behind",
		status.seconds_behind, "graphs_behind",
		status.listed ? json_integer((json_int_t)status.graphs_behind)
			      : json_null(),
		"tables_refused", (json_int_t)status.tables_refused, "error",
		status.why.code ? json_string(status.why.message)
				: json_null());
}

/*
 * If this daemon follows another daemon, check that it has graphs: it had some
 * when it started, or has received each graph from which the other daemon
 * answers. If it has not, clients should not ask this daemon, because it would
 * answer 404 for graphs that exist.
 */
static int follow_check(struct apsp_follower *follower, struct apsp_err *err)
{
	struct apsp_follower_status status;

	if (!follower)
		return 0;
	apsp_follower_get(follower, &status);
	if (status.ready)
		return 0;
	return apsp_fail(err, APSP_ENOTREADY,
		"the graphs of %s have not come yet%s%s", status.writer,
		status.why.code ? ": " : "",
		status.why.code ? status.why.message : "");
}

int apsp_api_get_readyz(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_err why = {0};
	int r;

	r = apsp_store_check(req->config->store, &why);
	if (r < 0)
		return apsp_fail(err, APSP_ENOTREADY,
			"the database cannot be used: %s", why.message);
	r = apsp_store_check_cache(req->config->store, &why);
	if (r < 0)
		return apsp_fail(err, APSP_ENOTREADY,
			"the cache directory cannot be used: %s", why.message);
	r = apsp_worker_devices(req->config->worker, NULL, 0, &why);
	if (r < 0)
		return apsp_fail(err, APSP_ENOTREADY,
			"the device cannot be used: %s", why.message);
	r = follow_check(req->config->follower, err);
	if (r < 0)
		return r;
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:o, s:o, s:o}", "status", "ready", "cache",
			apsp_cache_json(req), "troubles", troubles_json(req),
			"follow", follow_json(req->config->follower)),
		err);
}
