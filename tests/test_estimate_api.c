/*
 * Estimates over HTTP, and uploads refused by them. The file FAKE_DEVICES tells
 * fake_solver.sh how large the device is.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statvfs.h>

#include <cmocka.h>

#include "storage/jobs/disk_space.h"
#include "tests/patience.h"
#include "tests/endpoint_fixture.h"

#define PLENTY (UINT64_C(1) << 40)
static atomic_ullong n_free = PLENTY;

/* In place of storage's function: a disk as large as the test says. */
int statvfs(const char *path, struct statvfs *out)
{
	(void)path;
	memset(out, 0, sizeof(*out));
	out->f_frsize = 1;
	out->f_bavail = atomic_load(&n_free);
	return 0;
}

/* So long that their distances are taken for ones of 32 bits. */
static const char small[] = "a,b,4000\nb,c,5000\n";
static const char twice[] = "a,b,4000\nb,c,5000\nc,a,1\n";

static void devices_set(const char *which)
{
	const char *path = getenv("FAKE_DEVICES");
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(which, file);
	fclose(file);
}

/* A daemon that has found its device. */
static struct fixture *start(const char *which)
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

static struct http_answer estimate(
	struct fixture *f, const char *query, const char *body)
{
	char target[256];

	snprintf(target, sizeof(target), "/v1/graphs/g/estimate%s", query);
	return fixture_send(f, "POST", target, NULL, body);
}

static struct http_answer put(
	struct fixture *f, const char *target, const char *csv)
{
	return fixture_send(
		f, "PUT", target, "Content-Type: text/csv\r\n", csv);
}

static const char *text_of(const struct http_answer *answer, const char *name)
{
	return json_string_value(json_object_get(answer->json, name));
}

static bool is_feasible(const struct http_answer *answer, const char *name)
{
	json_t *list = json_object_get(answer->json, "algorithms"), *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "name")),
			    name) == 0)
			return json_is_true(json_object_get(one, "feasible"));
	}
	fail_msg("no estimate of %s", name);
	return false;
}

static void expect_text(
	struct http_answer answer, const char *name, const char *wanted)
{
	assert_int_equal(answer.status, 200);
	assert_string_equal(text_of(&answer, name), wanted);
	http_answer_done(&answer);
}

/* The chosen device in the answers of /v1/info and /v1/devices. */
static json_t *chosen_get(struct fixture *f, bool info)
{
	struct http_answer answer =
		fixture_get(f, info ? "/v1/info" : "/v1/devices");
	json_t *device = json_object_get(answer.json, "device");
	json_t *list = json_object_get(answer.json, "devices");

	assert_int_equal(answer.status, 200);
	if (!info) /* fake_solver.sh lists it last */
		device = json_array_get(list, json_array_size(list) - 1);
	assert_true(json_is_true(json_object_get(device, "chosen")));
	json_incref(device);
	http_answer_done(&answer);
	return device;
}

static bool is_measured(struct fixture *f, bool info)
{
	json_t *device = chosen_get(f, info);
	json_t *rates = json_object_get(device, "rates");
	bool measured = json_is_true(json_object_get(device, "measured"));
	double seconds = -1;

	if (measured) {
		assert_int_equal(
			json_unpack(rates, "{s:{s:{s:{s:F}}}}", "algorithms",
				"multi-source-bits", "u16", "step_s", &seconds),
			0);
		assert_true(seconds == 7);
		assert_int_equal(
			json_object_size(json_object_get(rates, "algorithms")),
			APSP_N_ALGORITHMS + 1);
		assert_true(json_number_value(
				    json_object_get(rates, "pair_s")) == 5);
	} else {
		assert_true(json_is_null(rates));
	}
	json_decref(device);
	return measured;
}

static void test_answer(void **state)
{
	struct fixture *f = start("large");
	struct http_answer answer;
	json_t *first;

	(void)state;
	fixture_graph(f, "/v1/graphs/g", small);
	answer = estimate(f, "", NULL);
	assert_int_equal(answer.status, 200);
	assert_string_equal(text_of(&answer, "graph"), "g");
	assert_string_equal(text_of(&answer, "profile"), "default");
	assert_string_equal(text_of(&answer, "device"), "large");
	assert_string_equal(text_of(&answer, "algorithm"), "multi-source");
	assert_non_null(strstr(text_of(&answer, "explanation"),
		"2 arcs for 3 vertices in i32"));
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "vertices")),
		3);
	assert_true(json_is_false(json_object_get(answer.json, "measured")));
	assert_true(
		json_number_value(json_object_get(answer.json, "seconds")) > 0);
	assert_true(json_integer_value(json_object_get(
			    answer.json, "device_bytes")) > 128 * 128 * 4);
	first = json_array_get(json_object_get(answer.json, "algorithms"), 0);
	assert_int_equal(json_object_size(first), 7);
	assert_true(json_is_true(json_object_get(first, "feasible")));
	assert_true(json_is_null(json_object_get(first, "reason")));
	assert_true(is_feasible(&answer, "closure-warshall"));
	http_answer_done(&answer);
	assert_false(is_measured(f, false));
	assert_false(is_measured(f, true));
	fixture_free(f);
}

