/*
 * Log lines reach whoever reads stderr, and wait for nobody.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/log.h"

enum {
	LINES = 20000,
	SAID_SIZE = 1 << 22,
	LIMIT_S = 60, /* then a blocked test is killed */
};

struct ends {
	int kept; /* the stderr of before */
	int reader;
};

/* Have JOURNAL_STREAM name stderr, as systemd does. */
static void journal_name(void)
{
	char name[64];
	struct stat st;

	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	snprintf(name, sizeof(name), "%ju:%ju", (uintmax_t)st.st_dev,
		(uintmax_t)st.st_ino);
	setenv("JOURNAL_STREAM", name, 1);
}

static void stderr_replace(int writer, int reader, struct ends *out)
{
	*out = (struct ends){dup(STDERR_FILENO), reader};
	assert_true(out->kept >= 0);
	dup2(writer, STDERR_FILENO);
	close(writer);
	fcntl(reader, F_SETFL, O_NONBLOCK);
	journal_name();
	apsp_log_start(APSP_LOG_INFO);
}

static void stderr_restore(struct ends *ends)
{
	dup2(ends->kept, STDERR_FILENO);
	close(ends->kept);
	close(ends->reader);
}

/* All that can be read now. */
static char *drain(const struct ends *ends)
{
	char *said = malloc(SAID_SIZE);
	size_t used = 0;
	ssize_t size;

	while ((size = read(ends->reader, said + used, SAID_SIZE - 1 - used)) >
		0)
		used += (size_t)size;
	said[used] = '\0';
	return said;
}

static size_t lines_count(const char *said)
{
	size_t n = 0;

	for (; (said = strchr(said, '\n')); said++)
		n++;
	return n;
}

/* Far more lines than the kernel holds, with nobody who reads them. */
static void flood(struct ends *ends)
{
	unsigned long long lost = 0;
	const char *at;
	char *said;
	size_t n;

	alarm(LIMIT_S);
	for (int i = 0; i < LINES; i++)
		apsp_log(APSP_LOG_INFO, "line %d of somebody's graph", i);
	apsp_log_last_words(APSP_LOG_INFO, "the end");
	alarm(0);
	said = drain(ends);
	n = lines_count(said);
	assert_true(n > 0 && n < LINES);
	/* whole lines, the first ones */
	assert_memory_equal(
		said, "<6>line 0 of somebody's graph\n<6>line 1 ", 40);
	free(said);
	apsp_log(APSP_LOG_INFO, "somebody reads again");
	said = drain(ends);
	assert_memory_equal(said, "<4>", 3);
	lost = strtoull(said + 3, NULL, 10);
	assert_true(lost == LINES - n);
	at = strstr(said, " lines of the log were lost");
	assert_non_null(at);
	assert_non_null(strstr(at, "\n<6>somebody reads again\n"));
	free(said);
	/* told once */
	apsp_log(APSP_LOG_INFO, "calm");
	said = drain(ends);
	assert_string_equal(said, "<6>calm\n");
	free(said);
}

static void test_pipe(void **state)
{
	struct ends ends;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	stderr_replace(fds[1], fds[0], &ends);
	flood(&ends);
	stderr_restore(&ends);
}

/* As under systemd, whose journal is a socket. */
static void test_socket(void **state)
{
	struct ends ends;
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	stderr_replace(fds[1], fds[0], &ends);
	flood(&ends);
	stderr_restore(&ends);
}

static void test_terminal(void **state)
{
	int reader = posix_openpt(O_RDWR | O_NOCTTY), writer;
	struct ends ends;
	char *said;

	(void)state;
	assert_true(reader >= 0);
	assert_int_equal(grantpt(reader), 0);
	assert_int_equal(unlockpt(reader), 0);
	writer = open(ptsname(reader), O_RDWR | O_NOCTTY);
	assert_true(writer >= 0);
	stderr_replace(writer, reader, &ends);
	alarm(LIMIT_S);
	for (int i = 0; i < LINES; i++)
		apsp_log(APSP_LOG_INFO, "line %d of somebody's graph", i);
	alarm(0);
	said = drain(&ends);
	stderr_restore(&ends);
	assert_memory_equal(said, "<6>line 0 ", 10);
	free(said);
}

