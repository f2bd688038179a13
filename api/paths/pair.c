/* Ordered pairs of vertices; see pair.h. */
#include "api/paths/pair.h"

#include "api/etag.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "daemon/base/auto.h"

int apsp_pair_read(
	struct apsp_request *req, struct apsp_pair *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_pair_done) struct apsp_pair pair = {0};
	const char *from = apsp_query_get(req, "from");
	const char *to = apsp_query_get(req, "to");
	int r;

	if (!from || !to)
		return apsp_fail(err, APSP_EMALFORMED,
			"the query argument '%s' is missing; expected"
			" ?from=LABEL&to=LABEL",
			from ? "to" : "from");
	r = apsp_reading_open(req, &pair.reading, err);
	if (r < 0)
		return r;
	r = apsp_reading_vertex(req, &pair.reading, from, &pair.from, err);
	if (r < 0)
		return r;
	r = apsp_reading_vertex(req, &pair.reading, to, &pair.to, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(pair);
	return 0;
}

int apsp_pair_open(
	struct apsp_request *req, struct apsp_pair *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_pair_done) struct apsp_pair pair = {0};
	int r = apsp_pair_read(req, &pair, err);

	if (r == 0)
		r = apsp_etag_reply(req, &pair.reading, false, err);
	if (r == 0)
		*out = APSP_TAKE(pair);
	return r;
}

void apsp_pair_done(struct apsp_pair *pair)
{
	apsp_reading_done(&pair->reading);
}
