/*
 * Log lines with syslog priorities; see log.h.
 */
#include "daemon/base/log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/utf8.h"

enum {
	LINE_SIZE = 2048,
	PREFIX_SIZE = 48,
};

static const char *const level_names[] = {
	[APSP_LOG_ERROR] = "error",
	[APSP_LOG_WARNING] = "warning",
	[APSP_LOG_NOTICE] = "notice",
	[APSP_LOG_INFO] = "info",
	[APSP_LOG_DEBUG] = "debug",
};

/*
 * main sets log_level and stderr_is_journal once, and every thread reads these
 * two variables. log_mutex guards n_lost.
 */
static atomic_int log_level = APSP_LOG_INFO;
static atomic_bool stderr_is_journal;
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t n_lost;

void apsp_log_start(enum apsp_log_level level)
{
	/* JOURNAL_STREAM holds "DEVICE:INODE" of the journal's socket */
	const char *journal = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	atomic_store(&log_level, level);
	atomic_store(&stderr_is_journal, false);
	if (!journal || fstat(STDERR_FILENO, &st) < 0)
		return;
	snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev,
		(uintmax_t)st.st_ino);
	atomic_store(&stderr_is_journal, strcmp(own, journal) == 0);
}

/* Write the prefix of a line: its priority, or its time and level. Returns the
   size of the prefix. */
static size_t prefix_write(enum apsp_log_level level, char out[PREFIX_SIZE])
{
	char *end = out;

	if (atomic_load(&stderr_is_journal)) {
		*end++ = '<';
		*end++ = (char)('0' + level);
		*end++ = '>';
	} else {
		apsp_clock_utc_write(apsp_clock_utc_ms(), end);
		end = stpcpy(end + strlen(end), " ");
		end = stpcpy(end, level_names[level]);
		end = stpcpy(end, ": ");
	}
	return (size_t)(end - out);
}

/*
 * Write to a terminal. Even after poll() reports POLLOUT, a terminal may accept
 * a part of a line and then block, so the write needs O_NONBLOCK. Other
 * processes may use the file description of stderr, so the flag is not set
 * there: the terminal is opened again.
 */
static ssize_t terminal_write(const char *line, size_t size)
{
	int fd = open("/proc/self/fd/2",
		O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return -1;
	written = write(fd, line, size);
	close(fd);
	return written;
}

/*
 * Write a line if the write does not block. The line is shorter than PIPE_BUF.
 * After poll() reports POLLOUT, a pipe accepts PIPE_BUF bytes at once, and a
 * socket accepts more. No other thread can fill the pipe or the socket before
 * the write, because log lines are written with the mutex held. Only
 * async-signal-safe functions are called. False: the line is lost.
 */
static bool line_write(const char *line, size_t size)
{
	struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&fd, 1, 0) != 1)
		return false;
	if (!(fd.revents & POLLOUT))
		/* stderr is closed: nobody can read lines, so this line does
		   not count as lost */
		return true;
	if (isatty(STDERR_FILENO))
		return terminal_write(line, size) == (ssize_t)size;
	return write(STDERR_FILENO, line, size) >= 0;
}

void apsp_log_last_words(enum apsp_log_level level, const char *text)
{
	char line[LINE_SIZE];
	size_t prefix = prefix_write(level, line);
	size_t size = strlen(text);

	if (prefix + size + 1 > sizeof(line))
		return;
	memcpy(line + prefix, text, size);
	line[prefix + size] = '\n';
	line_write(line, prefix + size + 1);
}

/* Write a line. If earlier lines were lost, first write a line that says how
   many. */
static void line_log(const char *line, size_t size)
{
	char lost[LINE_SIZE];
	size_t length = prefix_write(APSP_LOG_WARNING, lost);

	pthread_mutex_lock(&log_mutex);
	length += (size_t)snprintf(lost + length, sizeof(lost) - length,
		"%" PRIu64 " lines of the log were lost, because nobody "
		"read them\n",
		n_lost);
	if (n_lost > 0 && line_write(lost, length))
		n_lost = 0;
	if (n_lost > 0 || !line_write(line, size))
		n_lost++;
	pthread_mutex_unlock(&log_mutex);
}

/*
 * Return the number of bytes of the character at p if this character must not
 * be shown, else 0. These characters of valid UTF-8 are not shown: controls
 * (C0, DEL, C1), ends of lines and paragraphs (U+2028, U+2029), and characters
 * that are invisible or reverse the text (U+061C, U+200B to U+200F, U+202A to
 * U+202E, U+2060 to U+206F, U+FEFF).
 */
static size_t hidden_size(const unsigned char *p)
{
	if (p[0] < 0x20 || p[0] == 0x7f)
		return 1;
	if ((p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c))
		return 2;
	if (p[0] == 0xe2 && p[1] == 0x80)
		return (p[2] >= 0x8b && p[2] <= 0x8f) ||
				       (p[2] >= 0xa8 && p[2] <= 0xae)
			       ? 3
			       : 0;
	if ((p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa0 && p[2] <= 0xaf) ||
		(p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf))
		return 3;
	return 0;
}

/* Put '?' in the place of each character that must not be shown
   (hidden_size()). */
static void clean(char *text)
{
	const unsigned char *from = (const unsigned char *)text;
	char *to = text;

	apsp_utf8_clean(text);
	while (*from) {
		size_t size = hidden_size(from);

		*to++ = size == 0 ? (char)*from : '?';
		from += size == 0 ? 1 : size;
	}
	*to = '\0';
}

__attribute__((format(printf, 2, 0))) static void text_log(
	enum apsp_log_level level, const char *format, va_list args)
{
	char line[LINE_SIZE];
	size_t size, prefix = prefix_write(level, line);
	int r = vsnprintf(
		line + prefix, sizeof(line) - prefix - 1, format, args);

	if (r < 0)
		return;
	clean(line + prefix);
	size = strlen(line);
	line[size] = '\n';
	line_log(line, size + 1);
}

void apsp_log(enum apsp_log_level level, const char *format, ...)
{
	va_list args;

	if ((int)level > atomic_load(&log_level))
		return;
	va_start(args, format);
	text_log(level, format, args);
	va_end(args);
}

void apsp_log_always(enum apsp_log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_log(level, format, args);
	va_end(args);
}
