/*
 * What was uploaded, back over HTTP: arcs as CSV, Matrix Market and NumPy, and
 * attributes as CSV.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/endpoint_fixture.h"

#define ARCS "/v1/graphs/g/arcs"

static const char messy[] = "from,to,weight\n"
			    "\"#1\",\"a,b\",0.1\n"
			    "\"a,b\",\"say \"\"hi\"\"\",3\n"
			    "\"#1\",\"a,b\",2\n"
			    "\"a,b\",\"a,b\",1e-07\n"
			    "\" x \",\"%\",5\n";

static void body_is(struct http_answer answer, const char *type,
	const char *wanted, size_t size)
{
	char found[64];

	assert_int_equal(answer.status, 200);
	assert_true(http_header(&answer, "Content-Type", found, sizeof(found)));
	assert_string_equal(found, type);
	assert_int_equal(answer.body_size, size);
	assert_memory_equal(answer.body, wanted, size);
	http_answer_done(&answer);
}

static void revision_get(struct fixture *f, const char *graph, char out[80])
{
	char target[64];
	struct http_answer answer;

	snprintf(target, sizeof(target), "/v1/graphs/%s", graph);
	answer = fixture_get(f, target);
	snprintf(out, 80, "%s",
		json_string_value(json_object_get(answer.json, "revision")));
	http_answer_done(&answer);
}

/* The CSV is the upload, byte by byte, and makes the same graph again. */
static void test_csv(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char first[80], second[80];

	fixture_graph(f, "/v1/graphs/g?transform=none", messy);
	body_is(fixture_get(f, ARCS), "text/csv; charset=utf-8", messy,
		strlen(messy));
	answer = fixture_send(f, "GET", ARCS, "Accept: text/csv\r\n", NULL);
	fixture_graph(f, "/v1/graphs/h?transform=none", answer.body);
	http_answer_done(&answer);
	revision_get(f, "g", first);
	revision_get(f, "h", second);
	assert_string_equal(first, second);
	REFUSED(fixture_get(f, ARCS "?format=json"), 400, "malformed-request",
		"csv, npy or mtx");
	REFUSED(fixture_get(f, ARCS "?transform=inv"), 400, "malformed-request",
		"transform");
	REFUSED(fixture_get(f, "/v1/graphs/q/arcs"), 404, "unknown-graph",
		"'q'");
}

static void test_numbers(void **state)
{
	static const char mtx[] =
		"%%MatrixMarket matrix coordinate real general\n"
		"% vertex 1 is the first of …/vertices, and so on\n"
		"3 3 3\n1 2 0.5\n2 3 3\n1 2 2\n";
	static const double rows[] = {0, 1, 0.5, 1, 2, 3, 0, 1, 2};
	struct fixture *f = *state;
	struct http_answer answer;
	char tag[120], header[160];

	fixture_graph(
		f, "/v1/graphs/g?transform=none", "a,b,0.5\nb,c,3\na,b,2\n");
	body_is(fixture_get(f, ARCS "?format=mtx"), "text/x-matrix-market", mtx,
		strlen(mtx));
	answer = fixture_get(f, ARCS "?format=npy");
	assert_int_equal(answer.status, 200);
	assert_int_equal(answer.body_size, 128 + sizeof(rows));
	assert_memory_equal(answer.body, "\x93NUMPY\x01", 7);
	assert_non_null(strstr(answer.body + 10, "'shape': (3,3)"));
	assert_memory_equal(answer.body + 128, rows, sizeof(rows));
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(header, sizeof(header), "If-None-Match: %s\r\n", tag);
	answer = fixture_send(f, "GET", ARCS "?format=npy", header, NULL);
	assert_int_equal(answer.status, 304);
	http_answer_done(&answer);
}

/* Several blocks, and an upload that has no tables yet. */
static void test_long(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char *text = malloc(FIXTURE_UPLOAD), *at = text;

	assert_non_null(text);
	at += sprintf(at, "from,to,weight\n");
	for (int i = 0; i < 9000; i++)
		at += sprintf(at, "%d,%d,%d\n", i % 50, (i + 1) % 50, i % 7);
	answer = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=none", CSV, text);
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	body_is(fixture_get(f, ARCS), "text/csv; charset=utf-8", text,
		(size_t)(at - text));
	free(text);
}

static void test_attributes(void **state)
{
	static const char csv[] = "label,\"a, b\",type\nx,,\ny,\"L\"\"\",KC\n";
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/g?transform=none", "x,y,1\n");
	REFUSED(fixture_get(f, "/v1/graphs/g/attributes"), 404, "not-found",
		"have no attributes");
	answer = fixture_send(f, "PUT", "/v1/graphs/g/attributes", NULL,
		"\"a, b\",label,type\n\"L\"\"\",y,KC\nR,z,MB\n");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	body_is(fixture_get(f, "/v1/graphs/g/attributes"),
		"text/csv; charset=utf-8", csv, strlen(csv));
	REFUSED(fixture_send(f, "DELETE", "/v1/graphs/g/attributes",
			"If-Match: \"x\"\r\n", NULL),
		412, "precondition-failed", "");
	answer = fixture_send(
		f, "DELETE", "/v1/graphs/g/attributes", NULL, NULL);
	assert_int_equal(answer.status, 204);
	http_answer_done(&answer);
	REFUSED(fixture_get(f, "/v1/graphs/g/attributes"), 404, "not-found",
		"have no attributes");
	REFUSED(fixture_send(
			f, "DELETE", "/v1/graphs/q/attributes", NULL, NULL),
		404, "unknown-graph", "'q'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_csv, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_numbers, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_long, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_attributes, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
