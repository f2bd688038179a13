/*
 * One upload being received: bytes in any pieces → decompress → parse → labels
 * and an unnamed spool file of arcs. The store gets it when it is complete
 * (storage/ingest/README.md, Arcs are stored as uploaded).
 *
 * Memory: fixed buffers and the labels; nothing grows with the arcs. An upload
 * belongs to one thread at a time.
 *
 * Work is done in steps, each of them short whatever the bytes are, so that a
 * caller can look in between whether anybody still wants the upload.
 */
#ifndef APSP_STORAGE_INGEST_UPLOAD_UPLOAD_H
#define APSP_STORAGE_INGEST_UPLOAD_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"
#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"
#include "storage/ingest/findings.h"
#include "storage/ingest/formats/format.h"
#include "storage/ingest/labels.h"
#include "storage/ingest/upload/inflate.h"

struct apsp_upload_options {
	enum apsp_format format;
	bool format_unsaid; /* the first bytes tell the format */
	enum apsp_coding coding;
	struct apsp_profile profile; /* of `default`; a weight outside its
					domain is refused with its line */
	/*
	 * Nobody has said the transform. Then `profile` holds if the upload
	 * says that its weights are lengths, if_unweighted if it has none, and
	 * any other weights are refused.
	 */
	bool transform_unsaid;
	struct apsp_profile if_unweighted;
	struct apsp_file_options file;
	uint64_t max_bytes; /* decompressed */
	uint64_t max_arcs;
	uint32_t max_ratio;  /* as in struct apsp_inflate_limits */
	uint64_t free_bytes; /* as there */
	/*
	 * Processor time: cpu_ms, and a second more for each cpu_rate bytes as
	 * sent; cpu_rate 0: any time.
	 */
	uint32_t cpu_ms;
	uint32_t cpu_rate;
	/* may be NULL; outlives the upload */
	struct apsp_budget *budget;
	struct apsp_holder *holder; /* of its share; may be NULL */
	uint64_t body_bytes;	    /* as announced; 0: unknown */
};

struct apsp_upload;

/*
 * APSP_EMALFORMED: the format takes no such option (apsp_format_check()); where
 * the first bytes tell the format, this is found by a step.
 *
 * spool_dir, borrowed, is where the unnamed file goes. On success the caller
 * owns *out and ends it with apsp_upload_free(), also after an error. Errors of
 * apsp_share_open(), APSP_EIO, APSP_ENOMEM.
 */
int apsp_upload_open(const char *spool_dir,
	const struct apsp_upload_options *options, struct apsp_upload **out,
	struct apsp_err *err);
void apsp_upload_free(struct apsp_upload *upload);

/*
 * Take some of the next bytes: *data and *size move past them. Returns 1 if
 * more is to be done, also where *size is 0, and 0 once all bytes are worked
 * up. A step hands at most 512 KiB of decompressed bytes to the parser.
 *
 * APSP_EDATA with line and column: what was found and what was expected.
 * APSP_ETRANSFORM: as apsp_graph_builder_weighted().
 * APSP_ETOOLARGE: past a limit, that of processor time included;
 * APSP_ENOSPACE, APSP_ENOMEM, APSP_EBUSY: other uploads have the memory. After
 * an error the upload can only be freed.
 */
int apsp_upload_step(struct apsp_upload *upload, const char **data,
	size_t *size, struct apsp_err *err);

/* All steps for these bytes. Errors as apsp_upload_step(). */
int apsp_upload_write(struct apsp_upload *upload, const void *data, size_t size,
	struct apsp_err *err);

/*
 * The body is complete: take the last line, check what only the end can tell (a
 * cut gzip stream, fewer arcs than announced, an empty graph), make the
 * revision. Errors as apsp_upload_write().
 */
int apsp_upload_end(struct apsp_upload *upload, struct apsp_err *err);

/* After apsp_upload_end(): */
/* apsp_clock_s() when its last byte was there. */
double apsp_upload_ended_s(const struct apsp_upload *upload);

uint64_t apsp_upload_n_arcs(const struct apsp_upload *upload);
const struct apsp_labels *apsp_upload_labels(const struct apsp_upload *upload);

/* The set of enum apsp_weights of the arcs. */
unsigned int apsp_upload_weights(const struct apsp_upload *upload);

/* The labels, whose reference the caller takes over from the upload. */
struct apsp_labels *apsp_upload_take_labels(struct apsp_upload *upload);

/* The revision (storage/ingest/revision.h) in hexadecimal. */
const char *apsp_upload_revision(const struct apsp_upload *upload);

enum apsp_format apsp_upload_format(const struct apsp_upload *upload);

/* The rule of `default`, as said or as the weights' meaning decided. */
const struct apsp_profile *apsp_upload_profile(
	const struct apsp_upload *upload);

/* What was found on the way, for the receipt. */
const struct apsp_findings *apsp_upload_findings(
	const struct apsp_upload *upload);

/*
 * Read at most max arcs from arc number first on. Returns how many, or a
 * negative code.
 */
int64_t apsp_upload_arcs(const struct apsp_upload *upload, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err);

#endif
