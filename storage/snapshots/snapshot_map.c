/*
 * The snapshots in one array, ordered by name; see snapshot_map.h.
 */
#include "storage/snapshots/snapshot_map.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "storage/snapshots/graph_snapshot.h"

struct apsp_snapshot_map {
	pthread_mutex_t lock; /* guards the members below */
	const struct apsp_graph_snapshot **snapshots;
	size_t n;
	size_t capacity;
	uint64_t stamp;
	const struct apsp_store_hooks *hooks; /* borrowed */
};

int apsp_snapshot_map_new(const struct apsp_store_hooks *hooks,
	struct apsp_snapshot_map **out, struct apsp_err *err)
{
	struct apsp_snapshot_map *map = calloc(1, sizeof(*map));
	int r;

	if (!map)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the graphs");
	if (getrandom(&map->stamp, sizeof(map->stamp), 0) < 0) {
		r = apsp_fail_errno(err, errno, "a random number");
		free(map);
		return r;
	}
	pthread_mutex_init(&map->lock, NULL);
	map->hooks = hooks;
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

/* Find the index of the name. If the map does not have the name, *out_found is
   false, and the result is the index at which to insert the name. The caller
   holds the lock. */
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

int apsp_snapshot_map_missing(const char *name, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOGRAPH, "there is no graph '%s'", name);
}

int apsp_snapshot_map_find(struct apsp_snapshot_map *map, const char *name,
	const struct apsp_graph_snapshot **out, struct apsp_err *err)
{
	struct apsp_err unreadable = {0};
	bool found;
	size_t i;

	pthread_mutex_lock(&map->lock);
	i = place_find(map, name, &found);
	if (found && map->snapshots[i]->unreadable.code)
		unreadable = map->snapshots[i]->unreadable;
	else if (found)
		*out = apsp_graph_snapshot_ref(map->snapshots[i]);
	pthread_mutex_unlock(&map->lock);
	if (!found)
		return apsp_snapshot_map_missing(name, err);
	if (unreadable.code && err)
		*err = unreadable;
	return unreadable.code;
}

bool apsp_snapshot_map_has(struct apsp_snapshot_map *map, const char *name)
{
	bool found;

	pthread_mutex_lock(&map->lock);
	place_find(map, name, &found);
	pthread_mutex_unlock(&map->lock);
	return found;
}

const struct apsp_graph_snapshot *apsp_snapshot_map_get(
	struct apsp_snapshot_map *map, const char *name)
{
	const struct apsp_graph_snapshot *snapshot = NULL;

	apsp_snapshot_map_find(map, name, &snapshot, NULL);
	return snapshot;
}

/* Return the number of places in a snapshot at which trouble_at() looks for a
   trouble: one for the graph, and two for each profile. */
static size_t n_places(const struct apsp_graph_snapshot *snapshot)
{
	size_t n = 1;

	for (size_t i = 0; snapshot && i < snapshot->n_live; i++)
		n += 2 * snapshot->live[i].n_profiles;
	return snapshot ? n : 0;
}

/* Read the trouble (snapshot_map.h) at place i of a snapshot. Returns false if
   place i has no trouble. */
static bool trouble_at(const struct apsp_graph_snapshot *snapshot, size_t i,
	struct apsp_err *out)
{
	const struct apsp_generation *generation = snapshot->live;
	const struct apsp_profile_snapshot *profile;

	*out = snapshot->unreadable;
	/* place 0 is the graph itself. A lost graph (APSP_ENOGRAPH) is no
	   trouble of this daemon: the daemon that it follows cannot read the
	   graph's rows */
	if (i == 0)
		return out->code && out->code != APSP_ENOGRAPH;
	for (i--; i / 2 >= generation->n_profiles; generation++)
		i -= 2 * generation->n_profiles;
	profile = &generation->profiles[i / 2];
	if (i % 2 == 0 && profile->unreadable.code)
		apsp_fail(out, profile->unreadable.code,
			"the profile '%s' of graph '%s' cannot be read; define "
			"it again or delete it: %s",
			profile->name, snapshot->name,
			profile->unreadable.message);
	else if (i % 2 == 0 && profile->job_error.code == APSP_EROW)
		apsp_fail(out, APSP_EROW,
			"the tables of '%s' with the profile '%s' cannot be "
			"computed: %s",
			snapshot->name, profile->name,
			profile->job_error.message);
	else if (i % 2 == 1 && profile->tables_trouble.code)
		apsp_fail(out, profile->tables_trouble.code,
			"the tables of '%s' with the profile '%s' cannot be "
			"used: %s",
			snapshot->name, profile->name,
			profile->tables_trouble.message);
	return out->code != 0;
}

size_t apsp_snapshot_map_troubles(
	struct apsp_snapshot_map *map, struct apsp_err *out, size_t max)
{
	struct apsp_err trouble;
	size_t n = 0;

	pthread_mutex_lock(&map->lock);
	for (size_t g = 0; g < map->n; g++)
		for (size_t i = 0; i < n_places(map->snapshots[g]); i++) {
			if (!trouble_at(map->snapshots[g], i, &trouble))
				continue;
			if (n < max)
				out[n] = trouble;
			n++;
		}
	pthread_mutex_unlock(&map->lock);
	return n;
}

static bool has_trouble(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_err *trouble)
{
	struct apsp_err other;

	for (size_t i = 0; i < n_places(snapshot); i++)
		if (trouble_at(snapshot, i, &other) &&
			strcmp(other.message, trouble->message) == 0)
			return true;
	return false;
}

uint64_t apsp_snapshot_map_stamp(struct apsp_snapshot_map *map)
{
	uint64_t stamp;

	pthread_mutex_lock(&map->lock);
	stamp = map->stamp;
	pthread_mutex_unlock(&map->lock);
	return stamp;
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

	/* reading n and capacity without the lock is safe, because only the
	   writer thread changes them, and this is the writer thread */
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
	struct apsp_err trouble;
	size_t behind;
	bool found;

	pthread_mutex_lock(&map->lock);
	map->stamp++;
	if (snapshot) /* writing to the snapshot is safe, because no other
			 thread has it yet */
		((struct apsp_graph_snapshot *)(uintptr_t)snapshot)->stamp =
			map->stamp;
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
	/* reading the snapshot without the lock is safe, because only the
	   writer thread replaces it, and this is the writer thread */
	for (size_t i = 0; map->hooks->trouble && i < n_places(snapshot); i++)
		if (trouble_at(snapshot, i, &trouble) &&
			!has_trouble(old, &trouble))
			map->hooks->trouble(map->hooks->ctx, trouble.message);
	if (map->hooks->graphs_changed)
		map->hooks->graphs_changed(map->hooks->ctx);
	/* drop the reference without the lock, because dropping the last
	   reference may unmap files */
	apsp_graph_snapshot_unref(old);
}
