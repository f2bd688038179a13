/*
 * The rule of `default`, once it answers: another one needs
 * default_rule=replace, in uploads and in the profile, at the request's head
 * and in the last transaction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/endpoint_fixture.h"

static const char small[] = "a,b,4\nb,c,5\na,c,20\n";
static const char other[] = "a,b,4\nb,c,5\na,c,2\n";

#define DEFAULT "/v1/graphs/g/profiles/default"

static void expect_status(struct http_answer answer, int status)
{
	if (answer.status != status)
		fprintf(stderr, "wanted %d, found %s\n", status, answer.text);
	assert_int_equal(answer.status, status);
	http_answer_done(&answer);
}

static void upload(
	struct fixture *f, const char *query, const char *csv, int status)
{
	char target[200];

	snprintf(target, sizeof(target), "/v1/graphs/g?%s", query);
	expect_status(fixture_send(f, "PUT", target, CSV, csv), status);
	fixture_work_all(f);
}

/* The member of the rule by which `default` answers, as text. */
static void rule_has(struct fixture *f, const char *member, const char *value)
{
	struct http_answer answer = fixture_get(f, DEFAULT);
	const json_t *found = json_object_get(answer.json, member);
	char text[32];

	snprintf(text, sizeof(text), "%g", json_number_value(found));
	assert_string_equal(
		json_is_string(found) ? json_string_value(found) : text, value);
	http_answer_done(&answer);
}

#define BOTH(rule, said)                                                       \
	"{\"type\": \"/problems/rule-differs\", \"rule\": {" rule              \
	", \"...\": \"*\"}, \"said\": {" said                                  \
	", \"...\": \"*\"}, \"...\": \"*\"}"

/* Every option that changes lengths, in an upload; both rules are shown. */
static void test_upload_refused(void **state)
{
	static const char *const changes[] = {"transform=hops",
		"transform=inv&min_weight=3", "min_weight=3",
		"transform=inv&duplicates=max", "transform=inv&invalid=drop",
		"duplicates=last"};
	static const char *const sums[] = {"transform=inv", "path=widest"};
	struct fixture *f = *state;
	char target[64], query[64];

	upload(f, "transform=inv", small, 202);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		upload(f, changes[i], small, 409);
		upload(f, changes[i], other, 409);
	}
	EXPECT(fixture_send(
		       f, "PUT", "/v1/graphs/g?transform=hops", CSV, small),
		409, BOTH("\"transform\": \"inv\"", "\"transform\": \"hops\""));
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g?min_weight=3", CSV, small),
		409, "rule-differs",
		"the graph's rule has no min_weight, and this request has "
		"min_weight=3: leave out the options to keep the rule, put a "
		"profile of your own, or add default_rule=replace");
	rule_has(f, "transform", "inv");
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=a&to=b"), 200,
		"{\"distance\": 0.25, \"...\": \"*\"}");
	/* `sum` is the default of these rules, too, without counted rows */
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		snprintf(target, sizeof(target), "/v1/graphs/g?%s", sums[i]);
		snprintf(query, sizeof(query),
			"%s&duplicates=max&default_rule=replace", sums[i]);
		upload(f, query, small, 202);
		REFUSED(fixture_send(f, "PUT", target, CSV, small), 409,
			"rule-differs",
			"has duplicates=max, and this request has "
			"duplicates=sum: leave out");
	}
}

/* The same rule, none, and what leaves lengths as they are. */
static void test_upload_accepted(void **state)
{
	struct fixture *f = *state;

	upload(f, "transform=inv&min_weight=3", small, 202);
	upload(f, "transform=inv&min_weight=3", small, 200);
	upload(f, "transform=inv&min_weight=3.0", other, 202);
	upload(f, "", small, 202);
	upload(f, "precision=float64", small, 202);
	upload(f, "algorithm=reference", small, 202);
	upload(f, "tables=distance", small, 202);
	upload(f, "measures=none", other, 202);
	rule_has(f, "transform", "inv");
	rule_has(f, "min_weight", "3");
	rule_has(f, "precision", "float64");
	upload(f, "default_rule=replace", other, 200);
	rule_has(f, "transform", "inv");
	upload(f, "transform=hops&default_rule=replace", other, 202);
	rule_has(f, "transform", "hops");
	upload(f, "transform=inv&min_weight=3", other, 409);
}

