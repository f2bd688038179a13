/*
 * Reads over HTTP: one path, reachability, vertices; and their answers before
 * there are tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/endpoint_fixture.h"

/* x has only a self-loop; the last label needs every escape. */
static const char arcs[] = "a,b,4\nb,c,5\na,c,20\nc,d,1\nx,x,3\n"
			   "720575940621039145,a,0.5\n"
			   "c,\"caf\xc3\xa9 /?%\",2\n";

static void test_path(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/g", arcs);
	answer = fixture_get(f, "/v1/graphs/g/path?from=a&to=d");
	/* integers are printed without a point */
	assert_non_null(strstr(answer.body, "\"distance\":10,"));
	EXPECT(answer, 200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"from\": \"a\", \"to\": \"d\", \"kind\": \"path\", "
		"\"reachable\": true,"
		" \"distance\": 10, \"hops\": 3, \"weight\": 10,"
		" \"path\": [\"a\", \"b\", \"c\", \"d\"],"
		" \"arcs\": [{\"weight\": 4, \"length\": 4},"
		"            {\"weight\": 5, \"length\": 5},"
		"            {\"weight\": 1, \"length\": 1}]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=x&to=x"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"from\": \"x\", \"to\": \"x\", \"kind\": \"path\", "
		"\"reachable\": true,"
		" \"distance\": 0, \"hops\": 0, \"weight\": 0, \"path\": "
		"[\"x\"],"
		" \"arcs\": []}");
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=d&to=a"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"from\": \"d\", \"to\": \"a\", \"kind\": \"path\", "
		"\"reachable\": false,"
		" \"distance\": null, \"hops\": null, \"weight\": null, "
		"\"path\": null,"
		" \"arcs\": null}");
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=720575940621039145&to="
			      "caf%C3%A9+%2F%3F%25"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"from\": \"720575940621039145\","
		" \"to\": \"caf\xc3\xa9 /?%\", \"kind\": \"path\", "
		"\"reachable\": true,"
		" \"distance\": 11.5, \"hops\": 4, \"weight\": 11.5,"
		" \"path\": [\"720575940621039145\", \"a\", \"b\", \"c\","
		"            \"caf\xc3\xa9 /?%\"],"
		" \"arcs\": [{\"weight\": 0.5, \"length\": 0.5},"
		"            {\"weight\": 4, \"length\": 4},"
		"            {\"weight\": 5, \"length\": 5},"
		"            {\"weight\": 2, \"length\": 2}]}");
}

static void test_path_refused(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/g", "neuron1,neuron2,4\nb,c,5\n");
	answer = fixture_get(f, "/v1/graphs/g/path?from=neuron3&to=b");
	assert_string_equal(
		json_string_value(json_array_get(
			json_object_get(answer.json, "suggestions"), 0)),
		"neuron1");
	REFUSED(answer, 404, "unknown-vertex", "'neuron3' is not in graph 'g'");
	REFUSED(fixture_get(f, "/v1/graphs/g/path?from=b"), 400,
		"malformed-request", "'to' is missing");
	REFUSED(fixture_get(f, "/v1/graphs/g/reachable?to=b"), 400,
		"malformed-request", "'from' is missing");
	REFUSED(fixture_get(f, "/v1/graphs/g/path?from=b&to=c&form=x"), 400,
		"malformed-request", "form");
	REFUSED(fixture_get(f, "/v1/graphs/g/path?from=b&to=c&min_weight=5"),
		400, "malformed-request",
		"'min_weight', which is no option here, but one of a profile, "
		"in the body of PUT …/profiles/NAME; expected from, to, ");
	REFUSED(fixture_get(f, "/v1/graphs/h/path?from=b&to=c"), 404,
		"unknown-graph", "'h'");
	REFUSED(fixture_get(f, "/v1/graphs/g/path?from=b&to=c&profile=p"), 404,
		"unknown-profile", "'p'");
}

/* A tag names tables and encoding, so another rule has another tag. */
static void test_etag(void **state)
{
	static const char target[] = "/v1/graphs/g/path?from=a&to=c";
	struct fixture *f = *state;
	struct http_answer answer;
	char tag[100], other[100], header[140];

	fixture_graph(f, "/v1/graphs/g", arcs);
	answer = fixture_get(f, target);
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(header, sizeof(header), "If-None-Match: %s\r\n", tag);
	answer = fixture_send(f, "GET", target, header, NULL);
	assert_int_equal(answer.status, 304);
	assert_int_equal(answer.body_size, 0);
	http_answer_done(&answer);

	answer = fixture_send(
		f, "GET", target, "Accept: application/x-ndjson\r\n", NULL);
	assert_true(http_header(&answer, "ETag", other, sizeof(other)));
	assert_string_not_equal(tag, other);
	http_answer_done(&answer);

	fixture_graph(f, "/v1/graphs/g?transform=hops", arcs);
	answer = fixture_send(f, "GET", target, header, NULL);
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "distance")),
		1);
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
}

