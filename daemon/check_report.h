/*
 * What apspd --check prints: a line for each thing that it looked at.
 *
 *	ok     state     /var/lib/apspd is apspd's, 41.3 GB are free
 *	note   options   APSPD_THREDS is set and means nothing to apspd; …
 *	wrong  address   127.0.0.1:8080: nginx (process 812) listens there; …
 *
 * A note stops no start. Lines go to stdout, where scripts can read them.
 */
#ifndef APSP_DAEMON_CHECK_REPORT_H
#define APSP_DAEMON_CHECK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/err.h"

struct apsp_check_report {
	FILE *stream;
	unsigned int n_wrong;
	bool refused; /* the start would end with the status EX_CONFIG */
};

/* Print a line about `what`, by a format as of printf(). */
#define apsp_check_ok(report, what, ...)                                       \
	apsp_check_line(report, "ok", what, __VA_ARGS__)
#define apsp_check_note(report, what, ...)                                     \
	apsp_check_line(report, "note", what, __VA_ARGS__)
__attribute__((format(printf, 4, 5))) void apsp_check_line(
	const struct apsp_check_report *report, const char *verdict,
	const char *what, const char *format, ...);

/* The same of what is wrong: err's message says that, and what to do. */
void apsp_check_wrong(struct apsp_check_report *report, const char *what,
	const struct apsp_err *err);

/* Print how many things are wrong. Returns the status that the process ends
 * with. */
int apsp_check_conclude(const struct apsp_check_report *report);

/* Whether an error that ends the start will be there again at the next one, so
   that the service manager shall not try: status EX_CONFIG (sysexits(3)). */
bool apsp_check_is_refusal(const struct apsp_err *err);

#endif
