/*
 * Keeps rows that are computed on demand; see row_cache.h. One lock protects
 * everything. Code that reads a row needs no lock: it finds the row through the
 * row's tables (struct apsp_demand_rows), and the row stays in memory as long
 * as a request holds it.
 */
#include "storage/rows/row_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/budget.h"
#include "daemon/base/checksum.h"
#include "daemon/base/size.h"
#include "storage/tables/tables.h"

enum {
	/* A request awaits at most about config.max_wanted / WANTED_PART rows
	   at a time, so that places are left for the wanted rows of other
	   requests. */
	WANTED_PART = 4,
};

enum row_state {
	ROW_WANTED, /* in the list `wanted` */
	ROW_TAKEN,  /* the row is being computed, and is in no list */
	ROW_READY,  /* in the list `ready` */
	ROW_FAILED, /* the row could not be computed; it is in no list, and only
		       the requests that hold it can reach it */
};

/* One row: the values of one kind for one vertex. */
struct row {
	struct apsp_demand_row base; /* must be the first member, so that a
					pointer to it (tables.h) can be cast to
					a pointer to the row */
	struct apsp_tables
		*tables; /* the tables of the row. In the states ROW_WANTED and
			    ROW_TAKEN, the row has a reference to its tables */
	enum apsp_demand demand;
	uint32_t vertex;
	enum row_state state;
	uint32_t n_holds; /* number of holds (struct apsp_row_hold) that have or
			     await this row */
	size_t size;	  /* bytes of memory that the row takes */
	struct apsp_err why; /* the error, in the state ROW_FAILED */
	struct row *next, *before;
};

struct list {
	struct row *first, *last;
};

struct apsp_row_cache {
	struct apsp_row_cache_config config;
	pthread_mutex_t lock;
	struct apsp_budget *holds; /* budget for the memory of the rows that
				      requests hold */
	struct list wanted;	   /* rows in the state ROW_WANTED, the oldest
				      first */
	struct list ready; /* rows in the state ROW_READY, the least recently
			      used first */
	struct apsp_row_cache_counts counts;
	bool stopping; /* no request waits for rows any more */
};

/* The rows of one kind that the last call of apsp_row_cache_hold() asked
   for. */
struct asked {
	/* the number of vertices that the call asked for */
	size_t n_vertices;
	uint64_t checksum; /* checksum of the array of vertices that was passed
			      to the call; 0: the array was NULL */
	/* The vertices in ascending order, each of them once, and their rows. A
	   row is NULL if the cache has not had a place for it yet. */
	uint32_t *vertices;
	struct row **rows;
	size_t n;
	uint64_t bytes; /* memory in bytes that is reserved for these rows,
			   whether they are ready or not */
};

struct apsp_row_hold {
	struct apsp_row_cache *cache;
	struct apsp_tables
		*tables; /* the tables of the rows; an owned reference */
	struct apsp_share share; /* the part of the budget `holds` that this
				    request uses */
	struct asked asked[APSP_N_DEMANDS];
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

static size_t row_size(
	const struct apsp_tables *tables, enum apsp_demand demand)
{
	return sizeof(struct row) + apsp_demand_bytes(&tables->header, demand);
}

static void row_free(struct row *row)
{
	if (row->state == ROW_WANTED)
		apsp_tables_unref(row->tables);
	free((void *)(uintptr_t)atomic_load(&row->base.bytes));
	free(row);
}

static void garbage_add(struct garbage *garbage, struct row *row)
{
	row->next = garbage->rows;
	garbage->rows = row;
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
	const struct apsp_budget_limits limits = {.who = "question",
		.max_shares = UINT32_MAX,
		.max_memory_bytes = config->limit_bytes,
		.max_one_memory_bytes = config->limit_bytes / 2};
	struct apsp_row_cache *cache = calloc(1, sizeof(*cache));
	int r = cache ? apsp_budget_new(NULL, &limits, &cache->holds, err)
		      : apsp_fail(err, APSP_ENOMEM, "no memory for rows");

	if (r < 0) {
		free(cache);
		return r;
	}
	cache->config = *config;
	cache->counts.limit_bytes = config->limit_bytes;
	pthread_mutex_init(&cache->lock, NULL);
	*out = cache;
	return 0;
}

void apsp_row_cache_free(struct apsp_row_cache *cache)
{
	if (!cache)
		return;
	apsp_budget_free(cache->holds);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* With the lock held: remove `row` from its tables, and count its memory as
   free. The caller frees the row. */
static void row_forget(struct apsp_row_cache *cache, struct row *row)
{
	cache->counts.bytes -= row->size;
	atomic_store_explicit(
		&row->tables->demand->of[row->demand][row->vertex], NULL,
		memory_order_release);
}

/* Free the rows of tables that are being closed. Tables are closed when nothing
   refers to them any longer. A hold refers to its tables, and so does a row
   that is wanted or being computed. So all rows of the closed tables are in the
   list `ready`, and no request holds them. */
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
		row_forget(cache, row);
		garbage_add(&garbage, row);
	}
	pthread_mutex_unlock(&cache->lock);
	garbage_done(&garbage);
	if (cache->config.changed)
		cache->config.changed(cache->config.ctx);
}

