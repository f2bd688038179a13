/*
 * Attributes: from separated text to columns by vertex, what is refused, and
 * their rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "storage/attributes/attribute_reader.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/database/database.h"
#include "storage/database/sql.h"

/* Read text in pieces of `piece` bytes. */
static int text_read(const char *text, size_t size, size_t piece,
	struct apsp_attribute_text *out, struct apsp_err *err)
{
	const struct apsp_attribute_options options = {
		.limits.max_bytes = 1 << 20};
	APSP_AUTO(apsp_attribute_reader_end)
	struct apsp_attribute_reader *reader = NULL;
	int r;

	r = apsp_attribute_reader_open(&options, &reader, err);
	for (size_t at = 0; r == 0 && at < size; at += piece) {
		const char *data = text + at;
		size_t left = size - at < piece ? size - at : piece;

		do
			r = apsp_attribute_reader_step(
				reader, &data, &left, err);
		while (r > 0);
	}
	return r < 0 ? r : apsp_attribute_reader_finish(reader, out, err);
}

static struct apsp_labels *labels_of(const char *const *texts, size_t n)
{
	struct apsp_labels *labels = NULL;
	uint32_t index;

	assert_int_equal(apsp_labels_new(NULL, &labels, NULL), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(apsp_labels_intern(labels, texts[i],
					 strlen(texts[i]), &index, NULL),
			0);
	return labels;
}

static const char *const four[] = {"a", "b", "c", "d"};

/* The text's attributes for the vertices a, b, c and d. */
static struct apsp_attributes *attributes_of(const char *text, size_t piece)
{
	APSP_AUTO(apsp_attribute_text_done)
	struct apsp_attribute_text stored = {0};
	APSP_AUTO(apsp_labels_end) struct apsp_labels *labels = NULL;
	struct apsp_attributes *out = NULL;
	struct apsp_err err = {0};

	labels = labels_of(four, 4);
	if (text_read(text, strlen(text), piece, &stored, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(
		apsp_attributes_new(&stored, 7, labels, &out, NULL), 0);
	return out;
}

static int column_of(const struct apsp_attributes *attributes, const char *name)
{
	for (uint32_t c = 0; c < attributes->n_columns; c++)
		if (strcmp(attributes->columns[c].name, name) == 0)
			return (int)c;
	return -1;
}

static void expect_text(const struct apsp_attributes *attributes,
	const char *name, uint32_t vertex, const char *wanted)
{
	int column = column_of(attributes, name);

	assert_true(column >= 0);
	assert_string_equal(
		apsp_attributes_text(attributes, (uint32_t)column, vertex),
		wanted);
}

static void test_read(void **state)
{
	static const char *const texts[] = {
		"id,type,side\nb,KC,L\na,\"KC, old\",\nx,sens,R\nd,KC,R\n",
		"\xef\xbb\xbfid;type;side\nb;KC;L\na;KC, old;\nx;sens;R\n"
		"d;KC;R",
		"# made by hand\ntype\tlabel\tside\nKC\tb\tL\nKC, old\ta\t\n"
		"sens\tx\tR\nKC\td\tR\n",
		"\xef\xbb\xbf\"type\",label,side\r\nKC,\"b\",L\r\n"
		"\"KC, old\",a,\r\nsens,x,R\r\nKC,d,R\r\n",
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t piece = 1; piece < 80; piece += 6) {
			APSP_AUTO(apsp_attributes_end)
			struct apsp_attributes *read =
				attributes_of(texts[i], piece);

			assert_int_equal(read->n_columns, 2);
			assert_string_equal(read->columns[0].name, "type");
			assert_int_equal(read->n_matched, 3);
			assert_int_equal(read->n_unknown, 1);
			expect_text(read, "type", 0, "KC, old");
			expect_text(read, "type", 1, "KC");
			expect_text(read, "side", 1, "L");
			expect_text(read, "side", 0, "");
			expect_text(read, "type", 2, "");
			expect_text(read, "side", 3, "R");
			assert_int_equal(apsp_attributes_value(read, 0, 1),
				apsp_attributes_value(read, 0, 3));
			assert_int_equal(apsp_attributes_value(read, 1, 0),
				APSP_NO_VALUE);
			assert_int_equal(column_of(read, "id"), -1);
			/* values of unknown vertices are none of the graph's */
			assert_int_equal(read->columns[0].values->count, 2);
		}
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"", "empty"},
		{"\n\n", "there is no header"},
		{"id\na\n", "line 1, column 1: found 1 column"},
		{"id,type\na,KC\nb\n", "line 3, column 1: found 1 field"},
		{"id,type\na,KC,x\n", "line 2, column 1: found 3 fields"},
		{"id,type\na,KC\na,MB\n",
			"line 3, column 1: the vertex 'a' has a row already"},
		{"id,type\n,KC\n", "line 2, column 1: a vertex label is empty"},
		{"id,type,type\na,b,c\n",
			"line 1, column 9: two columns are called 'type'"},
		{"id,,x\na,b,c\n", "line 1, column 4: the column has no name"},
		{",id,x\n0,a,b\n", "line 1, column 1: the first column has no"},
		{"id,a:b\na,c\n", "line 1, column 4: the name 'a:b' has a"},
		{"id,type\na,\xff\n", "line 2, column 3: '?' is not UTF-8"},
	};
	char wide[4096] = "id", row[2048] = "id,type\na,";
	struct apsp_attribute_text out = {0};
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(text_read(cases[i].text, strlen(cases[i].text), 64,
				    &out, &err) < 0);
		assert_int_equal(err.code, APSP_EDATA);
		if (!strstr(err.message, cases[i].part))
			fail_msg("'%s' is not in '%s'", cases[i].part,
				err.message);
	}
	for (size_t i = 0; i <= APSP_ATTRIBUTE_COLUMNS_MAX; i++)
		snprintf(wide + strlen(wide), 16, ",c%zu", i);
	assert_int_equal(
		text_read(wide, strlen(wide), 4096, &out, &err), APSP_EDATA);
	assert_non_null(strstr(err.message, "more than 64 columns"));
	memset(row + strlen(row), 'x', APSP_LABEL_MAX + 1);
	assert_int_equal(
		text_read(row, strlen(row), 4096, &out, &err), APSP_EDATA);
	assert_non_null(strstr(err.message, "has 513 bytes"));
}

