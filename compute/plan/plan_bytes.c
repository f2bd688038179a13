/*
 * Computes the bytes of each step of a solve, by adding the bytes of parts from
 * footprint.h and algorithm.h; see plan_bytes.h.
 */
#include "compute/plan/plan_bytes.h"

#include "compute/arc_search.h"
#include "compute/parallel.h"
#include "compute/plan/footprint.h"
#include "compute/plan/measure_cost.h"
#include "compute/plan/host_room.h"
#include "compute/source_block.h"
#include "daemon/job/row_batch.h"

enum {
	/* Bytes of a job's compiled programs, its threads and their stacks. */
	PROGRAMS_BYTES = 4 << 20,
	/* Bytes of the compiled programs, the threads and their stacks, for a
	   job that a waiting solver runs. A waiting solver already holds most
	   of the programs. */
	LOADS_BYTES = 1 << 20,
	HEAD_BYTES = 4,	      /* bytes of an arc's head on the host */
	LENGTH_BYTES = 8,     /* bytes of an arc's length on the host */
	WEIGHT_BYTES = 8,     /* bytes of an arc's weight on the host */
	IN_ARC_BYTES = 4 + 4, /* bytes of an arc in a list by head: its tail and
				 its index (in_arcs.h) */
	/* Bytes of a vertex on the host: its offset, its component, its
	   position, and the length and the number of arcs of two paths, one
	   from the root and one to the root (root_paths.h). */
	VERTEX_BYTES = 8 + 12 + 8 + 24,
	/* Bytes of a vertex in root_paths.c: an offset and the entries of two
	   heaps. */
	READ_VERTEX_BYTES = 8 + 2 * (16 + 4 + 8),
	/* Bytes that an arc (SPLIT_ARC_BYTES) and a row (ROW_BYTES) take while
	   arcs are sorted by row. An arc takes at most 2 bytes in split_sort.h.
	   A row takes at most 8 bytes in split_sort.h, and two offsets in
	   position_arcs.c. */
	SPLIT_ARC_BYTES = 2,
	ROW_BYTES = 8 + 8 + 4,
	/* bytes of an arc while weights are sorted: two keys and two indices
	   (weight_ranks.c) */
	SORT_ARC_BYTES = 2 * (8 + 4),
	/* The next three constants are for widest paths. TREE_ARC_BYTES: bytes
	   of an arc in the proof (tail_tree.h). TREE_VERTEX_BYTES: bytes of a
	   vertex in each thread of the proof. ROOT_VERTEX_BYTES: bytes of a
	   vertex for the paths by way of the root (root_widths.h). */
	TREE_ARC_BYTES = 8,
	TREE_VERTEX_BYTES = 12,
	ROOT_VERTEX_BYTES = 8,
	/* bytes of an arc's flag, which says whether the arc is useless */
	FLAG_BYTES = 1,
	/* bytes of an arc in the copy of the useful arcs: head and length */
	USEFUL_ARC_BYTES = 4 + 8,
	/* bytes of a vertex in the copy of the useful arcs: its offset */
	USEFUL_VERTEX_BYTES = 8,
	/* bytes of an arc in the search for useless arcs: head and length */
	SEARCH_ARC_BYTES = 4 + 8,
	/* bytes that the search for useless arcs needs for a vertex: an
	   offset, and the lengths of its paths from and to the root */
	SEARCH_VERTEX_BYTES = 8 + 2 * 8,
	/* bytes that the sums over a source block (a range of sources) take for
	   each column (stats_pieces.h) */
	KEPT_BYTES = 2 * 8,
	/* bytes that each thread of the search for useless arcs needs for a
	   vertex: the least length of a path to the vertex */
	SEARCH_THREAD_BYTES = 8,
	/*
	 * Bytes of the process that computes rows on demand (compute/rows):
	 *
	 *	ROWS_BYTES         the process itself
	 *	ROWS_ARC_BYTES     each arc: two integers of 64 bits and one of
	 *	                   32 bits
	 *	ROWS_VERTEX_BYTES  each vertex, in each thread: the integer
	 *	                   distances from 32 sources and from one
	 *	                   source, a queue, and the items of a heap
	 *	ROWS_TIGHT_ARCS    number of arcs in a byte of the flags; each
	 *	                   thread has a flag for each arc
	 *
	 * If lengths are negative, the memory for the distances from 32 sources
	 * is not used. The search for potentials (compute/graph/potentials.c)
	 * then needs less memory than these distances would take.
	 */
	ROWS_BYTES = 16 << 20,
	ROWS_SHARED_LEAST = 256 << 20,
	/* the process that computes rows on demand shares at most
	   1/ROWS_SHARED_PART of the machine's memory with the daemon, or
	   ROWS_SHARED_LEAST bytes if these are more */
	ROWS_SHARED_PART = 32,
	ROWS_ARC_BYTES = 8 + 8 + 4,
	COLUMN_VERTEX_BYTES = 4, /* bytes that a shared row takes for each
				    vertex */
	ROWS_VERTEX_BYTES = 32 * 4 + 1 + 8 + 4 + 2 * 16,
	ROWS_TIGHT_ARCS = 8,
	/* number of slots for the pivot rows of a block, if several processes
	   compute the distance matrix V together */
	N_SLOTS = 2,
};

