/*
 * Shared adjacencies; see adjacency_cache.h. The lock of the cache guards the
 * list of entries, the number of bytes of all entries, and the number of users
 * of each entry. Each entry has a lock of its own, which a thread holds for one
 * step of loading the entry.
 */
#include "storage/search/adjacency_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/size.h"

enum {
	ID_SIZE = 40,
};

struct apsp_shared_adjacency {
	struct apsp_adjacency_cache *cache;
	char id[ID_SIZE]; /* id of the tables */
	uint64_t bytes;

	/* guarded by the cache's lock */
	struct apsp_shared_adjacency *next;
	unsigned int n_users;
	uint64_t used_at; /* value of the cache's counter `n_uses` at the last
			     use */
	bool failed; /* loading has failed, so the last user will remove the
			entry */

	pthread_mutex_t loading; /* guards `build` until `ready` is set */
	struct apsp_adjacency_build build;
	atomic_bool ready;
};

struct apsp_adjacency_cache {
	uint64_t limit_bytes;
	pthread_mutex_t lock; /* guards the members below */
	struct apsp_shared_adjacency *first;
	uint64_t bytes; /* bytes of all entries */
	uint64_t n_uses;
};

int apsp_adjacency_cache_new(uint64_t limit_bytes,
	struct apsp_adjacency_cache **out, struct apsp_err *err)
{
	struct apsp_adjacency_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return apsp_fail(err, APSP_ENOMEM, "no memory for searches");
	cache->limit_bytes = limit_bytes;
	pthread_mutex_init(&cache->lock, NULL);
	*out = cache;
	return 0;
}

static void shared_free(struct apsp_shared_adjacency *shared)
{
	if (!shared)
		return;
	apsp_adjacency_done(&shared->build.made);
	pthread_mutex_destroy(&shared->loading);
	free(shared);
}

APSP_AUTO_DEFINE(shared_end, struct apsp_shared_adjacency, shared_free);

