/*
 * One upload being received: bytes in any pieces → decompress → parse → labels
 * and an unnamed spool file of arcs. Nothing is stored before it is complete.
 *
 * Memory: a fixed buffer, the labels, nothing that grows with the arcs.
 * An upload belongs to one thread at a time.
 */
#ifndef APSP_STORAGE_UPLOAD_H
#define APSP_STORAGE_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"
#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"
#include "storage/labels.h"

enum apsp_format {
	APSP_FORMAT_CSV,
	APSP_FORMAT_TSV,
	APSP_FORMAT_CSV_MATRIX,
	APSP_FORMAT_MTX,
	APSP_FORMAT_GR,
	APSP_FORMAT_NPY,
	APSP_FORMAT_JSON,
	APSP_N_FORMATS,
};

enum apsp_coding {
	APSP_CODING_IDENTITY, /* gzip and zstd are known by their first bytes */
	APSP_CODING_GZIP,
	APSP_CODING_ZSTD,
};

/* "csv", "tsv", "csv-matrix", "mtx", "gr", "npy", "json". */
const char *apsp_format_name(enum apsp_format format);

/* -1 if there is none of that name. */
int apsp_format_from_name(const char *name);

struct apsp_upload_options {
	enum apsp_format format;
	enum apsp_coding coding;
	struct apsp_profile profile; /* of `default`: weights outside its
					domain are refused with their line */
	bool has_nonedge;   /* dense formats: this cell is no arc … */
	double nonedge;	    /* … instead of 0 */
	uint64_t max_bytes; /* decompressed; a bomb ends here */
	uint64_t max_arcs;
};

struct apsp_upload;

/*
 * spool_dir is where the unnamed file goes. On success the caller owns *out
 * and ends it with apsp_upload_free(), also after an error.
 */
int apsp_upload_open(const char *spool_dir,
	const struct apsp_upload_options *options, struct apsp_upload **out,
	struct apsp_err *err);
void apsp_upload_free(struct apsp_upload *upload);

/*
 * Take the next bytes. APSP_EDATA with line and column: what was found and what
 * was expected. APSP_ETOOLARGE, APSP_ENOSPACE, APSP_ENOMEM. After an error the
 * upload can only be freed.
 */
int apsp_upload_write(struct apsp_upload *upload, const void *data, size_t size,
	struct apsp_err *err);

/*
 * The body is complete: the last line, what only the end can tell (a cut gzip
 * stream, fewer arcs than announced, an empty graph), the revision.
 */
int apsp_upload_end(struct apsp_upload *upload, struct apsp_err *err);

/* After apsp_upload_end(): */

uint64_t apsp_upload_n_arcs(const struct apsp_upload *upload);
const struct apsp_labels *apsp_upload_labels(const struct apsp_upload *upload);

/* What is known of the arcs' weights: a set of enum apsp_weights. */
unsigned int apsp_upload_weights(const struct apsp_upload *upload);

/* Hand the labels over; the upload has none afterwards. */
struct apsp_labels *apsp_upload_take_labels(struct apsp_upload *upload);

/* SHA-256 over vertex count, labels and arcs in order, in hexadecimal. */
const char *apsp_upload_revision(const struct apsp_upload *upload);

enum apsp_format apsp_upload_format(const struct apsp_upload *upload);
const struct apsp_profile *apsp_upload_profile(
	const struct apsp_upload *upload);

/*
 * Read at most max arcs from arc number first on. Returns how many, or a
 * negative code.
 */
int64_t apsp_upload_arcs(const struct apsp_upload *upload, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err);

#endif
