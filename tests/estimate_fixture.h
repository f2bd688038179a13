/*
 * A daemon for the tests of estimates, on a machine as the test says: the file
 * FAKE_DEVICES tells fake_solver.sh how large the device is.
 */
#ifndef APSP_TESTS_ESTIMATE_FIXTURE_H
#define APSP_TESTS_ESTIMATE_FIXTURE_H

#include "tests/disk_fixture.h"
#include "tests/endpoint_fixture.h"
#include "tests/patience.h"

/* So long that their distances are taken for ones of 32 bits. */
static const char small[] = "a,b,4000\nb,c,5000\n";

static inline void devices_set(const char *which)
{
	const char *path = getenv("FAKE_DEVICES");
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(which, file);
	fclose(file);
}

/* A daemon that has found its device. */
static inline struct fixture *start(const char *which)
{
	struct fixture *f;
	int status = 0;

	devices_set(which);
	f = fixture_new();
	for (unsigned int turns = 0; status != 200 && patience_lasts(&turns);) {
		struct http_answer answer = fixture_get(f, "/v1/devices");

		status = answer.status;
		http_answer_done(&answer);
	}
	assert_int_equal(status, 200);
	return f;
}

static inline struct http_answer estimate(
	struct fixture *f, const char *query, const char *body)
{
	char target[256];

	snprintf(target, sizeof(target), "/v1/graphs/g/estimate%s", query);
	return fixture_send(f, "POST", target, NULL, body);
}

static inline struct http_answer put(
	struct fixture *f, const char *target, const char *csv)
{
	return fixture_send(f, "PUT", target, CSV, csv);
}

static inline const char *text_of(
	const struct http_answer *answer, const char *name)
{
	return json_string_value(json_object_get(answer->json, name));
}

static inline void expect_text(
	struct http_answer answer, const char *name, const char *wanted)
{
	assert_int_equal(answer.status, 200);
	assert_string_equal(text_of(&answer, name), wanted);
	http_answer_done(&answer);
}

/* Run the tests with a file FAKE_DEVICES. */
static inline int run_with_devices(int (*run)(void))
{
	const char *tmp = getenv("TMPDIR");
	char path[256];
	int fd, r;

	snprintf(path, sizeof(path), "%s/apsp-devices-XXXXXX",
		tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	setenv("FAKE_DEVICES", path, 1);
	r = run();
	unlink(path);
	return r;
}

#endif
