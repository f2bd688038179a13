/*
 * Compares uploads; see upload_change.h.
 *
 *	map the vertices → merge the earlier arcs → merge the new arcs → compare
 *
 * In the comparison, a vertex has the index that it has in the new upload. A
 * vertex that is only in the earlier upload gets a higher index than all
 * vertices of the new upload.
 */
#include "storage/upload_change.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/job/profile_domain.h"
#include "storage/ingest/pair_sums.h"
#include "storage/stored_arcs.h"

enum {
	VERTICES_STEP = 8192,
	PAIRS_STEP = 16384,
};

struct apsp_upload_change {
	struct apsp_store *store;
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *earlier;
	const struct apsp_upload_result *now; /* borrowed */
	struct apsp_share *share;	      /* the upload's share of memory */
	uint32_t *new_index; /* for each vertex of the earlier upload, its index
				in the comparison; owned */
	size_t n_index;	     /* number of elements of new_index */
	uint32_t n_mapped;
	/* numbers of arcs that were read */
	uint64_t n_earlier_read, n_new_read;
	struct apsp_pair_sums before, after;
	size_t n_compared, n_common;
	struct apsp_upload_change_counts counts;
	struct apsp_arc arcs[APSP_STORED_ARCS_MAX];
};

void apsp_upload_change_free(struct apsp_upload_change *change)
{
	if (!change)
		return;
	apsp_pair_sums_done(&change->before);
	apsp_pair_sums_done(&change->after);
	free(change->new_index);
	apsp_share_shrink(
		change->share, change->n_index * sizeof(*change->new_index));
	apsp_graph_snapshot_unref(change->snapshot);
	free(change);
}

struct apsp_upload_change *apsp_upload_change_new(struct apsp_store *store,
	const struct apsp_graph_snapshot *snapshot, struct apsp_upload *upload,
	struct apsp_upload_change_counts *out_counts)
{
	const struct apsp_upload_result *now = &upload->result;
	const struct apsp_generation *earlier =
		apsp_graph_snapshot_shown(snapshot);
	enum apsp_duplicates duplicates = now->profile.duplicates;
	struct apsp_upload_change *change;

	*out_counts = (struct apsp_upload_change_counts){
		.known = strcmp(earlier->revision, now->revision) == 0};
	if (out_counts->known ||
		earlier->n_arcs + now->n_arcs + earlier->n_vertices >
			APSP_COMPARED_ARCS_MAX)
		return NULL;
	change = calloc(1, sizeof(*change));
	if (!change)
		return NULL;
	change->store = store;
	change->snapshot = apsp_graph_snapshot_ref(snapshot);
	change->earlier = earlier;
	change->now = now;
	change->share = upload->builder.share;
	apsp_pair_sums_init(&change->before, duplicates, change->share);
	apsp_pair_sums_init(&change->after, duplicates, change->share);
	if (apsp_array_reserve(&change->new_index, earlier->n_vertices,
		    &change->n_index,
		    &(struct apsp_array_growth){sizeof(*change->new_index),
			    earlier->n_vertices, "its changes", change->share},
		    NULL) == 0)
		return change;
	apsp_upload_change_free(change);
	return NULL;
}

static void vertices_map(struct apsp_upload_change *change)
{
	uint32_t n_new = change->now->labels->count;

	for (int i = 0; i < VERTICES_STEP &&
			change->n_mapped < change->earlier->n_vertices;
		i++) {
		uint32_t v = change->n_mapped++;
		size_t size;
		const char *label =
			apsp_labels_get(change->earlier->labels, v, &size);
		int64_t found =
			apsp_labels_find(change->now->labels, label, size);

		change->new_index[v] = found < 0 ? n_new + v : (uint32_t)found;
	}
}

/* Merge an arc with the arcs from its tail to its head that were read before,
   unless the rule of the new upload drops the arc before the merge. */
static int arc_merge(const struct apsp_upload_change *change,
	struct apsp_pair_sums *sums, const struct apsp_arc *arc)
{
	return apsp_profile_drops(&change->now->profile, arc->weight)
		       ? 0
		       : apsp_pair_sums_add(sums, arc, NULL);
}

/* Read the next arcs of the earlier upload, and merge parallel arcs. */
static int earlier_merge(struct apsp_upload_change *change)
{
	int n = apsp_stored_arcs_read(change->store, change->earlier,
		change->n_earlier_read, NULL, change->arcs, NULL);
	int r = 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n && r == 0; i++) {
		struct apsp_arc arc = change->arcs[i];

		arc.from = change->new_index[arc.from];
		arc.to = change->new_index[arc.to];
		r = arc_merge(change, &change->before, &arc);
	}
	change->n_earlier_read += (uint64_t)n;
	return r;
}

/* Read the next arcs of the new upload, and merge parallel arcs. */
static int new_merge(struct apsp_upload_change *change)
{
	int64_t n = apsp_arc_spool_read(change->now->arcs, change->n_new_read,
		change->arcs, APSP_STORED_ARCS_MAX, NULL);
	int r = n > 0 ? 0 : APSP_EIO;

	for (int64_t i = 0; i < n && r == 0; i++)
		r = arc_merge(change, &change->after, &change->arcs[i]);
	change->n_new_read += (uint64_t)(n > 0 ? n : 0);
	return r;
}

/* Look up the next pairs of vertices of the new upload in the earlier upload,
   and count the differences. Returns whether pairs are left. */
static bool compare(struct apsp_upload_change *change)
{
	struct apsp_upload_change_counts *counts = &change->counts;

	for (int k = 0; k < PAIRS_STEP; k++) {
		struct apsp_arc after;
		size_t i;

		if (change->n_compared == change->after.n) {
			counts->n_lost = change->before.n - change->n_common;
			counts->known = true;
			return false;
		}
		after = apsp_pair_sums_get(
			&change->after, change->n_compared++);
		i = apsp_pair_sums_find(&change->before, after.from, after.to);
		if (i == SIZE_MAX) {
			counts->n_gained++;
			continue;
		}
		change->n_common++;
		counts->n_changed +=
			apsp_pair_sums_get(&change->before, i).weight !=
			after.weight;
	}
	return true;
}

bool apsp_upload_change_step(struct apsp_upload_change *change,
	struct apsp_upload_change_counts *out_counts)
{
	bool more = true;
	int r = 0;

	if (change->n_mapped < change->earlier->n_vertices)
		vertices_map(change);
	else if (change->n_earlier_read < change->earlier->n_arcs)
		r = earlier_merge(change);
	else if (change->n_new_read < change->now->n_arcs)
		r = new_merge(change);
	else
		more = compare(change);
	if (more && r >= 0)
		return true;
	*out_counts = change->counts;
	return false;
}
