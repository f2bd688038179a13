/*
 * Uploads: names of formats, the real files, npy, compression, limits, the
 * revision, and mutated files that must never do harm.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "tests/upload_run.h"

static void test_names(void **state)
{
	(void)state;
	for (int f = 0; f < APSP_N_FORMATS; f++)
		assert_int_equal(apsp_format_from_name(
					 apsp_format_name((enum apsp_format)f)),
			f);
	assert_int_equal(apsp_format_from_name("xlsx"), -1);
	assert_int_equal(
		apsp_format_from_content_type("text/csv"), APSP_FORMAT_CSV);
	assert_int_equal(
		apsp_format_from_content_type("Text/CSV; charset=utf-8"),
		APSP_FORMAT_CSV);
	assert_int_equal(
		apsp_format_from_content_type("text/csv;layout=matrix"),
		APSP_FORMAT_CSV_MATRIX);
	assert_int_equal(apsp_format_from_content_type(
				 "text/csv; charset=utf-8; layout=matrix"),
		APSP_FORMAT_CSV_MATRIX);
	assert_int_equal(apsp_format_from_content_type("application/x-npy"),
		APSP_FORMAT_NPY);
	assert_int_equal(apsp_format_from_content_type("text/plain"), -1);
	assert_int_equal(apsp_format_from_content_type("text/csvx"), -1);
}

static const struct {
	const char *name;
	enum apsp_format format;
	uint32_t n_vertices;
	uint64_t n_arcs;
	const char *first, *last; /* labels */
} files[] = {
	{"rome99.gr", APSP_FORMAT_GR, 3353, 8870, "1", "3353"},
	{"larva_edges.csv", APSP_FORMAT_CSV, 3013, 111243, "29", NULL},
	{"celegans_newman.csv", APSP_FORMAT_CSV, 297, 2345, "0", NULL},
	{"human_tract_lengths.matrix.csv", APSP_FORMAT_CSV_MATRIX, 94, 8742,
		"0", "93"},
};

enum { N_FILES = sizeof(files) / sizeof(*files) };

static void file_check(const struct apsp_upload *upload, size_t i)
{
	const struct apsp_labels *labels = apsp_upload_labels(upload);

	assert_int_equal(apsp_labels_count(labels), files[i].n_vertices);
	assert_int_equal(apsp_upload_n_arcs(upload), files[i].n_arcs);
	assert_string_equal(apsp_labels_get(labels, 0, NULL), files[i].first);
	if (files[i].last)
		assert_string_equal(
			apsp_labels_get(labels, files[i].n_vertices - 1, NULL),
			files[i].last);
}

static void test_files(void **state)
{
	static const size_t pieces[] = {1 << 16, 1, PIECES_RANDOM};
	struct apsp_upload *upload = NULL;
	char revision[APSP_HASH_SIZE];
	struct apsp_err err;
	size_t size = 0;

	(void)state;
	for (size_t i = 0; i < N_FILES; i++) {
		struct apsp_upload_options options =
			options_of(files[i].format);
		char *data = data_read(files[i].name, &size);

		assert_non_null(data);
		for (size_t p = 0; p < 3; p++) {
			if (upload_run(&options, data, size, pieces[p], &upload,
				    &err) < 0)
				fail_msg("%s: %s", files[i].name, err.message);
			file_check(upload, i);
			if (p > 0)
				assert_string_equal(
					revision, apsp_upload_revision(upload));
			strcpy(revision, apsp_upload_revision(upload));
			apsp_upload_free(upload);
		}
		free(data);
	}
}

/* The first and last arcs of larva, read back from the middle of the spool. */
static void test_arcs(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_labels *labels;
	struct apsp_arc arcs[3];
	size_t size = 0;
	char *data = data_read("larva_edges.csv", &size);

	(void)state;
	assert_int_equal(
		upload_run(&options, data, size, 1 << 16, &upload, NULL), 0);
	assert_int_equal(apsp_upload_arcs(upload, 0, arcs, 2, NULL), 2);
	assert_true(
		arcs[0].from == 0 && arcs[0].to == 1 && arcs[0].weight == 9);
	assert_true(
		arcs[1].from == 0 && arcs[1].to == 2 && arcs[1].weight == 1);
	assert_int_equal(apsp_upload_arcs(upload, 111242, arcs, 3, NULL), 1);
	assert_int_equal(apsp_upload_arcs(upload, 111243, arcs, 3, NULL), 0);
	assert_int_equal(apsp_upload_format(upload), APSP_FORMAT_CSV);
	labels = apsp_upload_take_labels(upload);
	assert_null(apsp_upload_labels(upload));
	apsp_upload_free(upload);
	assert_int_equal(apsp_labels_find(labels, "8419602", 7), 1);
	apsp_labels_free(labels);
	free(data);
}

