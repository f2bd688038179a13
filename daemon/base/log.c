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
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	LINE_SIZE = 2048,
};

/* The mutable globals are the log's: main sets the level once, every thread
   reads it; the count of lost lines has the mutex. */
static atomic_int log_level = APSP_LOG_INFO;
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t n_lost;

void apsp_log_set_level(enum apsp_log_level level)
{
	atomic_store(&log_level, level);
}

/* A terminal may take a part of a line and then wait for its reader. Through a
   file description of our own we need not wait with it. */
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
 * Write a line, which is shorter than PIPE_BUF, if that takes no waiting. With
 * POLLOUT a pipe has room for PIPE_BUF bytes at once and a socket for more; as
 * we hold the mutex, no other thread takes it. False: the line is lost.
 */
static bool line_write(const char *line, size_t size)
{
	struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&fd, 1, 0) != 1)
		return false;
	if (!(fd.revents & POLLOUT))
		return true; /* stderr is gone: nobody can be told */
	if (isatty(STDERR_FILENO))
		return terminal_write(line, size) == (ssize_t)size;
	return write(STDERR_FILENO, line, size) >= 0;
}

/* First the count of the lines that were lost before. */
static void line_log(const char *line, size_t size)
{
	char lost[LINE_SIZE];
	int length;

	pthread_mutex_lock(&log_mutex);
	length = snprintf(lost, sizeof(lost),
		"<%d>%" PRIu64 " lines of the log were lost, because nobody "
		"read them\n",
		(int)APSP_LOG_WARNING, n_lost);
	if (n_lost > 0 && line_write(lost, (size_t)length))
		n_lost = 0;
	if (n_lost > 0 || !line_write(line, size))
		n_lost++;
	pthread_mutex_unlock(&log_mutex);
}

void apsp_log(enum apsp_log_level level, const char *format, ...)
{
	char line[LINE_SIZE];
	va_list args;
	size_t size;
	int prefix, r;

	if ((int)level > atomic_load(&log_level))
		return;
	prefix = snprintf(line, sizeof(line), "<%d>", (int)level);
	va_start(args, format);
	r = vsnprintf(
		line + prefix, sizeof(line) - (size_t)prefix - 1, format, args);
	va_end(args);
	if (r < 0)
		return;
	size = strlen(line);
	for (size_t i = (size_t)prefix; i < size; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	line[size] = '\n';
	line_log(line, size + 1);
}
