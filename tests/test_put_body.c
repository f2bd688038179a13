/*
 * How the body of an upload arrives: after its headers were answered, in
 * pieces, too large, and where others have all places or fill the queue.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "api/upload_body.h"
#include "storage/ingest/tar.h"
#include "tests/endpoint_fixture.h"

enum { N_LABELS = 12000 }; /* their bytes are more than the first piece */

#define HEAD                                                                   \
	"PUT /v1/graphs/g?transform=none HTTP/1.1\r\nHost: localhost\r\n" CSV

/* The answer to an upload's headers alone: its body is never sent. */
static struct http_answer ask_early(struct fixture *f, const char *header)
{
	struct http_answer answer = {0};
	int fd = http_connect(f->port);

	dprintf(fd, HEAD "Content-Length: 6\r\nExpect: 100-continue\r\n%s\r\n",
		header);
	http_read(fd, &answer);
	close(fd);
	return answer;
}

/* An upload that may not be stored is refused before its body comes. */
static void test_precondition(void **state)
{
	struct fixture *f = *state;

	REFUSED(ask_early(f, "If-Match: *\r\n"), 412, "precondition-failed",
		"");
	fixture_nothing_stored(f);
}

/* The announced size is refused although not a byte of the body was sent. */
static void test_size(void **state)
{
	static const char head[] =
		HEAD "Content-Length: 300001\r\nExpect: 100-continue\r\n\r\n";
	struct fixture *f = *state;
	struct http_answer answer = {0};
	size_t size = FIXTURE_UPLOAD + 1000;
	char *text = malloc(size + 64);
	int fd = http_connect(f->port);

	assert_int_equal(send(fd, head, sizeof(head) - 1, MSG_NOSIGNAL),
		sizeof(head) - 1);
	http_read(fd, &answer);
	close(fd);
	REFUSED(answer, 413, "too-large",
		"the body has 300001 bytes, the limit is 300000");

	/* a chunked body is counted as it comes */
	assert_non_null(text);
	snprintf(text, 64, "%zx\r\n", size);
	for (size_t i = strlen(text), end = i + size; i < end; i += 4)
		memcpy(text + i, "a,b\n", 5);
	strcat(text, "\r\n0\r\n\r\n");
	fd = http_connect(f->port);
	dprintf(fd,
		HEAD "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
		     "%s",
		text);
	free(text);
	memset(&answer, 0, sizeof(answer));
	http_read(fd, &answer);
	close(fd);
	REFUSED(answer, 413, "too-large",
		"larger than the limit of 300000 bytes");
	fixture_nothing_stored(f);
}

/* "100 Continue" is sent for an upload that is let in. */
static void test_continue(void **state)
{
	static const char head[] =
		HEAD "Connection: close\r\n"
		     "Content-Length: 6\r\nExpect: 100-continue\r\n\r\n";
	struct fixture *f = *state;
	struct http_answer answer = {0};
	int fd = http_connect(f->port);
	char interim[64];

	assert_int_equal(send(fd, head, sizeof(head) - 1, MSG_NOSIGNAL),
		sizeof(head) - 1);
	assert_true(http_read_bytes(fd, interim, 12));
	assert_memory_equal(interim, "HTTP/1.1 100", 12);
	assert_int_equal(send(fd, "a,b,1\n", 6, MSG_NOSIGNAL), 6);
	/* the rest of the interim reply, then the answer */
	assert_true(http_read_bytes(fd, interim, strlen(" Continue\r\n\r\n")));
	http_read(fd, &answer);
	close(fd);
	EXPECT(answer, 202,
		"{\"job\": \"1\", \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 2, \"arcs\": 1,"
		" \"profile\": \"default\", \"transform\": \"none\","
		"\"...\": 0}");
}

/* An upload that was let in and whose body is still to come. */
static int upload_hold(struct fixture *f, const char *body)
{
	static const char wanted[] = "HTTP/1.1 100 Continue\r\n\r\n";
	int fd = http_connect(f->port);
	char interim[sizeof(wanted)] = "";

	dprintf(fd, HEAD "Connection: close\r\n"
			 "Content-Length: 60\r\nExpect: 100-continue\r\n\r\n");
	assert_true(http_read_bytes(fd, interim, strlen(wanted)));
	assert_string_equal(interim, wanted);
	dprintf(fd, "%s", body);
	return fd;
}

static int64_t uploads_under_way(struct fixture *f)
{
	struct http_answer answer = fixture_get(f, "/v1/info");
	json_t *uploads = json_object_get(answer.json, "uploads");
	int64_t n = json_integer_value(json_object_get(uploads, "under_way"));

	http_answer_done(&answer);
	return n;
}

