/*
 * Rounds over a list of edges on the device, for a batch of sources: what
 * bf-edges and bfs-levels have in common. The state is rows of one value a
 * vertex, columns by position; a row belongs to one source or to several.
 */
#ifndef APSP_COMPUTE_EDGE_SWEEP_H
#define APSP_COMPUTE_EDGE_SWEEP_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device.h"
#include "compute/edge_list.h"
#include "compute/program.h"
#include "compute/tuning.h"
#include "daemon/base/err.h"

/* Of rows: how many sources share one, and the bytes of one value. */
struct apsp_edge_shape {
	uint32_t sources;
	uint32_t value_bytes;
};

struct apsp_edge_sweep {
	const struct apsp_device *device;
	struct apsp_edge_shape shape;
	uint32_t n_vertices;
	uint32_t rows_max; /* of a batch */
	uint64_t n_edges;
	cl_mem tails; /* positions, u32, APSP_EDGE_BOTH_WAYS */
	cl_mem heads;
	cl_mem state;	/* rows_max rows */
	cl_mem changed; /* rounds: of any row, then of each */
	cl_kernel round;
};

/* Rows of one batch, and the device bytes of edges and state. */
uint32_t apsp_edge_rows(uint32_t n_vertices, uint64_t n_arcs,
	struct apsp_edge_shape shape, const struct apsp_tuning *tuning);
uint64_t apsp_edge_bytes(uint32_t n_vertices, uint64_t n_arcs,
	struct apsp_edge_shape shape, const struct apsp_tuning *tuning);

/*
 * Put the list, made of lengths, on the device and make room for the state. The
 * round's kernel is called round_name in program (kernels/bf_edges.cl,
 * bfs_levels.cl: all arguments but the last are alike). The caller ends *out
 * with apsp_edge_sweep_done(). APSP_ELIMIT, APSP_ENOMEM, APSP_EDEVICE.
 */
int apsp_edge_sweep_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths, const struct apsp_edge_list *list,
	struct apsp_edge_shape shape, cl_program program,
	const char *round_name, struct apsp_edge_sweep *out,
	struct apsp_err *err);
void apsp_edge_sweep_done(struct apsp_edge_sweep *sweep);

/*
 * Enqueue: begin a batch. All values of its rows become the given bytes, and
 * all rows count as changed in round 0.
 */
int apsp_edge_sweep_begin(const struct apsp_edge_sweep *sweep, uint32_t n_rows,
	const void *value, struct apsp_err *err);

/*
 * One round, counted from 1, in launches of tuning->launch_edges. own is the
 * kernel's last argument. Blocks. APSP_EDEVICE.
 */
int apsp_edge_sweep_round(const struct apsp_edge_sweep *sweep, uint32_t n_rows,
	cl_uint round, struct apsp_kernel_arg own, bool *out_changed,
	struct apsp_err *err);

#endif
