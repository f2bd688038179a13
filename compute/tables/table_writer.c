/*
 * Writes a table file in the solver (storage/tables/README.md, Tables are
 * files): reserves the space, writes sections as they are computed, then the
 * checksums, and last the unsealed header. New data of a section is split into
 * three pieces:
 *
 *	| first piece       | second piece           | third piece    |
 *	|-------------------+------------------------+----------------|
 *	| fills the block   | whole blocks, written  | less than a    |
 *	| that `tail` holds | from the caller's      | block, copied  |
 *	|                   | memory                 | into `tail`    |
 *
 * Each block's checksum is computed from the caller's memory before the block
 * is copied. So if the block changes on its way to the file, readers find that
 * it differs from its checksum (storage/tables/README.md, Tables are files).
 */
#include "compute/tables/table_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "compute/tables/file_comparison.h"
#include "compute/tables/reservation.h"
#include "compute/tables/written_parts.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/base/file.h"

enum {
	/* The number of blocks that one task writes. The task first computes
	   the checksums of these blocks. The number is small, so that the
	   blocks are still in the cache when they are written. */
	RUN_BLOCKS = 8,
};

/* The progress of writing a section. */
struct section_state {
	/* the byte of the section at which the next append begins; the last
	   bytes before it may still be in `tail` */
	uint64_t written;
	unsigned char *tail; /* the bytes that follow the last whole block;
				owned */
	/* the byte of the section to which the last call of
	   apsp_table_writer_seek() moved; 0: there was no such call */
	uint64_t began;
	/* number of bytes of the section that were appended before the last
	   call of apsp_table_writer_seek(); apsp_table_writer_unpack() adds the
	   bytes that other processes have appended */
	uint64_t before;
};

struct apsp_table_writer {
	int fd;
	unsigned int width; /* number of threads that write */
	bool reserving;	    /* `reservation` was started and must be ended */
	/* true: the writer writes nothing, but compares a finished file */
	bool compares;
	struct apsp_reservation reservation;
	struct apsp_table_header header;
	struct section_state sections[APSP_N_SECTIONS];
	/* one checksum for each block of the file, up to the place where the
	   file stores these checksums; owned */
	uint64_t *checksums;
	/* empty unless several processes fill the file */
	struct apsp_written_parts parts;
};

APSP_AUTO_DEFINE(writer_auto, struct apsp_table_writer, apsp_table_writer_free);

static int write_at(int fd, const void *data, size_t size, uint64_t offset,
	struct apsp_err *err)
{
	if (apsp_file_write(fd, data, size, offset) < 0)
		return apsp_fail_errno(err, errno,
			"write the table file at byte %" PRIu64, offset);
	return 0;
}

static struct apsp_file_part part_of(
	const struct apsp_table_header *header, enum apsp_section section)
{
	return (struct apsp_file_part){header->sections[section].offset,
		header->sections[section].size};
}

