/*
 * Predecessors on the device; see predecessor.h.
 */
#include "compute/predecessor.h"

#include <stdlib.h>
#include <string.h>

#include "compute/footprint.h"
#include "compute/program.h"
#include "daemon/base/auto.h"

/* The device's essential arcs while the host fills them in. */
struct in_arcs {
	struct apsp_predecessors *predecessors;
	uint32_t *offsets; /* by head; tails ascend */
	uint32_t *tails;   /* predecessors->tails, mapped */
	char *lengths;	   /* predecessors->lengths, likewise */
};

static int unmap(const struct apsp_predecessors *p, cl_mem buffer, void *mapped,
	struct apsp_err *err)
{
	if (!mapped)
		return 0;
	return apsp_device_check(clEnqueueUnmapMemObject(p->device->queue,
					 buffer, mapped, 0, NULL, NULL),
		"write essential arcs", err);
}

static int in_arcs_unmap(struct in_arcs *in, struct apsp_err *err)
{
	const struct apsp_predecessors *p = in->predecessors;
	int r = unmap(p, p->tails, APSP_TAKE(in->tails), err);

	return r < 0 ? r : unmap(p, p->lengths, APSP_TAKE(in->lengths), err);
}

static void in_arcs_done(struct in_arcs *in)
{
	struct apsp_err ignored;

	in_arcs_unmap(in, &ignored);
	free(in->offsets);
}

/* A buffer of the device, to be written from end to end. */
static int map(const struct apsp_device *device, size_t size, cl_mem *out,
	void **out_mapped, struct apsp_err *err)
{
	int r = apsp_device_buffer(device, size, NULL, out, err);
	cl_int status;

	if (r < 0 || size == 0)
		return r;
	*out_mapped = clEnqueueMapBuffer(device->queue, *out, CL_TRUE,
		CL_MAP_WRITE_INVALIDATE_REGION, 0, size, 0, NULL, NULL,
		&status);
	return apsp_device_check(status, "map essential arcs", err);
}

/* Rows' starts from the flags of all arcs, and room for the flagged ones. */
static int in_arcs_open(struct in_arcs *in, const struct apsp_lengths *lengths,
	const uint8_t *flags, struct apsp_err *err)
{
	struct apsp_predecessors *p = in->predecessors;
	uint32_t n = lengths->n_vertices;
	void *tails = NULL, *mapped = NULL;
	int r;

	for (uint64_t e = 0; e < lengths->n_arcs; e++)
		p->n_essential += flags[e];
	if (p->n_essential >= UINT32_MAX)
		return apsp_fail(err, APSP_ELIMIT,
			"%llu essential arcs, more than 2^32",
			(unsigned long long)p->n_essential);
	in->offsets = calloc((size_t)n + 2, sizeof(*in->offsets));
	if (!in->offsets)
		return apsp_fail(err, APSP_ENOMEM, "select %llu arcs",
			(unsigned long long)p->n_essential);
	/* two places further on, so that filling leaves the starts behind */
	for (uint64_t e = 0; e < lengths->n_arcs; e++)
		in->offsets[(size_t)lengths->heads[e] + 2] += flags[e];
	for (size_t v = 2; v <= (size_t)n + 1; v++)
		in->offsets[v] += in->offsets[v - 1];
	r = map(p->device, p->n_essential * sizeof(*in->tails), &p->tails,
		&tails, err);
	in->tails = tails;
	if (r >= 0)
		r = map(p->device,
			p->n_essential * apsp_element_size(p->element),
			&p->lengths, &mapped, err);
	in->lengths = mapped;
	return r;
}

/* A counting sort by head of the flagged arcs; ascending tails come of it. */
static void in_arcs_fill(struct in_arcs *in, const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *flags)
{
	enum apsp_element element = in->predecessors->element;
	size_t size = apsp_element_size(element);

	for (uint32_t u = 0; u < lengths->n_vertices; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			int64_t length;
			uint32_t at;

			if (!flags[e])
				continue;
			at = in->offsets[(size_t)lengths->heads[e] + 1]++;
			length = apsp_integers_at(lengths, integers, u, e);
			in->tails[at] = u;
			apsp_element_store(
				element, &length, 1, in->lengths + at * size);
		}
}

/*
 * The flagged arcs by head, written where the device has them: a copy on the
 * host might be as large as all arcs.
 */