/* A way to solve a graph: an algorithm, and the number of rows (n_rows) of the
   distance matrix V that it computes at a time. */
struct way {
	const struct apsp_plan_facts *facts;
	/* a copy of facts->work: way_choose() can change n_useful, and
	   device_bytes() sets `likely` to false in a copy of its own */
	struct apsp_workload work;
	const struct apsp_tuning *tuning;
	const struct apsp_algorithm *algorithm;
	bool host_memory; /* the device's buffers lie in the host's memory */
	uint64_t n_rows;
	bool has_windows;
	/* several processes compute the distance matrix V together, and n_rows
	   is the number of rows of one process */
	bool has_part;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Return the bytes of host memory that a solver holds from start to end,
 * whichever algorithm it runs: the bytes of the process with an open device,
 * the loaded programs, the pinned buffers of earlier jobs, the graph's
 * vertices, and the graph's arcs. If the solver makes lists of the arcs by
 * head, the result includes these lists.
 */
static uint64_t bytes_before(const struct apsp_plan_facts *facts)
{
	const struct apsp_workload *work = &facts->work;
	const struct apsp_held_memory *held = &facts->held;
	uint64_t loads = facts->solver_waits ? LOADS_BYTES : PROGRAMS_BYTES;
	uint64_t own = held->own_bytes > 0
			       ? held->own_bytes
			       : (uint64_t)facts->rates.process_bytes;
	uint64_t arc = HEAD_BYTES + (work->unit_lengths ? 0 : LENGTH_BYTES);

	return own + apsp_held_memory_kept(held) + loads + work->n_arcs * arc +
	       apsp_in_arcs_bytes(work) + work->n_vertices * VERTEX_BYTES;
}

/* Return the bytes of the closure, which the host holds until the solve ends.
   The transpose of the closure takes the same number of bytes. */
static uint64_t closure_bytes(uint64_t n_vertices)
{
	return n_vertices * apsp_bit_row_words(n_vertices) * sizeof(uint64_t);
}

uint64_t apsp_plan_bytes_rows_shared(uint64_t row_bytes)
{
	uint64_t all = row_bytes * APSP_ROW_BATCH_MAX;
	uint64_t part = apsp_host_room_total() / ROWS_SHARED_PART;
	uint64_t most = larger(part, ROWS_SHARED_LEAST);

	return larger(row_bytes, all < most ? all : most);
}

uint64_t apsp_plan_bytes_rows(const struct apsp_plan_facts *facts)
{
	const struct apsp_workload *work = &facts->work;
	uint64_t lists = apsp_in_arcs_bytes(work) > 0 ? 0 : IN_ARC_BYTES;

	uint64_t job = bytes_before(facts) +
		       work->n_arcs * (lists + WEIGHT_BYTES) +
		       work->n_vertices * READ_VERTEX_BYTES;
	uint64_t rows = ROWS_BYTES +
			apsp_plan_bytes_rows_shared(
				work->n_vertices * COLUMN_VERTEX_BYTES) +
			work->n_arcs * ROWS_ARC_BYTES +
			(work->n_vertices * ROWS_VERTEX_BYTES +
				work->n_arcs / ROWS_TIGHT_ARCS) *
				apsp_parallel_processors();

	return larger(job, rows);
}

uint64_t apsp_plan_bytes_closure(
	const struct apsp_plan_facts *facts, uint64_t device_bytes)
{
	return bytes_before(facts) + closure_bytes(facts->work.n_vertices) +
	       (facts->device.host_memory ? device_bytes : 0);
}

uint64_t apsp_useful_arcs_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_useful, bool unit_lengths)
{
	if (!apsp_arc_search_pays(n_vertices, unit_lengths) ||
		!apsp_arc_search_copies(n_vertices, n_arcs, n_useful))
		return 0;
	return (n_vertices + 1) * USEFUL_VERTEX_BYTES + n_arcs * FLAG_BYTES +
	       n_useful * USEFUL_ARC_BYTES;
}

