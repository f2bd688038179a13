/*
 * Options: command line before environment before defaults, and one sentence
 * for each mistake.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/command_line.h"

static const char *const variables[] = {"APSPD_LISTEN", "APSPD_STATE_DIR",
	"APSPD_CACHE_DIR", "APSPD_DEVICE", "APSPD_DEVICE_MEMORY",
	"APSPD_ALLOWED_HOST", "APSPD_THREADS", "APSPD_LOG_LEVEL",
	"STATE_DIRECTORY", "CACHE_DIRECTORY", "XDG_STATE_HOME",
	"XDG_CACHE_HOME"};

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
	return setenv("HOME", "/home/lab", 1);
}

/* Parse the words of line as a user, not root. */
static int parse(const char *line, struct apsp_command_line *out, char *message)
{
	char *words = strdup(line), *rest = NULL;
	char name[] = "apspd";
	char *argv[64] = {name};
	struct apsp_err err = {0};
	int argc = 1, r;

	for (char *word = strtok_r(words, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	r = apsp_command_line_parse(argc, argv, false, out, &err);
	free(words);
	if (r < 0 && message)
		strcpy(message, err.message);
	return r;
}

static void test_defaults(void **state)
{
	struct apsp_command_line o;
	char name[] = "apspd";
	char *argv[] = {name, NULL};

	(void)state;
	assert_int_equal(parse("", &o, NULL), 0);
	assert_int_equal(o.settings.listen.n, 1);
	assert_string_equal(o.settings.listen.items[0], "127.0.0.1:8080");
	assert_string_equal(
		o.settings.state_dir, "/home/lab/.local/state/apspd");
	assert_string_equal(o.settings.cache_dir, "/home/lab/.cache/apspd");
	assert_string_equal(o.settings.device, "auto");
	assert_true(o.settings.device_memory == 0);
	assert_int_equal(o.settings.allowed_hosts.n, 0);
	assert_in_range(o.settings.n_threads, 1, 8);
	assert_int_equal(o.settings.log_level, APSP_LOG_INFO);
	assert_false(o.help || o.version);
	apsp_command_line_done(&o);

	assert_int_equal(apsp_command_line_parse(1, argv, true, &o, NULL), 0);
	assert_string_equal(o.settings.state_dir, "/var/lib/apspd");
	assert_string_equal(o.settings.cache_dir, "/var/cache/apspd");
	apsp_command_line_done(&o);

	setenv("XDG_STATE_HOME", "/x/state", 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	assert_int_equal(parse("", &o, NULL), 0);
	assert_string_equal(o.settings.state_dir, "/x/state/apspd");
	assert_string_equal(o.settings.cache_dir, "/home/lab/.cache/apspd");
	apsp_command_line_done(&o);

	setenv("STATE_DIRECTORY", "/run/one:/run/two", 1);
	setenv("CACHE_DIRECTORY", "/run/cache", 1);
	assert_int_equal(apsp_command_line_parse(1, argv, true, &o, NULL), 0);
	assert_string_equal(o.settings.state_dir, "/run/one");
	assert_string_equal(o.settings.cache_dir, "/run/cache");
	apsp_command_line_done(&o);
}

static void test_command_line(void **state)
{
	struct apsp_command_line o;
	char expected[4096];

	(void)state;
	setenv("APSPD_LISTEN", "[::1]:1", 1);
	setenv("APSPD_THREADS", "nonsense", 1);
	setenv("STATE_DIRECTORY", "/run/one", 1);
	assert_int_equal(
		parse("--listen 127.0.0.1:0 --listen=unix:/x --state-dir s "
		      "--cache-dir /c --device gpu --device-memory 3G "
		      "--allowed-host a --allowed-host b --threads 7 "
		      "--log-level debug",
			&o, NULL),
		0);
	assert_int_equal(o.settings.listen.n, 2);
	assert_string_equal(o.settings.listen.items[0], "127.0.0.1:0");
	assert_string_equal(o.settings.listen.items[1], "unix:/x");
	assert_non_null(getcwd(expected, sizeof(expected) - 2));
	strcat(expected, "/s");
	assert_string_equal(o.settings.state_dir, expected);
	assert_string_equal(o.settings.cache_dir, "/c");
	assert_string_equal(o.settings.device, "gpu");
	assert_true(o.settings.device_memory == UINT64_C(3) << 30);
	assert_int_equal(o.settings.allowed_hosts.n, 2);
	assert_string_equal(o.settings.allowed_hosts.items[1], "b");
	assert_int_equal(o.settings.n_threads, 7);
	assert_int_equal(o.settings.log_level, APSP_LOG_DEBUG);
	apsp_command_line_done(&o);
}

static void test_environment(void **state)
{
	struct apsp_command_line o;

	(void)state;
	setenv("APSPD_LISTEN", " 127.0.0.1:1  unix:/a ", 1);
	setenv("APSPD_STATE_DIR", "/e/state", 1);
	setenv("APSPD_CACHE_DIR", "", 1);
	setenv("CACHE_DIRECTORY", "/run/cache", 1);
	setenv("APSPD_DEVICE", "Tesla", 1);
	setenv("APSPD_DEVICE_MEMORY", "5T", 1);
	setenv("APSPD_ALLOWED_HOST", "h1 h2", 1);
	setenv("APSPD_THREADS", "3", 1);
	setenv("APSPD_LOG_LEVEL", "error", 1);
	assert_int_equal(parse("", &o, NULL), 0);
	assert_int_equal(o.settings.listen.n, 2);
	assert_string_equal(o.settings.listen.items[0], "127.0.0.1:1");
	assert_string_equal(o.settings.listen.items[1], "unix:/a");
	assert_string_equal(o.settings.state_dir, "/e/state");
	assert_string_equal(o.settings.cache_dir, "/run/cache");
	assert_string_equal(o.settings.device, "Tesla");
	assert_true(o.settings.device_memory == (uint64_t)5 << 40);
	assert_int_equal(o.settings.allowed_hosts.n, 2);
	assert_int_equal(o.settings.n_threads, 3);
	assert_int_equal(o.settings.log_level, APSP_LOG_ERROR);
	apsp_command_line_done(&o);
}

static void test_mistakes(void **state)
{
	static const char *const lines[][2] = {
		{"--nonsense", "'--nonsense'"},
		{"--threads 2 --nonsense", "'--nonsense'"},
		{"-x", "'-x'"},
		{"-xy", "'-xy'"},
		{"graph.csv", "'graph.csv'"},
		{"--threads", "--threads needs a value"},
		{"--threads 0", "1 to 256, not '0'"},
		{"--threads 257", "not '257'"},
		{"--threads 2x", "not '2x'"},
		{"--threads -1", "not '-1'"},
		{"--threads 99999999999999999999", "1 to 256"},
		{"--log-level loud", "--log-level"},
		{"--device-memory 0", "--device-memory"},
		{"--device-memory 5E", "not '5E'"},
		{"--device-memory 5KK", "not '5KK'"},
		{"--device-memory 99999999999G", "--device-memory"},
		{"--state-dir=", "--state-dir needs a value"},
		{"--listen=", "--listen needs a value"},
		{"--listen a --listen a --listen a --listen a --listen a "
		 "--listen a --listen a --listen a --listen a --listen a "
		 "--listen a --listen a --listen a --listen a --listen a "
		 "--listen a --listen a",
			"16 times at most"},
	};
	struct apsp_command_line o;
	char message[APSP_MESSAGE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(
			parse(lines[i][0], &o, message), APSP_EMALFORMED);
		if (!strstr(message, lines[i][1]))
			fail_msg("%s: %s", lines[i][0], message);
	}
	setenv("APSPD_THREADS", "many", 1);
	assert_int_equal(parse("", &o, message), APSP_EMALFORMED);
	assert_non_null(strstr(message, "APSPD_THREADS"));
	unsetenv("APSPD_THREADS");
	unsetenv("HOME");
	assert_int_equal(parse("", &o, message), APSP_EMALFORMED);
	assert_non_null(strstr(message, "--state-dir"));
}

static void test_help(void **state)
{
	struct apsp_command_line o;
	char *text = NULL;
	size_t size;
	FILE *stream;

	(void)state;
	assert_int_equal(parse("--help --threads 0", &o, NULL), 0);
	assert_true(o.help);
	apsp_command_line_done(&o);
	setenv("APSPD_THREADS", "many", 1);
	assert_int_equal(parse("--version", &o, NULL), 0);
	assert_true(o.version);
	apsp_command_line_done(&o);

	stream = open_memstream(&text, &size);
	assert_non_null(stream);
	apsp_command_line_help(stream);
	fclose(stream);
	assert_non_null(strstr(text, "--device-memory BYTES[K|M|G|T]"));
	for (const char *line = text; line; line = strchr(line + 1, '\n'))
		assert_in_range(strcspn(line + 1, "\n"), 0, 79);
	free(text);
}

static void readme_read(char *out, size_t size)
{
	const char *root = getenv("APSP_SOURCE_ROOT");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/daemon/README.md", root ? root : ".");
	file = fopen(path, "re");
	assert_non_null(file);
	out[fread(out, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* daemon/README.md has a row for every option of the list. */
static void test_readme(void **state)
{
	static char text[1 << 20];
	char row[80];

	(void)state;
	readme_read(text, sizeof(text));
	for (size_t i = 0; i < APSP_N_SETTINGS; i++) {
		snprintf(row, sizeof(row), "\n| `--%s ",
			apsp_settings_list[i].option);
		if (!strstr(text, row))
			fail_msg("daemon/README.md has no row%s", row);
	}
}

/* A mistyped variable is found; those that are read are not. */
static void test_unknown_variables(void **state)
{
	char known[] = "APSPD_CACHE_DIR=/c", solver[] = "APSPD_SOLVER=/s";
	char foreign[] = "PATH=/bin", typo[] = "APSPD_THREDS=3";
	char longer[] = "APSPD_SOLVERS=", bare[] = "APSPD_LISTEN";
	char *const environment[] = {
		known, typo, solver, foreign, bare, longer, NULL};
	char name[32];
	size_t at = 0;

	(void)state;
	assert_true(apsp_command_line_unknown_variable(
		environment, &at, name, sizeof(name)));
	assert_string_equal(name, "APSPD_THREDS");
	assert_true(apsp_command_line_unknown_variable(
		environment, &at, name, sizeof(name)));
	assert_string_equal(name, "APSPD_SOLVERS");
	assert_false(apsp_command_line_unknown_variable(
		environment, &at, name, sizeof(name)));
}

/* Whether addresses were asked for, by whichever way. */
static void test_listens(void **state)
{
	struct apsp_command_line o;

	(void)state;
	assert_int_equal(parse("", &o, NULL), 0);
	assert_false(o.listens);
	apsp_command_line_done(&o);
	assert_int_equal(parse("--listen 127.0.0.1:1", &o, NULL), 0);
	assert_true(o.listens);
	apsp_command_line_done(&o);
	setenv("APSPD_LISTEN", "127.0.0.1:1", 1);
	assert_int_equal(parse("", &o, NULL), 0);
	assert_true(o.listens);
	apsp_command_line_done(&o);
	unsetenv("APSPD_LISTEN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_defaults, setup),
		cmocka_unit_test_setup(test_command_line, setup),
		cmocka_unit_test_setup(test_environment, setup),
		cmocka_unit_test_setup(test_mistakes, setup),
		cmocka_unit_test_setup(test_help, setup),
		cmocka_unit_test(test_readme),
		cmocka_unit_test(test_unknown_variables),
		cmocka_unit_test_setup(test_listens, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