static void test_not_ready(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char seconds[8];

	answer = fixture_send(f, "PUT",
		"/v1/graphs/g?format=csv&transform=none&"
		"default_rule=replace",
		NULL, "a,b,1\nb,a,-2\n");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	answer = fixture_get(f, "/v1/graphs/g/path?from=a&to=b");
	assert_true(
		http_header(&answer, "Retry-After", seconds, sizeof(seconds)));
	/* the job to wait for has the id that the upload told */
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "job")), "1");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "job_url")),
		"/v1/jobs/1");
	REFUSED(answer, 503, "not-ready",
		"the tables of 'g' with the profile 'default' are not ready "
		"yet: they wait for job 1");
	/* labels need no tables */
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices"), 200,
		"{\"revision\": \"*\", \"count\": 2, \"next\": null,"
		" \"vertices\": [\"a\", \"b\"]}");

	assert_int_equal(fixture_work_all(f), 1);
	answer = fixture_get(f, "/v1/graphs/g/reachable?from=a&to=b");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "job")), "1");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "job_url")),
		"/v1/jobs/1");
	REFUSED(answer, 409, "tables-failed", "");
}

static void test_reachable(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", arcs);
	EXPECT(fixture_get(f, "/v1/graphs/g/reachable?from=a&to=d"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", \"transform\":"
		" \"none\","
		" \"from\": \"a\", \"to\": \"d\", \"reachable\": true}");
	EXPECT(fixture_get(f, "/v1/graphs/g/reachable?from=d&to=a"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", \"transform\":"
		" \"none\","
		" \"from\": \"d\", \"to\": \"a\", \"reachable\": false}");
	EXPECT(fixture_get(f, "/v1/graphs/g/reachable?from=d&to=d"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", \"transform\":"
		" \"none\","
		" \"from\": \"d\", \"to\": \"d\", \"reachable\": true}");
}

static void test_reach_set(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", arcs);
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/b/reachable"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"vertex\": \"b\", \"direction\": \"out\","
		" \"on_cycle\": false, \"count\": 4,"
		" \"vertices\": [\"b\", \"c\", \"d\","
		"                \"caf\xc3\xa9 /?%\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/b/reachable?direction=in"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"vertex\": \"b\", \"direction\": \"in\","
		" \"on_cycle\": false, \"count\": 3,"
		" \"vertices\": [\"a\", \"b\", \"720575940621039145\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/x/reachable"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"vertex\": \"x\", \"direction\": \"out\","
		" \"on_cycle\": true, \"count\": 1, \"vertices\": [\"x\"]}");
}

static void test_reach_bounds(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", arcs);
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/b/reachable?"
			      "max_distance=6.5&max_hops=2"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"vertex\": \"b\", \"direction\": \"out\","
		" \"on_cycle\": false, \"count\": 3,"
		" \"vertices\": [\"b\", \"c\", \"d\"],"
		" \"steps\": [0, 1, 2]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/b/reachable?max_hops=1"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"vertex\": \"b\", \"direction\": \"out\","
		" \"on_cycle\": false, \"count\": 2,"
		" \"vertices\": [\"b\", \"c\"], \"steps\": [0, 1]}");
	/* arcs walked, not those of the shortest path */
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/a/reachable?max_hops=1"),
		200,
		"{\"count\": 3, \"vertices\": [\"a\", \"b\", \"c\"],"
		" \"steps\": [0, 1, 1], \"...\": 0}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/a/reachable?max_hops=1&"
			      "values=hops"),
		200, "{\"steps\": [0, 1, 1], \"hops\": [0, 1, 2], \"...\": 0}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/c/reachable?"
			      "max_hops=1&direction=in"),
		200,
		"{\"count\": 3, \"vertices\": [\"a\", \"b\", \"c\"], \"...\": "
		"0}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/a/reachable?"
			      "max_hops=1&max_distance=4.5"),
		200,
		"{\"count\": 2, \"vertices\": [\"a\", \"b\"], \"...\": 0}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices/"
			      "caf%C3%A9%20%2F%3F%25/reachable?max_hops=0"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"vertex\": \"caf\xc3\xa9 /?%\", \"direction\": \"out\","
		" \"on_cycle\": false, \"count\": 1,"
		" \"vertices\": [\"caf\xc3\xa9 /?%\"], \"steps\": [0]}");
}

static void body_is(struct http_answer answer, const char *wanted)
{
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.body, wanted);
	http_answer_done(&answer);
}

