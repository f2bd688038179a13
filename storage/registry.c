/*
 * The views by name, in one array in order of name; see registry.h.
 */
#include "storage/registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "storage/view.h"

struct apsp_registry {
	pthread_mutex_t lock; /* guards what follows */
	const struct apsp_graph_view **views;
	size_t n;
	size_t capacity;
};

int apsp_registry_new(struct apsp_registry **out, struct apsp_err *err)
{
	struct apsp_registry *registry = calloc(1, sizeof(*registry));

	if (!registry)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the graphs");
	pthread_mutex_init(&registry->lock, NULL);
	*out = registry;
	return 0;
}

void apsp_registry_free(struct apsp_registry *registry)
{
	if (!registry)
		return;
	for (size_t i = 0; i < registry->n; i++)
		apsp_graph_view_unref(registry->views[i]);
	free(registry->views);
	pthread_mutex_destroy(&registry->lock);
	free(registry);
}

/* Where name is or belongs; *out_found says which. Under the lock. */
static size_t place_find(
	const struct apsp_registry *registry, const char *name, bool *out_found)
{
	size_t low = 0, high = registry->n;

	*out_found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(registry->views[middle]->name, name);

		if (order == 0) {
			*out_found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct apsp_graph_view *apsp_registry_get(
	struct apsp_registry *registry, const char *name)
{
	const struct apsp_graph_view *view = NULL;
	bool found;
	size_t i;

	pthread_mutex_lock(&registry->lock);
	i = place_find(registry, name, &found);
	if (found)
		view = apsp_graph_view_ref(registry->views[i]);
	pthread_mutex_unlock(&registry->lock);
	return view;
}

size_t apsp_registry_list(struct apsp_registry *registry, const char *after,
	const struct apsp_graph_view **out, size_t max)
{
	size_t n = 0, i;
	bool found;

	pthread_mutex_lock(&registry->lock);
	i = place_find(registry, after, &found);
	for (i += found; i < registry->n && n < max; i++)
		out[n++] = apsp_graph_view_ref(registry->views[i]);
	pthread_mutex_unlock(&registry->lock);
	return n;
}

int apsp_registry_reserve(
	struct apsp_registry *registry, size_t n, struct apsp_err *err)
{
	const struct apsp_graph_view **larger, **smaller;
	size_t capacity;

	/* only the writer changes n and capacity, and it is the caller */
	if (registry->n + n <= registry->capacity)
		return 0;
	capacity = (registry->n + n) * 2;
	larger = calloc(capacity, sizeof(*larger));
	if (!larger)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the graphs");
	pthread_mutex_lock(&registry->lock);
	if (registry->n)
		memcpy(larger, registry->views, registry->n * sizeof(*larger));
	smaller = registry->views;
	registry->views = larger;
	registry->capacity = capacity;
	pthread_mutex_unlock(&registry->lock);
	free(smaller);
	return 0;
}

void apsp_registry_set(struct apsp_registry *registry, const char *name,
	const struct apsp_graph_view *view)
{
	const struct apsp_graph_view *old = NULL;
	const struct apsp_graph_view **place;
	size_t behind;
	bool found;

	pthread_mutex_lock(&registry->lock);
	place = registry->views + place_find(registry, name, &found);
	behind = registry->n - (size_t)(place - registry->views);
	if (found)
		old = *place;
	if (found && view) {
		*place = view;
	} else if (found) {
		memmove(place, place + 1, (behind - 1) * sizeof(*place));
		registry->n--;
	} else if (view) {
		memmove(place + 1, place, behind * sizeof(*place));
		*place = view;
		registry->n++;
	}
	pthread_mutex_unlock(&registry->lock);
	/* the last reference may end whole mappings: not under the lock */
	apsp_graph_view_unref(old);
}
