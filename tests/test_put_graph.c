/*
 * Uploads over HTTP: what the request says and is refused for, refusals of the
 * content, and the same upload twice. test_put_body.c is about how it arrives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/endpoint_fixture.h"

static const char small[] = "a,b,4\nb,c,5\na,c,20\n";

static void test_twice(void **state)
{
	struct fixture *f = *state;
	struct http_answer first, again;
	char location[64], seconds[8];

	first = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=none", CSV, small);
	assert_true(
		http_header(&first, "Location", location, sizeof(location)));
	assert_string_equal(location, "/v1/jobs/1");
	assert_true(
		http_header(&first, "Retry-After", seconds, sizeof(seconds)));
	assert_string_equal(seconds, "1");
	EXPECT(first, 202,
		"{\"job\": \"1\", \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 3,"
		" \"profile\": \"default\", \"transform\": \"none\","
		"\"...\": 0}");

	/* the same upload while the job is queued: the same job */
	EXPECT(fixture_send(f, "PUT", "/v1/graphs/g?format=csv&transform=none",
		       NULL, small),
		202,
		"{\"job\": \"1\", \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 3,"
		" \"profile\": \"default\", \"transform\": \"none\","
		"\"...\": 0}");
	assert_int_equal(fixture_work_all(f), 1);

	again = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=none", CSV, small);
	assert_false(
		http_header(&again, "Location", location, sizeof(location)));
	EXPECT(again, 200,
		"{\"job\": null, \"state\": \"succeeded\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 3,"
		" \"profile\": \"default\", \"transform\": \"none\","
		"\"...\": 0}");
}

/* What was uploaded, and what is left when the arcs of a pair are one. */
static void test_arcs_counted(void **state)
{
	struct fixture *f = *state;

	EXPECT(fixture_send(f, "PUT", "/v1/graphs/g?transform=inv", CSV,
		       "a,b,4\nb,c,5\na,b,2\na,b,1\nc,c,1\n"),
		202,
		"{\"rows\": 5, \"arcs\": 5, \"merged\": 2,"
		" \"distinct_arcs\": 3, \"loops\": 1, \"...\": 0}");
}

/* Another rule is another job. */
static void test_other_rule(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=none", small);
	EXPECT(fixture_send(f, "PUT",
		       "/v1/graphs/g?transform=inv&min_weight=4.5&"
		       "duplicates=max&invalid=drop&precision=float64&"
		       "algorithm=reference&default_rule=replace",
		       CSV, small),
		202,
		"{\"job\": \"2\", \"jobs\": {\"default\": \"2\"},"
		" \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 3,"
		" \"profile\": \"default\", \"transform\": \"inv\","
		"\"...\": 0}");
	assert_int_equal(fixture_work_all(f), 1);
	EXPECT(fixture_get(f, "/v1/graphs/g/profiles/default"), 200,
		"{\"graph\": \"g\", \"name\": \"default\", \"revision\": \"*\","
		" \"transform\": \"inv\", \"duplicates\": \"max\","
		" \"invalid\": \"drop\", \"precision\": \"float64\","
		" \"min_weight\": 4.5, \"algorithm\": \"reference\","
		" \"...\": \"*\","
		" \"state\": \"ready\", \"job\": \"2\", \"error\": null,"
		" \"table\": \"*\", \"arcs\": 2, \"element\": \"f64\","
		" \"served\": null, \"pending\": null}");
}