int apsp_table_writer_open(const char *path, enum apsp_writer_role role,
	const struct apsp_table_header *header, unsigned int width,
	unsigned int processors, struct apsp_table_writer **out,
	struct apsp_err *err)
{
	APSP_AUTO(writer_auto) struct apsp_table_writer *writer = NULL;
	const struct apsp_file_part rows[] = {
		part_of(header, APSP_SECTION_DISTANCE),
		part_of(header, APSP_SECTION_PREDECESSOR)};
	bool creates = role == APSP_WRITER_ALONE || role == APSP_WRITER_FIRST;
	bool whole;
	int r = 0;

	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return apsp_fail_errno(err, ENOMEM, "table writer");
	writer->fd = -1;
	writer->header = *header;
	writer->width = width;
	writer->compares = role == APSP_WRITER_COMPARES;
	writer->checksums = calloc(header->data_end / APSP_TABLE_BLOCK,
		sizeof(*writer->checksums));
	whole = writer->checksums != NULL;
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		writer->sections[s].tail = malloc(APSP_TABLE_BLOCK);
		whole = whole && writer->sections[s].tail;
	}
	if (!whole)
		return apsp_fail_errno(err, ENOMEM, "table writer");
	writer->fd = open(path,
		(creates ? O_CREAT | O_TRUNC : 0) | O_RDWR | O_CLOEXEC, 0600);
	if (writer->fd < 0)
		return apsp_fail_errno(err, errno, "open '%s'", path);
	if (creates)
		r = apsp_reservation_start(&writer->reservation, writer->fd,
			header->file_size, rows, 2, processors, err);
	else if (role == APSP_WRITER_JOINED)
		apsp_reservation_join(&writer->reservation, writer->fd,
			header->file_size, processors);
	if (r < 0) {
		unlink(path); /* removing the file frees its reserved space */
		return r;
	}
	writer->reserving = !writer->compares;
	if (role == APSP_WRITER_FIRST)
		r = apsp_reservation_begun(&writer->reservation, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(writer);
	return 0;
}

static int fail_differs(uint64_t offset, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EPROOF,
		"the table file does not hold what was written at byte "
		"%" PRIu64,
		offset);
}

/* Write one run of up to RUN_BLOCKS blocks, and store their checksums. */
static void run_write(void *ctx, unsigned int thread, size_t run)
{
	struct apsp_table_append *append = ctx;
	struct apsp_table_writer *writer = append->writer;
	const struct apsp_file_map *map = &writer->reservation.map;
	size_t i = run * RUN_BLOCKS, left = append->n_blocks - i;
	size_t n = left < RUN_BLOCKS ? left : RUN_BLOCKS;
	const unsigned char *data = append->data + i * APSP_TABLE_BLOCK;
	uint64_t first = append->first + i;
	struct apsp_err err;

	(void)thread;
	for (size_t b = 0; b < n; b++)
		writer->checksums[first + b] = apsp_checksum(
			data + b * APSP_TABLE_BLOCK, APSP_TABLE_BLOCK);
	if (writer->compares)
		return;
	if (map->bytes &&
		apsp_file_map_write(map, first * APSP_TABLE_BLOCK, data, n))
		return;
	/* write by pwrite() if there is no mapping, or if the mapping lacks a
	   page */
	if (write_at(writer->fd, data, n * APSP_TABLE_BLOCK,
		    first * APSP_TABLE_BLOCK, &err) < 0 &&
		!atomic_exchange(&append->failed, true))
		append->err = err;
}

/* Prepare to append `size` bytes to a section, beginning at byte `at` of the
   section. If `size` is at least the size of a block, `at` must be the
   beginning of a block. */
static void append_init(struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, const unsigned char *data,
	size_t size, struct apsp_table_append *out)
{
	uint64_t offset = writer->header.sections[section].offset;

	*out = (struct apsp_table_append){.writer = writer,
		.section = section,
		.data = data,
		.n_blocks = size / APSP_TABLE_BLOCK,
		.rest_size = size % APSP_TABLE_BLOCK,
		.first = (offset + at) / APSP_TABLE_BLOCK};
	out->part = (struct apsp_parallel_part){
		(out->n_blocks + RUN_BLOCKS - 1) / RUN_BLOCKS, run_write, out};
}

static int append_result(
	const struct apsp_table_append *append, struct apsp_err *err)
{
	if (!atomic_load(&append->failed))
		return 0;
	*err = append->err;
	return append->err.code;
}

/* Write one block to a section. It begins at byte `at` of the section. */
static int block_write(struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, const unsigned char *data,
	struct apsp_err *err)
{
	struct apsp_table_append one;

	append_init(writer, section, at, data, APSP_TABLE_BLOCK, &one);
	run_write(&one, 0, 0);
	return append_result(&one, err);
}

