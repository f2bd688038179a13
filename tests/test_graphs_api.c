/*
 * Graphs over HTTP: their records, lists in pages, deletion.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/endpoint_fixture.h"

/* A profile may get more options without a change here. */
#define RULE                                                                   \
	"\"transform\": \"none\", \"duplicates\": \"min\","                    \
	" \"invalid\": \"error\", \"precision\": \"float32\","                 \
	" \"min_weight\": null, \"algorithm\": null, \"...\": \"*\""

static const char small[] = "a,b,4\nb,c,5\na,c,20\na,c,7\nc,c,1\n";

/* A graph from its first upload to its tables. */
static void test_graph(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char tag[80];

	REFUSED(fixture_get(f, "/v1/graphs/g"), 404, "unknown-graph", "'g'");
	answer = fixture_send(f, "PUT",
		"/v1/graphs/g?format=csv&transform=none", NULL, small);
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	EXPECT(fixture_get(f, "/v1/graphs/g"), 200,
		"{\"name\": \"g\", \"stamp\": \"*\", \"revision\": null, "
		"\"vertices\": null,"
		" \"arcs\": null, \"format\": null, \"uploaded_at\": null, "
		"\"weight_unit\": null, \"derived_from\": null, "
		"\"attributes\": [],"
		" \"profiles\": [], \"pending\": {\"revision\": \"*\","
		" \"vertices\": 3, \"arcs\": 5, \"format\": \"csv\","
		" \"uploaded_at\": \"*\", \"weight_unit\": null, "
		"\"derived_from\": null,"
		" \"attributes\": [], \"error\": null,"
		" \"profiles\": [{\"name\": \"default\", " RULE
		", \"state\": \"computing\", \"job\": \"1\","
		" \"error\": null,"
		" \"table\": null, \"arcs\": null, \"element\": null,"
		" \"served\": null}]}}");
	assert_int_equal(fixture_work_all(f), 1);
	answer = fixture_get(f, "/v1/graphs/g");
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	assert_memory_equal(tag + 1,
		json_string_value(json_object_get(answer.json, "revision")),
		64);
	/* the profile's arcs: merged, without the self-loop */
	EXPECT(answer, 200,
		"{\"name\": \"g\", \"stamp\": \"*\", \"revision\": \"*\", "
		"\"vertices\": 3,"
		" \"arcs\": 5, \"format\": \"csv\", \"uploaded_at\": \"*\", "
		"\"weight_unit\": null, \"derived_from\": null, "
		"\"attributes\": [],"
		" \"profiles\": [{\"name\": \"default\", " RULE
		", \"state\": \"ready\", \"job\": \"1\", \"error\": null,"
		" \"table\": \"*\", \"arcs\": 3, \"element\": \"u16\","
		" \"served\": null}], \"pending\": null}");
}

/* The old upload goes on serving; the pending one tells its error. */
static void test_failed_overwrite(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;

	fixture_graph(f, "/v1/graphs/g", small);
	answer =
		fixture_send(f, "PUT", "/v1/graphs/g?format=csv&transform=none",
			NULL, "a,b,-1\nb,a,-1\n");
	http_answer_done(&answer);
	assert_int_equal(fixture_work_all(f), 1);
	answer = fixture_get(f, "/v1/graphs/g");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "arcs")), 5);
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(json_object_get(answer.json, "pending"),
				"error"),
			"type")),
		"/problems/negative-cycle");
	http_answer_done(&answer);
	answer = fixture_get(f, "/v1/graphs/g/profiles/default");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "state")),
		"ready");
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(answer.json, "pending"), "state")),
		"failed");
	http_answer_done(&answer);
	EXPECT(fixture_get(f, "/v1/graphs/g/reachable?from=a&to=c"), 200,
		"{\"revision\": \"*\", \"profile\": \"default\", \"transform\":"
		" \"none\","
		" \"from\": \"a\", \"to\": \"c\", \"reachable\": true}");
}

