/*
 * Refusals that we send ourselves; see refusal.h.
 */
#include "api/connection/refusal.h"

#include <string.h>
#include <sys/socket.h>

#include "api/connection/answer.h"
#include "api/encode/problem.h"
#include "daemon/base/auto.h"
#include "daemon/base/log.h"

int apsp_refusal_send(const struct apsp_refusals *refusals, int fd,
	const struct apsp_err *err)
{
	unsigned int status = apsp_problem_status(err->code);
	APSP_AUTO(apsp_text_done) struct apsp_text answer = {0};
	APSP_AUTO(apsp_free) char *body = NULL;
	char id[APSP_REQUEST_ID_SIZE];
	ssize_t n;

	apsp_request_id_next(refusals->ids, id);
	apsp_log(APSP_LOG_DEBUG, "request refused id=%s status=%u error=%s: %s",
		id, status, apsp_code_name(err->code), err->message);
	body = apsp_problem_text(err, refusals->base, NULL, id);
	if (!body)
		return 0;
	apsp_answer_begin(&answer, status, true);
	apsp_answer_header(&answer, "Content-Type", "application/problem+json");
	apsp_answer_header(&answer, "X-Request-Id", id);
	apsp_answer_header(&answer, "Cache-Control", "no-store");
	apsp_answer_header(&answer, "X-Content-Type-Options", "nosniff");
	apsp_answer_end(&answer, body, strlen(body));
	if (answer.failed)
		return 0;
	n = send(fd, answer.data, answer.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n == (ssize_t)answer.size ? err->code : 0;
}
