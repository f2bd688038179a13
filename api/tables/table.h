/*
 * A table: sources × targets, with some values of each pair, in any format. All
 * formats get their rows from one place, so the same question asked in two ways
 * has the same answer.
 */
#ifndef APSP_API_TABLES_TABLE_H
#define APSP_API_TABLES_TABLE_H

#include "api/http/stream.h"
#include "api/tables/table_question.h"

/*
 * Make the stream that answers; the question is taken over on success, and
 * memory for a row is asked of its share. APSP_EMALFORMED: the format cannot
 * have these; APSP_EBUSY, APSP_ENOMEM.
 */
int apsp_table_stream(struct apsp_table_question *question,
	enum apsp_reply_format format, struct apsp_stream *out,
	struct apsp_err *err);

#endif
