/*
 * Bodies of JSON; see body_json.h.
 */
#include "api/body_json.h"

#include <stdio.h>
#include <string.h>

#include "api/http/reply.h"

int apsp_body_json(
	const struct apsp_request *req, json_t **out, struct apsp_err *err)
{
	json_error_t error;
	json_t *body = json_loadb(req->body ? req->body : "", req->body_size,
		JSON_REJECT_DUPLICATES, &error);

	if (!body) {
		if (json_error_code(&error) == json_error_out_of_memory)
			return apsp_fail(err, APSP_ENOMEM, "out of memory");
		return apsp_fail_at(err, APSP_EMALFORMED,
			error.line > 0 ? (uint64_t)error.line : 1,
			error.column > 0 ? (uint64_t)error.column : 1,
			"the body is not JSON: %s", error.text);
	}
	if (!json_is_object(body)) {
		json_decref(body);
		return apsp_fail_at(err, APSP_EMALFORMED, 1, 1,
			"the body is JSON, but not an object");
	}
	*out = body;
	return 0;
}

/* "/" and the name, with "~" and "/" in it escaped (RFC 6901). */
static void pointer_to(const char *name, char out[APSP_POINTER_SIZE])
{
	size_t n = 0;

	out[n++] = '/';
	for (; *name && n + 3 < APSP_POINTER_SIZE; name++) {
		if (*name == '~' || *name == '/') {
			out[n++] = '~';
			out[n++] = *name == '~' ? '0' : '1';
		} else {
			out[n++] = *name;
		}
	}
	out[n] = '\0';
}

int apsp_body_only(json_t *object, const char *const *names,
	char out_pointer[APSP_POINTER_SIZE], struct apsp_err *err)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
	{
		size_t i = 0;

		while (names[i] && strcmp(names[i], name) != 0)
			i++;
		if (names[i])
			continue;
		pointer_to(name, out_pointer);
		return apsp_fail(err, APSP_EMALFORMED,
			"the body has a member '%s' that is not known", name);
	}
	return 0;
}

int apsp_body_refuse(struct apsp_request *req, const char *pointer,
	const struct apsp_err *err)
{
	if (!*pointer)
		return err->code;
	apsp_reply_problem(req, err, json_pack("{s:s}", "pointer", pointer));
	return 0;
}
