/*
 * Problems, statuses, numbers and times as clients read them.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/encode/json.h"
#include "api/encode/problem.h"

/* Compare a value, which is taken over, with its text. */
static void check(json_t *value, const char *want)
{
	struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};

	apsp_json_tree(&w, value);
	apsp_text_byte(&text, '\0');
	assert_false(text.failed);
	assert_string_equal(text.data, want);
	apsp_text_done(&text);
}

static void test_numbers(void **state)
{
	double third = 1.0 / 3;

	(void)state;
	check(apsp_json_number(0.075), "0.075");
	check(apsp_json_number(0.1), "0.1");
	check(apsp_json_number(3), "3");
	check(apsp_json_number(-0.0), "0");
	check(apsp_json_number(1e300), "1e+300");
	check(apsp_json_number(INFINITY), "null");
	check(apsp_json_number(NAN), "null");
	check(apsp_json_number(0.1 + 0.2), "0.30000000000000004");

	/* every number on its own, and none inside a string */
	check(json_pack("[f, {s:f}, f, s, b, i]", 0.075, "x\"0.30", third, -0.2,
		      "0.20000000000000001 \\", true, 70),
		"[0.075,{\"x\\\"0.30\":0.3333333333333333},-0.2,"
		"\"0.20000000000000001 \\\\\",true,70]");
	check(json_real(5), "5.0");
	check(json_real(1.25e-7), "1.25e-07");
	check(json_real(DBL_MAX), "1.7976931348623157e+308");
}

static void test_times(void **state)
{
	(void)state;
	check(apsp_json_time(0), "null");
	check(apsp_json_time(951782399007), "\"2000-02-28T23:59:59.007Z\"");
}

static void test_problems(void **state)
{
	struct apsp_err err = {0};

	(void)state;
	apsp_fail_at(&err, APSP_EDATA, 3, 4, "found 'x'");
	check(apsp_problem_json(
		      &err, NULL, json_pack("{s:s}", "pointer", "/a")),
		"{\"type\":\"/problems/bad-data\",\"title\":\"Unusable data\","
		"\"status\":422,\"detail\":\"found 'x'\",\"line\":3,"
		"\"column\":4,\"pointer\":\"/a\"}");
	/* an internal error is for the log, not for the client */
	apsp_fail(&err, APSP_EDB, "secret path");
	{
		json_t *problem = apsp_problem_json(&err, "/lab", NULL);
		const char *detail =
			json_string_value(json_object_get(problem, "detail"));

		assert_null(strstr(detail, "secret"));
		assert_string_equal(
			json_string_value(json_object_get(problem, "type")),
			"/lab/problems/database-error");
		json_decref(problem);
	}

	/* the error of a job is for the client */
	apsp_fail(&err, APSP_EDEVICE, "no OpenCL device fits 'x'");
	{
		json_t *problem = apsp_problem_json(&err, "/lab", NULL);

		assert_string_equal(
			json_string_value(json_object_get(problem, "detail")),
			"no OpenCL device fits 'x'");
		json_decref(problem);
	}
}

static void test_statuses(void **state)
{
	static const struct {
		int code;
		unsigned int status;
	} cases[] = {
		{APSP_EMALFORMED, 400},
		{APSP_EUNAUTHORIZED, 401},
		{APSP_EFORBIDDEN, 403},
		{APSP_ENOGRAPH, 404},
		{APSP_ENOVERTEX, 404},
		{APSP_EBADVERTEX, 422},
		{APSP_EMETHOD, 405},
		{APSP_ENOTACCEPTABLE, 406},
		{APSP_ETABLES, 409},
		{APSP_EPRECONDITION, 412},
		{APSP_ETOOLARGE, 413},
		{APSP_EMEDIATYPE, 415},
		{APSP_EMISDIRECTED, 421},
		{APSP_ENEGCYCLE, 422},
		{APSP_EQUEUEFULL, 429},
		{APSP_EDB, 500},
		{APSP_EBUG, 500},
		{12345, 500},
		{APSP_ENOTREADY, 503},
		{APSP_EDAMAGED, 503},
		{APSP_ENOSPACE, 507},
		{APSP_ESTATEFULL, 507},
		{APSP_ELIMIT, 507},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			apsp_problem_status(cases[i].code), cases[i].status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