/* With the lock held: evict ready rows that no request holds, until `size`
   bytes are free. False: too little memory is free even after all of these rows
   were evicted. */
static bool room_make(
	struct apsp_row_cache *cache, size_t size, struct garbage *garbage)
{
	uint64_t limit = cache->config.limit_bytes;
	struct row *next;

	for (struct row *row = cache->ready.first;
		row && cache->counts.bytes + size > limit; row = next) {
		next = row->next;
		if (row->n_holds > 0)
			continue;
		list_remove(&cache->ready, row);
		row_forget(cache, row);
		garbage_add(garbage, row);
	}
	return cache->counts.bytes + size <= limit;
}

/* With the lock held: add a row to the wanted rows. NULL: too many rows are
   wanted, or there is no memory for one more. */
static struct row *row_want(struct apsp_row_cache *cache,
	struct apsp_tables *tables, enum apsp_demand demand, uint32_t vertex,
	struct garbage *garbage)
{
	size_t size = row_size(tables, demand);
	struct row *row;

	if (cache->counts.wanted >= cache->config.max_wanted ||
		!room_make(cache, size, garbage))
		return NULL;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
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
	return row;
}

/* With the lock held: let the request hold the row of a vertex. If the cache
   does not have this row, add it to the wanted rows. NULL: the row could not be
   added (row_want()). */
static struct row *row_get(struct apsp_row_hold *hold, enum apsp_demand demand,
	uint32_t vertex, struct garbage *garbage)
{
	struct apsp_row_cache *cache = hold->cache;
	struct row *row = (struct row *)atomic_load_explicit(
		&hold->tables->demand->of[demand][vertex],
		memory_order_relaxed);

	if (!row)
		row = row_want(cache, hold->tables, demand, vertex, garbage);
	if (!row)
		return NULL;
	row->n_holds++;
	if (row->state == ROW_READY) {
		/* move the row to the end of the list, so that the least
		   recently used rows stay first */
		list_remove(&cache->ready, row);
		list_add(&cache->ready, row);
		cache->counts.reused++;
	}
	return row;
}

/*
 * With the lock held: let a request hold all rows that it asked for. If a row
 * is not in the cache, and there is no place for one more wanted row now, a
 * later call adds it. Returns 1 if all rows are ready, and 0 if some are not.
 * If a row could not be computed, fails with that row's error. APSP_ESTOPPING:
 * some row is not ready, and the daemon is stopping.
 */
static int rows_get(struct apsp_row_hold *hold, enum apsp_demand demand,
	struct garbage *garbage, struct apsp_err *err)
{
	struct asked *asked = &hold->asked[demand];
	uint32_t most = hold->cache->config.max_wanted / WANTED_PART;
	uint32_t n_awaited = 0;