uint64_t apsp_arc_search_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_useful, bool unit_lengths)
{
	uint64_t each =
		SEARCH_VERTEX_BYTES +
		SEARCH_THREAD_BYTES * (uint64_t)apsp_parallel_processors();
	uint64_t most = apsp_arc_search_most(n_vertices);
	uint64_t left = n_useful < most ? n_useful : most;

	if (!apsp_arc_search_pays(n_vertices, unit_lengths))
		return 0;
	return (n_vertices + 1) * (each + USEFUL_VERTEX_BYTES) +
	       n_arcs * FLAG_BYTES + left * SEARCH_ARC_BYTES;
}

static uint64_t useful_bytes(const struct way *way)
{
	const struct apsp_workload *work = &way->work;

	return apsp_useful_arcs_bytes(work->n_vertices, work->n_arcs,
		apsp_cost_useful(work), work->unit_lengths);
}

/* Return the device's bytes for the arcs from which the panels (the distance
   matrix on the device) are filled. Before these arcs are copied to the device,
   a staging buffer of the host holds them in the same number of bytes. */
static uint64_t arcs_bytes(const struct way *way)
{
	return way->has_windows
		       ? 0
		       : apsp_device_arcs_bytes(apsp_cost_useful(&way->work),
				 way->work.element, way->tuning->staging_bytes);
}

/* Return the device's bytes for the distance matrix V or for a window of V. If
   V is in host memory (`streamed-fw`), only the marks of V's tiles are on the
   device. */
static uint64_t v_bytes(const struct way *way)
{
	const struct apsp_workload *work = &way->work;

	return way->algorithm->start == APSP_START_STREAMED
		       ? apsp_marks_bytes(work->n_vertices)
		       : apsp_panels_bytes(
				 work->n_vertices, way->n_rows, work->element);
}

/*
 * Return the device's bytes for the slots that hold pivot rows
 * (compute/distance/shared_fw.c). 0: processes do not compute the distance
 * matrix V together. If the device has memory of its own, the slots take the
 * same number of bytes of pinned memory on the host.
 */
static uint64_t slots_bytes(const struct way *way)
{
	uint64_t panel = apsp_panels_buffer_bytes(
		way->work.n_vertices, 1, way->work.element, 1);

	return way->has_part ? N_SLOTS * way->tuning->pivot_tiles * panel : 0;
}

/* Return the device's bytes while the distance matrix V is computed, without V
   itself: the bytes of the arcs, of the algorithm's own memory, and of slots
   for pivot rows. */
static uint64_t device_before(const struct way *way)
{
	const struct apsp_algorithm *algorithm = way->algorithm;

	return arcs_bytes(way) + slots_bytes(way) +
	       (algorithm->own_bytes
			       ? algorithm->own_bytes(&way->work, way->tuning)
			       : 0);
}

/*
 * Return the device's bytes while rows are downloaded, without the distance
 * matrix itself. The device then holds the buffers through which rows are
 * downloaded (slots), and the arcs among which predecessors are searched. These
 * arcs are selected from the uploaded arcs before the first row is downloaded.
 * If the matrix is computed in windows of rows, the algorithm also keeps its
 * own memory for the next window.
 */
