/*
 * Mutated uploads of every format must never do harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/packed.h"
#include "tests/random.h"
#include "tests/upload_run.h"

static const struct {
	enum apsp_format format;
	const char *text;
} seeds[] = {
	{APSP_FORMAT_CSV,
		"pre,post,weight\n\"a\"\"b\",c,2.5\r\n# x\nc,d,1e3\n"},
	{APSP_FORMAT_CSV, "a b 3\nc d 4\nd a 0.1\n"},
	{APSP_FORMAT_TSV, "a\tb\t1\nb\tc\t22\n"},
	{APSP_FORMAT_CSV_MATRIX, ",a,b\na,0,1\nb,2,0\n"},
	{APSP_FORMAT_CSV_MATRIX, "0,1,2\n1,0,3\n2,3,\n"},
	{APSP_FORMAT_MTX, "%%MatrixMarket matrix coordinate real symmetric\n"
			  "3 3 2\n2 1 2.5\n3 1 1\n"},
	{APSP_FORMAT_MTX, "%%MatrixMarket matrix array integer general\n"
			  "2 2\n1\n2\n3\n4\n"},
	{APSP_FORMAT_GR, "c x\np sp 3 2\na 1 2 5\na 2 3 7\n"},
	{APSP_FORMAT_JSON, "{\"vertices\":[\"a\",\"\\u00e9\",3],\"arcs\":"
			   "[[\"a\",3,2.5],[3,\"a\"]]}"},
	{APSP_FORMAT_NPY,
		"\x93NUMPY\1\1\x3c{'descr': '|u1', 'fortran_order': False, "
		"'shape': (2, 2), }\nabcd"},
};

/* Change, insert, drop or repeat a few bytes. Returns the new size. */
static size_t mutate(char *data, size_t size, size_t room, uint64_t *random)
{
	static const char bytes[] = ",;\t \n\r\"'#%{}[]:-+.eE0123456789\\u\xff";

	for (uint32_t i = random_below(random, 6) + 1; i > 0 && size > 1; i--) {
		size_t at = random_below(random, (uint32_t)size);
		char c =
			random_below(random, 4)
				? bytes[random_below(random, sizeof(bytes) - 1)]
				: (char)random_below(random, 256);

		switch (random_below(random, 4)) {
		case 0:
			data[at] = c;
			break;
		case 1:
			memmove(data + at, data + at + 1, size - at - 1);
			size--;
			break;
		case 2:
			if (size == room)
				break;
			memmove(data + at + 1, data + at, size - at);
			data[at] = c;
			size++;
			break;
		default:
			if (2 * size - at > room)
				break;
			memmove(data + size, data + at, size - at);
			size += size - at;
		}
	}
	return size;
}

/*
 * No mutant does harm, and each ends alike for every chunking. (Damage in gzip
 * or zstd may be noticed earlier or later, so those messages may differ.)
 */
static void test_mutants(void **state)
{
	struct apsp_upload *whole = NULL, *cut = NULL;
	struct apsp_err err, cut_err;
	uint64_t random = 20230310;
	char data[1024], packed[2048];

	(void)state;
	for (int i = 0; i < 6000; i++) {
		size_t which = (size_t)i % (sizeof(seeds) / sizeof(*seeds));
		struct apsp_upload_options options =
			options_of(seeds[which].format);
		size_t size = seeds[which].format == APSP_FORMAT_NPY
				      ? 74
				      : strlen(seeds[which].text);
		const char *body = data;
		int r;

		memcpy(data, seeds[which].text, size);
		if (i % 5 ==
			0) { /* the packed bytes are mutated, not the text */
			size_t used = 0;

			(i % 2 ? gzip_append : zstd_append)(
				packed, &used, sizeof(packed), data, size);
			size = mutate(packed, used, sizeof(packed), &random);
			body = packed;
		} else {
			size = mutate(data, size, sizeof(data), &random);
		}
		memset(&err, 0, sizeof(err));
		memset(&cut_err, 0, sizeof(cut_err));
		r = upload_run(&options, body, size, size, &whole, &err);
		if (upload_run(&options, body, size, 1, &cut, &cut_err) != r ||
			(body == data &&
				strcmp(err.message, cut_err.message) != 0))
			fail_msg("%d: '%s' whole, '%s' cut", i, err.message,
				cut_err.message);
		if (r == 0)
			assert_string_equal(
				whole->result.revision, cut->result.revision);
		apsp_upload_free(whole);
		apsp_upload_free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
