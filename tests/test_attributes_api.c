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
#define GROUPS "/v1/graphs/g/groups"
#define VERTICES "/v1/graphs/g/vertices"

static const char arcs[] = "a,b,1\nb,c,1\nc,d,1\nd,e,1\n";
static const char types[] = "id,type,side\n"
			    "a,KC,L\nb,KC,R\nc,sens,L\nd,sens,\nz,KC,L\n";
/* the same values of the vertices a, b, c and d */
static const char same_types[] =
	"id,type,side\n"
	"d,sens,\nz,sens,R\nc,sens,L\nb,KC,R\na,KC,L\n";
static const char other_types[] = "id,type,side\n"
				  "a,KC,L\nb,KC,R\nc,KC,L\nd,sens,\nz,KC,L\n";

static void put(struct fixture *f, const char *text)
{
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, CSV, text), 200,
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
	listed(f, VERTICES "?match=label:b", "[\"b\"]");
	put(f, types);
	listed(f, VERTICES "?match=type:KC", "[\"a\",\"b\"]");
	listed(f, VERTICES "?match=type:KC&match=side:L", "[\"a\"]");
	listed(f, VERTICES "?match=side:L&match=side:R", "[\"a\",\"b\",\"c\"]");
	listed(f, VERTICES "?match=side:", "[\"d\",\"e\"]");
	listed(f, VERTICES "?match=side:L&match=side:&match=type:sens",
		"[\"c\",\"d\"]");
	listed(f, VERTICES "?match=type:KC&q=B", "[\"b\"]");
	listed(f, VERTICES "?match=type:KC&match=label:c&match=label:b",
		"[\"b\"]");
	REFUSED(fixture_get(f, VERTICES "?match=label:KC"), 400,
		"malformed-request",
		"no vertex has the label 'KC'; it is a value of 'type'");
	REFUSED(fixture_get(f, VERTICES "?match=label:"), 400,
		"malformed-request", "no vertex has the label ''");
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
	REFUSED(fixture_get(f, VERTICES "?match=type:L"), 400,
		"malformed-request",
		"no vertex has the type 'L'; it is a value of 'side'");
	REFUSED(fixture_get(f, VERTICES "?match=type:unknown"), 400,
		"malformed-request",
		"no vertex has the type 'unknown'; 'type' has ");
	REFUSED(fixture_get(f, VERTICES "?match=kind:KC"), 400,
		"malformed-request",
		"no attribute 'kind', expected one of: type, side");
	REFUSED(fixture_get(f, VERTICES "?match=KC"), 400, "malformed-request",
		"expected name:value");
	REFUSED(fixture_get(f, VERTICES "?q=a&q=b"), 400, "malformed-request",
		"'q' twice");
}

/* People know vertices by name: an attribute's exact text leads to its labels.
 */
static void test_names(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, CSV,
		       "label,name,cell\na,PN 1,x\nb,,PN 1\nc,PN 1,PN 1\n"
		       "d,dd,b\n"),
		200, "{\"matched\": 4, \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "/PN%201"), 404,
		"{\"detail\": \"'PN 1' is not in graph 'g'; it is the name of"
		" 'a' and of other vertices\", \"suggestions\": [\"a\", \"c\", "
		"\"b\"], \"...\": \"*\"}");
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=a&to=dd"), 404,
		"{\"detail\": \"'dd' is not in graph 'g'; it is the name of"
		" 'd'\", \"suggestions\": [\"d\"], \"...\": \"*\"}");
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=a&to=c&avoid=dd"), 422,
		"{\"suggestions\": [\"d\"], \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "/PN%202"), 404,
		"{\"detail\": \"'PN 2' is not in graph 'g'\", \"suggestions\": "
		"[], \"...\": \"*\"}");
	EXPECT(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL,
		       "{\"pairs\": [[\"a\", \"PN 1\"]]}"),
		200,
		"{\"paths\": [{\"suggestions\": [\"a\", \"c\", \"b\"],"
		" \"...\": \"*\"}], \"...\": \"*\"}");
	EXPECT(fixture_send(f, "POST", "/v1/graphs/g/table", NULL,
		       "{\"sources\": [\"dd\"]}"),
		422, "{\"suggestions\": [\"d\"], \"...\": \"*\"}");
}

