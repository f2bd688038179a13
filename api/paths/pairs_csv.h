/*
 * Parses a CSV of pairs as it arrives. A line is a pair. Separators, quotes,
 * comments and a byte order mark are those of an upload
 * (storage/ingest/formats/csv_reader.h).
 *
 * The first line is a header if it names both ends by names that an edge list
 * may have, such as from and to, or pre and post; other columns are ignored.
 * Without a header, a line has two columns, from and to. Every line has as many
 * columns as the first.
 */
#ifndef APSP_API_PATHS_PAIRS_CSV_H
#define APSP_API_PATHS_PAIRS_CSV_H

#include <stddef.h>

#include "daemon/base/budget.h"
#include "daemon/base/err.h"

/* Functions that the parser calls. If one returns a negative result, the
   parsing ends with that result. */
struct apsp_pairs_csv_handler {
	/* The label at one end of the present pair: side 0 is from, side 1 is
	   to. Either side may come first. The text is UTF-8 and borrowed. */
	int (*end)(void *ctx, int side, const char *text, size_t size,
		struct apsp_err *err);
	/* Both ends of the present pair were reported. */
	int (*pair)(void *ctx, struct apsp_err *err);
	void *ctx;
};

struct apsp_pairs_csv;

/*
 * Make a parser. *handler is copied. `share` counts the memory of the first
 * line, and is borrowed. The caller ends *out with apsp_pairs_csv_free().
 * APSP_ENOMEM.
 */
int apsp_pairs_csv_new(const struct apsp_pairs_csv_handler *handler,
	struct apsp_share *share, struct apsp_pairs_csv **out,
	struct apsp_err *err);
void apsp_pairs_csv_free(struct apsp_pairs_csv *csv); /* accepts NULL */

/*
 * Parse the next bytes. APSP_EDATA: the text is wrong at the line and column in
 * `err`. APSP_ENOMEM; errors of apsp_share_grow() and of the handler's
 * functions.
 */
int apsp_pairs_csv_feed(struct apsp_pairs_csv *csv, const char *data,
	size_t size, struct apsp_err *err);

/* End the last line. Fails as apsp_pairs_csv_feed() does. */
int apsp_pairs_csv_end(struct apsp_pairs_csv *csv, struct apsp_err *err);

#endif