void apsp_adjacency_cache_free(struct apsp_adjacency_cache *cache)
{
	struct apsp_shared_adjacency *next;

	if (!cache)
		return;
	for (struct apsp_shared_adjacency *at = cache->first; at; at = next) {
		next = at->next;
		shared_free(at);
	}
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* With the lock held: remove an entry from the list. */
static void unlink_entry(struct apsp_shared_adjacency *shared)
{
	struct apsp_adjacency_cache *cache = shared->cache;
	struct apsp_shared_adjacency **at = &cache->first;

	while (*at != shared)
		at = &(*at)->next;
	*at = shared->next;
	cache->bytes -= shared->bytes;
}

/* With the lock held: find the entry that has been unused for the longest
   time. */
static struct apsp_shared_adjacency *oldest_unused(
	const struct apsp_adjacency_cache *cache)
{
	struct apsp_shared_adjacency *oldest = NULL;

	for (struct apsp_shared_adjacency *at = cache->first; at; at = at->next)
		if (at->n_users == 0 &&
			(!oldest || at->used_at < oldest->used_at))
			oldest = at;
	return oldest;
}

/* With the lock held: find the entry of the tables with this id, and count one
   more user. NULL: there is no such entry. */
static struct apsp_shared_adjacency *use(
	struct apsp_adjacency_cache *cache, const char *id)
{
	struct apsp_shared_adjacency *at = cache->first;

	while (at && (at->failed || strcmp(at->id, id) != 0))
		at = at->next;
	if (!at)
		return NULL;
	at->n_users++;
	at->used_at = ++cache->n_uses;
	return at;
}

/*
 * Add a new entry, or find the entry that another thread has added meanwhile.
 * Moves the entries that were evicted to the list *out_dropped. Returns NULL if
 * the cache is full.
 */
static struct apsp_shared_adjacency *enter(struct apsp_adjacency_cache *cache,
	struct apsp_shared_adjacency **fresh,
	struct apsp_shared_adjacency **out_dropped)
{
	struct apsp_shared_adjacency *found, *old;

	pthread_mutex_lock(&cache->lock);
	found = use(cache, (*fresh)->id);
	while (!found && cache->bytes + (*fresh)->bytes > cache->limit_bytes &&
		(old = oldest_unused(cache))) {
		unlink_entry(old);
		old->next = *out_dropped;
		*out_dropped = old;
	}
	if (!found && cache->bytes + (*fresh)->bytes <= cache->limit_bytes) {
		found = APSP_TAKE(*fresh);
		found->next = cache->first;
		cache->first = found;
		cache->bytes += found->bytes;
		found->n_users = 1;
		found->used_at = ++cache->n_uses;
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

int apsp_adjacency_cache_open(struct apsp_adjacency_cache *cache,
	const struct apsp_tables *tables, struct apsp_shared_adjacency **out,
	struct apsp_err *err)
{
	APSP_AUTO(shared_end) struct apsp_shared_adjacency *fresh = NULL;
	struct apsp_shared_adjacency *dropped = NULL, *next;
	uint64_t bytes = apsp_adjacency_bytes(&tables->header);
	char size[APSP_SIZE_TEXT_SIZE], limit[APSP_SIZE_TEXT_SIZE];

	pthread_mutex_lock(&cache->lock);
	*out = use(cache, tables->id);
	pthread_mutex_unlock(&cache->lock);
	if (*out)
		return 0;
	apsp_sizes_format(bytes, cache->limit_bytes, size, limit);
	if (bytes > cache->limit_bytes)
		return apsp_fail(err, APSP_ENOMEM,
			"the graph's arcs take %s of memory; searches may use"
			" %s (--arc-memory)",
			size, limit);
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return apsp_fail(err, APSP_ENOMEM, "no memory for searches");
	fresh->cache = cache;
	fresh->bytes = bytes;
	snprintf(fresh->id, sizeof(fresh->id), "%s", tables->id);
	pthread_mutex_init(&fresh->loading, NULL);
	*out = enter(cache, &fresh, &dropped);
	for (; dropped; dropped = next) {
		next = dropped->next;
		shared_free(dropped);
	}
	if (!*out)
		return apsp_fail(err, APSP_EBUSY,
			"the graph's arcs take %s of memory, and searches of"
			" other graphs use too much of %s (--arc-memory)",
			size, limit);
	return 0;
}

void apsp_adjacency_cache_close(struct apsp_shared_adjacency *shared)
{
	struct apsp_adjacency_cache *cache;
	bool forget;

	if (!shared)
		return;
	cache = shared->cache;
	pthread_mutex_lock(&cache->lock);
	forget = --shared->n_users == 0 && shared->failed;
	if (forget)
		unlink_entry(shared);
	pthread_mutex_unlock(&cache->lock);
	if (forget)
		shared_free(shared);
}

int apsp_adjacency_cache_load(struct apsp_shared_adjacency *shared,
	struct apsp_tables *tables, struct apsp_err *err)
{
	int r;

	if (atomic_load(&shared->ready))
		return 0;
	pthread_mutex_lock(&shared->loading);
	/* if another thread has just done the last step, this call returns 0
	   immediately */
	r = apsp_adjacency_step(&shared->build, tables, err);
	if (r == 0)
		atomic_store(&shared->ready, true);
	pthread_mutex_unlock(&shared->loading);
	if (r < 0) {
		pthread_mutex_lock(&shared->cache->lock);
		shared->failed = true;
		pthread_mutex_unlock(&shared->cache->lock);
	}
	return r;
}

const struct apsp_adjacency *apsp_adjacency_cache_arcs(
	struct apsp_shared_adjacency *shared)
{
	return atomic_load(&shared->ready) ? &shared->build.made : NULL;
}

uint64_t apsp_adjacency_cache_bytes(
	struct apsp_adjacency_cache *cache, uint64_t *out_limit)
{
	uint64_t bytes;

	pthread_mutex_lock(&cache->lock);
	bytes = cache->bytes;
	pthread_mutex_unlock(&cache->lock);
	*out_limit = cache->limit_bytes;
	return bytes;
}
