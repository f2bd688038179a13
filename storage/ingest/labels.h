/*
 * The labels of a graph's vertices: maps text to dense indices and back. One
 * thread adds labels while an upload is read. Afterwards they are immutable,
 * reference counted and shared between threads.
 *
 * A label has 1 to APSP_LABEL_STORED_MAX bytes of UTF-8 without NUL;
 * graph_builder accepts labels of at most APSP_LABEL_MAX bytes from an upload.
 * Indices follow the order of first appearance. In memory, a label takes its
 * own bytes and about 16 bytes more.
 */
#ifndef APSP_STORAGE_INGEST_LABELS_H
#define APSP_STORAGE_INGEST_LABELS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/base/budget.h"
#include "daemon/base/limits.h"

enum {
	/* limit in bytes of a stored label; it is greater than APSP_LABEL_MAX,
	   because earlier versions of apspd accepted longer labels */
	APSP_LABEL_STORED_MAX = 1024,
};

struct apsp_label_slot {
	uint32_t hash;
	uint32_t next; /* index of the label, plus 1; 0: no label */
};

struct apsp_labels {
	uint32_t count; /* number of labels */
	/* the bytes of all labels in index order, each with a NUL at its end.
	   The database stores them in this form; owned */
	char *bytes;
	size_t bytes_used;

	/* The following members are private to labels.c. */
	atomic_uint n_refs;
	size_t bytes_room; /* number of bytes for which `bytes` has memory */
	uint32_t *offsets; /* count + 1 offsets; all labels together have fewer
			      than 2^32 bytes */
	size_t offsets_size;
	struct apsp_label_slot *slots;
	uint32_t mask;
	uint64_t seed;
	struct apsp_share *share; /* share of the memory budget; only
				     apsp_labels_intern() uses it */
};

/*
 * Make an empty set of labels. `share` counts the memory that
 * apsp_labels_intern() allocates, until `share` is closed. NULL: this memory is
 * not counted. `share` is borrowed, and must stay open while labels are added;
 * the labels may outlive it. The caller ends *out with apsp_labels_unref().
 * APSP_ENOMEM.
 */
int apsp_labels_new(struct apsp_share *share, struct apsp_labels **out,
	struct apsp_err *err);

struct apsp_labels *apsp_labels_ref(struct apsp_labels *labels);
void apsp_labels_unref(struct apsp_labels *labels); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_labels_end, struct apsp_labels, apsp_labels_unref);

/*
 * Store the index of a label. If the label is new, add it first. APSP_EDATA:
 * the label is empty, too long or not UTF-8, or there are too many labels.
 * APSP_ENOMEM; errors of apsp_share_grow().
 */
int apsp_labels_intern(struct apsp_labels *labels, const char *text,
	size_t size, uint32_t *out_index, struct apsp_err *err);

/* Return label i, borrowed and NUL-terminated. The length of the label is
   stored in *out_size; out_size may be NULL. */
const char *apsp_labels_get(
	const struct apsp_labels *labels, uint32_t i, size_t *out_size);

/* Return the index of a label, or -1 if there is no such label. */
int64_t apsp_labels_find(
	const struct apsp_labels *labels, const char *text, size_t size);

/*
 * Store up to `max` indices of labels that contain `text`, ignoring ASCII case:
 * first labels that equal `text`, then labels that start with `text`, then all
 * others. Each of the three groups is in index order. An empty text matches all
 * labels; a text longer than APSP_LABEL_STORED_MAX matches none. `only` has a
 * bit for each label, and labels whose bit is 0 are skipped; NULL: no label is
 * skipped. `out` must have 3 · max elements. The function also overwrites the
 * elements after the result. Returns how many indices were stored. The time is
 * proportional to the number of bytes of all labels.
 */
size_t apsp_labels_search(const struct apsp_labels *labels, const char *text,
	const uint64_t *only, uint32_t *out, size_t max);

/*
 * For "did you mean" messages: store up to `max` indices of labels that are
 * similar to `text`, the most similar first. A label is similar if its edit
 * distance to `text` is at most 2 and less than the length of `text`. `out`
 * must have 2 · max elements. Labels are compared in index order for about 30
 * ms, which is enough for a million short labels. Returns how many indices were
 * stored.
 */
size_t apsp_labels_suggest(const struct apsp_labels *labels, const char *text,
	uint32_t *out, size_t max);

#endif
