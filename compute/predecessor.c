/*
 * Predecessors on the device; see predecessor.h.
 */
#include "compute/predecessor.h"

#include <stdlib.h>
#include <string.h>

#include "compute/footprint.h"
#include "compute/program.h"
#include "daemon/base/auto.h"

/* Essential arcs by head, tails ascending, while the host fills them in. */
struct in_arcs {
	uint32_t *offsets;
	struct apsp_device_map tails;
	struct apsp_device_map lengths;
};

static void in_arcs_done(struct in_arcs *in)
{
	apsp_device_map_done(&in->tails);
	apsp_device_map_done(&in->lengths);
	free(in->offsets);
}

/* Rows' starts from the flags of all arcs, and room for the flagged ones. */
static int in_arcs_open(struct apsp_predecessors *p,
	const struct apsp_lengths *lengths, const uint8_t *flags,
	struct in_arcs *in, struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices;
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
	r = apsp_device_map_open(p->device, p->n_essential * sizeof(uint32_t),
		&p->tails, &in->tails, err);
	if (r >= 0)
		r = apsp_device_map_open(p->device,
			p->n_essential * apsp_element_size(p->element),
			&p->lengths, &in->lengths, err);
	return r;
}

/* A counting sort by head of the flagged arcs; ascending tails come of it. */
static void in_arcs_fill(const struct in_arcs *in,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const uint8_t *flags,
	enum apsp_element element)
{
	size_t size = apsp_element_size(element);
	uint32_t *tails = in->tails.bytes;
	char *out = in->lengths.bytes;

	for (uint32_t u = 0; u < lengths->n_vertices; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			int64_t length;
			uint32_t at;

			if (!flags[e])
				continue;
			at = in->offsets[(size_t)lengths->heads[e] + 1]++;
			length = apsp_integers_at(lengths, integers, u, e);
			tails[at] = u;
			apsp_element_store(
				element, &length, 1, out + at * size);
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
	APSP_AUTO(in_arcs_done) struct in_arcs in = {0};
	int r = in_arcs_open(p, lengths, flags, &in, err);

	if (r < 0)
		return r;
	in_arcs_fill(&in, lengths, integers, flags, p->element);
	r = apsp_device_map_close(&in.tails, err);
	if (r >= 0)
		r = apsp_device_map_close(&in.lengths, err);
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
