/*
 * Pages of problems; see problem_page.h. Codes of one name are one type with a
 * case for each.
 */
#include "api/page/problem_page.h"

#include <string.h>

#include "api/encode/problem.h"
#include "api/http/reply.h"
#include "api/page/assets.h"
#include "api/page/page.h"
#include "daemon/base/auto.h"

static bool is_of(const struct apsp_problem_type *type, const char *name)
{
	return strcmp(apsp_code_name(type->code), name) == 0;
}

/* The first row of a name; NULL: there is none. */
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

static void text_write(struct apsp_text *out, const char *name)
{
	apsp_text_printf(out, "/problems/%s\n", name);
	for (const struct apsp_problem_type *at = apsp_problem_types; at->code;
		at++)
		if (is_of(at, name))
			apsp_text_printf(out, "\n%u %s\n%s\n%s\n", at->status,
				at->title, at->meaning, at->remedy);
}

static void all_text_write(struct apsp_text *out)
{
	for (const struct apsp_problem_type *at = apsp_problem_types; at->code;
		at++)
		apsp_text_printf(out, "%u  %-22s  %s\n", at->status,
			apsp_code_name(at->code), at->title);
}

/* A sentence with what HTML would read as its own written otherwise. */
static void put_html(struct apsp_text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			apsp_text_append(out, "&lt;", 4);
		else if (*text == '&')
			apsp_text_append(out, "&amp;", 5);
		else
			apsp_text_byte(out, *text);
	}
}

static void element_write(
	struct apsp_text *out, const char *element, const char *text)
{
	apsp_text_printf(out, "<%s>", element);
	put_html(out, text);
	apsp_text_printf(out, "</%s>\n", element);
}

static void html_head_write(struct apsp_text *out, const char *title)
{
	apsp_text_printf(out,
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
}

static void html_write(struct apsp_text *out, const char *name)
{
	html_head_write(out, name);
	for (const struct apsp_problem_type *at = apsp_problem_types; at->code;
		at++) {
		if (!is_of(at, name))
			continue;
		apsp_text_printf(
			out, "<h2>%u %s</h2>\n", at->status, at->title);
		element_write(out, "p", at->meaning);
		element_write(out, "p", at->remedy);
	}
	apsp_text_printf(out, "</main>\n</body>\n</html>\n");
}

static void all_html_write(struct apsp_text *out)
{
	html_head_write(out, "Problems");
	apsp_text_printf(out, "<ul>\n");
	for (const struct apsp_problem_type *at = apsp_problem_types; at->code;
		at++)
		if (is_first(at))
			apsp_text_printf(out,
				"<li><a href=\"%s\">%s</a>: %u %s</li>\n",
				apsp_code_name(at->code),
				apsp_code_name(at->code), at->status,
				at->title);
	apsp_text_printf(out, "</ul>\n</main>\n</body>\n</html>\n");
}

static int html_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	int r;

	if (name)
		html_write(&text, name);
	else
		all_html_write(&text);
	r = apsp_page_headers(req, err);
	return r < 0 ? r
		     : apsp_reply_bytes(req, MHD_HTTP_OK,
			       "text/html; charset=utf-8", &text, err);
}

static int text_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};

	if (name)
		text_write(&text, name);
	else
		all_text_write(&text);
	return apsp_reply_bytes(
		req, MHD_HTTP_OK, "text/plain; charset=utf-8", &text, err);
}

int apsp_problem_page_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err)
{
	if (name && !find(name))
		return apsp_fail(err, APSP_ENOROUTE,
			"there is no problem '%s'; /problems/ lists all", name);
	switch (apsp_request_format(req)) {
	case APSP_REPLY_HTML:
		return html_reply(req, name, err);
	case APSP_REPLY_TEXT:
		return text_reply(req, name, err);
	default:
		return apsp_reply_json(req, MHD_HTTP_OK,
			name ? type_json(apsp_request_base(req), name)
			     : all_json(apsp_request_base(req)),
			err);
	}
}
