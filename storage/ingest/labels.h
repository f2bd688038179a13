/*
 * The labels of a graph's vertices: text to dense index and back. One thread
 * fills them while an upload is read; afterwards they are immutable, counted
 * and shared between threads.
 *
 * A label is 1 to APSP_LABEL_STORED_MAX bytes of UTF-8 without NUL;
 * graph_builder takes APSP_LABEL_MAX of an upload. Indices follow the order of
 * first appearance. Memory: the bytes plus about 16 bytes a label.
 */
#ifndef APSP_STORAGE_INGEST_LABELS_H
#define APSP_STORAGE_INGEST_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/base/budget.h"

enum {
	APSP_LABEL_MAX = 512,	      /* of uploads */
	APSP_LABEL_STORED_MAX = 1024, /* earlier versions took these */
	APSP_VERTICES_MAX = 1 << 20,  /* more could never have tables */
};

struct apsp_labels;

/* The caller ends *out with apsp_labels_unref(). APSP_ENOMEM. */
int apsp_labels_new(struct apsp_labels **out, struct apsp_err *err);

/*
 * Ask share, which is borrowed, before taking more memory; NULL: ask nobody
 * from now on.
 */
void apsp_labels_set_share(
	struct apsp_labels *labels, struct apsp_share *share);

struct apsp_labels *apsp_labels_ref(struct apsp_labels *labels);
void apsp_labels_unref(struct apsp_labels *labels); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_labels_end, struct apsp_labels, apsp_labels_unref);

/*
 * The index of a label, which is added if it is new. APSP_EDATA: it is empty,
 * too long, not UTF-8, or one too many. APSP_ENOMEM, and the errors of
 * apsp_share_grow().
 */
int apsp_labels_intern(struct apsp_labels *labels, const char *text,
	size_t size, uint32_t *out_index, struct apsp_err *err);

uint32_t apsp_labels_count(const struct apsp_labels *labels);

/* Label i, borrowed and NUL-terminated; *out_size may be NULL. */
const char *apsp_labels_get(
	const struct apsp_labels *labels, uint32_t i, size_t *out_size);

/* The index of a label, or -1. */
int64_t apsp_labels_find(
	const struct apsp_labels *labels, const char *text, size_t size);

/*
 * Up to max indices whose label contains text, ASCII case ignored: exact ones
 * first, then those that start with it, then the others, each in index order.
 * An empty text matches all; one longer than APSP_LABEL_STORED_MAX matches
 * none. Only labels whose bit is set in `only` (NULL: all) are looked at. out
 * has room for 3 · max, the rest of which is scratch. Returns how many were
 * stored. O(bytes of the labels).
 */
size_t apsp_labels_search(const struct apsp_labels *labels, const char *text,
	const uint64_t *only, uint32_t *out, size_t max);

/*
 * For "did you mean": up to max indices of the labels nearest to a text that is
 * no label, nearest first. Their edit distance is at most 2 and below the
 * text's length. out has room for 2 · max. Labels are looked at in order until
 * some 30 ms have been spent; short ones are, up to a million.
 */
size_t apsp_labels_suggest(const struct apsp_labels *labels, const char *text,
	uint32_t *out, size_t max);

/* All labels one after the other, each NUL-terminated, as stored. */
const char *apsp_labels_bytes(
	const struct apsp_labels *labels, size_t *out_size);

#endif
