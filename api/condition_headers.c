/*
 * If-Match and If-None-Match; see condition_headers.h.
 */
#include "api/condition_headers.h"

#include <string.h>

/* Copy the text of a strong entity tag: "…" without its quotes. */
static int tag_read(
	const char *value, char out[APSP_TAG_SIZE], struct apsp_err *err)
{
	size_t size = strlen(value);

	if (size < 2 || value[0] != '"' || value[size - 1] != '"' ||
		memchr(value + 1, '"', size - 2))
		return apsp_fail(err, APSP_EMALFORMED,
			"If-Match: found '%s', expected * or one \"ETag\"",
			value);
	size -= 2;
	/* longer than any tag: as the empty text it matches none */
	if (size >= APSP_TAG_SIZE)
		size = 0;
	memcpy(out, value + 1, size);
	out[size] = '\0';
	return 0;
}

int apsp_condition_headers_read(struct apsp_request *req,
	enum apsp_precondition_subject subject,
	struct apsp_condition_headers *out, struct apsp_err *err)
{
	const char *if_match = apsp_request_header(req, "If-Match");
	const char *if_none = apsp_request_header(req, "If-None-Match");

	if (if_none && strcmp(if_none, "*") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"If-None-Match: found '%s', expected *", if_none);
	out->wanted = (struct apsp_precondition){
		.subject = subject,
		.profile =
			subject == APSP_SUBJECT_PROFILE ? req->params[1] : NULL,
		.must_not_exist = if_none != NULL,
		.must_exist = if_match && strcmp(if_match, "*") == 0,
		.out_revision = req->change.before,
	};
	if (!if_match || out->wanted.must_exist)
		return 0;
	out->wanted.if_match = out->tag;
	return tag_read(if_match, out->tag, err);
}
