/*
 * The solver's side of a table file (storage/tables/README.md, Tables are
 * files): it reserves the space, writes sections as they come, then checksums,
 * and last the unsealed header.
 *
 *	append:  | … filled | new data …                          |
 *	         | block    | whole blocks, from the | the rest:  |
 *	         | buffer   | caller's own memory    | buffer     |
 *
 * Whatever is written is read back at once, while the system still has it in
 * memory, and compared by its checksum.
 */
#include "compute/tables/table_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "compute/tables/reservation.h"
#include "daemon/base/auto.h"
#include "daemon/base/file_read.h"

enum {
	/* Blocks in one pwrite, still in the cache after their checksum. */
	RUN_BLOCKS = 8,
};

/* The end of a section: bytes short of a whole block wait in tail. */
struct section_state {
	uint64_t written;    /* bytes so far, including those in tail */
	unsigned char *tail; /* one block; owned */
};

struct apsp_table_writer {
	int fd;
	struct apsp_team *team; /* borrowed */
	bool reserving;		/* reservation was started and must be ended */
	struct apsp_reservation reservation;
	struct apsp_table_header header;
	struct section_state sections[APSP_N_SECTIONS];
	uint64_t *checksums; /* one for each block of data; owned */
};

APSP_AUTO_DEFINE(writer_auto, struct apsp_table_writer, apsp_table_writer_free);

static int write_at(int fd, const void *data, size_t size, uint64_t offset,
	struct apsp_err *err)
{
	const char *bytes = data;

	while (size > 0) {
		ssize_t n = pwrite(fd, bytes, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return apsp_fail_errno(err, errno,
				"write the table file at byte %" PRIu64,
				offset);
		bytes += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static int allocate(struct apsp_table_writer *writer, struct apsp_err *err)
{
	writer->checksums = calloc(writer->header.data_end / APSP_TABLE_BLOCK,
		sizeof(*writer->checksums));
	if (!writer->checksums)
		return apsp_fail_errno(err, ENOMEM, "block checksums");
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		writer->sections[s].tail = malloc(APSP_TABLE_BLOCK);
		if (!writer->sections[s].tail)
			return apsp_fail_errno(err, ENOMEM, "block buffers");
	}
	return 0;
}

static struct apsp_file_part part_of(
	const struct apsp_table_header *header, enum apsp_section section)
{
	return (struct apsp_file_part){header->sections[section].offset,
		header->sections[section].size};
}

int apsp_table_writer_open(const char *path,
	const struct apsp_table_header *header, struct apsp_team *team,
	struct apsp_table_writer **out, struct apsp_err *err)
{
	APSP_AUTO(writer_auto) struct apsp_table_writer *writer = NULL;
	const struct apsp_file_part rows[] = {
		part_of(header, APSP_SECTION_DISTANCE),
		part_of(header, APSP_SECTION_PREDECESSOR)};
	int r;

	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return apsp_fail_errno(err, ENOMEM, "table writer");
	writer->fd = -1;
	writer->header = *header;
	writer->team = team;
	writer->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (writer->fd < 0)
		return apsp_fail_errno(err, errno, "create '%s'", path);
	r = apsp_reservation_start(&writer->reservation, writer->fd,
		header->file_size, rows, 2, err);
	writer->reserving = r == 0;
	if (r == 0)
		r = allocate(writer, err);
	if (r < 0) {
		unlink(path); /* gives reserved space back */
		return r;
	}
	*out = APSP_TAKE(writer);
	return 0;
}

static int read_at(
	int fd, void *out, size_t size, uint64_t offset, struct apsp_err *err)
{
	ssize_t n = apsp_file_read(fd, out, size, offset);

	return n == (ssize_t)size
		       ? 0
		       : apsp_fail_errno(err, n < 0 ? errno : EIO,
				 "read the table file from byte %" PRIu64,
				 offset);
}

static int fail_differs(uint64_t offset, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EPROOF,
		"the table file does not hold what was written at byte "
		"%" PRIu64,
		offset);
}

/* Write and read back; `size` is at most a block. */
static int write_small(int fd, const void *data, size_t size, uint64_t offset,
	struct apsp_err *err)
{
	unsigned char back[APSP_TABLE_BLOCK];
	int r = write_at(fd, data, size, offset, err);

