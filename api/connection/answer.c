/* Answers that we send without libmicrohttpd; see answer.h. */
#include "api/connection/answer.h"

#include <microhttpd.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

#include "api/encode/problem.h"
#include "api/encode/real.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/hex.h"

/*
 * Returns the present time as "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110,
 * section 5.6.7), in a buffer of the calling thread. A thread formats the time
 * at most once a second.
 */
static const char *date(void)
{
	static _Thread_local char text[48];
	static _Thread_local time_t when;
	time_t now = time(NULL);
	struct tm tm;

	if (now == when || !gmtime_r(&now, &tm))
		return text;
	strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	when = now;
	return text;
}

void apsp_answer_begin(struct apsp_text *out, unsigned int status, bool close)
{
	apsp_text_string(out, "HTTP/1.1 ");
	apsp_integer_append(out, status);
	apsp_text_string(out, " ");
	apsp_text_string(out, MHD_get_reason_phrase_for(status));
	apsp_text_string(out, "\r\n");
	apsp_answer_header(out, "Date", date());
	if (close)
		apsp_answer_header(out, "Connection", "close");
}

bool apsp_answer_header(void *out, const char *name, const char *value)
{
	apsp_text_string(out, name);
	apsp_text_string(out, ": ");
	apsp_text_string(out, value);
	apsp_text_string(out, "\r\n");
	return true;
}

void apsp_answer_end(struct apsp_text *out, const char *body, size_t size)
{
	apsp_text_string(out, "Content-Length: ");
	apsp_integer_append(out, (int64_t)size);
	apsp_text_string(out, "\r\n\r\n");
	if (size > 0)
		apsp_text_append(out, body, size);
}

void apsp_request_ids_init(struct apsp_request_ids *ids)
{
	uint64_t seed = 0;

	/* if no random bytes are available, use the time, because a guessable
	   seed does no harm */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uint64_t)apsp_clock_ns();
	atomic_store(&ids->next, seed);
}

void apsp_request_id_next(
	struct apsp_request_ids *ids, char out[APSP_REQUEST_ID_SIZE])
{
	uint64_t id = atomic_fetch_add(&ids->next, 1);

	/* scramble the counter by a bijection, so that successive ids look
	   different (Steele, Lea & Flood 2014, SplitMix) */
	id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9;
	id = (id ^ id >> 27) * 0x94d049bb133111eb;
	id ^= id >> 31;

	apsp_hex_write(&id, sizeof(id), out);
}

int apsp_refusal_send(const struct apsp_upward *upward, int fd,
	const char *request_id, const struct apsp_err *err)
{
	unsigned int status = apsp_problem_status(err->code);
	APSP_AUTO(apsp_text_done) struct apsp_text answer = {0};
	APSP_AUTO(apsp_text_done) struct apsp_text body = {0};
	char new_id[APSP_REQUEST_ID_SIZE];
	ssize_t n;

	if (!request_id) {
		apsp_request_id_next(upward->ids, new_id);
		request_id = new_id;
		apsp_log(upward->log_level,
			"request refused id=%s status=%u error=%s: %s",
			request_id, status, apsp_code_name(err->code),
			err->message);
	}
	apsp_problem_append(err, upward->base, NULL, request_id, &body);
	apsp_answer_begin(&answer, status, true);
	apsp_answer_header(&answer, "Content-Type", "application/problem+json");
	if (apsp_problem_passes(status))
		apsp_answer_header(&answer, "Retry-After", "1");
	apsp_answer_header(&answer, "X-Request-Id", request_id);
	apsp_answer_header(&answer, "Cache-Control", "no-store");
	apsp_answer_header(&answer, "X-Content-Type-Options", "nosniff");
	apsp_answer_end(&answer, body.data, body.size);
	if (body.failed || answer.failed)
		return 0;
	n = send(fd, answer.data, answer.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n == (ssize_t)answer.size ? err->code : 0;
}
