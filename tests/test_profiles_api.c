/*
 * Profiles over HTTP: their records, conditions, refusals, long names, and PUT
 * with wait=.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/endpoint_fixture.h"

static const char small[] = "a,b,4\nb,c,5\na,c,20\na,c,7\nc,c,1\n";

/* If a rule names no transform, it gets the transform of the profile
   `default`. */
static void test_unsaid_transform(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g?transform=inv", small);
	EXPECT(fixture_send(f, "PUT", "/v1/graphs/g/profiles/strong", NULL,
		       "{\"min_weight\": 5}"),
		202,
		"{\"profile\": \"strong\", \"transform\": \"inv\","
		" \"...\": \"*\"}");
	EXPECT(fixture_send(f, "PUT", "/v1/graphs/g/profiles/far", NULL,
		       "{\"min_weight\": 5, \"transform\": \"none\"}"),
		202, "{\"transform\": \"none\", \"...\": \"*\"}");
	REFUSED(fixture_send(f, "POST", "/v1/graphs/g/estimate", NULL,
			"{\"algorithm\": \"bfs\"}"),
		400, "malformed-request", "the transform is inv");
}

/* The rule of a graph with widest paths does not say whether weights are
   lengths. */
static void test_unsaid_after_widest(void **state)
{
	static const char shortest[] = "{\"path\": \"shortest\"}";
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/w?path=widest", small);
	REFUSED(fixture_send(
			f, "PUT", "/v1/graphs/w/profiles/s", NULL, shortest),
		422, "transform-not-said", "with path=shortest, say transform");
	REFUSED(fixture_send(
			f, "POST", "/v1/graphs/w/estimate", NULL, shortest),
		422, "transform-not-said", "say transform");
	REFUSED(fixture_send(f, "PUT",
			"/v1/graphs/w/profiles/default?default_rule=replace",
			NULL, shortest),
		422, "transform-not-said", "say transform");
	answer = fixture_send(f, "PUT", "/v1/graphs/w?path=shortest",
		"Content-Type: text/csv\r\n", small);
	assert_non_null(json_object_get(answer.json, "if_strengths"));
	REFUSED(answer, 422, "transform-not-said", "say transform");
	EXPECT(fixture_send(f, "PUT", "/v1/graphs/w/profiles/s", NULL,
		       "{\"path\": \"shortest\", \"transform\": \"inv\"}"),
		202, "{\"transform\": \"inv\", \"...\": \"*\"}");
	EXPECT(fixture_send(f, "PUT", "/v1/graphs/w/profiles/few", NULL,
		       "{\"min_weight\": 5}"),
		202, "{\"transform\": \"none\", \"...\": \"*\"}");
	EXPECT(fixture_get(f, "/v1/graphs/w/profiles/few"), 200,
		"{\"path\": \"widest\", \"...\": \"*\"}");
}

static void test_profile(void **state)
{
	static const char target[] = "/v1/graphs/g/profiles/strong";
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/g", small);
	REFUSED(fixture_get(f, target), 404, "unknown-profile", "'strong'");
	answer = fixture_send(f, "PUT", target, NULL,
		"{\"transform\": \"inv\", \"min_weight\": 5}");
	EXPECT(answer, 202,
		"{\"job\": \"2\", \"jobs\": {\"strong\": \"2\"},"
		" \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 5,"
		" \"profile\": \"strong\", \"transform\": \"inv\", "
		"\"warnings\": []}");
	REFUSED(fixture_get(f, "/v1/graphs/g/path?from=a&to=c&profile=strong"),
		503, "not-ready", "");
	assert_int_equal(fixture_work_all(f), 1);
	EXPECT(fixture_send(f, "PUT", target, NULL,
		       "{\"transform\": \"inv\", \"min_weight\": 5.0}"),
		200,
		"{\"job\": null, \"jobs\": {}, \"state\": \"succeeded\", "
		"\"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 5,"
		" \"profile\": \"strong\", \"transform\": \"inv\", "
		"\"warnings\": []}");
	EXPECT(fixture_get(f, "/v1/graphs/g/reachable?from=a&to=b&"
			      "profile=strong"),
		200,
		"{\"revision\": \"*\", \"profile\": \"strong\", \"transform\":"
		" \"inv\","
		" \"from\": \"a\", \"to\": \"b\", \"reachable\": false}");

	/* defined anew: the old tables go on serving, under "served" */
	EXPECT(fixture_send(
		       f, "PUT", target, NULL, "{\"transform\": \"hops\"}"),
		202,
		"{\"job\": \"3\", \"jobs\": {\"strong\": \"3\"},"
		" \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 5,"
		" \"profile\": \"strong\", \"transform\": \"hops\", "
		"\"warnings\": []}");
	answer = fixture_get(f, target);
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "transform")),
		"hops");
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(answer.json, "served"), "transform")),
		"inv");
	http_answer_done(&answer);

	answer = fixture_send(f, "DELETE", target, NULL, NULL);
	assert_int_equal(answer.status, 204);
	http_answer_done(&answer);
	REFUSED(fixture_get(f, target), 404, "unknown-profile", "'strong'");
	REFUSED(fixture_send(f, "DELETE", "/v1/graphs/g/profiles/default", NULL,
			NULL),
		422, "bad-data", "default");
}

