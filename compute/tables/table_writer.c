/*
 * The solver's side of a table file (storage/tables/README.md, Tables are
 * files): it reserves the space, writes sections as they come, then checksums,
 * and last the unsealed header.
 *
 *	append:  | … filled | new data …                          |
 *	         | block    | whole blocks, from the | the rest:  |
 *	         | buffer   | caller's own memory    | buffer     |
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
	bool reserving; /* reservation was started and must be ended */
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

int apsp_table_writer_open(const char *path,
	const struct apsp_table_header *header, struct apsp_table_writer **out,
	struct apsp_err *err)
{
	APSP_AUTO(writer_auto) struct apsp_table_writer *writer = NULL;
	int r;

	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return apsp_fail_errno(err, ENOMEM, "table writer");
	writer->fd = -1;
	writer->header = *header;
	writer->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (writer->fd < 0)
		return apsp_fail_errno(err, errno, "create '%s'", path);
	r = apsp_reservation_start(
		&writer->reservation, writer->fd, header->file_size, err);
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

/* Checksum and write `size` bytes of whole blocks, from block `first` on. */
static int write_blocks(struct apsp_table_writer *writer, uint64_t first,
	const unsigned char *data, size_t size, struct apsp_err *err)
{
	for (size_t at = 0; at < size; at += APSP_TABLE_BLOCK)
		writer->checksums[first + at / APSP_TABLE_BLOCK] =
			apsp_checksum(data + at, APSP_TABLE_BLOCK);
	return write_at(writer->fd, data, size, first * APSP_TABLE_BLOCK, err);
}

/* How many of `size` bytes one step writes as whole blocks. */
static size_t run_size(size_t size)
{
	size_t most = (size_t)RUN_BLOCKS * APSP_TABLE_BLOCK;

	return size < most ? size / APSP_TABLE_BLOCK * APSP_TABLE_BLOCK : most;
}

int apsp_table_writer_append(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&writer->header.sections[section];
	struct section_state *state = &writer->sections[section];
	const unsigned char *bytes = data;
	int r = apsp_reservation_wait(&writer->reservation, err);

	if (r < 0)
		return r;
	if (size > place->size - state->written)
		return apsp_fail(err, APSP_EBUG,
			"section %d takes %" PRIu64 " bytes, not %zu more",
			(int)section, place->size - state->written, size);
	while (size > 0) {
		uint64_t block =
			(place->offset + state->written) / APSP_TABLE_BLOCK;
		size_t held = state->written % APSP_TABLE_BLOCK;
		size_t step = run_size(size);

		if (held == 0 && step > 0) {
			r = write_blocks(writer, block, bytes, step, err);
		} else {
			step = APSP_TABLE_BLOCK - held;
			if (step > size)
				step = size;
			memcpy(state->tail + held, bytes, step);
			if (held + step == APSP_TABLE_BLOCK)
				r = write_blocks(writer, block, state->tail,
					APSP_TABLE_BLOCK, err);
		}
		if (r < 0)
			return r;
		state->written += step;
		bytes += step;
		size -= step;
	}
	return 0;
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
	return write_blocks(writer,
		(place->offset + state->written) / APSP_TABLE_BLOCK,
		state->tail, APSP_TABLE_BLOCK, err);
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
	r = write_at(
		writer->fd, writer->checksums, size, header->data_end, err);
	if (r < 0)
		return r;
	header->blocks_checksum = apsp_checksum(writer->checksums, size);
	memset(block, 0, APSP_TABLE_BLOCK);
	memcpy(block, header, sizeof(*header));
	return write_at(writer->fd, block, APSP_TABLE_BLOCK, 0, err);
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
