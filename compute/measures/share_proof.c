/*
 * Computes the shares of some sources a second time; see share_proof.h. Unlike
 * path_shares.c, this file reads the arcs that leave each vertex, and does not
 * sort the vertices by distance. Instead, it sorts the vertices so that the
 * last arc of each shortest path leads to a later vertex.
 */
#include "compute/measures/share_proof.h"

#include <math.h>
#include <stdlib.h>

#include "compute/measures/tie_arcs.h"
#include "compute/sample_vertex.h"

enum {
	SOURCES = 4, /* number of sources whose shares are proved */
	/* largest number of times that all arcs are read to find the distances
	   from one source */
	PASSES = 64,
	/* in a small graph, the number of vertices whose betweenness is
	   proved */
	VERTICES = 16,
	/* in a large graph, the betweenness of one vertex in 512 is proved */
	VERTEX_STEP = 512,
};

/* This file and path_shares.c add numbers in different orders, so their shares
   can differ slightly. The proof fails if the difference of two shares exceeds
   SLACK * (1 + share). */
#define SLACK 1e-9

struct apsp_share_vertex {
	double distance; /* distance from the source */
	/* number of arcs that are the last arcs of shortest paths to the
	   vertex, and that paths_count() has not followed yet */
	uint32_t n_before;
	long double paths;
	long double share;
};

int apsp_share_proof_init(const struct apsp_lengths *lengths, bool whole,
	struct apsp_share_proof *out, struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices;
	uint32_t step = apsp_sample_step(n, VERTICES, VERTEX_STEP);

	*out = (struct apsp_share_proof){.lengths = lengths,
		.whole = whole,
		.source_step = n < SOURCES ? 1 : n / SOURCES,
		.vertex_step = step,
		.n_totals = (n + step - 1) / step};
	out->totals = calloc(out->n_totals + 1, sizeof(*out->totals));
	out->vertices = calloc(n + 1, sizeof(*out->vertices));
	out->order = calloc(n + 1, sizeof(*out->order));
	out->distances = calloc(n + 1, sizeof(*out->distances));
	if (!out->totals || !out->vertices || !out->order || !out->distances)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the betweenness of %u vertices", n);
	return 0;
}

void apsp_share_proof_done(struct apsp_share_proof *proof)
{
	free(proof->totals);
	free(proof->vertices);
	free(proof->order);
	free(proof->distances);
	*proof = (struct apsp_share_proof){.lengths = NULL};
}

/* The comparison for qsort_r(). It sorts vertices by the table's distances,
   nearest first. */
static int nearer(const void *a, const void *b, void *ctx)
{
	const double *distances = ctx;
	double x = distances[*(const uint32_t *)a];
	double y = distances[*(const uint32_t *)b];

	return (x > y) - (x < y);
}

/* Relax all arcs from reached vertices: if the path over an arc is shorter than
   the distance of the arc's head, set this distance to the length of the path.
   Returns whether a distance was lowered. */
static bool heads_lower(struct apsp_share_proof *proof, uint32_t n_reached)
{
	const struct apsp_lengths *lengths = proof->lengths;
	struct apsp_share_vertex *vertices = proof->vertices;
	bool fell = false;

	for (uint32_t i = 0; i < n_reached; i++) {
		uint32_t u = proof->order[i];

		for (uint64_t a = lengths->offsets[u];
			a < lengths->offsets[u + 1]; a++) {
			struct apsp_share_vertex *head =
				&vertices[lengths->heads[a]];
			double sum = vertices[u].distance +
				     apsp_lengths_get(lengths, a);

			if (sum < head->distance) {
				head->distance = sum;
				fell = true;
			}
		}
	}
	return fell;
}

/*
 * Compute the distances from the source. If lengths are real, the table's
 * distances can be slightly too large. In this case, the function adds up the
 * lengths again, in passes over all arcs. Each pass visits the vertices in the
 * order of the table's distances. A few passes usually suffice, but a chain of
 * arcs of length 0 can need one pass for each of its vertices. If distances
 * still change after PASSES passes, proof->countable becomes false.
 */
static int distances_find(struct apsp_share_proof *proof, uint32_t source,
	const struct apsp_stop *stop, uint32_t *out_reached,
	struct apsp_err *err)
{
	uint32_t n = proof->lengths->n_vertices, n_reached = 0;
	bool falls = !proof->whole;
	int r;

	for (uint32_t v = 0; v < n; v++) {
		proof->vertices[v] = (struct apsp_share_vertex){
			.distance = proof->whole ? proof->distances[v]
						 : (double)INFINITY};
		if (!isinf(proof->distances[v]))
			proof->order[n_reached++] = v;
	}
	proof->vertices[source].distance = 0;
	*out_reached = n_reached;
	if (!proof->whole)
		qsort_r(proof->order, n_reached, sizeof(*proof->order), nearer,
			proof->distances);
	for (uint32_t pass = 0; falls && pass < PASSES; pass++) {
		r = apsp_stop_check(stop, err);
		if (r < 0)
			return r;
		falls = heads_lower(proof, n_reached);
	}
	proof->countable = !falls;
	return 0;
}

