/*
 * ETags: those of answers from tables, and the conditions that If-Match and
 * If-None-Match put on a change. apsp_reply_etag() compares an answer's tag;
 * storage compares a change's (storage/snapshots/precondition.h).
 */
#ifndef APSP_API_ETAG_H
#define APSP_API_ETAG_H

#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/err.h"
#include "storage/snapshots/precondition.h"

/*
 * Read If-Match and If-None-Match of a change. *out points into the request:
 * to the profile's name, which is its second parameter, and to where storage's
 * check writes the graph's revision for the log. APSP_EMALFORMED: a header is
 * neither * nor, for If-Match, one strong tag.
 */
int apsp_etag_condition_read(struct apsp_request *req,
	enum apsp_precondition_subject subject, struct apsp_precondition *out,
	struct apsp_err *err);

/*
 * Set the ETag of an answer that depends on the reading's tables and, if so, on
 * the graph's attributes. Returns as apsp_reply_etag().
 */
int apsp_etag_reply(struct apsp_request *req,
	const struct apsp_reading *reading, bool on_attributes,
	struct apsp_err *err);

#endif
