/*
 * npy uploads: every version, type and order of elements, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/upload_run.h"

/* An npy file; the caller frees it. */
static char *npy_make(int version, const char *header, const void *elements,
	size_t elements_size, size_t *out_size)
{
	char *data = NULL;
	FILE *f = open_memstream(&data, out_size);
	size_t n = strlen(header);

	fprintf(f, "\x93NUMPY%c%c%c%c", version, 0, (int)(n & 255),
		(int)(n >> 8));
	if (version > 1)
		fprintf(f, "%c%c", 0, 0);
	fputs(header, f);
	fwrite(elements, 1, elements_size, f);
	fclose(f);
	return data;
}

#define NPY(descr, order, shape)                                               \
	"{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape   \
	", }  \n"

static const struct {
	int version;
	const char *header;
	const char *elements;
	size_t size;
	const char *expected; /* arcs, or a fragment of the refusal */
	int result;
} arrays[] = {
	{1, NPY("<i2", "False", "(2, 2)"), "\0\0\1\0\xfe\xff\0\0", 8,
		"0>1:1 1>0:-2", 0},
	{2, NPY(">i2", "True", "(2, 2)"), "\0\0\0\1\xff\xfe\0\0", 8,
		"1>0:1 0>1:-2", 0},
	{3, NPY("|u1", "False", "(2,2)"), "\0\xff\3\0", 4, "0>1:255 1>0:3", 0},
	{1, NPY("|b1", "False", "(2, 2)"), "\0\1\1\0", 4, "0>1:1 1>0:1", 0},
	{1, NPY("<f4", "False", "(1, 1)"), "\0\0\x20\x40", 4, "0>0:2.5", 0},
	{1, NPY(">f8", "False", "(1, 1)"), "\x40\4\0\0\0\0\0\0", 8, "0>0:2.5",
		0},
	{1, NPY("<f2", "False", "(1, 1)"), "\0\x41", 2, "0>0:2.5", 0},
	{1, NPY("<f8", "False", "(1, 1)"), "\0\0\0\0\0\0\xf0\x7f", 8, " | 0",
		0},
	{1, NPY("<f8", "False", "(1, 1)"), "\0\0\0\0\0\0\xf0\xff", 8,
		"row 1, column 1: the weight is '-inf'", APSP_EDATA},
	{1, NPY("<i8", "False", "(1, 1)"), "\xff\xff\xff\xff\xff\xff\xff\xff",
		8, "0>0:-1", 0},
	{1, NPY("<f8", "False", "(1, 1)"), "\0\0\0\0\0\0\xf8\x7f", 8,
		"row 1, column 1: the weight is not a number", APSP_EDATA},
	{1, NPY("<c8", "False", "(1, 1)"), "\0\0\0\0\0\0\0\0", 8, "'<c8'",
		APSP_EDATA},
	{1, NPY("<f8", "False", "(1,)"), "\0\0\0\0\0\0\0\0", 8, "two sizes",
		APSP_EDATA},
	{1, NPY("|u1", "False", "(1, 2)"), "\0\0", 2, "a square matrix",
		APSP_EDATA},
	{1, NPY("|u1", "False", "(1, 1, 1)"), "\0", 1, "two sizes", APSP_EDATA},
	{1, NPY("|u1", "False", "(99999999, 99999999)"), "\0", 1,
		"99999999 vertices", APSP_EDATA},
	{1, NPY("|u1", "False", "(2, 2)"), "\0\0\0", 3,
		"row 2, column 2: the npy file ends", APSP_EDATA},
	{1, NPY("|u1", "False", "(2, 2)"), "\0\0\0\0\0", 5, "continues",
		APSP_EDATA},
	{1, NPY("<u2", "False", "(1, 1)"), "\0\0\0", 3, "continues",
		APSP_EDATA},
	{1, "{'descr': [('a', '<f8')], 'fortran_order': False}", "", 0,
		"no simple 'descr'", APSP_EDATA},
	{1, "{'descr': '<f8'}", "", 0, "fortran_order", APSP_EDATA},
	{9, NPY("|u1", "False", "(1, 1)"), "\0", 1, "version 9", APSP_EDATA},
};

static void test_npy(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_NPY);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		char *data = npy_make(arrays[i].version, arrays[i].header,
			arrays[i].elements, arrays[i].size, &size);

		for (size_t piece = 1; piece < 4096; piece = piece * 5 + 2) {
			char *text = err.message;

			if (upload_run(&options, data, size, piece, &upload,
				    &err) != arrays[i].result)
				fail_msg("%s: %s", arrays[i].header,
					err.message);
			if (upload)
				text = upload_text(upload);
			if (!strstr(text, arrays[i].expected))
				fail_msg("%s: %s", arrays[i].header, text);
			if (upload)
				free(text);
			apsp_upload_free(upload);
		}
		free(data);
	}
}

/* NaN with invalid=drop. */
static void test_missing(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_NPY);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	size_t size;
	char *data = npy_make(1, NPY("<f4", "False", "(1, 1)"), "\0\0\xc0\x7f",
		     4, &size),
	     *text;

	(void)state;
	options.profile.invalid = APSP_INVALID_DROP;
	assert_int_equal(
		upload_run(&options, data, size, size, &upload, &err), 0);
	text = upload_text(upload);
	assert_string_equal(text, " | 0");
	assert_int_equal(upload->result.findings->n_missing, 1);
	free(text);
	apsp_upload_free(upload);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_npy),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