static void test_early(void **state)
{
	struct fixture *f = *state;

	REFUSED(fixture_send(f, "PUT", "/v1/graphs/.g", CSV, small), 400,
		"malformed-request", "cannot name a graph");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/a%2Fb", CSV, small), 400,
		"malformed-request", "cannot name a graph");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g",
			"Content-Type: text/html\r\n", small),
		415, "unsupported-media-type",
		"text/csv[;layout=matrix], text/tab-separated-values, ");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g",
			"Content-Type: text/csv;layout=matrx\r\n", small),
		415, "unsupported-media-type", "'layout=matrx'; expected");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g?format=xls", CSV, small),
		415, "unsupported-media-type", "csv-matrix");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g",
			CSV "Content-Encoding: br\r\n", small),
		415, "unsupported-media-type", "gzip");
	REFUSED(fixture_send(
			f, "PUT", "/v1/graphs/g?transfrom=inv", CSV, small),
		400, "malformed-request", "transfrom");
	REFUSED(fixture_send(
			f, "PUT", "/v1/graphs/g?transform=cube", CSV, small),
		400, "malformed-request", "cube");
	REFUSED(fixture_send(
			f, "PUT", "/v1/graphs/g?algorithm=magic", CSV, small),
		400, "malformed-request", "reference");
	REFUSED(fixture_send(f, "PUT",
			"/v1/graphs/g?transform=none&algorithm=bfs", CSV,
			small),
		400, "malformed-request",
		"transform=hops, but the transform is none");
	REFUSED(fixture_send(f, "PUT",
			"/v1/graphs/g?format=csv-matrix&nonedge="
			"nan",
			CSV, small),
		400, "malformed-request", "nonedge");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g?nonedge=1", CSV, small),
		400, "malformed-request", "dense");
	fixture_nothing_stored(f);
}

/*
 * log takes probabilities. What duplicates=sum makes of arcs that may each have
 * a length is refused with the line that goes too far, not by the job.
 */
static void test_log_of_sums(void **state)
{
	static const char parts[] = "a,b,0.6\nb,c,0.5\na,b,0.3\na,b,0.2\n";
	static const char loops[] = "a,b,0.5\nb,b,0.8\nb,b,0.8\n";
	static const char rows[] = "pre,post\na,b\nb,c\nb,c\n";
	struct fixture *f = *state;
	struct http_answer answer;

	answer = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=log", CSV, parts);
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "line")), 4);
	REFUSED(answer, 422, "bad-data",
		"come to 1.1, but the transform log needs a weight above 0 and "
		"at most 1, a probability (lognorm takes counts, "
		"and normalise=input makes shares of them)");
	REFUSED(fixture_send(
			f, "PUT", "/v1/graphs/g?transform=log", CSV, loops),
		422, "bad-data", "come to 1.6");
	REFUSED(fixture_send(f, "PUT",
			"/v1/graphs/g?transform=log&weight_column=count", CSV,
			rows),
		422, "bad-data", "lognorm takes counts");
	fixture_nothing_stored(f);
	/* a plain sum in this order is above 1, the exact sum is 1 */
	fixture_graph(f, "/v1/graphs/one?transform=log",
		"a,b,0.2\na,b,0.4\na,b,0.3\na,b,0.1\n");
	/* the same arcs have lengths under other rules */
	fixture_graph(f, "/v1/graphs/max?transform=log&duplicates=max", parts);
	fixture_graph(f, "/v1/graphs/drop?transform=log&invalid=drop", parts);
	fixture_graph(f, "/v1/graphs/norm?transform=lognorm", parts);
	answer = fixture_send(f, "PUT",
		"/v1/graphs/few?transform=log&invalid=drop", CSV,
		"a,b,3\nb,c,0.5\n");
	assert_int_equal(answer.status, 202);
	assert_non_null(strstr(answer.body, "1 of 2 rows have a weight"));
	http_answer_done(&answer);
	/* and a profile of them is refused as the upload is */
	answer = fixture_send(f, "PUT", "/v1/graphs/norm/profiles/p", NULL,
		"{\"transform\":\"log\"}");
	REFUSED(answer, 422, "bad-data", "which duplicates=sum adds");
	answer = fixture_send(f, "PUT", "/v1/graphs/norm/profiles/p", NULL,
		"{\"transform\":\"log\",\"duplicates\":\"max\"}");
	/* at once: the tables are those of the other graph */
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
}

static void test_data(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;

	answer = fixture_send(f, "PUT", "/v1/graphs/g?transform=none", CSV,
		"a,b,4\nb,c,five\nc,d,1\n");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "line")), 2);
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "column")), 5);
	REFUSED(answer, 422, "bad-data", "five");
	answer = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=inv", CSV, "a,b,4\nb,c,0\n");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "line")), 2);
	REFUSED(answer, 422, "bad-data", "");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g", CSV, ""), 422,
		"bad-data", "");
	fixture_nothing_stored(f);
}

