/*
 * apspd-follow: the requests to the writer and to our daemon for each list, the
 * copy of a graph, and the line that is printed each minute of a transfer, so
 * that the daemon does not end the process. The writer and the daemon of these
 * tests are functions of the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/follow/fetch/fetch_main.h"
#include "daemon/follow/fetch/graph_copy.h"
#include "daemon/follow/fetch/local.h"

enum { SECOND_MS = 1000, HOUR_S = 3600 };

/* a list with a graph of the writer; the arguments are JSON */
#define LIST(graphs) "{\"next\":null,\"graphs\":[" graphs "]}"
#define GRAPH(name, stamp, revision, pending, profiles)                        \
	"{\"name\":\"" name "\",\"stamp\":" stamp ",\"revision\":" revision    \
	",\"pending\":" pending ",\"attributes\":[],\"profiles\":" profiles    \
	"}"
#define LISTED(stamp, revision, pending, profiles)                             \
	LIST(GRAPH("g", stamp, revision, pending, profiles))
#define READY "[{\"name\":\"default\",\"state\":\"ready\"}]"
/* a graph of our daemon as JSON; the arguments are JSON, too */
#define OURS(revision, attributes, profiles)                                   \
	"{\"name\":\"g\",\"stamp\":\"1\",\"revision\":" revision               \
	",\"attributes\":" attributes ",\"profiles\":" profiles "}"

static int64_t now_ms;
static int64_t round_ms;      /* time that passes between two lists */
static unsigned int bundle_s; /* one byte of the bundle arrives each second;
				 0: the writer has no bundle */
static unsigned int n_sent;
/* requests that change our daemon or fetch a bundle, in their order, and the
   request for a list after the last list */
static char asked[1024];
static char known_tags[2 * APSP_WRITER_TAG_SIZE];
static const char *our_graph; /* our daemon's graph as JSON */
static int upload_status;     /* status of the answer to uploads */
static const char *refusal;   /* body of the answer to uploads */
static bool deletion_helps;   /* uploads succeed when attributes are deleted */
/* the writer's lists of graphs, one for each round; NULL ends them */
static const char *const *lists;
static const char *wanted; /* `asked` after the last list */

int64_t __wrap_apsp_clock_ms(void);
int __wrap_poll(struct pollfd *fds, nfds_t n_fds, int timeout_ms);
int __wrap_apsp_writer_new(const char *url, const char *token_file,
	struct apsp_writer **out, struct apsp_err *err);
int __wrap_apsp_writer_list(struct apsp_writer *writer, int wait_s,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_graph_list *out,
	struct apsp_err *err);
int __wrap_apsp_writer_bundle(struct apsp_writer *writer, const char *target,
	const char *known, const struct apsp_writer_sink *sink,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_err *err);
int __wrap_apsp_local_begin(const char *method, const char *target,
	uint64_t body_bytes, struct apsp_local_request *out,
	struct apsp_err *err);
bool __wrap_apsp_local_send(
	struct apsp_local_request *request, const char *data, size_t size);
int __wrap_apsp_local_finish(struct apsp_local_request *request,
	struct apsp_local_answer *out, struct apsp_err *err);
int __wrap_apsp_local_ask(const char *method, const char *target,
	struct apsp_local_answer *out, struct apsp_err *err);

int64_t __wrap_apsp_clock_ms(void)
{
	return now_ms;
}

int __wrap_poll(struct pollfd *fds, nfds_t n_fds, int timeout_ms)
{
	(void)fds;
	(void)n_fds;
	(void)timeout_ms;
	now_ms += round_ms;
	return 0;
}

int __wrap_apsp_writer_new(const char *url, const char *token_file,
	struct apsp_writer **out, struct apsp_err *err)
{
	(void)url;
	(void)token_file;
	(void)out;
	(void)err;
	return 0;
}