/* Before `default` has answered anybody, its rule is changed at will. */
static void test_not_served(void **state)
{
	struct fixture *f = *state;

	expect_status(fixture_send(f, "PUT", "/v1/graphs/g?transform=inv", CSV,
			      small),
		202);
	expect_status(fixture_send(f, "PUT", "/v1/graphs/g?transform=hops", CSV,
			      small),
		202);
	expect_status(fixture_send(f, "PUT", DEFAULT, NULL,
			      "{\"transform\": \"inv\"}"),
		202);
	/* a first job that failed has answered nobody, either */
	upload(f, "transform=none", "a,b,-1\nb,a,-1\n", 202);
	upload(f, "transform=hops", small, 202);
	upload(f, "transform=inv", small, 409);
}

/* A replacement that fails leaves the rule that answers. */
static void test_failed_replacement(void **state)
{
	static const char negative[] = "a,b,-1\nb,a,-1\n";
	struct fixture *f = *state;

	upload(f, "transform=hops", small, 202);
	upload(f, "transform=none&default_rule=replace", negative, 202);
	upload(f, "transform=none", small, 409);
	upload(f, "transform=hops", other, 202);
	upload(f, "transform=none&default_rule=replace", negative, 202);
	upload(f, "", small, 202);
	rule_has(f, "transform", "hops");
	/* one that is under way is the rule by now */
	expect_status(fixture_send(f, "PUT",
			      "/v1/graphs/g?transform=inv&default_rule=replace",
			      CSV, small),
		202);
	expect_status(fixture_send(f, "PUT", "/v1/graphs/g?transform=hops", CSV,
			      small),
		409);
	fixture_work_all(f);
}

static void test_profile(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char tag[100], header[140];

	upload(f, "transform=inv&min_weight=3", small, 202);
	EXPECT(fixture_send(
		       f, "PUT", DEFAULT, NULL, "{\"transform\": \"hops\"}"),
		409,
		BOTH("\"transform\": \"inv\", \"min_weight\": 3",
			"\"transform\": \"hops\", \"min_weight\": null"));
	answer = fixture_get(f, DEFAULT);
	assert_true(http_header(&answer, "ETag", tag, sizeof(tag)));
	http_answer_done(&answer);
	snprintf(header, sizeof(header), "If-Match: %s\r\n", tag);
	REFUSED(fixture_send(
			f, "PUT", DEFAULT, header, "{\"transform\": \"inv\"}"),
		409, "rule-differs",
		"has min_weight=3, and this request has no m");
	/* what is not said is kept */
	expect_status(fixture_send(f, "PUT", DEFAULT, NULL, "{}"), 200);
	expect_status(fixture_send(f, "PUT", DEFAULT, NULL,
			      "{\"precision\": \"float64\"}"),
		202);
	rule_has(f, "min_weight", "3");
	REFUSED(fixture_send(f, "PUT", DEFAULT, NULL,
			"{\"default_rule\": \"replace\"}"),
		400, "malformed-request", "belongs in the query");
	expect_status(fixture_send(f, "PUT", DEFAULT "?default_rule=replace",
			      NULL, "{\"transform\": \"hops\"}"),
		202);
	rule_has(f, "transform", "hops");
	/* another profile is its owner's */
	expect_status(fixture_send(f, "PUT", "/v1/graphs/g/profiles/own", NULL,
			      "{\"transform\": \"inv\"}"),
		202);
	expect_status(fixture_send(f, "PUT", "/v1/graphs/g/profiles/own", NULL,
			      "{\"transform\": \"none\"}"),
		202);
	REFUSED(fixture_send(
			f, "PUT", "/v1/graphs/g?default_rule=yes", CSV, small),
		400, "malformed-request", "expected replace");
}

