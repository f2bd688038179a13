/*
 * Records which blocks of a table file several processes have written, and
 * collects the fragments of the other blocks; see written_parts.h.
 */
#include "compute/tables/written_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The numbers at the beginning of a message. The fragments and the runs of
   blocks follow (written_parts.h). */
struct packed {
	uint64_t n_fragments;
	uint64_t n_runs;
};

static int fail_memory(struct apsp_err *err)
{
	return apsp_fail_errno(
		err, ENOMEM, "note what was written to the tables");
}

void apsp_written_parts_done(struct apsp_written_parts *parts)
{
	free(parts->fragments);
	free(parts->runs);
	*parts = (struct apsp_written_parts){.fragments = NULL};
}

int apsp_written_parts_fragment(struct apsp_written_parts *parts,
	uint64_t offset, const unsigned char *bytes, size_t size,
	struct apsp_err *err)
{
	struct apsp_fragment *more = parts->fragments;
	size_t n = parts->n_fragments;

	/* n elements are stored; if n is 0 or a power of two, the array is
	   full, so give it a capacity of 2 n, at least 1 */
	if ((n & (n - 1)) == 0)
		more = realloc(more, (n > 0 ? 2 * n : 1) * sizeof(*more));
	if (!more)
		return fail_memory(err);
	parts->fragments = more;
	more += parts->n_fragments++;
	more->offset = offset;
	more->size = size;
	memcpy(more->bytes, bytes, size);
	return 0;
}

int apsp_written_parts_run(struct apsp_written_parts *parts, uint64_t first,
	uint64_t n, struct apsp_err *err)
{
	struct apsp_block_run *more =
		realloc(parts->runs, (parts->n_runs + 1) * sizeof(*more));

	if (!more)
		return fail_memory(err);
	parts->runs = more;
	more[parts->n_runs++] = (struct apsp_block_run){first, n};
	return 0;
}

void apsp_written_parts_pack(const struct apsp_written_parts *parts,
	const uint64_t *checksums, struct apsp_message *message)
{
	const struct packed packed = {parts->n_fragments, parts->n_runs};

	apsp_message_put(message, &packed, sizeof(packed));
	for (size_t i = 0; i < parts->n_fragments; i++) {
		const struct apsp_fragment *fragment = &parts->fragments[i];

		apsp_message_put(
			message, &fragment->offset, sizeof(fragment->offset));
		apsp_message_put(
			message, &fragment->size, sizeof(fragment->size));
		apsp_message_put(message, fragment->bytes, fragment->size);
	}
	for (size_t i = 0; i < parts->n_runs; i++) {
		const struct apsp_block_run *run = &parts->runs[i];

		apsp_message_put(message, run, sizeof(*run));
		apsp_message_put(message, checksums + run->first,
			run->n * sizeof(*checksums));
	}
}

int apsp_written_parts_unpack(struct apsp_written_parts *parts,
	uint64_t *checksums, uint64_t n_blocks, struct apsp_message *message,
	struct apsp_err *err)
{
	struct packed packed;
	int r = 0;

	apsp_message_get(message, &packed, sizeof(packed));
	for (uint64_t i = 0; r >= 0 && i < packed.n_fragments; i++) {
		struct apsp_fragment fragment;
		size_t from;

		apsp_message_get(
			message, &fragment.offset, sizeof(fragment.offset));
		apsp_message_get(
			message, &fragment.size, sizeof(fragment.size));
		from = fragment.offset % APSP_TABLE_BLOCK;
		if (fragment.offset / APSP_TABLE_BLOCK >= n_blocks ||
			fragment.size > APSP_TABLE_BLOCK - from)
			return apsp_fail(err, APSP_EBUG,
				"a process has sent a wrong fragment");
		apsp_message_get(message, fragment.bytes, fragment.size);
		r = apsp_written_parts_fragment(parts, fragment.offset,
			fragment.bytes, fragment.size, err);
	}
	for (uint64_t i = 0; r >= 0 && i < packed.n_runs; i++) {
		struct apsp_block_run run;

		apsp_message_get(message, &run, sizeof(run));
		if (run.first > n_blocks || run.n > n_blocks - run.first)
			return apsp_fail(err, APSP_EBUG,
				"a process has written blocks past the end");
		apsp_message_get(message, checksums + run.first,
			run.n * sizeof(*checksums));
	}
	return r;
}

static int fragments_compare(const void *a, const void *b)
{
	const struct apsp_fragment *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

void apsp_written_parts_sort(struct apsp_written_parts *parts)
{
	if (parts->n_fragments > 0)
		qsort(parts->fragments, parts->n_fragments,
			sizeof(*parts->fragments), fragments_compare);
}
