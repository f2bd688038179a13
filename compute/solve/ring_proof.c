/*
 * Compares a solved ring with the known solution; see ring_proof.h.
 */
#include "compute/solve/ring_proof.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/opencl.h"
#include "compute/device/panel_rows.h"
#include "compute/graph/in_arcs.h"
#include "compute/graph/semiring.h"
#include "compute/graph/v_element.h"
#include "compute/statistics/row_stats.h"
#include "compute/statistics/stats_device.h"
#include "compute/tables/predecessors.h"
#include "compute/tables/row_marks.h"
#include "compute/tables/sum_arcs.h"
#include "compute/tables/sums_device.h"
#include "daemon/base/auto.h"

enum {
	N = APSP_RING_N,
	STRIDE = APSP_RING_STRIDE,
	/*
	 * The scale with which the test of statistics divides each integer
	 * distance: the quotient counts as a distance, the remainder as a
	 * number of hops. It may differ from the scale of the graph, because
	 * any value can be divided.
	 */
	STATS_SCALE = 3,
};

/* For shortest paths, return the value that V(i, j) must have in the distance
   matrix V: a sum of lengths. ring_proof.h says what chords and steps are. A
   shortest path from i to j takes chords until the next chord would lead past
   j, and then takes steps. */
static int64_t known_sum(int64_t chord, uint32_t i, uint32_t j)
{
	uint32_t gap = (j + N - i) % N;

	return gap / STRIDE * chord + gap % STRIDE;
}

/*
 * Return V(i, j), the known value in the distance matrix V, if V has ranks of
 * widths. Both arcs of vertex v have the rank v + 1. The rank of a path is the
 * largest rank of its arcs, and V(i, j) is the least rank of a path from i to
 * j. Two kinds of paths are compared.
 *
 * In a path of the first kind, no arc leads to vertex 0 or past it. Such a path
 * exists only if i is below j. Its vertices ascend, so its rank is the rank of
 * its last arc. The least rank is the rank of the chord from j - STRIDE or, if
 * j - STRIDE is below i, the rank of the step from j - 1.
 *
 * In a path of the second kind, an arc leads to vertex 0 or past it. Only arcs
 * of vertex N - STRIDE and of later vertices do so. So the path leaves such a
 * vertex, and it leaves i. The least rank of these paths is the rank of the
 * arcs of i or of N - STRIDE, whichever is larger.
 */
static int64_t known_rank(uint32_t i, uint32_t j)
{
	uint32_t around = (i > N - STRIDE ? i : N - STRIDE) + 1;
	uint32_t ahead = j >= i + STRIDE ? j - STRIDE + 1 : j;

	if (i == j)
		return 0;
	return j > i && ahead < around ? ahead : around;
}

static bool has_ranks(const struct apsp_ring *ring)
{
	return ring->integers->kind == APSP_DISTANCE_WIDTH;
}

static int64_t known(const struct apsp_ring *ring, uint32_t i, uint32_t j)
{
	return has_ranks(ring) ? known_rank(i, j)
			       : known_sum(ring->chord, i, j);
}

/* Return the known predecessor of j in row i, if the distance matrix has sums
   of lengths and not ranks of widths. The predecessor is the lowest vertex that
   precedes j on a shortest path from i; UINT32_MAX: there is none. */
static uint32_t known_predecessor(int64_t chord, uint32_t i, uint32_t j)
{
	uint32_t step = (j + N - 1) % N, far = (j + N - STRIDE) % N;
	uint32_t found = UINT32_MAX;

	if (i == j)
		return UINT32_MAX;
	if (known_sum(chord, i, step) + 1 == known_sum(chord, i, j))
		found = step;
	if (far < found &&
		known_sum(chord, i, far) + chord == known_sum(chord, i, j))
		found = far;
	return found;
}

/* For ranks of widths: return whether predecessors lead from j back to i, along
   arcs that give V(i, j). `found` has the predecessors of row i. */
static bool ranks_lead(const uint32_t *found, uint32_t i, uint32_t j)
{
	uint32_t n_steps = 0;

	for (uint32_t v = j; v != i && n_steps < N; n_steps++) {
		uint32_t tail = found[v];

		if (tail >= N ||
			((tail + 1) % N != v && (tail + STRIDE) % N != v))
			return false;
		if (known_rank(i, v) != apsp_extend(true, known_rank(i, tail),
						(int64_t)tail + 1))
			return false;
		v = tail;
	}
	return n_steps < N && found[i] == UINT32_MAX;
}

