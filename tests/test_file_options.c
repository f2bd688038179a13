/*
 * Options of an upload that its format or its file has no use for: they are
 * refused by a sentence that names them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/upload_run.h"

/* Options that a format has no use for. */
static void test_unfit(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_NPY);
	struct apsp_upload *upload = NULL;
	struct apsp_err err;

	(void)state;
	options.file.undirected = true;
	assert_int_equal(upload_run(&options, "x", 1, 1, &upload, &err),
		APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "format npy"));
	options = options_of(APSP_FORMAT_GR);
	strcpy(options.file.columns[APSP_ROLE_FROM], "x");
	assert_int_equal(upload_run(&options, "x", 1, 1, &upload, &err),
		APSP_EMALFORMED);
	/* the daemon recognises a list by its first bytes */
	options = options_of(APSP_FORMAT_NPY);
	options.format_unsaid = true;
	options.file.has_nonedge = true;
	assert_int_equal(upload_run(&options, "a,b,1\n", 6, 1, &upload, &err),
		APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "nonedge"));
}

/* Options that the format takes, and this file of it has no use for. */
static void test_unused(void **state)
{
	static const struct {
		enum apsp_format format;
		const char *column[APSP_N_ROLES];
		bool nonedge;
		const char *file, *words;
	} cases[] = {
		{APSP_FORMAT_JSON, {"x"}, false,
			"{\"vertices\":[\"a\"],\"arcs\":[]}",
			"from_column names a member of 'links'"},
		{APSP_FORMAT_JSON, {NULL, NULL, "w"}, false, "{\"arcs\":[]}",
			"weight_column names a member of 'links'"},
		{APSP_FORMAT_JSON, {NULL, NULL, "count"}, false,
			"{\"arcs\":[]}",
			"weight_column=count counts the rows of CSV; an arc of "
			"'arcs' is [from, to, weight]"},
		{APSP_FORMAT_JSON, {NULL, "x"}, false,
			"{\"nodes\":[],\"adjacency\":[]}",
			"to_column names a member of 'links'"},
		{APSP_FORMAT_MTX, {NULL}, true,
			"%%MatrixMarket matrix coordinate real general\n"
			"1 1 1\n1 1 2\n",
			"a coordinate file lists its arcs"},
	};
	struct apsp_upload *upload = NULL;
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_upload_options options =
			options_of(cases[i].format);

		for (int role = 0; role < APSP_N_ROLES; role++)
			if (cases[i].column[role])
				strcpy(options.file.columns[role],
					cases[i].column[role]);
		options.file.has_nonedge = cases[i].nonedge;
		assert_int_equal(
			upload_run(&options, cases[i].file,
				strlen(cases[i].file), 1, &upload, &err),
			APSP_EDATA);
		assert_non_null(strstr(err.message, cases[i].words));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unfit),
		cmocka_unit_test(test_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
