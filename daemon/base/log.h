/*
 * Log lines on stderr for a person and for the journal: "<6>job 17 succeeded
 * graph=larva seconds=1.2". The number is the syslog priority (sd-daemon(3)).
 *
 * Libraries do not log; main.c, the worker's loop and the server's completion
 * do. Thread-safe: one write(2) a line.
 */
#ifndef APSP_BASE_LOG_H
#define APSP_BASE_LOG_H

enum apsp_log_level {
	APSP_LOG_ERROR = 3,
	APSP_LOG_WARNING = 4,
	APSP_LOG_NOTICE = 5,
	APSP_LOG_INFO = 6,
	APSP_LOG_DEBUG = 7,
};

/* Lines of a lower urgency than this are dropped; APSP_LOG_INFO at start. */
void apsp_log_set_level(enum apsp_log_level level);

/* "error", "warning", "notice", "info", "debug"; -1 if it is none of them. */
int apsp_log_level_from_name(const char *name);

/*
 * One line: a sentence, then key=value fields. Control characters, newlines
 * among them, are replaced by '?', so a client's text cannot forge a line.
 */
__attribute__((format(printf, 2, 3))) void apsp_log(
	enum apsp_log_level level, const char *format, ...);

#endif