/* Whether the predecessor of j in row i is right. */
static bool predecessor_is_right(const struct apsp_ring *ring,
	const uint32_t *found, uint32_t i, uint32_t j)
{
	return has_ranks(ring)
		       ? ranks_lead(found, i, j)
		       : found[j] == known_predecessor(ring->chord, i, j);
}

static int fail_wrong(const struct apsp_device *device, const char *what,
	uint32_t i, uint32_t j, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EDEVICE,
		"'%s' computes wrongly: %s(%u,%u) of the test graph",
		device->info.name, what, i, j);
}

/* A ring that a device has solved, and buffers for the rows of its tables on
   the device and on the host. */
struct solved {
	struct apsp_ring ring;
	struct apsp_predecessors predecessors;
	struct apsp_sum_arcs arcs;
	struct apsp_sums_device sums;
	struct apsp_row_weights weights;
	cl_mem rows; /* first the rows of the distance matrix, later the rows of
			path sums */
	cl_mem v;    /* copy of the distance matrix, with which path sums are
			checked */
	cl_mem tails;
	/* 32-bit words that kernels write: the counts, two marks (row_marks.h)
	   for each row, and the results of the kernels for path sums */
	cl_mem checks;
	void *values; /* the contents of `rows` on the host */
	unsigned char stored[N * N * sizeof(uint32_t)];
	uint32_t found[N * N]; /* the predecessors of all rows, as vertex
				  indices */
	uint32_t counts[sizeof(struct apsp_checks) / 4 + 4 * N +
			APSP_SUMS_DEVICE_HOPS + 2];
};

static void solved_free(struct solved *s)
{
	if (!s)
		return;
	apsp_sums_device_done(&s->sums);
	apsp_sum_arcs_done(&s->arcs);
	apsp_predecessors_done(&s->predecessors);
	apsp_row_weights_done(&s->weights);
	apsp_device_buffer_done(&s->rows);
	apsp_device_buffer_done(&s->v);
	apsp_device_buffer_done(&s->tails);
	apsp_device_buffer_done(&s->checks);
	free(s->values);
	free(s);
}

APSP_AUTO_DEFINE(solved_end, struct solved, solved_free);
APSP_AUTO_DEFINE(row_stats_free, struct apsp_row_stats, apsp_row_stats_free);

/* Indices of words in `counts`, at which the arrays of results begin: first the
   marks (checksums of rows, row_marks.h) of distances, then the marks of
   predecessors, then four arrays about path sums (struct apsp_sums_at). */
enum {
	AT_VALUES = sizeof(struct apsp_checks) / 4,
	AT_TAILS = AT_VALUES + N,
	AT_SUMMED = AT_TAILS + N,
	AT_ROW_HOPS = AT_SUMMED + N,
	AT_HOPS = AT_ROW_HOPS + N,
	AT_WRONG = AT_HOPS + APSP_SUMS_DEVICE_HOPS,
};

static const struct apsp_sums_at sums_at = {
	.summed = AT_SUMMED,
	.marks = AT_VALUES,
	.row_hops = AT_ROW_HOPS,
	.hops = AT_HOPS,
	.wrong = AT_WRONG,
};

static int solved_open(
	struct solved *s, enum apsp_element sums, struct apsp_err *err)
{
	static const cl_uint zero = 0;
	size_t size = apsp_element_size(apsp_element_wider(
			      s->ring.panels->element, sums)) *
		      N * N;
	uint8_t all[2 * N];
	int r;

	memset(all, 1, sizeof(all));
	s->values = malloc(size);
	if (!s->values)
		return apsp_fail(err, APSP_ENOMEM, "test the device");
	r = apsp_row_weights_init(&s->weights, N, err);
	if (r >= 0)
		r = apsp_predecessors_open(s->ring.panels, s->ring.lengths,
			s->ring.integers, all, NULL, &s->predecessors, err);
	if (r >= 0)
		r = apsp_predecessors_reserve(&s->predecessors, N, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			s->ring.device, size, NULL, &s->rows, err);
	if (r >= 0)
		r = apsp_device_buffer_make(s->ring.device, sizeof(s->stored),
			NULL, &s->tails, err);
	if (r >= 0)
		r = apsp_device_buffer_make(s->ring.device, sizeof(s->counts),
			NULL, &s->checks, err);
	if (r >= 0)
		r = apsp_opencl_fill(s->ring.device->queue, s->checks, &zero,
			sizeof(zero), 0, sizeof(s->counts), "test the device",
			err);
	return r;
}

static int buffer_read(const struct solved *s, cl_mem from, size_t size,
	void *out, struct apsp_err *err)
{
	return apsp_opencl_read(s->ring.device->queue, from, 0, size, out,
		"read the device's test", err);
}