/* Rows of which none is a vertex's would take away all that is known. */
static void test_no_match(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	put(f, types);
	REFUSED(fixture_send(f, "PUT", ATTRIBUTES, CSV,
			"row,label of "
			"it,type\n0,a,KC\n1,b,KC\n2,c,KC\n3,d,x\n"),
		422, "bad-data",
		"no row belongs to a vertex: the rows have the labels '0', "
		"'1', '2', the vertices 'a', 'b', 'c'; labels are expected in "
		"the column 'label', or else in the first column");
	REFUSED(fixture_send(f, "PUT", ATTRIBUTES, CSV,
			"label,type\n"
			"0123456789012345678901234567890123456789,KC\n"),
		422, "bad-data",
		"the rows have the labels '01234567890123456789…', the");
	REFUSED(fixture_send(f, "PUT", ATTRIBUTES, CSV, "a,KC\nb,MB\n"), 422,
		"bad-data",
		"read as a header, but it begins with the vertex 'a': write");
	REFUSED(fixture_send(f, "PUT", ATTRIBUTES, CSV, "label,type\n"), 422,
		"bad-data", "there is no row; DELETE removes attributes");
	listed(f, VERTICES "?match=type:KC", "[\"a\",\"b\"]");
}

/* The ETag of an answer that was chosen by attributes depends on their values,
   and not on the upload that brought them. */
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
	put(f, same_types);
	answer = fixture_send(
		f, "GET", VERTICES "/a/reachable?match=type:KC", header, NULL);
	assert_int_equal(answer.status, 304);
	http_answer_done(&answer);
	put(f, other_types);
	answer = fixture_send(
		f, "GET", VERTICES "/a/reachable?match=type:KC", header, NULL);
	assert_int_equal(answer.status, 200);
	assert_true(http_header(&answer, "ETag", after, sizeof(after)));
	http_answer_done(&answer);
	assert_string_not_equal(before, after);
}

/* A change of attributes names the set that it replaces, or the upload. */
static void test_condition(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char tag[100], before[140], revision[140];

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	answer = fixture_get(f, "/v1/graphs/g");
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(revision, sizeof(revision), "If-Match: %s\r\n", tag);
	answer = fixture_send(f, "PUT", ATTRIBUTES, revision, types);
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	REFUSED(fixture_send(
			f, "PUT", ATTRIBUTES, "If-None-Match: *\r\n", types),
		412, "precondition-failed", "exists already");
	answer = fixture_get(f, ATTRIBUTES);
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(before, sizeof(before), "If-Match: W/%s\r\n", tag);
	REFUSED(fixture_send(f, "GET", ATTRIBUTES, before, NULL), 412,
		"precondition-failed", "by now");
	snprintf(before, sizeof(before), "If-Match: %s\r\n", tag);
	REFUSED(fixture_send(f, "DELETE", "/v1/graphs/g", before, NULL), 412,
		"precondition-failed", "by now");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/nobody/attributes",
			"If-Match: *\r\n", types),
		404, "unknown-graph", "no graph 'nobody'");
	answer = fixture_send(f, "PUT", ATTRIBUTES, before, other_types);
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	REFUSED(fixture_send(f, "DELETE", ATTRIBUTES, before, NULL), 412,
		"precondition-failed", "by now");
	answer = fixture_send(f, "DELETE", ATTRIBUTES, revision, NULL);
	assert_int_equal(answer.status, 204);
	http_answer_done(&answer);
	REFUSED(fixture_send(f, "DELETE", ATTRIBUTES, "If-Match: *\r\n", NULL),
		412, "precondition-failed", "there is no list");
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

