/*
 * ETags; see etag.h.
 */
#include "api/etag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/http/reply.h"

int apsp_etag_condition_read(struct apsp_request *req,
	enum apsp_precondition_subject subject, struct apsp_precondition *out,
	struct apsp_err *err)
{
	const char *if_match = apsp_request_header(req, "If-Match");
	const char *if_none = apsp_request_header(req, "If-None-Match");
	size_t size = if_match ? strlen(if_match) : 0;

	if (if_none && strcmp(if_none, "*") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"If-None-Match: found '%s', expected *", if_none);
	*out = (struct apsp_precondition){
		.subject = subject,
		.profile =
			subject == APSP_SUBJECT_PROFILE ? req->params[1] : NULL,
		.must_not_exist = if_none != NULL,
		.must_exist = if_match && strcmp(if_match, "*") == 0,
		.out_revision = req->change.before,
		.out_rule = req->change.rule_before,
	};
	if (!if_match || out->must_exist)
		return 0;
	if (size < 2 || if_match[0] != '"' || if_match[size - 1] != '"' ||
		memchr(if_match + 1, '"', size - 2))
		return apsp_fail(err, APSP_EMALFORMED,
			"If-Match: found '%s', expected * or one \"ETag\"",
			if_match);
	out->has_tag = true;
	/* a longer text than any tag matches none, as the empty one */
	if (size - 2 < APSP_TAG_SIZE)
		memcpy(out->tag, if_match + 1, size - 2);
	return 0;
}

int apsp_etag_reply(struct apsp_request *req,
	const struct apsp_reading *reading, bool on_attributes,
	struct apsp_err *err)
{
	const struct apsp_attributes *attributes =
		reading->generation->attributes;
	const char *tables = apsp_tables_id(reading->tables);
	char id[64];

	if (!attributes || !on_attributes)
		return apsp_reply_etag(req, tables, err);
	snprintf(id, sizeof(id), "%s-%" PRIu64, tables, attributes->id);
	return apsp_reply_etag(req, id, err);
}
