/*
 * The algorithm of Brandes 2001 (A faster algorithm for betweenness
 * centrality). The order of vertices comes from the distance table instead of a
 * queue. The arcs are read by head: for each vertex v, the arcs that lead to v
 * are read together, so that each number of paths is written once. An arc t → v
 * is tight if it is the last arc of a shortest path. The vertices v are visited
 * twice:
 *
 *	nearest first    paths[v] = sum of paths[t] over tight arcs t → v
 *	farthest first   share[t] += paths[t] / paths[v] · (1 + share[v])
 *
 * Distances that are whole numbers are read from the table. Real distances are
 * computed again: they are summed in float64, because a path in the table can
 * be slightly longer than the shortest path (compute/graph/README.md,
 * Integers). So the real distances in the table decide only how the vertices
 * are sorted at first.
 */
#include "compute/measures/path_shares.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct apsp_vertex_key {
	uint64_t key;
	uint32_t vertex;
};

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
};

static void digit_sort(const struct apsp_vertex_key *from,
	struct apsp_vertex_key *to, uint32_t n, int shift)
{
	uint32_t places[DIGITS + 1] = {0};

	for (uint32_t i = 0; i < n; i++)
		places[(from[i].key >> shift) % DIGITS + 1]++;
	for (int d = 0; d < DIGITS; d++)
		places[d + 1] += places[d];
	for (uint32_t i = 0; i < n; i++)
		to[places[(from[i].key >> shift) % DIGITS]++] = from[i];
}

/* Each element of shares->keys has a vertex and a number, its key. Sort the
   first n elements by their keys. Then store their vertices at `out` in this
   order. */
static void keys_sort(
	const struct apsp_path_shares *shares, uint32_t n, uint32_t *out)
{
	struct apsp_vertex_key *from = shares->keys;
	struct apsp_vertex_key *to = from + shares->arcs->n_vertices;
	uint64_t differ = 0;

	for (uint32_t i = 1; i < n; i++)
		differ |= from[i].key ^ from[0].key;
	for (int shift = differ ? __builtin_ctzll(differ) : 64;
		shift < 64 && differ >> shift; shift += DIGIT_BITS) {
		struct apsp_vertex_key *sorted = to;

		digit_sort(from, to, n, shift);
		to = from;
		from = sorted;
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = from[i].vertex;
}

/*
 * Store at `out` all vertices whose distance is finite, nearest first, and
 * return their number. Distances are 0 or more. `listed` has all vertices;
 * vertices of equal distance keep the order that they have in `listed`. If
 * `listed` is NULL, vertices of equal distance are in ascending order of their
 * numbers.
 */
static uint32_t sort_by_distance(const struct apsp_path_shares *shares,
	const double *distances, const uint32_t *listed, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < shares->arcs->n_vertices; i++) {
		uint32_t v = listed ? listed[i] : i;

		memcpy(&shares->keys[n].key, &distances[v],
			sizeof(distances[v]));
		shares->keys[n].vertex = v;
		n += distances[v] < INFINITY;
	}
	keys_sort(shares, n, out);
	return n;
}

/* Sort n vertices in place, so that each arc of length 0 leads to a later
   vertex: ranks[v] is the place of vertex v in such an order (struct
   apsp_tie_arcs). */
static void sort_by_rank(const struct apsp_path_shares *shares,
	const uint32_t *ranks, uint32_t *vertices, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		shares->keys[i] = (struct apsp_vertex_key){
			ranks[vertices[i]], vertices[i]};
	keys_sort(shares, n, vertices);
}

/* A number of paths above 2^512 is stored as a factor and an exponent (numbers
   and exponents in path_shares.h). */
#define LARGE 0x1p512
/*
 * Vertices are sorted by distance and divided into groups. Two neighbours in
 * the order are in one group if their distances are equal within
 * APSP_TIE_TOLERANCE. But a group is cut in two before the relative difference
 * between its first and its last distance exceeds GROUP_TOLERANCE.
 */
#define GROUP_TOLERANCE (10 * APSP_TIE_TOLERANCE)

