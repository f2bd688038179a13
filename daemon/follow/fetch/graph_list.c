/*
 * Reads pages of a list of graphs; see graph_list.h.
 */
#include "daemon/follow/fetch/graph_list.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/hex.h"

enum {
	GRAPHS_MAX = 100000, /* largest number of graphs in a list */
	/* largest number of profiles of all graphs together */
	PROFILES_MAX = 200000,
};

static void graph_done(struct apsp_listed_graph *graph)
{
	free(graph->profiles);
	graph->profiles = NULL;
}

APSP_AUTO_DEFINE(json_end, json_t, json_decref);

void apsp_graph_list_done(struct apsp_graph_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		graph_done(&list->graphs[i]);
	free(list->graphs);
	*list = (struct apsp_graph_list){0};
}

bool apsp_state_is_coming(const char *state)
{
	return strcmp(state, "computing") == 0 || strcmp(state, "waiting") == 0;
}

void apsp_detail_write(
	const char *text, size_t size, char out[APSP_MESSAGE_SIZE])
{
	APSP_AUTO(json_end) json_t *problem = json_loadb(text, size, 0, NULL);
	const char *detail =
		json_string_value(json_object_get(problem, "detail"));

	snprintf(out, APSP_MESSAGE_SIZE, "%s%s", detail ? ": " : "",
		detail ? detail : "");
}

static int wrong(struct apsp_err *err)
{
	return apsp_fail(err, APSP_EDATA,
		"the answer to GET /v1/graphs is not a list of graphs as apspd "
		"sends it");
}

/* Copy the text of a member. Returns false if the object has no such text, or
   if the text is too long. */
static bool text_get(
	const json_t *object, const char *key, char *out, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && apsp_fixed_text_set(out, size, text);
}

static bool name_get(const json_t *object, char out[APSP_NAME_SIZE])
{
	return text_get(object, "name", out, APSP_NAME_SIZE) &&
	       apsp_name_valid(out);
}

/* Read the profiles of a listed graph. */
static int profiles_read(struct apsp_graph_list *list, const json_t *object,
	struct apsp_listed_graph *out, struct apsp_err *err)
{
	const json_t *all = json_object_get(object, "profiles"), *one;
	size_t i, n = json_array_size(all);

	if (!json_is_array(all))
		return wrong(err);
	list->n_profiles += n;
	if (list->n_profiles > PROFILES_MAX)
		return apsp_fail(err, APSP_EDATA,
			"the graphs of the list have more than %d profiles",
			PROFILES_MAX);
	out->profiles = calloc(n + 1, sizeof(*out->profiles));
	if (!out->profiles)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a list");
	json_array_foreach(all, i, one)
	{
		struct apsp_listed_profile *profile = &out->profiles[i];
		const char *state =
			json_string_value(json_object_get(one, "state"));

		if (!state || !name_get(one, profile->name))
			return wrong(err);
		/* while the tables of the newest rule are not ready, "served"
		   is the earlier rule by which the profile answers; the bundle
		   then has the tables of the earlier rule */
		profile->is_ready =
			strcmp(state, "ready") == 0 ||
			json_is_object(json_object_get(one, "served"));
		if (strcmp(profile->name, "default") != 0)
			continue;
		out->is_ready = profile->is_ready;
		out->is_coming = apsp_state_is_coming(state);
	}
	out->n_profiles = n;
	return 0;
}

/* Read the revision of a listed graph. The revision may be null. The revision
   becomes a part of requests to our daemon, so only hexadecimal digits are
   accepted. */
static bool revision_get(const json_t *object, char out[APSP_HASH_SIZE])
{
	const json_t *revision = json_object_get(object, "revision");
	const char *c = out;

	if (json_is_null(revision))
		return true;
	if (!text_get(object, "revision", out, APSP_HASH_SIZE))
		return false;
	while (apsp_hex_digit(*c) >= 0)
		c++;
	return *c == '\0';
}

static int graph_read(struct apsp_graph_list *list, const json_t *object,
	struct apsp_listed_graph *out, struct apsp_err *err)
{
	if (!name_get(object, out->name) ||
		!text_get(object, "stamp", out->stamp, sizeof(out->stamp)) ||
		!revision_get(object, out->revision))
		return wrong(err);
	out->is_new = !*out->revision &&
		      json_is_object(json_object_get(object, "pending"));
	out->has_attributes =
		json_array_size(json_object_get(object, "attributes")) > 0;
	return profiles_read(list, object, out, err);
}

int apsp_graph_list_add(struct apsp_graph_list *list, const char *text,
	size_t size, struct apsp_err *err)
{
	APSP_AUTO(json_end) json_t *page = json_loadb(text, size, 0, NULL);
	const json_t *graphs = json_object_get(page, "graphs"), *one;
	const json_t *next = json_object_get(page, "next");
	size_t i, n = json_array_size(graphs);
	struct apsp_listed_graph *larger;
	int r;

	if (!json_is_array(graphs))
		return wrong(err);
	if (list->n + n > GRAPHS_MAX)
		return apsp_fail(err, APSP_EDATA,
			"the list has more than %d graphs", GRAPHS_MAX);
	larger = realloc(list->graphs, (list->n + n + 1) * sizeof(*larger));
	if (!larger)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a list");
	memset(larger + list->n, 0, (n + 1) * sizeof(*larger));
	list->graphs = larger;
	json_array_foreach(graphs, i, one)
	{
		struct apsp_listed_graph *graph = &list->graphs[list->n];

		r = graph_read(list, one, graph, err);
		/* names must ascend; otherwise a server that repeats a page
		   would keep us in a loop for ever */
		if (r == 0 && list->n > 0 &&
			strcmp(graph[-1].name, graph->name) >= 0)
			r = wrong(err);
		if (r < 0) {
			graph_done(graph);
			return r;
		}
		list->n++;
	}
	list->is_partial |= json_is_false(json_object_get(page, "complete"));
	list->next[0] = '\0';
	if (json_is_null(next))
		return 0;
	/* the cursor of the next page must be the last name of this page */
	if (!text_get(page, "next", list->next, sizeof(list->next)) ||
		list->n == 0 ||
		strcmp(list->next, list->graphs[list->n - 1].name) != 0)
		return wrong(err);
	return n > 0 ? 0 : wrong(err);
}

void apsp_graph_list_drop_new(struct apsp_graph_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (list->graphs[i].is_new)
			graph_done(&list->graphs[i]);
		else
			list->graphs[n++] = list->graphs[i];
	}
	list->n = n;
}
