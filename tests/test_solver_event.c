/*
 * Events: what is written parses back, other lines are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/solver_event.h"
#include "compute/worker/job_report.h"
#include "daemon/base/fields.h"

/* Write an event with one field and read its value back. */
static void round_trip(enum apsp_solver_event_kind kind, const char *in,
	char out[APSP_FIELD_VALUE_SIZE])
{
	enum apsp_solver_event_kind found;
	const char *fields;
	char *line = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&line, &size);

	assert_non_null(stream);
	apsp_solver_event_field(stream, kind, "name", "%s", in);
	fclose(stream);
	assert_true(size <= APSP_SOLVER_EVENT_LINE);
	assert_int_equal(line[size - 1], '\n');
	line[size - 1] = '\0';
	assert_null(strchr(line, '\n'));
	assert_true(apsp_solver_event_parse(line, &found, &fields));
	assert_int_equal(found, kind);
	assert_true(
		apsp_fields_get(fields, "name", out, APSP_FIELD_VALUE_SIZE));
	assert_false(apsp_fields_get(fields, "other", out + strlen(out), 1));
	free(line);
}

static void test_texts(void **state)
{
	static const char *const texts[] = {"blocked-fw", "a b  c", " leading",
		"100 % of\nit\x7f\x01", "%41", "größe", "a|b", ""};
	char out[APSP_FIELD_VALUE_SIZE];

	(void)state;
	for (int kind = APSP_SOLVER_EVENT_JOB; kind <= APSP_SOLVER_EVENT_RATES;
		kind++)
		for (size_t i = 0; kind != APSP_SOLVER_EVENT_DONE &&
				   i < sizeof(texts) / sizeof(*texts);
			i++) {
			round_trip((enum apsp_solver_event_kind)kind, texts[i],
				out);
			assert_string_equal(out, texts[i]);
		}
}

static void test_long_text(void **state)
{
	char in[APSP_SOLVER_EVENT_LINE], out[APSP_FIELD_VALUE_SIZE];

	(void)state;
	memset(in, '%', sizeof(in) - 1);
	in[sizeof(in) - 1] = '\0';
	round_trip(APSP_SOLVER_EVENT_CYCLE, in, out);
	assert_true(strlen(out) > 1000);
	assert_int_equal(strspn(out, "%"), strlen(out));
	memset(in, 'x', sizeof(in) - 1);
	round_trip(APSP_SOLVER_EVENT_CYCLE, in, out);
	assert_true(strlen(out) > APSP_SOLVER_EVENT_LINE - 30);
}

static void test_refused(void **state)
{
	static const char *const lines[] = {"", " ", "done x", "done ", "don",
		"donee", "job", "job ", "job phase", "job phase a%",
		"job phase a%4", "job phase a%4g", "job phase a%00",
		"job  phase a", "job phase a b", "job phase a ", "found",
		"DONE", " done"};
	enum apsp_solver_event_kind kind;
	const char *fields;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (apsp_solver_event_parse(lines[i], &kind, &fields))
			fail_msg("'%s'", lines[i]);
}

/* Bytes that are not UTF-8 become '?', and a character is kept or cut whole. */
static void test_utf8(void **state)
{
	char out[64];

	(void)state;
	assert_true(apsp_fields_get("a caf\xe9", "a", out, sizeof(out)));
	assert_string_equal(out, "caf?");
	/* overlong, surrogate, past the end, cut short; and one that is right
	 */
	assert_true(apsp_fields_get("a %C0%80%20%ED%A0%80%20"
				    "%F4%90%80%80%20%F0%9F%92%A9%20%E2%82",
		"a", out, sizeof(out)));
	assert_string_equal(out, "?? ??? ???? \xf0\x9f\x92\xa9 ??");
	assert_true(apsp_fields_get("a x\xc3\xa4y b 1", "a", out, 3));
	assert_string_equal(out, "x");
	assert_true(apsp_fields_get("a x%C3%A4y b 1", "a", out, 4));
	assert_string_equal(out, "x\xc3\xa4");
	assert_true(apsp_fields_get("a x%C3%A4y b 1", "b", out, 4));
	assert_string_equal(out, "1");
}