/* Return the words of vertex v in shares->tight. These words have one bit for
   each arc to v, and no bits for arcs to other vertices. */
static uint64_t *tight_of(const struct apsp_path_shares *shares, uint32_t v)
{
	return shares->tight + shares->arcs->offsets[v] / 64 + v;
}

int apsp_path_shares_init(const struct apsp_tie_arcs *arcs, bool whole,
	struct apsp_path_shares *out, struct apsp_err *err)
{
	size_t n = arcs->n_vertices;

	*out = (struct apsp_path_shares){.arcs = arcs, .whole = whole};
	out->distances = calloc(n, sizeof(*out->distances));
	out->sums = calloc(whole ? 1 : n, sizeof(*out->sums));
	out->order = calloc(n, sizeof(*out->order));
	out->next = calloc(whole ? 1 : n, sizeof(*out->next));
	out->numbers = calloc(n, sizeof(*out->numbers));
	out->exponents = calloc(n, sizeof(*out->exponents));
	out->tight = calloc(arcs->offsets[n] / 64 + n + 1, sizeof(*out->tight));
	out->keys = malloc(2 * (n + 1) * sizeof(*out->keys));
	if (!out->keys || !out->distances || !out->sums || !out->order ||
		!out->next || !out->numbers || !out->exponents || !out->tight)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the betweenness of %zu vertices", n);
	return 0;
}

void apsp_path_shares_done(struct apsp_path_shares *shares)
{
	free(shares->keys);
	free(shares->distances);
	free(shares->sums);
	free(shares->order);
	free(shares->next);
	free(shares->numbers);
	free(shares->exponents);
	free(shares->tight);
	*shares = (struct apsp_path_shares){.arcs = NULL};
}

/*
 * Sort the vertices by distance. Vertices whose distances are equal within the
 * tolerance form a group. Then sort the vertices of each group again, so that
 * each arc of length 0 inside the group leads to a later vertex. Returns the
 * number of reached vertices.
 *
 * A group is cut in two if the relative difference of its distances would
 * exceed GROUP_TOLERANCE. If the last arc of a shortest path has the length 0,
 * both its ends are in one group, unless the group was cut between them. If it
 * has another length, its ends are always in different groups, because all
 * lengths other than 0 are larger than GROUP_TOLERANCE times any distance
 * (compute/graph/README.md, Integers).
 */
static uint32_t order_make(
	struct apsp_path_shares *shares, const double *distances, uint32_t *out)
{
	const struct apsp_tie_arcs *arcs = shares->arcs;
	uint32_t n = sort_by_distance(shares, distances, arcs->listed, out);
	uint32_t first = 0;

	for (uint32_t i = 1; arcs->ranks && !shares->whole && i <= n; i++) {
		if (i < n &&
			distances[out[i]] <= distances[out[i - 1]] *
						     (1 + APSP_TIE_TOLERANCE) &&
			distances[out[i]] <=
				distances[out[first]] * (1 + GROUP_TOLERANCE))
			continue;
		if (i - first > 1)
			sort_by_rank(
				shares, arcs->ranks, out + first, i - first);
		first = i;
	}
	return n;
}

/* Compute the least sum of lengths from the source to each vertex. The vertices
   are visited in the order of shares->order. */
static void sums_make(struct apsp_path_shares *shares, uint32_t source)
{
	const struct apsp_tie_arcs *arcs = shares->arcs;
	double *sums = shares->sums;

	for (uint32_t v = 0; v < arcs->n_vertices; v++)
		sums[v] = INFINITY;
	sums[source] = 0;
	for (uint32_t i = 0; i < shares->n_reached; i++) {
		uint32_t v = shares->order[i];
		double least = sums[v];

		for (uint64_t a = arcs->offsets[v]; a < arcs->offsets[v + 1];
			a++) {
			double sum = sums[arcs->tails[a]] + arcs->lengths[a];

			least = sum < least ? sum : least;
		}
		sums[v] = least;
	}
}

/* Whether the sums are final. The sums are final if sorting the vertices by
   their sums does not change the order in which the sums were computed. */
