/*
 * Rows on demand; see row_cache.h. One lock protects everything. Readers of
 * rows need no lock: they look rows up in storage/tables/demand_rows, and a row
 * stays in memory as long as it is held.
 */
#include "storage/rows/row_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/base/size.h"
#include "storage/tables/demand_rows.h"

enum row_state {
	ROW_WANTED,
	ROW_TAKEN, /* it is being computed */
	ROW_READY,
	ROW_FAILED, /* the row could not be computed; the next request that
		       wants this row gets the error */
};

/*
 * The rows of one vertex, in the state `state`. The list `wanted` has the rows
 * in the state ROW_WANTED, the oldest first. The list `ready` has the rows in
 * the states ROW_READY and ROW_FAILED, the least recently used first. Rows in
 * the state ROW_TAKEN are in no list.
 */
struct row {
	struct apsp_demand_row base; /* first, so that demand_rows finds it */
	struct apsp_tables *tables;  /* while the row is wanted or taken, it has
					a reference to these tables */
	enum apsp_demand demand;
	uint32_t vertex;
	enum row_state state;
	uint32_t n_holds;
	size_t size;
	struct apsp_err why; /* of ROW_FAILED */
	struct row *next, *before;
};

struct list {
	struct row *first, *last;
};

struct apsp_row_cache {
	struct apsp_row_cache_config config;
	pthread_mutex_t lock;
	struct list wanted;
	struct list ready;
	uint64_t held_bytes; /* bytes that all rows of all holds need */
	struct apsp_row_cache_counts counts;
};

struct apsp_row_hold {
	struct apsp_row_cache *cache;
	struct apsp_tables *tables; /* counted */
	uint64_t bytes; /* bytes that all rows of this hold need, including rows
			   that are not ready yet */
	struct row **rows;
	size_t n;
	size_t capacity;
	/* What the last call asked for: the kind of rows, for each row whether
	   the request holds it already, and the number of rows. */
	enum apsp_demand demand;
	bool *is_held;
	size_t n_asked;
};

/* Rows that are freed after the lock is released. */
struct garbage {
	struct row *rows;
};

static void list_add(struct list *list, struct row *row)
{
	row->next = NULL;
	row->before = list->last;
	if (list->last)
		list->last->next = row;
	else
		list->first = row;
	list->last = row;
}

static void list_remove(struct list *list, struct row *row)
{
	if (row->before)
		row->before->next = row->next;
	else
		list->first = row->next;
	if (row->next)
		row->next->before = row->before;
	else
		list->last = row->before;
}

static void row_free(struct row *row)
{
	free((void *)(uintptr_t)atomic_load(&row->base.bytes));
	free(row);
}

static void garbage_done(struct garbage *garbage)
{
	struct row *next;

	for (struct row *row = garbage->rows; row; row = next) {
		next = row->next;
		row_free(row);
	}
}

int apsp_row_cache_new(const struct apsp_row_cache_config *config,
	struct apsp_row_cache **out, struct apsp_err *err)
{
	struct apsp_row_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	cache->config = *config;
	cache->counts.limit_bytes = config->limit_bytes;
	pthread_mutex_init(&cache->lock, NULL);
	*out = cache;
	return 0;
}