static uint64_t device_after(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	uint64_t by_head =
		apsp_predecessors_bytes(work, apsp_cost_useful(work));
	uint64_t rows = apsp_rows_bytes(work, way->tuning);

	return by_head + (way->has_windows ? rows + device_before(way)
					   : larger(rows, arcs_bytes(way)));
}

/* Return an upper bound of the device's bytes. The probable number of bytes
   would not do, because a device that runs out of memory can stay broken. */
static uint64_t device_bytes(const struct way *way)
{
	struct way most = *way;

	most.work.likely = false;
	return v_bytes(&most) +
	       larger(device_before(&most), device_after(&most));
}

/*
 * Return an upper bound of the bytes of the largest buffer. A buffer of the
 * distance matrix V holds whole blocks of pivots or, in `streamed-fw`, whole
 * rows of tiles. Another buffer has the lengths of the essential arcs (the last
 * arcs of shortest paths), and one more has their positions. These two are
 * largest if all useful arcs are essential.
 */
static uint64_t buffer_bytes(const struct way *way)
{
	struct apsp_workload most = way->work;
	const struct apsp_workload *work = &most;
	const struct apsp_algorithm *algorithm = way->algorithm;
	uint32_t block = algorithm->start == APSP_START_STREAMED
				 ? 1
				 : way->tuning->pivot_tiles;
	uint64_t own = algorithm->own_buffer
			       ? algorithm->own_buffer(work, way->tuning)
			       : 0;
	uint64_t n_panels = apsp_panels_tiles(way->n_rows);
	uint64_t v = apsp_panels_buffer_bytes(
		work->n_vertices, n_panels, work->element, block);
	/* the arcs' lengths are float64 if the device computes path sums;
	   otherwise they have the type of the distance matrix V */
	uint64_t length = apsp_element_size(
		apsp_sums_on_device(work->distance, way->tuning)
			? APSP_ELEMENT_F64
			: work->element);

	most.likely = false;
	return larger(larger(own, v),
		apsp_cost_useful(work) * larger(length, sizeof(uint32_t)));
}

/* Return the host's bytes for the distance matrix V: 0 if V is only on a device
   with memory of its own. For `streamed-fw`, the result includes the buffer in
   which rows are gathered for the device. */
static uint64_t host_v_bytes(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	uint64_t slot = apsp_download_bytes(work, way->tuning);
	uint64_t streamed = slot + apsp_panels_bytes(work->n_vertices,
					   work->n_vertices, work->element);

	return (way->algorithm->start == APSP_START_STREAMED ? streamed : 0) +
	       (way->host_memory ? v_bytes(way) : 0);
}

/* Return the bytes of the weights, which the host holds until they are written
   to the table file. If lengths and weights are one array, the weights take no
   memory of their own. */
static uint64_t weights_bytes(const struct way *way)
{
	const struct apsp_workload *work = &way->work;

	return work->transformed || work->unit_lengths
		       ? work->n_arcs * WEIGHT_BYTES
		       : 0;
}

/*
 * Return the host's bytes before the distance matrix V is computed. There are
 * several steps, and the result is the bytes of the step that needs the most
 * memory. For widest paths, the first step sorts the weights. The next step
 * sorts the arcs by head, and finds the paths from and to the root by two runs
 * of Dijkstra's algorithm. The last step searches for useless arcs.
 */
static uint64_t host_read(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	/* bytes of an arc in the lists of arcs by head. If predecessors are
	   ranks, bytes_before() counts the lists, so this function does not
	   count them */
	uint64_t lists = apsp_in_arcs_bytes(work) > 0 ? 0 : IN_ARC_BYTES;
	uint64_t paths =
		work->n_arcs * lists + work->n_vertices * READ_VERTEX_BYTES;
	uint64_t search = closure_bytes(work->n_vertices);

	if (way->algorithm->competes)
		search += apsp_arc_search_bytes(work->n_vertices, work->n_arcs,
			apsp_cost_useful(work), work->unit_lengths);
	if (work->widest)
		search = larger(search, work->n_arcs * SORT_ARC_BYTES);
	return weights_bytes(way) + larger(paths, search);
}

