/*
 * The one list of algorithms. Names, estimates, rates, tables of functions and
 * the tests' loops are made from it (compute/plan/README.md, One more
 * algorithm). There is no include guard: whoever includes this file defines
 * APSP_ALGORITHM, APSP_CLOSURE or both, and gets each row of theirs once.
 *
 *	APSP_ALGORITHM(ID, stem, "name", start, lengths, fields…)
 *
 * ID       makes the constant APSP_ALGORITHM_ID (algorithm.h)
 * stem     makes the function apsp_<stem>_run() (compute/distance/task.h)
 * start    ARCS, BLANK, STREAMED or HOST: enum apsp_start
 * lengths  ANY, or ONES: the algorithm counts arcs, and lengths must all be 1
 * fields   of struct apsp_algorithm, all of them optional but operations and
 *          steps
 *
 *	APSP_CLOSURE(ID, stem, "name", fields…)
 *
 * is the same for closures, with fields of struct apsp_closure_cost.
 *
 * The first algorithm and the first closure are the defaults.
 *
 * Rates were told by `apsp-solve --calibrate`; of 3 runs the least, of steps
 * the median. cpu: two cores of an EPYC with AVX-512, PoCL 3.1. gpu: H200,
 * driver 580, 16 processors beside it; bf-dense-transposed in 64 bits of an
 * earlier driver.
 */
#ifndef APSP_ALGORITHM
#define APSP_ALGORITHM(...)
#endif
#ifndef APSP_CLOSURE
#define APSP_CLOSURE(...)
#endif

/* clang-format off */

APSP_ALGORITHM(BLOCKED_FW, blocked_fw, "blocked-fw", ARCS, ANY,
	.kernels = "relax_cpu relax_gpu",
	.competes = true,
	.races = APSP_RACES_ALWAYS,
	.operations = apsp_cost_filled_cubic,
	.steps = apsp_cost_tile_rows,
	.cpu = {{2.2e-12, 0}, {4.3e-12, 0.00024}, {1.6e-11, 0}},
	.gpu = {{2.8e-14, 7.8e-05}, {5.7e-14, 1e-04}, {1.7e-13, 0.00033}})

APSP_ALGORITHM(BF_DENSE_REDUCE, bf_dense_reduce, "bf-dense-reduce", ARCS, ANY,
	.kernels = "bf_dense",
	.races = APSP_RACES_ALWAYS,
	.operations = apsp_cost_rounds_cubic,
	.steps = apsp_cost_rounds,
	.own_bytes = apsp_own_bytes_matrix,
	.cpu = {{1.2e-12, 0.00073}, {2.7e-12, 0.00043}, {9.5e-12, 0.00029}},
	.gpu = {{1.9e-13, 7e-05}, {2.3e-13, 4.4e-05}, {3.8e-13, 3.5e-05}})

APSP_ALGORITHM(BF_DENSE_TRANSPOSED, bf_dense_transposed, "bf-dense-transposed",
	ARCS, ANY,
	.kernels = "bf_dense",
	.races = APSP_RACES_ALWAYS,
	.operations = apsp_cost_rounds_cubic,
	.steps = apsp_cost_rounds,
	.own_bytes = apsp_own_bytes_matrix,
	.cpu = {{2.7e-12, 0.00043}, {4.6e-12, 0.00047}, {1.3e-11, 0.00023}},
	.gpu = {{8.6e-14, 0.00041}, {1.5e-13, 6.5e-05}, {2.4e-13, 5.3e-05}})

APSP_ALGORITHM(BF_DENSE_VERTEX, bf_dense_vertex, "bf-dense-vertex", ARCS, ANY,
	.kernels = "bf_dense",
	.races = APSP_RACES_ALWAYS,
	.operations = apsp_cost_rounds_cubic,
	.steps = apsp_cost_rounds,
	.own_bytes = apsp_own_bytes_matrix,
	.cpu = {{1.2e-12, 0.00044}, {2.8e-12, 0.00042}, {1.1e-11, 0.00028}},
	.gpu = {{7e-14, 0.00047}, {8.2e-14, 0.00023}, {2.5e-13, 0.00012}})

APSP_ALGORITHM(BF_EDGES, bf_edges, "bf-edges", BLANK, ANY,
	.kernels = "bf_edges",
	.wide_atomics = true,
	.operations = apsp_cost_rounds_arcs,
	.steps = apsp_cost_rounds,
	.own_bytes = apsp_own_bytes_edges,
	.cpu = {{1.7e-10, 0.00016}, {1.9e-10, 0.00014}, {1.7e-10, 0.00017}},
	.gpu = {{7.8e-11, 0}, {7.7e-11, 0}, {8.1e-11, 0}})

