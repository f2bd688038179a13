/*
 * Labels; see labels.h. Their bytes lie one after the other, with the offset of
 * each, and an open hash table holds their indices (linear probing, at most
 * three quarters full). A slot keeps 32 bits of the hash, so that a probe reads
 * a label's bytes only where these match.
 *
 *	bytes    a \0 b b \0 c \0        offsets  0 2 5 7
 *
 * The hash starts from a random seed: labels come from clients, and chosen
 * collisions would make an upload quadratic.
 */
#include "storage/ingest/labels.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/base/auto.h"
#include "daemon/base/utf8.h"

enum {
	FIRST_BYTES = 4096,
	FIRST_LABELS = 256,
	FIRST_SLOTS = 512, /* a power of two, as all later sizes */
	EDIT_LIMIT = 2,	   /* the largest edit distance of a suggestion */
};

struct slot {
	uint32_t hash;
	uint32_t next; /* index + 1; 0: empty */
};

struct apsp_labels {
	atomic_uint n_refs;
	char *bytes;
	size_t bytes_used, bytes_size;
	uint32_t *offsets; /* count + 1; 32 bits hold 2^20 * 1025 bytes */
	uint32_t count, offsets_size;
	struct slot *slots;
	uint32_t mask;
	uint64_t seed;
};

int apsp_labels_new(struct apsp_labels **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_labels_end) struct apsp_labels *labels = NULL;

	labels = calloc(1, sizeof(*labels));
	if (!labels)
		return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
	atomic_init(&labels->n_refs, 1);
	labels->bytes_size = FIRST_BYTES;
	labels->bytes = malloc(FIRST_BYTES);
	labels->offsets_size = FIRST_LABELS;
	labels->offsets = malloc(FIRST_LABELS * sizeof(*labels->offsets));
	labels->mask = FIRST_SLOTS - 1;
	labels->slots = calloc(FIRST_SLOTS, sizeof(*labels->slots));
	if (!labels->bytes || !labels->offsets || !labels->slots)
		return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
	labels->offsets[0] = 0;
	if (getrandom(&labels->seed, sizeof(labels->seed), GRND_NONBLOCK) < 0)
		labels->seed = (uintptr_t)labels; /* early boot: less random */
	*out = APSP_TAKE(labels);
	return 0;
}

struct apsp_labels *apsp_labels_ref(struct apsp_labels *labels)
{
	atomic_fetch_add_explicit(&labels->n_refs, 1, memory_order_relaxed);
	return labels;
}

void apsp_labels_unref(struct apsp_labels *labels)
{
	if (!labels || atomic_fetch_sub_explicit(
			       &labels->n_refs, 1, memory_order_acq_rel) > 1)
		return;
	free(labels->bytes);
	free(labels->offsets);
	free(labels->slots);
	free(labels);
}

static uint64_t mix(uint64_t h, uint64_t word)
{
	unsigned __int128 wide =
		(unsigned __int128)(h ^ word) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

static uint32_t hash_of(
	const struct apsp_labels *labels, const char *text, size_t size)
{
	uint64_t h = labels->seed ^ size, word;

	for (; size >= 8; text += 8, size -= 8) {
		memcpy(&word, text, 8);
		h = mix(h, word);
	}
	word = 0;
	for (size_t i = 0; i < size; i++)
		word = word << 8 | (unsigned char)text[i];
	h = mix(h, word);
	return (uint32_t)mix(h, labels->seed);
}

static bool label_is(const struct apsp_labels *labels, uint32_t i,
	const char *text, size_t size)
{
	uint32_t offset = labels->offsets[i];

	return labels->offsets[i + 1] - offset == size + 1 &&
	       memcmp(labels->bytes + offset, text, size) == 0;
}

/* The slot that holds the label, or the empty one where it would go. */
static struct slot *slot_find(const struct apsp_labels *labels, uint32_t hash,
	const char *text, size_t size)
{
	for (uint32_t at = hash & labels->mask;; at = (at + 1) & labels->mask) {
		struct slot *slot = &labels->slots[at];

		if (!slot->next ||
			(slot->hash == hash &&
				label_is(labels, slot->next - 1, text, size)))
			return slot;
	}
}

static bool slots_grow(struct apsp_labels *labels)
{
	uint32_t mask = labels->mask * 2 + 1;
	struct slot *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 0; i <= labels->mask; i++) {
		uint32_t at = labels->slots[i].hash & mask;

		if (!labels->slots[i].next)
			continue;
		while (slots[at].next)
			at = (at + 1) & mask;
		slots[at] = labels->slots[i];
	}
	free(labels->slots);
	labels->slots = slots;
	labels->mask = mask;
	return true;
}