	if (r == 0)
		r = read_at(fd, back, size, offset, err);
	if (r == 0 && memcmp(back, data, size) != 0)
		r = fail_differs(offset, err);
	return r;
}

/* The same by calls, where there is no mapping, or a page of it is missing. */
static int run_call(const struct apsp_table_blocks *blocks, size_t i, size_t n,
	uint64_t *out_checksums, struct apsp_err *err)
{
	const unsigned char *data = blocks->data + i * APSP_TABLE_BLOCK;
	unsigned char back[APSP_TABLE_BLOCK];
	int fd = blocks->writer->fd;
	int r = write_at(fd, data, n * APSP_TABLE_BLOCK,
		(blocks->first + i) * APSP_TABLE_BLOCK, err);

	for (size_t b = 0; r == 0 && b < n; b++) {
		r = read_at(fd, back, APSP_TABLE_BLOCK,
			blocks->offset + (i + b) * APSP_TABLE_BLOCK, err);
		out_checksums[b] = apsp_checksum(back, APSP_TABLE_BLOCK);
	}
	return r;
}

/* Write n blocks from block i of these on, and read them back. */
static int run_write(const struct apsp_table_blocks *blocks, size_t i, size_t n,
	struct apsp_err *err)
{
	struct apsp_table_writer *writer = blocks->writer;
	const struct apsp_file_map *map = &writer->reservation.map;
	const unsigned char *data = blocks->data + i * APSP_TABLE_BLOCK;
	uint64_t *checksums = writer->checksums + blocks->first + i;
	uint64_t there[RUN_BLOCKS];
	int r = 0;

	for (size_t b = 0; b < n; b++)
		checksums[b] = apsp_checksum(
			data + b * APSP_TABLE_BLOCK, APSP_TABLE_BLOCK);
	if (!map->bytes ||
		!apsp_file_map_write(
			map, (blocks->first + i) * APSP_TABLE_BLOCK, data, n) ||
		!apsp_file_map_sum(
			map, blocks->offset + i * APSP_TABLE_BLOCK, n, there))
		r = run_call(blocks, i, n, there, err);
	for (size_t b = 0; r == 0 && b < n; b++)
		if (there[b] != checksums[b])
			r = fail_differs(
				blocks->offset + (i + b) * APSP_TABLE_BLOCK,
				err);
	return r;
}

static void run_body(void *ctx, unsigned int thread, size_t run)
{
	struct apsp_table_blocks *blocks = ctx;
	size_t first = run * RUN_BLOCKS, left = blocks->n - first;
	struct apsp_err err;

	(void)thread;
	if (run_write(blocks, first, left < RUN_BLOCKS ? left : RUN_BLOCKS,
		    &err) < 0 &&
		!atomic_exchange(&blocks->failed, true))
		blocks->err = err;
}

/* Get ready to write n blocks from the section's byte `at` on. */
static void blocks_begin(struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, const unsigned char *data,
	size_t n, struct apsp_table_blocks *out)
{
	uint64_t offset = writer->header.sections[section].offset;

	*out = (struct apsp_table_blocks){.writer = writer,
		.data = data,
		.first = offset / APSP_TABLE_BLOCK + at / APSP_TABLE_BLOCK,
		.offset = offset + at,
		.n = n};
}

static int blocks_end(
	const struct apsp_table_blocks *blocks, struct apsp_err *err)
{
	if (!atomic_load(&blocks->failed))
		return 0;
	*err = blocks->err;
	return blocks->err.code;
}

/* Write one block at the section's byte `at`. */
static int block_write(struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, const unsigned char *data,
	struct apsp_err *err)
{
	struct apsp_table_blocks one;

	blocks_begin(writer, section, at, data, 1, &one);
	run_body(&one, 0, 0);
	return blocks_end(&one, err);
}

/* Append to the tail at most what fills it. Returns how much, or an error. */
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
	if (memcmp(state->tail + state->written % APSP_TABLE_BLOCK, bytes,
		    step) != 0)
		return apsp_fail(err, APSP_EPROOF,
			"a block of the table file is not put together of "
			"what came for it");
	if (held + step == APSP_TABLE_BLOCK)
		r = block_write(writer, section, state->written - held,
			state->tail, err);
	return r < 0 ? r : (ssize_t)step;
}