/* A client's text can neither end a line nor turn it around. */
static void test_clean(void **state)
{
	static const struct {
		const char *text;
		const char *shown;
	} cases[] = {
		{"a\nb\rc\td\x1b[0m\x7f", "a?b?c?d?[0m?"},
		{"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
			"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"C1 \xc2\x80 \xc2\x85 \xc2\x9b \xc2\x9f \xc2\xa0",
			"C1 ? ? ? ? \xc2\xa0"},
		{"bytes \x80 \x9b \xff \xe2\x80", "bytes ? ? ? ??"},
		{"ends \xe2\x80\xa8<3>forged\xe2\x80\xa9", "ends ?<3>forged?"},
		{"turned \xe2\x80\xae.txt \xe2\x81\xa6 \xd8\x9c",
			"turned ?.txt ? ?"},
		{"hidden \xe2\x80\x8b \xe2\x80\x8f \xef\xbb\xbf",
			"hidden ? ? ?"},
		{"\xe2\x80\x94 \xe2\x80\xa6 \xe2\x80\xb0 \xe2\x82\xa8",
			"\xe2\x80\x94 \xe2\x80\xa6 \xe2\x80\xb0 "
			"\xe2\x82\xa8"},
	};
	struct ends ends;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	stderr_replace(fds[1], fds[0], &ends);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[200];
		char *said;

		apsp_log(APSP_LOG_INFO, "%s", cases[i].text);
		said = drain(&ends);
		snprintf(line, sizeof(line), "<6>%s\n", cases[i].shown);
		assert_string_equal(said, line);
		free(said);
	}
	stderr_restore(&ends);
}

/* What is not the journal has no time of its own for a line. */
static void test_time(void **state)
{
	static const char *const others[] = {NULL, "", "1:2", "no"};
	struct ends ends;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	stderr_replace(fds[1], fds[0], &ends);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		time_t before = time(NULL), told;
		struct tm tm = {0};
		const char *rest;
		char *said;

		if (others[i])
			setenv("JOURNAL_STREAM", others[i], 1);
		else
			unsetenv("JOURNAL_STREAM");
		apsp_log_start(APSP_LOG_INFO);
		apsp_log(APSP_LOG_WARNING, "job %d failed", 3);
		apsp_log_last_words(APSP_LOG_NOTICE, "the end");
		said = drain(&ends);
		rest = strptime(said, "%Y-%m-%dT%H:%M:%S", &tm);
		assert_non_null(rest);
		told = timegm(&tm);
		assert_true(told >= before && told <= time(NULL) + 1);
		assert_int_equal(*rest, '.');
		assert_int_equal(strspn(rest + 1, "0123456789"), 3);
		rest += 4;
		assert_memory_equal(rest, "Z warning: job 3 failed\n2", 25);
		assert_non_null(strstr(rest, "Z notice: the end\n"));
		free(said);
	}
	journal_name();
	apsp_log_start(APSP_LOG_INFO);
	apsp_log_last_words(APSP_LOG_NOTICE, "the end");
	{
		char *said = drain(&ends);

		assert_string_equal(said, "<5>the end\n");
		free(said);
	}
	stderr_restore(&ends);
}

/* Somebody who has gone away costs nothing. */
static void test_gone(void **state)
{
	int kept = dup(STDERR_FILENO);

	(void)state;
	close(STDERR_FILENO);
	apsp_log(APSP_LOG_INFO, "to nobody");
	dup2(kept, STDERR_FILENO);
	close(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* these two before lines are lost */
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
