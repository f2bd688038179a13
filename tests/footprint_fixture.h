/*
 * For tests that compare plans with solves: graphs whose first width can be
 * planned and run, on devices whose limits a test sets. The OpenCL calls that
 * make and release buffers are replaced by ones that count bytes.
 */
#ifndef APSP_TESTS_FOOTPRINT_FIXTURE_H
#define APSP_TESTS_FOOTPRINT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>

#include "compute/solve/planner.h"
#include "daemon/job/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"
#include "tests/solved.h"

/* Bytes of device memory held now, and their peak. */
static uint64_t bytes_held, bytes_peak;
/* What the device refuses to hold more than; 0: it refuses nothing. */
static uint64_t bytes_free;

/* The same call in the OpenCL loader. */
static inline void next_find(const char *name, void *out)
{
	void *next = dlsym(RTLD_NEXT, name);

	assert_non_null(next);
	memcpy(out, &next, sizeof(next));
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
	void *data, cl_int *status)
{
	cl_mem (*next)(cl_context, cl_mem_flags, size_t, void *, cl_int *);

	next_find("clCreateBuffer", &next);
	if (bytes_free > 0 && !(flags & CL_MEM_ALLOC_HOST_PTR) &&
		bytes_held + size > bytes_free) {
		*status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
		return NULL;
	}
	if (!(flags & CL_MEM_ALLOC_HOST_PTR))
		bytes_held += size;
	if (bytes_held > bytes_peak)
		bytes_peak = bytes_held;
	return next(context, flags, size, data, status);
}

cl_int clReleaseMemObject(cl_mem buffer)
{
	cl_int (*next)(cl_mem);
	cl_mem_flags flags = 0;
	size_t size = 0;

	next_find("clReleaseMemObject", &next);
	assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof(flags),
				 &flags, NULL),
		CL_SUCCESS);
	assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(size),
				 &size, NULL),
		CL_SUCCESS);
	if (!(flags & CL_MEM_ALLOC_HOST_PTR))
		bytes_held -= size;
	return next(buffer);
}

/*
 * A graph in which each vertex leads to those after it: to the next ones or,
 * with a small degree, to those 1, 2, 4, … after it. Then paths have few arcs,
 * and algorithms that make a round for each few rounds; no round allocates
 * anything.
 */
struct shape {
	uint32_t n;
	uint32_t degree;
	double longest;
	bool hops;
	bool widest;
};

/* How far after a vertex its arc number i >= 1 leads. */
static inline uint32_t stride_of(const struct shape *shape, uint32_t i)
{
	bool doubling =
		shape->degree < 32 && 1U << (shape->degree - 1) < shape->n;

	return doubling ? 1U << (i - 1) : i;
}

static inline void graph_make(const struct device_fixture *fixture,
	const struct shape *shape, bool cyclic)
{
	struct graph_fixture g;
	struct apsp_err err;
	uint64_t seed = 1;
	char path[300];

	graph_fixture_init(&g, shape->n);
	for (uint32_t u = 0; u < shape->n; u++)
		for (uint32_t i = 1; i <= shape->degree; i++) {
			uint32_t head = u + stride_of(shape, i);

			if (!cyclic && head >= shape->n)
				break;
			graph_fixture_add(&g, u, head % shape->n,
				shape->longest < 1
					? 1 + random_unit(&seed)
					: 1 + floor(random_unit(&seed) *
						      shape->longest));
		}
	if (shape->hops)
		g.graph.profile.transform = APSP_TRANSFORM_HOPS;
	if (shape->widest) {
		g.graph.profile.path = APSP_PATH_WIDEST;
		g.graph.profile.tables = APSP_TABLES_DISTANCE;
	}
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

/* A device whose limits a test sets, with its own or another's tuning. */
struct limited {
	struct apsp_device device;
	struct apsp_tuning tuning;
};

static inline void limited_init(
	struct limited *l, const struct device_fixture *fixture, bool gpu)
{
	l->device = fixture->device;
	/* rows come by copies, as from memory of the device's own */
	if (gpu)
		l->device.host_memory = false;
	l->tuning = *apsp_tuning_find("", gpu, NULL);
	/* small, so that rows and batches come in several parts */
	l->tuning.staging_bytes = 1 << 15;
	l->tuning.lanes_bytes = 1 << 18;
	l->tuning.pivot_tiles = gpu ? 2 : 1;
	l->device.tuning = &l->tuning;
}

/* A graph in its first width, ready to be run or planned. */
struct first {
	struct apsp_prepared_graph prepared;
	struct apsp_progress silent;
};

static inline void first_make(
	const struct device_fixture *fixture, struct first *out)
{
	struct apsp_negative_cycle cycle = {0};
	struct apsp_err err;
	char path[300];

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	apsp_progress_init(&out->silent, NULL, NULL);
	assert_int_equal(
		apsp_prepared_graph_open(path, &out->prepared, &err), 0);
	assert_int_equal(
		apsp_prepared_graph_lengths(&out->prepared, &cycle, &err), 0);
	assert_int_equal(apsp_prepared_graph_closure(&out->prepared, NULL, NULL,
				 &out->silent, &err),
		0);
	assert_int_equal(apsp_prepared_graph_scale(&out->prepared,
				 &out->prepared.widths[0], &err),
		0);
}

/* Leave out useless arcs if the algorithm's solves do. */
static inline void arcs_choose(struct first *first, const char *name)
{
	struct apsp_prepared_graph *prepared = &first->prepared;
	struct apsp_err err;

	apsp_prepared_graph_drop_useful(prepared);
	if (apsp_algorithms[apsp_algorithm_find(name)].competes)
		assert_int_equal(apsp_prepared_graph_useful(
					 prepared, NULL, INFINITY, &err),
			0);
}

static inline struct apsp_estimate estimate(
	struct first *first, const struct apsp_device *device, const char *name)
{
	struct apsp_plan plan;

	arcs_choose(first, name);
	apsp_planner_make(&first->prepared, device, &first->prepared.widths[0],
		name, 0, 0, &plan);
	return plan.algorithms[apsp_algorithm_find(name)];
}

#endif
