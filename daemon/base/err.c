/*
 * Names of error codes, and formatting of messages; see err.h.
 */
#include "daemon/base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/utf8.h"

static const struct {
	int code;
	const char *name;
} code_names[] = {
#define CODE(code, number, name) {code, name},
#include "daemon/base/codes.def"
#undef CODE
};

const char *apsp_code_name(int code)
{
	for (size_t i = 0; i < sizeof(code_names) / sizeof(*code_names); i++)
		if (code_names[i].code == code)
			return code_names[i].name;
	return "bug";
}

int apsp_code_from_name(const char *name)
{
	for (size_t i = 0; i < sizeof(code_names) / sizeof(*code_names); i++)
		if (strcmp(code_names[i].name, name) == 0)
			return code_names[i].code;
	return APSP_EBUG;
}

static void message_clean(char *message, size_t length)
{
	static const char mark[] = "…";

	/* JSON needs UTF-8, but the message may quote bytes from a client that
	   are not UTF-8 */
	apsp_utf8_clean(message);
	if (length >= APSP_MESSAGE_SIZE) {
		size_t cut = apsp_utf8_cut(
			message, APSP_MESSAGE_SIZE - sizeof(mark));

		memcpy(message + cut, mark, sizeof(mark));
	}
	for (char *c = message; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
}

/* Set *err unless err is NULL. */
__attribute__((format(printf, 5, 0))) static void error_set(
	struct apsp_err *err, enum apsp_code code, uint64_t line,
	uint64_t column, const char *format, va_list args)
{
	int length;

	if (!err)
		return;
	err->code = code;
	err->line = line;
	err->column = column;
	length = vsnprintf(err->message, sizeof(err->message), format, args);
	message_clean(err->message, length < 0 ? 0 : (size_t)length);
}

int apsp_fail(
	struct apsp_err *err, enum apsp_code code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_set(err, code, 0, 0, format, args);
	va_end(args);
	return code;
}

int apsp_fail_at(struct apsp_err *err, enum apsp_code code, uint64_t line,
	uint64_t column, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_set(err, code, line, column, format, args);
	va_end(args);
	return code;
}

int apsp_fail_errno(
	struct apsp_err *err, int errno_value, const char *format, ...)
{
	enum apsp_code code = APSP_EIO;
	char what[APSP_MESSAGE_SIZE];
	va_list args;

	if (errno_value == ENOSPC || errno_value == EDQUOT ||
		errno_value == EFBIG)
		code = APSP_ENOSPACE;
	else if (errno_value == ENOMEM)
		code = APSP_ENOMEM;
	else if (errno_value == EMFILE || errno_value == ENFILE)
		code = APSP_EBUSY;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return apsp_fail(err, code, "%s: %s", what, strerror(errno_value));
}
