/*
 * What is exported as CSV comes back: every byte at every place of a cell,
 * through the writer and the reader of uploads, and labels of such bytes
 * through the exports and uploads of a daemon.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/encode/csv_writer.h"
#include "storage/ingest/formats/csv_reader.h"
#include "tests/endpoint_fixture.h"

enum {
	CELLS = 3,
	CELL_SIZE = 8,
};

/* The cells of one row, and how many of them came back. */
struct row {
	char cells[CELLS][CELL_SIZE];
	size_t sizes[CELLS];
	size_t n_right, n_records;
};

static int field_compare(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct row *row = ctx;

	(void)err;
	row->n_right +=
		field->index < CELLS &&
		field->size == row->sizes[field->index] &&
		memcmp(field->text, row->cells[field->index], field->size) == 0;
	return 0;
}

static int record_count(void *ctx, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct row *row = ctx;

	(void)place;
	(void)err;
	row->n_records++;
	return n_fields == CELLS ? 0 : APSP_EDATA;
}

/* Write the row as the first of a text, and read it in two pieces. */
static void row_returns(struct row *row)
{
	struct apsp_csv_handler handler = {field_compare, record_count, row};
	struct apsp_csv_reader *reader = NULL;
	struct apsp_text text = {0};
	struct apsp_csv_writer w = {.text = &text};
	size_t half;

	for (size_t i = 0; i < CELLS; i++)
		apsp_csv_string(&w, row->cells[i], row->sizes[i]);
	apsp_csv_row_end(&w);
	half = text.size / 2;
	row->n_right = row->n_records = 0;
	CHECK(apsp_csv_reader_new(
		      APSP_SEPARATOR_DETECT, &handler, &reader, NULL) == 0);
	if (apsp_csv_reader_feed(reader, text.data, half, NULL) < 0 ||
		apsp_csv_reader_feed(
			reader, text.data + half, text.size - half, NULL) < 0 ||
		apsp_csv_reader_end(reader, NULL) < 0 ||
		row->n_right != CELLS || row->n_records != 1)
		fail_msg("changed: %.*s", (int)text.size, text.data);
	free(reader);
	apsp_text_done(&text);
}

static bool is_ordinary(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* How many pairs of bytes there are for each one that is tried. A sanitizer
   maps and unmaps the memory of each row, so it tries only some. */
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 7 };
#else
enum { STRIDE = 1 };
#endif

/* Pairs of bytes, but for ordinary ones, at the ends and in the middle of a
 * cell, in each cell. */
static void test_all_bytes(void **state)
{
	struct row row = {0};

	(void)state;
	for (unsigned int pair = 0; pair < 1 << 16; pair += STRIDE) {
		const char a = (char)(pair >> 8), b = (char)pair;
		const char texts[][CELL_SIZE] = {{a, b}, {a, 'q', b},
			{'q', a, b}, {a, b, 'q'}, {'q', a, b, 'q'}};

		if (!a || !b || (is_ordinary(a) && is_ordinary(b) && a != b))
			continue;
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
			for (size_t k = 0; k < CELLS; k++) {
				const char *cell =
					(i + k) % CELLS ? texts[i] : "plain";

				strcpy(row.cells[k], cell);
				row.sizes[k] = strlen(cell);
			}
			row_returns(&row);
		}
	}
}

/*
 * Labels with each ASCII byte that is no letter, or with those of bytes, and
 * with three of UTF-8: alone and at three places.
 */
static json_t *labels_json(const char *bytes)
{
	static const char *const wide[] = {"\xef\xbb\xbf", "\xc2\xa0", "ä"};
	json_t *labels = json_array();

	for (int i = 1; i < 128 + 3; i++) {
		char narrow[] = {(char)i, '\0'};
		const char *byte = i < 128 ? narrow : wide[i - 128];

		if (i < 128 && (isalpha(i) || (bytes && !strchr(bytes, i))))
			continue;
		if (!strchr(" \t\n\r", *byte))
			json_array_append_new(labels, json_string(byte));
		json_array_append_new(labels, json_sprintf("%sq", byte));
		json_array_append_new(labels, json_sprintf("q%s", byte));
		json_array_append_new(labels, json_sprintf("q%sq", byte));
	}
	json_array_append_new(labels, json_string("q"));
	/* texts that mean something elsewhere in such files */
	json_array_append_new(labels, json_string("inf"));
	json_array_append_new(labels, json_string("NA"));
	json_array_append_new(labels, json_string("label"));
	return labels;
}

