/*
 * Batches of pairs over HTTP: POST /v1/graphs/{graph}/paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

#include "tests/endpoint_fixture.h"

static const char arcs[] = "a,b,4\nb,c,5\na,c,20\nc,d,1\n";

static void test_pairs(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", arcs);
	EXPECT(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL,
		       "{\"pairs\": [[\"a\", \"b\"], [\"d\", \"a\"],"
		       " [\"b\", \"cc\"], [1, \"a\"], [\"a\"], \"ab\"]}"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\", \"paths\": ["
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"from\": \"a\", \"to\": \"b\", \"kind\": \"path\", "
		"\"reachable\": true,"
		" \"distance\": 4, \"hops\": 1, \"weight\": 4, \"path\": "
		"[\"a\", \"b\"],"
		" \"arcs\": [{\"weight\": 4, \"length\": 4}]},"
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"from\": \"d\", \"to\": \"a\", \"kind\": \"path\", "
		"\"reachable\": false,"
		" \"distance\": null, \"hops\": null, \"weight\": null, "
		"\"path\": null,"
		" \"arcs\": null},"
		"{\"type\": \"/problems/unknown-vertex\", \"title\": \"*\","
		" \"status\": 422, \"pointer\": \"/pairs/2/1\","
		" \"detail\": \"pairs[2][1] 'cc' is not in graph 'g'\","
		" \"suggestions\": \"*\"},"
		"{\"type\": \"/problems/bad-data\", \"title\": \"*\","
		" \"status\": 422, \"pointer\": \"/pairs/3/0\","
		" \"detail\": \"*\"},"
		"{\"type\": \"/problems/bad-data\", \"title\": \"*\","
		" \"status\": 422, \"pointer\": \"/pairs/4\","
		" \"detail\": \"*\"},"
		"{\"type\": \"/problems/bad-data\", \"title\": \"*\","
		" \"status\": 422, \"pointer\": \"/pairs/5\","
		" \"detail\": \"*\"}]}");
	EXPECT(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL,
		       "{\"pairs\": []}"),
		200,
		"{\"revision\": \"*\", \"profile\": \"default\", "
		"\"transform\": \"none\","
		" \"paths\": []}");
}

static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	json_t *pairs = json_array(), *body = json_object();
	char *text;

	fixture_graph(f, "/v1/graphs/g", arcs);
	answer = fixture_send(f, "POST", "/v1/graphs/g/paths", NULL,
		"{\"pairs\": [],\n \"pears\": 1}");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "pointer")),
		"/pears");
	REFUSED(answer, 400, "malformed-request", "pears");
	answer = fixture_send(
		f, "POST", "/v1/graphs/g/paths", NULL, "{\"pairs\":\n [1,]}");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "line")), 2);
	REFUSED(answer, 400, "malformed-request", "not JSON");
	REFUSED(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL,
			"{\"pairs\": [], \"pairs\": []}"),
		400, "malformed-request", "pairs");
	REFUSED(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL, "[]"), 400,
		"malformed-request", "not an object");
	REFUSED(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL, "{}"), 400,
		"malformed-request", "missing");
	for (int i = 0; i <= FIXTURE_PAIRS; i++)
		json_array_append_new(pairs, json_pack("[ss]", "a", "b"));
	json_object_set_new(body, "pairs", pairs);
	text = json_dumps(body, 0);
	REFUSED(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL, text), 413,
		"too-large", "more than 100 items");
	free(text);
	json_decref(body);
}

/* Suggestions look at every label, so a batch gets 20 at most. */
static void test_suggestions(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	json_t *pairs = json_array(), *row, *body;
	size_t i, n_suggested = 0;
	char *text;

	fixture_graph(f, "/v1/graphs/g", arcs);
	for (i = 0; i < 30; i++)
		json_array_append_new(pairs, json_pack("[ss]", "a", "ccc"));
	body = json_pack("{s:o}", "pairs", pairs);
	text = json_dumps(body, 0);
	answer = fixture_send(f, "POST", "/v1/graphs/g/paths", NULL, text);
	assert_int_equal(answer.status, 200);
	json_array_foreach(json_object_get(answer.json, "paths"), i, row)
	{
		assert_non_null(json_object_get(row, "pointer"));
		n_suggested += json_object_get(row, "suggestions") != NULL;
	}
	assert_int_equal(i, 30);
	assert_int_equal(n_suggested, 20);
	http_answer_done(&answer);
	free(text);
	json_decref(body);
}

/* Overwrite the one table file, but for its header, as a failing disk does. */
static void tables_damage(struct fixture *f)
{
	static char junk[APSP_TABLE_BLOCK];
	char path[600];
	struct stat st;
	glob_t found;
	int fd;

	snprintf(path, sizeof(path), "%s/tables/*.apsp", f->cache_dir);
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	fd = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	memset(junk, 0x55, sizeof(junk));
	for (off_t at = sizeof(junk); at < st.st_size; at += sizeof(junk))
		assert_int_equal(
			pwrite(fd, junk, sizeof(junk), at), sizeof(junk));
	close(fd);
	globfree(&found);
}

/* Damage is told by a status, not by an answer that ends early. */
static void test_damaged(void **state)
{
	struct fixture *f = *state;

	fixture_graph(f, "/v1/graphs/g", arcs);
	tables_damage(f);
	REFUSED(fixture_send(f, "POST", "/v1/graphs/g/paths", NULL,
			"{\"pairs\": [[\"a\", \"b\"], [\"a\", \"c\"]]}"),
		503, "damaged-table", "damaged");
}

static void test_ndjson(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char type[40];

	fixture_graph(f, "/v1/graphs/g", arcs);
	answer = fixture_send(f, "POST", "/v1/graphs/g/paths",
		"Accept: application/x-ndjson\r\n",
		"{\"pairs\": [[\"a\", \"b\"], [\"a\", \"zz\"]]}");
	assert_true(http_header(&answer, "Content-Type", type, sizeof(type)));
	assert_string_equal(type, "application/x-ndjson");
	for (char *line = strtok(answer.body, "\n"); line;
		line = strtok(NULL, "\n"), answer.status++) {
		json_t *row = json_loads(line, 0, NULL);

		assert_non_null(row);
		assert_non_null(json_object_get(
			row, answer.status == 200 ? "path" : "pointer"));
		json_decref(row);
	}
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	answer = fixture_get(
		f, "/v1/graphs/g/vertices?q=A&limit=1&format=ndjson");
	assert_string_equal(answer.body, "\"a\"\n");
	http_answer_done(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_pairs, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_refused, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_suggestions, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_damaged, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_ndjson, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
