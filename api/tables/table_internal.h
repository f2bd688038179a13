/*
 * A table that is being written. Only table.c and the formats use this struct.
 */
#ifndef APSP_API_TABLES_TABLE_INTERNAL_H
#define APSP_API_TABLES_TABLE_INTERNAL_H

#include "api/encode/csv_writer.h"
#include "api/encode/json_writer.h"
#include "api/encode/text.h"
#include "api/http/reply_format.h"
#include "api/tables/table_question.h"
#include "storage/tables/row_reader.h"

struct apsp_table_format;

struct apsp_table {
	struct apsp_table_question q;
	enum apsp_reply_format reply_format;
	const struct apsp_table_format *format;

	/* the reader of the present pass (a loop over all rows), or of all
	   passes if q.of_vertex is set */
	struct apsp_row_reader *rows;
	struct apsp_row
		row;	/* the present row; borrowed from `rows` or `column` */
	double *column; /* if the table is a column: its arrays of distances,
			   hops and so on, in one block of memory; otherwise
			   NULL */
	size_t n_read;	/* number of cells of the column that were read */
	uint32_t *positions; /* the cells that are in the answer, as positions
				in the row; NULL: all cells are in the answer */
	size_t n;  /* number of cells of the row that are in the answer */
	size_t at; /* index of the next cell to write */

	struct apsp_text text;
	struct apsp_json_writer json;
	struct apsp_csv_writer csv;
	/*
	 * If a range of bytes is requested, the next `skip` bytes are dropped,
	 * and the `left` bytes after them are sent. Otherwise `skip` and `left`
	 * are 0.
	 */
	uint64_t skip, left;
	size_t first; /* the index of the row in which the requested range of
			 bytes begins */
	unsigned int written; /* the values that the present pass writes, as
				 bits of enum apsp_row_value */
	unsigned int undone;  /* the values that later passes will write */
	size_t next;	      /* index of the next row */
	bool headless;	      /* the requested range begins after the header, so
				 no header is written */
	bool begun, in_row, ended;
};

/*
 * A format of tables. The functions append to table->text. Each function may be
 * NULL.
 */
struct apsp_table_format {
	bool pass_per_value; /* true: write one kind of value, such as distance,
				for all rows, then the next kind for all rows,
				and so on; false: write all kinds of values in
				each row */
	void (*begin)(struct apsp_table *table);
	void (*pass_begin)(struct apsp_table *table);
	void (*row_begin)(struct apsp_table *table);
	/* Write the cells of the row from index table->at to index end - 1. */
	void (*cells)(struct apsp_table *table, size_t end);
	void (*row_end)(struct apsp_table *table);
	void (*pass_end)(struct apsp_table *table);
	void (*end)(struct apsp_table *table);
};

extern const struct apsp_table_format apsp_table_json, apsp_table_json_long,
	apsp_table_json_vertex, apsp_table_ndjson, apsp_table_ndjson_long,
	apsp_table_csv, apsp_table_csv_long, apsp_table_npy;

/* Return the position that cell k of the answer has in the row. */
static inline size_t apsp_table_position(const struct apsp_table *t, size_t k)
{
	return t->positions ? t->positions[k] : k;
}

/* Returns the vertex that is the source of row i. */
static inline uint32_t apsp_table_source(const struct apsp_table *t, size_t i)
{
	return t->q.of_vertex ? t->q.vertex
			      : apsp_vertex_set_at(&t->q.sources, i);
}

static inline uint32_t apsp_table_target(const struct apsp_table *t, size_t j)
{
	return apsp_vertex_set_at(&t->q.targets, j);
}

/* Returns the first vertex of the path that the cell of row i and target j
   describes. apsp_table_to() returns the last vertex of this path. */
static inline uint32_t apsp_table_from(
	const struct apsp_table *t, size_t i, size_t j)
{
	return t->q.of_vertex && t->q.direction == APSP_DIRECTION_IN
		       ? apsp_table_target(t, j)
		       : apsp_table_source(t, i);
}

static inline uint32_t apsp_table_to(const struct apsp_table *t, size_t j)
{
	return t->q.of_vertex && t->q.direction == APSP_DIRECTION_IN
		       ? t->q.vertex
		       : apsp_table_target(t, j);
}

static inline const struct apsp_labels *apsp_table_labels(
	const struct apsp_table *t)
{
	return t->q.reading.generation->labels;
}

#endif
