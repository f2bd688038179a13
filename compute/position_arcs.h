/*
 * A task's arcs as compressed sparse rows by position (order.h), for algorithms
 * that go from vertex to vertex rather than over a matrix.
 */
#ifndef APSP_COMPUTE_POSITION_ARCS_H
#define APSP_COMPUTE_POSITION_ARCS_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/algorithm.h"
#include "compute/device.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* Which end of the arcs makes the rows. */
enum apsp_arc_rows {
	APSP_ROWS_BY_TAIL,
	APSP_ROWS_BY_HEAD,
};

/* On the host; arrays owned. */
struct apsp_position_arcs {
	uint32_t n_vertices;
	uint32_t n_arcs;
	enum apsp_element element;
	uint32_t *offsets; /* n_vertices + 1 */
	uint32_t *ends;	   /* the other end of each */
	void *lengths;	   /* in V's element */
};

/* On a device. */
struct apsp_position_buffers {
	cl_mem offsets;
	cl_mem ends;
	cl_mem lengths;
};

/*
 * Arcs that no shortest path takes are left out: self-loops, those as long as
 * V's infinity, and those whose byte of useless is 1 (n_arcs; NULL: none).
 * Linear time. The caller ends *out with apsp_position_arcs_done().
 * APSP_ELIMIT: 2^32 arcs or more; APSP_ENOMEM.
 */
int apsp_position_arcs_build(const struct apsp_task *task,
	enum apsp_element element, enum apsp_arc_rows rows,
	const uint8_t *useless, struct apsp_position_arcs *out,
	struct apsp_err *err);
void apsp_position_arcs_done(struct apsp_position_arcs *arcs);

/*
 * Put them on the device. The caller ends *out with
 * apsp_position_buffers_done(). APSP_EDEVICE; APSP_ELIMIT.
 */
int apsp_position_arcs_upload(const struct apsp_position_arcs *arcs,
	const struct apsp_device *device, struct apsp_position_buffers *out,
	struct apsp_err *err);
void apsp_position_buffers_done(struct apsp_position_buffers *buffers);

#endif
