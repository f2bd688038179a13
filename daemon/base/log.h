/*
 * Log lines on stderr. For the journal, which has the time:
 *
 *	<6>job 17 succeeded graph=larva seconds=1.2
 *
 * where the number is the syslog priority (sd-daemon(3)); for everybody else:
 *
 *	2026-11-22T16:50:01.123Z info: job 17 succeeded graph=larva seconds=1.2
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

/*
 * Drop lines that are less urgent than level; APSP_LOG_INFO before. Call it
 * while there is one thread: it also looks whether stderr is the journal, which
 * JOURNAL_STREAM tells (systemd.exec(5)); before that it is taken for none.
 */
void apsp_log_start(enum apsp_log_level level);

/*
 * Write one line of a fixed text at once, from a signal handler, too. It may
 * wait for whoever reads stderr.
 */
void apsp_log_last_words(enum apsp_log_level level, const char *text);

/*
 * Write one line: a sentence, then key=value fields. '?' replaces what is not
 * UTF-8, control characters, and characters that end a line or turn text around
 * in a viewer, so that a client's text cannot forge a line.
 */
__attribute__((format(printf, 2, 3))) void apsp_log(
	enum apsp_log_level level, const char *format, ...);

/* The same whatever apsp_log_start() was given: for lines that say who changed
   what (api/http/README.md, Changes are logged). */
__attribute__((format(printf, 2, 3))) void apsp_log_always(
	enum apsp_log_level level, const char *format, ...);

#endif