/* Return the host's bytes with which `multi-source` sorts the useful arcs by
   row (compute/distance/position_arcs.h). Other algorithms sort no arcs. */
static uint64_t sort_bytes(const struct way *way)
{
	const struct apsp_workload *work = &way->work;

	if (way->algorithm != &apsp_algorithms[APSP_ALGORITHM_MULTI_SOURCE])
		return 0;
	return apsp_cost_useful(work) * SPLIT_ARC_BYTES +
	       (work->n_vertices + 1) * ROW_BYTES;
}

/*
 * Return the host's bytes while the distance matrix V is computed, and then
 * while arcs and closure are written. They are the bytes of V, the useful arcs,
 * the buffer that stages the arcs for the device, the weights, the sort of arcs
 * by row, and the closure with its transpose. If the device is the host, the
 * arcs on the device and the algorithm's own memory are added. The buffer of
 * staged arcs is freed before the download allocates its slots.
 */
static uint64_t host_before(const struct way *way)
{
	uint64_t bytes =
		arcs_bytes(way) + weights_bytes(way) + useful_bytes(way);

	bytes += host_v_bytes(way) + sort_bytes(way);
	bytes += way->host_memory ? device_before(way) : slots_bytes(way);
	/* add the closure and its transpose; both have the same size */
	return bytes + 2 * closure_bytes(way->work.n_vertices);
}

/*
 * Return the host's bytes for the proof of sampled rows and for statistics. If
 * a group shares the rows, each process keeps the sums of the source blocks
 * (ranges of sources) that it computes. A process with a part of the distance
 * matrix computes the blocks of its part. A process that computes windows of
 * rows may compute any number of blocks, so the function counts all blocks.
 */
static uint64_t host_rows(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	uint64_t n = work->n_vertices;
	uint64_t all =
		way->facts->group.processes > 1 ? apsp_source_blocks(n) : 0;
	uint64_t kept = way->has_part ? (all * way->n_rows + n - 1) / n
			: way->algorithm->lanes ? all
						: 0;

	uint64_t tree = work->widest
				? work->n_arcs * TREE_ARC_BYTES +
					  n * TREE_VERTEX_BYTES *
						  apsp_parallel_processors() +
					  n * ROOT_VERTEX_BYTES
				: 0;

	return tree + apsp_table_rows_bytes(work) + kept * n * KEPT_BYTES;
}

/* Return the number of arcs among which predecessors are searched: the
   essential arcs (cost.h) if the distance matrix V is computed at once and
   work.likely is true, otherwise the useful arcs. */
static uint64_t kept_arcs(const struct way *way)
{
	return way->work.likely && !way->has_windows
		       ? apsp_cost_essential(&way->work)
		       : apsp_cost_useful(&way->work);
}

/* Return the bytes of the device's buffers while rows are downloaded.
   host_after() adds these bytes if the device is the host, because the buffers
   are then in the host's memory. */
static uint64_t shared_after(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	uint64_t kept = kept_arcs(way);
	uint64_t bytes = apsp_predecessors_bytes(work, kept);

	bytes += apsp_held_rows_bytes(work, kept, way->n_rows, way->tuning);
	return bytes + (way->has_windows ? device_before(way) : 0);
}

/*
 * Return the host's bytes for the statistics that the device computes, and for
 * new pinned buffers. The download uses buffers of an earlier job if these
 * buffers are large enough. Otherwise it allocates new buffers. bytes_before()
 * counts the buffers of earlier jobs, because they are held from start to end.
 */
static uint64_t pinned_after(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	uint64_t bytes = apsp_stats_host_bytes(work->n_vertices, way->tuning);
	uint64_t sizes[APSP_DOWNLOAD_PINNED];
	size_t n = apsp_download_pinned(work, way->tuning, sizes);
	struct apsp_held_memory held = way->facts->held;

	for (size_t i = 0; i < n; i++)
		if (!apsp_held_memory_take(&held, sizes[i]))
			bytes += sizes[i];
	return bytes;
}