/* Only fields with valid numbers are read; the others leave their members. */
static void test_members(void **state)
{
	struct all {
		char text[8];
		bool flag;
		uint32_t narrow;
		uint64_t wide;
		double real;
	};
	static const struct apsp_member members[] = {
		APSP_MEMBER(struct all, text, "text", TEXT),
		APSP_MEMBER(struct all, flag, "flag", FLAG),
		APSP_MEMBER(struct all, narrow, "narrow", U32),
		APSP_MEMBER(struct all, wide, "wide", U64),
		APSP_MEMBER(struct all, real, "real", REAL),
	};
	static const char *const wrong[] = {"flag 2", "flag true", "narrow -1",
		"narrow 4294967296", "narrow 1x", "narrow ",
		"wide 18446744073709551616", "real nan", "real inf", "real 1x",
		"other 1", "text"};
	const struct all in = {"a b%", true, UINT32_MAX, UINT64_MAX, -0.25};
	struct all out = {.narrow = 7};
	char text[256] = "", little[16] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(
			apsp_fields_read(wrong[i], members, 5, &out), 0);
	assert_int_equal(out.narrow, 7);
	assert_int_equal(
		apsp_fields_read("x 1 narrow 8 y 2", members, 5, &out), 1);
	assert_int_equal(out.narrow, 8);
	apsp_fields_write(text, sizeof(text), members, 5, &in);
	assert_string_equal(text, "text a%20b%25 flag 1 narrow 4294967295 "
				  "wide 18446744073709551615 real -0.25");
	assert_int_equal(apsp_fields_read(text, members, 5, &out), 5);
	assert_string_equal(out.text, in.text);
	assert_true(out.flag && out.narrow == in.narrow &&
		    out.wide == in.wide && out.real == in.real);
	/* what does not fit is cut, between escapes */
	assert_true(apsp_fields_add(little, sizeof(little), "a", "%d", 12));
	assert_false(apsp_fields_add(
		little, sizeof(little), "b", "%s", "12345 6 7"));
	assert_string_equal(little, "a 12 b 12345%20");
	assert_false(apsp_fields_add(little, sizeof(little), "c", "1"));
}

static void test_report(void **state)
{
	struct apsp_job_report report;

	(void)state;
	apsp_job_report_init(&report);
	assert_false(apsp_job_report_line(&report, "job share 0.5 left 9"));
	assert_true(report.changed);
	assert_false(apsp_job_report_line(&report, "job share 0.4 left 1"));
	assert_true(report.progress.progress == 0.5);
	assert_true(report.progress.eta_s == 9);
	static const char *const ignored[] = {"job share 1.5 left 1",
		"job share -0.1 left 1", "job share nan left 1",
		"job share x left 1", "within seconds -1", "within seconds inf",
		"trial seconds -1"};
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		apsp_job_report_line(&report, ignored[i]);
	assert_true(report.progress.progress == 0.5);
	assert_true(report.within_s == 0 && report.trial_s == 0);
	apsp_job_report_line(&report, "within seconds 312.5");
	apsp_job_report_line(&report, "trial seconds 240");
	assert_true(report.within_s == 312.5 && report.trial_s == 240);
	assert_false(apsp_job_report_line(&report, "job seed 4294967295"));
	assert_int_equal(report.progress.proof_seed, UINT32_MAX);
	/* cut between characters: 15 bytes hold seven of these */
	assert_false(apsp_job_report_line(&report, "job phase ääääääää"));
	assert_string_equal(report.progress.phase, "äääääää");
	for (int i = 0; i < APSP_SOLVER_EVENT_CYCLE_MAX + 10; i++)
		apsp_job_report_line(&report, "cycle vertex v");
	assert_int_equal(
		report.failure.cycle_size, 2 * APSP_SOLVER_EVENT_CYCLE_MAX);
	assert_true(apsp_job_report_line(
		&report, "error code overflow text too%20long"));
	assert_int_equal(report.failure.err.code, APSP_EOVERFLOW);
	assert_string_equal(report.failure.err.message, "too long");
	apsp_job_report_done(&report);

	apsp_job_report_init(&report);
	apsp_job_report_log(&report, "-----");
	apsp_job_report_log(&report, "cause");
	assert_int_equal(apsp_job_report_died(&report, "fell"), APSP_ESOLVER);
	assert_string_equal(report.failure.err.message,
		"the solver fell; its first words: cause");
	apsp_job_report_log(&report, "details");
	apsp_job_report_log(&report, "advice");
	assert_int_equal(apsp_job_report_died(&report, "fell"), APSP_ESOLVER);
	assert_string_equal(report.failure.err.message,
		"the solver fell; its first words: cause | then: details");
	apsp_job_report_line(&report, "job phase distance");
	assert_int_equal(apsp_job_report_died(&report, "fell"), APSP_ESOLVER);
	assert_string_equal(report.failure.err.message,
		"the solver fell; its first words: cause | then: details");
	apsp_job_report_log(&report, "two");
	apsp_job_report_log(&report, "");
	apsp_job_report_log(&report, "------");
	apsp_job_report_log(&report, "three");
	assert_int_equal(apsp_job_report_died(&report, "fell"), APSP_ESOLVER);
	assert_string_equal(report.failure.err.message,
		"the solver fell; its last words: three | before: two");
	apsp_job_report_done(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