/* The header that names the ETag of a target. */
static void if_match(struct fixture *f, const char *target, char out[140])
{
	struct http_answer answer = fixture_get(f, target);
	char tag[100];

	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	snprintf(out, 140, "If-Match: %s\r\n", tag);
	http_answer_done(&answer);
}

static void expect_status(struct http_answer answer, int status)
{
	assert_int_equal(answer.status, status);
	http_answer_done(&answer);
}

static void test_profile_condition(void **state)
{
	static const char target[] = "/v1/graphs/g/profiles/strong";
	static const char hops[] = "{\"transform\": \"hops\"}";
	static const char inv[] = "{\"transform\": \"inv\"}";
	struct fixture *f = *state;
	char before[140], after[140];

	fixture_graph(f, "/v1/graphs/g", small);
	REFUSED(fixture_send(f, "PUT", target, "If-Match: *\r\n", hops), 412,
		"precondition-failed", "there is no profile 'strong'");
	expect_status(
		fixture_send(f, "PUT", target, "If-None-Match: *\r\n", hops),
		202);
	REFUSED(fixture_send(f, "PUT", target, "If-None-Match: *\r\n", inv),
		412, "precondition-failed",
		"the profile 'strong' exists already");
	if_match(f, target, before);
	expect_status(fixture_send(f, "PUT", target, before, inv), 202);
	if_match(f, target, after);
	assert_string_not_equal(before, after);
	REFUSED(fixture_send(f, "PUT", target, before, hops), 412,
		"precondition-failed", "by now");
	REFUSED(fixture_send(f, "DELETE", target, before, NULL), 412,
		"precondition-failed", "by now");
	REFUSED(fixture_send(f, "GET", target, before, NULL), 412,
		"precondition-failed", "by now");
	expect_status(fixture_send(f, "GET", target, after, NULL), 200);
	expect_status(fixture_send(f, "DELETE", target, after, NULL), 204);
	REFUSED(fixture_send(f, "DELETE", target, after, NULL), 412,
		"precondition-failed", "there is no profile");
	/* the graph's own tag, and where there is none */
	if_match(f, "/v1/graphs/g", before);
	expect_status(
		fixture_send(f, "GET", "/v1/graphs/g", before, NULL), 200);
	REFUSED(fixture_send(f, "GET", "/v1/graphs/g/path?from=a&to=b", before,
			NULL),
		412, "precondition-failed", "the ETag is");
	REFUSED(fixture_send(f, "DELETE", "/v1/jobs/1", before, NULL), 400,
		"malformed-request", "If-Match");
	REFUSED(fixture_send(f, "POST", "/v1/graphs/g/table",
			"If-None-Match: *\r\n", "{}"),
		400, "malformed-request", "If-None-Match");
	expect_status(fixture_send(f, "GET", "/v1/jobs/1",
			      "If-None-Match: \"x\"\r\n", NULL),
		200);
}

static void refused_at(struct fixture *f, const char *body, int status,
	const char *pointer, const char *part)
{
	struct http_answer answer =
		fixture_send(f, "PUT", "/v1/graphs/g/profiles/p", NULL, body);
	const char *found =
		json_string_value(json_object_get(answer.json, "pointer"));

	assert_string_equal(found ? found : "", pointer);
	REFUSED(answer, status, "malformed-request", part);
}

/* A target with a name of `size` bytes, and what follows it. */
static const char *long_target(
	const char *before, size_t size, const char *after)
{
	static char target[512];

	CHECK(strlen(before) + size + strlen(after) < sizeof(target));
	strcpy(target, before);
	memset(target + strlen(before), 'a', size);
	strcpy(target + strlen(before) + size, after);
	return target;
}

