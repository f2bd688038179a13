/*
 * What the formats of a table share: a table that is being told.
 */
#ifndef APSP_API_TABLES_TABLE_INTERNAL_H
#define APSP_API_TABLES_TABLE_INTERNAL_H

#include "api/encode/csv_writer.h"
#include "api/encode/json_writer.h"
#include "api/encode/text.h"
#include "api/tables/table_question.h"
#include "storage/tables/row_reader.h"

struct apsp_table_format;

struct apsp_table {
	struct apsp_table_question q;
	const struct apsp_table_format *format;
	struct apsp_row_reader *rows; /* of the present pass */
	uint32_t *targets;	      /* borrowed; NULL: all */
	uint32_t *positions;	      /* room for a filtered row; or NULL */
	struct apsp_text text;
	struct apsp_json_writer json;
	struct apsp_csv_writer csv;
	unsigned int told;   /* the values of the present pass */
	unsigned int undone; /* values of later passes */
	size_t next;	     /* source */
	bool begun, ended;
};

/* One way to write a table; all append to table->text. */
struct apsp_table_format {
	bool pass_per_value; /* all rows of a value before the next value */
	void (*begin)(struct apsp_table *table);
	void (*pass_begin)(struct apsp_table *table);
	/* Source number i. A long one gets the n positions to be told. */
	void (*row)(struct apsp_table *table, size_t i,
		const struct apsp_row *row, size_t n);
	void (*pass_end)(struct apsp_table *table);
	void (*end)(struct apsp_table *table);
};

extern const struct apsp_table_format apsp_table_json, apsp_table_json_long,
	apsp_table_ndjson, apsp_table_ndjson_long, apsp_table_csv,
	apsp_table_csv_long, apsp_table_npy;

/* The label of source i, and of target j; borrowed. */
static inline const char *apsp_table_source(
	const struct apsp_table *t, size_t i, size_t *out_size)
{
	return apsp_labels_get(t->q.reading.generation->labels,
		apsp_vertex_list_at(&t->q.sources, i), out_size);
}

static inline const char *apsp_table_target(
	const struct apsp_table *t, size_t j, size_t *out_size)
{
	return apsp_labels_get(t->q.reading.generation->labels,
		apsp_vertex_list_at(&t->q.targets, j), out_size);
}

#endif
