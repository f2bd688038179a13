/*
 * Computing the sizes of files; see job_files.h.
 */
#include "daemon/base/job_files.h"

#include "daemon/base/graph_file.h"

uint64_t apsp_job_files_bytes(uint64_t n_vertices, uint64_t n_arcs,
	enum apsp_element distance, enum apsp_element predecessor)
{
	struct apsp_table_header header = {
		.n_vertices = n_vertices,
		.n_arcs = n_arcs,
		.scale = 1,
		.sections[APSP_SECTION_PREDECESSOR].element = predecessor,
	};
	uint64_t bytes;

	if (apsp_table_header_layout(&header, distance, NULL) < 0 ||
		__builtin_add_overflow(header.file_size,
			apsp_graph_file_bytes(n_vertices, n_arcs), &bytes))
		return UINT64_MAX;
	return bytes;
}