/* A name that is too long is nobody's, and above all not that of its start. */
static void test_long_names(void **state)
{
	static const char graphs[] = "/v1/graphs/";
	static const char profiles[] = "/v1/graphs/g/profiles/";
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, long_target(graphs, 128, "?format=csv"), small);
	fixture_graph(f, "/v1/graphs/g?format=csv", small);
	answer = fixture_send(
		f, "PUT", long_target(profiles, 128, ""), NULL, "{}");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);

	REFUSED(fixture_send(
			f, "DELETE", long_target(graphs, 129, ""), NULL, NULL),
		404, "unknown-graph", "no graph");
	REFUSED(fixture_send(f, "PUT", long_target(graphs, 129, "?format=csv"),
			NULL, small),
		400, "malformed-request", "cannot name a graph");
	REFUSED(fixture_send(f, "PUT", long_target(graphs, 129, "/profiles/p"),
			NULL, "{}"),
		404, "unknown-graph", "no graph");
	REFUSED(fixture_send(f, "DELETE",
			long_target(graphs, 129, "/profiles/default"), NULL,
			NULL),
		404, "unknown-graph", "no graph");
	REFUSED(fixture_send(
			f, "PUT", long_target(profiles, 129, ""), NULL, "{}"),
		400, "malformed-request", "cannot name a profile");
	REFUSED(fixture_send(f, "DELETE", long_target(profiles, 129, ""), NULL,
			NULL),
		404, "unknown-profile", "no profile");
	REFUSED(fixture_get(f, long_target(graphs, 129, "")), 404,
		"unknown-graph", "no graph");
	REFUSED(fixture_send(f, "POST", long_target(graphs, 129, "/estimate"),
			NULL, NULL),
		404, "unknown-graph", "no graph");

	answer = fixture_get(f, long_target(graphs, 128, ""));
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	answer = fixture_get(f, long_target(profiles, 128, ""));
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	answer = fixture_send(
		f, "DELETE", long_target(graphs, 128, ""), NULL, NULL);
	assert_int_equal(answer.status, 204);
	http_answer_done(&answer);
}

static void test_profile_refused(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", small);
	refused_at(f, "{\"transform\": \"inv\", \"min/wei~ght\": 5}", 400,
		"/min~1wei~0ght", "min/wei~ght");
	refused_at(f, "{\"min_weight\": \"5\"}", 400, "/min_weight",
		"a string; expected a number");
	refused_at(f, "{\"transform\": 5}", 400, "/transform",
		"a number; expected a string");
	refused_at(f, "{\"algorithm\": \"magic\"}", 400, "/algorithm",
		"fw, reference");
	refused_at(f, "{\"algorithm\": \"bfs\", \"transform\": \"inv\"}", 400,
		"/algorithm", "transform=hops, but the transform is inv");
	refused_at(f,
		"{\"transform\": \"inv\", \"measures\": \"betweenness\","
		" \"tables\": \"none\"}",
		400, "", "without measures; leave out tables=none");
	refused_at(f, "{\"transform\": \"cube\"}", 400, "", "cube");
	refused_at(f, "", 400, "", "the body is empty");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g/profiles/.p", NULL, "{}"),
		400, "malformed-request", "cannot name a profile");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/h/profiles/p", NULL, "{}"),
		404, "unknown-graph", "'h'");
	REFUSED(fixture_get(f, "/v1/graphs/g/profiles/p"), 404,
		"unknown-profile", "'p'");
}

/* Give another vertex the type that a rule leaves out: no job comes of it, and
   the graph answers as before. */
static void choose(struct fixture *f, const char *attributes)
{
	struct http_answer answer = fixture_send(
		f, "PUT", "/v1/graphs/g/attributes", CSV, attributes);

	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	assert_int_equal(fixture_work_all(f), 0);
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=a&to=b"), 200,
		"{\"distance\": 4, \"...\": \"*\"}");
}

/* A rule that leaves out no vertex, or every vertex, is refused before it has a
   job. A graph without attributes may still get them. */