APSP_ALGORITHM(BFS_LEVELS, bfs_levels, "bfs-levels", BLANK, ONES,
	.kernels = "bfs_levels",
	.operations = apsp_cost_rounds_arcs,
	.steps = apsp_cost_rounds,
	.own_bytes = apsp_own_bytes_levels,
	.cpu = {{9.6e-12, 0.00011}, {5.1e-12, 0.00021}, {5.2e-12, 0.00014}},
	.gpu = {{1.2e-11, 6e-05}, {1.2e-11, 5.5e-05}, {1.2e-11, 6.4e-05}})

APSP_ALGORITHM(FW, fw, "fw", ARCS, ANY,
	.kernels = "fw",
	.operations = apsp_cost_whole_cubic,
	.steps = apsp_cost_vertices,
	.cpu = {{4e-11, 1.5e-05}, {5.1e-11, 1.6e-05}, {7.4e-11, 1.6e-05}},
	.gpu = {{4.7e-12, 2.6e-06}, {4.7e-12, 2.6e-06}, {4.7e-12, 2.7e-06}})

APSP_ALGORITHM(MINPLUS_SQUARING, minplus_squaring, "minplus-squaring", ARCS, ANY,
	.kernels = "minplus_squaring relax_cpu relax_gpu",
	.races = APSP_RACES_ALWAYS,
	.operations = apsp_cost_squared_cubic,
	.steps = apsp_cost_squared_tile_rows,
	.own_bytes = apsp_own_bytes_tile_sums,
	.own_buffer = apsp_own_bytes_tile_sums,
	.cpu = {{1.6e-12, 6e-05}, {3.3e-12, 8.9e-05}, {1.2e-11, 8.6e-05}},
	.gpu = {{2.8e-14, 7.8e-06}, {4.4e-14, 3.2e-05}, {1.6e-13, 7.2e-05}})

APSP_ALGORITHM(MULTI_SOURCE, multi_source, "multi-source", BLANK, ANY,
	.kernels = "multi_source_cpu multi_source_gpu "
		   "multi_source_bits_cpu multi_source_bits_gpu",
	.competes = true,
	.races = APSP_RACES_ON_GPU,
	.operations = apsp_cost_kept_pushes,
	.gpu_operations = apsp_cost_pushes,
	.steps = apsp_cost_passed_pairs,
	.gpu_steps = apsp_cost_swept_pairs,
	.steps_are_pairs = true,
	.window = apsp_own_bytes_lanes_window,
	.lanes = apsp_own_bytes_lanes_rows,
	.own_bytes = apsp_own_bytes_lanes,
	.own_buffer = apsp_own_bytes_lanes_buffer,
	.unfit = apsp_cost_many_arcs,
	.cpu = {{1.9e-11, 0}, {3.3e-11, 0}, {6.4e-11, 0}},
	.gpu = {{6.4e-13, 8.4e-12}, {9.8e-13, 1.5e-11}, {1.6e-12, 2.6e-11}})

APSP_ALGORITHM(REFERENCE, reference, "reference", HOST, ANY,
	.operations = apsp_cost_dijkstras,
	.steps = apsp_cost_none,
	.cpu = {{5.7e-09, 0}, {5.7e-09, 0}, {5.7e-09, 0}},
	.gpu = {{7.7e-09, 0}, {7.7e-09, 0}, {7.7e-09, 0}})

APSP_ALGORITHM(STREAMED_FW, streamed_fw, "streamed-fw", STREAMED, ANY,
	.kernels = "relax_cpu relax_gpu",
	.competes = true,
	.stands_in = true,
	.races = APSP_RACES_ALWAYS,
	.operations = apsp_cost_cubic,
	.steps = apsp_cost_tile_rows,
	.own_bytes = apsp_own_bytes_slabs,
	.cpu = {{2e-12, 0}, {4.7e-12, 0.0002}, {1.5e-11, 0}},
	.gpu = {{3.5e-14, 0.00014}, {7.2e-14, 0.00018}, {2.3e-13, 0.0004}})

APSP_CLOSURE(ORDER, closure_order, "closure-order",
	.kernels = "closure_order closure_rows",
	.or_host = true,
	.bytes = apsp_closure_order_bytes)

APSP_CLOSURE(SQUARING, closure_squaring, "closure-squaring",
	.kernels = "closure_squaring closure_rows",
	.bytes = apsp_closure_squaring_bytes)

APSP_CLOSURE(WARSHALL, closure_warshall, "closure-warshall",
	.kernels = "warshall closure_rows",
	.bytes = apsp_closure_warshall_bytes)

/* clang-format on */

#undef APSP_ALGORITHM
#undef APSP_CLOSURE
