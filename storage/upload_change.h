/*
 * Counts what an upload changes in the graph that it replaces: arcs gained,
 * lost and changed. An arc is named by the labels of its ends. Both uploads are
 * merged as the rule of the new one says (`duplicates`), with exact sums,
 * before any arc is dropped. So the order of the arcs does not matter.
 *
 * The comparison needs time, and some 40 bytes for each pair of both uploads.
 * If the uploads are too large, if there is no memory, or if the earlier upload
 * is removed meanwhile, the arcs are not counted.
 */
#ifndef APSP_STORAGE_UPLOAD_CHANGE_H
#define APSP_STORAGE_UPLOAD_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/ingest/upload/upload.h"
#include "storage/snapshots/graph_snapshot.h"

struct apsp_store;
struct apsp_upload_change;

struct apsp_upload_change_counts {
	bool known; /* the arcs were counted */
	uint64_t n_gained, n_lost, n_changed;
};

/*
 * Begin to compare a complete upload with the upload that the graph shows now.
 * `upload` is borrowed until apsp_upload_change_free(), and its share counts
 * the memory. Returns NULL if there is nothing to do: then *out_counts is
 * complete.
 */
struct apsp_upload_change *apsp_upload_change_new(struct apsp_store *store,
	const struct apsp_graph_snapshot *snapshot, struct apsp_upload *upload,
	struct apsp_upload_change_counts *out_counts);
void apsp_upload_change_free(struct apsp_upload_change *change);

/* Do a step of about a millisecond. Returns true if more is to do; when it
   returns false, all of *out_counts is set. */
bool apsp_upload_change_step(struct apsp_upload_change *change,
	struct apsp_upload_change_counts *out_counts);

#endif
