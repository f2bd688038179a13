/*
 * Writes and parses the solver's events; see solver_event.h.
 */
#include "compute/solver_event.h"

#include <stdarg.h>
#include <string.h>

#include "daemon/base/fields.h"

static const char *const words[] = {
	[APSP_SOLVER_EVENT_JOB] = "job",
	[APSP_SOLVER_EVENT_WITHIN] = "within",
	[APSP_SOLVER_EVENT_TRIAL] = "trial",
	[APSP_SOLVER_EVENT_CYCLE] = "cycle",
	[APSP_SOLVER_EVENT_GROUP] = "group",
	[APSP_SOLVER_EVENT_COST] = "cost",
	[APSP_SOLVER_EVENT_STAGES] = "stages",
	[APSP_SOLVER_EVENT_ERROR] = "error",
	[APSP_SOLVER_EVENT_DONE] = "done",
	[APSP_SOLVER_EVENT_HELD] = "held",
	[APSP_SOLVER_EVENT_FOUND] = "found",
	[APSP_SOLVER_EVENT_RATES] = "rates",
	[APSP_SOLVER_EVENT_ROW] = "row",
};

enum {
	/* largest number of bytes of an event's fields; the other bytes of a
	   line are for the name of the event, the space after the name, and the
	   newline */
	FIELDS_SIZE = APSP_SOLVER_EVENT_LINE - 8,
};

void apsp_solver_event_write(
	FILE *stream, enum apsp_solver_event_kind kind, const char *fields)
{
	if (!stream)
		return;
	fprintf(stream, "%s%s%s\n", words[kind], *fields ? " " : "", fields);
	fflush(stream);
}

void apsp_solver_event_field(FILE *stream, enum apsp_solver_event_kind kind,
	const char *name, const char *format, ...)
{
	char fields[FIELDS_SIZE] = "", value[APSP_FIELD_VALUE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	apsp_fields_add(fields, sizeof(fields), name, "%s", value);
	apsp_solver_event_write(stream, kind, fields);
}

void apsp_solver_event_error(FILE *stream, const struct apsp_err *err)
{
	char fields[FIELDS_SIZE] = "";

	apsp_fields_add(fields, sizeof(fields), "code", "%s",
		apsp_code_name(err->code));
	apsp_fields_add(fields, sizeof(fields), "text", "%s", err->message);
	apsp_solver_event_write(stream, APSP_SOLVER_EVENT_ERROR, fields);
}

/* Whether text consists of one or more valid fields. */
static bool fields_valid(const char *text)
{
	char name[APSP_FIELD_NAME_SIZE], value[APSP_FIELD_VALUE_SIZE];
	bool any = false;

	while (apsp_fields_next(&text, name, value, sizeof(value)))
		any = true;
	return any && !*text;
}

bool apsp_solver_event_parse(const char *line,
	enum apsp_solver_event_kind *out_kind, const char **out_fields)
{
	size_t length = strcspn(line, " ");
	const char *fields = line[length] ? line + length + 1 : "";

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i]) != length ||
			memcmp(words[i], line, length) != 0)
			continue;
		*out_kind = (enum apsp_solver_event_kind)i;
		*out_fields = fields;
		return i == APSP_SOLVER_EVENT_DONE ? !line[length]
						   : fields_valid(fields);
	}
	return false;
}

void apsp_solver_event_read_error(const char *fields, struct apsp_err *out)
{
	char code[32] = "", text[APSP_SOLVER_EVENT_LINE] = "";

	apsp_fields_get(fields, "code", code, sizeof(code));
	apsp_fields_get(fields, "text", text, sizeof(text));
	apsp_fail(out, (enum apsp_code)apsp_code_from_name(code), "%s", text);
}
