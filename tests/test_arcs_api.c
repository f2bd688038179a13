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

/* The arcs of a profile: merged, sorted, in pages, with attributes. */
static void test_sorted(void **state)
{
	static const char weights[] =
		"from,to,weight,length,from_type,from_to,to_type,to_to\n"
		"c,a,5,0.2,KC,,PN,L\nb,c,3,0.3333333333333333,,,KC,\n"
		"a,b,2.5,0.4,PN,L,,\nb,a,2.5,0.4,,,PN,L\n";
	static const char second[] =
		"from,to,weight,length,from_type,from_to,to_type,to_to\n"
		"b,c,3,0.3333333333333333,,,KC,\n";
	static const char lengths[] =
		"from,to,weight,length,from_type,from_to,to_type,to_to\n"
		"b,c,3,1,,,KC,\nc,a,5,1,KC,,PN,L\n";
	struct fixture *f = *state;
	struct http_answer answer;
	char link[120];

	fixture_graph(f, "/v1/graphs/g?transform=inv",
		"a,b,0.5\nb,c,3\na,b,2\nb,b,9\nc,a,5\nb,a,2.5\n");
	answer = fixture_send(f, "PUT", "/v1/graphs/g/attributes", CSV,
		"label,type,to\na,PN,L\nc,KC,\n");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	body_is(fixture_get(f, ARCS "?sort=weight"), "text/csv; charset=utf-8",
		weights, strlen(weights));
	answer = fixture_get(f, ARCS "?sort=length&limit=1&cursor=1");
	assert_true(http_header(&answer, "Link", link, sizeof(link)));
	assert_string_equal(
		link, "<?sort=length&limit=1&cursor=2>; rel=\"next\"");
	body_is(answer, "text/csv; charset=utf-8", second, strlen(second));
	answer = fixture_get(f, ARCS "?sort=weight&cursor=4");
	assert_false(http_header(&answer, "Link", link, sizeof(link)));
	body_is(answer, "text/csv; charset=utf-8", weights,
		(size_t)(strchr(weights, '\n') + 1 - weights));
	/* another profile, in the order of the vertices */
	answer = fixture_send(f, "PUT", "/v1/graphs/g/profiles/p", NULL,
		"{\"transform\": \"hops\", \"min_weight\": 3}");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	REFUSED(fixture_get(f, ARCS "?profile=p"), 503, "not-ready", "");
	assert_int_equal(fixture_work_all(f), 1);
	body_is(fixture_get(f, ARCS "?profile=p"), "text/csv; charset=utf-8",
		lengths, strlen(lengths));
	REFUSED(fixture_get(f, ARCS "?limit=2"), 400, "malformed-request",
		"limit requires sort or profile");
	REFUSED(fixture_get(f, ARCS "?sort=weight&format=npy"), 400,
		"malformed-request", "format=csv");
	REFUSED(fixture_get(f, ARCS "?sort=hops"), 400, "malformed-request",
		"expected weight, length or width");
	REFUSED(fixture_get(f, ARCS "?sort=width"), 400, "malformed-request",
		"path=widest");
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
			test_sorted, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_long, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_attributes, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
