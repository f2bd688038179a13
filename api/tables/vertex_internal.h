/*
 * What vertex_values and its formats share: values that were read, and how far
 * they are told.
 */
#ifndef APSP_API_TABLES_VERTEX_INTERNAL_H
#define APSP_API_TABLES_VERTEX_INTERNAL_H

#include "api/encode/csv_writer.h"
#include "api/encode/json_writer.h"
#include "api/http/reply_format.h"
#include "api/tables/vertex_question.h"
#include "storage/tables/row_reader.h"

struct apsp_vertex_values {
	struct apsp_vertex_question q;
	enum apsp_reply_format format;
	struct apsp_row_reader *rows;
	size_t next;	     /* of a column: the source to be read */
	struct apsp_row row; /* borrowed from rows, or of a column: */
	double *distance;    /* owned, as are the next three */
	uint32_t *hops;
	uint32_t *predecessor;
	bool *reachable;
	uint32_t *positions; /* of those that are told; owned */
	size_t n;	     /* of them */
	/* telling: */
	struct apsp_text text;
	struct apsp_json_writer json;
	struct apsp_csv_writer csv;
	int member; /* being written; -1: labels; -2: none yet */
	size_t at;  /* position */
	bool ended;
};

#endif
