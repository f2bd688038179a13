/*
 * The body of a batch, {"pairs":[["a","b"],…]}, parsed as it arrives. Memory
 * holds 8 bytes for each pair, and the beginnings of unknown labels.
 *
 * A body that is no such object is refused as a whole. A pair that cannot be
 * used is kept with its fault; its row of the answer reports the fault.
 */
#ifndef APSP_API_PATHS_PAIRS_READER_H
#define APSP_API_PATHS_PAIRS_READER_H

#include <stddef.h>
#include <stdint.h>

#include "api/body_json.h"
#include "daemon/base/err.h"
#include "storage/ingest/labels.h"
#include "daemon/base/budget.h"

struct apsp_pairs_reader;

enum apsp_pair_fault {
	APSP_PAIR_GOOD,
	APSP_PAIR_NO_PAIR,   /* not a list of two */
	APSP_PAIR_NO_STRING, /* text says of what kind the value is */
	APSP_PAIR_NO_VERTEX, /* text is the label, cut to 200 bytes */
};

struct apsp_pair_end {
	enum apsp_pair_fault fault;
	uint32_t vertex;  /* of a good one */
	const char *text; /* borrowed from the reader */
};

/*
 * labels and share are borrowed. Memory is reserved in share. A body of more
 * than max pairs is refused. The caller ends *out with
 * apsp_pairs_reader_free(). APSP_ENOMEM.
 */
int apsp_pairs_reader_new(const struct apsp_labels *labels, uint32_t max,
	struct apsp_share *share, struct apsp_pairs_reader **out,
	struct apsp_err *err);
void apsp_pairs_reader_free(struct apsp_pairs_reader *reader);

/*
 * Parse the next bytes of the body. APSP_EMALFORMED: not JSON, or not such an
 * object; APSP_ETOOLARGE: too many pairs, or too many bytes of unknown labels;
 * APSP_EBUSY, APSP_ENOMEM.
 */
int apsp_pairs_reader_feed(struct apsp_pairs_reader *reader, const char *data,
	size_t size, struct apsp_err *err);

/* The body is complete. APSP_EMALFORMED. */
int apsp_pairs_reader_end(
	struct apsp_pairs_reader *reader, struct apsp_err *err);

/* JSON pointer to the last error in the body, or "". */
const char *apsp_pairs_reader_pointer(const struct apsp_pairs_reader *reader);

size_t apsp_pairs_reader_count(const struct apsp_pairs_reader *reader);

/* Store the ends of pair i. If it is not a list of two, out[0] says so. */
void apsp_pairs_reader_get(const struct apsp_pairs_reader *reader, size_t i,
	struct apsp_pair_end out[2]);

#endif
