/*
 * Weights in uploads: missing ones, ones outside the domain of the rule, and
 * what they say about the transform.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/upload_run.h"

#define CSV APSP_FORMAT_CSV
#define TSV APSP_FORMAT_TSV
#define DENSE APSP_FORMAT_CSV_MATRIX
#define MTX APSP_FORMAT_MTX
#define GR APSP_FORMAT_GR
#define JSON APSP_FORMAT_JSON
#define MM "%%MatrixMarket matrix "

/* Missing weights with invalid=drop, also where labels may be. */
static void test_missing(void **state)
{
	static const struct {
		enum apsp_format format;
		const char *text, *arcs;
		uint64_t n_missing;
	} cases[] = {
		{CSV, "a,b,NA\na,c,2\n", "a>c:2 | b", 1},
		{TSV, "a\tb\tnull\n", " | a | b", 1},
		{DENSE, "NA,2\n2,NA\n", "0>1:2 1>0:2", 2},
		{DENSE, "1,NA,3\nNA,2,3\n1,2,None\n",
			"0>0:1 0>2:3 1>1:2 1>2:3 2>0:1 2>1:2", 3},
		{DENSE, "a,b\nNA,1\n2,0\n", "a>b:1 b>a:2", 1},
		{DENSE, "a,0,1\nb,NA,0\n", "a>b:1", 1},
		{DENSE, ",NA,b\nNA,NA,1\nb,2,0\n", "NA>b:1 b>NA:2", 1},
		{DENSE, "id,NA,b\nNA,0,1\nb,2,0\n", "NA>b:1 b>NA:2", 0},
		{MTX, MM "coordinate real symmetric\n2 2 2\n1 1 5\n2 1 nan\n",
			"1>1:5 | 2", 1},
		{MTX, MM "coordinate integer general\n2 2 1\n2 1\n", " | 1 | 2",
			1},
		{MTX, MM "array real general\n2 2\n0\nNaN\n1\n0\n", "1>2:1", 1},
		{GR, "p sp 2 2\na 1 2 NA\na 2 1 3", "2>1:3", 1},
		{JSON, "{\"arcs\":[[\"a\",\"b\",null],[\"b\",\"a\"]]}", "b>a:1",
			1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_upload_options options =
			options_of(cases[i].format);
		struct apsp_upload *upload = NULL;
		const char *in = cases[i].text;
		struct apsp_err err = {0};
		char *text;

		/* refused unless there is nothing to drop */
		assert_int_equal(
			upload_run(&options, in, strlen(in), 7, &upload, &err),
			cases[i].n_missing ? APSP_EDATA : 0);
		apsp_upload_free(upload);
		options.profile.invalid = APSP_INVALID_DROP;
		if (upload_run(&options, in, strlen(in), 7, &upload, &err) < 0)
			fail_msg("%s\ngave: %s", in, err.message);
		text = upload_text(upload);
		if (strcmp(text, cases[i].arcs) != 0)
			fail_msg("%s\ngave: %s", in, text);
		assert_int_equal(
			upload->result.findings->n_missing, cases[i].n_missing);
		free(text);
		apsp_upload_free(upload);
	}
}

/* Weights outside the domain, which a rule may replace or drop before the
   transform. */
static void test_spared(void **state)
{
	static const struct {
		const char *text;
		struct apsp_profile rule;
		bool refused;
	} cases[] = {
		{"a,b,0\n",
			{.transform = APSP_TRANSFORM_INV,
				.has_min_weight = true,
				.min_weight = 1},
			false},
		{"a,b,0\n",
			{.transform = APSP_TRANSFORM_INV,
				.has_min_weight = true},
			true},
		{"a,b,0\n",
			{.transform = APSP_TRANSFORM_INV, .without = "label:a"},
			false},
		{"a,b,0\n",
			{.path = APSP_PATH_WIDEST,
				.duplicates = APSP_DUPLICATES_MAX},
			false},
		{"a,b,0\n",
			{.transform = APSP_TRANSFORM_INV,
				.duplicates = APSP_DUPLICATES_MIN},
			true},
		{"a,b,0\n",
			{.transform = APSP_TRANSFORM_HOPS,
				.duplicates = APSP_DUPLICATES_MIN},
			false},
		/* 1/w is infinite */
		{"a,b,5e-324\n",
			{.transform = APSP_TRANSFORM_INV,
				.duplicates = APSP_DUPLICATES_MIN},
			true},
		{"a,b,5e-324\n",
			{.transform = APSP_TRANSFORM_INV,
				.duplicates = APSP_DUPLICATES_MAX},
			false},
		{"a,b,2\n",
			{.transform = APSP_TRANSFORM_LOG,
				.duplicates = APSP_DUPLICATES_MIN},
			false},
		{"a,b,2\n",
			{.transform = APSP_TRANSFORM_LOG,
				.duplicates = APSP_DUPLICATES_MAX},
			true},
		{"a,b,2\n",
			{.transform = APSP_TRANSFORM_LOG,
				.duplicates = APSP_DUPLICATES_LAST},
			false},
		/* a negative weight has no share, and a weight of 0 has one */
		{"a,b,-1\n",
			{.normalise = APSP_NORMALISE_INPUT,
				.without = "label:a"},
			true},
		{"a,b,0\n",
			{.transform = APSP_TRANSFORM_LOG,
				.normalise = APSP_NORMALISE_INPUT,
				.has_min_share = true,
				.min_share = 0.1},
			false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_upload_options options = options_of(CSV);
		struct apsp_upload *upload = NULL;
		struct apsp_err err = {0};
		int r;

		options.profile = cases[i].rule;
		r = upload_run(&options, cases[i].text, strlen(cases[i].text),
			5, &upload, &err);
		if (r != (cases[i].refused ? APSP_EDATA : 0))
			fail_msg("case %zu: %s", i, err.message);
		if (upload)
			assert_int_equal(upload->result.findings->n_outside, 0);
		apsp_upload_free(upload);
	}
}

/* Weights outside the transform's domain, and other values of nonedge. */
static void test_options(void **state)
{
	struct apsp_upload_options options = options_of(CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	char *text;

	(void)state;
	options.profile.transform = APSP_TRANSFORM_INV;
	assert_int_equal(
		upload_run(&options, "a,b,1\nb,a,-2\n", 13, 5, &upload, &err),
		APSP_EDATA);
	assert_string_equal(err.message,
		"line 2, column 5: the weight is -2, but the transform inv "
		"needs a weight above 0 (invalid=drop leaves such arcs out)");
	options.profile.invalid = APSP_INVALID_DROP;
	assert_int_equal(
		upload_run(&options, "a,b,1\nb,a,-2\n", 13, 5, &upload, &err),
		0);
	assert_int_equal(upload->result.n_arcs, 2);
	apsp_upload_free(upload);

	options = options_of(DENSE);
	options.file.has_nonedge = true;
	options.file.nonedge = -1;
	assert_int_equal(
		upload_run(&options, "0,-1\n,inf\n", 10, 5, &upload, &err), 0);
	text = upload_text(upload);
	assert_string_equal(text, "0>0:0 | 1");
	free(text);
	apsp_upload_free(upload);

	/* a cell that means no arc is no weight that was rounded */
	options.file.nonedge = 0x1p63;
	assert_int_equal(upload_run(&options,
				 "9223372036854775807,9007199254740993\n"
				 "9223372036854775807,1\n",
				 59, 5, &upload, &err),
		0);
	assert_int_equal(upload->result.n_arcs, 2);
	assert_int_equal(upload->result.findings->inexact.n, 1);
	apsp_upload_free(upload);

	options = options_of(CSV);
	options.max_arcs = 1;
	assert_int_equal(
		upload_run(&options, "a,b,1\nb,a,2\n", 12, 5, &upload, &err),
		APSP_ETOOLARGE);
}

/* If a request has no transform, the transform follows from the meaning of the
   weights. */
static const struct {
	enum apsp_format format;
	const char *text;
	enum apsp_transform transform; /* where no line is refused */
	uint64_t line, column;
} meanings[] = {
	{CSV, "a,b\n", APSP_TRANSFORM_HOPS, 0, 0},
	{CSV, "pre,post\na,b\n", APSP_TRANSFORM_HOPS, 0, 0},
	{CSV, "pre,post,length\na,b,2\n", APSP_TRANSFORM_NONE, 0, 0},
	{CSV, "cost,pre,post\n2,a,b\n", APSP_TRANSFORM_NONE, 0, 0},
	{CSV, "u,v,Distance\na,b,2\n", APSP_TRANSFORM_NONE, 0, 0},
	{CSV, "pre,post,weight\na,b,1\n", 0, 1, 10},
	{CSV, "pre,post,weight,length\na,b,1,1\n", 0, 1, 10},
	{CSV, "a,b,1\n", 0, 1, 5},
	{TSV, "a\tb\t2\n", 0, 1, 5},
	{DENSE, "0,1\n1,0\n", APSP_TRANSFORM_HOPS, 0, 0},
	{DENSE, "0,1\n2,0\n", 0, 2, 1},
	{MTX, MM "coordinate pattern general\n2 2 1\n1 2\n",
		APSP_TRANSFORM_HOPS, 0, 0},
	{MTX, MM "coordinate real general\n2 2 1\n1 2 1\n", 0, 1, 1},
	{MTX, MM "array real general\n1 1\n1\n", APSP_TRANSFORM_HOPS, 0, 0},
	{MTX, MM "array real general\n1 1\n3\n", 0, 3, 1},
	{GR, "p sp 2 1\na 1 2 7\n", APSP_TRANSFORM_NONE, 0, 0},
	{JSON, "{\"arcs\":[[\"a\",\"b\"]]}", APSP_TRANSFORM_HOPS, 0, 0},
	{JSON, "{\"arcs\":[[\"a\",\"b\",1]]}", 0, 1, 19},
	{JSON,
		"{\"links\":[{\"length\":3,\"source\":1,\"target\":2,"
		"\"w\":5}]}",
		APSP_TRANSFORM_NONE, 0, 0},
	{JSON,
		"{\"links\":[{\"length\":3,\"weight\":5,\"source\":1,"
		"\"target\":2}]}",
		0, 1, 23},
};

static void test_meanings(void **state)
{
	struct apsp_upload *upload = NULL;
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
		struct apsp_upload_options options =
			options_of(meanings[i].format);
		const char *in = meanings[i].text;
		int r;

		options.transform_unsaid = true;
		options.if_unweighted.transform = APSP_TRANSFORM_HOPS;
		memset(&err, 0, sizeof(err));
		r = upload_run(&options, in, strlen(in), 3, &upload, &err);
		if (r != (meanings[i].line ? APSP_ETRANSFORM : 0) ||
			err.line != meanings[i].line ||
			err.column != meanings[i].column)
			fail_msg("%s\ngave %d %s", in, r, err.message);
		if (r == 0)
			assert_int_equal(upload->result.profile.transform,
				meanings[i].transform);
		apsp_upload_free(upload);

		/* the rule that was said holds, whatever the weights mean */
		options.transform_unsaid = false;
		options.profile.transform = APSP_TRANSFORM_LOGNORM;
		assert_int_equal(
			upload_run(&options, in, strlen(in), 3, &upload, &err),
			0);
		assert_int_equal(upload->result.profile.transform,
			APSP_TRANSFORM_LOGNORM);
		apsp_upload_free(upload);
	}
}

/* Where only arcs count, a header that names both ends needs no weight. */
static void test_hops(void **state)
{
	static const char ends[] = "pre,post,roi,syn_wt\na,b,XX,5\n";
	static const char lost[] = "a,b,heavy\nb,c,1\n";
	struct apsp_upload_options options = options_of(CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	char *text;

	(void)state;
	options.profile.transform = APSP_TRANSFORM_HOPS;
	assert_int_equal(
		upload_run(&options, ends, strlen(ends), 5, &upload, &err), 0);
	text = upload_text(upload);
	assert_string_equal(text, "a>b:1");
	free(text);
	apsp_upload_free(upload);
	assert_int_equal(
		upload_run(&options, lost, strlen(lost), 5, &upload, &err),
		APSP_EDATA);
	options.profile.has_min_weight = true;
	options.profile.min_weight = 2;
	assert_int_equal(
		upload_run(&options, ends, strlen(ends), 5, &upload, &err),
		APSP_EDATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_spared),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_meanings),
		cmocka_unit_test(test_hops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