/* Counted rows are summed: by the same upload again, by a profile with the
   transform of `default`, and in a part of the graph. */
static void test_counted_rows(void **state)
{
	static const char rows[] = "from,to,id\na,b,x\na,b,x\na,b,x\nb,c,x\n";
	static const char *const bodies[] = {"{}", "{\"transform\": \"none\"}"};
	static const struct {
		const char *rule;
		int status, distance;
	} parts[] = {
		{"transform=none", 202, 3},
		{"transform=none", 200, 3},
		{"transform=hops&default_rule=replace", 202, 1},
		{"transform=none&default_rule=replace", 202, 3},
	};
	struct fixture *f = *state;
	char text[100];

	REFUSED(fixture_send(f, "PUT",
			"/v1/graphs/g?weight_column=count&transform=none"
			"&duplicates=min",
			CSV, rows),
		422, "bad-data", "counts rows, which needs duplicates=sum");
	upload(f, "transform=none", small, 202);
	REFUSED(fixture_send(f, "PUT", "/v1/graphs/g?weight_column=count", CSV,
			rows),
		409, "rule-differs",
		"this request has duplicates=sum (the default for "
		"weight_column=count): leave out the options");
	expect_status(
		fixture_send(f, "DELETE", "/v1/graphs/g", NULL, NULL), 204);
	upload(f, "weight_column=count&transform=none", rows, 202);
	upload(f, "weight_column=count&transform=none", rows, 200);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		expect_status(
			fixture_send(f, "PUT", DEFAULT, NULL, bodies[i]), 200);
		/* at once: the tables are those of default */
		expect_status(fixture_send(f, "PUT", "/v1/graphs/g/profiles/p",
				      NULL, bodies[i]),
			200);
		EXPECT(fixture_get(
			       f, "/v1/graphs/g/path?from=a&to=b&profile=p"),
			200, "{\"distance\": 3, \"...\": \"*\"}");
	}
	expect_status(fixture_send(f, "PUT", "/v1/graphs/g/attributes", CSV,
			      "label,t\na,X\nb,X\n"),
		200);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		snprintf(text, sizeof(text), "/v1/graphs/p?of=g&match=t:X&%s",
			parts[i].rule);
		expect_status(fixture_send(f, "PUT", text, NULL, ""),
			parts[i].status);
		fixture_work_all(f);
		snprintf(text, sizeof(text),
			"{\"distance\": %d, \"...\": \"*\"}",
			parts[i].distance);
		EXPECT(fixture_get(f, "/v1/graphs/p/path?from=a&to=b"), 200,
			text);
	}
}

/* A profile that differs from `default` in the path, which may be widest, does
   not take the `duplicates` of `default`. */
static void test_other_path(void **state)
{
	static const char *const paths[] = {"widest", "shortest"};
	static const struct {
		const char *body, *duplicates[2];
	} cases[] = {
		{"{\"min_weight\": 0.5}", {"max", "max"}},
		{"{\"transform\": \"none\"}", {"min", "max"}},
		{"{\"path\": \"widest\"}", {"max", "sum"}},
	};
	struct fixture *f = *state;
	struct http_answer answer;
	char text[100];

	for (size_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			"transform=none&duplicates=max&path=%s"
			"&default_rule=replace",
			paths[i]);
		upload(f, text, small, 202);
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
			answer = fixture_send(f, "PUT",
				"/v1/graphs/g/profiles/p", NULL, cases[k].body);
			http_answer_done(&answer);
			snprintf(text, sizeof(text),
				"{\"duplicates\": \"%s\", \"...\": \"*\"}",
				cases[k].duplicates[i]);
			EXPECT(fixture_get(f, "/v1/graphs/g/profiles/p"), 200,
				text);
		}
	}
}

