/*
 * The lines of changes; see change.h. What a client wrote stands in quotes,
 * with " and \ escaped, so that it cannot pass for a field; the target, which
 * has no blanks, and the message come last, so that a long one cuts off no
 * field.
 */
#include "api/http/change.h"

#include <stdio.h>
#include <string.h>

#include "api/connection/connection.h"
#include "api/http/internal.h"
#include "api/http/route.h"
#include "daemon/base/log.h"
#include "daemon/base/name.h"
#include "daemon/base/utf8.h"

enum {
	VALUE_SIZE = 2 * APSP_NAME_SIZE, /* each byte escaped, and quotes */
	FIELDS_SIZE = 2 * (VALUE_SIZE + 16),
	TARGET_SHOWN = 600,
};

/* A value: bare where it is a name, "-" where there is none, else in quotes. */
static void value_write(const char *text, char out[VALUE_SIZE])
{
	struct apsp_excerpt excerpt;
	char *end = out;

	if (!*text || apsp_name_valid(text)) {
		snprintf(out, VALUE_SIZE, "%s", *text ? text : "-");
		return;
	}
	if (strlen(text) >= APSP_TOKEN_NAME_SIZE) {
		excerpt = apsp_excerpt_of(text, strlen(text));
		text = excerpt.text;
	}
	*end++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*end++ = '\\';
		*end++ = *text;
	}
	*end++ = '"';
	*end = '\0';
}

static size_t field_write(char *out, size_t room, const char *name,
	int name_size, const char *text)
{
	char value[VALUE_SIZE];
	int size;

	value_write(text, value);
	size = snprintf(out, room, " %.*s=%s", name_size, name, value);
	return (size_t)size < room ? (size_t)size : 0;
}

/* Write the changed object, " graph=… profile=…", by the names of the route's
   pattern. */
static void subject_write(
	const struct apsp_request *req, char out[FIELDS_SIZE + VALUE_SIZE])
{
	const struct apsp_change *change = &req->change;
	const char *at = req->route->pattern;
	const size_t room = FIELDS_SIZE + VALUE_SIZE;
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < req->n_params && (at = strchr(at, '{')); i++) {
		int size = (int)strcspn(++at, "}");

		used += field_write(
			out + used, room - used, at, size, req->params[i]);
	}
	if (*change->graph)
		used += field_write(
			out + used, room - used, "graph", 5, change->graph);
	if (*change->profile)
		field_write(
			out + used, room - used, "profile", 7, change->profile);
}

bool apsp_change_log(const struct apsp_request *req, double ms, const char *end)
{
	const struct apsp_change *change = &req->change;
	const struct apsp_exchange *x = req->exchange;
	const char *after = change->before;
	bool failed = req->err.code != 0;
	bool rule = change->made && *change->rule_before &&
		    *change->rule_after &&
		    strcmp(change->rule_before, change->rule_after) != 0;
	char subject[FIELDS_SIZE + VALUE_SIZE], token[VALUE_SIZE];
	char peer[APSP_PEER_TEXT_SIZE];

	/* anybody who can connect could send refusals for want of a token by
	   the million, and the journal drops lines of a service that writes too
	   many */
	if (!req->route || req->route->scope < APSP_SCOPE_WRITE ||
		req->err.code == APSP_EUNAUTHORIZED)
		return false;
	subject_write(req, subject);
	if (change->made && (change->deleted || *change->after))
		after = change->after;
	value_write(x->token, token);
	apsp_peer_write(&x->conn->peer, peer);
	apsp_log_always(req->status >= MHD_HTTP_INTERNAL_SERVER_ERROR
				? APSP_LOG_WARNING
				: APSP_LOG_NOTICE,
		"%s id=%s token=%s peer=%s%s before=%s after=%s%s%s%s%s%s "
		"status=%u "
		"ms=%.1f %s method=%s target=%.*s%s%s%s%s",
		change->made ? "changed" : "change refused", req->id, token,
		peer, subject, *change->before ? change->before : "-",
		*after ? after : "-", rule ? " rule_before=\"" : "",
		rule ? change->rule_before : "", rule ? "\" rule_after=\"" : "",
		rule ? change->rule_after : "", rule ? "\"" : "", req->status,
		ms, end, x->method, TARGET_SHOWN, x->target,
		failed ? " error=" : "",
		failed ? apsp_code_name(req->err.code) : "", failed ? ": " : "",
		failed ? req->err.message : "");
	return true;
}
