/*
 * What cannot be used at present, in one list; see troubles.h.
 */
#include "storage/snapshots/troubles.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/fixed_text.h"
#include "storage/snapshots/graph_snapshot.h"

struct apsp_troubles {
	pthread_mutex_t lock; /* guards what follows */
	struct apsp_trouble *first;
};

void apsp_trouble_free(struct apsp_trouble *list)
{
	while (list) {
		struct apsp_trouble *next = list->next;

		free(list);
		list = next;
	}
}

static struct apsp_trouble *trouble_add(
	struct apsp_trouble **list, const char *graph, struct apsp_err *err)
{
	struct apsp_trouble *trouble = calloc(1, sizeof(*trouble));

	if (!trouble || !apsp_fixed_text_set(trouble->graph,
				sizeof(trouble->graph), graph)) {
		free(trouble);
		apsp_fail(err, APSP_ENOMEM, "no memory for a sentence");
		return NULL;
	}
	trouble->next = *list;
	*list = trouble;
	return trouble;
}

int apsp_trouble_add_graph(struct apsp_trouble **list, const char *graph,
	const struct apsp_err *why, struct apsp_err *err)
{
	struct apsp_trouble *trouble = trouble_add(list, graph, err);

	if (!trouble)
		return APSP_ENOMEM;
	trouble->whole = true;
	apsp_fail(&trouble->err, APSP_EROW,
		"the graph '%s' is stored, but cannot be read; upload it again "
		"or delete it: %s",
		graph, why->message);
	return 0;
}

static int profile_add(struct apsp_trouble **list, const char *graph,
	const struct apsp_profile_snapshot *profile, struct apsp_err *err)
{
	struct apsp_trouble *trouble;

	if (profile->unreadable.code) {
		trouble = trouble_add(list, graph, err);
		if (!trouble)
			return APSP_ENOMEM;
		apsp_fail(&trouble->err, profile->unreadable.code,
			"the profile '%s' of graph '%s' cannot be read; define "
			"it again or delete it: %s",
			profile->name, graph, profile->unreadable.message);
	}
	if (profile->tables_trouble.code) {
		trouble = trouble_add(list, graph, err);
		if (!trouble)
			return APSP_ENOMEM;
		apsp_fail(&trouble->err, profile->tables_trouble.code,
			"the tables of '%s' with the profile '%s' cannot be "
			"opened and are tried again: %s",
			graph, profile->name, profile->tables_trouble.message);
	}
	return 0;
}

int apsp_trouble_add_profiles(struct apsp_trouble **list,
	const struct apsp_graph_snapshot *snapshot, struct apsp_err *err)
{
	const struct apsp_generation *all[] = {
		snapshot->current, snapshot->pending};
	int r = 0;

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; r == 0 && all[i] && k < all[i]->n_profiles;
			k++)
			r = profile_add(list, snapshot->name,
				&all[i]->profiles[k], err);
	return r;
}

int apsp_troubles_new(struct apsp_troubles **out, struct apsp_err *err)
{
	struct apsp_troubles *troubles = calloc(1, sizeof(*troubles));

	if (!troubles)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the store");
	pthread_mutex_init(&troubles->lock, NULL);
	*out = troubles;
	return 0;
}

void apsp_troubles_free(struct apsp_troubles *troubles)
{
	if (!troubles)
		return;
	apsp_trouble_free(troubles->first);
	pthread_mutex_destroy(&troubles->lock);
	free(troubles);
}

static bool is_among(
	const struct apsp_trouble *list, const struct apsp_trouble *trouble)
{
	for (; list; list = list->next)
		if (strcmp(list->err.message, trouble->err.message) == 0)
			return true;
	return false;
}

/* Take the graph's troubles out of the list. */
static struct apsp_trouble *graph_take(
	struct apsp_troubles *troubles, const char *graph)
{
	struct apsp_trouble **place = &troubles->first, *out = NULL;

	while (*place) {
		struct apsp_trouble *trouble = *place;

		if (strcmp(trouble->graph, graph) != 0) {
			place = &trouble->next;
			continue;
		}
		*place = trouble->next;
		trouble->next = out;
		out = trouble;
	}
	return out;
}

void apsp_troubles_set(struct apsp_troubles *troubles, const char *graph,
	struct apsp_trouble *list,
	void (*tell)(void *ctx, const char *sentence), void *ctx)
{
	struct apsp_trouble *old, **end;

	pthread_mutex_lock(&troubles->lock);
	old = graph_take(troubles, graph);
	for (end = &troubles->first; *end; end = &(*end)->next)
		;
	*end = list;
	pthread_mutex_unlock(&troubles->lock);
	/* the writer, which is the caller, alone changes the list */
	for (const struct apsp_trouble *t = list; tell && t; t = t->next)
		if (!is_among(old, t))
			tell(ctx, t->err.message);
	apsp_trouble_free(old);
}

int apsp_troubles_check(
	struct apsp_troubles *troubles, const char *graph, struct apsp_err *err)
{
	int r = 0;

	pthread_mutex_lock(&troubles->lock);
	for (const struct apsp_trouble *t = troubles->first; t && r == 0;
		t = t->next) {
		if (!t->whole || strcmp(t->graph, graph) != 0)
			continue;
		r = t->err.code;
		if (err)
			*err = t->err;
	}
	pthread_mutex_unlock(&troubles->lock);
	return r;
}

size_t apsp_troubles_list(
	struct apsp_troubles *troubles, struct apsp_err *out, size_t max)
{
	size_t n = 0;

	pthread_mutex_lock(&troubles->lock);
	for (const struct apsp_trouble *t = troubles->first; t; t = t->next) {
		if (n < max)
			out[n] = t->err;
		n++;
	}
	pthread_mutex_unlock(&troubles->lock);
	return n;
}
