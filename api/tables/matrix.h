/*
 * A whole matrix of tables as a NumPy file, or any range of its bytes. It is
 * sent out of the table file if the file holds it in this form; else it is made
 * row by row.
 */
#ifndef APSP_API_TABLES_MATRIX_H
#define APSP_API_TABLES_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "api/http/stream.h"
#include "api/reading.h"
#include "storage/store.h"

enum apsp_matrix_kind {
	APSP_MATRIX_DISTANCE,	 /* float; infinity: no path */
	APSP_MATRIX_HOPS,	 /* float32; infinity: no path */
	APSP_MATRIX_PREDECESSOR, /* int32; -1: none */
	APSP_MATRIX_CLOSURE,	 /* bool */
	APSP_N_MATRICES,
};

struct apsp_matrix;

/* Find a matrix by its name in a URL. APSP_ENOROUTE. */
int apsp_matrix_kind_parse(
	const char *name, enum apsp_matrix_kind *out, struct apsp_err *err);

/*
 * Open a matrix of a reading; on success the matrix owns the reading. With raw
 * the matrix is as the file holds it. Memory is reserved in the request's
 * share. The caller ends *out with apsp_matrix_free(). APSP_EMALFORMED: the
 * file holds no such matrix; APSP_EBUSY, APSP_ENOMEM.
 */
int apsp_matrix_open(struct apsp_request *req, struct apsp_reading *reading,
	enum apsp_matrix_kind kind, bool raw, struct apsp_matrix **out,
	struct apsp_err *err);
void apsp_matrix_free(void *matrix); /* accepts NULL */

/* Size of the NumPy file in bytes. */
uint64_t apsp_matrix_size(const struct apsp_matrix *matrix);

/* A stream of size bytes from begin on. The stream owns the matrix. */
struct apsp_stream apsp_matrix_stream(
	struct apsp_matrix *matrix, uint64_t begin, uint64_t size);

#endif