void apsp_row_cache_free(struct apsp_row_cache *cache)
{
	struct row *row;

	if (!cache)
		return;
	while ((row = cache->wanted.first)) {
		list_remove(&cache->wanted, row);
		atomic_store(&row->tables->demand->of[row->demand][row->vertex],
			NULL);
		apsp_tables_unref(row->tables);
		row_free(row);
	}
	while ((row = cache->ready.first)) {
		list_remove(&cache->ready, row);
		row->tables->demand->drop = NULL;
		atomic_store(&row->tables->demand->of[row->demand][row->vertex],
			NULL);
		row_free(row);
	}
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* Free the rows of tables that are being closed. Nobody holds or wants these
   rows, because every hold and every wanted row has a reference to its
   tables. */
static void tables_drop(struct apsp_demand_rows *rows)
{
	struct apsp_row_cache *cache = rows->keeper;
	struct garbage garbage = {NULL};
	struct row *next;

	pthread_mutex_lock(&cache->lock);
	for (struct row *row = cache->ready.first; row; row = next) {
		next = row->next;
		if (row->tables->demand != rows)
			continue;
		list_remove(&cache->ready, row);
		cache->counts.bytes -= row->size;
		row->next = garbage.rows;
		garbage.rows = row;
	}
	pthread_mutex_unlock(&cache->lock);
	garbage_done(&garbage);
}

/* With the lock held: forget `row`, which is in the list `ready`. Nobody may
   hold this row. */
static void row_evict(
	struct apsp_row_cache *cache, struct row *row, struct garbage *garbage)
{
	list_remove(&cache->ready, row);
	cache->counts.bytes -= row->size;
	atomic_store_explicit(
		&row->tables->demand->of[row->demand][row->vertex], NULL,
		memory_order_release);
	row->next = garbage->rows;
	garbage->rows = row;
}

/* With the lock held: make room for `size` more bytes. False: the rows that are
   held, wanted or being computed do not leave so much room. */
static bool room_make(
	struct apsp_row_cache *cache, size_t size, struct garbage *garbage)
{
	struct row *next;

	for (struct row *row = cache->ready.first;
		row && cache->counts.bytes + size > cache->config.limit_bytes;
		row = next) {
		next = row->next;
		if (row->n_holds == 0)
			row_evict(cache, row, garbage);
	}
	return cache->counts.bytes + size <= cache->config.limit_bytes;
}

/* With the lock held: add a row to the list of wanted rows. APSP_EBUSY: too
   many rows are wanted, or other rows take the room and cannot be evicted.
   APSP_ENOMEM. */
static int row_want(struct apsp_row_cache *cache, struct apsp_tables *tables,
	enum apsp_demand demand, uint32_t vertex, struct garbage *garbage,
	struct apsp_err *err)
{
	size_t size = apsp_demand_bytes(&tables->header, demand);
	struct row *row;

	if (cache->counts.wanted >= cache->config.max_wanted ||
		!room_make(cache, size, garbage))
		return apsp_fail(err, APSP_EBUSY,
			"%u rows of graphs without tables are being computed; "
			"ask again later",
			cache->counts.wanted);
	row = calloc(1, sizeof(*row));
	if (!row)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a row");
	row->tables = apsp_tables_ref(tables);
	row->demand = demand;
	row->vertex = vertex;
	row->size = size;
	row->state = ROW_WANTED;
	list_add(&cache->wanted, row);
	cache->counts.bytes += size;
	cache->counts.wanted++;
	atomic_store_explicit(&tables->demand->of[demand][vertex], &row->base,
		memory_order_release);
	return 0;
}

/* With the lock held: forget a row that could not be computed, and fail with
   the row's error. */
static int row_fail(struct apsp_row_cache *cache, struct row *row,
	struct garbage *garbage, struct apsp_err *err)
{
	*err = row->why;
	row_evict(cache, row, garbage);
	return err->code;
}

/*
 * With the lock held: hold the row of `vertex`, row i of the call, if this row
 * is ready. If nobody has wanted the row yet, want it. Returns 1 if the row is
 * held, 0 if it is not ready yet. Fails with the row's error, or as row_want()
 * does.
 */
static int row_hold(struct apsp_row_hold *hold, size_t i, uint32_t vertex,
	struct garbage *garbage, struct apsp_err *err)
{
	struct apsp_row_cache *cache = hold->cache;
	struct row *row = (struct row *)atomic_load_explicit(
		&hold->tables->demand->of[hold->demand][vertex],
		memory_order_relaxed);

	if (hold->is_held[i])
		return 1;
	if (!row)
		return row_want(cache, hold->tables, hold->demand, vertex,
			garbage, err);
	if (row->state == ROW_FAILED)
		return row_fail(cache, row, garbage, err);
	if (row->state != ROW_READY)
		return 0;
	/* keep the least recently used rows first in the list */
	list_remove(&cache->ready, row);
	list_add(&cache->ready, row);
	row->n_holds++;
	hold->rows[hold->n++] = row;
	hold->is_held[i] = true;
	return 1;
}

static int hold_open(struct apsp_row_cache *cache, struct apsp_tables *tables,
	struct apsp_row_hold **out, struct apsp_err *err)
{
	struct apsp_row_hold *hold = calloc(1, sizeof(*hold));

	if (!hold)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	hold->cache = cache;
	hold->tables = apsp_tables_ref(tables);
	*out = hold;
	return 0;
}

/* With the lock held: add `bytes` to the bytes that the hold needs.
   APSP_ETOOLARGE: the hold would need more than half of the cache. APSP_EBUSY:
   all holds together would need more than the cache. */
static int room_reserve(
	struct apsp_row_hold *hold, uint64_t bytes, struct apsp_err *err)
{
	struct apsp_row_cache *cache = hold->cache;
	uint64_t limit = cache->config.limit_bytes;
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];

	apsp_sizes_format(bytes, limit / 2, need, have);
	if (hold->bytes + bytes > limit / 2)
		return apsp_fail(err, APSP_ETOOLARGE,
			"this graph has no tables, and the rows that the "
			"question needs take %s of %s; ask about fewer "
			"vertices, or start apspd with a larger --row-cache",
			need, have);
	if (cache->held_bytes + bytes > limit)
		return apsp_fail(err, APSP_EBUSY,
			"other questions use the memory of rows "
			"(--row-cache); ask again later");
	hold->bytes += bytes;
	cache->held_bytes += bytes;
	return 0;
}

