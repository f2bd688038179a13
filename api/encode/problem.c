/*
 * Problems; see problem.h.
 */
#include "api/encode/problem.h"

#include "api/encode/json.h"

enum { TOLD = false, GENERAL = true };

const struct apsp_problem_type apsp_problem_types[] = {
#define PROBLEM(...) {__VA_ARGS__},
#include "api/encode/problems.def"
#undef PROBLEM
	{0, 0, NULL, false, NULL, NULL}};

enum {
#define PROBLEM(code, ...) ROW_##code,
#include "api/encode/problems.def"
#undef PROBLEM
};

/* Returns the row of problems.def for an error code; this row is the code's
   problem type. If an error code has no row or has two rows, this function does
   not compile. */
static const struct apsp_problem_type *find(int code)
{
	switch ((enum apsp_code)code) {
#define PROBLEM(code, ...)                                                     \
	case code:                                                             \
		return &apsp_problem_types[ROW_##code];
#include "api/encode/problems.def"
#undef PROBLEM
	}
	return &apsp_problem_types[ROW_APSP_EBUG]; /* `code` is no error code */
}

unsigned int apsp_problem_status(int code)
{
	return find(code)->status;
}

json_t *apsp_problem_json(
	const struct apsp_err *err, const char *base, json_t *extra)
{
	const struct apsp_problem_type *problem = find(err->code);
	const char *detail = err->message;
	json_t *body;

	if (problem->is_general)
		detail = "Something went wrong inside the daemon; its log "
			 "says what.";
	body = json_pack("{s:o, s:s, s:i, s:s}", "type",
		json_sprintf("%s/problems/%s", base ? base : "",
			apsp_code_name(err->code)),
		"title", problem->title, "status", (int)problem->status,
		"detail", detail);
	if (body && err->line)
		json_object_set_new(
			body, "line", json_integer((json_int_t)err->line));
	if (body && err->column)
		json_object_set_new(
			body, "column", json_integer((json_int_t)err->column));
	if (body && extra)
		json_object_update(body, extra);
	json_decref(extra);
	return body;
}

bool apsp_problem_passes(unsigned int status)
{
	return status == 503 || status == 429;
}

void apsp_problem_append(const struct apsp_err *err, const char *base,
	json_t *extra, const char *request_id, struct apsp_text *body)
{
	json_t *problem = apsp_problem_json(err, base, extra);
	struct apsp_json_writer w = {.text = body};

	if (problem)
		json_object_set_new(
			problem, "request_id", json_string(request_id));
	apsp_json_tree(&w, problem);
	apsp_text_byte(body, '\n');
}