static void test_profile_choice(void **state)
{
	static const char target[] = "/v1/graphs/g/profiles/p";
	static const struct {
		const char *body, *part;
	} cases[] = {
		{"{\"without\": [\"type:KX\"]}", "did you mean 'KC'?"},
		{"{\"without\": [\"tipe:KC\"]}", "the graph has type, side"},
		{"{\"without\": [\"type:KC\", \"side:L\"]}",
			"must all hold for the same vertex"},
		{"{\"without\": [\"type:KC\", \"type:PN\"]}",
			"every vertex, so there is no graph left"},
		{"{\"transform\": \"inv\", \"normalise\": \"input\","
		 " \"normalise_by\": \"post\"}",
			"names the attribute 'post'"},
	};
	struct fixture *f = *state;
	struct apsp_job_failure failure = {.err.code = APSP_EDEVICE};
	struct apsp_job_progress last = {0};
	struct apsp_job_spec job;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/g", small);
	REFUSED(fixture_send(
			f, "PUT", target, NULL, "{\"without\": [\"label:d\"]}"),
		422, "bad-data", "no vertex has this label");
	answer = fixture_send(
		f, "PUT", target, NULL, "{\"without\": [\"type:KC\"]}");
	assert_int_equal(answer.status, 202);
	assert_int_equal(
		json_array_size(json_object_get(answer.json, "warnings")), 1);
	http_answer_done(&answer);
	answer = fixture_send(f, "DELETE", target, NULL, NULL);
	assert_int_equal(answer.status, 204);
	http_answer_done(&answer);
	answer = fixture_send(f, "PUT", "/v1/graphs/g/attributes", CSV,
		"label,type,side\na,KC,R\nb,KC,R\nc,PN,L\n");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		REFUSED(fixture_send(f, "PUT", target, NULL, cases[i].body),
			422, "bad-data", cases[i].part);
	REFUSED(fixture_get(f, target), 404, "unknown-profile", "'p'");
	/* other attributes bring back neither a rule that failed while an
	   earlier one answers nor a cancelled upload */
	EXPECT(fixture_send(f, "PUT",
		       "/v1/graphs/g/profiles/default?default_rule=replace",
		       NULL, "{\"without\": [\"type:KC\"]}"),
		202, "{\"...\": \"*\"}");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	apsp_job_tries_fail(f->store, &job, &last, &failure, false);
	choose(f, "label,type\nb,KC\n");
	EXPECT(fixture_send(f, "PUT",
		       "/v1/graphs/g?default_rule=replace&transform=none"
		       "&without=type:KC",
		       CSV, "a,b,1\nb,c,1\n"),
		202, "{\"job\": \"4\", \"...\": \"*\"}");
	EXPECT(fixture_send(f, "DELETE", "/v1/jobs/4", NULL, NULL), 200,
		"{\"state\": \"cancelled\", \"...\": \"*\"}");
	choose(f, "label,type\nc,KC\n");
}

struct put_wait {
	struct fixture *fixture;
	const char *target, *headers, *body;
	struct http_answer answer;
	char transform[16];
};

static void *put_wait(void *arg)
{
	struct put_wait *put = arg;

	put->answer = fixture_send(
		put->fixture, "PUT", put->target, put->headers, put->body);
	return NULL;
}

/* Send a PUT that waits for its job, do the job, and return the answer. */
static struct http_answer put_and_work(struct fixture *f, const char *target,
	const char *headers, const char *body)
{
	struct put_wait put = {f, target, headers, body, {0}};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, put_wait, &put), 0);
	while (fixture_work_all(f) == 0)
		sched_yield();
	pthread_join(thread, NULL);
	return put.answer;
}

