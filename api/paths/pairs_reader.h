/*
 * The body of a batch, {"pairs":[["a","b"],…]}, read as it comes: memory holds
 * 8 bytes a pair, and the labels that the graph does not know, cut.
 *
 * A body that is no such object fails as a whole. A pair that cannot be used is
 * kept with what is wrong with it: its answer tells.
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
	APSP_PAIR_NO_STRING, /* text is what an end is instead */
	APSP_PAIR_NO_VERTEX, /* text is the label, cut to some 200 bytes */
};

struct apsp_pair_end {
	enum apsp_pair_fault fault;
	uint32_t vertex;  /* of a good one */
	const char *text; /* borrowed from the reader */
};

/*
 * labels and share are borrowed, share is asked for memory. More than max pairs
 * are refused. The caller ends *out with apsp_pairs_reader_free(). APSP_ENOMEM.
 */
int apsp_pairs_reader_new(const struct apsp_labels *labels, uint32_t max,
	struct apsp_share *share, struct apsp_pairs_reader **out,
	struct apsp_err *err);
void apsp_pairs_reader_free(struct apsp_pairs_reader *reader);

/*
 * The next bytes of the body. APSP_EMALFORMED: not JSON, or not such an object;
 * APSP_ETOOLARGE: too many pairs, or too many bytes of unknown labels;
 * APSP_EBUSY, APSP_ENOMEM.
 */
int apsp_pairs_reader_feed(struct apsp_pairs_reader *reader, const char *data,
	size_t size, struct apsp_err *err);

/* The body is complete. APSP_EMALFORMED. */
int apsp_pairs_reader_end(
	struct apsp_pairs_reader *reader, struct apsp_err *err);

/* Where in the body the last error is: a JSON pointer, or "". */
const char *apsp_pairs_reader_pointer(const struct apsp_pairs_reader *reader);

size_t apsp_pairs_reader_count(const struct apsp_pairs_reader *reader);

/* The ends of pair i; out[0] alone tells that it is no pair. */
void apsp_pairs_reader_get(const struct apsp_pairs_reader *reader, size_t i,
	struct apsp_pair_end out[2]);

#endif