int apsp_table_writer_begin(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_table_append *out, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&writer->header.sections[section];
	struct section_state *state = &writer->sections[section];
	ssize_t taken = apsp_reservation_wait(&writer->reservation, err);

	if (taken < 0)
		return (int)taken;
	if (size > place->size - state->written)
		return apsp_fail(err, APSP_EBUG,
			"section %d takes %" PRIu64 " bytes, not %zu more",
			(int)section, place->size - state->written, size);
	taken = apsp_reservation_pages(&writer->reservation,
		place->offset + state->written, size, err);
	if (taken == 0 && state->written % APSP_TABLE_BLOCK > 0)
		taken = tail_append(writer, section, data, size, err);
	if (taken < 0)
		return (int)taken;
	state->written += (uint64_t)taken;
	*out = (struct apsp_table_append){.section = section,
		.rest = (const unsigned char *)data + taken,
		.rest_size = size - (size_t)taken,
		.data_end = (const unsigned char *)data + size};
	blocks_begin(writer, section, state->written, out->rest,
		out->rest_size / APSP_TABLE_BLOCK, &out->blocks);
	out->part = (struct apsp_team_part){
		(out->blocks.n + RUN_BLOCKS - 1) / RUN_BLOCKS, run_body,
		&out->blocks};
	return 0;
}

int apsp_table_writer_end(struct apsp_table_writer *writer,
	const struct apsp_table_append *append, struct apsp_err *err)
{
	struct section_state *state = &writer->sections[append->section];
	size_t written = append->blocks.n * APSP_TABLE_BLOCK;
	int r = blocks_end(&append->blocks, err);
	ssize_t taken;

	if (r < 0)
		return r;
	if (append->rest + append->rest_size != append->data_end)
		return apsp_fail(err, APSP_EBUG,
			"section %d got other bytes than those that came",
			(int)append->section);
	state->written += written;
	taken = tail_append(writer, append->section, append->rest + written,
		append->rest_size - written, err);
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
	apsp_team_parts(writer->team, &append.part, 1);
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
			r = read_at(writer->fd, block, APSP_TABLE_BLOCK, place,
				err);
		if (r >= 0 && whole &&
			apsp_checksum(block, APSP_TABLE_BLOCK) !=
				writer->checksums[place / APSP_TABLE_BLOCK])
			r = fail_differs(place, err);
		/* the last bytes wait for a whole block */
		if (r >= 0)
			memcpy(to, (whole ? block : state->tail) + skip, step);
		at += step;
		to += step;
		size -= step;
	}
	return r;
}

static int finish_section(struct apsp_table_writer *writer,
	enum apsp_section section, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&writer->header.sections[section];
	struct section_state *state = &writer->sections[section];
	size_t held = state->written % APSP_TABLE_BLOCK;

	if (state->written != place->size)
		return apsp_fail(err, APSP_EBUG,
			"section %d has %" PRIu64 " bytes of %" PRIu64,
			(int)section, state->written, place->size);
	if (held == 0)
		return 0;
	memset(state->tail + held, 0, APSP_TABLE_BLOCK - held);
	return block_write(
		writer, section, state->written - held, state->tail, err);
}

static int checksums_write(const struct apsp_table_writer *writer, size_t size,
	struct apsp_err *err)
{
	const char *bytes = (const char *)writer->checksums;
	int r = 0;

	for (size_t at = 0; r == 0 && at < size; at += APSP_TABLE_BLOCK)
		r = write_small(writer->fd, bytes + at,
			size - at < APSP_TABLE_BLOCK ? size - at
						     : APSP_TABLE_BLOCK,
			writer->header.data_end + at, err);
	return r;
}

int apsp_table_writer_finish(
	struct apsp_table_writer *writer, struct apsp_err *err)
{
	struct apsp_table_header *header = &writer->header;
	size_t size = header->data_end / APSP_TABLE_BLOCK *
		      sizeof(*writer->checksums);
	unsigned char *block = writer->sections[0].tail;
	int r = apsp_reservation_wait(&writer->reservation, err);

	if (r < 0)
		return r;
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		r = finish_section(writer, s, err);
		if (r < 0)
			return r;
	}
	r = checksums_write(writer, size, err);
	if (r < 0)
		return r;
	header->blocks_checksum = apsp_checksum(writer->checksums, size);
	memset(block, 0, APSP_TABLE_BLOCK);
	memcpy(block, header, sizeof(*header));
	return write_small(writer->fd, block, APSP_TABLE_BLOCK, 0, err);
}

struct apsp_file_map apsp_table_writer_take_map(
	struct apsp_table_writer *writer)
{
	return apsp_reservation_take(&writer->reservation);
}

void apsp_table_writer_free(struct apsp_table_writer *writer)
{
	if (!writer)
		return;
	if (writer->reserving)
		apsp_reservation_done(&writer->reservation);
	for (int s = 0; s < APSP_N_SECTIONS; s++)
		free(writer->sections[s].tail);
	free(writer->checksums);
	apsp_close(&writer->fd);
	free(writer);
}
