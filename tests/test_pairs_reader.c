/*
 * Bodies of batches, JSON and CSV: good ones in any pieces, bad ones, and what
 * they hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "api/http/internal.h"
#include "api/paths/pairs_reader.h"

enum {
	MAX = 6,
};

static struct apsp_labels *labels_of(void)
{
	static const char *const texts[] = {"a", "b", "caf\xc3\xa9"};
	struct apsp_labels *labels = NULL;
	uint32_t index;

	assert_int_equal(apsp_labels_new(NULL, &labels, NULL), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(apsp_labels_intern(labels, texts[i],
					 strlen(texts[i]), &index, NULL),
			0);
	return labels;
}

/* A request whose state is the reader. */
struct reading {
	struct apsp_exchange exchange;
	struct apsp_request req;
	struct apsp_server_config config;
	struct apsp_generation generation;
	struct apsp_pairs_reader reader;
};

static void begin(struct reading *r, struct apsp_labels *labels, uint32_t max,
	struct apsp_share *share)
{
	memset(r, 0, sizeof(*r));
	r->req.exchange = &r->exchange;
	r->req.state = &r->reader;
	r->generation.labels = labels;
	r->generation.n_vertices = labels->count;
	r->reader.generation = &r->generation;
	r->config.limits.max_pairs = max;
	r->req.config = &r->config;
	r->reader.share = share;
}

static void done(struct reading *r)
{
	apsp_pairs_reader_done(&r->reader);
	json_decref(r->exchange.extra);
}

/* Read a body in pieces. The caller ends *out, also after an error. */
static int read_body(struct apsp_labels *labels, bool is_csv, const char *body,
	size_t size, size_t piece, struct reading *out, struct apsp_err *err)
{
	int r = 0;

	begin(out, labels, MAX, NULL);
	out->reader.is_csv = is_csv;
	assert_int_equal(apsp_pairs_reader_begin(&out->req, NULL), 0);
	for (size_t at = 0; at < size && r == 0; at += piece)
		r = apsp_body_stream_feed(&out->req, body + at,
			piece < size - at ? piece : size - at, err);
	return r < 0 ? r : apsp_pairs_reader_end(&out->req, err);
}

static const char mixed[] =
	" {\"pairs\" : [[\"a\",\"b\"], [\"b\",\"caf\\u00e9\"],[\"a\",\"no\"],"
	"[null,\"a\"],[\"a\"],{\"x\":[\"a\",\"b\"]} ] } ";

static void end_check(const struct apsp_pair_end *end,
	enum apsp_pair_fault fault, uint32_t vertex, const char *text)
{
	assert_int_equal(end->fault, fault);
	if (fault == APSP_PAIR_GOOD)
		assert_int_equal(end->vertex, vertex);
	else
		assert_string_equal(end->text, text);
}

static void test_pieces(void **state)
{
	struct apsp_labels *labels = labels_of();
	struct reading reading;
	struct apsp_pair_end ends[2];
	struct apsp_err err;

	(void)state;
	for (size_t piece = 1; piece <= sizeof(mixed); piece += 3) {
		assert_int_equal(
			read_body(labels, false, mixed, sizeof(mixed) - 1,
				piece, &reading, &err),
			0);
		assert_int_equal(reading.reader.n, 6);
		apsp_pairs_reader_get(&reading.reader, 0, ends);
		end_check(&ends[0], APSP_PAIR_GOOD, 0, NULL);
		end_check(&ends[1], APSP_PAIR_GOOD, 1, NULL);
		apsp_pairs_reader_get(&reading.reader, 1, ends);
		end_check(&ends[1], APSP_PAIR_GOOD, 2, NULL);
		apsp_pairs_reader_get(&reading.reader, 2, ends);
		end_check(&ends[0], APSP_PAIR_GOOD, 0, NULL);
		end_check(&ends[1], APSP_PAIR_NO_VERTEX, 0, "no");
		apsp_pairs_reader_get(&reading.reader, 3, ends);
		end_check(&ends[0], APSP_PAIR_NO_STRING, 0, "null");
		end_check(&ends[1], APSP_PAIR_GOOD, 0, NULL);
		for (size_t i = 4; i < 6; i++) {
			apsp_pairs_reader_get(&reading.reader, i, ends);
			end_check(&ends[0], APSP_PAIR_NO_PAIR, 0, "");
			end_check(&ends[1], APSP_PAIR_NO_PAIR, 0, "");
		}
		done(&reading);
	}
	apsp_labels_unref(labels);
}