	for (size_t i = 0; i < asked->n; i++) {
		struct row *row = asked->rows[i];

		if (!row && n_awaited <= most)
			row = asked->rows[i] = row_get(
				hold, demand, asked->vertices[i], garbage);
		if (hold->cache->stopping && (!row || row->state != ROW_READY))
			return apsp_fail(
				err, APSP_ESTOPPING, "the daemon is stopping");
		if (row && row->state == ROW_FAILED) {
			*err = row->why;
			return err->code;
		}
		n_awaited += !row || row->state != ROW_READY;
	}
	return n_awaited == 0;
}

/* With the lock held: let a request release `row`. If no request holds the row
   afterwards, the row is freed, unless it is ready or is being computed. */
static void row_let_go(
	struct apsp_row_cache *cache, struct row *row, struct garbage *garbage)
{
	if (--row->n_holds > 0)
		return;
	if (row->state == ROW_WANTED) {
		list_remove(&cache->wanted, row);
		cache->counts.wanted--;
		row_forget(cache, row);
	}
	if (row->state == ROW_WANTED || row->state == ROW_FAILED)
		garbage_add(garbage, row);
}

static void asked_done(struct apsp_row_hold *hold, struct asked *asked)
{
	struct garbage garbage = {NULL};

	pthread_mutex_lock(&hold->cache->lock);
	for (size_t i = 0; asked->rows && i < asked->n; i++)
		if (asked->rows[i])
			row_let_go(hold->cache, asked->rows[i], &garbage);
	pthread_mutex_unlock(&hold->cache->lock);
	garbage_done(&garbage);
	apsp_share_shrink(&hold->share, asked->bytes);
	free(asked->vertices);
	free(asked->rows);
	*asked = (struct asked){0};
}

/* Reserve the memory for all rows of `asked` in one call. If requests reserved
   memory row by row, two waiting requests could block each other. */
static int room_reserve(
	struct apsp_row_hold *hold, struct asked *asked, struct apsp_err *err)
{
	enum apsp_demand demand = (enum apsp_demand)(asked - hold->asked);
	uint64_t limit = hold->cache->config.limit_bytes, others = 0;
	uint64_t bytes = asked->n * row_size(hold->tables, demand);
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	int r;

	for (int d = 0; d < APSP_N_DEMANDS; d++)
		others += hold->asked[d].bytes;
	apsp_sizes_format(others + bytes, limit / 2, need, have);
	if (others + bytes > limit / 2)
		return apsp_fail(err, APSP_ETOOLARGE,
			"this graph has no tables, and the rows that the "
			"question needs take %s of %s; ask about fewer "
			"vertices, or start apspd with a larger --row-cache",
			need, have);
	r = apsp_share_grow(&hold->share, bytes, "rows", NULL);
	if (r == APSP_EBUSY)
		return apsp_fail(err, APSP_EBUSY,
			"other questions use the memory of rows "
			"(--row-cache); ask again later");
	if (r < 0)
		return apsp_fail(err, r, "no memory for rows");
	asked->bytes = bytes;
	return 0;
}

static int vertex_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Copy the vertices in ascending order, each of them once. */
static int vertices_copy(
	struct asked *asked, const uint32_t *vertices, struct apsp_err *err)
{
	size_t n = asked->n_vertices;

	asked->vertices = malloc((n + 1) * sizeof(*asked->vertices));
	if (!asked->vertices)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	for (size_t i = 0; i < n; i++)
		asked->vertices[i] = vertices ? vertices[i] : (uint32_t)i;
	qsort(asked->vertices, n, sizeof(*asked->vertices), vertex_compare);
	for (size_t i = 0; i < n; i++)
		if (asked->n == 0 ||
			asked->vertices[asked->n - 1] != asked->vertices[i])
			asked->vertices[asked->n++] = asked->vertices[i];
	return 0;
}

/* Prepare `asked` for these vertices, unless the last call has prepared it for
   the same vertices. If the last call asked for other vertices, their rows are
   released. */