static bool sums_settled(struct apsp_path_shares *shares)
{
	const double *sums = shares->sums;
	uint32_t n = shares->n_reached;

	if (shares->arcs->ranks)
		return order_make(shares, sums, shares->next) == n &&
		       memcmp(shares->next, shares->order,
			       n * sizeof(*shares->next)) == 0;
	for (uint32_t i = 1; i < n; i++)
		if (!(sums[shares->order[i - 1]] <= sums[shares->order[i]]))
			return false;
	return n == 0 || sums[shares->order[n - 1]] < INFINITY;
}

/* Sort the vertices by their sums of lengths. Vertices without a finite sum
   come last, and a later call of sums_make() computes their sums. */
static void order_improve(struct apsp_path_shares *shares)
{
	uint32_t n = order_make(shares, shares->sums, shares->next), end = n;

	for (uint32_t i = 0; i < shares->n_reached; i++)
		if (isinf(shares->sums[shares->order[i]]))
			shares->next[end++] = shares->order[i];
	memcpy(shares->order, shares->next, end * sizeof(*shares->order));
}

static int row_refuse(uint32_t source, uint32_t v, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EPROOF,
		"the distance table's row of source %u has at %u a distance "
		"that no path has",
		source, v);
}

/*
 * Compute for each vertex the sum of real lengths along a shortest path. If the
 * table's rounded distances have the wrong order, sort the vertices by their
 * sums, and compute the sums again. As in a step of Dijkstra's algorithm, each
 * round makes at least one more sum final: the sum of the nearest vertex whose
 * sum was not yet final.
 */
static int sums_settle(struct apsp_path_shares *shares, uint32_t source,
	const struct apsp_stop *stop, struct apsp_err *err)
{
	double *distances = shares->distances;
	uint32_t rounds = 0;
	int r;

	sums_make(shares, source);
	while (!sums_settled(shares)) {
		r = apsp_stop_check(stop, err);
		if (r < 0)
			return r;
		if (rounds++ > shares->n_reached)
			return row_refuse(source, source, err);
		order_improve(shares);
		sums_make(shares, source);
	}
	for (uint32_t i = 0; i < shares->n_reached; i++) {
		uint32_t v = shares->order[i];
		double most = distances[v] * APSP_TABLE_TOLERANCE;

		if (!(fabs(shares->sums[v] - distances[v]) <= most))
			return row_refuse(source, v, err);
		distances[v] = shares->sums[v];
	}
	return 0;
}

/*
 * Test up to 64 arcs that lead to one vertex, from arc `first` on. Return one
 * bit for each arc: 1 if the arc is the last arc of a shortest path. `distance`
 * is the distance of the vertex. Set *shorter to true if a path over one of
 * these arcs is shorter than `distance`.
 */
static uint64_t arcs_mark(const struct apsp_path_shares *shares, uint64_t first,
	uint64_t end, double distance, bool *shorter)
{
	const uint32_t *tails = shares->arcs->tails;
	const double *lengths = shares->arcs->lengths;
	const double *distances = shares->distances;
	double most =
		shares->whole ? distance : distance * (1 + APSP_TIE_TOLERANCE);
	uint64_t word = 0, n = end - first < 64 ? end - first : 64;
	bool less = false;

	for (uint64_t k = 0; k < n; k++) {
		double sum = distances[tails[first + k]] + lengths[first + k];

		less |= sum < distance;
		word |= (uint64_t)(sum <= most) << k;
	}
	*shorter |= less;
	return word;
}

/* Count the shortest paths to v. This function also works if numbers of paths
   are so large that they are stored with exponents. The number of the shortest
   paths to v is x · 2^(512 · e). Return x, and store e in
   shares->exponents[v]. */