/* The same pairs in CSV, with and without a header, in any pieces. */
static void test_csv_pieces(void **state)
{
	static const char *const bodies[] = {
		"a,b\nb,caf\xc3\xa9\na,no\n",
		"\xef\xbb\xbf#\n to ,\"n\",FROM\r\nb,1,a\r\n\"caf\xc3\xa9\",,b"
		"\r\n\"no\",\"\"\"\",\"a\"",
	};
	struct apsp_labels *labels = labels_of();
	struct reading reading;
	struct apsp_pair_end ends[2];
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		size_t size = strlen(bodies[i]);

		for (size_t piece = 1; piece <= size; piece++) {
			assert_int_equal(read_body(labels, true, bodies[i],
						 size, piece, &reading, &err),
				0);
			assert_int_equal(reading.reader.n, 3);
			apsp_pairs_reader_get(&reading.reader, 0, ends);
			end_check(&ends[0], APSP_PAIR_GOOD, 0, NULL);
			end_check(&ends[1], APSP_PAIR_GOOD, 1, NULL);
			apsp_pairs_reader_get(&reading.reader, 1, ends);
			end_check(&ends[0], APSP_PAIR_GOOD, 1, NULL);
			end_check(&ends[1], APSP_PAIR_GOOD, 2, NULL);
			apsp_pairs_reader_get(&reading.reader, 2, ends);
			end_check(&ends[0], APSP_PAIR_GOOD, 0, NULL);
			end_check(&ends[1], APSP_PAIR_NO_VERTEX, 0, "no");
			done(&reading);
		}
	}
	assert_int_equal(read_body(labels, true,
				 "a,b\na,b\na,b\na,b\na,b\na,b\na,b\n\"no CSV",
				 36, 36, &reading, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "more than 6 pairs"));
	done(&reading);
	apsp_labels_unref(labels);
}

static void test_refused(void **state)
{
	static const struct {
		const char *body;
		int code;
		const char *words;
		const char *pointer;
	} cases[] = {
		{"", APSP_EMALFORMED, "not JSON", ""},
		{"[]", APSP_EMALFORMED, "not an object", ""},
		{"\"pairs\"", APSP_EMALFORMED, "not an object", ""},
		{"{}", APSP_EMALFORMED, "missing", "/pairs"},
		{"{\"pairs\":[]", APSP_EMALFORMED, "not JSON", ""},
		{"{\"pairs\":[[\"a\",\"b\"],]}", APSP_EMALFORMED, "not JSON",
			""},
		{"{\"pairs\":[]}x", APSP_EMALFORMED, "not JSON", ""},
		{"{\"pairs\":{}}", APSP_EMALFORMED, "pairs is an object",
			"/pairs"},
		{"{\"pairs\":true}", APSP_EMALFORMED, "pairs is a truth value",
			"/pairs"},
		{"{\"pairs\":[],\"pairs\":[]}", APSP_EMALFORMED, "twice", ""},
		{"{\"a/b~\":1}", APSP_EMALFORMED, "'a/b~' that is not known",
			"/a~1b~0"},
		{"{\"pairs\":[1,1,1,1,1,1,1", APSP_ETOOLARGE,
			"more than 6 items", "/pairs"},
		/* not a byte after the limit is looked at */
		{"{\"pairs\":[[],[],[],[],[],[],[ no JSON", APSP_ETOOLARGE,
			"more than 6 items", "/pairs"},
	};
	struct apsp_labels *labels = labels_of();
	struct reading reading;
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int r = read_body(labels, false, cases[i].body,
			strlen(cases[i].body), 5, &reading, &err);
		const char *pointer = json_string_value(
			json_object_get(reading.exchange.extra, "pointer"));

		if (r != cases[i].code ||
			!strstr(err.message, cases[i].words) ||
			strcmp(pointer ? pointer : "", cases[i].pointer) != 0)
			fail_msg("%s: %d %s at '%s'", cases[i].body, r,
				err.message, pointer ? pointer : "");
		done(&reading);
	}
	apsp_labels_unref(labels);
}

/* Memory is asked for, and an unknown label is cut. */
static void test_memory(void **state)
{
	struct apsp_budget_limits limits = {
		.who = "batch",
		.max_shares = 1,
		.max_memory_bytes = 1 << 20,
		.max_one_memory_bytes = 1 << 16,
	};
	struct apsp_labels *labels = labels_of();
	struct apsp_budget *budget = NULL;
	struct apsp_share share = {0};
	struct reading reading;
	struct apsp_pair_end ends[2];
	struct apsp_err err;
	char pair[1100];
	int n = 0, r;

	(void)state;
	assert_int_equal(apsp_budget_new("/", &limits, &budget, &err), 0);
	assert_int_equal(apsp_share_open(budget, NULL, 0, &share, &err), 0);
	begin(&reading, labels, 100000, &share);
	assert_int_equal(apsp_pairs_reader_begin(&reading.req, NULL), 0);
	memset(pair, 'x', sizeof(pair));
	memcpy(pair, "[\"a\",\"", 6);
	memcpy(pair + sizeof(pair) - 4, "\"],", 4);
	r = apsp_body_stream_feed(&reading.req, "{\"pairs\":[", 10, &err);
	for (; r == 0; n++)
		r = apsp_body_stream_feed(
			&reading.req, pair, sizeof(pair) - 1, &err);
	assert_int_equal(r, APSP_ETOOLARGE);
	assert_true(n > 100 && n < 400);
	apsp_pairs_reader_get(&reading.reader, 0, ends);
	assert_true(strlen(ends[1].text) == 200);
	done(&reading);
	apsp_share_close(&share);
	apsp_budget_free(budget);
	apsp_labels_unref(labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_csv_pieces),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