/* So many uploads at once, and no more; one that ends makes room. */
static void test_places(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	int held[FIXTURE_UPLOADS];
	char seconds[8];

	for (int i = 0; i < FIXTURE_UPLOADS; i++)
		held[i] = upload_hold(f, "a,b,");
	assert_int_equal(uploads_under_way(f), FIXTURE_UPLOADS);
	answer = ask_early(f, "");
	assert_true(
		http_header(&answer, "Retry-After", seconds, sizeof(seconds)));
	REFUSED(answer, 503, "busy", "3 uploads are under way");

	/* a client that goes gives its place back */
	close(held[0]);
	while (uploads_under_way(f) == FIXTURE_UPLOADS)
		continue;
	held[0] = upload_hold(f, "");
	for (int i = 0; i < FIXTURE_UPLOADS; i++)
		close(held[i]);
	while (uploads_under_way(f) > 0)
		continue;
	answer = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=none", CSV, "a,b,1\n");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	assert_int_equal(uploads_under_way(f), 0);
}

/* A body of many pieces arrives whole, however the network cuts it. */
static void test_pieces(void **state)
{
	struct fixture *f = *state;
	size_t size = FIXTURE_UPLOAD - 10; /* lines of ten bytes */
	char *text = malloc(size + 1);
	struct http_answer answer = {0};
	int fd = http_connect(f->port);

	assert_non_null(text);
	for (size_t i = 0; i < size; i += 10)
		snprintf(text + i, 11, "a%03zu,b%03zu\n", i / 10 % 1000,
			i / 10 % 97);
	dprintf(fd, HEAD "Connection: close\r\nContent-Length: %zu\r\n\r\n",
		size);
	for (size_t at = 0, n; at < size; at += n) {
		n = at % 7919 + 1 < size - at ? at % 7919 + 1 : size - at;
		assert_int_equal(send(fd, text + at, n, MSG_NOSIGNAL), n);
	}
	free(text);
	http_read(fd, &answer);
	close(fd);
	EXPECT(answer, 202,
		"{\"job\": \"1\", \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 1097, \"arcs\": 29999,"
		" \"profile\": \"default\", \"transform\": \"none\","
		"\"...\": 0}");
}

/* If `late` is set, the connection's thread is told that the pool still parses
   the previous piece, until the next piece is complete and the pool has ended.
   So the pool ends between two looks of that thread. */
static atomic_bool late;
static _Thread_local bool in_add;
static atomic_int n_complete; /* pieces that were complete while `late` */

int __real_apsp_upload_body_add(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err);
bool __real_apsp_request_works_beside(const struct apsp_request *req);

int __wrap_apsp_upload_body_add(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err);
bool __wrap_apsp_request_works_beside(const struct apsp_request *req);

int __wrap_apsp_upload_body_add(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	int r;

	in_add = true;
	r = __real_apsp_upload_body_add(req, data, size, err);
	in_add = false;
	return r;
}

bool __wrap_apsp_request_works_beside(const struct apsp_request *req)
{
	if (!atomic_load(&late))
		return __real_apsp_request_works_beside(req);
	if (!in_add)
		return atomic_load(&n_complete) == 1;
	if (atomic_fetch_add(&n_complete, 1) == 1) {
		while (__real_apsp_request_works_beside(req))
			sched_yield();
		atomic_store(&late, false);
	}
	return false;
}

/* The pool refuses a piece just when the next one is complete. */
static void test_late_refusal(void **state)
{
	struct fixture *f = *state;
	size_t size = FIXTURE_UPLOAD - 10;
	char *text = malloc(size + 1);
	struct http_answer answer = {0};
	int fd = http_connect(f->port);

	assert_non_null(text);
	for (size_t i = 0; i < size; i += 10)
		snprintf(text + i, 11, "a,b,00001\n");
	memcpy(text + 1000, "a,b,wrong", 9);
	atomic_store(&late, true);
	dprintf(fd, HEAD "Connection: close\r\nContent-Length: %zu\r\n\r\n",
		size);
	for (size_t at = 0, n; at < size; at += n)
		if ((n = send(fd, text + at, size - at, MSG_NOSIGNAL)) >
			size - at)
			break; /* the refusal came before the body's end */
	free(text);
	http_read(fd, &answer);
	close(fd);
	assert_int_equal(atomic_load(&n_complete), 2);
	REFUSED(answer, 422, "bad-data", "line 101, column 5");
}

/* If `prompt` is set, work that a handler hands to the pool has ended before
   the handler goes on. */
static atomic_bool prompt;
static atomic_bool has_ended;
static atomic_bool stored_early; /* by a handler that had handed work over */
static _Thread_local bool handed_over;
static int (*step_of_handler)(struct apsp_request *req, struct apsp_err *err);

int __real_apsp_api_put_graph(struct apsp_request *req, struct apsp_err *err);
void __real_apsp_request_work(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err));

int __wrap_apsp_api_put_graph(struct apsp_request *req, struct apsp_err *err);
void __wrap_apsp_request_work(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err));

int __wrap_apsp_api_put_graph(struct apsp_request *req, struct apsp_err *err)
{
	int r;

	handed_over = false;
	r = __real_apsp_api_put_graph(req, err);
	if (handed_over && *req->change.after)
		atomic_store(&stored_early, true);
	return r;
}

