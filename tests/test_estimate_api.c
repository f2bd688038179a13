/*
 * Estimates over HTTP: what they tell, and of which devices, rules and
 * algorithms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/estimate_fixture.h"

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
			4); /* those that compete, and bits */
		assert_true(json_number_value(
				    json_object_get(rates, "pair_s")) == 5);
	} else {
		assert_true(json_is_null(rates));
	}
	json_decref(device);
	return measured;
}

/* How many things no seconds count, and the first one. */
static void expect_not_counted(
	const struct http_answer *answer, size_t n, const char *first)
{
	json_t *list = json_object_get(answer->json, "not_counted");

	assert_int_equal(json_array_size(list), n);
	assert_string_equal(json_string_value(json_array_get(list, 0)), first);
}

static const char twice[] = "a,b,4000\nb,c,5000\nc,a,1\n";

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
	expect_not_counted(&answer, 3, "compiling");
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
	rates.rows[APSP_RATE_BITS][0].step_s = 7;
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
		"{\"vertices\": 3.0, \"arcs\": 5, \"weights\": \"real\"}");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	answer = fixture_send(f, "POST", target, NULL,
		"{\"vertices\": 1000000, \"arcs\": 5}");
	assert_int_equal(answer.status, 200);
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "algorithm")),
		"rows");
	http_answer_done(&answer);
	answer = fixture_send(f, "POST", target, NULL,
		"{\"vertices\": 1000000, \"arcs\": 5,"
		" \"tables\": \"distance\"}");
	assert_int_equal(answer.status, 507);
	assert_non_null(json_object_get(answer.json, "estimate"));
	http_answer_done(&answer);
	REFUSED(fixture_send(f, "POST", target, NULL, "{\"arcs\": 5}"), 400,
		"malformed-request", "vertices is missing");
	REFUSED(fixture_send(f, "POST", target, NULL,
			"{\"vertices\": 0, \"arcs\": 5}"),
		400, "malformed-request", "from 1 to 33554432");
	REFUSED(fixture_send(f, "POST", target, NULL,
			"{\"vertices\": 3, \"arcs\": 5.5}"),
		400, "malformed-request", "arcs is a number; expected an i");
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

/* Estimated seconds of multi-source. */
static double pushes_s(struct fixture *f, const char *target)
{
	struct http_answer answer = fixture_send(f, "POST", target, NULL, NULL);
	json_t *list, *one;
	double seconds = 0;
	size_t i;

	assert_int_equal(answer.status, 200);
	list = json_object_get(answer.json, "algorithms");
	json_array_foreach(list, i, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "name")),
			    "multi-source") == 0)
			seconds = json_number_value(
				json_object_get(one, "seconds"));
	}
	http_answer_done(&answer);
	return seconds;
}

/* As many arcs for as many vertices: once the same from each, once from few. */
static void test_hubs(void **state)
{
	enum {
		N = 200,
		DEGREE = 10,
	};
	struct fixture *f = start("large");
	double even_s, hubs_s;

	(void)state;
	for (int hubs = 0; hubs < 2; hubs++) {
		char *text = NULL;
		size_t size;
		FILE *csv = open_memstream(&text, &size);

		for (int v = 0; v < N; v++)
			for (int e = 1; e <= DEGREE; e++)
				fprintf(csv, "%d,%d,9\n", hubs ? N + e : v,
					hubs ? v : (v + e) % N);
		/* the same number of vertices */
		for (int e = 1; e <= DEGREE; e++)
			fprintf(csv, "%d,%d,9\n", N + e, N + e);
		fclose(csv);
		fixture_graph(f, hubs ? "/v1/graphs/h" : "/v1/graphs/g", text);
		free(text);
	}
	even_s = pushes_s(f, "/v1/graphs/g/estimate");
	hubs_s = pushes_s(f, "/v1/graphs/h/estimate");
	assert_true(hubs_s > 0 && hubs_s < even_s);
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

static int run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_new),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_hubs),
		cmocka_unit_test(test_no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return run_with_devices(run);
}