/* Prepare the hold for n rows of the kind `demand`, unless the last call has
   prepared it for as many rows of this kind. */
static int hold_prepare(struct apsp_row_hold *hold, enum apsp_demand demand,
	size_t n, struct apsp_err *err)
{
	static const struct apsp_array_growth growth = {
		sizeof(struct row *), 16, "rows", NULL};
	uint64_t bytes = apsp_demand_bytes(&hold->tables->header, demand);
	int r;

	if (hold->is_held && hold->demand == demand && hold->n_asked == n)
		return 0;
	pthread_mutex_lock(&hold->cache->lock);
	r = room_reserve(hold, n * bytes, err);
	pthread_mutex_unlock(&hold->cache->lock);
	if (r == 0)
		r = apsp_array_reserve(&hold->rows, hold->n + n,
			&hold->capacity, &growth, err);
	if (r < 0)
		return r;
	free(hold->is_held);
	hold->is_held = calloc(n + 1, sizeof(*hold->is_held));
	if (!hold->is_held)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	hold->demand = demand;
	hold->n_asked = n;
	return 0;
}

/* With the lock held: hold the rows that are ready, and want the others. If
   there is no room to want all of them, a later call wants the rest. Returns 1
   if all rows are held, otherwise 0. */
static int rows_hold(struct apsp_row_hold *hold, const uint32_t *vertices,
	struct garbage *garbage, struct apsp_err *err)
{
	int r = 0, all = 1;

	for (size_t i = 0; i < hold->n_asked; i++) {
		r = row_hold(hold, i, vertices ? vertices[i] : (uint32_t)i,
			garbage, err);
		if (r == APSP_EBUSY && i > 0)
			return 0;
		if (r < 0)
			return r;
		all &= r;
	}
	return all;
}

int apsp_row_cache_hold(struct apsp_row_cache *cache,
	struct apsp_tables *tables, enum apsp_demand demand,
	const uint32_t *vertices, size_t n, struct apsp_row_hold **hold,
	struct apsp_err *err)
{
	struct garbage garbage = {NULL};
	bool is_new = !*hold, wakes;
	uint32_t wanted;
	int r = is_new ? hold_open(cache, tables, hold, err) : 0;

