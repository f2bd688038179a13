/*
 * A place in uploaded data, and the one way in which parsers refuse it.
 */
#ifndef APSP_STORAGE_INGEST_PLACE_H
#define APSP_STORAGE_INGEST_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Line and column from 1, the column in bytes; 0 where there is none. Binary
 * matrices have rows instead of lines and columns of cells.
 */
struct apsp_place {
	uint64_t line;
	uint64_t column;
	bool is_cell;
};

/* Fail with APSP_EDATA: "line 3, column 5: <what was found and expected>". */
__attribute__((format(printf, 3, 4))) int apsp_refuse(
	struct apsp_err *err, struct apsp_place place, const char *format, ...);

/* Put the place before a message that was made without knowing it. */
int apsp_refuse_again(struct apsp_err *err, struct apsp_place place);

#endif