static int asked_prepare(struct apsp_row_hold *hold, struct asked *asked,
	const uint32_t *vertices, size_t n, struct apsp_err *err)
{
	uint64_t checksum =
		vertices ? apsp_checksum(vertices, n * sizeof(*vertices)) : 0;
	int r;

	if (asked->rows && asked->n_vertices == n &&
		asked->checksum == checksum)
		return 0;
	asked_done(hold, asked);
	asked->n_vertices = n;
	asked->checksum = checksum;
	r = vertices_copy(asked, vertices, err);
	if (r == 0)
		r = room_reserve(hold, asked, err);
	if (r < 0)
		return r;
	asked->rows = calloc(asked->n + 1, sizeof(struct row *));
	return asked->rows ? 0
			   : apsp_fail(err, APSP_ENOMEM, "no memory for rows");
}

static int hold_open(struct apsp_row_cache *cache, struct apsp_tables *tables,
	struct apsp_holder *holder, struct apsp_row_hold **out,
	struct apsp_err *err)
{
	struct apsp_row_hold *hold = calloc(1, sizeof(*hold));
	int r = hold ? apsp_share_open(
			       cache->holds, holder, 0, &hold->share, err)
		     : apsp_fail(err, APSP_ENOMEM, "no memory for rows");

	if (r < 0) {
		free(hold);
		return r;
	}
	hold->cache = cache;
	hold->tables = apsp_tables_ref(tables);
	*out = hold;
	return 0;
}

int apsp_row_cache_hold(struct apsp_row_cache *cache,
	struct apsp_tables *tables, struct apsp_holder *holder,
	enum apsp_demand demand, const uint32_t *vertices, size_t n,
	struct apsp_row_hold **hold, struct apsp_err *err)
{
	struct garbage garbage = {NULL};
	uint32_t wanted;
	bool wakes;
	int r = 0;

	if (*hold && (*hold)->tables != tables)
		apsp_row_hold_close(APSP_TAKE(*hold));
	if (!*hold)
		r = hold_open(cache, tables, holder, hold, err);
	if (r >= 0)
		r = asked_prepare(
			*hold, &(*hold)->asked[demand], vertices, n, err);
	if (r < 0)
		return r;
	pthread_mutex_lock(&cache->lock);
	wanted = cache->counts.wanted;
	tables->demand->keeper = cache;
	tables->demand->drop = tables_drop;
	r = rows_get(*hold, demand, &garbage, err);
	wakes = cache->counts.wanted > wanted;
	pthread_mutex_unlock(&cache->lock);
	garbage_done(&garbage);
	if (wakes && cache->config.changed)
		cache->config.changed(cache->config.ctx);
	return r;
}

void apsp_row_hold_close(struct apsp_row_hold *hold)
{
	if (!hold)
		return;
	for (int d = 0; d < APSP_N_DEMANDS; d++)
		asked_done(hold, &hold->asked[d]);
	apsp_share_close(&hold->share);
	apsp_tables_unref(hold->tables);
	free(hold);
}

/* With the lock held, move the first wanted row to the batch. Also move other
   wanted rows of the same tables and the same kind. */
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
	out->row_bytes = apsp_demand_bytes(&tables->header, first->demand);
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
	struct garbage garbage = {NULL};

	batch->rows[i] = NULL;
	if (!bytes && why->code == APSP_EDAMAGED)
		apsp_tables_condemn(tables, why->message, NULL);
	pthread_mutex_lock(&cache->lock);
	cache->counts.wanted--;
	cache->counts.computed += bytes != NULL;
	if (bytes) {
		atomic_store_explicit(
			&row->base.bytes, bytes, memory_order_release);
		row->state = ROW_READY;
		list_add(&cache->ready, row);
	} else {
		row_forget(cache, row);
		row->state = ROW_FAILED;
		row->why = *why;
		if (row->n_holds == 0)
			garbage_add(&garbage, row);
	}
	pthread_mutex_unlock(&cache->lock);
	garbage_done(&garbage);
	apsp_tables_unref(tables);
}

void apsp_row_cache_stop(struct apsp_row_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	cache->stopping = true;
	pthread_mutex_unlock(&cache->lock);
}

void apsp_row_cache_count(
	struct apsp_row_cache *cache, struct apsp_row_cache_counts *out)
{
	pthread_mutex_lock(&cache->lock);
	*out = cache->counts;
	pthread_mutex_unlock(&cache->lock);
}