static void note(const char *method, const char *target)
{
	size_t n = strlen(asked);

	snprintf(asked + n, sizeof(asked) - n, "%s %s\n", method, target);
}

int __wrap_apsp_writer_list(struct apsp_writer *writer, int wait_s,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_graph_list *out,
	struct apsp_err *err)
{
	char last[32];

	(void)writer;
	(void)tag;
	if (!*lists) {
		snprintf(last, sizeof(last), "/v1/graphs?wait=%d", wait_s);
		note("GET", last);
		if (strcmp(asked, wanted) != 0)
			print_error("asked:\n%s", asked);
		_exit(strcmp(asked, wanted) != 0);
	}
	assert_int_equal(
		apsp_graph_list_add(out, *lists, strlen(*lists), err), 0);
	lists++;
	return 1;
}

int __wrap_apsp_writer_bundle(struct apsp_writer *writer, const char *target,
	const char *known, const struct apsp_writer_sink *sink,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_err *err)
{
	(void)writer;
	note("GET", target);
	snprintf(known_tags, sizeof(known_tags), "%s", known);
	if (bundle_s == 0)
		return apsp_fail(err, APSP_EDATA, "no bundle");
	assert_true(sink->begin(sink->ctx, bundle_s));
	for (unsigned int s = 0; s < bundle_s; s++) {
		now_ms += SECOND_MS;
		assert_true(sink->bytes(sink->ctx, "x", 1));
	}
	strcpy(tag, "\"a\"");
	return 1;
}

int __wrap_apsp_local_begin(const char *method, const char *target,
	uint64_t body_bytes, struct apsp_local_request *out,
	struct apsp_err *err)
{
	(void)err;
	note(method, target);
	assert_int_equal(body_bytes, bundle_s);
	out->fd = -1;
	return 0;
}

bool __wrap_apsp_local_send(
	struct apsp_local_request *request, const char *data, size_t size)
{
	(void)request;
	(void)data;
	n_sent += size;
	return true;
}

int __wrap_apsp_local_finish(struct apsp_local_request *request,
	struct apsp_local_answer *out, struct apsp_err *err)
{
	(void)request;
	(void)err;
	out->status = upload_status;
	out->body = strdup(refusal);
	assert_non_null(out->body);
	out->body_size = strlen(out->body);
	return 0;
}

int __wrap_apsp_local_ask(const char *method, const char *target,
	struct apsp_local_answer *out, struct apsp_err *err)
{
	int size;

	(void)err;
	if (strcmp(method, "DELETE") == 0) {
		note(method, target);
		if (deletion_helps && strstr(target, "/attributes"))
			upload_status = 202;
		out->status = 204;
		return 0;
	}
	if (strcmp(method, "HEAD") == 0)
		strcpy(out->etag, "\"ours\"");
	out->status = 200;
	size = strncmp(target, "/v1/graphs?", 11) == 0
		       ? asprintf(&out->body, "{\"next\":null,\"graphs\":[%s]}",
				 our_graph)
		       : asprintf(&out->body, "%s", our_graph);
	assert_true(size >= 0);
	out->body_size = (size_t)size;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	asked[0] = '\0';
	our_graph = OURS("null", "[]", "[]");
	upload_status = 202;
	refusal = "{}";
	deletion_helps = false;
	bundle_s = 1;
	round_ms = 0;
	n_sent = 0;
	return 0;
}

static void test_long_transfer(void **state)
{
	struct apsp_listed_graph graph = {.name = "g", .revision = "ab"};
	struct apsp_copied copied = {0};
	struct apsp_err err = {0};
	int old = dup(STDOUT_FILENO), r;
	FILE *printed = tmpfile();
	unsigned int n_lines = 0;
	char line[64];

	(void)state;
	bundle_s = HOUR_S;
	assert_non_null(printed);
	fflush(stdout);
	dup2(fileno(printed), STDOUT_FILENO);
	r = apsp_graph_copy(NULL, &graph, &copied, &err);
	dup2(old, STDOUT_FILENO);
	close(old);
	assert_int_equal(r, 0);
	assert_int_equal(n_sent, HOUR_S);
	rewind(printed);
	for (; fgets(line, sizeof(line), printed); n_lines++)
		assert_string_equal(line, "alive\n");
	assert_int_equal(n_lines, HOUR_S / 60);
	fclose(printed);
}

