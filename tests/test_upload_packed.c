/*
 * Packed uploads: gzip and zstd, cut short, followed by garbage, and past the
 * limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/packed.h"
#include "tests/upload_run.h"

static void celegans_check(const struct apsp_upload *upload)
{
	const struct apsp_labels *labels = upload->result.labels;

	assert_int_equal(labels->count, 297);
	assert_int_equal(upload->result.n_arcs, 2345);
	assert_string_equal(apsp_labels_get(labels, 0, NULL), "0");
}

static void test_compression(void **state)
{
	static void (*const append[])(char *, size_t *, size_t, const char *,
		size_t) = {gzip_append, zstd_append};
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	size_t size = 0, used;
	char *data = data_read("celegans_newman.csv", &size);
	const size_t room = 2 * size;
	char *packed = malloc(room);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct apsp_upload_options options =
			options_of(APSP_FORMAT_CSV);

		used = 0;
		append[i](packed, &used, room, data, size / 2);
		append[i](
			packed, &used, room, data + size / 2, size - size / 2);
		for (size_t piece = 1; piece < 100000; piece *= 37) {
			for (int known = 0; known < 2; known++) {
				options.coding =
					(enum apsp_coding)(known ? i + 1 : 0);
				assert_int_equal(
					upload_run(&options, packed, used,
						piece, &upload, &err),
					0);
				celegans_check(upload);
				apsp_upload_free(upload);
			}
			assert_int_equal(upload_run(&options, packed, used - 3,
						 piece, &upload, &err),
				APSP_EDATA);
			assert_non_null(strstr(err.message, "cut short"));
			memcpy(packed + used, "garbage", 7);
			assert_int_equal(upload_run(&options, packed, used + 7,
						 piece, &upload, &err),
				APSP_EDATA);
			assert_non_null(strstr(err.message, "other bytes"));
			options.limits.max_bytes = size - 1;
			assert_int_equal(upload_run(&options, packed, used,
						 piece, &upload, &err),
				APSP_ETOOLARGE);
			options.limits.max_bytes = size;
		}
		assert_int_equal(
			upload_run(&options, data, size, 999, &upload, &err),
			APSP_EDATA); /* declared as packed, but plain */
	}
	free(packed);
	free(data);
}

/* Newlines, packed a thousandfold, end at the limit. */
static void test_bomb(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	const size_t size = 1 << 26, room = 1 << 20;
	char *zeros = malloc(size), *packed = malloc(room);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	size_t used = 0;

	(void)state;
	memset(zeros, '\n', size);
	gzip_append(packed, &used, room, zeros, size);
	options.limits.max_bytes = 1 << 20;
	assert_int_equal(
		upload_run(&options, packed, used, used, &upload, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "1048576 bytes, decompressed"));
	free(packed);
	free(zeros);
}

/* Packed bytes that give no data end at the limit of sent bytes, too, although
   nothing shows whether they are a bundle. */
static void test_nothing_packed(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	char packed[8192];
	size_t used = 0;

	(void)state;
	options.format_unsaid = true;
	options.max_bytes = 2048;
	while (used + 64 < sizeof(packed))
		gzip_append(packed, &used, sizeof(packed), "", 0);
	assert_int_equal(upload_run(&options, packed, used, 100, &upload, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "limit of 2048 bytes"));
}

/*
 * Unpacked sizes that fill the buffer of storage/ingest/upload/inflate.c to its
 * byte, in one frame or member, in two, and followed by an empty one.
 */