/* PUT with wait= replies when the job has ended. */
static void test_put_wait(void **state)
{
	static const char cycle[] = "a,b,1\nb,a,-2\n";
	static const char p[] = "/v1/graphs/g/profiles/p?wait=30";
	struct fixture *f = *state;
	struct put_wait put = {f, p, NULL, "{\"transform\": \"hops\"}", {0}};
	struct timespec before, after;
	struct http_answer answer;
	pthread_t thread;
	int status;

	EXPECT(put_and_work(
		       f, "/v1/graphs/g?transform=none&wait=30", CSV, small),
		200,
		"{\"job\": \"1\", \"jobs\": {}, \"state\": \"succeeded\","
		" \"...\": \"*\"}");
	EXPECT(put_and_work(f, p, NULL, "{\"transform\": \"inv\"}"), 200,
		"{\"job\": \"2\", \"jobs\": {}, \"state\": \"succeeded\","
		" \"graph\": \"g\", \"revision\": \"*\", \"vertices\": 3,"
		" \"arcs\": 5, \"profile\": \"p\", \"transform\": \"inv\","
		" \"warnings\": []}");
	/* the tables exist, so there is no job */
	answer = fixture_send(f, "PUT", p, NULL, "{\"transform\": \"inv\"}");
	assert_int_equal(answer.status, 200);
	assert_true(json_is_null(json_object_get(answer.json, "job")));
	http_answer_done(&answer);

	/* the time is over before the job has begun */
	clock_gettime(CLOCK_MONOTONIC, &before);
	EXPECT(fixture_send(f, "PUT", "/v1/graphs/g/profiles/q?wait=1", NULL,
		       "{\"min_weight\": 2}"),
		202,
		"{\"job\": \"3\", \"jobs\": {\"q\": \"3\"},"
		" \"state\": \"queued\", \"graph\": \"g\","
		" \"revision\": \"*\", \"vertices\": 3, \"arcs\": 5,"
		" \"profile\": \"q\", \"transform\": \"none\","
		" \"warnings\": []}");
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true((after.tv_sec - before.tv_sec) * 1000000000 +
			    after.tv_nsec - before.tv_nsec >=
		    1000000000);
	assert_int_equal(fixture_work_all(f), 1);

	/* the profile gets another rule during the wait */
	assert_int_equal(pthread_create(&thread, NULL, put_wait, &put), 0);
	do {
		answer = fixture_get(f, "/v1/graphs/g/profiles/p");
		strcpy(put.transform, json_string_value(json_object_get(
					      answer.json, "transform")));
		http_answer_done(&answer);
	} while (strcmp(put.transform, "hops") != 0);
	answer = fixture_send(f, "PUT", "/v1/graphs/g/profiles/p", NULL,
		"{\"min_weight\": 3}");
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	fixture_work_all(f);
	pthread_join(thread, NULL);
	REFUSED(put.answer, 412, "precondition-failed", "rule of the profile");

	/* the same file comes with another rule before the tables are there */
	put = (struct put_wait){.fixture = f,
		.target = "/v1/graphs/g?transform=inv&wait=30"
			  "&default_rule=replace",
		.headers = CSV,
		.body = "a,b,4\n"};
	assert_int_equal(pthread_create(&thread, NULL, put_wait, &put), 0);
	do {
		answer = fixture_get(f, "/v1/jobs/6");
		status = answer.status;
		http_answer_done(&answer);
	} while (status != 200);
	/* the first upload may still hold the places that it has reserved in
	   the queue */
	do {
		answer = fixture_send(f, "PUT",
			"/v1/graphs/g?transform=hops&default_rule=replace", CSV,
			put.body);
		status = answer.status;
		http_answer_done(&answer);
	} while (status == 429);
	assert_int_equal(status, 202);
	pthread_join(thread, NULL);
	REFUSED(put.answer, 412, "precondition-failed", "rule of the profile");

	/* the upload is pending; the job of another rule for its profile is
	   cancelled */
	put = (struct put_wait){
		.fixture = f, .target = p, .body = "{\"transform\": \"inv\"}"};
	assert_int_equal(pthread_create(&thread, NULL, put_wait, &put), 0);
	do {
		answer = fixture_send(f, "DELETE", "/v1/jobs/12", NULL, NULL);
		status = answer.status;
		http_answer_done(&answer);
	} while (status != 200);
	pthread_join(thread, NULL);
	REFUSED(put.answer, 409, "tables-failed", "job 12 was cancelled");

	/* the job fails */
	REFUSED(put_and_work(
			f, "/v1/graphs/h?transform=none&wait=30", CSV, cycle),
		409, "tables-failed", "failed: ");
	EXPECT(put_and_work(
		       f, "/v1/graphs/h?transform=hops&wait=30", CSV, cycle),
		200, "{\"job\": \"*\", \"...\": \"*\"}");
	answer = put_and_work(f, "/v1/graphs/h/profiles/p?wait=30", NULL,
		"{\"transform\": \"none\"}");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "job_state")),
		"failed");
	REFUSED(answer, 409, "tables-failed", "negative");

	/* a wrong wait stores nothing */
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/i?transform=none&wait=31",
			CSV, small),
		400, "malformed-request", "wait");
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g/profiles/r?wait=31", NULL,
			"{}"),
		400, "malformed-request", "wait");
	REFUSED(fixture_get(f, "/v1/graphs/i"), 404, "unknown-graph", "");
	REFUSED(fixture_get(f, "/v1/graphs/g/profiles/r"), 404,
		"unknown-profile", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_unsaid_transform, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_unsaid_after_widest,
			fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_profile, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_profile_condition,
			fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_long_names, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_profile_refused, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_profile_choice, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_put_wait, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