/* Arcs walked stand beside those of the shortest path, in each format. */
static void test_reach_steps(void **state)
{
	static const char target[] =
		"/v1/graphs/g/vertices/%s/reachable?max_hops=%s&format=%s";
	struct fixture *f = *state;
	char text[200];

	fixture_graph(f, "/v1/graphs/g", arcs);
	snprintf(text, sizeof(text), target, "a", "1", "csv");
	body_is(fixture_get(f, text), "vertex,steps\na,0\nb,1\nc,1\n");
	snprintf(text, sizeof(text), target, "a", "1&values=hops", "csv");
	body_is(fixture_get(f, text),
		"vertex,steps,hops\na,0,0\nb,1,1\nc,1,2\n");
	snprintf(text, sizeof(text), target, "a", "1&values=hops", "ndjson");
	body_is(fixture_get(f, text),
		"{\"vertex\":\"a\",\"steps\":0,\"hops\":0}\n"
		"{\"vertex\":\"b\",\"steps\":1,\"hops\":1}\n"
		"{\"vertex\":\"c\",\"steps\":1,\"hops\":2}\n");
	snprintf(text, sizeof(text), target, "d", "9&direction=in", "ndjson");
	body_is(fixture_get(f, text),
		"{\"vertex\":\"a\",\"steps\":2}\n"
		"{\"vertex\":\"b\",\"steps\":2}\n"
		"{\"vertex\":\"c\",\"steps\":1}\n"
		"{\"vertex\":\"d\",\"steps\":0}\n"
		"{\"vertex\":\"720575940621039145\",\"steps\":3}\n");
	snprintf(text, sizeof(text), target, "a", "9&max_distance=9", "csv");
	body_is(fixture_get(f, text), "vertex,steps\na,0\nb,1\nc,1\n");
	/* without the bound no arc is walked */
	body_is(fixture_get(f, "/v1/graphs/g/vertices/c/reachable?format=csv"),
		"vertex\nc\nd\ncaf\xc3\xa9 /?%\n");
}

static void test_reach_refused(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", arcs);
	REFUSED(fixture_get(f, "/v1/graphs/g/vertices/q/reachable"), 404,
		"unknown-vertex", "'q'");
	REFUSED(fixture_get(
			f, "/v1/graphs/g/vertices/b/reachable?direction=up"),
		400, "malformed-request", "out or in");
	REFUSED(fixture_get(
			f, "/v1/graphs/g/vertices/b/reachable?max_distance=1x"),
		400, "malformed-request", "max_distance");
	REFUSED(fixture_get(f, "/v1/graphs/g/vertices/b/reachable?max_hops=-1"),
		400, "malformed-request", "max_hops");
}

/* A label has 512 bytes at most, and so has what is looked for. */
static void test_label_limit(void **state)
{
	enum { MOST = 512 };
	struct fixture *f = *state;
	char text[MOST + 2], target[MOST + 64], body[MOST + 64];

	memset(text, 'a', sizeof(text));
	text[MOST] = '\0';
	snprintf(body, sizeof(body), "%s,b,1\n", text);
	fixture_graph(f, "/v1/graphs/g", body);
	snprintf(target, sizeof(target), "/v1/graphs/g/vertices?q=%s", text);
	EXPECT(fixture_get(f, target), 200,
		"{\"revision\": \"*\", \"count\": 1, \"next\": null,"
		" \"vertices\": [\"*\"]}");
	text[MOST] = 'a';
	text[MOST + 1] = '\0';
	snprintf(target, sizeof(target), "/v1/graphs/g/vertices?q=%s", text);
	REFUSED(fixture_get(f, target), 400, "malformed-request",
		"q has 513 bytes; labels have at most 512");
	snprintf(body, sizeof(body), "b,%s,1\n", text);
	REFUSED(fixture_send(
			f, "PUT", "/v1/graphs/h?transform=none", CSV, body),
		422, "bad-data", "has 513 bytes, expected at most 512");
	snprintf(body, sizeof(body), "{\"arcs\":[[\"b\",\"%s\"]]}", text);
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/h",
			"Content-Type: application/json\r\n", body),
		422, "bad-data", "has 513 bytes, expected at most 512");
}

/* The memory of answers: too much for one, and none left by others. */
static void test_answer_memory(void **state)
{
	static const char target[] = "/v1/graphs/g/path?from=a&to=d&k=3";
	struct fixture *f = *state;
	struct apsp_budget_limits limits =
		*apsp_budget_limits(apsp_store_parts(f->store)->answers);
	struct apsp_budget_use use;
	struct http_answer answer;
	char seconds[16];

	fixture_graph(f, "/v1/graphs/g", arcs);
	EXPECT(fixture_get(f, target), 200, "{\"count\": 2, \"...\": \"*\"}");
	use = apsp_budget_used(apsp_store_parts(f->store)->answers);
	assert_int_equal(use.memory_bytes, 0);
	assert_int_equal(use.n_shares, 0);
	f->answers = limits;
	f->answers.max_one_memory_bytes = 10;
	fixture_close(f);
	fixture_open(f);
	REFUSED(fixture_get(f, target), 422, "search-limit",
		"one answer may take");
	f->answers = limits;
	f->answers.max_memory_bytes = 10;
	fixture_close(f);
	fixture_open(f);
	answer = fixture_get(f, target);
	assert_true(
		http_header(&answer, "Retry-After", seconds, sizeof(seconds)));
	REFUSED(answer, 503, "busy", "the answers under way take all");
}

