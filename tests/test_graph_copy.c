/*
 * While a bundle is transferred, apspd-follow prints a line each minute, so
 * that the daemon does not end it. The writer and the daemon of these tests
 * are functions of the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/follow/fetch/graph_copy.h"
#include "daemon/follow/fetch/local.h"

enum { SECOND_MS = 1000, HOUR_S = 3600 };

static int64_t now_ms;
static unsigned int n_sent;

int64_t __wrap_apsp_clock_ms(void);
int __wrap_apsp_writer_bundle(struct apsp_writer *writer, const char *target,
	const char *known, const struct apsp_writer_sink *sink,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_err *err);
int __wrap_apsp_local_begin(const char *method, const char *target,
	uint64_t body_bytes, struct apsp_local_request *out,
	struct apsp_err *err);
bool __wrap_apsp_local_send(
	struct apsp_local_request *request, const char *data, size_t size);
int __wrap_apsp_local_finish(struct apsp_local_request *request,
	struct apsp_local_answer *out, struct apsp_err *err);
int __wrap_apsp_local_ask(const char *method, const char *target,
	struct apsp_local_answer *out, struct apsp_err *err);

int64_t __wrap_apsp_clock_ms(void)
{
	return now_ms;
}

/* A bundle of which one byte arrives each second, for an hour. */
int __wrap_apsp_writer_bundle(struct apsp_writer *writer, const char *target,
	const char *known, const struct apsp_writer_sink *sink,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_err *err)
{
	(void)writer;
	(void)target;
	(void)known;
	(void)err;
	assert_true(sink->begin(sink->ctx, HOUR_S));
	for (int s = 0; s < HOUR_S; s++) {
		now_ms += SECOND_MS;
		assert_true(sink->bytes(sink->ctx, "x", 1));
	}
	strcpy(tag, "\"a\"");
	return 1;
}

int __wrap_apsp_local_begin(const char *method, const char *target,
	uint64_t body_bytes, struct apsp_local_request *out,
	struct apsp_err *err)
{
	(void)method;
	(void)target;
	(void)err;
	assert_int_equal(body_bytes, HOUR_S);
	out->fd = -1;
	return 0;
}

bool __wrap_apsp_local_send(
	struct apsp_local_request *request, const char *data, size_t size)
{
	(void)request;
	(void)data;
	n_sent += size;
	return true;
}

int __wrap_apsp_local_finish(struct apsp_local_request *request,
	struct apsp_local_answer *out, struct apsp_err *err)
{
	(void)request;
	(void)err;
	out->status = 202;
	return 0;
}

/* The daemon has the graph, without profiles. */
int __wrap_apsp_local_ask(const char *method, const char *target,
	struct apsp_local_answer *out, struct apsp_err *err)
{
	(void)method;
	(void)target;
	(void)err;
	out->status = 200;
	out->body = strdup("{\"name\":\"g\",\"stamp\":\"1\",\"revision\":null,"
			   "\"attributes\":[],\"profiles\":[]}");
	assert_non_null(out->body);
	out->body_size = strlen(out->body);
	return 0;
}

static void test_long_transfer(void **state)
{
	struct apsp_listed_graph graph = {.name = "g", .revision = "ab"};
	struct apsp_copied copied = {0};
	struct apsp_err err = {0};
	int old = dup(STDOUT_FILENO), r;
	FILE *printed = tmpfile();
	unsigned int n_lines = 0;
	char line[64];

	(void)state;
	assert_non_null(printed);
	fflush(stdout);
	dup2(fileno(printed), STDOUT_FILENO);
	r = apsp_graph_copy(NULL, &graph, &copied, &err);
	dup2(old, STDOUT_FILENO);
	close(old);
	assert_int_equal(r, 0);
	assert_int_equal(n_sent, HOUR_S);
	rewind(printed);
	for (; fgets(line, sizeof(line), printed); n_lines++)
		assert_string_equal(line, "alive\n");
	assert_int_equal(n_lines, HOUR_S / 60);
	fclose(printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_transfer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
