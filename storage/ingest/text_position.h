/*
 * Positions in uploaded data, and the function with which parsers refuse the
 * data at a position.
 */
#ifndef APSP_STORAGE_INGEST_TEXT_POSITION_H
#define APSP_STORAGE_INGEST_TEXT_POSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Lines and columns are counted from 1. A line has one column for each byte.
 * Line 0 means that the position is unknown. If is_cell is true, `line` and
 * `column` are the row and the column of a cell in a binary matrix.
 */
struct apsp_text_position {
	uint64_t line;
	uint64_t column;
	bool is_cell;
};

/*
 * Fail with APSP_EDATA: "line 3, column 5: <what was found and expected>". The
 * arguments may include the message that `err` already has.
 */
__attribute__((format(printf, 3, 4))) int apsp_refuse(struct apsp_err *err,
	struct apsp_text_position place, const char *format, ...);

#endif
