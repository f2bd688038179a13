/*
 * Requests that send a command to the store's writer; see command.h.
 */
#include "api/command.h"

#include <stdlib.h>
#include <string.h>

#include "api/http/query.h"
#include "api/http/reply.h"
#include "storage/graphs.h"

/* If the change is refused because the graph does not have the revision that
   ?revision= names, add both revisions to the error reply. Returns `result`. */
static int explain(struct apsp_request *req, int result)
{
	if (result == APSP_EREVISION)
		apsp_request_extra(req,
			json_pack("{s:s, s:s}", "revision", req->change.before,
				"asked", apsp_query_get(req, "revision")));
	return result;
}

static void finish(void *ctx, int result, const struct apsp_err *err)
{
	apsp_request_finish(ctx, explain(ctx, result), err);
}

struct apsp_done apsp_command_done(struct apsp_request *req)
{
	return (struct apsp_done){.fn = finish, .ctx = req};
}

int apsp_command_condition(struct apsp_request *req,
	enum apsp_precondition_subject subject, struct apsp_precondition *out,
	struct apsp_err *err)
{
	const char *if_match = apsp_request_header(req, "If-Match");
	const char *if_none = apsp_request_header(req, "If-None-Match");
	size_t size = if_match ? strlen(if_match) : 0;

	if (if_none && strcmp(if_none, "*") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"If-None-Match: found '%s', expected *", if_none);
	if (!req->change.rules)
		req->change.rules = calloc(1, sizeof(*req->change.rules));
	if (!req->change.rules)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	*out = (struct apsp_precondition){
		.subject = subject,
		.profile =
			subject == APSP_SUBJECT_PROFILE ? req->params[1] : NULL,
		.must_not_exist = if_none != NULL,
		.must_exist = if_match && strcmp(if_match, "*") == 0,
		.revision = apsp_query_get(req, "revision"),
		.out_revision = req->change.before,
		.out_rule = req->change.rules->before,
	};
	if (!if_match || out->must_exist)
		return 0;
	if (size < 2 || if_match[0] != '"' || if_match[size - 1] != '"' ||
		memchr(if_match + 1, '"', size - 2))
		return apsp_fail(err, APSP_EMALFORMED,
			"If-Match: found '%s', expected * or one \"ETag\"",
			if_match);
	out->has_tag = true;
	/*
	 * A text that is longer than any tag is not stored, and the tag stays
	 * empty. No version has an empty tag, so the text matches no version.
	 */
	if (size - 2 < APSP_TAG_SIZE)
		memcpy(out->tag, if_match + 1, size - 2);
	return 0;
}

int apsp_command_check(struct apsp_request *req,
	const struct apsp_precondition *wanted, struct apsp_err *err)
{
	return explain(req, apsp_graphs_precondition(req->config->store,
				    req->params[0], wanted, err));
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
	wanted = apsp_request_state(req, sizeof(*wanted), free, err);
	if (!wanted)
		return APSP_ENOMEM;
	r = apsp_command_condition(req, subject, wanted, err);
	if (r == 0)
		r = apsp_request_suspend(req, false, err);
	if (r < 0)
		return r;
	*out = wanted;
	return 1;
}