/* An idle daemon measures its device, and shows it. */
static void test_measured(void **state)
{
	char path[256], text[APSP_RATES_TEXT_SIZE];
	struct http_answer answer;
	struct apsp_rates rates;
	struct fixture *f;
	json_t *other;
	FILE *file;

	(void)state;
	apsp_rates_default(true, &rates);
	rates.bits[0].step_s = 7;
	rates.pair_s = 5;
	apsp_rates_format(&rates, text);
	snprintf(path, sizeof(path), "%s.rates", getenv("FAKE_DEVICES"));
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	f = start("two");
	for (unsigned int turns = 0;
		!is_measured(f, false) && patience_lasts(&turns);)
		;
	assert_true(is_measured(f, false));
	assert_true(is_measured(f, true));
	answer = fixture_get(f, "/v1/devices");
	other = json_array_get(json_object_get(answer.json, "devices"), 0);
	assert_true(json_is_false(json_object_get(other, "measured")));
	assert_true(json_is_null(json_object_get(other, "rates")));
	http_answer_done(&answer);
	fixture_free(f);
	unlink(path);
	snprintf(path, sizeof(path), "%s.calibrates", getenv("FAKE_DEVICES"));
	unlink(path);
}

static void test_options(void **state)
{
	struct fixture *f = start("large");
	struct http_answer answer;

	(void)state;
	fixture_graph(f, "/v1/graphs/g", small);
	expect_text(estimate(f, "?algorithm=fw", NULL), "algorithm", "fw");
	expect_text(estimate(f, "", "{\"algorithm\": \"reference\"}"),
		"algorithm", "reference");
	/* with a closure's name the algorithm of distances is chosen */
	answer = estimate(f, "?algorithm=closure-squaring", NULL);
	assert_string_equal(text_of(&answer, "closure"), "closure-squaring");
	assert_ptr_equal(strstr(text_of(&answer, "explanation"),
				 "closure-squaring for reachability, as asked "
				 "for; multi-source: "),
		text_of(&answer, "explanation"));
	http_answer_done(&answer);
	answer = estimate(f, "", NULL);
	assert_false(is_feasible(&answer, "bfs-levels"));
	http_answer_done(&answer);
	answer = estimate(f, "", "{\"transform\": \"hops\"}");
	assert_true(is_feasible(&answer, "bfs-levels"));
	assert_non_null(strstr(text_of(&answer, "explanation"), "in u16"));
	assert_true(json_is_null(json_object_get(answer.json, "profile")));
	http_answer_done(&answer);
	REFUSED(estimate(f, "?algorithm=fw", "{\"algorithm\": \"fw\"}"), 400,
		"malformed-request", "in the query and in the body");
	REFUSED(estimate(f, "?algorithm=magic", NULL), 400, "malformed-request",
		"'magic'; expected one of");
	REFUSED(estimate(f, "", "{\"algorithm\": \"magic\"}"), 400,
		"malformed-request", "'magic'");
	REFUSED(estimate(f, "", "{\"transfrom\": \"hops\"}"), 400,
		"malformed-request", "transfrom");
	REFUSED(estimate(f, "?profile=default", "{}"), 400, "malformed-request",
		"one of them");
	REFUSED(estimate(f, "?profiel=default", NULL), 400, "malformed-request",
		"profiel");
	REFUSED(estimate(f, "?profile=p", NULL), 404, "unknown-profile", "'p'");
	REFUSED(fixture_send(f, "POST", "/v1/graphs/h/estimate", NULL, NULL),
		404, "unknown-graph", "'h'");
	fixture_free(f);
}

