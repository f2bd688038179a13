/*
 * Requests that are answered past libmicrohttpd; see express_call.h.
 */
#include "api/http/express_call.h"

#include <string.h>
#include <strings.h>

const char *apsp_express_call_header(
	const struct apsp_express_call *call, const char *name)
{
	for (size_t i = 0; i < call->n_fields; i++)
		if (strcasecmp(call->fields[i].name, name) == 0)
			return call->fields[i].value;
	return NULL;
}

void apsp_express_call_headers(const struct apsp_express_call *call,
	MHD_KeyValueIterator look, void *ctx)
{
	for (size_t i = 0; i < call->n_fields; i++)
		if (look(ctx, MHD_HEADER_KIND, call->fields[i].name,
			    call->fields[i].value) != MHD_YES)
			return;
}

void apsp_express_call_keep(struct apsp_express_call *call, const char *type,
	struct apsp_text *body)
{
	call->type = type;
	call->body = *body;
	*body = (struct apsp_text){0};
}

/* Whether libmicrohttpd has to see a request with this header. */
static bool is_special(const struct apsp_express_field *field)
{
	static const char *const names[] = {"Content-Length",
		"Transfer-Encoding", "Expect", "Upgrade", "Trailer"};

	if (strcasecmp(field->name, "Connection") == 0)
		return strcasecmp(field->value, "keep-alive") != 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcasecmp(field->name, names[i]) == 0)
			return true;
	return false;
}

/* Cut "name: value" CRLF at *at, and step over it. */
static bool field_read(struct apsp_express_call *call, char **at)
{
	struct apsp_express_field *field = &call->fields[call->n_fields];
	char *colon = strchr(*at, ':'), *end = strchr(*at, '\r');
	char *value;

	if (call->n_fields == APSP_EXPRESS_FIELDS_MAX || !colon || !end ||
		end < colon)
		return false;
	value = colon + 1 + strspn(colon + 1, " \t");
	*colon = *end = '\0';
	*field = (struct apsp_express_field){*at, value};
	call->n_fields++;
	*at = end + 2;
	return !is_special(field);
}

bool apsp_express_call_read(
	struct apsp_express_call *out, const char *bytes, size_t size)
{
	static const char version[] = "HTTP/1.1\r\n";
	char *at = out->head + 4;

	out->n_fields = 0;
	out->type = NULL;
	out->body = (struct apsp_text){0};
	if (size > APSP_EXPRESS_HEAD_MAX || size < 4 ||
		memcmp(bytes, "GET ", 4) != 0)
		return false;
	memcpy(out->head, bytes, size);
	out->head[size] = '\0';
	out->target = at;
	at = strchr(at, ' ');
	if (!at || strncmp(at + 1, version, sizeof(version) - 1) != 0)
		return false;
	*at = '\0';
	at += sizeof(version);
	while (*at != '\r')
		if (!field_read(out, &at))
			return false;
	return true;
}

void apsp_express_call_done(struct apsp_express_call *call)
{
	apsp_text_done(&call->body);
}
