/* Prints the lines of --check; see check_report.h. */
#include "daemon/check_report.h"

#include <stdarg.h>

void apsp_check_line(const struct apsp_check_report *report,
	const char *verdict, const char *what, const char *format, ...)
{
	va_list args;

	fprintf(report->stream, "%-6s %-9s ", verdict, what);
	va_start(args, format);
	vfprintf(report->stream, format, args);
	va_end(args);
	fputc('\n', report->stream);
	fflush(report->stream); /* show the line now, because the next check may
				   take seconds */
}

bool apsp_check_is_refusal(const struct apsp_err *err)
{
	return err->code == APSP_EMALFORMED || err->code == APSP_EFORBIDDEN ||
	       err->code == APSP_EUNUSABLE || err->code == APSP_ENEWER;
}

void apsp_check_wrong(struct apsp_check_report *report, const char *what,
	const struct apsp_err *err)
{
	report->n_wrong++;
	report->refused = report->refused || apsp_check_is_refusal(err);
	apsp_check_line(report, "wrong", what, "%s", err->message);
}
