/*
 * GET /v1/graphs/{graph}/reachable?from=U&to=V: whether a path exists.
 */
#include "api/endpoints/endpoints.h"
#include "api/http/reply.h"
#include "api/pair.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

int apsp_api_get_reachable(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_pair_done) struct apsp_pair pair = {0};
	const struct apsp_labels *labels;
	bool reachable;
	int r;

	r = apsp_pair_open(req, &pair, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_lookup_reachable(
		pair.reading.tables, pair.from, pair.to, &reachable, err);
	if (r < 0)
		return r;
	labels = pair.reading.generation->labels;
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:s, s:s, s:s, s:b}", "revision",
			pair.reading.generation->revision, "profile",
			pair.reading.profile->name, "from",
			apsp_labels_get(labels, pair.from, NULL), "to",
			apsp_labels_get(labels, pair.to, NULL), "reachable",
			(int)reachable),
		err);
}