/* Profiles that the writer's graph lacks are deleted before the bundle is sent:
   an upload would keep them. The writer may have them again when it sends the
   bundle, so the bundle is fetched even if it is the last one. */
static void test_deleted_first(void **state)
{
	struct apsp_listed_profile profile = {.name = "default"};
	struct apsp_listed_graph graph = {.name = "g", .revision = "ab"};
	struct apsp_copied copied = {.tag = "\"a\""};
	struct apsp_err err = {0};

	(void)state;
	our_graph = OURS(
		"\"aa\"", "[]", "[{\"name\":\"hops\",\"state\":\"ready\"}]");
	assert_int_equal(apsp_graph_copy(NULL, &graph, &copied, &err), 0);
	assert_string_equal(asked, "DELETE /v1/graphs/g/profiles/hops\n"
				   "GET /v1/graphs/g/bundle?revision=ab\n"
				   "PUT /v1/graphs/g?default_rule=replace\n");
	assert_string_equal(known_tags, "\"ours\"");
	our_graph = OURS("\"aa\"", "[]", "[]");
	assert_int_equal(apsp_graph_copy(NULL, &graph, &copied, &err), 0);
	assert_string_equal(known_tags, "\"ours\", \"a\"");
	/* our bundle does not show what running jobs will change */
	our_graph = OURS("\"aa\"", "[]",
		"[{\"name\":\"default\",\"state\":\"computing\"}]");
	graph.profiles = &profile;
	graph.n_profiles = 1;
	assert_int_equal(apsp_graph_copy(NULL, &graph, &copied, &err), 0);
	assert_string_equal(known_tags, "\"a\"");
	/* an upload keeps what a pending upload has */
	our_graph = "{\"revision\":\"aa\",\"pending\":{\"profiles\":"
		    "[{\"name\":\"inv\"}]}}";
	asked[0] = '\0';
	assert_int_equal(apsp_graph_copy(NULL, &graph, &copied, &err), 0);
	assert_string_equal(asked, "DELETE /v1/graphs/g/profiles/inv\n"
				   "GET /v1/graphs/g/bundle?revision=ab\n"
				   "PUT /v1/graphs/g?default_rule=replace\n");
	assert_string_equal(known_tags, "");
}

/* The rules by which our daemon answers may need attributes that the writer's
   graph lacks. They are deleted when the bundle's jobs have ended, or if our
   daemon refuses the bundle because of them. */
