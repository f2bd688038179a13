/*
 * Pages of problems; see problem_page.h. All error codes with the same name are
 * one type of problem. The page of this type has a section for each code.
 */
#include "api/page/problem_page.h"

#include <string.h>

#include "api/encode/problem.h"
#include "api/encode/xml.h"
#include "api/http/reply.h"
#include "api/page/assets.h"
#include "api/page/page.h"
#include "daemon/base/auto.h"

static bool is_of(const struct apsp_problem_type *type, const char *name)
{
	return strcmp(apsp_code_name(type->code), name) == 0;
}

/* Returns the first row of apsp_problem_types whose error code is called
   `name`, or NULL if there is no such row. */
static const struct apsp_problem_type *find(const char *name)
{
	const struct apsp_problem_type *type = apsp_problem_types;

	while (type->code && !is_of(type, name))
		type++;
	return type->code ? type : NULL;
}

static bool is_first(const struct apsp_problem_type *type)
{
	return find(apsp_code_name(type->code)) == type;
}

static json_t *type_json(const char *base, const char *name)
{
	json_t *cases = json_array();

	for (const struct apsp_problem_type *at = apsp_problem_types; at->code;
		at++)
		if (is_of(at, name))
			json_array_append_new(cases,
				json_pack("{s:i, s:s, s:s, s:s}", "status",
					(int)at->status, "title", at->title,
					"meaning", at->meaning, "remedy",
					at->remedy));
	return json_pack("{s:o, s:o}", "type",
		json_sprintf("%s/problems/%s", base ? base : "", name), "cases",
		cases);
}

static json_t *all_json(const char *base)
{
	json_t *list = json_array();

	for (const struct apsp_problem_type *at = apsp_problem_types; at->code;
		at++)
		if (is_first(at))
			json_array_append_new(list,
				type_json(base, apsp_code_name(at->code)));
	return json_pack("{s:o}", "problems", list);
}

/*
 * Reply with text about the type of problem called `name`, or about all types
 * if `name` is NULL.
 */
static int text_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};

	if (name)
		apsp_text_printf(&text, "/problems/%s\n", name);
	for (const struct apsp_problem_type *at = apsp_problem_types; at->code;
		at++)
		if (!name)
			apsp_text_printf(&text, "%u  %-22s  %s\n", at->status,
				apsp_code_name(at->code), at->title);
		else if (is_of(at, name))
			apsp_text_printf(&text, "\n%u %s\n%s\n%s\n", at->status,
				at->title, at->meaning, at->remedy);
	return apsp_reply_bytes(
		req, MHD_HTTP_OK, "text/plain; charset=utf-8", &text, err);
}

/* Append a paragraph of HTML, and escape its text. */
static void paragraph_write(struct apsp_text *out, const char *text)
{
	apsp_text_string(out, "<p>");
	apsp_xml_append(out, text, strlen(text));
	apsp_text_string(out, "</p>\n");
}

static int html_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	const struct apsp_problem_type *at = apsp_problem_types;
	const char *title = name ? name : "Problems";
	int r;

	apsp_text_printf(&text,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n<title>%s</title>\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<link rel=\"icon\" type=\"image/svg+xml\" "
		"href=\"../assets/%s/icon.svg\">\n"
		"<link rel=\"stylesheet\" href=\"../assets/%s/style.css\">\n"
		"</head>\n<body>\n<header class=\"top\"><a class=\"brand\" "
		"href=\"../\">apspd</a>\n<nav aria-label=\"Main\">"
		"<a href=\"./\">Problems</a></nav></header>\n<main>\n"
		"<h1>%s</h1>\n",
		title, apsp_page_set, apsp_page_set, title);
	if (!name)
		apsp_text_printf(&text, "<ul>\n");
	for (; at->code; at++) {
		if (name && is_of(at, name)) {
			apsp_text_printf(&text, "<h2>%u %s</h2>\n", at->status,
				at->title);
			paragraph_write(&text, at->meaning);
			paragraph_write(&text, at->remedy);
		} else if (!name && is_first(at)) {
			apsp_text_printf(&text,
				"<li><a href=\"%s\">%s</a>: %u %s</li>\n",
				apsp_code_name(at->code),
				apsp_code_name(at->code), at->status,
				at->title);
		}
	}
	apsp_text_printf(
		&text, "%s</main>\n</body>\n</html>\n", name ? "" : "</ul>\n");
	r = apsp_page_headers(req, err);
	return r < 0 ? r
		     : apsp_reply_bytes(req, MHD_HTTP_OK,
			       "text/html; charset=utf-8", &text, err);
}

int apsp_problem_page_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err)
{
	if (name && !find(name))
		return apsp_fail(err, APSP_ENOROUTE,
			"there is no problem '%s'; /problems/ lists all", name);
	switch (req->format) {
	case APSP_REPLY_HTML:
		return html_reply(req, name, err);
	case APSP_REPLY_TEXT:
		return text_reply(req, name, err);
	default:
		return apsp_reply_json(req, MHD_HTTP_OK,
			name ? type_json(req->config->settings->base_path, name)
			     : all_json(req->config->settings->base_path),
			err);
	}
}
