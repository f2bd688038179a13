/*
 * A stored bundle is read in pieces of any size. Mutants of the bundle do no
 * harm: each mutant gives the same result for every size of pieces, and none is
 * read as another graph.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "storage/ingest/tar.h"
#include "tests/random.h"
#include "tests/upload_run.h"

enum {
	ROOM = 1 << 14,
	N_MUTANTS = 1500,
	CHECKSUM_AT = 148, /* where a header has its checksum of 8 bytes */
};

static size_t bundle_read(char *out)
{
	char path[512];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/versions/bundle-1.tar",
		getenv("APSP_SOURCE_ROOT"));
	file = fopen(path, "rb");
	assert_non_null(file);
	size = fread(out, 1, ROOM, file);
	assert_true(size > 4 * APSP_TAR_BLOCK && size < ROOM);
	fclose(file);
	return size;
}

static struct apsp_upload *read_whole(
	const char *data, size_t size, size_t piece)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_BUNDLE);
	struct apsp_upload *upload;
	struct apsp_err err;

	if (upload_run(&options, data, size, piece, &upload, &err) < 0)
		fail_msg("%s", err.message);
	return upload;
}

static void test_pieces(void **state)
{
	static const size_t pieces[] = {
		ROOM, 1, 7, 511, 512, 513, PIECES_RANDOM};
	char data[ROOM];
	size_t size = bundle_read(data);

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct apsp_upload *upload = read_whole(data, size, pieces[i]);
		const struct apsp_upload_result *result = &upload->result;
		const struct apsp_bundled *bundled = result->bundled;
		char *text = upload_text(upload);

		assert_string_equal(text,
			"a>b:1.5 b>c:2.25 c>a:4 a>b:0.5 c>c:7 dé>a:3 "
			"e,f>q\":0.125 b>dé:64");
		assert_string_equal(result->revision, bundled->revision);
		assert_int_equal(bundled->n_profiles, 2);
		assert_string_equal(bundled->profiles[0].name, "default");
		assert_string_equal(bundled->profiles[1].name, "strong");
		assert_int_equal(bundled->profiles[1].rule.transform,
			APSP_TRANSFORM_INV);
		assert_true(bundled->profiles[1].rule.min_weight == 2);
		assert_int_equal(bundled->attributes.n_columns, 2);
		assert_int_equal(bundled->attributes.n_rows, 3);
		assert_memory_equal(bundled->attributes.bytes,
			"label\0type\0side\0a\0KC\0left\0c\0P,N\0\0", 33);
		free(text);
		apsp_upload_free(upload);
	}
}

/* Make the checksums of all headers right again. */
/* A text of attributes without an end is refused at once, and not when the
   whole member is in memory. */
static void test_endless_text(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_BUNDLE);
	static const size_t pieces[] = {3 * ROOM, 1, 512, PIECES_RANDOM};
	struct apsp_tar_header header;
	char data[3 * ROOM];
	size_t size = bundle_read(data), at = 0;

	(void)state;
	for (;;) {
		assert_int_equal(
			apsp_tar_header_read(data + at, &header, NULL), 0);
		if (strcmp(header.name, "attributes") == 0)
			break;
		at += APSP_TAR_BLOCK + header.size +
		      apsp_tar_padding(header.size);
		assert_true(at < size);
	}
	at += apsp_tar_header_write("attributes", 1 << 20, data + at);
	memset(data + at, 'x', sizeof(data) - at);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct apsp_upload *upload = NULL;
		struct apsp_err err;

		assert_int_equal(upload_run(&options, data, sizeof(data),
					 pieces[i], &upload, &err),
			APSP_EDATA);
		assert_non_null(strstr(err.message, "more than 1024 bytes"));
	}
}

static void checksums_fix(char *data, size_t size)
{
	for (size_t at = 0; at + APSP_TAR_BLOCK <= size; at += APSP_TAR_BLOCK) {
		char *sum = data + at + CHECKSUM_AT;
		unsigned int n = 0;

		if (memcmp(data + at + 257, "ustar", 5) != 0)
			continue;
		memset(sum, ' ', 8);
		for (size_t i = 0; i < APSP_TAR_BLOCK; i++)
			n += (unsigned char)data[at + i];
		snprintf(sum, 7, "%06o", n);
		sum[7] = ' ';
	}
}

static size_t mutate(char *data, size_t size, uint64_t *random)
{
	static const char bytes[] = "\0\1 /.0127x=\n\"{}[],:\xff\x80";

	for (uint32_t i = random_below(random, 4) + 1; i > 0; i--) {
		size_t at = random_below(random, (uint32_t)size);
		size_t block = at - at % APSP_TAR_BLOCK;

		switch (random_below(random, 8)) {
		case 0: /* cut */
			size = at + 1;
			break;
		case 1: /* a block twice */
			memmove(data + block + APSP_TAR_BLOCK, data + block,
				size - block);
			size += APSP_TAR_BLOCK;
			break;
		case 2: /* a bit */
			data[at] ^= (char)(1 << random_below(random, 8));
			break;
		default:
			data[at] =
				bytes[random_below(random, sizeof(bytes) - 1)];
		}
		if (size < APSP_TAR_BLOCK)
			break;
	}
	return size;
}

static void test_mutants(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_BUNDLE);
	struct apsp_upload *whole, *cut, *good;
	char seed[ROOM], data[ROOM];
	size_t seed_size = bundle_read(seed), n_refused = 0;
	uint64_t random = 20261129;

	(void)state;
	good = read_whole(seed, seed_size, ROOM);
	for (int i = 0; i < N_MUTANTS; i++) {
		struct apsp_err err = {0}, cut_err = {0};
		size_t size = seed_size;
		int r;

		memcpy(data, seed, seed_size);
		size = mutate(data, size, &random);
		if (i % 4)
			checksums_fix(data, size);
		r = upload_run(&options, data, size, ROOM, &whole, &err);
		if (upload_run(&options, data, size, i % 2 ? 1 : PIECES_RANDOM,
			    &cut, &cut_err) != r ||
			strcmp(err.message, cut_err.message) != 0)
			fail_msg("%d: '%s' whole, '%s' cut", i, err.message,
				cut_err.message);
		n_refused += r < 0;
		if (r == 0)
			assert_string_equal(
				whole->result.revision, good->result.revision);
		apsp_upload_free(whole);
		apsp_upload_free(cut);
	}
	/* the others changed a time, an owner or a state */
	assert_true(n_refused > N_MUTANTS / 2);
	apsp_upload_free(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_mutants),
		cmocka_unit_test(test_endless_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
