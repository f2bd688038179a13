/*
 * Refusals that go past libmicrohttpd.
 */
#include "api/connection/refusal.h"

#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "api/connection/http_date.h"
#include "api/connection/request_id.h"
#include "api/encode/problem.h"
#include "daemon/base/auto.h"
#include "daemon/base/log.h"

int apsp_refusal_send(const struct apsp_refusals *refusals, int fd,
	const struct apsp_err *err)
{
	unsigned int status = apsp_problem_status(err->code);
	APSP_AUTO(apsp_free) char *answer = NULL;
	APSP_AUTO(apsp_free) char *body = NULL;
	char id[APSP_REQUEST_ID_SIZE];
	int size;

	apsp_request_id_next(refusals->ids, id);
	apsp_log(APSP_LOG_DEBUG, "request refused id=%s status=%u error=%s: %s",
		id, status, apsp_code_name(err->code), err->message);
	body = apsp_problem_text(err, refusals->base, NULL, id);
	if (!body)
		return 0;
	size = asprintf(&answer,
		"HTTP/1.1 %u %s\r\n"
		"Date: %s\r\n"
		"Content-Type: application/problem+json\r\n"
		"Content-Length: %zu\r\n"
		"%s"
		"X-Request-Id: %s\r\n"
		"Cache-Control: no-store\r\n"
		"X-Content-Type-Options: nosniff\r\n"
		"Connection: close\r\n"
		"\r\n%s",
		status, MHD_get_reason_phrase_for(status), apsp_http_date(),
		strlen(body),
		apsp_problem_passes(status) ? "Retry-After: 1\r\n" : "", id,
		body);
	if (size < 0) {
		answer = NULL;
		return 0;
	}
	if (send(fd, answer, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL) != size)
		return 0;
	return err->code;
}
