/*
 * A table of sources × targets, with one or more values of each pair, in any
 * format. The distances from a vertex are a table of one row. The distances to
 * a vertex are a column, which is read cell by cell and then written as a row.
 * All formats get their rows from table.c, so the same question has the same
 * answer in each format.
 */
#ifndef APSP_API_TABLES_TABLE_H
#define APSP_API_TABLES_TABLE_H

#include "api/http/request.h"
#include "api/tables/table_question.h"

struct apsp_table;

/*
 * Make the table that answers a question. On success, the table owns the
 * contents of *question, which is then empty. Memory is reserved in the
 * question's share. The caller ends *out with apsp_table_free(), which accepts
 * NULL. APSP_EMALFORMED: this question cannot be answered in this format.
 * APSP_ENOMEM. Also fails as apsp_share_grow() does.
 */
int apsp_table_new(struct apsp_table_question *question,
	enum apsp_reply_format format, struct apsp_table **out,
	struct apsp_err *err);
void apsp_table_free(void *table);

/*
 * Read the cells of a table of one vertex, before its stream begins. A call
 * reads the whole row, or 64 cells of a column. Returns 1 if cells are left.
 * Otherwise returns 0 and releases the computed rows that the question's
 * reading holds. APSP_EDAMAGED: the content of the table file has changed.
 */
int apsp_table_read(struct apsp_table *table, struct apsp_err *err);

/* Returns the size of the table as a NumPy file, in bytes. */
uint64_t apsp_table_npy_size(const struct apsp_table *table);

/* Limit the stream of a NumPy file to a range: `size` bytes from byte `begin`
   on. */
void apsp_table_npy_range(
	struct apsp_table *table, uint64_t begin, uint64_t size);

/*
 * Reply with a stream that writes the table. The reply owns the table. A table
 * about one vertex is written on the pool if it is large. Any other table is
 * written on the pool if the handler runs on the pool. Fails as
 * apsp_stream_reply() does.
 */
int apsp_table_reply(struct apsp_request *req, unsigned int status,
	struct apsp_table *table, struct apsp_err *err);

#endif