/* Call visit(proof, u, head) for each arc from u that is the last arc of a
   shortest path. */
static void tight_visit(struct apsp_share_proof *proof, uint32_t source,
	uint32_t u,
	void (*visit)(
		struct apsp_share_proof *proof, uint32_t u, uint32_t head))
{
	const struct apsp_lengths *lengths = proof->lengths;

	for (uint64_t a = lengths->offsets[u]; a < lengths->offsets[u + 1];
		a++) {
		uint32_t head = lengths->heads[a];
		double most = proof->vertices[head].distance *
			      (proof->whole ? 1 : 1 + APSP_TIE_TOLERANCE);

		if (head != source &&
			proof->vertices[u].distance +
					apsp_lengths_get(lengths, a) <=
				most)
			visit(proof, u, head);
	}
}

static void arc_note(struct apsp_share_proof *proof, uint32_t u, uint32_t head)
{
	proof->vertices[head].n_before++;
	if (proof->vertices[u].distance > proof->vertices[head].distance)
		proof->countable = false;
}

/* Add the paths through u to the number of paths to `head`. If the sum is too
   large for a long double, shares of earlier vertices cannot be computed, so
   proof->countable becomes false. */
static void paths_push(
	struct apsp_share_proof *proof, uint32_t u, uint32_t head)
{
	proof->vertices[head].paths += proof->vertices[u].paths;
	if (isinf(proof->vertices[head].paths))
		proof->countable = false;
	if (--proof->vertices[head].n_before == 0)
		proof->order[proof->n_ordered++] = head;
}

static void share_pull(
	struct apsp_share_proof *proof, uint32_t u, uint32_t head)
{
	const struct apsp_share_vertex *after = &proof->vertices[head];

	proof->vertices[u].share +=
		proof->vertices[u].paths / after->paths * (1 + after->share);
}

/*
 * Sort the vertices so that each vertex comes after its predecessors on
 * shortest paths, and count the shortest paths to each vertex. Returns false if
 * the vertices have no such order.
 *
 * If lengths are real, rounding can be the reason why no order exists: some
 * arcs are shorter than the tolerance, or an arc of length 0 has a head that is
 * slightly nearer to the source than its tail. If lengths are whole numbers, an
 * order exists unless some distance is wrong, because there is no cycle of
 * length 0 here (apsp_betweenness_run()).
 */
static bool paths_count(
	struct apsp_share_proof *proof, uint32_t source, uint32_t n_reached)
{
	for (uint32_t i = 0; i < n_reached; i++)
		tight_visit(proof, source, proof->order[i], arc_note);
	if (!proof->countable)
		return false;
	proof->vertices[source].paths = 1;
	proof->order[0] = source;
	proof->n_ordered = 1;
	for (uint32_t i = 0; i < proof->n_ordered; i++)
		tight_visit(proof, source, proof->order[i], paths_push);
	return proof->n_ordered == n_reached;
}

int apsp_share_proof_source(struct apsp_share_proof *proof, uint32_t source,
	const double *shares, const struct apsp_stop *stop,
	struct apsp_err *err)
{
	struct apsp_share_vertex *vertices = proof->vertices;
	uint32_t n_reached;
	int r = distances_find(proof, source, stop, &n_reached, err);

	if (r < 0 || !proof->countable)
		return r;
	if (!paths_count(proof, source, n_reached))
		return !proof->whole
			       ? 0
			       : apsp_fail(err, APSP_EPROOF,
					 "vertex %u reaches %u vertices, but "
					 "shortest paths lead to only %u",
					 source, n_reached, proof->n_ordered);
	if (!proof->countable)
		return 0;
	for (uint32_t i = n_reached; i-- > 0;)
		tight_visit(proof, source, proof->order[i], share_pull);
	vertices[source].share = 0;
	for (uint32_t v = 0; v < proof->lengths->n_vertices; v++) {
		double share = (double)vertices[v].share;

		if (!(fabs(shares[v] - share) <= SLACK * (1 + share)))
			return apsp_fail(err, APSP_EPROOF,
				"of the shortest paths from vertex %u, %.17g "
				"lead through %u, not %.17g",
				source, share, v, shares[v]);
	}
	return 0;
}

/* Return the vertex whose betweenness is proof->totals[i]. */
static uint32_t vertex_of(const struct apsp_share_proof *proof, uint32_t i)
{
	return apsp_sample_vertex(
		proof->lengths->n_vertices, proof->vertex_step, i);
}

bool apsp_share_proof_add(
	struct apsp_share_proof *proof, uint32_t source, const double *shares)
{
	for (uint32_t i = 0; i < proof->n_totals; i++)
		proof->totals[i] += shares[vertex_of(proof, i)];
	return source % proof->source_step == proof->source_step / 2;
}

int apsp_share_proof_sums(const struct apsp_share_proof *proof,
	const double *sums, struct apsp_err *err)
{
	for (uint32_t i = 0; i < proof->n_totals; i++) {
		uint32_t v = vertex_of(proof, i);

		if (sums[v] != proof->totals[i])
			return apsp_fail(err, APSP_EPROOF,
				"the betweenness of vertex %u is not the sum "
				"of its shares",
				v);
	}
	return 0;
}