/* Before anything is uploaded: by counts, and by a rule. */
static void test_new(void **state)
{
	static const char target[] = "/v1/estimate";
	struct fixture *f = start("large");
	struct http_answer answer;

	(void)state;
	answer = fixture_send(f, "POST", target, NULL,
		"{\"vertices\": 3, \"arcs\": 5, \"transform\": \"hops\"}");
	assert_int_equal(answer.status, 200);
	assert_true(is_feasible(&answer, "bfs-levels"));
	assert_string_equal(text_of(&answer, "transform"), "hops");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "vertices")),
		3);
	assert_non_null(strstr(text_of(&answer, "explanation"), "in u16"));
	http_answer_done(&answer);
	answer = fixture_send(f, "POST", target, NULL,
		"{\"vertices\": 3, \"arcs\": 5, \"weights\": \"real\"}");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	answer = fixture_send(f, "POST", target, NULL,
		"{\"vertices\": 1000000, \"arcs\": 5}");
	assert_int_equal(answer.status, 507);
	assert_non_null(json_object_get(answer.json, "estimate"));
	http_answer_done(&answer);
	REFUSED(fixture_send(f, "POST", target, NULL, "{\"arcs\": 5}"), 400,
		"malformed-request", "vertices is missing");
	REFUSED(fixture_send(f, "POST", target, NULL,
			"{\"vertices\": 0, \"arcs\": 5}"),
		400, "malformed-request", "from 1 to 1048576");
	REFUSED(fixture_send(f, "POST", target, NULL,
			"{\"vertices\": 3, \"arcs\": 5, \"weights\": \"x\"}"),
		400, "malformed-request", "whole or real");
	REFUSED(fixture_send(f, "POST", target, NULL,
			"{\"vertices\": 3, \"arcs\": 5, \"vertexes\": 3}"),
		400, "malformed-request", "vertexes");
	fixture_free(f);
}

/* The device is too small for any graph. */
static void test_refusals(void **state)
{
	struct fixture *f = start("tiny");
	struct http_answer answer;
	json_t *inner;

	(void)state;
	answer = put(f, "/v1/graphs/g?transform=none", small);
	inner = json_object_get(answer.json, "estimate");
	assert_true(json_is_null(json_object_get(inner, "algorithm")));
	assert_true(json_is_null(json_object_get(inner, "seconds")));
	assert_true(json_is_null(json_object_get(inner, "closure")));
	assert_true(json_is_array(json_object_get(inner, "algorithms")));
	REFUSED(answer, 507, "device-too-small", "on 'tiny', which has");
	REFUSED(fixture_get(f, "/v1/graphs/g"), 404, "unknown-graph", "");
	/* the host needs no device */
	fixture_graph(f, "/v1/graphs/g?algorithm=reference", small);
	expect_text(estimate(f, "", NULL), "algorithm", "reference");
	answer = estimate(f, "?algorithm=fw", NULL);
	inner = json_object_get(answer.json, "estimate");
	assert_string_equal(
		json_string_value(json_object_get(inner, "graph")), "g");
	REFUSED(answer, 507, "device-too-small", "fw cannot do 3 vertices");
	/* the same upload is not refused again, another rule is */
	fixture_graph(f, "/v1/graphs/g?algorithm=reference", small);
	REFUSED(put(f, "/v1/graphs/g?algorithm=fw", small), 507,
		"device-too-small", "fw cannot do 3 vertices");
	REFUSED(put(f, "/v1/graphs/g?transform=none", twice), 507,
		"device-too-small", "");
	fixture_free(f);
}

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

/* A device with room for a small graph's V in 16 bits, but not in 32. */
static void test_narrow(void **state)
{
	struct fixture *f = start("narrow");
	struct http_answer answer;
	char wide[WIDE_SIZE];

	(void)state;
	fixture_graph(f, "/v1/graphs/g", small);
	answer = estimate(f, "", NULL);
	assert_non_null(strstr(text_of(&answer, "explanation"),
		"2 arcs for 3 vertices in u16, if it turns out to fit; in i32 "
		"there is no room for it"));
	http_answer_done(&answer);
	/* hops fit from the start */
	answer = estimate(f, "", "{\"transform\": \"hops\"}");
	assert_int_equal(answer.status, 200);
	assert_null(strstr(text_of(&answer, "explanation"), "no room"));
	http_answer_done(&answer);
	/* reals take 32 bits; an upload is refused, too */
	REFUSED(estimate(f, "", "{\"transform\": \"inv\"}"), 507,
		"device-too-small", "3 vertices and 2 arcs in i32: it needs");
	REFUSED(put(f, "/v1/graphs/g?transform=inv", small), 507,
		"device-too-small", "3 vertices and 2 arcs in i32");
	REFUSED(put(f, "/v1/graphs/g?transform=none", "a,b,0.5\n"), 507,
		"device-too-small", "2 vertices and 1 arcs in i32");
	/* the inverse of weight 1 is whole */
	fixture_graph(f, "/v1/graphs/g?transform=inv", "a,b\nb,c\n");
	answer = estimate(f, "", NULL);
	assert_non_null(strstr(text_of(&answer, "explanation"),
		" in u16, if it turns out to fit; in f32 there is no room"));
	http_answer_done(&answer);
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
	struct http_answer answer;
	char wide[WIDE_SIZE];

	(void)state;
	wide_make(wide, 2000);
	fixture_graph(f, "/v1/graphs/g", wide);
	atomic_store(&n_free,
		apsp_disk_space_needed(129, 128, APSP_ELEMENT_F32) - 1);
	REFUSED(estimate(f, "", "{\"transform\": \"inv\"}"), 507, "no-space",
		"in the cache, which has room for");
	answer = put(f, "/v1/graphs/h?transform=inv", wide);
	assert_non_null(json_object_get(answer.json, "estimate"));
	REFUSED(answer, 507, "no-space", "the tables need at least ");
	answer = fixture_send(f, "PUT", "/v1/graphs/g/profiles/p", NULL,
		"{\"transform\": \"inv\"}");
	assert_non_null(json_object_get(answer.json, "estimate"));
	REFUSED(answer, 507, "no-space", "the tables need at least ");
	answer = estimate(f, "", NULL);
	assert_non_null(strstr(text_of(&answer, "explanation"),
		" in u16, if it turns out to fit; in i32 there is no room"));
	http_answer_done(&answer);
	fixture_graph(f, "/v1/graphs/h", wide);
	atomic_store(&n_free, PLENTY);
	fixture_free(f);
}

