/*
 * Bellman–Ford on the dense matrix, in three forms, from all vertices, a batch
 * of sources at a time: rounds of d(s,v) = min over u of d(s,u) + w(u,v), until
 * one changes nothing. A round is n² relaxations a source; there are about as
 * many as a shortest path has arcs. Method: Liu et al. 2015.
 *
 * `bf-dense-vertex`: one work-item a vertex walks its column of w.
 * `bf-dense-reduce`: tuning->bf_items items share a vertex and take the least
 * of theirs in local memory. `bf-dense-transposed`: the same on the transpose
 * of w, so that neighbouring items read neighbouring values.
 */
#ifndef APSP_COMPUTE_BF_DENSE_H
#define APSP_COMPUTE_BF_DENSE_H

#include "compute/algorithm.h"

/*
 * See struct apsp_algorithm. The panels start with the arcs, the first round's
 * result, and become d; w has panels of its own meanwhile.
 */
int apsp_bf_dense_vertex_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);
int apsp_bf_dense_reduce_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);
int apsp_bf_dense_transposed_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

#endif