/* Make room for one more label, of size bytes. False: no memory. */
static bool reserve(struct apsp_labels *labels, size_t size)
{
	if (labels->bytes_size - labels->bytes_used < size + 1) {
		/* doubling is enough: size is below FIRST_BYTES */
		size_t bigger = labels->bytes_size * 2;
		char *bytes = realloc(labels->bytes, bigger);

		if (!bytes)
			return false;
		labels->bytes = bytes;
		labels->bytes_size = bigger;
	}
	if (labels->count + 2 > labels->offsets_size) {
		uint32_t bigger = labels->offsets_size * 2;
		uint32_t *offsets =
			realloc(labels->offsets, bigger * sizeof(*offsets));

		if (!offsets)
			return false;
		labels->offsets = offsets;
		labels->offsets_size = bigger;
	}
	return labels->count < labels->mask / 4 * 3 || slots_grow(labels);
}

static int check(const struct apsp_labels *labels, const char *text,
	size_t size, struct apsp_err *err)
{
	if (size == 0)
		return apsp_fail(err, APSP_EDATA,
			"a vertex label is empty, expected 1 to %d bytes",
			APSP_LABEL_MAX);
	if (size > APSP_LABEL_MAX)
		return apsp_fail(err, APSP_EDATA,
			"the vertex label '%s' has %zu bytes, expected at "
			"most %d",
			apsp_excerpt_of(text, size).text, size, APSP_LABEL_MAX);
	if (!apsp_utf8_valid(text, size))
		return apsp_fail(err, APSP_EDATA,
			"the vertex label '%s' is not UTF-8 text without NUL",
			apsp_excerpt_of(text, size).text);
	if (labels->count >= APSP_VERTICES_MAX)
		return apsp_fail(err, APSP_EDATA,
			"the vertex '%s' is one too many, expected at most %d "
			"vertices",
			apsp_excerpt_of(text, size).text, APSP_VERTICES_MAX);
	return 0;
}

int apsp_labels_intern(struct apsp_labels *labels, const char *text,
	size_t size, uint32_t *out_index, struct apsp_err *err)
{
	uint32_t hash = hash_of(labels, text, size);
	struct slot *slot = slot_find(labels, hash, text, size);
	int r;

	if (slot->next) {
		*out_index = slot->next - 1;
		return 0;
	}
	/* labels in the table were checked when they were added */
	r = check(labels, text, size, err);
	if (r < 0)
		return r;
	if (!reserve(labels, size))
		return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
	slot = slot_find(labels, hash, text, size);
	memcpy(labels->bytes + labels->bytes_used, text, size);
	labels->bytes[labels->bytes_used + size] = '\0';
	labels->bytes_used += size + 1;
	*out_index = labels->count++;
	labels->offsets[labels->count] = (uint32_t)labels->bytes_used;
	slot->hash = hash;
	slot->next = labels->count;
	return 0;
}

uint32_t apsp_labels_count(const struct apsp_labels *labels)
{
	return labels->count;
}

