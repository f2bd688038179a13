/*
 * Computes the places in the result at which each part puts its items; see
 * split_sort.h.
 */
#include "compute/graph/split_sort.h"

#include <stdlib.h>

#include "compute/parallel.h"

enum {
	/* Each part has at least this number of items for each key. If parts
	   had fewer items, the arrays `places` would take too much memory. */
	ITEMS_PER_KEY = 4,
	KEYS = 1024, /* number of keys for which one task turns counts into
			places */
};

/* The state of one loop over all items; shared by the threads. */
struct pass {
	const struct apsp_split_sort *sort;
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end);
	void *ctx;
};

/* Return the index of the part's first item. */
static uint64_t part_first(const struct apsp_split_sort *sort, size_t part)
{
	uint64_t each = sort->n_items / sort->n_parts;
	uint64_t more = sort->n_items % sort->n_parts;

	return part * each + (part < more ? part : more);
}

static void part_run(void *ctx, unsigned int thread, size_t part)
{
	const struct pass *pass = ctx;
	const struct apsp_split_sort *sort = pass->sort;

	(void)thread;
	pass->body(pass->ctx, sort->places + part * sort->n_keys,
		part_first(sort, part), part_first(sort, part + 1));
}

void apsp_split_sort_visit(const struct apsp_split_sort *sort,
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end),
	void *ctx)
{
	struct pass pass = {sort, body, ctx};

	apsp_parallel_for(sort->n_parts, sort->n_parts, part_run, &pass);
}

/* The state of turning counts into places; shared by the threads. */
struct sums {
	const struct apsp_split_sort *sort;
	uint64_t *offsets;
};

/* Return the first key after the block. */
static size_t block_end(const struct apsp_split_sort *sort, size_t block)
{
	size_t end = (block + 1) * KEYS;

	return end < sort->n_keys ? end : sort->n_keys;
}

/* Count the items whose keys are in a block of keys. Store the number at the
   offset of the block's first key; counts_sum() then replaces it by the offset
   itself. */
static void block_count(void *ctx, unsigned int thread, size_t block)
{
	const struct sums *sums = ctx;
	const struct apsp_split_sort *sort = sums->sort;
	uint64_t sum = 0;

	(void)thread;
	for (unsigned int part = 0; part < sort->n_parts; part++)
		for (size_t key = block * KEYS; key < block_end(sort, block);
			key++)
			sum += sort->places[part * sort->n_keys + key];
	sums->offsets[block * KEYS] = sum;
}

/* Turn the counts of a block of keys into places. The offset of the block's
   first key was set before. */
static void block_place(void *ctx, unsigned int thread, size_t block)
{
	const struct sums *sums = ctx;
	const struct apsp_split_sort *sort = sums->sort;
	uint64_t sum = sums->offsets[block * KEYS];

	(void)thread;
	for (size_t key = block * KEYS; key < block_end(sort, block); key++) {
		sums->offsets[key] = sum;
		for (unsigned int part = 0; part < sort->n_parts; part++) {
			uint64_t *place =
				&sort->places[part * sort->n_keys + key];
			uint64_t count = *place;

			*place = sum;
			sum += count;
		}
	}
}

/* Turn the counts of all parts into places, and fill `offsets`. */
static void counts_sum(const struct apsp_split_sort *sort, uint64_t *offsets)
{
	struct sums sums = {sort, offsets};
	size_t n_blocks = (sort->n_keys + KEYS - 1) / KEYS;
	uint64_t sum = 0;

	apsp_parallel_for(n_blocks, sort->n_parts, block_count, &sums);
	for (size_t block = 0; block < n_blocks; block++) {
		uint64_t count = offsets[block * KEYS];

		offsets[block * KEYS] = sum;
		sum += count;
	}
	offsets[sort->n_keys] = sum;
	apsp_parallel_for(n_blocks, sort->n_parts, block_place, &sums);
}

int apsp_split_sort_count(struct apsp_split_sort *sort, uint64_t n_items,
	size_t n_keys,
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end),
	void *ctx, uint64_t *offsets, struct apsp_err *err)
{
	uint64_t most = n_items / ITEMS_PER_KEY / (n_keys + 1) + 1;
	unsigned int width = apsp_parallel_processors();

	*sort = (struct apsp_split_sort){.n_items = n_items,
		.n_keys = n_keys,
		.n_parts = width < most ? width : (unsigned int)most};
	sort->places =
		calloc(sort->n_parts * n_keys + 1, sizeof(*sort->places));
	if (!sort->places)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to sort %llu arcs",
			(unsigned long long)n_items);
	apsp_split_sort_visit(sort, body, ctx);
	counts_sum(sort, offsets);
	return 0;
}

void apsp_split_sort_done(struct apsp_split_sort *sort)
{
	free(sort->places);
	*sort = (struct apsp_split_sort){0};
}