static int rows_compare(struct solved *s, struct apsp_err *err)
{
	enum apsp_element element = s->ring.panels->element;
	int r = apsp_panel_rows_read(s->ring.panels, 0, N, s->rows, err);

	if (r >= 0)
		r = buffer_read(s, s->rows,
			(size_t)N * N * apsp_element_size(element), s->values,
			err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++)
			if (apsp_v_element_get(
				    element, s->values, (uint64_t)i * N + j) !=
				(double)known(&s->ring, i, j))
				return fail_wrong(
					s->ring.device, "V", i, j, err);
	return 0;
}

/* Whether counts[at], the mark that the device computed for a row
   (row_marks.h), equals the mark of the host's copy of this row. */
static bool mark_agrees(const struct solved *s, uint32_t at, const void *row,
	enum apsp_element element)
{
	uint32_t made = s->counts[at];

	if (apsp_element_size(element) <= sizeof(uint16_t))
		made = (uint16_t)made;
	return apsp_row_mark(&s->weights, row, N, element) == made;
}

static int predecessors_compare(struct solved *s, struct apsp_err *err)
{
	enum apsp_element element = s->ring.panels->element;
	enum apsp_element stored = s->predecessors.stored;
	size_t row = N * apsp_element_size(element);
	size_t stored_row = N * apsp_element_size(stored);
	/* The kernel counts a path as a misfit if its integer distance is a
	   multiple of the scale, because the scale is then too small for the
	   hops of the path. The ring's scale is 1, so every path is a
	   misfit. */
	uint32_t misfits = s->ring.integers->kind == APSP_DISTANCE_SCALED
				   ? N * (N - 1)
				   : 0;
	struct apsp_checks counts;
	int r = apsp_predecessors_rows(&s->predecessors, s->rows, 0, N,
		s->tails, s->checks,
		(struct apsp_marks_at){AT_VALUES, AT_TAILS}, err);

	if (r >= 0)
		r = buffer_read(s, s->tails, sizeof(s->stored), s->stored, err);
	if (r >= 0)
		r = buffer_read(
			s, s->checks, sizeof(s->counts), s->counts, err);
	if (r < 0)
		return r;
	memcpy(&counts, s->counts, sizeof(counts));
	if (counts.unproved != 0 || counts.misfits != misfits ||
		counts.finite != N * N)
		return apsp_fail(err, APSP_EDEVICE,
			"'%s' computes wrongly: it counts %u, %u and %u in the "
			"test graph",
			s->ring.device->info.name, counts.unproved,
			counts.misfits, counts.finite);
	for (uint32_t i = 0; i < N; i++) {
		const unsigned char *mine = s->stored + i * stored_row;
		uint32_t *found = s->found + (size_t)i * N;

		apsp_in_arcs_tails(s->ring.lengths, mine, 0, N, found);
		for (uint32_t j = 0; j < N; j++)
			if (!predecessor_is_right(&s->ring, found, i, j))
				return fail_wrong(s->ring.device,
					"the predecessor", i, j, err);
		if (!mark_agrees(s, AT_VALUES + i,
			    (const char *)s->values + i * row, element) ||
			!mark_agrees(s, AT_TAILS + i, mine, stored))
			return fail_wrong(
				s->ring.device, "the mark", i, 0, err);
	}
	return 0;
}

static int sums_compare(
	struct solved *s, enum apsp_element sums, struct apsp_err *err)
{
	size_t size = apsp_element_size(sums);
	size_t v_size = N * N * apsp_element_size(s->ring.panels->element);
	int r = apsp_sum_arcs_load(
		&s->predecessors, s->ring.lengths, &s->arcs, err);