/* One graph in every format. */
static void test_revision(void **state)
{
	static const struct {
		enum apsp_format format;
		const char *text;
	} same[] = {
		{APSP_FORMAT_GR, "p sp 2 2\na 1 2 2.5\na 2 1 0.5\n"},
		{APSP_FORMAT_CSV, "1,2,2.5\n2,1,.5\n"},
		{APSP_FORMAT_TSV, "from\tto\tweight\n1\t2\t25e-1\n2\t1\t.5"},
		{APSP_FORMAT_CSV_MATRIX, "n,1,2\n1,0,2.5\n2,0.5,0\n"},
		{APSP_FORMAT_MTX, "%%MatrixMarket matrix coordinate real "
				  "general\n2 2 2\n1 2 2.5\n2 1 .5\n"},
		{APSP_FORMAT_JSON,
			"{\"vertices\":[1,2],\"arcs\":[[1,2,2.5],[2,1,0.5]]}"},
	};
	static const char *const other[] = {"1,2,2.5\n2,1,.6\n",
		"2,1,.5\n1,2,2.5\n", "1,2,2.5\n2,3,.5\n", "1,2,2.5\n"};
	struct apsp_upload *upload = NULL;
	char revision[APSP_HASH_SIZE] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct apsp_upload_options options = options_of(same[i].format);

		assert_int_equal(
			upload_run(&options, same[i].text, strlen(same[i].text),
				7, &upload, NULL),
			0);
		if (i > 0)
			assert_string_equal(
				revision, apsp_upload_revision(upload));
		strcpy(revision, apsp_upload_revision(upload));
		assert_int_equal(strlen(revision), APSP_HASH_SIZE - 1);
		apsp_upload_free(upload);
	}
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		struct apsp_upload_options options =
			options_of(APSP_FORMAT_CSV);

		assert_int_equal(upload_run(&options, other[i],
					 strlen(other[i]), 7, &upload, NULL),
			0);
		assert_string_not_equal(revision, apsp_upload_revision(upload));
		apsp_upload_free(upload);
	}
}

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
	{1, NPY("|u1", "False", "(9999999, 9999999)"), "\0", 1,
		"9999999 vertices", APSP_EDATA},
	{1, NPY("|u1", "False", "(2, 2)"), "\0\0\0", 3,
		"row 2, column 2: the npy file ends", APSP_EDATA},
	{1, NPY("|u1", "False", "(2, 2)"), "\0\0\0\0\0", 5, "goes on",
		APSP_EDATA},
	{1, NPY("<u2", "False", "(1, 1)"), "\0\0\0", 3, "goes on", APSP_EDATA},
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

/* size bytes as one gzip member, or zstd frame, behind *used bytes at out. */
static void gzip_append(
	char *out, size_t *used, size_t room, const char *data, size_t size)
{
	z_stream z = {0};

	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	z.next_out = (Bytef *)out + *used;
	z.avail_out = (uInt)(room - *used);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*used = room - z.avail_out;
	deflateEnd(&z);
}

static void zstd_append(
	char *out, size_t *used, size_t room, const char *data, size_t size)
{
	*used += ZSTD_compress(out + *used, room - *used, data, size, 3);
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
				file_check(upload, 2);
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
			options.max_bytes = size - 1;
			assert_int_equal(upload_run(&options, packed, used,
						 piece, &upload, &err),
				APSP_ETOOLARGE);
			options.max_bytes = size;
		}
		assert_int_equal(
			upload_run(&options, data, size, 999, &upload, &err),
			APSP_EDATA); /* said to be packed, and is not */
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
	options.max_bytes = 1 << 20;
	assert_int_equal(
		upload_run(&options, packed, used, used, &upload, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "1048576 bytes, decompressed"));
	free(packed);
	free(zeros);
}

/* The spool has no name, and a directory that is none gives a sentence. */
static void test_spool(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	char dir[] = "/tmp/test_upload.XXXXXX";
	struct apsp_err err;
	int n = 0;
	DIR *d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(apsp_upload_open(dir, &options, &upload, &err), 0);
	d = opendir(dir);
	while (readdir(d))
		n++;
	closedir(d);
	assert_int_equal(n, 2);
	apsp_upload_free(upload);
	rmdir(dir);
	upload = NULL;
	assert_int_equal(
		apsp_upload_open(dir, &options, &upload, &err), APSP_EIO);
	assert_null(upload);
	assert_non_null(strstr(err.message, dir));
}

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

static uint32_t next(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) +
		  UINT64_C(1442695040888963407);
	return (uint32_t)(*random >> 33);
}

/* Change, insert, drop or repeat a few bytes. Returns the new size. */
static size_t mutate(char *data, size_t size, size_t room, uint64_t *random)
{
	static const char bytes[] = ",;\t \n\r\"'#%{}[]:-+.eE0123456789\\u\xff";

	for (uint32_t i = next(random) % 6 + 1; i > 0 && size > 1; i--) {
		size_t at = next(random) % size;
		char c = next(random) % 4
				 ? bytes[next(random) % (sizeof(bytes) - 1)]
				 : (char)next(random);

		switch (next(random) % 4) {
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
 * Whatever comes: no harm, and the same end for every chunking. (Damaged gzip
 * or zstd is noticed earlier or later, so its messages may differ.)
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
		if (i % 5 == 0) { /* the packed bytes are changed instead */
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
			assert_string_equal(apsp_upload_revision(whole),
				apsp_upload_revision(cut));
		apsp_upload_free(whole);
		apsp_upload_free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_arcs),
		cmocka_unit_test(test_revision),
		cmocka_unit_test(test_npy),
		cmocka_unit_test(test_compression),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_spool),
		cmocka_unit_test(test_mutants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
