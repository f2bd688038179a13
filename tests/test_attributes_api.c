/*
 * Attributes over HTTP: sending them, choosing vertices by them, and that they
 * stay with the graph.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/endpoint_fixture.h"

#define ATTRIBUTES "/v1/graphs/g/attributes"
#define VERTICES "/v1/graphs/g/vertices"

static const char arcs[] = "a,b,1\nb,c,1\nc,d,1\nd,e,1\n";
static const char types[] = "id,type,side\n"
			    "a,KC,L\nb,KC,R\nc,sens,L\nd,sens,\nz,KC,L\n";

static void put(struct fixture *f, const char *text)
{
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, "Content-Type: text/csv\r\n",
		       text),
		200,
		"{\"graph\": \"g\", \"columns\": [{\"name\": \"type\","
		" \"values\": 2}, {\"name\": \"side\", \"values\": 2}],"
		" \"matched\": 4, \"unknown\": 1}");
}

static void listed(struct fixture *f, const char *target, const char *wanted)
{
	struct http_answer answer = fixture_get(f, target);
	char *found;

	assert_int_equal(answer.status, 200);
	found = json_dumps(
		json_object_get(answer.json, "vertices"), JSON_COMPACT);
	assert_string_equal(found, wanted);
	free(found);
	http_answer_done(&answer);
}

static void test_match(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	REFUSED(fixture_get(f, VERTICES "?match=type:KC"), 400,
		"malformed-request", "have no attributes");
	put(f, types);
	listed(f, VERTICES "?match=type:KC", "[\"a\",\"b\"]");
	listed(f, VERTICES "?match=type:KC&match=side:L", "[\"a\"]");
	listed(f, VERTICES "?match=side:L&match=side:R", "[\"a\",\"b\",\"c\"]");
	listed(f, VERTICES "?match=side:", "[\"d\",\"e\"]");
	listed(f, VERTICES "?match=side:L&match=side:&match=type:sens",
		"[\"c\",\"d\"]");
	listed(f, VERTICES "?match=type:KC&q=B", "[\"b\"]");
	EXPECT(fixture_get(f, VERTICES "?match=side:L&limit=1"), 200,
		"{\"revision\": \"*\", \"count\": 1, \"next\": \"2\","
		" \"vertices\": [\"a\"]}");
	EXPECT(fixture_get(f, VERTICES "?match=side:L&limit=1&cursor=2"), 200,
		"{\"revision\": \"*\", \"count\": 1, \"next\": null,"
		" \"vertices\": [\"c\"]}");
	EXPECT(fixture_get(f, VERTICES "/b/reachable?match=type:sens"), 200,
		"{\"count\": 2, \"vertices\": [\"c\", \"d\"],"
		" \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "?match=type:sen"), 400,
		"{\"detail\": \"no vertex has the type 'sen'\","
		" \"suggestions\": [\"sens\"], \"...\": \"*\"}");
	REFUSED(fixture_get(f, VERTICES "?match=kind:KC"), 400,
		"malformed-request",
		"no attribute 'kind', expected one of: type, side");
	REFUSED(fixture_get(f, VERTICES "?match=KC"), 400, "malformed-request",
		"expected name:value");
	REFUSED(fixture_get(f, VERTICES "?q=a&q=b"), 400, "malformed-request",
		"'q' twice");
}

/* An answer that was chosen by attributes is another one once they change. */
static void test_etag(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char plain[80], before[80], after[80], header[120];

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	put(f, types);
	answer = fixture_get(f, VERTICES "/a/reachable");
	assert_true(http_header(&answer, "ETag", plain, sizeof(plain)));
	http_answer_done(&answer);
	answer = fixture_get(f, VERTICES "/a/reachable?match=type:KC");
	assert_true(http_header(&answer, "ETag", before, sizeof(before)));
	http_answer_done(&answer);
	assert_string_not_equal(plain, before);
	snprintf(header, sizeof(header), "If-None-Match: %s\r\n", before);
	answer = fixture_send(
		f, "GET", VERTICES "/a/reachable?match=type:KC", header, NULL);
	assert_int_equal(answer.status, 304);
	http_answer_done(&answer);
	put(f, types);
	answer = fixture_send(
		f, "GET", VERTICES "/a/reachable?match=type:KC", header, NULL);
	assert_int_equal(answer.status, 200);
	assert_true(http_header(&answer, "ETag", after, sizeof(after)));
	http_answer_done(&answer);
	assert_string_not_equal(before, after);
}

/* Attributes outlive uploads, by label, and restarts. */
static void test_stay(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	put(f, types);
	fixture_graph(f, "/v1/graphs/g?transform=none", "z,c,2\nc,a,1\n");
	listed(f, VERTICES "?match=type:KC", "[\"z\",\"a\"]");
	fixture_restart(f);
	listed(f, VERTICES "?match=type:KC&match=side:L", "[\"z\",\"a\"]");
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, NULL, "label\tage\na\t3\n"),
		200,
		"{\"graph\": \"g\", \"columns\": [{\"name\": \"age\","
		" \"values\": 1}], \"matched\": 1, \"unknown\": 0}");
	listed(f, VERTICES "?match=age:3", "[\"a\"]");
	REFUSED(fixture_get(f, VERTICES "?match=type:KC"), 400,
		"malformed-request", "no attribute 'type'");
}

static void test_refusals(void **state)
{
	struct fixture *f = *state;

	REFUSED(fixture_send(f, "PUT", ATTRIBUTES, "Content-Type: text/csv\r\n",
			types),
		404, "unknown-graph", "'g'");
	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	REFUSED(fixture_send(f, "PUT", ATTRIBUTES,
			"Content-Type: application/json\r\n", "{}"),
		415, "unsupported-media-type", "text/csv");
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, NULL, "id,type\na,1\na,2\n"),
		422, "{\"line\": 3, \"column\": 1, \"...\": \"*\"}");
	REFUSED(fixture_send(f, "PUT", ATTRIBUTES,
			"Content-Type: text/csv\r\nIf-Match: \"x\"\r\n", types),
		412, "precondition-failed", "");
	REFUSED(fixture_send(
			f, "PUT", ATTRIBUTES "?transform=inv", NULL, types),
		400, "malformed-request", "transform");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_match, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_etag, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_stay, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_refusals, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