/* A job's end changes the record under the same revision: never 304. */
static void test_never_304(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char tag[80], header[120];

	fixture_graph(f, "/v1/graphs/g", small);
	answer = fixture_get(f, "/v1/graphs/g");
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(header, sizeof(header), "If-None-Match: %s\r\n", tag);
	answer = fixture_send(f, "GET", "/v1/graphs/g", header, NULL);
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
}

static void test_list(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char link[80];
	json_t *graphs;

	fixture_graph(f, "/v1/graphs/b", small);
	fixture_graph(f, "/v1/graphs/a", small);
	fixture_graph(f, "/v1/graphs/c", small);
	answer = fixture_get(f, "/v1/graphs?limit=2");
	graphs = json_object_get(answer.json, "graphs");
	assert_int_equal(json_array_size(graphs), 2);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(graphs, 0), "name")),
		"a");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "next")), "b");
	assert_true(http_header(&answer, "Link", link, sizeof(link)));
	assert_string_equal(link, "<?limit=2&cursor=b>; rel=\"next\"");
	http_answer_done(&answer);
	answer = fixture_get(f, "/v1/graphs?limit=2&cursor=b");
	graphs = json_object_get(answer.json, "graphs");
	assert_int_equal(json_array_size(graphs), 1);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(graphs, 0), "name")),
		"c");
	assert_true(json_is_null(json_object_get(answer.json, "next")));
	http_answer_done(&answer);
	/* the next page is that of the same question */
	answer = fixture_get(f, "/v1/graphs?format=ndjson&limit=1&cursor=a");
	assert_true(http_header(&answer, "Link", link, sizeof(link)));
	assert_string_equal(
		link, "<?format=ndjson&limit=1&cursor=b>; rel=\"next\"");
	http_answer_done(&answer);
	answer = fixture_get(f, "/v1/graphs?limit=3");
	assert_true(json_is_null(json_object_get(answer.json, "next")));
	http_answer_done(&answer);
	REFUSED(fixture_get(f, "/v1/graphs?limit=1001"), 400,
		"malformed-request", "limit");
}

static void test_delete(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char header[120];

	fixture_graph(f, "/v1/graphs/g", small);
	REFUSED(fixture_send(f, "DELETE", "/v1/graphs/g",
			"If-Match: \"other\"\r\n", NULL),
		412, "precondition-failed", "");
	/* a tag that begins with the revision is another tag */
	answer = fixture_get(f, "/v1/graphs/g");
	snprintf(header, sizeof(header), "If-Match: \"%sx\"\r\n",
		json_string_value(json_object_get(answer.json, "revision")));
	http_answer_done(&answer);
	REFUSED(fixture_send(f, "DELETE", "/v1/graphs/g", header, NULL), 412,
		"precondition-failed", "");
	answer = fixture_send(f, "DELETE", "/v1/graphs/g", NULL, NULL);
	assert_int_equal(answer.status, 204);
	assert_int_equal(answer.body_size, 0);
	http_answer_done(&answer);
	REFUSED(fixture_get(f, "/v1/graphs/g/path?from=a&to=b"), 404,
		"unknown-graph", "'g'");
	REFUSED(fixture_send(f, "DELETE", "/v1/graphs/g", NULL, NULL), 404,
		"unknown-graph", "'g'");
}

struct list_watcher {
	struct fixture *fixture;
	char headers[100];
	struct http_answer answer;
};

static void *list_watch(void *arg)
{
	struct list_watcher *watcher = arg;

	watcher->answer = fixture_send(watcher->fixture, "GET",
		"/v1/graphs?wait=30", watcher->headers, NULL);
	return NULL;
}

/*
 * Make the change, and check that it ends a wait for another list, that the
 * list has another ETag, and that graph g has another stamp exactly if it
 * changed. `tag` and `stamp` have the values before the change, and get those
 * after it.
 */
