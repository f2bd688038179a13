/*
 * Values between one vertex and many: what a vertex's distances and reach sets
 * tell. They are read in parts, then filtered, then told in any format.
 */
#ifndef APSP_API_TABLES_VERTEX_VALUES_H
#define APSP_API_TABLES_VERTEX_VALUES_H

#include "api/http/stream.h"
#include "api/tables/vertex_question.h"

struct apsp_vertex_values;

/*
 * Begin to answer a question, which is taken over on success. The caller ends
 * *out with apsp_vertex_values_free(), which accepts NULL. APSP_EMALFORMED: the
 * format cannot have these; APSP_EBUSY, APSP_ENOMEM.
 */
int apsp_vertex_values_new(struct apsp_vertex_question *question,
	enum apsp_reply_format format, struct apsp_vertex_values **out,
	struct apsp_err *err);
void apsp_vertex_values_free(void *values);

/*
 * Read some more: the row of the vertex, or 64 cells of its column. Returns 1
 * if more are left, else 0. APSP_EDAMAGED.
 */
int apsp_vertex_values_step(
	struct apsp_vertex_values *values, struct apsp_err *err);

/* All are read: the stream that tells them, which owns the values. */
struct apsp_stream apsp_vertex_values_stream(struct apsp_vertex_values *values);

#endif