static void test_attributes_deleted_last(void **state)
{
	struct apsp_listed_profile profile = {.name = "p", .is_ready = true};
	struct apsp_listed_graph graph = {.name = "g", .revision = "ab"};
	struct apsp_copied copied = {0};
	struct apsp_err err = {0};

	(void)state;
	our_graph = OURS("\"ab\"", "[\"type\"]",
		"[{\"name\":\"default\",\"state\":\"computing\"}]");
	assert_int_equal(apsp_graph_copy(NULL, &graph, &copied, &err), 0);
	asked[0] = '\0';
	assert_int_equal(
		apsp_graph_copied(&graph, 0, &copied, &err), APSP_COPY_DIFFERS);
	assert_string_equal(asked, "");
	assert_string_equal(copied.tag, "\"a\"");
	our_graph = OURS("\"ab\"", "[\"type\"]", READY);
	assert_int_equal(
		apsp_graph_copied(&graph, 0, &copied, &err), APSP_COPY_ENDED);
	assert_string_equal(asked, "DELETE /v1/graphs/g/attributes\n");
	assert_string_equal(copied.tag, "");
	graph.has_attributes = true;
	asked[0] = '\0';
	assert_int_equal(
		apsp_graph_copied(&graph, 0, &copied, &err), APSP_COPY_ENDED);
	assert_string_equal(asked, "");
	/* the copy does not answer as the writer if tables of the writer are
	   still being computed */
	graph.profiles = &profile;
	graph.n_profiles = 1;
	our_graph = OURS(
		"\"ab\"", "[]", "[{\"name\":\"p\",\"state\":\"computing\"}]");
	assert_int_equal(
		apsp_graph_copied(&graph, 0, &copied, &err), APSP_COPY_DIFFERS);
	profile.is_ready = false;
	assert_int_equal(
		apsp_graph_copied(&graph, 0, &copied, &err), APSP_COPY_ANSWERS);

	graph.n_profiles = 0;
	graph.has_attributes = false;
	upload_status = 413;
	refusal = "{\"detail\":\"the bundle is too large\"}";
	our_graph = OURS("\"aa\"", "[\"type\"]", "[]");
	assert_int_equal(
		apsp_graph_copy(NULL, &graph, &copied, &err), APSP_EDATA);
	assert_string_equal(asked, "GET /v1/graphs/g/bundle?revision=ab\n"
				   "PUT /v1/graphs/g?default_rule=replace\n");
	asked[0] = '\0';
	refusal = "{\"detail\":\"the graph keeps its attributes, but\"}";
	deletion_helps = true;
	assert_int_equal(apsp_graph_copy(NULL, &graph, &copied, &err), 0);
	assert_string_equal(asked, "GET /v1/graphs/g/bundle?revision=ab\n"
				   "PUT /v1/graphs/g?default_rule=replace\n"
				   "DELETE /v1/graphs/g/attributes\n"
				   "GET /v1/graphs/g/bundle?revision=ab\n"
				   "PUT /v1/graphs/g?default_rule=replace\n");
	assert_string_equal(copied.tag, "\"a\"");
	/* the bundle is sent again only once */
	upload_status = 413;
	deletion_helps = false;
	assert_int_equal(
		apsp_graph_copy(NULL, &graph, &copied, &err), APSP_ETOOLARGE);
}

/* If the cache has no room for the writer's tables, the next try is without
   tables. If memory is short, the next try is the same. */
static void test_no_room(void **state)
{
	struct apsp_listed_graph graph = {.name = "g", .revision = "ab"};
	struct apsp_copied copied = {0};
	struct apsp_err err = {0};

	(void)state;
	upload_status = 507;
	refusal = "{\"type\":\"/problems/no-memory\"}";
	assert_int_equal(
		apsp_graph_copy(NULL, &graph, &copied, &err), APSP_EDATA);
	refusal = "{\"type\":\"/problems/no-space\"}";
	assert_int_equal(
		apsp_graph_copy(NULL, &graph, &copied, &err), APSP_EDATA);
	upload_status = 202;
	assert_int_equal(apsp_graph_copy(NULL, &graph, &copied, &err), 0);
	assert_string_equal(asked,
		"GET /v1/graphs/g/bundle?revision=ab\n"
		"PUT /v1/graphs/g?default_rule=replace\n"
		"GET /v1/graphs/g/bundle?revision=ab\n"
		"PUT /v1/graphs/g?default_rule=replace\n"
		"GET /v1/graphs/g/bundle?revision=ab&tables=none\n"
		"PUT /v1/graphs/g?tables=recompute&default_rule=replace\n");
}

/* Follow a writer with these lists in a process of its own, because
   apsp_fetch_main() does not return. Check the requests. */
