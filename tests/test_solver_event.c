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

/* Write an event into a line of memory and read it back. */
static void round_trip(
	const struct apsp_solver_event *in, struct apsp_solver_event *out)
{
	char *line = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&line, &size);

	assert_non_null(stream);
	apsp_solver_event_write(stream, in);
	fclose(stream);
	assert_true(size <= APSP_SOLVER_EVENT_LINE);
	assert_int_equal(line[size - 1], '\n');
	line[size - 1] = '\0';
	assert_null(strchr(line, '\n'));
	assert_int_equal(apsp_solver_event_parse(line, out, NULL), 0);
	free(line);
	assert_int_equal(out->kind, in->kind);
}

static void test_texts(void **state)
{
	static const char *const texts[] = {"blocked-fw", "a b  c", " leading",
		"100 % of\nit\x7f\x01", "%41", "größe", "a|b"};
	struct apsp_solver_event in = {0}, out;

	(void)state;
	for (int kind = APSP_SOLVER_EVENT_DEVICE;
		kind <= APSP_SOLVER_EVENT_RATES; kind++) {
		if (kind == APSP_SOLVER_EVENT_PROGRESS ||
			kind == APSP_SOLVER_EVENT_WITHIN ||
			kind == APSP_SOLVER_EVENT_TRIAL ||
			kind == APSP_SOLVER_EVENT_ERROR ||
			kind == APSP_SOLVER_EVENT_DONE)
			continue;
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
			in.kind = (enum apsp_solver_event_kind)kind;
			strcpy(in.text, texts[i]);
			round_trip(&in, &out);
			assert_string_equal(out.text, texts[i]);
		}
	}
}

static void test_long_text(void **state)
{
	struct apsp_solver_event in = {.kind = APSP_SOLVER_EVENT_CYCLE}, out;

	(void)state;
	memset(in.text, '%', sizeof(in.text) - 1);
	round_trip(&in, &out);
	assert_true(strlen(out.text) > 1000);
	assert_int_equal(strspn(out.text, "%"), strlen(out.text));
	memset(in.text, 'x', sizeof(in.text) - 1);
	round_trip(&in, &out);
	assert_true(strlen(out.text) > APSP_SOLVER_EVENT_LINE - 20);
}

static void test_error_and_progress(void **state)
{
	struct apsp_solver_event in = {.kind = APSP_SOLVER_EVENT_ERROR,
		.code = APSP_ENEGCYCLE,
		.text = "a → b → a"};
	struct apsp_solver_event out;

	(void)state;
	round_trip(&in, &out);
	assert_int_equal(out.code, APSP_ENEGCYCLE);
	assert_string_equal(out.text, in.text);

	in = (struct apsp_solver_event){.kind = APSP_SOLVER_EVENT_PROGRESS,
		.progress = 0.25,
		.eta_s = -1};
	round_trip(&in, &out);
	assert_true(out.progress == 0.25 && out.eta_s == -1);
	in = (struct apsp_solver_event){
		.kind = APSP_SOLVER_EVENT_WITHIN, .within_s = 312.5};
	round_trip(&in, &out);
	assert_true(out.within_s == 312.5);
	in.kind = APSP_SOLVER_EVENT_TRIAL;
	round_trip(&in, &out);
	assert_true(out.within_s == 312.5);
	in = (struct apsp_solver_event){.kind = APSP_SOLVER_EVENT_DONE};
	round_trip(&in, &out);
}

static void test_refused(void **state)
{
	static const char *const lines[] = {"", " ", "done x", "don", "donee",
		"device", "device ", "phase a%", "phase a%4", "phase a%4g",
		"phase a%00", "progress", "progress 0.5", "progress x 1",
		"progress 1.5 1", "progress -0.1 1", "progress nan 1",
		"progress 0.5 inf", "within", "within x", "within -1",
		"within inf", "within 1 2", "trial -1", "progress 0.5 1 2",
		"error", "error bad-data", "found", "DONE"};
	struct apsp_solver_event out = {.code = 42};
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(apsp_solver_event_parse(lines[i], &out, &err),
			APSP_EDATA);
		assert_int_equal(out.code, 42);
	}
}

static void test_utf8(void **state)
{
	struct apsp_solver_event out;

	(void)state;
	assert_int_equal(
		apsp_solver_event_parse("device caf\xe9", &out, NULL), 0);
	assert_string_equal(out.text, "caf?");
	/* overlong, surrogate, past the end, cut short; and one that is right
	 */
	assert_int_equal(
		apsp_solver_event_parse("device %C0%80 %ED%A0%80 "
					"%F4%90%80%80 %F0%9F%92%A9 %E2%82",
			&out, NULL),
		0);
	assert_string_equal(out.text, "?? ??? ???? \xf0\x9f\x92\xa9 ??");
}

static void test_report(void **state)
{
	struct apsp_job_report report;

	(void)state;
	apsp_job_report_init(&report);
	assert_false(apsp_job_report_line(&report, "progress 0.5 9"));
	assert_true(report.changed);
	assert_false(apsp_job_report_line(&report, "progress 0.4 1"));
	assert_true(report.progress.progress == 0.5);
	assert_true(report.progress.eta_s == 9);
	assert_false(apsp_job_report_line(&report, "seed 4294967295"));
	assert_int_equal(report.progress.proof_seed, UINT32_MAX);
	/* cut between characters: 15 bytes hold seven of these */
	assert_false(apsp_job_report_line(&report, "phase ääääääää"));
	assert_string_equal(report.progress.phase, "äääääää");
	for (int i = 0; i < APSP_SOLVER_EVENT_CYCLE_MAX + 10; i++)
		apsp_job_report_line(&report, "cycle v");
	assert_int_equal(
		report.failure.cycle_size, 2 * APSP_SOLVER_EVENT_CYCLE_MAX);
	assert_true(apsp_job_report_line(&report, "error overflow too long"));
	assert_int_equal(report.failure.err.code, APSP_EOVERFLOW);
	apsp_job_report_done(&report);

	apsp_job_report_init(&report);
	apsp_job_report_quote(&report, "one");
	apsp_job_report_quote(&report, "two");
	apsp_job_report_quote(&report, "");
	apsp_job_report_quote(&report, "three");
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
		cmocka_unit_test(test_error_and_progress),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