/* The tail (the last bytes that were appended to a section) has bytes of the
   block that begins at byte `at` of the section, up to byte `end` of the block.
   If the tail has the whole block, write the block to the file. Otherwise store
   the bytes as a fragment (written_parts.h). */
static int tail_end(struct apsp_table_writer *writer, enum apsp_section section,
	uint64_t at, size_t end, struct apsp_err *err)
{
	const struct section_state *state = &writer->sections[section];
	/* the bytes of the block before byte `from` were not appended since the
	   last apsp_table_writer_seek(); another process may have these
	   bytes */
	size_t from = state->began > at ? (size_t)(state->began - at) : 0;

	if (end == APSP_TABLE_BLOCK && from == 0)
		return block_write(writer, section, at, state->tail, err);
	if (end <= from)
		return 0;
	return apsp_written_parts_fragment(&writer->parts,
		writer->header.sections[section].offset + at + from,
		state->tail + from, end - from, err);
}

/* The tail of a section holds the bytes of the section's last block until the
   block is full. Copy bytes to the tail until the block is full or all bytes
   are copied. If the block is full, write it to the file. Returns the number of
   copied bytes, or an error. */
static ssize_t tail_append(struct apsp_table_writer *writer,
	enum apsp_section section, const unsigned char *bytes, size_t size,
	struct apsp_err *err)
{
	struct section_state *state = &writer->sections[section];
	size_t held = state->written % APSP_TABLE_BLOCK;
	size_t step = APSP_TABLE_BLOCK - held;
	int r = 0;

	if (step > size)
		step = size;
	memcpy(state->tail + held, bytes, step);
	if (held + step == APSP_TABLE_BLOCK)
		r = tail_end(writer, section, state->written - held,
			APSP_TABLE_BLOCK, err);
	return r < 0 ? r : (ssize_t)step;
}

int apsp_table_writer_begin(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_table_append *out, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&writer->header.sections[section];
	struct section_state *state = &writer->sections[section];
	ssize_t taken;

	if (size > place->size - state->written)
		return apsp_fail(err, APSP_EBUG,
			"section %d has room for %" PRIu64 " bytes, not %zu",
			(int)section, place->size - state->written, size);
	taken = writer->reserving
			? apsp_reservation_wait(&writer->reservation,
				  place->offset + state->written, size, err)
			: 0;
	if (taken == 0 && state->written % APSP_TABLE_BLOCK > 0)
		taken = tail_append(writer, section, data, size, err);
	if (taken < 0)
		return (int)taken;
	state->written += (uint64_t)taken;
	append_init(writer, section, state->written,
		(const unsigned char *)data + taken, size - (size_t)taken, out);
	return 0;
}

int apsp_table_writer_end(struct apsp_table_writer *writer,
	const struct apsp_table_append *append, struct apsp_err *err)
{
	struct section_state *state = &writer->sections[append->section];
	size_t written = append->n_blocks * APSP_TABLE_BLOCK;
	int r = append_result(append, err);
	ssize_t taken;

	if (r < 0)
		return r;
	state->written += written;
	taken = tail_append(writer, append->section, append->data + written,
		append->rest_size, err);
	if (taken < 0)
		return (int)taken;
	state->written += (uint64_t)taken;
	return 0;
}

int apsp_table_writer_append(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_err *err)
{
	struct apsp_table_append append;
	int r = apsp_table_writer_begin(
		writer, section, data, size, &append, err);

	if (r < 0)
		return r;
	apsp_parallel_parts(&append.part, 1, writer->width);
	return apsp_table_writer_end(writer, &append, err);
}

int apsp_table_writer_read(const struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, void *out, size_t size,
	struct apsp_err *err)
{
	const struct section_state *state = &writer->sections[section];
	uint64_t offset = writer->header.sections[section].offset;
	unsigned char block[APSP_TABLE_BLOCK], *to = out;
	int r = 0;