static void test_preconditions(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char tag[80], header[200];

	fixture_graph(f, "/v1/graphs/g", small);
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g",
			CSV "If-None-Match: *\r\n", small),
		412, "precondition-failed", "");
	answer = fixture_get(f, "/v1/graphs/g");
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(header, sizeof(header), CSV "If-Match: %s\r\n", tag);

	answer = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=none", header, "a,b,1\n");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	/* the tag is that of the first upload; the newest is pending */
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g?transform=none", header,
			"a,b,2\n"),
		412, "precondition-failed", "");
	answer = fixture_get(f, "/v1/graphs/g");
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(header, sizeof(header), CSV "If-Match: %s\r\n", tag);
	answer = fixture_send(
		f, "PUT", "/v1/graphs/g?transform=none", header, "a,b,2\n");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
}

/* Numbers that may be lengths or strengths: nobody guesses which. */
static void test_transform_unsaid(void **state)
{
	static const char weighted[] = "pre,post,weight\na,b,4\n";
	struct fixture *f = *state;
	struct http_answer answer;

	answer = fixture_send(
		f, "PUT", "/v1/graphs/g?weight_unit=[m']", CSV, weighted);
	EXPECT(answer, 422,
		"{\"type\": \"/problems/transform-not-said\","
		" \"title\": \"Lengths or strengths?\", \"status\": 422,"
		" \"detail\": \"line 1, column 10: the numbers of 'weight' may"
		" be lengths (less is nearer) or strengths, like counts of"
		" synapses (more is nearer): say transform=none if they are"
		" lengths, transform=inv (length 1/w) if they are strengths\","
		" \"line\": 1, \"column\": 10,"
		" \"if_lengths\": \"curl -T FILE -H 'Content-Type: text/csv'"
		" 'http://localhost/v1/graphs/g?weight_unit=%5Bm%27%5D"
		"&transform=none'\","
		" \"if_strengths\": \"curl -T FILE -H 'Content-Type: text/csv'"
		" 'http://localhost/v1/graphs/g?weight_unit=%5Bm%27%5D"
		"&transform=inv'\","
		" \"request_id\": \"*\"}");
	fixture_nothing_stored(f);

	/* the name of an algorithm for hops is judged by the rule in the end */
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g?algorithm=bfs", CSV,
			"pre,post,length\na,b,4\n"),
		400, "malformed-request", "transform=hops");
	fixture_nothing_stored(f);
	answer = fixture_send(f, "PUT", "/v1/graphs/hops", CSV, "a,b\n");
	EXPECT(answer, 202, "{\"transform\": \"hops\", \"...\": 0}");
	answer = fixture_send(
		f, "PUT", "/v1/graphs/none", CSV, "u,v,length\na,b,4\n");
	EXPECT(answer, 202, "{\"transform\": \"none\", \"...\": 0}");
}

/* A later upload keeps the graph's rule, but for the options that are said. */
static void test_rule_kept(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/g?transform=inv&duplicates=max", small);
	answer = fixture_send(f, "PUT",
		"/v1/graphs/g?min_weight=2&default_rule=replace", CSV,
		"a,b,7\n");
	EXPECT(answer, 202, "{\"transform\": \"inv\", \"...\": 0}");
	fixture_work_all(f);
	EXPECT(fixture_get(f, "/v1/graphs/g/profiles/default"), 200,
		"{\"transform\": \"inv\", \"duplicates\": \"max\","
		" \"min_weight\": 2, \"...\": 0}");
	/* who says a transform says the whole rule */
	fixture_graph(f, "/v1/graphs/g?transform=inv", "a,b,7\n");
	EXPECT(fixture_get(f, "/v1/graphs/g/profiles/default"), 200,
		"{\"transform\": \"inv\", \"duplicates\": \"sum\","
		" \"min_weight\": null, \"...\": 0}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_log_of_sums, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_twice, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_arcs_counted, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_other_rule, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_early, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_data, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_preconditions, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_transform_unsaid, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_rule_kept, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
