/*
 * The shares of some sources, computed by reading the arcs from each vertex;
 * see share_check.h. The vertices are sorted by the arcs that end shortest
 * paths, not by their distances.
 */
#include "compute/measures/share_check.h"

#include <math.h>
#include <stdlib.h>

#include "compute/measures/tie_arcs.h"

enum {
	SOURCES = 4,	   /* sources whose shares are proved */
	PASSES = 64,	   /* most passes over all arcs for one source */
	VERTICES = 16,	   /* in small graphs, vertices that are proved */
	VERTEX_STEP = 512, /* in large graphs, one in so many is proved */
};

/* The largest relative difference between sums in two orders of addition. */
#define SLACK 1e-9

struct apsp_share_vertex {
	double distance;   /* distance from the source */
	uint32_t n_before; /* tight arcs to it whose paths are not yet added */
	long double paths;
	long double share;
};

int apsp_share_check_init(const struct apsp_lengths *lengths, bool whole,
	struct apsp_share_check *out, struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices, step = n / VERTICES;

	step = step > VERTEX_STEP ? VERTEX_STEP : step > 0 ? step : 1;
	*out = (struct apsp_share_check){.lengths = lengths,
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

void apsp_share_check_done(struct apsp_share_check *check)
{
	free(check->totals);
	free(check->vertices);
	free(check->order);
	free(check->distances);
	*check = (struct apsp_share_check){.lengths = NULL};
}

static double length_of(const struct apsp_lengths *lengths, uint64_t arc)
{
	return lengths->lengths ? lengths->lengths[arc] : 1;
}

/* Compare for qsort_r(): nearest first, by the table's distances. */
static int nearer(const void *a, const void *b, void *ctx)
{
	const double *distances = ctx;
	double x = distances[*(const uint32_t *)a];
	double y = distances[*(const uint32_t *)b];

	return (x > y) - (x < y);
}

/* Relax all arcs from the reached vertices. Returns whether a distance fell. */
static bool heads_lower(struct apsp_share_check *check, uint32_t n_reached)
{
	const struct apsp_lengths *lengths = check->lengths;
	struct apsp_share_vertex *vertices = check->vertices;
	bool fell = false;

	for (uint32_t i = 0; i < n_reached; i++) {
		uint32_t u = check->order[i];

		for (uint64_t a = lengths->offsets[u];
			a < lengths->offsets[u + 1]; a++) {
			struct apsp_share_vertex *head =
				&vertices[lengths->heads[a]];
			double sum =
				vertices[u].distance + length_of(lengths, a);

			if (sum < head->distance) {
				head->distance = sum;
				fell = true;
			}
		}
	}
	return fell;
}

/*
 * Compute the distances. Real lengths are summed again, because the table's
 * sums may exceed the shortest ones: in passes over all arcs, with the vertices
 * in the table's order. Few passes suffice, but a chain of arcs of length 0 may
 * need one for each of its vertices. If PASSES do not suffice, check->countable
 * becomes false.
 */
static int distances_find(struct apsp_share_check *check, uint32_t source,
	const struct apsp_stop *stop, uint32_t *out_reached,
	struct apsp_err *err)
{
	uint32_t n = check->lengths->n_vertices, n_reached = 0;
	bool falls = !check->whole;
	int r;

	for (uint32_t v = 0; v < n; v++) {
		check->vertices[v] = (struct apsp_share_vertex){
			.distance = check->whole ? check->distances[v]
						 : (double)INFINITY};
		if (!isinf(check->distances[v]))
			check->order[n_reached++] = v;
	}
	check->vertices[source].distance = 0;
	*out_reached = n_reached;
	if (!check->whole)
		qsort_r(check->order, n_reached, sizeof(*check->order), nearer,
			check->distances);
	for (uint32_t pass = 0; falls && pass < PASSES; pass++) {
		r = apsp_stop_check(stop, err);
		if (r < 0)
			return r;
		falls = heads_lower(check, n_reached);
	}
	check->countable = !falls;
	return 0;
}

/* Call visit(check, u, head) for each arc from u that ends a shortest path. */
static void tight_visit(struct apsp_share_check *check, uint32_t source,
	uint32_t u,
	void (*visit)(
		struct apsp_share_check *check, uint32_t u, uint32_t head))
{
	const struct apsp_lengths *lengths = check->lengths;

	for (uint64_t a = lengths->offsets[u]; a < lengths->offsets[u + 1];
		a++) {
		uint32_t head = lengths->heads[a];
		double most = check->vertices[head].distance *
			      (check->whole ? 1 : 1 + APSP_TIE_TOLERANCE);

		if (head != source &&
			check->vertices[u].distance + length_of(lengths, a) <=
				most)
			visit(check, u, head);
	}
}

static void arc_note(struct apsp_share_check *check, uint32_t u, uint32_t head)
{
	check->vertices[head].n_before++;
	if (check->vertices[u].distance > check->vertices[head].distance)
		check->countable = false;
}

static void paths_push(
	struct apsp_share_check *check, uint32_t u, uint32_t head)
{
	check->vertices[head].paths += check->vertices[u].paths;
	if (--check->vertices[head].n_before == 0)
		check->order[check->n_ordered++] = head;
}

static void share_pull(
	struct apsp_share_check *check, uint32_t u, uint32_t head)
{
	const struct apsp_share_vertex *after = &check->vertices[head];

	check->vertices[u].share +=
		check->vertices[u].paths / after->paths * (1 + after->share);
}

/*
 * Sort the vertices so that each comes after its predecessors on shortest
 * paths, and count these paths. Returns false if there is no such order.
 *
 * With real lengths there may be none: an arc of length 0 leads to a vertex
 * that is nearer by less than the tolerance, or arcs are shorter than the
 * tolerance. With whole lengths it means that a distance is wrong, since no
 * cycle has length 0 here (tie_arcs.h).
 */
static bool paths_count(
	struct apsp_share_check *check, uint32_t source, uint32_t n_reached)
{
	for (uint32_t i = 0; i < n_reached; i++)
		tight_visit(check, source, check->order[i], arc_note);
	if (!check->countable)
		return false;
	check->vertices[source].paths = 1;
	check->order[0] = source;
	check->n_ordered = 1;
	for (uint32_t i = 0; i < check->n_ordered; i++)
		tight_visit(check, source, check->order[i], paths_push);
	return check->n_ordered == n_reached;
}

int apsp_share_check_source(struct apsp_share_check *check, uint32_t source,
	const double *shares, const struct apsp_stop *stop,
	struct apsp_err *err)
{
	struct apsp_share_vertex *vertices = check->vertices;
	uint32_t n_reached;
	int r = distances_find(check, source, stop, &n_reached, err);

	if (r < 0 || !check->countable)
		return r;
	if (!paths_count(check, source, n_reached))
		return !check->whole
			       ? 0
			       : apsp_fail(err, APSP_EPROOF,
					 "of %u vertices that %u reaches "
					 "shortest paths lead to %u",
					 n_reached, source, check->n_ordered);
	for (uint32_t i = n_reached; i-- > 0;)
		tight_visit(check, source, check->order[i], share_pull);
	vertices[source].share = 0;
	for (uint32_t v = 0; v < check->lengths->n_vertices; v++) {
		double share = (double)vertices[v].share;

		if (isfinite(vertices[v].paths) && isfinite(share) &&
			!(fabs(shares[v] - share) <= SLACK * (1 + share)))
			return apsp_fail(err, APSP_EPROOF,
				"of the shortest paths from vertex %u, %.17g "
				"lead through %u, not %.17g",
				source, share, v, shares[v]);
	}
	return 0;
}

bool apsp_share_check_add(
	struct apsp_share_check *check, uint32_t source, const double *shares)
{
	for (uint32_t i = 0; i < check->n_totals; i++)
		check->totals[i] += shares[(size_t)i * check->vertex_step];
	return source % check->source_step == check->source_step / 2;
}

int apsp_share_check_sums(const struct apsp_share_check *check,
	const double *sums, struct apsp_err *err)
{
	for (uint32_t i = 0; i < check->n_totals; i++) {
		uint32_t v = i * check->vertex_step;

		if (sums[v] != check->totals[i])
			return apsp_fail(err, APSP_EPROOF,
				"the betweenness of vertex %u is not the sum "
				"of its shares",
				v);
	}
	return 0;
}