/* 9000 vertices, 0 to 3 and the others with a letter before; type is 500 bytes
   and the number. Of several chunks. */
static void long_text_read(struct apsp_attribute_text *out)
{
	const struct apsp_attribute_options options = {
		.limits.max_bytes = 1 << 30};
	APSP_AUTO(apsp_attribute_reader_end)
	struct apsp_attribute_reader *reader = NULL;
	char name[500];
	char *text = malloc(9000 * 600), *at = text;
	const char *data = text;
	size_t left;

	assert_non_null(text);
	memset(name, 'v', sizeof(name));
	at = stpcpy(at, "id,type\n");
	for (int i = 0; i < 9000; i++)
		at += sprintf(at, "%s%d,%.*s%d\n", i < 4 ? "" : "u", i,
			(int)sizeof(name), name, i);
	left = (size_t)(at - text);
	assert_int_equal(
		apsp_attribute_reader_open(&options, &reader, NULL), 0);
	while (apsp_attribute_reader_step(reader, &data, &left, NULL) > 0)
		;
	assert_int_equal(apsp_attribute_reader_finish(reader, out, NULL), 0);
	assert_true(out->size > 4 << 20); /* two chunks */
	free(text);
}

static int64_t rows_count(sqlite3 *db)
{
	int64_t n = 0;

	assert_int_equal(apsp_sql_int(db,
				 "SELECT (SELECT count(*) FROM"
				 " attribute_sets) + (SELECT count(*) FROM"
				 " attribute_chunks)",
				 NULL, &n, NULL),
		1);
	return n;
}

/* A set of several chunks, in a database and back. */
static void test_rows(void **state)
{
	APSP_AUTO(apsp_attribute_text_done)
	struct apsp_attribute_text stored = {0};
	APSP_AUTO(apsp_labels_end) struct apsp_labels *labels = NULL;
	APSP_AUTO(apsp_attributes_end) struct apsp_attributes *read = NULL;
	char path[] = "/tmp/apsp-attributes-XXXXXX";
	sqlite3 *db = NULL;
	uint64_t id = 0;
	size_t size = 0;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	long_text_read(&stored);
	labels = labels_of((const char *const[]){"0", "3", "u8999"}, 3);
	assert_int_equal(apsp_database_open(path, &db, NULL), 0);
	assert_int_equal(
		apsp_attribute_rows_add(db, &stored, &id, &size, NULL), 1);
	assert_int_equal(apsp_attribute_rows_load(db, id, labels, &read, NULL),
		APSP_EROW); /* its chunks are not there */
	assert_int_equal(
		apsp_attribute_rows_add(db, &stored, &id, &size, NULL), 1);
	assert_int_equal(
		apsp_attribute_rows_add(db, &stored, &id, &size, NULL), 1);
	assert_int_equal(
		apsp_attribute_rows_add(db, &stored, &id, &size, NULL), 0);
	assert_int_equal(rows_count(db), 3);
	assert_int_equal(
		apsp_attribute_rows_load(db, id, labels, &read, NULL), 0);
	assert_int_equal(read->id, id);
	assert_int_equal(read->n_unknown, 8997);
	assert_string_equal(apsp_attributes_text(read, 0, 2) + 500, "8999");
	assert_string_equal(apsp_attributes_text(read, 0, 1) + 500, "3");
	/* no generation refers to it */
	while (apsp_attribute_rows_sweep(db, NULL) > 0)
		;
	assert_int_equal(rows_count(db), 0);
	apsp_database_close(&db);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
