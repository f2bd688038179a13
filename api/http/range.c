/*
 * Ranges; see range.h.
 */
#include "api/http/range.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/http/internal.h"
#include "api/http/reply.h"

/* Read the digits at *text, and move *text behind them. A number above
   UINT64_MAX becomes UINT64_MAX. False: there is no digit. */
static bool number(const char **text, uint64_t *out)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*out = strtoull(*text, &end, 10);
	*text = end;
	return true;
}

/*
 * Read "bytes=first-last", "bytes=first-", or "bytes=-n", which means the last
 * n bytes. `size` is the size of the answer. Returns 1 if the text has one of
 * these forms and the answer has bytes in the range; -1 if the answer has no
 * byte in the range; 0 if the text has another form and must be ignored.
 */
static int parse(const char *text, uint64_t size, struct apsp_range *out)
{
	uint64_t first, last = UINT64_MAX;
	bool suffix;

	if (strncasecmp(text, "bytes=", 6) != 0)
		return 0;
	text += 6;
	suffix = *text == '-';
	if (suffix) {
		text++;
		if (!number(&text, &last) || *text != '\0')
			return 0;
		if (last == 0 || size == 0)
			return -1;
		out->size = last < size ? last : size;
		out->begin = size - out->size;
		return 1;
	}
	if (!number(&text, &first) || *text++ != '-')
		return 0;
	if (*text != '\0' && !number(&text, &last))
		return 0;
	if (*text != '\0' || last < first)
		return 0;
	if (first >= size)
		return -1;
	out->begin = first;
	out->size = (last < size ? last + 1 : size) - first;
	return 1;
}

int apsp_range_read(struct apsp_request *req, uint64_t size,
	struct apsp_range *out, struct apsp_err *err)
{
	const char *text = apsp_request_header(req, "Range");
	const char *wanted = apsp_request_header(req, "If-Range");
	const char *match = apsp_request_header(req, "If-Match");
	const struct apsp_exchange *x = req->exchange;
	struct apsp_range range = {.size = size, .status = MHD_HTTP_OK};
	/*
	 * The range is sent only if `same` is true, because the client may
	 * append the range to bytes that it already has of the same answer. So
	 * if the request has If-Range or If-Match, each must have the ETag of
	 * the uncompressed answer (strong comparison): bytes of the
	 * uncompressed answer cannot follow bytes of a compressed answer.
	 */
	bool same = !wanted && !match;
	char value[80];
	int r;

	r = apsp_reply_header(req, "Accept-Ranges", "bytes", err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < x->n_headers; i++) {
		const char *tag = x->headers[i].value;

		if (strcmp(x->headers[i].name, "ETag") == 0)
			same = (!wanted || strcmp(tag, wanted) == 0) &&
			       (!match ||
				       apsp_reply_tags_hold(match, tag, true));
	}
	r = text && !req->is_head && same ? parse(text, size, &range) : 0;
	if (r < 0) {
		snprintf(value, sizeof(value), "bytes */%" PRIu64, size);
		apsp_reply_header(req, "Content-Range", value, NULL);
		return apsp_fail(err, APSP_ERANGE,
			"the range '%s' lies behind the end: there are %" PRIu64
			" bytes",
			text, size);
	}
	if (r > 0) {
		range.status = MHD_HTTP_PARTIAL_CONTENT;
		snprintf(value, sizeof(value),
			"bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, range.begin,
			range.begin + range.size - 1, size);
		r = apsp_reply_header(req, "Content-Range", value, err);
		if (r < 0)
			return r;
	}
	*out = range;
	return 0;
}