/* Groups of one attribute and of two; pairs without a path are told as such. */
/* Attributes that stay would be more values than a graph may have. */
static void test_too_many_stay(void **state)
{
	static const char large[] =
		"%%MatrixMarket matrix coordinate pattern general\n"
		"262145 262145 0\n";
	struct fixture *f = *state;
	char text[1024] = "id", *end = text + 2;

	for (int i = 0; i < 64; i++)
		end += sprintf(end, ",c%d", i);
	end += sprintf(end, "\na,x");
	memset(end, ',', 63);
	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, CSV, text), 200,
		"{\"matched\": 1, \"...\": \"*\"}");
	REFUSED(fixture_send(f, "PUT",
			"/v1/graphs/g?tables=none&default_rule=replace",
			"Content-Type: text/x-matrix-market\r\n", large),
		413, "too-large",
		"the graph keeps its attributes, but "
		"64 columns for 262145 vertices are more");
	listed(f, VERTICES "?match=c0:x", "[\"a\"]");
}

static void test_groups(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	put(f, types);
	EXPECT(fixture_send(
		       f, "POST", GROUPS, NULL, "{\"attribute\": \"type\"}"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"sources\": \"type\", \"targets\": \"type\", \"groups\": ["
		"{\"from\": \"KC\", \"to\": \"KC\", \"pairs\": 2,"
		" \"reachable\": 1, \"share\": 0.5, \"min\": 1, \"mean\": 1,"
		" \"nearest\": [\"a\", \"b\"]},"
		"{\"from\": \"KC\", \"to\": \"sens\", \"pairs\": 4,"
		" \"reachable\": 4, \"share\": 1.0, \"min\": 1, \"mean\": 2,"
		" \"nearest\": [\"b\", \"c\"]},"
		"{\"from\": \"sens\", \"to\": \"KC\", \"pairs\": 4,"
		" \"reachable\": 0, \"share\": 0.0, \"min\": null,"
		" \"mean\": null, \"nearest\": null},"
		"{\"from\": \"sens\", \"to\": \"sens\", \"pairs\": 2,"
		" \"reachable\": 1, \"share\": 0.5, \"min\": 1, \"mean\": 1,"
		" \"nearest\": [\"c\", \"d\"]}]}");
	/* a, c on the left, b on the right */
	EXPECT(fixture_send(f, "POST", GROUPS, NULL,
		       "{\"sources\": \"side\", \"targets\": \"type\"}"),
		200,
		"{\"sources\": \"side\", \"targets\": \"type\","
		" \"groups\": [{\"from\": \"L\", \"to\": \"KC\","
		" \"pairs\": 3, \"reachable\": 1, \"mean\": 1,"
		" \"...\": \"*\"},"
		" {\"to\": \"sens\", \"pairs\": 3, \"reachable\": 3,"
		" \"mean\": 2, \"...\": \"*\"},"
		" {\"from\": \"R\", \"to\": \"KC\", \"pairs\": 1,"
		" \"reachable\": 0, \"...\": \"*\"},"
		" {\"to\": \"sens\", \"pairs\": 2, \"reachable\": 2,"
		" \"mean\": 1.5, \"...\": \"*\"}], \"...\": \"*\"}");
	/* among a and c alone */
	EXPECT(fixture_send(f, "POST", GROUPS "?match=side:L", NULL,
		       "{\"attribute\": \"type\"}"),
		200,
		"{\"groups\": [{\"from\": \"KC\", \"to\": \"KC\","
		" \"pairs\": 0, \"reachable\": 0, \"share\": null,"
		" \"...\": \"*\"},"
		" {\"from\": \"KC\", \"to\": \"sens\", \"pairs\": 1,"
		" \"reachable\": 1, \"nearest\": [\"a\", \"c\"],"
		" \"mean\": 2, \"...\": \"*\"},"
		" {\"from\": \"sens\", \"to\": \"KC\", \"pairs\": 1,"
		" \"reachable\": 0, \"...\": \"*\"},"
		" {\"from\": \"sens\", \"to\": \"sens\", \"pairs\": 0,"
		" \"...\": \"*\"}], \"...\": \"*\"}");
}

static void test_groups_refused(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	REFUSED(fixture_send(
			f, "POST", GROUPS, NULL, "{\"attribute\": \"type\"}"),
		400, "malformed-request", "have no attributes");
	put(f, types);
	REFUSED(fixture_send(f, "POST", GROUPS "?match=side:Q", NULL,
			"{\"attribute\": \"type\"}"),
		400, "malformed-request", "'Q'");
	EXPECT(fixture_send(
		       f, "POST", GROUPS, NULL, "{\"attribute\": \"kind\"}"),
		400, "{\"pointer\": \"/attribute\", \"...\": \"*\"}");
	EXPECT(fixture_send(f, "POST", GROUPS, NULL, "{\"sources\": \"type\"}"),
		400, "{\"pointer\": \"/targets\", \"...\": \"*\"}");
	REFUSED(fixture_get(f, GROUPS), 405, "method-not-allowed",
		"GET is not a method of '/v1/graphs/g/groups', expected POST");
	EXPECT(fixture_send(
		       f, "POST", GROUPS, NULL, "{\"atribute\": \"type\"}"),
		400, "{\"pointer\": \"/atribute\", \"...\": \"*\"}");
	REFUSED(fixture_send(f, "POST", GROUPS, NULL,
			"{\"attribute\": \"type\", \"sources\": \"type\"}"),
		400, "malformed-request", "expected either");
}

/* One vertex, and its arcs as the profile has them. */
static void test_vertex(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=inv",
		"a,b,1\na,b,3\nb,a,2\nb,b,9\nb,c,8\n");
	EXPECT(fixture_get(f, VERTICES "/b"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"inv\","
		" \"vertex\": \"b\", \"index\": 1, \"attributes\": {},"
		" \"out_degree\": 2, \"in_degree\": 1, \"out_strength\": 10,"
		" \"in_strength\": 4, \"on_cycle\": true, \"reaches\": 2,"
		" \"reached_by\": 1,"
		" \"component\": {\"size\": 2, \"first\": \"a\"},"
		" \"measures\": {}}");
	EXPECT(fixture_send(
		       f, "PUT", ATTRIBUTES, NULL, "label,type,side\nb,KC,\n"),
		200, "{\"matched\": 1, \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "/b"), 200,
		"{\"attributes\": {\"type\": \"KC\"}, \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "/b/arcs"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"inv\","
		" \"vertex\": \"b\", \"direction\": \"out\", \"count\": 2,"
		" \"next\": null,"
		" \"arcs\": [{\"from\": \"b\", \"to\": \"a\","
		" \"weight\": 2, \"length\": 0.5}, {\"from\": \"b\","
		" \"to\": \"c\", \"weight\": 8, \"length\": 0.125}]}");
	EXPECT(fixture_get(f, VERTICES "/b/arcs?direction=in"), 200,
		"{\"direction\": \"in\", \"count\": 1, \"arcs\": [{\"from\":"
		" \"a\", \"to\": \"b\", \"weight\": 4,"
		" \"length\": 0.25}], \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "/c/arcs"), 200,
		"{\"count\": 0, \"arcs\": [], \"...\": \"*\"}");
	REFUSED(fixture_get(f, VERTICES "/b/arcs?direction=up"), 400,
		"malformed-request", "expected out or in");
	REFUSED(fixture_get(f, VERTICES "/q"), 404, "unknown-vertex", "'q'");
}

static void csv_is(struct fixture *f, const char *target, const char *wanted)
{
	struct http_answer answer = fixture_get(f, target);

	assert_int_equal(answer.status, 200);
	assert_int_equal(answer.body_size, strlen(wanted));
	assert_memory_equal(answer.body, wanted, answer.body_size);
	http_answer_done(&answer);
}

#define SORTED_HEAD                                                            \
	"from,to,weight,length,type,attribute_weight,attribute_attribute_"     \
	"weight\n"

/* The arcs of a vertex, sorted, in pages, and with the attributes of the other
   ends. Equal arcs come in the order of the other ends: d, a, c, b, e. */
static void test_sorted_arcs(void **state)
{
	static const char link[] = "<?direction=in&sort=weight&limit=2&cursor=";
	struct fixture *f = *state;
	struct http_answer answer;
	char found[256];

	fixture_graph(f, "/v1/graphs/g?transform=inv",
		"d,v,2\na,v,4\nc,v,8\nb,v,4\ne,v,4\nv,d,1\n");
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, NULL,
		       "label,type,weight,attribute_weight\na,KC,,\n"
		       "c,\"x,y\",9,8\nv,V,1,\n"),
		200, "{\"matched\": 3, \"...\": \"*\"}");
	csv_is(f, VERTICES "/v/arcs?direction=in&format=csv",
		SORTED_HEAD "d,v,2,0.5,,,\na,v,4,0.25,KC,,\n"
			    "c,v,8,0.125,\"x,y\",9,8\nb,v,4,0.25,,,\n"
			    "e,v,4,0.25,,,\n");
	csv_is(f, VERTICES "/v/arcs?direction=in&format=csv&sort=weight",
		SORTED_HEAD "c,v,8,0.125,\"x,y\",9,8\na,v,4,0.25,KC,,\n"
			    "b,v,4,0.25,,,\ne,v,4,0.25,,,\nd,v,2,0.5,,,\n");
	csv_is(f, VERTICES "/d/arcs?format=csv&sort=length",
		SORTED_HEAD "d,v,2,0.5,V,1,\n");
	EXPECT(fixture_get(
		       f, VERTICES "/v/arcs?direction=in&sort=length&limit=1"),
		200,
		"{\"count\": 5, \"next\": \"1\", \"arcs\": [{\"from\": \"c\","
		" \"to\": \"v\", \"weight\": 8, \"length\": 0.125}],"
		" \"...\": \"*\"}");
	answer = fixture_get(
		f, VERTICES "/v/arcs?direction=in&sort=weight&limit=2");
	assert_true(http_header(&answer, "Link", found, sizeof(found)));
	assert_memory_equal(found, link, strlen(link));
	http_answer_done(&answer);
	EXPECT(fixture_get(f, VERTICES "/v/arcs?direction=in&sort=weight"
				       "&limit=2&cursor=2"),
		200,
		"{\"next\": \"4\", \"arcs\": [{\"from\": \"b\", \"...\": "
		"\"*\"},"
		" {\"from\": \"e\", \"...\": \"*\"}], \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "/v/arcs?direction=in&cursor=4"), 200,
		"{\"next\": null, \"arcs\": [{\"from\": \"e\","
		" \"...\": \"*\"}], \"...\": \"*\"}");
	EXPECT(fixture_get(f, VERTICES "/v/arcs?direction=in&sort=weight"
				       "&cursor=9"),
		200, "{\"next\": null, \"arcs\": [], \"...\": \"*\"}");
	REFUSED(fixture_get(f, VERTICES "/v/arcs?sort=name"), 400,
		"malformed-request",
		"sort is 'name', expected weight, length or width");
	REFUSED(fixture_get(f, VERTICES "/v/arcs?sort=width"), 400,
		"malformed-request", "are about widest paths");
}

static void test_refusals(void **state)
{
	struct fixture *f = *state;

	REFUSED(fixture_send(f, "PUT", ATTRIBUTES, CSV, types), 404,
		"unknown-graph", "'g'");
	fixture_graph(f, "/v1/graphs/g?transform=none", arcs);
	REFUSED(fixture_send(f, "PUT", ATTRIBUTES,
			"Content-Type: application/json\r\n", "{}"),
		415, "unsupported-media-type", "text/csv");
	EXPECT(fixture_send(f, "PUT", ATTRIBUTES, NULL, "id,type\na,1\na,2\n"),
		422, "{\"line\": 3, \"column\": 1, \"...\": \"*\"}");
	REFUSED(fixture_send(
			f, "PUT", ATTRIBUTES, CSV "If-Match: \"x\"\r\n", types),
		412, "precondition-failed", "");
	REFUSED(fixture_send(
			f, "PUT", ATTRIBUTES, CSV "If-Match: *\r\n", types),
		412, "precondition-failed", "there is no list of attributes");
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
			test_names, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_no_match, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_etag, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_condition, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_stay, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_too_many_stay, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_groups, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_groups_refused, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_vertex, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_sorted_arcs, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_refusals, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
