/*
 * Compares the closure of a graph of chains with searches on the host; see
 * closure_test.h.
 */
#include "compute/solve/closure_test.h"

#include "compute/device/kernel_cache.h"
#include "daemon/base/auto.h"

enum {
	/* number of vertices: more than one tile, so that the matrix has two by
	   two tiles */
	N = APSP_TILE + 3,
	CHORD = 5, /* besides the arcs of the chains, some vertices v have an
		      arc to vertex v + CHORD */
};

/* Make the arcs of a graph of several chains. Some arcs lead backward, so that
   some components have several vertices, and others have only one. Returns the
   number of arcs. */
static uint32_t chains_make(uint64_t *offsets, uint32_t *heads)
{
	uint32_t n_arcs = 0;

	for (uint32_t v = 0; v < N; v++) {
		offsets[v] = n_arcs;
		if (v % 48 > 8 && v % 48 < 24)
			heads[n_arcs++] = v - 2;
		if (v % 40 != 39 && v + 1 < N)
			heads[n_arcs++] = v + 1;
		if (v % 7 == 3 && v + CHORD < N)
			heads[n_arcs++] = v + CHORD;
	}
	offsets[N] = n_arcs;
	return n_arcs;
}

/* Whether row v of the closure contains exactly the vertices that a search on
   the host reaches from v. */
static bool row_searched(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, uint32_t v)
{
	bool seen[N] = {[0] = false};
	uint32_t stack[N], depth = 0;

	seen[v] = true;
	stack[depth++] = v;
	while (depth > 0) {
		uint32_t u = stack[--depth];

		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			uint32_t head = lengths->heads[e];

			if (!seen[head])
				stack[depth++] = head;
			seen[head] = true;
		}
	}
	for (uint32_t j = 0; j < N; j++)
		if (apsp_bits_get(closure, v, j) != seen[j])
			return false;
	return true;
}

int apsp_closure_test_run(const struct apsp_device *device,
	const struct apsp_closure_algorithm *closure, struct apsp_err *err)
{
	APSP_AUTO(apsp_components_done) struct apsp_components components = {0};
	APSP_AUTO(apsp_bits_done) struct apsp_bits found = {0};
	uint64_t offsets[N + 1];
	uint32_t heads[3 * N];
	struct apsp_lengths chains = {
		.n_vertices = N, .offsets = offsets, .heads = heads};
	const struct apsp_closure_task task = {.lengths = &chains,
		.components = &components,
		.device = device};
	struct apsp_progress silent;
	int r;

	if (apsp_kernel_cache_passed(device, closure->name))
		return 0;
	chains.n_arcs = chains_make(offsets, heads);
	apsp_progress_init(&silent, NULL, NULL);
	r = apsp_components_build(&chains, &components, err);
	if (r >= 0)
		r = closure->run(&task, &silent, &found, err);
	for (uint32_t v = 0; r >= 0 && v < N; v++)
		if (!row_searched(&chains, &found, v))
			r = apsp_fail(err, APSP_EDEVICE,
				"'%s' computes wrongly: the vertices that "
				"vertex %u of the test graph reaches",
				device->info.name, v);
	if (r >= 0)
		apsp_kernel_cache_pass(device, closure->name);
	return r;
}
