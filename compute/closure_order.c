/*
 * `closure-order`: the closure's rows from the last component to the first,
 * each the OR of the rows it leads to (design.md, decision 11).
 */
#include <stdlib.h>
#include <string.h>

#include "compute/components.h"
#include "daemon/base/auto.h"

/* The components that one component's arcs lead to. */
struct successors {
	uint32_t *list;
	uint32_t *seen_by; /* component → the last one that listed it */
	uint32_t n;
};

static void successors_done(struct successors *s)
{
	free(s->list);
	free(s->seen_by);
}

static int successors_init(
	struct successors *s, uint32_t n_components, struct apsp_err *err)
{
	size_t size = ((size_t)n_components + 1) * sizeof(uint32_t);

	s->list = malloc(size);
	s->seen_by = malloc(size);
	if (!s->list || !s->seen_by)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the closure of %u components",
			n_components);
	memset(s->seen_by, 0xff, size); /* no component */
	return 0;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Nearest first: what a near successor reaches need not be OR-ed again, and in
 * topological order the near ones come before the far.
 */
static void successors_list(struct successors *s,
	const struct apsp_lengths *lengths,
	const struct apsp_components *components, uint32_t c)
{
	s->n = 0;
	s->seen_by[c] = c;
	for (uint32_t i = components->offsets[c];
		i < components->offsets[c + 1]; i++) {
		uint32_t v = components->order[i];

		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			uint32_t to = components->of[lengths->heads[a]];

			if (s->seen_by[to] == c)
				continue;
			s->seen_by[to] = c;
			s->list[s->n++] = to;
		}
	}
	if (s->n > 1)
		qsort(s->list, s->n, sizeof(*s->list), ascending);
}

static void or_row(uint64_t *restrict row, const uint64_t *restrict other,
	uint64_t n_words)
{
	for (uint64_t i = 0; i < n_words; i++)
		row[i] |= other[i];
}

/* The rows of component c; those of the components after it are there. */
static void close_component(const struct apsp_components *components,
	const struct successors *s, uint32_t c, struct apsp_bits *bits)
{
	const uint32_t *order = components->order;
	uint32_t first = components->offsets[c];
	uint32_t end = components->offsets[c + 1];
	uint64_t *row = apsp_bits_row(bits, order[first]);

	for (uint32_t i = first; i < end; i++)
		apsp_bits_set(bits, order[first], order[i]);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t member = order[components->offsets[s->list[i]]];

		if (!apsp_bits_get(bits, order[first], member))
			or_row(row, apsp_bits_row(bits, member),
				bits->row_words);
	}
	for (uint32_t i = first + 1; i < end; i++)
		memcpy(apsp_bits_row(bits, order[i]), row,
			bits->row_words * sizeof(*row));
}

int apsp_closure_order_run(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(successors_done) struct successors s = {0};
	APSP_AUTO(apsp_bits_done) struct apsp_bits made = {0};
	int r;

	r = successors_init(&s, components->n_components, err);
	if (r < 0)
		return r;
	r = apsp_bits_init(
		&made, lengths->n_vertices, lengths->n_vertices, err);
	if (r < 0)
		return r;

	for (uint32_t c = components->n_components; c-- != 0;) {
		successors_list(&s, lengths, components, c);
		close_component(components, &s, c, &made);
	}
	*out = APSP_TAKE(made);
	return 0;
}
