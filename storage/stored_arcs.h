/*
 * Reads an upload's arcs from the database, in their original order, and finds
 * damaged arcs.
 */
#ifndef APSP_STORAGE_STORED_ARCS_H
#define APSP_STORAGE_STORED_ARCS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"
#include "storage/ingest/revision.h"

struct apsp_store;
struct apsp_generation;

enum {
	/* largest number of arcs that one call reads */
	APSP_STORED_ARCS_MAX = 4096,
	/* number of arcs in each chunk except the last: 4 MiB of struct
	   apsp_arc */
	APSP_STORED_ARCS_CHUNK = 4 << 20 >> 4,
};

/*
 * Read arcs of a generation into out, from arc number `first` on: at most
 * APSP_STORED_ARCS_MAX arcs. Returns the number of arcs that were read; 0:
 * there are no more arcs. Takes about 100 µs. Any thread may call this.
 *
 * If `digest` is not NULL, the caller reads all arcs from number 0 on, and each
 * call adds its arcs to *digest. The call that reads the last arc then fails
 * with APSP_EROW if labels and arcs do not have the generation's revision. If
 * `digest` is NULL, nothing is compared.
 *
 * APSP_ECANCELLED: the generation was removed. APSP_EROW: labels and arcs do
 * not have the revision, or the end of an arc is no vertex. APSP_EDB: the
 * database has failed. APSP_ENOMEM.
 */
int apsp_stored_arcs_read(struct apsp_store *store,
	const struct apsp_generation *generation, uint64_t first,
	struct apsp_arcs_digest *digest,
	struct apsp_arc out[APSP_STORED_ARCS_MAX], struct apsp_err *err);

#endif