	if (r >= 0)
		r = hold_prepare(*hold, demand, n, err);
	if (r < 0)
		return r;
	pthread_mutex_lock(&cache->lock);
	wanted = cache->counts.wanted;
	tables->demand->keeper = cache;
	tables->demand->drop = tables_drop;
	r = rows_hold(*hold, vertices, &garbage, err);
	wakes = cache->counts.wanted > wanted;
	cache->counts.reused += is_new ? (*hold)->n : 0;
	pthread_mutex_unlock(&cache->lock);
	garbage_done(&garbage);
	if (wakes && cache->config.wanted)
		cache->config.wanted(cache->config.ctx);
	return r;
}

void apsp_row_hold_close(struct apsp_row_hold *hold)
{
	if (!hold)
		return;
	pthread_mutex_lock(&hold->cache->lock);
	for (size_t i = 0; i < hold->n; i++)
		hold->rows[i]->n_holds--;
	hold->cache->held_bytes -= hold->bytes;
	pthread_mutex_unlock(&hold->cache->lock);
	apsp_tables_unref(hold->tables);
	free(hold->rows);
	free(hold->is_held);
	free(hold);
}

const struct apsp_tables *apsp_row_hold_tables(const struct apsp_row_hold *hold)
{
	return hold->tables;
}

/* With the lock held: move wanted rows to the batch: the first wanted row, and
   other rows of the same tables and the same kind. */
static void rows_take(struct apsp_row_cache *cache, struct apsp_row_batch *out)
{
	const struct row *first = cache->wanted.first;
	struct row *next;

	for (struct row *row = cache->wanted.first;
		row && out->n < APSP_ROW_BATCH_MAX; row = next) {
		next = row->next;
		if (row->tables != first->tables ||
			row->demand != first->demand)
			continue;
		list_remove(&cache->wanted, row);
		row->state = ROW_TAKEN;
		out->vertices[out->n] = row->vertex;
		out->rows[out->n++] = row;
	}
}

bool apsp_row_cache_take(
	struct apsp_row_cache *cache, struct apsp_row_batch *out)
{
	const struct apsp_tables *tables;
	const struct row *first;

	out->n = 0;
	pthread_mutex_lock(&cache->lock);
	rows_take(cache, out);
	pthread_mutex_unlock(&cache->lock);
	if (out->n == 0)
		return false;
	first = out->rows[0];
	tables = first->tables;
	snprintf(out->path, sizeof(out->path), "%s", tables->path);
	snprintf(out->tables, sizeof(out->tables), "%s", tables->id);
	out->file_bytes = tables->header.file_size;
	out->demand = first->demand;
	out->row_bytes = first->size;
	out->most_bytes = 0;
	for (int d = 0; d < APSP_N_DEMANDS; d++) {
		size_t bytes = apsp_demand_bytes(&tables->header, d);

		if (bytes > out->most_bytes)
			out->most_bytes = bytes;
	}
	return true;
}

void apsp_row_cache_give(struct apsp_row_cache *cache,
	struct apsp_row_batch *batch, uint32_t i, unsigned char *bytes,
	const struct apsp_err *why)
{
	struct row *row = batch->rows[i];
	struct apsp_tables *tables = row->tables;

	batch->rows[i] = NULL;
	if (!bytes && why->code == APSP_EDAMAGED)
		apsp_tables_condemn(tables, why->message, NULL);
	pthread_mutex_lock(&cache->lock);
	atomic_store_explicit(&row->base.bytes, bytes, memory_order_release);
	row->state = bytes ? ROW_READY : ROW_FAILED;
	if (!bytes)
		row->why = *why;
	list_add(&cache->ready, row);
	cache->counts.wanted--;
	cache->counts.computed += bytes != NULL;
	pthread_mutex_unlock(&cache->lock);
	apsp_tables_unref(tables);
}

void apsp_row_cache_count(
	struct apsp_row_cache *cache, struct apsp_row_cache_counts *out)
{
	pthread_mutex_lock(&cache->lock);
	*out = cache->counts;
	pthread_mutex_unlock(&cache->lock);
}
