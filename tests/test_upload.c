/*
 * Uploads: names of formats, the real files, their arcs, the revision, and the
 * spool.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/job/arc_facts.h"
#include "tests/upload_run.h"

static void test_names(void **state)
{
	(void)state;
	for (int f = 0; f < APSP_N_FORMATS; f++)
		assert_int_equal(
			apsp_format_from_name(apsp_formats[f].name), f);
	assert_int_equal(apsp_format_from_name("xlsx"), -1);
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
	const struct apsp_labels *labels = upload->result.labels;

	assert_int_equal(labels->count, files[i].n_vertices);
	assert_int_equal(upload->result.n_arcs, files[i].n_arcs);
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
					revision, upload->result.revision);
			strcpy(revision, upload->result.revision);
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
	const struct apsp_arc_spool *spool;
	struct apsp_labels *labels;
	struct apsp_arc arcs[3];
	size_t size = 0;
	char *data = data_read("larva_edges.csv", &size);

	(void)state;
	assert_int_equal(
		upload_run(&options, data, size, 1 << 16, &upload, NULL), 0);
	spool = upload->result.arcs;
	assert_int_equal(apsp_arc_spool_read(spool, 0, arcs, 2, NULL), 2);
	assert_true(
		arcs[0].from == 0 && arcs[0].to == 1 && arcs[0].weight == 9);
	assert_true(
		arcs[1].from == 0 && arcs[1].to == 2 && arcs[1].weight == 1);
	assert_int_equal(apsp_arc_spool_read(spool, 111242, arcs, 3, NULL), 1);
	assert_int_equal(apsp_arc_spool_read(spool, 111243, arcs, 3, NULL), 0);
	assert_int_equal(upload->result.format, APSP_FORMAT_CSV);
	labels = apsp_labels_ref(upload->result.labels);
	apsp_upload_free(upload);
	assert_int_equal(apsp_labels_find(labels, "8419602", 7), 1);
	apsp_labels_unref(labels);
	free(data);
}

/* The set of weights comes from arcs, not from self-loops. */
static void test_weights(void **state)
{
	static const struct {
		const char *text;
		unsigned int expected;
	} uploads[] = {
		{"a,b\nb,a\n", 0},
		{"a,b,1\nb,b,0.3\n", 0},
		{"a,b,1\nb,c,7\nb,a,1\n", APSP_ARC_NOT_ONE |
						  APSP_ARC_ABOVE_ONE |
						  APSP_ARC_SUM_ABOVE_ONE |
						  APSP_ARC_INVERSE_FRACTION |
						  APSP_ARC_FROM_TWO << 1},
		{"a,b,-2\nb,c,0.5\n", APSP_ARC_NOT_ONE | APSP_ARC_NEGATIVE |
					      APSP_ARC_FRACTION |
					      APSP_ARC_FROM_TWO},
	};
	const struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload;

	(void)state;
	for (size_t i = 0; i < sizeof(uploads) / sizeof(*uploads); i++) {
		assert_int_equal(
			upload_run(&options, uploads[i].text,
				strlen(uploads[i].text), 3, &upload, NULL),
			0);
		/* each vertex has few arcs */
		assert_int_equal(upload->result.weights,
			uploads[i].expected | APSP_ARC_IN_255 |
				APSP_ARC_IN_65535);
		apsp_upload_free(upload);
	}
}

static bool has_hubs(const char *text, bool undirected)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload;
	bool hubs;

	options.file.undirected = undirected;
	assert_int_equal(
		upload_run(&options, text, strlen(text), 4096, &upload, NULL),
		0);
	hubs = upload->result.weights & APSP_ARC_HUBS;
	apsp_upload_free(upload);
	return hubs;
}

/*
 * Arcs from one vertex make it a hub, arcs to it do only if lines lead both
 * ways. Self-loops make neither hubs nor vertices.
 */