static double large_sum(struct apsp_path_shares *shares, uint32_t v)
{
	const struct apsp_tie_arcs *arcs = shares->arcs;
	const uint64_t *tight = tight_of(shares, v);
	uint64_t first = arcs->offsets[v], end = arcs->offsets[v + 1];
	uint32_t most = 0;
	double sum = 0;

	for (uint64_t k = 0; k < end - first; k++) {
		uint32_t e = shares->exponents[arcs->tails[first + k]];

		if (tight[k / 64] >> k % 64 & 1 && e > most)
			most = e;
	}
	for (uint64_t k = 0; k < end - first; k++) {
		uint32_t t = arcs->tails[first + k];

		if (tight[k / 64] >> k % 64 & 1 &&
			most - shares->exponents[t] < 2)
			sum += ldexp(shares->numbers[t],
				shares->exponents[t] == most ? 0 : -512);
	}
	shares->exponents[v] = most;
	return sum;
}

/* Count the shortest paths to v, and mark the last arcs of these paths. An arc
   is not marked if the paths to its tail are not counted yet. This can happen
   if order_make() has cut a group of vertices in two. */
static int vertex_count(struct apsp_path_shares *shares, uint32_t source,
	uint32_t v, struct apsp_err *err)
{
	const struct apsp_tie_arcs *arcs = shares->arcs;
	uint64_t *tight = tight_of(shares, v);
	uint64_t end = arcs->offsets[v + 1];
	bool shorter = false;
	double sum = 0;

	for (uint64_t a = arcs->offsets[v]; a < end; a += 64, tight++) {
		uint64_t word = arcs_mark(
			shares, a, end, shares->distances[v], &shorter);

		*tight = word;
		for (; word; word &= word - 1) {
			uint32_t t = arcs->tails[a + (unsigned)__builtin_ctzll(
							     word)];

			if (shares->numbers[t] == 0)
				*tight &= ~(word & -word);
			sum += shares->numbers[t];
		}
	}
	if (shares->large)
		sum = large_sum(shares, v);
	if (!(sum > 0) || (shorter && shares->whole))
		return row_refuse(source, v, err);
	if (sum > LARGE) {
		if (!shares->large)
			memset(shares->exponents, 0,
				arcs->n_vertices * sizeof(*shares->exponents));
		shares->large = true;
		shares->exponents[v]++;
		sum /= LARGE;
	}
	shares->numbers[v] = sum;
	return 0;
}

/* Distribute the number 1 + (share of v) among the predecessors of v on
   shortest paths. The share stands for paths that go on after v, and the 1
   stands for paths that end at v. */
static void vertex_share(
	const struct apsp_path_shares *shares, uint32_t v, double *out)
{
	const struct apsp_tie_arcs *arcs = shares->arcs;
	const uint64_t *tight = tight_of(shares, v);
	const double *numbers = shares->numbers;
	uint64_t end = arcs->offsets[v + 1];
	double each = (1 + out[v]) / numbers[v];

	for (uint64_t a = arcs->offsets[v]; a < end; a += 64, tight++)
		for (uint64_t word = *tight; word; word &= word - 1) {
			uint32_t t = arcs->tails[a + (unsigned)__builtin_ctzll(
							     word)];
			double share = numbers[t] * each;

			if (shares->large)
				share = ldexp(share,
					-512 * (int)(shares->exponents[v] -
						       shares->exponents[t]));
			out[t] += share;
		}
}

int apsp_path_shares_of(struct apsp_path_shares *shares, uint32_t source,
	const struct apsp_stop *stop, double *out, struct apsp_err *err)
{
	const struct apsp_tie_arcs *arcs = shares->arcs;
	uint32_t n = arcs->n_vertices;
	int r = 0;

	shares->n_reached =
		order_make(shares, shares->distances, shares->order);
	if (!shares->whole)
		r = sums_settle(shares, source, stop, err);
	memset(shares->numbers, 0, n * sizeof(*shares->numbers));
	memset(out, 0, n * sizeof(*out));
	shares->numbers[source] = 1;
	shares->large = false;
	for (uint32_t i = 0; r == 0 && i < shares->n_reached; i++) {
		if (shares->order[i] != source)
			r = vertex_count(shares, source, shares->order[i], err);
	}
	if (r < 0)
		return r;
	for (uint32_t i = shares->n_reached; i-- > 0;)
		if (shares->order[i] != source)
			vertex_share(shares, shares->order[i], out);
	out[source] = 0;
	return 0;
}
