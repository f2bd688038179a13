/*
 * Computes how many bytes the files of a job take, and decides which tables the
 * table file will hold; see plan_files.h.
 */
#include "compute/plan/plan_files.h"

#include "compute/plan/measure_cost.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/job_files.h"

/* Return the number of bytes that the measures take in the table file. */
static uint64_t measure_disk_bytes(const struct apsp_workload *work)
{
	uint64_t bytes = work->n_vertices * sizeof(double);

	return work->betweenness
		       ? bytes + APSP_TABLE_BLOCK - bytes % APSP_TABLE_BLOCK
		       : 0;
}

uint64_t apsp_plan_files_bytes(
	const struct apsp_workload *work, enum apsp_tables_kept tables)
{
	/*
	 * For widest paths, the file holds only the table of widths
	 * (APSP_TABLES_DISTANCE), but apsp_job_files_bytes() counts the smaller
	 * of the two tables. So pass U32 as the type of predecessors. The type
	 * of widths is never wider, so the function then counts the table of
	 * widths.
	 */
	uint64_t bytes = apsp_job_files_bytes(work->n_vertices, work->n_arcs,
		work->distance,
		work->widest ? APSP_ELEMENT_U32 : work->predecessor, tables);
	uint64_t more = measure_disk_bytes(work);

	return bytes > UINT64_MAX - more ? UINT64_MAX : bytes + more;
}

uint64_t apsp_plan_files_room(const struct apsp_plan_facts *facts)
{
	const struct apsp_workload *work = &facts->work;
	uint64_t graph = apsp_graph_file_bytes(work->n_vertices, work->n_arcs);

	return facts->room_bytes > 0 && facts->room_bytes < UINT64_MAX - graph
		       ? facts->room_bytes + graph
		       : facts->disk_bytes;
}

enum apsp_tables_kept apsp_plan_files_kept(const struct apsp_plan_facts *facts)
{
	const struct apsp_workload *work = &facts->work;
	uint64_t all = apsp_plan_files_bytes(work, APSP_TABLES_ALL);

	if (work->tables != APSP_TABLES_AUTO)
		return work->tables;
	if (!work->betweenness && work->capacity_bytes > 0 &&
		apsp_job_files_least(work->n_vertices, work->n_arcs) >
			work->capacity_bytes)
		return APSP_TABLES_NONE;
	/* A file that does not hold all tables may lack the distances. But
	   betweenness is computed from the distances in the file. So with
	   betweenness, the file holds all tables. */
	return !work->betweenness && all > apsp_plan_files_room(facts) &&
			       apsp_plan_files_bytes(
				       work, APSP_TABLES_DISTANCE) < all
		       ? APSP_TABLES_DISTANCE
		       : APSP_TABLES_ALL;
}
