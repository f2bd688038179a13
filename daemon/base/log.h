/*
 * Log lines on stderr. If stderr is the journal, a line begins with its syslog
 * priority (sd-daemon(3)), and the journal adds the time:
 *
 *	<6>job 17 succeeded graph=larva seconds=1.2
 *
 * Otherwise a line begins with the time and the level:
 *
 *	2026-11-22T16:50:01.123Z info: job 17 succeeded graph=larva seconds=1.2
 *
 * Log lines are written only by daemon/, by the worker's thread and at the end
 * of each request. All other code returns errors. Thread-safe: each line is one
 * write(2). Never blocks: if nobody reads stderr, lines are lost, and a later
 * line says how many.
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
 * From now on, drop lines that are less urgent than `level`. Also find out from
 * JOURNAL_STREAM (systemd.exec(5)) whether stderr is the journal. Before the
 * first call, the level is APSP_LOG_INFO, and stderr counts as no journal. Call
 * this function while the process has one thread.
 */
void apsp_log_start(enum apsp_log_level level);

/*
 * Write one line. `text` is written as it is, so it must not come from a
 * client. May be called in a signal handler. If nobody reads stderr, the line
 * is lost.
 */
void apsp_log_last_words(enum apsp_log_level level, const char *text);

/*
 * Write one line: a sentence, then key=value fields. '?' replaces control
 * characters, bytes that are not UTF-8, and characters that end a line or
 * reverse text in a viewer. Thus a client's text cannot forge a line.
 */
__attribute__((format(printf, 2, 3))) void apsp_log(
	enum apsp_log_level level, const char *format, ...);

/*
 * Do the same as apsp_log(), but write the line even if its level is less
 * urgent than the level that was given to apsp_log_start(). Use this function
 * for lines that record who changed what (api/http/README.md, Changes are
 * logged).
 */
__attribute__((format(printf, 2, 3))) void apsp_log_always(
	enum apsp_log_level level, const char *format, ...);

#endif