	while (r >= 0 && size > 0) {
		size_t skip = at % APSP_TABLE_BLOCK;
		size_t step = APSP_TABLE_BLOCK - skip;
		uint64_t place = offset + at - skip;
		bool whole = at - skip + APSP_TABLE_BLOCK <= state->written;

		if (step > size)
			step = size;
		if (whole)
			r = apsp_file_part_read(writer->fd, block,
				APSP_TABLE_BLOCK, place, err);
		if (r >= 0 && whole &&
			apsp_checksum(block, APSP_TABLE_BLOCK) !=
				writer->checksums[place / APSP_TABLE_BLOCK])
			r = fail_differs(place, err);
		/* if the block is not full yet, its bytes are in `tail` and not
		   in the file */
		if (r >= 0)
			memcpy(to, (whole ? block : state->tail) + skip, step);
		at += step;
		to += step;
		size -= step;
	}
	return r;
}

/* Write the header, read the header back from the file, and compare both
   headers. No checksum covers the header before the daemon seals it. */
static int header_write(struct apsp_table_writer *writer, struct apsp_err *err)
{
	unsigned char *block = writer->sections[0].tail;
	unsigned char back[APSP_TABLE_BLOCK];
	int r;

	memset(block, 0, APSP_TABLE_BLOCK);
	memcpy(block, &writer->header, sizeof(writer->header));
	r = write_at(writer->fd, block, APSP_TABLE_BLOCK, 0, err);
	if (r == 0)
		r = apsp_file_part_read(
			writer->fd, back, APSP_TABLE_BLOCK, 0, err);
	if (r == 0 && memcmp(back, block, APSP_TABLE_BLOCK) != 0)
		r = fail_differs(0, err);
	return r;
}

int apsp_table_writer_sync(
	struct apsp_table_writer *writer, struct apsp_err *err)
{
	return fdatasync(writer->fd) == 0
		       ? 0
		       : apsp_fail_errno(err, errno, "sync the table file");
}

/* End the range of a section that was appended since the last
   apsp_table_writer_seek(). Record which whole blocks of the file were written,
   and keep the remaining bytes of the range as fragments (parts of blocks,
   written_parts.h). */
static int section_leave(struct apsp_table_writer *writer,
	enum apsp_section section, struct apsp_err *err)
{
	struct section_state *state = &writer->sections[section];
	uint64_t base = writer->header.sections[section].offset;
	uint64_t from =
		(state->began + APSP_TABLE_BLOCK - 1) / APSP_TABLE_BLOCK;
	uint64_t end = state->written / APSP_TABLE_BLOCK;
	size_t held = state->written % APSP_TABLE_BLOCK;
	int r = 0;

	state->before += state->written - state->began;
	if (end > from)
		r = apsp_written_parts_run(&writer->parts,
			base / APSP_TABLE_BLOCK + from, end - from, err);
	if (r >= 0 && held > 0)
		r = tail_end(writer, section, state->written - held, held, err);
	return r;
}

int apsp_table_writer_seek(struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, struct apsp_err *err)
{
	struct section_state *state = &writer->sections[section];
	int r = section_leave(writer, section, err);

	state->written = state->began = at;
	return r;
}

/* Call section_leave() for all sections. */
static int sections_leave(
	struct apsp_table_writer *writer, struct apsp_err *err)
{
	int r = 0;

	for (int s = 0; r >= 0 && s < APSP_N_SECTIONS; s++)
		r = apsp_table_writer_seek(
			writer, s, writer->sections[s].written, err);
	return r;
}

int apsp_table_writer_pack(struct apsp_table_writer *writer,
	struct apsp_message *message, struct apsp_err *err)
{
	int r = sections_leave(writer, err);

	for (int s = 0; s < APSP_N_SECTIONS; s++)
		apsp_message_put(message, &writer->sections[s].before,
			sizeof(writer->sections[s].before));
	apsp_written_parts_pack(&writer->parts, writer->checksums, message);
	return r;
}

