/*
 * The setting solver-command: words, programs that are looked for, refusals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/worker/solver_command.h"

static char dir[] = "/tmp/apsp-command-XXXXXX";
static char solver[300], other[300];

static void program_make(char path[300], const char *name)
{
	FILE *file;

	snprintf(path, 300, "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, 0700), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	program_make(solver, "apsp-solve");
	program_make(other, "apsp-solve-odd");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(solver);
	unlink(other);
	return rmdir(dir);
}

static void test_alone(void **state)
{
	struct apsp_solver_command command;

	(void)state;
	assert_int_equal(
		apsp_solver_command_make(NULL, solver, &command, NULL), 0);
	assert_int_equal(command.n, 1);
	assert_string_equal(command.words[0], solver);
}

static void test_words(void **state)
{
	struct apsp_solver_command command;

	(void)state;
	assert_int_equal(apsp_solver_command_make("  env  A=b  -n 4 "
						  "apsp-solve-odd ",
				 solver, &command, NULL),
		0);
	assert_int_equal(command.n, 7);
	assert_string_equal(command.words[0], solver);
	assert_string_equal(command.words[1], "--launch");
	assert_int_equal(command.words[2][0], '/');
	assert_string_equal(strrchr(command.words[2], '/'), "/env");
	assert_string_equal(command.words[3], "A=b");
	assert_string_equal(command.words[4], "-n");
	assert_string_equal(command.words[5], "4");
	assert_string_equal(command.words[6], other);
	/* one word is both, and a path is taken as it is */
	assert_int_equal(
		apsp_solver_command_make(other, solver, &command, NULL), 0);
	assert_int_equal(command.n, 3);
	assert_string_equal(command.words[2], other);
	/* a program that is not beside the solver is in PATH */
	assert_int_equal(
		apsp_solver_command_make("env true", solver, &command, NULL),
		0);
	assert_string_equal(strrchr(command.words[3], '/'), "/true");
}

static void test_refused(void **state)
{
	struct apsp_solver_command command;
	char many[400] = "env";
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_solver_command_make("no-launcher-here true",
				 solver, &command, &err),
		APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "'no-launcher-here'"));
	/* only the solver itself is looked for beside apsp-solve */
	assert_int_equal(apsp_solver_command_make(
				 "apsp-solve-odd true", solver, &command, &err),
		APSP_EMALFORMED);
	assert_int_equal(apsp_solver_command_make(
				 "env /nowhere/apsp", solver, &command, &err),
		APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "'/nowhere/apsp'"));
	assert_int_equal(apsp_solver_command_make("  ", solver, &command, &err),
		APSP_EMALFORMED);
	for (int i = 0; i < APSP_SOLVER_COMMAND_WORDS; i++)
		strcat(many, " x");
	strcat(many, " true");
	assert_int_equal(apsp_solver_command_make(many, solver, &command, &err),
		APSP_EMALFORMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
