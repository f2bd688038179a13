/*
 * Lines and their count; see check_report.h.
 */
#include "daemon/check_report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sysexits.h>

void apsp_check_line(const struct apsp_check_report *report,
	const char *verdict, const char *what, const char *format, ...)
{
	va_list args;

	fprintf(report->stream, "%-6s %-9s ", verdict, what);
	va_start(args, format);
	vfprintf(report->stream, format, args);
	va_end(args);
	fputc('\n', report->stream);
	fflush(report->stream); /* the next step may take seconds */
}

bool apsp_check_is_refusal(const struct apsp_err *err)
{
	return err->code == APSP_EMALFORMED || err->code == APSP_EFORBIDDEN ||
	       err->code == APSP_EUNUSABLE;
}

void apsp_check_wrong(struct apsp_check_report *report, const char *what,
	const struct apsp_err *err)
{
	report->n_wrong++;
	report->refused = report->refused || apsp_check_is_refusal(err);
	apsp_check_line(report, "wrong", what, "%s", err->message);
}

int apsp_check_conclude(const struct apsp_check_report *report)
{
	if (report->n_wrong == 0)
		fputs("All is right.\n", report->stream);
	else
		fprintf(report->stream, "%u %s wrong.\n", report->n_wrong,
			report->n_wrong == 1 ? "thing is" : "things are");
	fflush(report->stream);
	return report->n_wrong == 0 ? EXIT_SUCCESS
	       : report->refused    ? EX_CONFIG
				    : EXIT_FAILURE;
}
