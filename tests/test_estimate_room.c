/*
 * Uploads, profiles and estimates where memory or disk have no room for the
 * tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "daemon/job/job_files.h"
#include "tests/estimate_fixture.h"

/* PUT of a graph that may be there, and may have another rule. */
#define REPLACE "/v1/graphs/g?default_rule=replace&"

enum {
	WIDE_SIZE = 2048,
};

/* A path of 129 vertices. */
static void wide_make(char out[WIDE_SIZE], int weight)
{
	size_t used = 0;

	for (int v = 0; v < 128; v++)
		used += (size_t)snprintf(out + used, WIDE_SIZE - used,
			"%d,%d,%d\n", v, v + 1, weight);
}

/* The explanation of the default profile's estimate has this part. */
static void explained(struct fixture *f, const char *part)
{
	struct http_answer answer = estimate(f, "", NULL);

	assert_non_null(strstr(text_of(&answer, "explanation"), part));
	http_answer_done(&answer);
}

static struct http_answer profile_put(struct fixture *f, const char *body)
{
	return fixture_send(f, "PUT", "/v1/graphs/g/profiles/p", NULL, body);
}

/* Refused for want of room; what the tables would take is told. */
#define NO_ROOM(answer, type, part) no_room((answer), (type), (part), __LINE__)
static void no_room(
	struct http_answer answer, const char *type, const char *part, int line)
{
	assert_non_null(json_object_get(answer.json, "estimate"));
	fixture_refused(answer, 507, type, part, line);
}

/* A device with room for a small graph's V in 16 bits, but not in 32. */
static void test_narrow(void **state)
{
	struct fixture *f = start("narrow");
	struct http_answer answer;
	char wide[WIDE_SIZE];

	(void)state;
	fixture_graph(f, "/v1/graphs/g", small);
	explained(f,
		"2 arcs for 3 vertices in u16, if it turns out to fit; in i32 "
		"there is no room for it");
	/* hops fit from the start */
	answer = estimate(f, "", "{\"transform\": \"hops\"}");
	assert_int_equal(answer.status, 200);
	assert_null(strstr(text_of(&answer, "explanation"), "no room"));
	http_answer_done(&answer);
	/* reals take 32 bits; an upload is refused, too */
	REFUSED(estimate(f, "", "{\"transform\": \"inv\"}"), 507,
		"device-too-small", "3 vertices and 2 arcs in i32: it needs");
	REFUSED(put(f, REPLACE "transform=inv", small), 507, "device-too-small",
		"3 vertices and 2 arcs in i32");
	REFUSED(put(f, REPLACE "transform=none", "a,b,0.5\n"), 507,
		"device-too-small", "2 vertices and 1 arcs in i32");
	/* the inverse of weight 1 is whole */
	fixture_graph(f, "/v1/graphs/g?transform=inv", "a,b\nb,c\n");
	explained(
		f, " in u16, if it turns out to fit; in f32 there is no room");
	/* a matrix of two tiles a side fits in no width */
	wide_make(wide, 1);
	REFUSED(put(f, "/v1/graphs/h?transform=none", wide), 507,
		"device-too-small",
		"129 vertices and 128 arcs in u16: it needs");
	fixture_free(f);
}

/* Estimate and upload judge the disk alike, by the narrowest tables. */
static void test_disk(void **state)
{
	struct fixture *f = start("large");
	char wide[WIDE_SIZE];

	(void)state;
	wide_make(wide, 2000);
	fixture_graph(f, "/v1/graphs/g?tables=all", wide);
	atomic_store(&n_free, apsp_job_files_bytes(129, 128, APSP_ELEMENT_F32,
				      APSP_ELEMENT_NONE, APSP_TABLES_ALL) -
				      1);
	REFUSED(estimate(
			f, "", "{\"transform\": \"inv\", \"tables\": \"all\"}"),
		507, "no-space", "in the cache, which has room for");
	NO_ROOM(put(f, "/v1/graphs/h?transform=inv&tables=all", wide),
		"no-space", "the tables need at least ");
	NO_ROOM(profile_put(f, "{\"transform\": \"inv\", \"tables\": \"all\"}"),
		"no-space", "the tables need at least ");
	explained(
		f, " in u16, if it turns out to fit; in i32 there is no room");
	fixture_graph(f, "/v1/graphs/h", wide);
	atomic_store(&n_free, PLENTY);
	fixture_free(f);
}

/* What a job has reserved is there for the very tables that it makes. */
static void test_own_room(void **state)
{
	struct fixture *f = start("large");
	struct http_answer answer;
	char path[sizeof(f->cache_dir) + 32];
	int fd = -1;

	(void)state;
	atomic_store(&n_free, PLENTY);
	answer = put(f, REPLACE "transform=inv&tables=all", small);
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	atomic_store(&f->worker_takes, true);
	apsp_worker_wake(f->worker);
	snprintf(path, sizeof(path), "%s/jobs/1/tables", f->cache_dir);
	for (unsigned int turns = 0; fd < 0 && patience_lasts(&turns);)
		fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	/* the job takes all that was free */
	assert_int_equal(posix_fallocate(fd, 0, 4 << 20), 0);
	close(fd);
	atomic_store(&n_free, 100);
	answer = estimate(f, "", NULL);
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	answer = estimate(
		f, "", "{\"transform\": \"inv\", \"tables\": \"all\"}");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	/* other tables have no room */
	answer = estimate(f, "", "{\"transform\": \"hops\"}");
	assert_int_equal(answer.status, 507);
	http_answer_done(&answer);
	atomic_store(&n_free, PLENTY);
	fixture_free(f);
}

/* Profiles are refused just as uploads are. */
static void test_profiles(void **state)
{
	struct fixture *f = start("narrow");
	struct http_answer answer;
	char wide[WIDE_SIZE];

	(void)state;
	wide_make(wide, 1);
	fixture_graph(f, "/v1/graphs/g?algorithm=reference", wide);
	NO_ROOM(profile_put(f, "{}"), "device-too-small",
		"; algorithm=reference can");
	/* the disk has no room for the tables that the host would make */
	atomic_store(&n_free, 1000);
	answer = profile_put(f, "{}");
	assert_null(strstr(text_of(&answer, "detail"), "reference"));
	REFUSED(answer, 507, "device-too-small", "on 'narrow', which has");
	atomic_store(&n_free, PLENTY);
	REFUSED(fixture_get(f, "/v1/graphs/g/profiles/p"), 404,
		"unknown-profile", "'p'");
	answer = profile_put(
		f, "{\"transform\": \"inv\", \"algorithm\": \"reference\"}");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	fixture_free(f);
}

/* Tables need a directory that can be written. */
static void test_cache_dir(void **state)
{
	struct fixture *f = start("large");
	char away[sizeof(f->cache_dir) + 8];
	struct http_answer answer;

	(void)state;
	snprintf(away, sizeof(away), "%s.away", f->cache_dir);
	answer = fixture_get(f, "/readyz");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	assert_int_equal(rename(f->cache_dir, away), 0);
	REFUSED(fixture_get(f, "/readyz"), 503, "not-ready",
		"the cache directory cannot be used: write to ");
	assert_int_equal(rename(away, f->cache_dir), 0);
	fixture_free(f);
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_disk),
		cmocka_unit_test(test_own_room),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_cache_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return run_with_devices(run);
}