static void test_full_buffer(void **state)
{
	static void (*const append[])(char *, size_t *, size_t, const char *,
		size_t) = {gzip_append, zstd_append};
	enum {
		BUFFER = 1 << 17,
		ROOM = 1 << 12,
	};
	static char text[2 * BUFFER], packed[ROOM];

	(void)state;
	memset(text, '\n', sizeof(text)); /* blank lines are skipped */
	memcpy(text, "a,b,1\n", 6);
	for (size_t i = 0; i < 2; i++)
		for (size_t size = BUFFER; size <= sizeof(text); size += BUFFER)
			for (int parts = 1; parts <= 3; parts++) {
				struct apsp_upload_options options =
					options_of(APSP_FORMAT_CSV);
				struct apsp_upload *upload = NULL;
				struct apsp_err err = {0};
				size_t used = 0,
				       half = parts == 2 ? BUFFER / 2 : 0;

				append[i](
					packed, &used, ROOM, text, size - half);
				if (parts > 1)
					append[i](packed, &used, ROOM,
						text + size - half, half);
				for (size_t piece = 1; piece < ROOM;
					piece *= 7) {
					if (upload_run(&options, packed, used,
						    piece, &upload, &err) < 0)
						fail_msg("%s", err.message);
					assert_int_equal(
						upload->result.n_arcs, 1);
					apsp_upload_free(upload);
				}
			}
}

/* Newlines, packed by zstd into about a ten-thousandth. */
static char *bomb_of(size_t size, size_t *out_used)
{
	const size_t room = 1 << 20;
	char *lines = malloc(size), *packed = malloc(room);

	assert_non_null(lines);
	assert_non_null(packed);
	memset(lines, '\n', size);
	*out_used = 0;
	zstd_append(packed, out_used, room, lines, size);
	free(lines);
	return packed;
}

/* However much a piece swells to, a step hands on no more than its share. */
static void test_steps(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	const size_t size = 1 << 26, step = 1 << 19;
	struct apsp_upload *upload = NULL;
	size_t used, left, n_steps = 0;
	char *packed = bomb_of(size, &used);
	const char *at = packed;
	struct apsp_err err;
	int r;

	(void)state;
	left = used;
	assert_int_equal(
		apsp_upload_open(scratch_dir(), &options, &upload, &err), 0);
	do {
		r = apsp_upload_step(upload, &at, &left, &err);
		n_steps++;
	} while (r == 1);
	assert_int_equal(r, 0);
	assert_int_equal(left, 0);
	assert_true(n_steps >= size / step);
	apsp_upload_free(upload);
	free(packed);
}

static void test_ratio(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	const size_t size = 1 << 26;
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	size_t used;
	char *packed = bomb_of(size, &used);

	(void)state;
	options.limits.max_ratio = 1000;
	options.limits.free_bytes = 1 << 24;
	assert_true(used < size / 2000);
	assert_int_equal(
		upload_run(&options, packed, used, 1000, &upload, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "more than 1000 times its size"));
	/* below free_bytes nothing is refused; it has no arcs, though */
	options.limits.free_bytes = size;
	assert_int_equal(
		upload_run(&options, packed, used, 1000, &upload, &err),
		APSP_EDATA);
	free(packed);
}

/* Processor time is earned by bytes as sent, and few come for so many lines. */
static void test_processor_time(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	size_t used;
	char *packed = bomb_of(1 << 26, &used);

	(void)state;
	options.cpu_rate = UINT32_MAX;
	assert_int_equal(
		upload_run(&options, packed, used, used, &upload, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "of processor time"));
	free(packed);
}

/* zstd --long makes such windows: each upload would hold as much memory. */
static void test_window(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	const size_t size = 1 << 25, room = 1 << 20;
	char *lines = malloc(size), *packed = malloc(room);
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	size_t used;

	(void)state;
	memset(lines, '\n', size);
	memcpy(lines, "a,b,1\n", 6);
	for (int log = 23; log <= 24; log++) {
		ZSTD_CCtx *zstd = ZSTD_createCCtx();

		ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, log);
		used = ZSTD_compress2(zstd, packed, room, lines, size);
		ZSTD_freeCCtx(zstd);
		assert_false(ZSTD_isError(used));
		assert_int_equal(
			upload_run(&options, packed, used, 999, &upload, &err),
			log == 23 ? 0 : APSP_EDATA);
		apsp_upload_free(upload);
	}
	assert_non_null(strstr(err.message, "without --long and --ultra"));
	free(packed);
	free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compression),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_nothing_packed),
		cmocka_unit_test(test_full_buffer),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_processor_time),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
