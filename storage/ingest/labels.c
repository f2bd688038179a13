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
	/* rows of edit distances that a search for suggestions may compute */
	SUGGEST_ROWS = 1 << 22,
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
	struct apsp_share *share; /* asked before memory grows */
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

void apsp_labels_set_share(struct apsp_labels *labels, struct apsp_share *share)
{
	labels->share = share;
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

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
}

static int room_ask(
	struct apsp_labels *labels, uint64_t bytes, struct apsp_err *err)
{
	return apsp_share_grow(labels->share, bytes, "the labels", err);
}

static int slots_grow(struct apsp_labels *labels, struct apsp_err *err)
{
	uint32_t mask = labels->mask * 2 + 1;
	struct slot *slots;
	int r;

	r = room_ask(labels, (mask - labels->mask) * sizeof(*slots), err);
	if (r < 0)
		return r;
	slots = calloc((size_t)mask + 1, sizeof(*slots));
	if (!slots)
		return no_memory(err);
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
	return 0;
}

/*
 * As realloc(), which stays in the heap of the thread that made the first
 * block: an HTTP thread, which then waits for the upload's thread at each of
 * its own allocations (hundreds of milliseconds were seen, while the kernel
 * grew the heap).
 */
static void *grown(void *old, size_t used, size_t size)
{
	void *new = malloc(size);

	if (new) {
		memcpy(new, old, used);
		free(old);
	}
	return new;
}

static int bytes_grow(struct apsp_labels *labels, struct apsp_err *err)
{
	/* doubling is enough: a label is shorter than FIRST_BYTES */
	size_t bigger = labels->bytes_size * 2;
	char *bytes;
	int r;

	r = room_ask(labels, bigger - labels->bytes_size, err);
	if (r < 0)
		return r;
	bytes = grown(labels->bytes, labels->bytes_used, bigger);
	if (!bytes)
		return no_memory(err);
	labels->bytes = bytes;
	labels->bytes_size = bigger;
	return 0;
}

static int offsets_grow(struct apsp_labels *labels, struct apsp_err *err)
{
	uint32_t bigger = labels->offsets_size * 2, *offsets;
	int r;

	r = room_ask(labels, (bigger - labels->offsets_size) * sizeof(*offsets),
		err);
	if (r < 0)
		return r;
	offsets = grown(labels->offsets, (labels->count + 1) * sizeof(*offsets),
		bigger * sizeof(*offsets));
	if (!offsets)
		return no_memory(err);
	labels->offsets = offsets;
	labels->offsets_size = bigger;
	return 0;
}

/* Make room for one more label, of size bytes. */
static int reserve(
	struct apsp_labels *labels, size_t size, struct apsp_err *err)
{
	int r = 0;

	if (labels->bytes_size - labels->bytes_used < size + 1)
		r = bytes_grow(labels, err);
	if (r == 0 && labels->count + 2 > labels->offsets_size)
		r = offsets_grow(labels, err);
	if (r == 0 && labels->count >= labels->mask / 4 * 3)
		r = slots_grow(labels, err);
	return r;
}

static int check(const struct apsp_labels *labels, const char *text,
	size_t size, struct apsp_err *err)
{
	if (size == 0)
		return apsp_fail(err, APSP_EDATA,
			"a vertex label is empty, expected 1 to %d bytes",
			APSP_LABEL_MAX);
	if (size > APSP_LABEL_STORED_MAX)
		return apsp_fail(err, APSP_EDATA,
			"the vertex label '%s' has %zu bytes, expected at "
			"most %d",
			apsp_excerpt_of(text, size).text, size,
			APSP_LABEL_STORED_MAX);
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
	r = reserve(labels, size, err);
	if (r < 0)
		return r;
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

enum match {
	MATCH_EXACT,
	MATCH_START,
	MATCH_INSIDE,
	N_MATCHES,
};

static void fold_all(char *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = fold(text[i]);
}

/* How a label contains a folded text; N_MATCHES: it does not. */
static enum match match_of(
	const char *label, size_t label_size, const char *text, size_t size)
{
	char folded[APSP_LABEL_STORED_MAX];
	const char *at;

	if (size > label_size)
		return N_MATCHES;
	fold_all(folded, label, label_size);
	/* linear, whatever the texts are */
	at = memmem(folded, label_size, text, size);
	if (!at)
		return N_MATCHES;
	if (at > folded)
		return MATCH_INSIDE;
	return size == label_size ? MATCH_EXACT : MATCH_START;
}

/* Join n lists of up to max indices each, which begin at out[i * max]. */
static size_t lists_join(
	uint32_t *out, const size_t *sizes, size_t n, size_t max)
{
	size_t total = sizes[0];

	for (size_t i = 1; i < n; i++) {
		size_t size = sizes[i] < max - total ? sizes[i] : max - total;

		memmove(out + total, out + i * max, size * sizeof(*out));
		total += size;
	}
	return total;
}

size_t apsp_labels_search(const struct apsp_labels *labels, const char *text,
	const uint64_t *only, uint32_t *out, size_t max)
{
	size_t size = strlen(text), sizes[N_MATCHES] = {0}, label_size;
	char folded[APSP_LABEL_STORED_MAX];
	enum match match;

	if (size > sizeof(folded))
		return 0;
	fold_all(folded, text, size);
	for (uint32_t i = 0; i < labels->count; i++) {
		const char *label = apsp_labels_get(labels, i, &label_size);

		if (only && !(only[i / 64] >> i % 64 & 1))
			continue;
		match = match_of(label, label_size, folded, size);
		if (match != N_MATCHES && sizes[match] < max)
			out[match * max + sizes[match]++] = i;
		/* nothing that could come would be among the first max */
		if (sizes[size == 0 ? MATCH_START : MATCH_EXACT] == max)
			break;
	}
	return lists_join(out, sizes, N_MATCHES, max);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Levenshtein's distance, or EDIT_LIMIT + 1 for anything larger: only the
 * diagonals within the limit are kept (Ukkonen 1985). Cell k of row i is
 * the distance of the first i bytes of a and the first i + k - limit of b. The
 * rows that were computed are added to *n_rows.
 */
static unsigned int edit_distance(const char *a, size_t a_size, const char *b,
	size_t b_size, size_t *n_rows)
{
	enum { WIDTH = 2 * EDIT_LIMIT + 1, FAR = EDIT_LIMIT + 1 };
	unsigned int row[WIDTH + 1], best;

	if (a_size > b_size + EDIT_LIMIT || b_size > a_size + EDIT_LIMIT)
		return FAR;
	for (unsigned int k = 0; k <= WIDTH; k++)
		row[k] = k < EDIT_LIMIT ? FAR : least(k - EDIT_LIMIT, FAR);
	for (size_t i = 1; i <= a_size; i++, (*n_rows)++) {
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
	size_t size = strlen(text), sizes[EDIT_LIMIT] = {0}, label_size;
	size_t n_rows = 0;
	unsigned int distance;

	for (uint32_t i = 0;
		i < labels->count && n_rows < SUGGEST_ROWS && sizes[0] < max;
		i++) {
		const char *label = apsp_labels_get(labels, i, &label_size);

		distance =
			edit_distance(text, size, label, label_size, &n_rows);
		if (distance >= 1 && distance <= EDIT_LIMIT &&
			distance < size && sizes[distance - 1] < max)
			out[(distance - 1) * max + sizes[distance - 1]++] = i;
	}
	return lists_join(out, sizes, EDIT_LIMIT, max);
}

const char *apsp_labels_bytes(
	const struct apsp_labels *labels, size_t *out_size)
{
	*out_size = labels->bytes_used;
	return labels->bytes;
}
