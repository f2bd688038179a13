/*
 * Solves a ring with chords. If the result is wrong, the test is repeated with
 * other forms of the kernels; see self_test.h.
 */
#include "compute/solve/self_test.h"

#include <assert.h>
#include <string.h>

#include "compute/device/kernel_cache.h"
#include "compute/device/kernel_form.h"
#include "compute/device/programs.h"
#include "compute/graph/in_arcs.h"
#include "compute/progress.h"
#include "compute/solve/ring_proof.h"
#include "daemon/base/auto.h"
#include "daemon/base/fields.h"
#include "daemon/job/profile.h"

enum {
	N = APSP_RING_N,
	/* each chord adds this number to the integer distance of a path; if
	   distances count arcs, each chord adds 1 instead */
	CHORD = 4,
	/* largest number of bytes of a test's name (apsp_self_test_named()),
	   including its NUL */
	NAME_SIZE = APSP_TRIAL_SIZE / 2,
};

static int ring_solve(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	const struct apsp_distance_algorithm *algorithm = test->algorithm;
	const bool hops = test->hops || algorithm->entry->hops_only;
	const bool widths = test->widths;
	const int64_t chord = hops ? 1 : CHORD;
	uint64_t offsets[N + 1];
	uint32_t heads[2 * N], reversed[N];
	double lengths[2 * N];
	struct apsp_lengths ring = {.n_vertices = N,
		.n_arcs = 2 * N,
		.offsets = offsets,
		.heads = heads,
		.lengths = lengths};
	const struct apsp_integers integers = {
		.kind = widths ? APSP_DISTANCE_WIDTH
			: hops ? APSP_DISTANCE_HOPS
			       : APSP_DISTANCE_SCALED,
		.scale = 1,
		.unit = 1};
	const struct apsp_positions positions = {
		.n_vertices = N, .vertices = reversed, .of = reversed};
	const struct apsp_task task = {.lengths = &ring,
		.integers = &integers,
		.order = &positions,
		.arcs = &arcs};
	struct apsp_progress silent;
	int r = 0;

	for (uint32_t v = 0; v < N; v++) {
		offsets[v] = 2 * v;
		heads[2 * v] = (v + 1) % N;
		/* If distances are sums, a step (the arc from v to v + 1) has
		   the length 0. It still adds 1 to the integer distance, which
		   has 1 for each arc of the path. */
		lengths[2 * v] = widths ? v + 1 : 0;
		heads[2 * v + 1] = (v + APSP_RING_STRIDE) % N;
		lengths[2 * v + 1] = widths ? v + 1 : (double)chord - 1;
		/* the reversed order makes positions differ from indices */
		reversed[v] = N - 1 - v;
	}
	offsets[N] = 2 * N;
	apsp_progress_init(&silent, NULL, NULL);
	if (test->rank != APSP_ELEMENT_NONE)
		r = apsp_in_arcs_build(&ring, err);
	ring.in.rank = test->rank;
	if (r >= 0)
		r = apsp_device_arcs_load(device, &ring, &integers, &positions,
			test->element, &arcs, err);
	if (r >= 0)
		r = apsp_distance_algorithm_panels(algorithm, device, &task,
			test->element, N, &panels, err);
	if (r >= 0)
		r = algorithm->run(&task, &panels, &silent, err);
	if (r >= 0)
		r = apsp_ring_proof_run(&(struct apsp_ring){.device = device,
						.lengths = &ring,
						.integers = &integers,
						.panels = &panels,
						.chord = chord},
			test->sums, err);
	apsp_in_arcs_done(&ring.in);
	return r;
}

/* Solve the ring. The algorithm `multi-source` solves several sources together,
   as a batch; the test uses batches as large as those of the job. In such a
   batch, the distances from all sources to one vertex take test->lane_bytes
   bytes (batch_size.h). */
static int lanes_solve(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err)
{
	struct apsp_device own = *device;
	struct apsp_tuning tuning = *device->tuning;

	if (test->lane_bytes > 0)
		tuning.lane_bytes = test->lane_bytes;
	own.tuning = &tuning;
	return ring_solve(&own, test, err);
}

/*
 * Test the device. After a wrong result, test it once more. After a second
 * wrong result, find out which kernel's fast form is bad: for each kernel whose
 * fast form is untested, repeat the test with the plain form of this kernel and
 * the fast forms of all others. Stop when a test passes. If none passes, test
 * the device with the plain forms of all these kernels.
 */
static int forms_test(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err)
{
	int r = lanes_solve(device, test, err);

	if (r == APSP_EDEVICE && apsp_kernel_form_untested(device))
		r = lanes_solve(device, test, err);
	for (int i = 0; r == APSP_EDEVICE && apsp_kernel_form_doubt(device, i);
		i++)
		r = lanes_solve(device, test, err);
	if (r == APSP_EDEVICE && apsp_kernel_form_doubt(device, APSP_FORM_ALL))
		r = lanes_solve(device, test, err);
	if (r < 0)
		return r;
	apsp_kernel_cache_trust(device);
	return r;
}

#define FIELD(member, kind)                                                    \
	APSP_MEMBER(struct apsp_self_test, member, #member, kind)

/* All members of struct apsp_self_test except the algorithm. An enum is written
   as a number. */
static const struct apsp_member fields[] = {
	FIELD(element, U32),
	FIELD(sums, U32),
	FIELD(hops, FLAG),
	FIELD(widths, FLAG),
	FIELD(rank, U32),
	FIELD(lane_bytes, U32),
};

static_assert(sizeof(enum apsp_element) == sizeof(uint32_t),
	"an element is read and written as a number of 32 bits");

enum {
	N_FIELDS = sizeof(fields) / sizeof(*fields),
};

int apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err)
{
	struct apsp_programs *programs = device->programs;
	char name[NAME_SIZE] = "";
	int r;

	apsp_fields_add(
		name, NAME_SIZE, "test", "%s", test->algorithm->entry->name);
	apsp_fields_write(name, NAME_SIZE, fields, N_FIELDS, test);
	if (apsp_kernel_cache_passed(device, name))
		return 0;
	strcpy(programs->test, name);
	programs->tried = APSP_TEST_UNTRIED;
	r = forms_test(device, test, err);
	programs->test[0] = '\0';
	if (r >= 0)
		apsp_kernel_cache_pass(device, name);
	return r;
}

int apsp_self_test_named(const struct apsp_device *device, const char *name,
	struct apsp_err *err)
{
	struct apsp_self_test test = {.algorithm = NULL};
	char algorithm[APSP_ALGORITHM_SIZE];

	if (apsp_fields_get(name, "test", algorithm, sizeof(algorithm)) &&
		apsp_fields_read(name, fields, N_FIELDS, &test) == N_FIELDS)
		test.algorithm = apsp_distance_algorithm_find(algorithm);
	if (!test.algorithm || test.algorithm->entry->start == APSP_START_HOST)
		return apsp_fail(err, APSP_EBUG, "no test is '%s'", name);
	return apsp_self_test_run(device, &test, err);
}
