/*
 * Computes the sizes of a job's files; see job_files.h.
 */
#include "daemon/job/job_files.h"

#include "daemon/job/graph_file.h"

static uint64_t bytes_of(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, enum apsp_element predecessor,
	enum apsp_tables_kept tables)
{
	struct apsp_table_header header = {
		.n_vertices = n_vertices,
		.n_arcs = n_arcs,
		.scale = 1,
		.sections[APSP_SECTION_PREDECESSOR].element = predecessor,
	};
	/*
	 * The type F64 does not show whether distances are integers or sums of
	 * lengths (enum apsp_distance_kind). But the file lacks the same table
	 * in both cases, so APSP_DISTANCE_SCALED is passed for both.
	 */
	enum apsp_section lacks = apsp_table_dispensable(
		distance == APSP_ELEMENT_F32 ? APSP_DISTANCE_SUM
					     : APSP_DISTANCE_SCALED,
		distance,
		predecessor != APSP_ELEMENT_NONE
			? predecessor
			: apsp_index_element(n_vertices));
	uint64_t bytes;

	if (n_vertices > APSP_TABLE_VERTICES_MAX && tables != APSP_TABLES_NONE)
		return UINT64_MAX;
	if (tables == APSP_TABLES_DISTANCE)
		header.sections[lacks].absent = APSP_ABSENT;
	if (tables == APSP_TABLES_NONE)
		header.sections[APSP_SECTION_PREDECESSOR].absent =
			APSP_ON_DEMAND;
	if (apsp_table_header_layout(&header, distance, NULL) < 0 ||
		__builtin_add_overflow(header.file_size,
			apsp_graph_file_bytes(n_vertices, n_arcs), &bytes))
		return UINT64_MAX;
	return bytes;
}

uint64_t apsp_job_files_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, enum apsp_element predecessor,
	enum apsp_tables_kept tables)
{
	uint64_t all, fewer;

	if (tables != APSP_TABLES_AUTO)
		return bytes_of(
			n_vertices, n_arcs, distance, predecessor, tables);
	all = bytes_of(
		n_vertices, n_arcs, distance, predecessor, APSP_TABLES_ALL);
	fewer = bytes_of(n_vertices, n_arcs, distance, predecessor,
		APSP_TABLES_DISTANCE);
	return all < fewer ? all : fewer;
}

uint64_t apsp_job_files_least(uint64_t n_vertices, uint64_t n_arcs)
{
	/* compute the size with predecessors as ranks and as indices: ranks
	   save bytes, but need lists of arcs, which can take more bytes than
	   the ranks save */
	uint64_t ranks = apsp_job_files_bytes(n_vertices, n_arcs,
		APSP_ELEMENT_U16, APSP_ELEMENT_U8, APSP_TABLES_AUTO);
	uint64_t indices = apsp_job_files_bytes(n_vertices, n_arcs,
		APSP_ELEMENT_U16, APSP_ELEMENT_NONE, APSP_TABLES_AUTO);

	return ranks < indices ? ranks : indices;
}

bool apsp_job_files_on_demand(uint64_t n_vertices, uint64_t n_arcs,
	const struct apsp_profile *rule, uint64_t capacity_bytes)
{
	/* a job that computes measures always computes tables, because measures
	   are computed from tables */
	if (rule->tables != APSP_TABLES_AUTO || rule->measures != 0)
		return rule->tables == APSP_TABLES_NONE;
	return apsp_job_files_least(n_vertices, n_arcs) > capacity_bytes;
}