/* Profiles are refused just as uploads are. */
/* What a job has reserved is there for the very tables that it makes. */
static void test_own_room(void **state)
{
	struct fixture *f = start("large");
	struct http_answer answer;
	char path[sizeof(f->cache_dir) + 32];
	int fd = -1;

	(void)state;
	atomic_store(&n_free, PLENTY);
	answer = put(f, "/v1/graphs/g?transform=inv", small);
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
	answer = estimate(f, "", "{\"transform\": \"inv\"}");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	/* other tables have no room */
	answer = estimate(f, "", "{\"transform\": \"hops\"}");
	assert_int_equal(answer.status, 507);
	http_answer_done(&answer);
	atomic_store(&n_free, PLENTY);
	fixture_free(f);
}

static void test_profiles(void **state)
{
	static const char target[] = "/v1/graphs/g/profiles/p";
	struct fixture *f = start("narrow");
	struct http_answer answer;
	char wide[WIDE_SIZE];

	(void)state;
	wide_make(wide, 1);
	fixture_graph(f, "/v1/graphs/g?algorithm=reference", wide);
	answer = fixture_send(f, "PUT", target, NULL, "{}");
	assert_non_null(json_object_get(answer.json, "estimate"));
	REFUSED(answer, 507, "device-too-small", "; algorithm=reference can");
	/* the disk has no room for the tables that the host would make */
	atomic_store(&n_free, 1000);
	answer = fixture_send(f, "PUT", target, NULL, "{}");
	assert_null(strstr(text_of(&answer, "detail"), "reference"));
	REFUSED(answer, 507, "device-too-small", "on 'narrow', which has");
	atomic_store(&n_free, PLENTY);
	REFUSED(fixture_get(f, target), 404, "unknown-profile", "'p'");
	answer = fixture_send(f, "PUT", target, NULL,
		"{\"transform\": \"inv\", \"algorithm\": \"reference\"}");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	fixture_free(f);
}

/* One synapse a line: arcs that are merged take no room. */
static void test_merged(void **state)
{
	enum {
		LINES = 4000,
	};
	static char lines[LINES * 6 + 1];
	struct fixture *f = start("narrow");
	struct http_answer answer;

	(void)state;
	for (int i = 0; i < LINES; i++)
		memcpy(lines + (size_t)i * 6, "a,b,1\n", 6);
	fixture_graph(f, "/v1/graphs/g", lines);
	answer = estimate(f, "", NULL);
	assert_int_equal(answer.status, 200);
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "arcs")),
		LINES);
	assert_non_null(strstr(
		text_of(&answer, "explanation"), "; 4 arcs for 2 vertices"));
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

/* Without a device uploads are taken, and there is no estimate. */
static void test_no_device(void **state)
{
	struct fixture *f;

	(void)state;
	devices_set("error");
	f = fixture_new();
	fixture_graph(f, "/v1/graphs/g", small);
	for (unsigned int turns = 0; patience_lasts(&turns);) {
		struct http_answer answer = estimate(f, "", NULL);
		int status = answer.status;

		http_answer_done(&answer);
		if (status != 503)
			break;
	}
	REFUSED(estimate(f, "", NULL), 500, "device-failed", "nothing here");
	/* but there is one for an algorithm that needs no device */
	expect_text(
		estimate(f, "?algorithm=reference", NULL), "device", "host");
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_new),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_disk),
		cmocka_unit_test(test_own_room),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_cache_dir),
		cmocka_unit_test(test_no_device),
	};
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
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return r;
}
