/*
 * A graph with its tables as one tar archive, which is made while it is sent.
 * The members, in this order:
 *
 *	bundle.json          what the archive holds (bundle_manifest.h)
 *	labels               labels in index order, each with a NUL at its end
 *	arcs                 struct apsp_arc × n_arcs, in upload order
 *	attributes           the stored form (storage/attributes/attributes.h);
 *	                     only if the graph has attributes
 *	tables/<hash>.apsp   a table file as it lies on the disk, for each rule
 *	                     that has tables, in the order of the profiles
 *
 * Any byte of the archive can be made on its own, so a transfer that broke off
 * can be resumed. Memory does not grow with the graph.
 */
#ifndef APSP_API_GRAPHS_BUNDLE_H
#define APSP_API_GRAPHS_BUNDLE_H

#include <stdint.h>

#include "api/http/stream.h"
#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/store.h"

struct apsp_bundle;

struct apsp_bundle_source {
	struct apsp_store *store;
	const struct apsp_graph_snapshot *snapshot;
	const struct apsp_generation *generation; /* the upload to send; belongs
						     to `snapshot` */
	/* the bundle holds the tables of this profile; NULL: the tables of all
	   profiles. Borrowed until apsp_bundle_step() has returned 0 */
	const char *profile;
	bool no_tables;
};

/*
 * Begin a bundle. On success, the bundle owns source->snapshot, and protects
 * the arcs and tables that it will send from deletion (apsp_held_uploads_add(),
 * apsp_tables_hold()). The caller ends *out with apsp_bundle_free().
 * APSP_ENOPROFILE, APSP_ENOMEM.
 */
int apsp_bundle_new(const struct apsp_bundle_source *source,
	struct apsp_bundle **out, struct apsp_err *err);
void apsp_bundle_free(void *bundle); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_bundle_end, struct apsp_bundle, apsp_bundle_free);

/*
 * Prepare the bundle: hash the attributes, because the first member has their
 * checksum, and then lay out the members. A call takes about a millisecond.
 * Returns 1 if more calls are needed, or 0 when the bundle can be sent.
 * APSP_EROW, APSP_ENOMEM.
 */
int apsp_bundle_step(struct apsp_bundle *bundle, struct apsp_err *err);

/* Return the size of the archive in bytes, and the id of the archive. Two
   archives with the same id have the same bytes. Call these functions after
   apsp_bundle_step() has returned 0. */
uint64_t apsp_bundle_size(const struct apsp_bundle *bundle);
const char *apsp_bundle_id(const struct apsp_bundle *bundle);

/* Return a stream of the archive's bytes from offset `begin` to offset `begin`
   + `size` - 1. The stream owns the bundle. */
struct apsp_stream apsp_bundle_stream(
	struct apsp_bundle *bundle, uint64_t begin, uint64_t size);

#endif
