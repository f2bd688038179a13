/*
 * Computes the places of each part's keys; see split_sort.h.
 */
#include "compute/graph/split_sort.h"

#include <stdlib.h>

#include "compute/parallel.h"

enum {
	/* Each part has at least this number of items for each key. If parts
	   had fewer items, the arrays `places` would take too much memory. */
	ITEMS_PER_KEY = 4,
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

static void parts_run(const struct apsp_split_sort *sort,
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end),
	void *ctx)
{
	struct pass pass = {sort, body, ctx};

	apsp_parallel_for(sort->n_parts, sort->n_parts, part_run, &pass);
}

/* Turn the counts of all parts into places, and fill `offsets`. */
static void counts_sum(struct apsp_split_sort *sort, uint64_t *offsets)
{
	uint64_t sum = 0;

	for (size_t key = 0; key < sort->n_keys; key++) {
		offsets[key] = sum;
		for (unsigned int part = 0; part < sort->n_parts; part++) {
			uint64_t *place =
				&sort->places[part * sort->n_keys + key];
			uint64_t count = *place;

			*place = sum;
			sum += count;
		}
	}
	offsets[sort->n_keys] = sum;
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
	parts_run(sort, body, ctx);
	counts_sum(sort, offsets);
	return 0;
}

void apsp_split_sort_place(const struct apsp_split_sort *sort,
	void (*body)(void *ctx, uint64_t *places, uint64_t first, uint64_t end),
	void *ctx)
{
	parts_run(sort, body, ctx);
}

void apsp_split_sort_done(struct apsp_split_sort *sort)
{
	free(sort->places);
	*sort = (struct apsp_split_sort){0};
}
