/*
 * Vertices chosen by their attributes. Each argument such as match=type:KC is a
 * condition. Conditions on one column are alternatives; conditions on different
 * columns must all hold. "type:" chooses the vertices without a type. "label:a"
 * chooses the vertex a.
 */
#ifndef APSP_API_VERTEX_MATCH_H
#define APSP_API_VERTEX_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/bit_set.h"
#include "daemon/base/err.h"
#include "storage/snapshots/graph_snapshot.h"

enum {
	APSP_VERTEX_CONDITIONS_MAX =
		32, /* largest number of conditions in one choice of vertices */
};

struct apsp_vertex_condition {
	uint32_t column; /* a column of the graph's attributes, or
			    APSP_LABEL_COLUMN */
	uint32_t value;	 /* index of the wanted value in the column, or
			    APSP_NO_VALUE */
};

/* A struct of zeros chooses all vertices. */
struct apsp_vertex_match {
	uint64_t *bits; /* bit v is set if vertex v is chosen; NULL: all
			   vertices are chosen; owned */
};

/*
 * Find the vertices that the request's arguments `match` choose. The caller
 * ends *out with apsp_vertex_match_done(). APSP_EMALFORMED: an argument is not
 * of the form "name:value", or the graph has no such column, or no vertex has
 * this value (the reply then has suggestions). APSP_ENOMEM.
 */
int apsp_vertex_match_read(struct apsp_request *req,
	const struct apsp_generation *generation, struct apsp_vertex_match *out,
	struct apsp_err *err);

/*
 * Read one condition, such as "type:KC". If the condition is refused, the error
 * reply gets `pointer`, which is a JSON pointer to the condition. `pointer` is
 * NULL if the condition is not in a body. Fails as apsp_vertex_match_read()
 * does.
 */
int apsp_vertex_condition_read(struct apsp_request *req,
	const struct apsp_generation *generation, const char *text, size_t size,
	const char *pointer, struct apsp_vertex_condition *out,
	struct apsp_err *err);

/* Find the vertices that n conditions choose. The caller ends *out with
   apsp_vertex_match_done(). APSP_ENOMEM. */
int apsp_vertex_match_new(const struct apsp_generation *generation,
	const struct apsp_vertex_condition *conditions, size_t n,
	struct apsp_vertex_match *out, struct apsp_err *err);

void apsp_vertex_match_done(struct apsp_vertex_match *match);

static inline bool apsp_vertex_match_has(
	const struct apsp_vertex_match *match, uint32_t v)
{
	return !match->bits || apsp_bit_set_has(match->bits, v);
}

/* Returns the first chosen vertex whose index is v or more. If no such vertex
   is chosen, returns n, the number of vertices. */
uint32_t apsp_vertex_match_next(
	const struct apsp_vertex_match *match, uint32_t v, uint32_t n);

/* Return the name of a condition's column. Borrowed. */
const char *apsp_vertex_match_name(
	const struct apsp_generation *generation, uint32_t column);

/* Find the column of an attribute. APSP_EMALFORMED: the graph has no such
   attribute. */
int apsp_vertex_match_column(const struct apsp_generation *generation,
	const char *name, size_t size, uint32_t *out, struct apsp_err *err);

#endif
