/*
 * The sources or the targets of a table, in the order of the request.
 */
#ifndef APSP_API_TABLES_VERTEX_LIST_H
#define APSP_API_TABLES_VERTEX_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct apsp_vertex_list {
	bool all; /* the list has every vertex, in index order, and `vertices`
		     is NULL */
	uint32_t *vertices; /* owned */
	size_t n;	    /* number of vertices, also if `all` is set */
};

static inline uint32_t apsp_vertex_list_at(
	const struct apsp_vertex_list *list, size_t i)
{
	return list->all ? (uint32_t)i : list->vertices[i];
}

#endif
