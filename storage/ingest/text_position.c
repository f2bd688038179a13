/* Makes the messages about refused data; see text_position.h. */
#include "storage/ingest/text_position.h"

#include <inttypes.h>
#include <stdio.h>

int apsp_refuse(struct apsp_err *err, struct apsp_text_position place,
	const char *format, ...)
{
	char what[APSP_MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (!place.line)
		return apsp_fail(err, APSP_EDATA, "%s", what);
	return apsp_fail_at(err, APSP_EDATA, place.line, place.column,
		"%s %" PRIu64 ", column %" PRIu64 ": %s",
		place.is_cell ? "row" : "line", place.line, place.column, what);
}