/* A long answer counts with all the memory that its text has. */
static void test_answer_room(void **state)
{
	static const char path[] = "/v1/graphs/g/path?from=first&to=last";
	enum { LABEL = 500, N = 90 };
	struct fixture *f = *state;
	struct http_answer answer;
	char label[LABEL + 1] = "", *body = calloc(N + 1, 2 * LABEL + 8);
	char *at = body;

	assert_non_null(body);
	/* JSON has two bytes for each */
	memset(label, '\\', LABEL);
	at += sprintf(at, "first,");
	for (int i = 0; i < N; i++) {
		label[0] = (char)('0' + i / 10);
		label[1] = (char)('0' + i % 10);
		at += sprintf(at, "%s,1\n%s,", label, label);
	}
	sprintf(at, "last,1\n");
	fixture_graph(f, "/v1/graphs/g", body);
	free(body);
	answer = fixture_get(f, path);
	assert_int_equal(answer.status, 200);
	assert_true(answer.body_size > 65536);
	f->answers = *apsp_budget_limits(apsp_store_parts(f->store)->answers);
	f->answers.max_one_memory_bytes = answer.body_size;
	http_answer_done(&answer);
	fixture_close(f);
	fixture_open(f);
	REFUSED(fixture_get(f, path), 422, "search-limit",
		"one answer may take");
}

static void test_vertices(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char link[128];

	fixture_graph(f, "/v1/graphs/g", "DNp01,x,1\nMDNp,dn,1\nDN,y,1\n");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?q=dn"), 200,
		"{\"revision\": \"*\", \"count\": 4, \"next\": null,"
		" \"vertices\": [\"*\", \"*\", \"DNp01\", \"MDNp\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?limit=1"), 200,
		"{\"revision\": \"*\", \"count\": 1, \"next\": \"1\","
		" \"vertices\": [\"DNp01\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?limit=3&cursor=4"), 200,
		"{\"revision\": \"*\", \"count\": 2, \"next\": null,"
		" \"vertices\": [\"DN\", \"y\"]}");
	/* pages that end with the last vertex, of one vertex and of all */
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?limit=5"), 200,
		"{\"revision\": \"*\", \"count\": 5, \"next\": \"5\","
		" \"vertices\": [\"DNp01\", \"x\", \"MDNp\", \"dn\","
		" \"DN\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?limit=5&cursor=5"), 200,
		"{\"revision\": \"*\", \"count\": 1, \"next\": null,"
		" \"vertices\": [\"y\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?limit=1&cursor=5"), 200,
		"{\"revision\": \"*\", \"count\": 1, \"next\": null,"
		" \"vertices\": [\"y\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?limit=6"), 200,
		"{\"revision\": \"*\", \"count\": 6, \"next\": null,"
		" \"vertices\": [\"DNp01\", \"x\", \"MDNp\", \"dn\","
		" \"DN\", \"y\"]}");
	EXPECT(fixture_get(f, "/v1/graphs/g/vertices?cursor=6"), 200,
		"{\"revision\": \"*\", \"count\": 0, \"next\": null,"
		" \"vertices\": []}");
	answer = fixture_send(f, "GET",
		"/v1/graphs/g/vertices?limit=2&cursor=1&format=ndjson", NULL,
		NULL);
	assert_true(http_header(&answer, "Link", link, sizeof(link)));
	assert_string_equal(
		link, "<?limit=2&format=ndjson&cursor=3>; rel=\"next\"");
	http_answer_done(&answer);
	REFUSED(fixture_get(f, "/v1/graphs/g/vertices?q=a&cursor=1"), 400,
		"malformed-request", "exclude each other");
	REFUSED(fixture_get(f, "/v1/graphs/g/vertices?cursor=x"), 400,
		"malformed-request", "cursor");
	REFUSED(fixture_get(f, "/v1/graphs/g/vertices?limit=0"), 400,
		"malformed-request", "limit");
	REFUSED(fixture_get(f, "/v1/graphs/g/vertices?profile=p"), 404,
		"unknown-profile", "'p'");
	REFUSED(fixture_get(f, "/v1/graphs/h/vertices"), 404, "unknown-graph",
		"'h'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_path, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_path_refused, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_etag, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_not_ready, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_reachable, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_reach_set, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_reach_bounds, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_reach_steps, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_reach_refused, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_vertices, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_label_limit, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_answer_memory, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_answer_room, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