/* Upload a ring over the labels. */
static void ring_put(struct fixture *f, const char *name, json_t *labels)
{
	json_t *arcs = json_array(), *body;
	size_t n = json_array_size(labels);
	char target[100], *text;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			arcs, json_pack("[O, O, i]", json_array_get(labels, i),
				      json_array_get(labels, (i + 1) % n),
				      (int)i + 1));
	body = json_pack("{s:O, s:o}", "vertices", labels, "arcs", arcs);
	text = json_dumps(body, 0);
	json_decref(body);
	snprintf(target, sizeof(target),
		"/v1/graphs/%s?transform=none&format=json", name);
	fixture_graph(f, target, text);
	free(text);
}

/* The members of a list that comes in pages. */
static json_t *vertices_get(struct fixture *f, const char *name)
{
	struct http_answer answer;
	json_t *found;
	char target[100];

	snprintf(target, sizeof(target), "/v1/graphs/%s/vertices?limit=1000",
		name);
	answer = fixture_get(f, target);
	assert_int_equal(answer.status, 200);
	found = json_incref(json_object_get(answer.json, "vertices"));
	http_answer_done(&answer);
	return found;
}

/* Send what one address answers to another. */
static struct http_answer carry(
	struct fixture *f, const char *from, const char *to)
{
	struct http_answer file = fixture_get(f, from), answer;

	assert_int_equal(file.status, 200);
	answer = http_ask(f->port, "PUT", to, CSV, file.body, file.body_size);
	http_answer_done(&file);
	return answer;
}

static void same_vertices(struct fixture *f, const char *name, json_t *labels)
{
	json_t *found = vertices_get(f, name);

	for (size_t i = 0; i < json_array_size(labels); i++)
		if (!json_equal(json_array_get(found, i),
			    json_array_get(labels, i)))
			fail_msg("vertex %zu of %s is '%s' and was '%s'", i,
				name,
				json_string_value(json_array_get(found, i)),
				json_string_value(json_array_get(labels, i)));
	assert_int_equal(json_array_size(found), json_array_size(labels));
	json_decref(found);
}

static void test_exports(void **state)
{
	struct fixture *f = *state;
	json_t *labels = labels_json(NULL);
	struct http_answer answer;

	ring_put(f, "g", labels);
	same_vertices(f, "g", labels);
	answer = carry(f, "/v1/graphs/g/arcs?format=csv",
		"/v1/graphs/arcs?transform=none");
	assert_int_equal(answer.status, 200); /* the same upload */
	http_answer_done(&answer);
	same_vertices(f, "arcs", labels);
	/* a row a vertex: the measures become its attributes */
	answer = carry(f, "/v1/graphs/g/stats?vertices=1&format=csv",
		"/v1/graphs/g/attributes");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "matched")),
		json_array_size(labels));
	http_answer_done(&answer);
	answer = carry(
		f, "/v1/graphs/g/attributes", "/v1/graphs/arcs/attributes");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "matched")),
		json_array_size(labels));
	http_answer_done(&answer);
	answer = carry(f,
		"/v1/graphs/g/vertices/q/distances?format=csv&direction=in",
		"/v1/graphs/g/attributes");
	assert_int_equal(
		json_integer_value(json_object_get(answer.json, "unknown")), 0);
	http_answer_done(&answer);
	json_decref(labels);
}

/* The wide table has labels in its first row, which decides the separator. */
static void test_table(void **state)
{
	struct fixture *f = *state;
	json_t *labels = labels_json(" \t\n\r,;|:\"'#%0");
	struct http_answer table, answer;

	ring_put(f, "g", labels);
	table = fixture_send(
		f, "POST", "/v1/graphs/g/table?format=csv", NULL, "{}");
	assert_int_equal(table.status, 200);
	answer = http_ask(f->port, "PUT",
		"/v1/graphs/table?transform=none&format=csv-matrix", NULL,
		table.body, table.body_size);
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	http_answer_done(&table);
	fixture_work_all(f);
	same_vertices(f, "table", labels);
	json_decref(labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_bytes),
		cmocka_unit_test_setup_teardown(
			test_exports, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_table, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