static void follow(const char *const *these, const char *requests)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		lists = these;
		wanted = requests;
		apsp_fetch_main("", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A new graph of the writer never has the contents of our daemon's graph of the
   same name. A graph that the writer cannot read is kept, and so is a graph
   that is missing in a list that is not complete. */
static void test_made_again(void **state)
{
	static const char *const these[] = {
		LISTED("\"1\"", "null", "null", "[]"),
		LISTED("\"2\"", "null", "{}", "[]"),
		LISTED("\"3\"", "null", "{}", "[]"),
		LISTED("\"4\"", "\"ab\"", "null", READY),
		NULL,
	};
	static const char *const partial[] = {
		"{\"next\":null,\"complete\":false,\"graphs\":[]}",
		NULL,
	};

	(void)state;
	follow(these, "DELETE /v1/graphs/g\n"
		      "GET /v1/graphs/g/bundle?revision=ab\n"
		      "PUT /v1/graphs/g?default_rule=replace\n"
		      "GET /v1/graphs?wait=10\n");
	follow(partial, "GET /v1/graphs?wait=1\n");
}

/* While a copy answers and its attributes wait for the end of a job, the child
   asks for the writer's list each second. */
static void test_trims(void **state)
{
	static const char *const these[] = {
		LISTED("\"1\"", "\"ab\"", "null", READY),
		NULL,
	};

	(void)state;
	our_graph = OURS("\"ab\"", "[\"type\"]",
		"[{\"name\":\"default\",\"state\":\"computing\"}]");
	follow(these, "GET /v1/graphs/g/bundle?revision=ab&tables=none\n"
		      "PUT /v1/graphs/g?tables=recompute&default_rule=replace\n"
		      "GET /v1/graphs?wait=1\n");
}

/* The pause after a copy that failed ends when the writer's graph changes or
   goes. The clock of this test stands still. */
static void test_pause_ends(void **state)
{
	static const char *const these[] = {
		LISTED("\"1\"", "\"aa\"", "null", READY),
		LISTED("\"1\"", "\"aa\"", "null", READY),
		LISTED("\"2\"", "\"ab\"", "null", READY),
		LISTED("\"2\"", "\"ab\"", "null", READY),
		"{\"next\":null,\"graphs\":[]}",
		NULL,
	};

	(void)state;
	bundle_s = 0;
	follow(these, "GET /v1/graphs/g/bundle?revision=aa\n"
		      "GET /v1/graphs/g/bundle?revision=ab\n"
		      "DELETE /v1/graphs/g\n"
		      "GET /v1/graphs?wait=10\n");
}

/* While our daemon's queue is full, no other bundle is fetched. A pause
   follows, which is the same for all graphs. */
static void test_full_queue(void **state)
{
#define TWO                                                                    \
	LIST(GRAPH("g", "\"1\"", "\"aa\"", "null", READY) "," GRAPH(           \
		"h", "\"1\"", "\"ab\"", "null", READY))
	static const char *const these[] = {TWO, TWO, TWO, TWO, TWO, TWO, NULL};

	(void)state;
	upload_status = 429;
	round_ms = 2500;
	follow(these, "GET /v1/graphs/g/bundle?revision=aa\n"
		      "PUT /v1/graphs/g?default_rule=replace\n"
		      "GET /v1/graphs/g/bundle?revision=aa\n"
		      "PUT /v1/graphs/g?default_rule=replace\n"
		      "GET /v1/graphs/g/bundle?revision=aa\n"
		      "PUT /v1/graphs/g?default_rule=replace\n"
		      "GET /v1/graphs?wait=1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_long_transfer, setup),
		cmocka_unit_test_setup(test_deleted_first, setup),
		cmocka_unit_test_setup(test_attributes_deleted_last, setup),
		cmocka_unit_test_setup(test_no_room, setup),
		cmocka_unit_test_setup(test_made_again, setup),
		cmocka_unit_test_setup(test_trims, setup),
		cmocka_unit_test_setup(test_pause_ends, setup),
		cmocka_unit_test_setup(test_full_queue, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