const char *apsp_labels_get(
	const struct apsp_labels *labels, uint32_t i, size_t *out_size)
{
	if (out_size)
		*out_size = labels->offsets[i + 1] - labels->offsets[i] - 1;
	return labels->bytes + labels->offsets[i];
}

int64_t apsp_labels_find(
	const struct apsp_labels *labels, const char *text, size_t size)
{
	const struct slot *slot =
		slot_find(labels, hash_of(labels, text, size), text, size);

	return (int64_t)slot->next - 1;
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_with(const char *label, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (fold(label[i]) != fold(text[i]))
			return false; /* also at the label's NUL */
	return true;
}

enum match {
	MATCH_EXACT,
	MATCH_START,
	MATCH_INSIDE,
	MATCH_NONE,
};

static enum match match_of(
	const char *label, size_t label_size, const char *text, size_t size)
{
	if (size > label_size)
		return MATCH_NONE;
	if (starts_with(label, text, size))
		return size == label_size ? MATCH_EXACT : MATCH_START;
	for (size_t i = 1; i + size <= label_size; i++)
		if (starts_with(label + i, text, size))
			return MATCH_INSIDE;
	return MATCH_NONE;
}

size_t apsp_labels_search(const struct apsp_labels *labels, const char *text,
	uint32_t *out, size_t max)
{
	size_t size = strlen(text), n = 0, label_size;

	for (enum match want = MATCH_EXACT; want < MATCH_NONE; want++) {
		for (uint32_t i = 0; i < labels->count && n < max; i++) {
			const char *label =
				apsp_labels_get(labels, i, &label_size);

			if (match_of(label, label_size, text, size) == want)
				out[n++] = i;
		}
	}
	return n;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Levenshtein's distance, or EDIT_LIMIT + 1 for anything larger: only the
 * diagonals within the limit are kept (Ukkonen 1985). Cell k of row i is
 * the distance of the first i bytes of a and the first i + k - limit of b.
 */
static unsigned int edit_distance(
	const char *a, size_t a_size, const char *b, size_t b_size)
{
	enum { WIDTH = 2 * EDIT_LIMIT + 1, FAR = EDIT_LIMIT + 1 };
	unsigned int row[WIDTH + 1], best;

	if (a_size > b_size + EDIT_LIMIT || b_size > a_size + EDIT_LIMIT)
		return FAR;
	for (unsigned int k = 0; k <= WIDTH; k++)
		row[k] = k < EDIT_LIMIT ? FAR : least(k - EDIT_LIMIT, FAR);
	for (size_t i = 1; i <= a_size; i++) {
		best = FAR;
		for (size_t k = 0; k < WIDTH; k++) {
			size_t j = i + k;
			unsigned int d = FAR;

			if (j >= EDIT_LIMIT && j - EDIT_LIMIT <= b_size) {
				j -= EDIT_LIMIT;
				d = least(d, row[k + 1] + 1);
				if (k > 0)
					d = least(d, row[k - 1] + 1);
				if (j > 0)
					d = least(d,
						row[k] +
							(a[i - 1] != b[j - 1]));
			}
			row[k] = d;
			best = least(best, d);
		}
		if (best == FAR)
			return FAR;
	}
	return row[b_size + EDIT_LIMIT - a_size];
}

size_t apsp_labels_suggest(const struct apsp_labels *labels, const char *text,
	uint32_t *out, size_t max)
{
	size_t size = strlen(text), n = 0, label_size;
	unsigned int distance;

	for (unsigned int want = 1; want <= EDIT_LIMIT && want < size; want++) {
		for (uint32_t i = 0; i < labels->count && n < max; i++) {
			const char *label =
				apsp_labels_get(labels, i, &label_size);

			distance = edit_distance(text, size, label, label_size);
			if (distance == want)
				out[n++] = i;
		}
	}
	return n;
}

const char *apsp_labels_bytes(
	const struct apsp_labels *labels, size_t *out_size)
{
	*out_size = labels->bytes_used;
	return labels->bytes;
}
