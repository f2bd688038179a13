/*
 * Uploads with thousands of columns, and with fields, lines and strings that do
 * not end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/upload_run.h"

/*
 * Thousands of columns: a dense matrix, and an edge list that uses three of
 * them.
 */
static void test_wide(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV_MATRIX);
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	const int n = 3000;
	char *data = NULL;
	size_t size;
	FILE *f = open_memstream(&data, &size);

	(void)state;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			fprintf(f, "%d%c", j == (i + 1) % n ? i + 1 : 0,
				j == n - 1 ? '\n' : ',');
	fclose(f);
	if (upload_run(&options, data, size, 65536, &upload, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(upload->result.n_arcs, n);
	assert_int_equal(upload->result.labels->count, n);
	apsp_upload_free(upload);
	free(data);

	options = options_of(APSP_FORMAT_CSV);
	data = NULL;
	f = open_memstream(&data, &size);
	for (int i = 0; i < n; i++)
		fprintf(f, "column%d,", i);
	fprintf(f, "weight,post,pre\n");
	for (int i = 0; i < n; i++)
		fprintf(f, "x,");
	fprintf(f, "2,a,b");
	fclose(f);
	assert_int_equal(
		upload_run(&options, data, size, 65536, &upload, &err), 0);
	assert_int_equal(upload->result.n_arcs, 1);
	apsp_upload_free(upload);
	free(data);
}

/* A member of a link that is longer than any label or number: "i" is not read
   where there is a "source". */
static void test_long_member(void **state)
{
	static const char *const names[] = {"source", "i"};
	struct apsp_upload_options options = options_of(APSP_FORMAT_JSON);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	char text[2048];

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			"{\"links\":[{\"%s\":\"%0*d\",\"%s\":\"a\","
			"\"target\":\"b\"}]}",
			names[i], APSP_LABEL_MAX + 1, 0, names[1 - i]);
		assert_int_equal(upload_run(&options, text, strlen(text), 7,
					 &upload, &err),
			i == 0 ? APSP_EDATA : 0);
		if (i == 0)
			assert_non_null(strstr(err.message,
				"has 513 bytes, expected at most 512"));
		apsp_upload_free(upload);
	}
}

/* Fields, lines and strings without an end must not fill memory. */
static void test_endless(void **state)
{
	static const size_t pieces[] = {1 << 20, 1, PIECES_RANDOM};
	static const enum apsp_format formats[] = {APSP_FORMAT_CSV,
		APSP_FORMAT_CSV_MATRIX, APSP_FORMAT_GR, APSP_FORMAT_MTX,
		APSP_FORMAT_JSON};
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	const size_t size = 1 << 18;
	char *data = malloc(size);

	(void)state;
	memset(data, '1', size);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct apsp_upload_options options = options_of(formats[i]);

		for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
			assert_int_equal(upload_run(&options, data, size,
						 pieces[p], &upload, &err),
				APSP_EDATA);
			assert_non_null(strstr(err.message, "longer than"));
		}
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_long_member),
		cmocka_unit_test(test_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