/*
 * Return the host's bytes while rows are downloaded. They are the bytes of the
 * distance matrix V, the useful arcs, the closure, path sums, the proof,
 * statistics and slots (buffers of downloaded rows). Each arc also has a flag
 * of one byte. The flag says whether the search for predecessors reads the arc.
 */
static uint64_t host_after(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	uint64_t marks = work->n_arcs;
	uint64_t sums =
		apsp_sums_host_bytes(work, kept_arcs(way), way->tuning->gpu);
	uint64_t bytes = host_v_bytes(way) + useful_bytes(way) + marks + sums;

	bytes += closure_bytes(way->work.n_vertices) + host_rows(way);
	return bytes +
	       (way->host_memory ? shared_after(way) : pinned_after(way));
}

/* Return the host's bytes if the algorithm runs on the host. The solver needs
   memory in two steps: while arcs and closure are written, and while rows are
   computed. The result is the bytes of the step that needs more. */
static uint64_t host_alone(const struct way *way)
{
	const struct apsp_workload *work = &way->work;
	uint64_t sums =
		apsp_sums_host_bytes(work, work->n_arcs, way->tuning->gpu);
	uint64_t rows = host_rows(way) + sums +
			apsp_host_solve_bytes(work->n_vertices, work->n_arcs);

	return closure_bytes(way->work.n_vertices) +
	       larger(rows, closure_bytes(way->work.n_vertices) +
				    weights_bytes(way));
}

/* Return the host's bytes in the step of the solve that needs the most memory.
   The steps run one after another, so only the largest step counts, and not the
   sum of all steps. The distance matrix V is freed before betweenness is
   computed. */
static uint64_t host_bytes(const struct way *way)
{
	bool on_host = way->algorithm->start == APSP_START_HOST;
	uint64_t solve = on_host ? host_alone(way)
				 : larger(host_before(way), host_after(way));
	uint64_t measures = apsp_measure_bytes(&way->work) + useful_bytes(way) +
			    closure_bytes(way->work.n_vertices) +
			    host_rows(way);

	return bytes_before(way->facts) +
	       larger(host_read(way), larger(solve, measures));
}

static bool has_room(const struct way *way)
{
	const struct apsp_plan_device *device = &way->facts->device;

	return device_bytes(way) <= device->memory_bytes &&
	       buffer_bytes(way) <= device->largest_buffer_bytes &&
	       host_bytes(way) <= way->facts->host_bytes;
}

/* Choose the number of rows of the distance matrix V that are computed at a
   time: all rows, the rows of a window or, if a group computes V together, the
   rows of this process. The window is halved until the memory is large enough
   for the solve, or until the window has one row of tiles. */
static struct way way_choose(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm)
{
	uint32_t part;
	uint64_t n = facts->work.n_vertices, rows;
	struct way way = {.facts = facts,
		.work = facts->work,
		.tuning = facts->device.tuning,
		.algorithm = algorithm,
		.host_memory = facts->device.host_memory,
		.n_rows = n};

	/* An algorithm that does not compete runs only if a user names it.
	   Such an algorithm gets all arcs, not only the useful ones. */
	if (!algorithm->competes && way.work.n_useful == 0)
		way.work.n_useful = way.work.n_arcs;
	part = apsp_plan_part_rows(n, facts->group.processes);
	way.has_part = algorithm->divides && part < n;
	if (way.has_part)
		way.n_rows = part;
	if (!algorithm->window)
		return way;
	rows = algorithm->window(&facts->work, facts->device.tuning);
	for (;;) {
		way.n_rows = rows < n ? rows : n;
		way.has_windows = rows < n;
		if (has_room(&way) || rows <= APSP_TILE)
			return way;
		rows = (rows / 2 + APSP_TILE - 1) / APSP_TILE * APSP_TILE;
	}
}

struct apsp_plan_bytes apsp_plan_bytes_of(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm)
{
	struct way way = way_choose(facts, algorithm);
	bool on_host = algorithm->start == APSP_START_HOST;

	return (struct apsp_plan_bytes){
		.rows = way.n_rows,
		.device_bytes = on_host ? 0 : device_bytes(&way),
		.buffer_bytes = on_host ? 0 : buffer_bytes(&way),
		.host_bytes = host_bytes(&way),
	};
}