	if (r >= 0)
		r = apsp_sums_device_open(&s->predecessors, &s->arcs,
			s->ring.integers, sums, &s->sums, err);
	if (r < 0 || !s->sums.kernel)
		return r;
	/* make the copy of the distance matrix from s->values, which
	   rows_compare() has read from the device */
	r = apsp_device_buffer_make(
		s->ring.device, v_size, s->values, &s->v, err);
	if (r >= 0)
		r = apsp_sums_device_rows(&s->sums, s->tails, s->v, 0, N,
			s->rows, s->checks, &sums_at, err);
	if (r >= 0)
		r = buffer_read(s, s->rows, N * N * size, s->values, err);
	if (r >= 0)
		r = buffer_read(
			s, s->checks, sizeof(s->counts), s->counts, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < N; i++) {
		const char *row = (const char *)s->values + i * N * size;

		/* the expected sum: a chord has the length chord - 1, a step
		   has the length 0 */
		for (uint32_t j = 0; j < N; j++)
			if ((sums == APSP_ELEMENT_F64
					    ? ((const double *)row)[j]
					    : (double)((
						      const float *)row)[j]) !=
				(double)((j + N - i) % N / STRIDE *
					 (s->ring.chord - 1)))
				return fail_wrong(
					s->ring.device, "the sum", i, j, err);
		if (s->counts[AT_SUMMED + i] != 1 ||
			!mark_agrees(s, AT_VALUES + i, row, sums))
			return fail_wrong(
				s->ring.device, "the mark", i, 0, err);
	}
	if (s->counts[AT_WRONG] != 0 || s->counts[AT_WRONG + 1] != 0)
		return apsp_fail(err, APSP_EDEVICE,
			"'%s' computes wrongly: it refutes sums of the test "
			"graph",
			s->ring.device->info.name);
	return 0;
}

/* Count the arcs of all paths by following predecessors, because path sums do
   not include hop counts. */
static void hops_count(const struct solved *s, struct apsp_row_stats *own,
	struct apsp_row_stats *made)
{
	uint32_t hops[N];

	for (uint32_t i = 0; i < N; i++) {
		for (uint32_t j = 0; j < N; j++) {
			hops[j] = 0;
			for (uint32_t v = j; v != i && hops[j] < N;
				v = s->found[i * N + v])
				hops[j]++;
		}
		apsp_row_stats_hops(own, 0, hops);
	}
	apsp_row_stats_last_hops(made, hops);
}

/* Compare the device's statistics, bit by bit, with the statistics that the
   host computes from the same rows. */
static int stats_compare(
	const struct solved *s, enum apsp_element sums, struct apsp_err *err)
{
	APSP_AUTO(row_stats_free) struct apsp_row_stats *own = NULL;
	APSP_AUTO(row_stats_free) struct apsp_row_stats *made = NULL;
	APSP_AUTO(apsp_stats_device_done) struct apsp_stats_device stats = {0};
	bool summed = sums != APSP_ELEMENT_NONE;
	enum apsp_element element = summed ? sums : s->ring.panels->element;
	const struct apsp_integers integers = {
		.kind = summed ? APSP_DISTANCE_SUM : s->ring.integers->kind,
		.scale = STATS_SCALE};
	const struct apsp_stats_rows rows = {.device = s->ring.device,
		.v = s->ring.panels->element,
		.has_sums = s->sums.kernel != NULL,
		.n_rows = N};
	const struct apsp_made_hops hops =
		apsp_sums_device_hops(s->counts, &sums_at);
	struct apsp_row_strip strip = {
		.n_rows = N, .distances = s->values, .predecessors = s->stored};
	int r = apsp_row_stats_new(
		s->ring.lengths, &integers, element, 1, &own, err);

	if (r >= 0)
		r = apsp_row_stats_new(
			s->ring.lengths, &integers, element, 1, &made, err);
	if (r >= 0)
		r = apsp_stats_device_open(&rows, made, &stats, err);
	if (r < 0 || !stats.begin)
		return r;
	if (summed)
		hops_count(s, own, made);
	r = apsp_row_stats_rows(own, &strip, NULL, err);
	if (r >= 0)
		r = apsp_stats_device_rows(
			&stats, 0, s->rows, 0, N, s->checks, AT_SUMMED, err);
	apsp_opencl_finish(s->ring.device->queue);
	if (r >= 0)
		r = apsp_stats_device_made(&stats, 0, &hops, &strip.made, err);
	if (r < 0)
		return r;
	if (apsp_made_stats_add(made, &strip, err) >= 0 &&
		apsp_row_stats_same(own, made))
		return 0;
	return apsp_fail(err, APSP_EDEVICE,
		"'%s' computes wrongly: the statistics of the test graph",
		s->ring.device->info.name);
}

int apsp_ring_proof_run(const struct apsp_ring *ring, enum apsp_element sums,
	struct apsp_err *err)
{
	APSP_AUTO(solved_end) struct solved *s = NULL;
	int r;

	s = malloc(sizeof(*s));
	if (!s)
		return apsp_fail(err, APSP_ENOMEM, "test the device");
	*s = (struct solved){.ring = *ring};
	r = solved_open(s, sums, err);
	if (r >= 0)
		r = rows_compare(s, err);
	if (r >= 0)
		r = predecessors_compare(s, err);
	if (r >= 0 && sums != APSP_ELEMENT_NONE)
		r = sums_compare(s, sums, err);
	return r < 0 ? r : stats_compare(s, sums, err);
}