static void test_hubs(void **state)
{
	static const struct {
		uint32_t n;
		const char *line; /* of each of 0 … n - 1, %u once or twice */
		const char *more; /* the same again; "": none */
		bool one_way, both_ways; /* has hubs */
	} uploads[] = {
		{20, "%u,%u,1\n", "", false, false},
		{20, "hub,v%u,1\n", "", true, true},
		{20, "v%u,hub,1\n", "", false, true},
		/* too few around it */
		{2, "hub,v%u,1\n", "", false, false},
		{20, "v%u,w%u,1\n", "v0,v0,1\n", false, false},
		{20, "v%u,w%u,1\n", "loop%u,loop%u,1\nloop%u.5,loop%u.5,1\n",
			false, false},
		/* more vertices than are counted at first */
		{3000, "v%u,w%u,1\n", "", false, false},
		{3000, "v%u,w%u,1\n", "hub,v%u,1\n", true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(uploads) / sizeof(*uploads); i++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		for (uint32_t v = 0; v < uploads[i].n; v++)
			fprintf(f, uploads[i].line, v, v);
		for (uint32_t v = 0; v < uploads[i].n; v++)
			fprintf(f, uploads[i].more, v, v, v, v);
		fclose(f);
		if (has_hubs(text, false) != uploads[i].one_way ||
			has_hubs(text, true) != uploads[i].both_ways)
			fail_msg("%s%s", uploads[i].line, uploads[i].more);
		free(text);
	}
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
			assert_string_equal(revision, upload->result.revision);
		strcpy(revision, upload->result.revision);
		assert_int_equal(strlen(revision), APSP_HASH_SIZE - 1);
		apsp_upload_free(upload);
	}
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		struct apsp_upload_options options =
			options_of(APSP_FORMAT_CSV);

		assert_int_equal(upload_run(&options, other[i],
					 strlen(other[i]), 7, &upload, NULL),
			0);
		assert_string_not_equal(revision, upload->result.revision);
		apsp_upload_free(upload);
	}
}

/* Files of other kinds, sent as text. */
static void test_binary(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		uint64_t line, column;
		const char
			*byte; /* NULL: it is text, though not of this format */
	} sent[] = {
		{"\x93NUMPY\1\0v\0", 10, 1, 8, "0x00"},
		{"a,b,1\nb,\0,1\n", 13, 2, 3, "0x00"},
		{"\xef\xbb\xbfx,\0", 6, 1, 3, "0x00"},
		{"\n\1\2\3\4\5\6a,b\n", 11, 2, 1, "0x01"},
		{"\t\t\r\n\f\v\x7f\x7f", 8, 0, 0, NULL},
		{"\1\2\3a,b\n", 7, 0, 0,
			NULL}, /* controls are less than half of it */
	};
	static const enum apsp_format formats[] = {APSP_FORMAT_CSV,
		APSP_FORMAT_TSV, APSP_FORMAT_CSV_MATRIX, APSP_FORMAT_MTX,
		APSP_FORMAT_GR, APSP_FORMAT_JSON};
	struct apsp_upload *upload = NULL;

	(void)state;
	for (size_t i = 0; i < 6 * sizeof(sent) / sizeof(*sent); i++) {
		struct apsp_upload_options options = options_of(formats[i % 6]);
		struct apsp_err err = {0};
		bool told;

		if (upload_run(&options, sent[i / 6].data, sent[i / 6].size,
			    1 + i % 3, &upload, &err) == 0)
			apsp_upload_free(upload);
		told = strstr(err.message, "this is not text");
		assert_int_equal(told, sent[i / 6].byte != NULL);
		if (!told)
			continue;
		assert_non_null(strstr(err.message, sent[i / 6].byte));
		assert_non_null(
			strstr(err.message, apsp_formats[formats[i % 6]].name));
		assert_int_equal(err.line, sent[i / 6].line);
		assert_int_equal(err.column, sent[i / 6].column);
	}
}

/* The spool has no name; a bad directory gives a sentence. A disk without room
   is the disk of the state directory. */
static void test_spool(void **state)
{
	struct rlimit limit, none;
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	char dir[] = "/tmp/test_upload.XXXXXX";
	struct apsp_err err;
	int n = 0;
	DIR *d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			apsp_upload_open(dir, &options, &upload, &err), 0);
		assert_int_equal(upload_write(upload, "a,b\n", 4, &err), 0);
		if (i == 1)
			rmdir(dir);
		/* the first flush makes the file */
		assert_int_equal(
			apsp_upload_end(upload, &err), i == 1 ? APSP_EIO : 0);
		n = 0;
		d = i == 0 ? opendir(dir) : NULL;
		while (d && readdir(d))
			n++;
		if (d)
			closedir(d);
		assert_int_equal(n, i == 0 ? 2 : 0);
		apsp_upload_free(upload);
	}
	assert_non_null(strstr(err.message, dir));

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	none = (struct rlimit){.rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	n = upload_run(&options, "a,b\n", 4, 4, &upload, &err);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(n, APSP_ESTATEFULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_arcs),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_hubs),
		cmocka_unit_test(test_revision),
		cmocka_unit_test(test_binary),
		cmocka_unit_test(test_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
