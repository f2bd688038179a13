/*
 * The one list of algorithms and closures. Names, estimates, default rates,
 * tables of functions and the loops of the tests are made from this list
 * (compute/plan/README.md, One more algorithm). There is no include guard: a
 * file defines APSP_ALGORITHM, APSP_CLOSURE or both, and includes this file,
 * which expands the macro once for each row. (The #ifndef lines give an empty
 * macro to a file that has not defined it.)
 *
 *	APSP_ALGORITHM(ID, stem, "name", start, lengths, fields…)
 *
 *	ID       makes the constant APSP_ALGORITHM_ID (algorithm.h)
 *	stem     makes the function apsp_<stem>_run() (compute/distance/task.h)
 *	start    ARCS, BLANK, STREAMED or HOST: enum apsp_start
 *	lengths  ANY: any lengths, also the ranks of widest paths; SUMS: any
 *	         lengths, but no ranks; ONES: all lengths must be 1
 *	fields   members of struct apsp_algorithm; an algorithm that a plan
 *	         may choose by its estimated time needs operations, steps and
 *	         rates; the rates of streamed-fw are computed (rates.h)
 *
 *	APSP_CLOSURE(ID, stem, "name", fields…)
 *
 *	fields   members of struct apsp_closure_cost
 *
 * The first algorithm and the first closure of the list are the defaults.
 *
 * The rates were measured by `apsp-solve --calibrate` in 3 runs. The rate of an
 * operation is the lowest rate of the 3 runs. The rate of a step is the median
 * of the 3 runs. cpu: two cores of an EPYC with AVX-512, PoCL 3.1. gpu: an
 * H200 with driver version 580, whose host has 16 processors.
 */
#ifndef APSP_ALGORITHM
#define APSP_ALGORITHM(...)
#endif
#ifndef APSP_CLOSURE
#define APSP_CLOSURE(...)
#endif

/* clang-format off */

APSP_ALGORITHM(BLOCKED_FW, blocked_fw, "blocked-fw", ARCS, ANY,
	.competes = true,
	.divides = true,
	.races = APSP_RACES_ALWAYS,
	.operations = cost_filled_cubic,
	.steps = cost_tile_rows,
	.cpu = {{2.2e-12, 0}, {4.3e-12, 0.00024}, {1.6e-11, 0}},
	.gpu = {{2.8e-14, 7.8e-05}, {5.7e-14, 1e-04}, {1.7e-13, 0.00033}})

APSP_ALGORITHM(BF_DENSE_REDUCE, bf_dense_reduce, "bf-dense-reduce", ARCS, SUMS,
	.races = APSP_RACES_ALWAYS,
	.own_bytes = own_bytes_matrix)

APSP_ALGORITHM(BF_DENSE_TRANSPOSED, bf_dense_transposed, "bf-dense-transposed",
	ARCS, SUMS,
	.races = APSP_RACES_ALWAYS,
	.own_bytes = own_bytes_matrix)

APSP_ALGORITHM(BF_DENSE_VERTEX, bf_dense_vertex, "bf-dense-vertex", ARCS, SUMS,
	.races = APSP_RACES_ALWAYS,
	.own_bytes = own_bytes_matrix)

APSP_ALGORITHM(BF_EDGES, bf_edges, "bf-edges", BLANK, SUMS,
	.wide_atomics = true,
	.window = own_bytes_all_rows,
	.lanes = own_bytes_edges_rows,
	.own_bytes = own_bytes_edges)

APSP_ALGORITHM(BFS_LEVELS, bfs_levels, "bfs-levels", BLANK, ONES,
	.window = own_bytes_all_rows,
	.lanes = own_bytes_levels_rows,
	.own_bytes = own_bytes_levels)

APSP_ALGORITHM(FW, fw, "fw", ARCS, SUMS)

APSP_ALGORITHM(MINPLUS_SQUARING, minplus_squaring, "minplus-squaring", ARCS, SUMS,
	.races = APSP_RACES_ALWAYS,
	.own_bytes = own_bytes_tile_sums,
	.own_buffer = own_bytes_tile_sums)

APSP_ALGORITHM(MULTI_SOURCE, multi_source, "multi-source", BLANK, ANY,
	.competes = true,
	.races = APSP_RACES_ON_GPU,
	.operations = cost_row_visits,
	.gpu_operations = cost_visits,
	.steps = cost_passed_pairs,
	.gpu_steps = cost_swept_pairs,
	.window = own_bytes_lanes_window,
	.lanes = own_bytes_lanes_rows,
	.own_bytes = own_bytes_lanes,
	.own_buffer = own_bytes_lanes_buffer,
	.cpu = {{1.9e-11, 0}, {3.3e-11, 0}, {6.4e-11, 0}},
	.gpu = {{6.4e-13, 8.4e-12}, {9.8e-13, 1.5e-11}, {1.6e-12, 2.6e-11}})

APSP_ALGORITHM(REFERENCE, reference, "reference", HOST, ANY)

APSP_ALGORITHM(STREAMED_FW, streamed_fw, "streamed-fw", STREAMED, SUMS,
	.competes = true,
	.stands_in = true,
	.races = APSP_RACES_ALWAYS,
	.operations = cost_cubic,
	.steps = cost_tile_rows,
	.own_bytes = own_bytes_slabs)

APSP_CLOSURE(ORDER, closure_order, "closure-order",
	.or_host = true,
	.bytes = order_bytes)

APSP_CLOSURE(SQUARING, closure_squaring, "closure-squaring",
	.bytes = squaring_bytes)

APSP_CLOSURE(WARSHALL, closure_warshall, "closure-warshall",
	.bytes = warshall_bytes)

/* clang-format on */

#undef APSP_ALGORITHM
#undef APSP_CLOSURE
