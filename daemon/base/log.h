/*
 * Log lines on stderr for a person and for the journal: "<6>job 17 succeeded
 * graph=larva seconds=1.2". The number is the syslog priority (sd-daemon(3)).
 *
 * Only daemon/, the worker's thread and the end of a request write log lines;
 * all other code returns an error. Thread-safe: one write(2) a line. Never
 * blocks: where stderr is not read, lines are lost, and a later line says how
 * many.
 */
#ifndef APSP_DAEMON_BASE_LOG_H
#define APSP_DAEMON_BASE_LOG_H

enum apsp_log_level {
	APSP_LOG_ERROR = 3,
	APSP_LOG_WARNING = 4,
	APSP_LOG_NOTICE = 5,
	APSP_LOG_INFO = 6,
	APSP_LOG_DEBUG = 7,
};

/* Drop lines that are less urgent than level; APSP_LOG_INFO at start. */
void apsp_log_set_level(enum apsp_log_level level);

/*
 * Write one line: a sentence, then key=value fields. '?' replaces what is not
 * UTF-8, control characters, and characters that end a line or turn text around
 * in a viewer, so that a client's text cannot forge a line.
 */
__attribute__((format(printf, 2, 3))) void apsp_log(
	enum apsp_log_level level, const char *format, ...);

#endif
