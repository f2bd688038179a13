/*
 * The output of apspd --check: a line for each thing that was checked.
 *
 *	ok     state     /var/lib/apspd is apspd's, 41.3 GB are free
 *	note   options   APSPD_THREDS is set and means nothing to apspd; …
 *	wrong  address   127.0.0.1:8080: nginx (process 812) listens there; …
 *
 * A line `note` reports something that does not prevent a start of apspd. Lines
 * go to stdout, where scripts can read them.
 */
#ifndef APSP_DAEMON_CHECK_REPORT_H
#define APSP_DAEMON_CHECK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/err.h"

struct apsp_check_report {
	FILE *stream;
	unsigned int n_wrong;
	bool refused; /* apspd would exit with the status EX_CONFIG if it were
			 started */
	bool in_use;  /* a running apspd has locked one of our directories */
	bool serves;  /* `in_use` is true, and a running apspd also listens on
			 one of our addresses */
};

/* Print a line about `what`. The other arguments are a format and its
   arguments, as for printf(). */
#define apsp_check_ok(report, what, ...)                                       \
	apsp_check_line(report, "ok", what, __VA_ARGS__)
#define apsp_check_note(report, what, ...)                                     \
	apsp_check_line(report, "note", what, __VA_ARGS__)
__attribute__((format(printf, 4, 5))) void apsp_check_line(
	const struct apsp_check_report *report, const char *verdict,
	const char *what, const char *format, ...);

/* Print a line about a mistake. The line's text is the message of *err, which
   describes the mistake and says how to correct it. */
void apsp_check_wrong(struct apsp_check_report *report, const char *what,
	const struct apsp_err *err);

/*
 * Whether an error prevents every start of apspd, until the user corrects its
 * cause. After such an error, apspd exits with the status EX_CONFIG
 * (sysexits(3)), so that the service manager does not start apspd again.
 */
bool apsp_check_is_refusal(const struct apsp_err *err);

#endif
