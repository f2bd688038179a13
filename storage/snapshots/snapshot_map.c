/*
 * The snapshots by name, in one array in order of name; see snapshot_map.h.
 */
#include "storage/snapshots/snapshot_map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "storage/snapshots/graph_snapshot.h"

struct apsp_snapshot_map {
	pthread_mutex_t lock; /* guards what follows */
	const struct apsp_graph_snapshot **snapshots;
	size_t n;
	size_t capacity;
};

int apsp_snapshot_map_new(struct apsp_snapshot_map **out, struct apsp_err *err)
{
	struct apsp_snapshot_map *map = calloc(1, sizeof(*map));

	if (!map)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the graphs");
	pthread_mutex_init(&map->lock, NULL);
	*out = map;
	return 0;
}

void apsp_snapshot_map_free(struct apsp_snapshot_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->n; i++)
		apsp_graph_snapshot_unref(map->snapshots[i]);
	free(map->snapshots);
	pthread_mutex_destroy(&map->lock);
	free(map);
}

/* The place where name is (*out_found) or belongs. Under the lock. */
static size_t place_find(
	const struct apsp_snapshot_map *map, const char *name, bool *out_found)
{
	size_t low = 0, high = map->n;

	*out_found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(map->snapshots[middle]->name, name);

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

const struct apsp_graph_snapshot *apsp_snapshot_map_get(
	struct apsp_snapshot_map *map, const char *name)
{
	const struct apsp_graph_snapshot *snapshot = NULL;
	bool found;
	size_t i;

	pthread_mutex_lock(&map->lock);
	i = place_find(map, name, &found);
	if (found)
		snapshot = apsp_graph_snapshot_ref(map->snapshots[i]);
	pthread_mutex_unlock(&map->lock);
	return snapshot;
}

size_t apsp_snapshot_map_list(struct apsp_snapshot_map *map, const char *after,
	const struct apsp_graph_snapshot **out, size_t max)
{
	size_t n = 0, i;
	bool found;

	pthread_mutex_lock(&map->lock);
	i = place_find(map, after, &found);
	for (i += found; i < map->n && n < max; i++)
		out[n++] = apsp_graph_snapshot_ref(map->snapshots[i]);
	pthread_mutex_unlock(&map->lock);
	return n;
}

int apsp_snapshot_map_reserve(
	struct apsp_snapshot_map *map, size_t n, struct apsp_err *err)
{
	const struct apsp_graph_snapshot **larger, **smaller;
	size_t capacity;

	/* only the writer changes n and capacity, and it is the caller */
	if (map->n + n <= map->capacity)
		return 0;
	capacity = (map->n + n) * 2;
	larger = calloc(capacity, sizeof(*larger));
	if (!larger)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the graphs");
	pthread_mutex_lock(&map->lock);
	if (map->n)
		memcpy(larger, map->snapshots, map->n * sizeof(*larger));
	smaller = map->snapshots;
	map->snapshots = larger;
	map->capacity = capacity;
	pthread_mutex_unlock(&map->lock);
	free(smaller);
	return 0;
}

void apsp_snapshot_map_set(struct apsp_snapshot_map *map, const char *name,
	const struct apsp_graph_snapshot *snapshot)
{
	const struct apsp_graph_snapshot *old = NULL;
	const struct apsp_graph_snapshot **place;
	size_t behind;
	bool found;

	pthread_mutex_lock(&map->lock);
	place = map->snapshots + place_find(map, name, &found);
	behind = map->n - (size_t)(place - map->snapshots);
	if (found)
		old = *place;
	if (found && snapshot) {
		*place = snapshot;
	} else if (found) {
		memmove(place, place + 1, (behind - 1) * sizeof(*place));
		map->n--;
	} else if (snapshot) {
		memmove(place + 1, place, behind * sizeof(*place));
		*place = snapshot;
		map->n++;
	}
	pthread_mutex_unlock(&map->lock);
	/* the last reference may end whole mappings: not under the lock */
	apsp_graph_snapshot_unref(old);
}
