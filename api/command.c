/*
 * Commands of requests; see command.h.
 */
#include "api/command.h"

#include <stdlib.h>

#include "api/etag.h"
#include "api/http/reply.h"

static void finish(void *ctx, int result, const struct apsp_err *err)
{
	apsp_request_finish(ctx, result, err);
}

struct apsp_done apsp_command_done(struct apsp_request *req)
{
	return (struct apsp_done){.fn = finish, .ctx = req};
}

int apsp_command_delete(struct apsp_request *req,
	enum apsp_precondition_subject subject,
	const struct apsp_precondition **out, struct apsp_err *err)
{
	struct apsp_precondition *wanted;
	int r;

	if (req->state) {
		r = apsp_request_result(req, err);
		return r < 0 ? r : apsp_reply_empty(req, err);
	}
	wanted = calloc(1, sizeof(*wanted));
	if (!wanted)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = wanted;
	req->state_free = free;
	r = apsp_etag_condition_read(req, subject, wanted, err);
	if (r == 0)
		r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	*out = wanted;
	return 1;
}
