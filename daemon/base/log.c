/*
 * Log lines with syslog priorities; see log.h.
 */
#include "daemon/base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	LINE_SIZE = 2048,
};

/* The one process-wide setting: every thread reads it, main sets it once. */
static atomic_int log_level = APSP_LOG_INFO;

void apsp_log_set_level(enum apsp_log_level level)
{
	atomic_store(&log_level, level);
}

int apsp_log_level_from_name(const char *name)
{
	static const char *const names[] = {
		[APSP_LOG_ERROR] = "error",
		[APSP_LOG_WARNING] = "warning",
		[APSP_LOG_NOTICE] = "notice",
		[APSP_LOG_INFO] = "info",
		[APSP_LOG_DEBUG] = "debug",
	};

	for (int i = APSP_LOG_ERROR; i <= APSP_LOG_DEBUG; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
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
	if (write(STDERR_FILENO, line, size + 1) < 0)
		return; /* nobody is left to tell */
}
