/*
 * Lists the successors of each component, and sorts the components by level;
 * see condensation.h.
 */
#include "compute/closure/condensation.h"

#include <stdlib.h>
#include <string.h>

#include "compute/graph/counting_sort.h"
#include "daemon/base/auto.h"

enum {
	/*
	 * Upper bound of the size of a chain. A chain is a step (struct
	 * apsp_condensation_step) whose rows are made one after another. The
	 * size is the number of the chain's rows, plus the number of successors
	 * of all these rows. A work-item of a GPU takes about 10 ms for a chain
	 * of this size. CHAIN_MAX must be less than 65,535, because Mesa's
	 * llvmpipe silently ends a work-item after 65,535 iterations
	 * (compute/plan/tuning.c).
	 */
	CHAIN_MAX = 1 << 15,
};

struct build {
	const struct apsp_lengths *lengths;
	const struct apsp_components *components;
	const struct apsp_condensation_wanted *wanted;
	struct apsp_condensation made;
	/* seen_by[c] = d means: component c was last added to the successors
	   of component d */
	uint32_t *seen_by;
	uint32_t *level; /* level[k] is the level of the component of rank k
			    (condensation.h) */
	/* for each level, the index in `order` of the level's first component;
	   the array has n + 2 elements, as counting_sort.h requires */
	uint32_t *starts;
	uint32_t n_levels;
};

static void build_done(struct build *b)
{
	apsp_condensation_done(&b->made);
	free(b->seen_by);
	free(b->level);
	free(b->starts);
}

void apsp_condensation_done(struct apsp_condensation *levels)
{
	free(levels->order);
	free(levels->rows);
	free(levels->offsets);
	free(levels->successors);
	free(levels->steps);
	*levels = (struct apsp_condensation){0};
}

static int build_init(struct build *b, struct apsp_err *err)
{
	struct apsp_condensation *made = &b->made;
	size_t n = b->components->n_components;
	const uint32_t *of = b->components->of;
	/* number of arcs whose ends are in different components */
	uint64_t between = 0;

	for (uint32_t v = 0; v < b->lengths->n_vertices; v++)
		for (uint64_t e = b->lengths->offsets[v];
			e < b->lengths->offsets[v + 1]; e++)
			between += of[b->lengths->heads[e]] != of[v];
	made->n = (uint32_t)n;
	made->order = malloc((n + 1) * sizeof(*made->order));
	made->rows = malloc((n + 1) * sizeof(*made->rows));
	made->offsets = malloc((n + 1) * sizeof(*made->offsets));
	made->successors = malloc((between + 1) * sizeof(*made->successors));
	made->steps = malloc((n + 1) * sizeof(*made->steps));
	b->seen_by = malloc((n + 1) * sizeof(*b->seen_by));
	b->level = malloc((n + 1) * sizeof(*b->level));
	b->starts = calloc(n + 2, sizeof(*b->starts));
	if (!made->order || !made->rows || !made->offsets ||
		!made->successors || !made->steps || !b->seen_by || !b->level ||
		!b->starts)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the levels of %zu components", n);
	/* no component is in a list of successors yet */
	memset(b->seen_by, 0xff, (n + 1) * sizeof(*b->seen_by));
	return 0;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Find the successors and the level of the component of rank k. If
 * `nearest_first` is set, sort the successors in topological order. This order
 * saves ORs: if an early successor reaches a later one, the row of the early
 * successor already has all bits of the later row, and the later row need not
 * be ORed.
 */
static void rank_build(struct build *b, uint32_t k)
{
	struct apsp_condensation *made = &b->made;
	const struct apsp_components *components = b->components;
	const struct apsp_lengths *lengths = b->lengths;
	uint32_t c = made->n - 1 - k, level = 0;
	uint32_t *list = made->successors + made->offsets[k];
	uint64_t n = 0;

	b->seen_by[c] = c;
	for (uint32_t i = components->offsets[c];
		i < components->offsets[c + 1]; i++) {
		uint32_t v = components->order[i];

		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++) {
			uint32_t to = components->of[lengths->heads[e]];

			if (b->seen_by[to] == c)
				continue;
			b->seen_by[to] = c;
			list[n++] = to;
		}
	}
	if (b->wanted->nearest_first && n > 1)
		qsort(list, n, sizeof(*list), ascending);
	made->rows[k] = components->order[components->offsets[c]];
	made->offsets[k + 1] = made->offsets[k] + n;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t to = made->n - 1 - list[i];

		list[i] = made->rows[to];
		if (level <= b->level[to])
			level = b->level[to] + 1;
	}
	b->level[k] = level;
	apsp_counting_sort_count(b->starts, level);
	if (b->n_levels <= level)
		b->n_levels = level + 1;
}

/* Divide the rows of one level into steps (struct apsp_condensation_step). If
   the level has few rows, its steps are chains: the rows of a chain are made
   one after another. If the step before this level is also a chain, the first
   rows of this level are appended to that chain until it is full. */
static void level_steps(
	struct build *b, struct apsp_condensation_step **last, uint32_t level)
{
	struct apsp_condensation *made = &b->made;
	uint64_t most = b->wanted->most_successors;
	uint32_t end = b->starts[level + 1];
	bool chain = end - b->starts[level] < b->wanted->narrow;

	if (chain && most > CHAIN_MAX)
		most = CHAIN_MAX;
	if (!chain || !*last || !(*last)->chain)
		*last = NULL;
	for (uint32_t p = b->starts[level]; p < end; p++) {
		uint32_t k = made->order[p];
		uint64_t n = made->offsets[k + 1] - made->offsets[k];

		if (!*last ||
			(*last)->n_successors + (*last)->n + n + 1 > most) {
			*last = &made->steps[made->n_steps++];
			**last = (struct apsp_condensation_step){
				.first = p, .chain = chain};
		}
		(*last)->n++;
		(*last)->n_successors += n;
	}
}

int apsp_condensation_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components,
	const struct apsp_condensation_wanted *wanted,
	struct apsp_condensation *out, struct apsp_err *err)
{
	APSP_AUTO(build_done)
	struct build b = {
		.lengths = lengths, .components = components, .wanted = wanted};
	struct apsp_condensation_step *last = NULL;
	int r = build_init(&b, err);

	if (r < 0)
		return r;
	b.made.offsets[0] = 0;
	for (uint32_t k = 0; k < b.made.n; k++)
		rank_build(&b, k);
	/* sort the ranks by level; ranks of the same level are in ascending
	   order */
	apsp_counting_sort_sum(b.starts, b.n_levels);
	for (uint32_t k = 0; k < b.made.n; k++)
		b.made.order[apsp_counting_sort_place(b.starts, b.level[k])] =
			k;
	for (uint32_t level = 0; level < b.n_levels; level++)
		level_steps(&b, &last, level);
	*out = APSP_TAKE(b.made);
	return 0;
}