/* A graph from a graph whose next upload is queued has the rule and the arcs of
   the upload that answers. */
static void test_origin_pending(void **state)
{
	static const char *const queries[] = {"match=t:X", "by=t"};
	struct fixture *f = *state;
	char target[64];

	upload(f, "transform=inv", small, 202);
	expect_status(fixture_send(f, "PUT", "/v1/graphs/g/attributes", CSV,
			      "label,t\na,X\nb,X\nc,Y\n"),
		200);
	expect_status(
		fixture_send(f, "PUT",
			"/v1/graphs/g?transform=hops&default_rule=replace", CSV,
			other),
		202);
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		snprintf(target, sizeof(target), "/v1/graphs/p%zu?of=g&%s", i,
			queries[i]);
		EXPECT(fixture_send(f, "PUT", target, NULL, ""), 202,
			"{\"transform\": \"inv\", \"...\": \"*\"}");
	}
	fixture_work_all(f);
}

/* Send a head that promises the body of `small`. */
static int head_send(struct fixture *f, const char *query, const char *more)
{
	int fd = http_connect(f->port), n;
	char head[400];

	n = snprintf(head, sizeof(head),
		"PUT /v1/graphs/g?%s HTTP/1.1\r\nHost: localhost\r\n"
		"Connection: close\r\nContent-Length: %zu\r\n%s" CSV "\r\n",
		query, strlen(small), more);
	assert_int_equal(write(fd, head, (size_t)n), n);
	return fd;
}

/* The head is enough to be refused. */
static void test_head(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer = {0};
	int fd;

	upload(f, "transform=inv", small, 202);
	fd = head_send(f, "transform=hops", "");
	http_read(fd, &answer);
	close(fd);
	REFUSED(answer, 409, "rule-differs", "this request has transform=hops");
}

/* What a head was let in for is looked at again where it is stored. */
static void test_last_transaction(void **state)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct fixture *f = *state;
	struct http_answer answer = {0};
	char found[sizeof(go_on)] = "";
	int fd;

	fd = head_send(f, "transform=hops", "Expect: 100-continue\r\n");
	assert_true(http_read_bytes(fd, found, sizeof(go_on) - 1));
	assert_string_equal(found, go_on);
	upload(f, "transform=inv", other, 202);
	assert_int_equal(write(fd, small, strlen(small)), strlen(small));
	http_read(fd, &answer);
	close(fd);
	EXPECT(answer, 409,
		BOTH("\"transform\": \"inv\"", "\"transform\": \"hops\""));
	rule_has(f, "transform", "inv");
}

/* An upload that keeps the rule never puts back a rule that was replaced while
   the body was sent, also of a graph that was deleted. */
static void test_kept_rule_replaced(void **state)
{
	static const char *const queries[] = {
		"", "default_rule=replace", "tables=distance"};
	struct fixture *f = *state;
	struct http_answer answer = {0};

	for (size_t i = 0; i < 2 * sizeof(queries) / sizeof(*queries); i++) {
		int fd;

		upload(f, "transform=inv&default_rule=replace", small, 202);
		fd = head_send(f, queries[i / 2], "");
		if (i % 2)
			expect_status(fixture_send(f, "DELETE", "/v1/graphs/g",
					      NULL, NULL),
				204);
		upload(f, "transform=hops&default_rule=replace", small, 202);
		assert_int_equal(
			write(fd, small, strlen(small)), strlen(small));
		http_read(fd, &answer);
		close(fd);
		REFUSED(answer, 503, "busy",
			"the graph was deleted or got another rule while the "
			"upload was sent; ask again");
		rule_has(f, "transform", "hops");
	}
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_upload_refused),
		TEST(test_upload_accepted),
		TEST(test_not_served),
		TEST(test_failed_replacement),
		TEST(test_profile),
		TEST(test_counted_rows),
		TEST(test_other_path),
		TEST(test_origin_pending),
		TEST(test_head),
		TEST(test_last_transaction),
		TEST(test_kept_rule_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
