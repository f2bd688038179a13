/*
 * Compares an upload with the upload that it replaces: counts the arcs that the
 * graph gains and loses, and the arcs whose weights change. Two arcs count as
 * the same arc if their tails and their heads have the same labels. First, in
 * both uploads, the arcs of each pair of vertices are merged by the options
 * `invalid` and `duplicates` of the new upload's rule. The other options do not
 * count: the comparison includes the arcs that they drop. Sums are exact, so
 * they do not depend on the order of the arcs.
 *
 * In each of the two uploads, the comparison takes about 40 bytes of memory for
 * each pair of vertices that has an arc. There are three reasons to count no
 * arcs: the uploads have too many arcs (APSP_COMPARED_ARCS_MAX), memory is
 * short, or the earlier upload is removed meanwhile.
 */
#ifndef APSP_STORAGE_UPLOAD_CHANGE_H
#define APSP_STORAGE_UPLOAD_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/ingest/upload/upload.h"
#include "storage/snapshots/graph_snapshot.h"

struct apsp_store;
struct apsp_upload_change;

struct apsp_upload_change_counts {
	bool known; /* true: the arcs were counted, and the next members are
		       valid */
	uint64_t n_gained, n_lost, n_changed;
};

/*
 * Begin to compare a complete upload with the upload from which requests are
 * answered now. `upload` is borrowed until apsp_upload_change_free(), and its
 * share counts the memory. Returns NULL if no step is needed; then *out_counts
 * is complete.
 */
struct apsp_upload_change *apsp_upload_change_new(struct apsp_store *store,
	const struct apsp_graph_snapshot *snapshot, struct apsp_upload *upload,
	struct apsp_upload_change_counts *out_counts);
void apsp_upload_change_free(struct apsp_upload_change *change);

/* Do a step of about a millisecond. Returns true if more steps are needed, or
   false when *out_counts is complete. */
bool apsp_upload_change_step(struct apsp_upload_change *change,
	struct apsp_upload_change_counts *out_counts);

#endif