static int step_noted(struct apsp_request *req, struct apsp_err *err)
{
	int r = step_of_handler(req, err);

	if (r <= 0)
		atomic_store(&has_ended, true);
	return r;
}

void __wrap_apsp_request_work(struct apsp_request *req,
	int (*step)(struct apsp_request *req, struct apsp_err *err))
{
	if (!atomic_load(&prompt)) {
		__real_apsp_request_work(req, step);
		return;
	}
	handed_over = true;
	step_of_handler = step;
	atomic_store(&has_ended, false);
	__real_apsp_request_work(req, step_noted);
	while (!atomic_load(&has_ended))
		sched_yield();
}

/* The pool may end the comparison with the earlier upload before the handler
   that asked for it returns. The handler stores nothing before it is called
   again. */
static void test_compared_at_once(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", "a,b,1\nb,c,1\n");
	atomic_store(&prompt, true);
	EXPECT(fixture_send(f, "PUT", "/v1/graphs/g", CSV, "a,b,2\n"), 202,
		"{\"job\": \"2\", \"state\": \"queued\","
		" \"changes\": {\"revision\": \"*\", \"arcs_gained\": 0,"
		" \"arcs_lost\": 1, \"arcs_changed\": 1}, \"...\": 0}");
	atomic_store(&prompt, false);
	assert_false(atomic_load(&stored_early));
}

/* A full queue refuses an upload before its body comes. */
static void test_queue(void **state)
{
	struct fixture *f = *state;
	char target[64], csv[32];

	/* graphs that differ, because equal ones share tables and job */
	for (int i = 0; i < FIXTURE_QUEUE; i++) {
		struct http_answer answer;

		snprintf(target, sizeof(target),
			"/v1/graphs/g%d?transform=none", i);
		snprintf(csv, sizeof(csv), "a,b,%d\n", i);
		answer = fixture_send(f, "PUT", target, CSV, csv);
		assert_int_equal(answer.status, 202);
		http_answer_done(&answer);
	}
	REFUSED(ask_early(f, ""), 429, "queue-full", "");
	REFUSED(fixture_get(f, "/v1/graphs/g"), 404, "unknown-graph", "'g'");
	assert_int_equal(fixture_work_all(f), FIXTURE_QUEUE);
}

/* Write the beginning of a bundle with so many profiles. Its labels are cut
   off. Returns the number of bytes. */
static size_t bundle_begin(char *out, size_t n_profiles)
{
	static const char rule[] =
		"\"rule\":\"transform=none duplicates=min invalid=error"
		" precision=float32\",\"hash\":\"e67430784abb116a9e7ee195e1e650"
		"153d57b3a683f1f1bf1987d71926a00181\",\"state\":\"ready\","
		"\"tables\":null}";
	char *text = out + APSP_TAR_BLOCK, *at = text;

	at += sprintf(at,
		"{\"format\":\"apspd bundle\",\"version\":1,"
		"\"byte_order\":\"little\",\"graph\":\"g\",\"revision\":"
		"\"%064d\",\"vertices\":%d,\"arcs\":1,\"derived_from\":null,"
		"\"attributes\":null,\"profiles\":[{\"name\":\"default\",%s",
		0, N_LABELS, rule);
	for (size_t i = 1; i < n_profiles; i++)
		at += sprintf(at, ",{\"name\":\"p%zu\",%s", i, rule);
	at += sprintf(at, "]}");
	apsp_tar_header_write("bundle.json", (uint64_t)(at - text), out);
	at += apsp_tar_padding((uint64_t)(at - text));
	at += apsp_tar_header_write("labels", 6 * N_LABELS, at);
	for (int i = 0; i < N_LABELS; i++)
		at += sprintf(at, "%05d", i) + 1;
	return (size_t)(at - out);
}

/* A bundle is refused as soon as it has shown that its profiles need more
   places than the queue has. */
static void test_bundle_queue(void **state)
{
	struct fixture *f = *state;
	char *bytes = calloc(1, 16 * N_LABELS);
	struct http_answer answer = {0};
	int fd = http_connect(f->port);
	size_t n;

	assert_non_null(bytes);
	n = bundle_begin(bytes, FIXTURE_QUEUE + 1);
	dprintf(fd,
		"PUT /v1/graphs/g HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
		" application/x-tar\r\nContent-Length: 5000000\r\n\r\n");
	assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
	/* the daemon looks at the result of a piece when more bytes arrive */
	for (int i = 0; i < 500; i++) {
		if (poll(&(struct pollfd){fd, POLLIN, 0}, 1, 10) != 0)
			break;
		assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), 1);
	}
	shutdown(fd, SHUT_WR);
	free(bytes);
	http_read(fd, &answer);
	close(fd);
	REFUSED(answer, 429, "queue-full", "of these profiles");
	fixture_nothing_stored(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_precondition, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_size, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_continue, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_places, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_pieces, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_late_refusal, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_compared_at_once, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_queue, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_bundle_queue, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
