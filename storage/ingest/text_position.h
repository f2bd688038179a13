/*
 * A place in uploaded data, and the one way in which parsers refuse data.
 */
#ifndef APSP_STORAGE_INGEST_TEXT_POSITION_H
#define APSP_STORAGE_INGEST_TEXT_POSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Line and column count from 1, the column in bytes; line 0: no place is known.
 * In binary matrices they are row and column of a cell.
 */
struct apsp_text_position {
	uint64_t line;
	uint64_t column;
	bool is_cell;
};

/* Fail with APSP_EDATA: "line 3, column 5: <what was found and expected>". */
__attribute__((format(printf, 3, 4))) int apsp_refuse(struct apsp_err *err,
	struct apsp_text_position place, const char *format, ...);

/* The same with another code. */
__attribute__((format(printf, 4, 5))) int apsp_refuse_as(int code,
	struct apsp_err *err, struct apsp_text_position place,
	const char *format, ...);

/* Fail again with err's message, with the place before it. */
int apsp_refuse_again(struct apsp_err *err, struct apsp_text_position place);

#endif
