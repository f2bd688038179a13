/*
 * Marks some vertices of an upload: a bit for each vertex, in memory that grows
 * with the largest vertex that is marked. Memory for the largest possible
 * number of vertices would be slow to clear, and most uploads would need only a
 * small part of it.
 */
#ifndef APSP_STORAGE_INGEST_VERTEX_MARKS_H
#define APSP_STORAGE_INGEST_VERTEX_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/bit_set.h"
#include "daemon/base/err.h"

/* All members are 0 before the first vertex is marked. */
struct apsp_vertex_marks {
	uint64_t *words; /* a bit for each vertex, in the layout of
			    daemon/base/bit_set.h; the caller ends the marks
			    by free(words) */
	size_t n_words;
};

/* Mark vertex v. v must be less than APSP_VERTICES_MAX. APSP_ENOMEM. */
int apsp_vertex_marks_add(
	struct apsp_vertex_marks *marks, uint32_t v, struct apsp_err *err);

static inline bool apsp_vertex_marks_has(
	const struct apsp_vertex_marks *marks, uint32_t v)
{
	return v / 64 < marks->n_words && apsp_bit_set_has(marks->words, v);
}

#endif