int apsp_table_writer_unpack(struct apsp_table_writer *writer,
	struct apsp_message *message, struct apsp_err *err)
{
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		uint64_t before;

		apsp_message_get(message, &before, sizeof(before));
		writer->sections[s].before += before;
	}
	return apsp_written_parts_unpack(&writer->parts, writer->checksums,
		writer->header.data_end / APSP_TABLE_BLOCK, message, err);
}

/* Other processes may have the other parts of a block. Join the fragments
   (parts) of each block of the file, and write these blocks. If the last block
   of a section is not full, it becomes the section's tail. */
int apsp_table_writer_gather(
	struct apsp_table_writer *writer, struct apsp_err *err)
{
	struct apsp_written_parts *parts = &writer->parts;
	int r = sections_leave(writer, err);

	apsp_written_parts_sort(parts);
	for (size_t i = 0; r >= 0 && i < parts->n_fragments; i++) {
		const struct apsp_fragment *fragment = &parts->fragments[i];
		enum apsp_section s =
			apsp_section_at(&writer->header, fragment->offset);
		uint64_t at =
			fragment->offset - writer->header.sections[s].offset;
		size_t from = at % APSP_TABLE_BLOCK;

		memcpy(writer->sections[s].tail + from, fragment->bytes,
			fragment->size);
		if (from + fragment->size == APSP_TABLE_BLOCK)
			r = block_write(writer, s, at - from,
				writer->sections[s].tail, err);
	}
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		writer->sections[s].written = writer->sections[s].before;
		writer->sections[s].began = writer->sections[s].before = 0;
	}
	apsp_written_parts_done(parts);
	return r;
}

static int file_finish(struct apsp_table_writer *writer, struct apsp_err *err)
{
	struct apsp_table_header *header = &writer->header;
	size_t size = header->data_end / APSP_TABLE_BLOCK *
		      sizeof(*writer->checksums);
	int r;

	header->blocks_checksum = apsp_checksum(writer->checksums, size);
	if (writer->compares)
		return apsp_file_comparison_run(
			writer->fd, header, writer->checksums, err);
	r = write_at(
		writer->fd, writer->checksums, size, header->data_end, err);
	return r < 0 ? r : header_write(writer, err);
}

int apsp_table_writer_finish(struct apsp_table_writer *writer,
	struct apsp_file_map *out_map, struct apsp_err *err)
{
	const struct apsp_table_header *header = &writer->header;
	int r = writer->reserving
			? apsp_reservation_wait(&writer->reservation, 0, 0, err)
			: 0;

	for (int s = 0; r == 0 && s < APSP_N_SECTIONS; s++) {
		const struct section_state *state = &writer->sections[s];
		size_t held = state->written % APSP_TABLE_BLOCK;

		if (state->written != header->sections[s].size)
			return apsp_fail(err, APSP_EBUG,
				"section %d has %" PRIu64 " bytes of %" PRIu64,
				s, state->written, header->sections[s].size);
		if (held == 0)
			continue;
		/* fill the remaining bytes of the section's last block with
		   zeros */
		memset(state->tail + held, 0, APSP_TABLE_BLOCK - held);
		r = block_write(
			writer, s, state->written - held, state->tail, err);
	}
	if (r == 0)
		r = file_finish(writer, err);
	if (r == 0 && out_map && writer->reserving)
		*out_map = apsp_reservation_take(&writer->reservation);
	return r;
}

void apsp_table_writer_free(struct apsp_table_writer *writer)
{
	if (!writer)
		return;
	if (writer->reserving)
		apsp_reservation_done(&writer->reservation);
	for (int s = 0; s < APSP_N_SECTIONS; s++)
		free(writer->sections[s].tail);
	apsp_written_parts_done(&writer->parts);
	free(writer->checksums);
	apsp_close(&writer->fd);
	free(writer);
}