static void list_changes(struct fixture *f, const char *method,
	const char *target, const char *headers, const char *body, char tag[80],
	char stamp[17], bool of_g)
{
	struct list_watcher watcher = {.fixture = f};
	struct http_answer answer;
	const char *text = NULL;
	json_t *graph;
	pthread_t thread;
	char was[80];
	size_t i;

	snprintf(watcher.headers, sizeof(watcher.headers),
		"If-None-Match: %s\r\n", tag);
	assert_int_equal(
		pthread_create(&thread, NULL, list_watch, &watcher), 0);
	answer = fixture_send(f, method, target, headers, body);
	assert_in_range(answer.status, 200, 204);
	http_answer_done(&answer);
	pthread_join(thread, NULL);
	assert_int_equal(watcher.answer.status, 200);
	http_answer_done(&watcher.answer);
	fixture_work_all(f);

	strcpy(was, tag);
	answer = fixture_get(f, "/v1/graphs");
	assert_true(http_header(&answer, "ETag", tag, 80));
	assert_string_not_equal(tag, was);
	json_array_foreach(json_object_get(answer.json, "graphs"), i, graph)
	{
		if (strcmp(json_string_value(json_object_get(graph, "name")),
			    "g") == 0)
			text = json_string_value(
				json_object_get(graph, "stamp"));
	}
	if (text) {
		assert_int_equal(strcmp(text, stamp) != 0, of_g);
		assert_int_equal(strlen(text), 16);
		strcpy(stamp, text);
	}
	http_answer_done(&answer);
}

/* Whatever a follower must fetch changes the list's ETag and ends a wait. */
static void test_list_etag(void **state)
{
	static const char rule[] = "{\"transform\": \"hops\"}";
	static const char p[] = "/v1/graphs/g/profiles/p";
	struct fixture *f = *state;
	char tag[80] = "\"x\"", stamp[17] = "", headers[100];
	struct http_answer answer;

	list_changes(f, "PUT", "/v1/graphs/g?transform=none", CSV, small, tag,
		stamp, true);
	list_changes(f, "PUT", "/v1/graphs/g?transform=none", CSV,
		"a,b,4\nb,c,6\n", tag, stamp, true);
	list_changes(f, "PUT", p, NULL, rule, tag, stamp, true);
	list_changes(
		f, "PUT", p, NULL, "{\"min_weight\": 5}", tag, stamp, true);
	list_changes(f, "DELETE", p, NULL, NULL, tag, stamp, true);
	list_changes(f, "PUT", "/v1/graphs/g/attributes", CSV,
		"label,type\na,KC\n", tag, stamp, true);
	list_changes(f, "PUT", "/v1/graphs/g/attributes", CSV,
		"label,type\na,PN\n", tag, stamp, true);
	list_changes(f, "PUT", "/v1/graphs/h?transform=none", CSV, small, tag,
		stamp, false);
	list_changes(
		f, "DELETE", "/v1/graphs/h", NULL, NULL, tag, stamp, false);

	/* nothing changes: 304, at once or when the wait ends; all pages have
	   one ETag, and another start has another */
	snprintf(headers, sizeof(headers), "If-None-Match: %s\r\n", tag);
	answer = fixture_send(f, "GET", "/v1/graphs", headers, NULL);
	assert_int_equal(answer.status, 304);
	http_answer_done(&answer);
	answer = fixture_send(f, "GET", "/v1/graphs?wait=1", headers, NULL);
	assert_int_equal(answer.status, 304);
	http_answer_done(&answer);
	answer = fixture_send(
		f, "GET", "/v1/graphs?cursor=a&limit=1", headers, NULL);
	assert_int_equal(answer.status, 304);
	http_answer_done(&answer);
	/* without an ETag there is nothing to wait for */
	answer = fixture_get(f, "/v1/graphs?wait=30");
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	REFUSED(fixture_send(f, "GET", "/v1/graphs?wait=31", headers, NULL),
		400, "malformed-request", "wait");
	fixture_restart(f);
	answer = fixture_send(f, "GET", "/v1/graphs?wait=30", headers, NULL);
	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_graph, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_failed_overwrite, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_never_304, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_list, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_delete, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_list_etag, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
