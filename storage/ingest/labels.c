/*
 * Labels; see labels.h. Their bytes are concatenated, and each label has an
 * offset. An open hash table maps text to indices (linear probing, at most
 * three quarters full). A slot contains an index and 32 bits of the label's
 * hash. A search compares the bytes of a label only if these 32 bits match.
 *
 *	bytes    a \0 b b \0 c \0        offsets  0 2 5 7
 *
 * The hash has a random seed, because labels come from clients. If clients knew
 * the seed, they could choose colliding labels, and an upload could take
 * quadratic time.
 */
#include "storage/ingest/labels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "daemon/base/edit_distance.h"
#include "daemon/base/utf8.h"

enum {
	FIRST_BYTES = 4096,
	FIRST_LABELS = 256,
	FIRST_SLOTS = 512, /* number of slots of a new table; the number is
			      always a power of two */
	EDIT_LIMIT = 2,	   /* the largest edit distance of a suggestion */
	/* a search for suggestions ends after it has computed this many rows of
	   distance matrices (daemon/base/edit_distance.h) */
	SUGGEST_ROWS = 1 << 22,
};

int apsp_labels_new(struct apsp_share *share, struct apsp_labels **out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_labels_end) struct apsp_labels *labels = NULL;

	labels = calloc(1, sizeof(*labels));
	if (!labels)
		return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
	atomic_init(&labels->n_refs, 1);
	labels->bytes_room = FIRST_BYTES;
	labels->bytes = malloc(FIRST_BYTES);
	labels->offsets_size = FIRST_LABELS;
	labels->offsets = malloc(FIRST_LABELS * sizeof(*labels->offsets));
	labels->mask = FIRST_SLOTS - 1;
	labels->slots = calloc(FIRST_SLOTS, sizeof(*labels->slots));
	if (!labels->bytes || !labels->offsets || !labels->slots)
		return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
	labels->offsets[0] = 0;
	/* early at boot there are no random bytes yet; then use an address as
	   the seed, although it is less random */
	if (getrandom(&labels->seed, sizeof(labels->seed), GRND_NONBLOCK) < 0)
		labels->seed = (uintptr_t)labels;
	labels->share = share;
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

/* Return the slot that contains the label, or the empty slot in which the label
   belongs. */
static struct apsp_label_slot *slot_find(const struct apsp_labels *labels,
	uint32_t hash, const char *text, size_t size)
{
	for (uint32_t at = hash & labels->mask;; at = (at + 1) & labels->mask) {
		struct apsp_label_slot *slot = &labels->slots[at];
		const uint32_t *offset = &labels->offsets[slot->next];

		if (!slot->next)
			return slot;
		/* offset[-1] is the offset of the label, and offset[0] the
		   offset of the next label */
		if (slot->hash == hash && offset[0] - offset[-1] == size + 1 &&
			memcmp(labels->bytes + offset[-1], text, size) == 0)
			return slot;
	}
}

static int slots_grow(struct apsp_labels *labels, struct apsp_err *err)
{
	uint32_t mask = labels->mask * 2 + 1;
	struct apsp_label_slot *slots;
	int r;

	r = apsp_share_grow(labels->share,
		(mask - labels->mask) * sizeof(*slots), "the labels", err);
	if (r < 0)
		return r;
	slots = calloc((size_t)mask + 1, sizeof(*slots));
	if (!slots) {
		apsp_share_shrink(
			labels->share, (mask - labels->mask) * sizeof(*slots));
		return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
	}
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
	if (size + 1 > UINT32_MAX - labels->bytes_used)
		return apsp_fail(err, APSP_EDATA,
			"up to the vertex '%s', labels have more than 4 GiB",
			apsp_excerpt_of(text, size).text);
	return 0;
}

int apsp_labels_intern(struct apsp_labels *labels, const char *text,
	size_t size, uint32_t *out_index, struct apsp_err *err)
{
	uint32_t hash = hash_of(labels, text, size);
	struct apsp_label_slot *slot = slot_find(labels, hash, text, size);
	int r;

	if (slot->next) {
		*out_index = slot->next - 1;
		return 0;
	}
	/* only new labels need check(): labels in the table were checked when
	   they were added */
	r = check(labels, text, size, err);
	if (r == 0)
		r = apsp_array_reserve(&labels->bytes,
			labels->bytes_used + size + 1, &labels->bytes_room,
			&(struct apsp_array_growth){
				1, FIRST_BYTES, "the labels", labels->share},
			err);
	if (r == 0)
		r = apsp_array_reserve(&labels->offsets,
			(size_t)labels->count + 2, &labels->offsets_size,
			&(struct apsp_array_growth){sizeof(*labels->offsets),
				FIRST_LABELS, "the labels", labels->share},
			err);
	if (r == 0 && labels->count >= labels->mask / 4 * 3)
		r = slots_grow(labels, err);
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
	const struct apsp_label_slot *slot =
		slot_find(labels, hash_of(labels, text, size), text, size);

	return (int64_t)slot->next - 1;
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
		out[i] = text[i] >= 'A' && text[i] <= 'Z'
				 ? (char)(text[i] - 'A' + 'a')
				 : text[i];
}

/* Return how a label matches `text`, which is in lower case. N_MATCHES: the
   label does not contain `text`. */
static enum match match_of(
	const char *label, size_t label_size, const char *text, size_t size)
{
	char folded[APSP_LABEL_STORED_MAX];
	const char *at;

	if (size > label_size)
		return N_MATCHES;
	fold_all(folded, label, label_size);
	/* use memmem(), because it takes linear time for every text */
	at = memmem(folded, label_size, text, size);
	if (!at)
		return N_MATCHES;
	if (at > folded)
		return MATCH_INSIDE;
	return size == label_size ? MATCH_EXACT : MATCH_START;
}

/*
 * Join n lists, each of up to `max` indices, into one list of up to `max`
 * indices. List i begins at out[i * max], and the joined list at out[0].
 * Returns the size of the joined list.
 */
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

		if (only && !apsp_bit_set_has(only, i))
			continue;
		match = match_of(label, label_size, folded, size);
		if (match != N_MATCHES && sizes[match] < max)
			out[match * max + sizes[match]++] = i;
		/* Stop when the best group of matches has `max` labels: then
		   the result has no label of another group. For an empty text,
		   the best group is MATCH_START, because no label is empty. */
		if (sizes[size == 0 ? MATCH_START : MATCH_EXACT] == max)
			break;
	}
	return lists_join(out, sizes, N_MATCHES, max);
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

		distance = apsp_edit_distance(
			text, size, label, label_size, EDIT_LIMIT, &n_rows);
		if (distance >= 1 && distance <= EDIT_LIMIT &&
			distance < size && sizes[distance - 1] < max)
			out[(distance - 1) * max + sizes[distance - 1]++] = i;
	}
	return lists_join(out, sizes, EDIT_LIMIT, max);
}
