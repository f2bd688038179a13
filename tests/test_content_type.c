/*
 * Which format a Content-Type tells, and the messages about those that tell
 * none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <string.h>

#include <cmocka.h>

#include "storage/ingest/formats/content_type.h"

static const struct {
	const char *type;
	enum apsp_format format;
} known[] = {
	{"text/csv", APSP_FORMAT_CSV},
	{"Text/CSV; charset=utf-8", APSP_FORMAT_CSV},
	{"text/csv;charset=\"UTF-8\"", APSP_FORMAT_CSV},
	{"text/csv ; charset=us-ascii ;", APSP_FORMAT_CSV},
	{"text/csv;layout=matrix", APSP_FORMAT_CSV_MATRIX},
	{"text/csv; charset=utf-8; layout=matrix", APSP_FORMAT_CSV_MATRIX},
	{"text/csv;Layout=\"Matrix\";layout=matrix", APSP_FORMAT_CSV_MATRIX},
	{"text/tab-separated-values", APSP_FORMAT_TSV},
	{"text/x-matrix-market", APSP_FORMAT_MTX},
	{"application/x-matrix-market", APSP_FORMAT_MTX},
	{"text/x-dimacs", APSP_FORMAT_GR},
	{"application/x-dimacs", APSP_FORMAT_GR},
	{"application/x-npy", APSP_FORMAT_NPY},
	{"application/json;charset=utf-8", APSP_FORMAT_JSON},
};

static void test_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		enum apsp_format format = APSP_N_FORMATS;
		struct apsp_err err;

		if (apsp_content_type_format(known[i].type, &format, &err) < 0)
			fail_msg("%s gave: %s", known[i].type, err.message);
		if (format != known[i].format)
			fail_msg("%s is no %s", known[i].type,
				apsp_formats[format].name);
	}
}

#define TYPES                                                                  \
	"text/csv[;layout=matrix], text/tab-separated-values, "                \
	"text/x-matrix-market, application/x-matrix-market, text/x-dimacs, "   \
	"application/x-dimacs, application/x-npy, application/json, application/x-tar"
#define PARAMETERS "charset=utf-8, charset=us-ascii or no parameter"

static const struct {
	const char *type, *message;
} refused[] = {
	{"text/csv;layout=matrx", "the Content-Type says 'layout=matrx'; "
				  "expected layout=matrix, " PARAMETERS},
	{"text/csv; layout=matrix; layout=diagonal",
		"the Content-Type says 'layout=diagonal'; expected "
		"layout=matrix, " PARAMETERS},
	{"text/csv;charset=utf-16",
		"the Content-Type says 'charset=utf-16'; expected "
		"layout=matrix, " PARAMETERS},
	{"text/csv;charset", "the Content-Type says 'charset'; expected "
			     "layout=matrix, " PARAMETERS},
	{"text/csv;header=absent",
		"the Content-Type says 'header=absent'; expected "
		"layout=matrix, " PARAMETERS},
	{"text/csv;charset=\"utf-8",
		"the Content-Type says 'charset=\"utf-8'; expected "
		"layout=matrix, " PARAMETERS},
	/* these were once taken for an edge list */
	{"text/tab-separated-values;layout=matrix",
		"the Content-Type says 'layout=matrix'; expected " PARAMETERS},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		enum apsp_format format;
		struct apsp_err err = {0};

		assert_int_equal(apsp_content_type_format(
					 refused[i].type, &format, &err),
			APSP_EMEDIATYPE);
		assert_string_equal(err.message, refused[i].message);
	}
}

/* Types that are none of ours: all known ones are listed, whatever is sent. */
static void test_unknown(void **state)
{
	static const char *const unknown[] = {
		"text/plain",
		"application/x-www-form-urlencoded", /* what curl -d sends */
		"application/vnd.openxmlformats-officedocument.spreadsheetml",
		"",
		"text/csvx",
		"text/csv layout=matrix",
	};
	char message[2 * APSP_MESSAGE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		enum apsp_format format;
		struct apsp_err err = {0};
		int shown = 33;

		do /* the type is cut where the message would be */
			snprintf(message, sizeof(message),
				"Content-Type '%.*s'; expected %s or "
				"?format=NAME",
				shown, unknown[i], TYPES);
		while (strlen(message) >= APSP_MESSAGE_SIZE && shown-- > 0);
		assert_int_equal(
			apsp_content_type_format(unknown[i], &format, &err),
			APSP_EMEDIATYPE);
		assert_string_equal(err.message, message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