static int in_arcs_put(struct apsp_predecessors *p,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *flags,
	struct apsp_err *err)
{
	APSP_AUTO(in_arcs_done) struct in_arcs in = {.predecessors = p};
	int r = in_arcs_open(&in, lengths, flags, err);

	if (r < 0)
		return r;
	in_arcs_fill(&in, lengths, integers, flags);
	r = in_arcs_unmap(&in, err);
	if (r < 0)
		return r;
	return apsp_device_buffer(p->device,
		((size_t)p->n_vertices + 1) * sizeof(*in.offsets), in.offsets,
		&p->offsets, err);
}

/* Rows in a vector of predecessor_vector.cl. */
static uint32_t lanes_of(enum apsp_element element, size_t vertex_size)
{
	size_t value = apsp_element_size(element);

	return (uint32_t)(APSP_TURNED_BYTES /
			  (value > vertex_size ? value : vertex_size));
}

int apsp_predecessors_open(const struct apsp_panels *panels,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_device_arcs *arcs, struct apsp_predecessors *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_predecessors_done)
	struct apsp_predecessors p = {
		.device = panels->device,
		.element = panels->element,
		.n_vertices = panels->n_vertices,
		.vertex_size = apsp_element_size(
			apsp_predecessor_element(panels->n_vertices)),
	};
	APSP_AUTO(apsp_free) uint8_t *flags = NULL;
	int r;

	/* with potentials V is not the true one, and its hops read falsely */
	if (integers->kind == APSP_DISTANCE_SCALED && !integers->potentials)
		p.scale = (cl_uint)integers->scale;
	flags = calloc(lengths->n_arcs + 1, 1);
	if (!flags)
		return apsp_fail(err, APSP_ENOMEM, "select essential arcs");
	r = apsp_panels_essential(panels, arcs, flags, err);
	if (r >= 0)
		r = in_arcs_put(&p, lengths, integers, flags, err);
	if (!p.device->tuning->gpu)
		p.lanes = lanes_of(p.element, p.vertex_size);
	if (r >= 0)
		r = apsp_program_kernel(p.device,
			p.lanes > 0 ? "predecessor_vector" : "predecessor",
			p.element,
			p.vertex_size == 2 ? "-DPREDECESSOR_BITS=16"
					   : "-DPREDECESSOR_BITS=32",
			"predecessors", &p.kernel, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(p);
	return 0;
}

void apsp_predecessors_done(struct apsp_predecessors *p)
{
	apsp_device_kernel_done(&p->kernel);
	apsp_device_buffer_done(&p->offsets);
	apsp_device_buffer_done(&p->tails);
	apsp_device_buffer_done(&p->lengths);
	apsp_device_buffer_done(&p->turned);
	memset(p, 0, sizeof(*p));
}

static uint32_t vectors_of(const struct apsp_predecessors *p, uint32_t n_rows)
{
	return (n_rows + p->lanes - 1) / p->lanes;
}

int apsp_predecessors_reserve(struct apsp_predecessors *predecessors,
	uint32_t n_rows, struct apsp_err *err)
{
	if (predecessors->lanes == 0)
		return 0;
	apsp_device_buffer_done(&predecessors->turned);
	return apsp_device_buffer(predecessors->device,
		(size_t)vectors_of(predecessors, n_rows) *
			predecessors->n_vertices * APSP_TURNED_BYTES,
		NULL, &predecessors->turned, err);
}

int apsp_predecessors_rows(const struct apsp_predecessors *p, cl_mem v,
	uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_err *err)
{
	const struct apsp_tuning *tuning = p->device->tuning;
	const struct apsp_kernel_arg args[] = {APSP_ARG(v),
		APSP_ARG(p->n_vertices), APSP_ARG(first), APSP_ARG(p->offsets),
		APSP_ARG(p->tails), APSP_ARG(p->lengths), APSP_ARG(p->scale),
		APSP_ARG(out), APSP_ARG(checks), APSP_ARG(n_rows),
		APSP_ARG(p->turned)};
	int r = apsp_kernel_args(p->kernel, args, p->lanes > 0 ? 11 : 9, err);

	if (r < 0)
		return r;
	if (p->lanes > 0)
		return apsp_kernel_launch(p->device, p->kernel,
			vectors_of(p, n_rows), 1, 1, 1, err);
	return apsp_kernel_launch(p->device, p->kernel,
		(p->n_vertices + tuning->span - 1) / tuning->span, n_rows,
		tuning->row_group, 1, err);
}
