/*
 * Receives a table file; see received_table.h.
 */
#include "storage/ingest/received_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/base/file.h"
#include "daemon/base/size.h"

APSP_AUTO_DEFINE(
	table_end, struct apsp_received_table, apsp_received_table_free);

/* Close the file and remove it. */
static void file_drop(struct apsp_received_table *table)
{
	apsp_close(&table->fd);
	if (table->path)
		unlink(table->path);
	free(table->path);
	table->path = NULL;
}

void apsp_received_table_free(struct apsp_received_table *table)
{
	if (!table)
		return;
	file_drop(table);
	free(table->checksums);
	apsp_share_shrink(
		table->share, table->n_checksums * sizeof(*table->checksums));
	free(table);
}

/* Create the file and reserve its space. */
static int file_make(struct apsp_received_table *table, const char *dir,
	struct apsp_err *err)
{
	int r;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return apsp_fail_errno(err, errno, "make '%s'", dir);
	/* no part of the name comes from the client */
	if (asprintf(&table->path, "%s/upload-XXXXXX", dir) < 0) {
		table->path = NULL;
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	}
	table->fd = mkostemp(table->path, O_CLOEXEC);
	if (table->fd < 0) {
		r = apsp_fail_errno(err, errno, "make a file in '%s'", dir);
		free(table->path);
		table->path = NULL;
		return r;
	}
	r = posix_fallocate(table->fd, 0, (off_t)table->size);
	/* if the file system cannot reserve space, a later write fails when the
	   disk is full */
	if (r == 0 || r == EOPNOTSUPP || r == EINVAL)
		return 0;
	return apsp_fail_errno(err, r, "reserve space in '%s'", dir);
}

int apsp_received_table_new(const struct apsp_received_place *place,
	uint64_t size, struct apsp_share *share,
	struct apsp_received_table **out, struct apsp_err *err)
{
	APSP_AUTO(table_end) struct apsp_received_table *table = NULL;
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	uint64_t room_bytes;
	int r;

	if (size < APSP_TABLE_BLOCK || size > INT64_MAX)
		return apsp_fail(err, APSP_EDATA,
			"has %" PRIu64 " bytes, which is no table file", size);
	r = place->room(place->store, &room_bytes, err);
	if (r < 0)
		return r;
	if (size > room_bytes) {
		apsp_sizes_format(size, room_bytes, need, have);
		return apsp_fail(err, APSP_ENOSPACE,
			"the table file needs %s and the cache has room for %s "
			"(--cache-limit, or the disk's free space); %ssend "
			"tables=recompute",
			need, have,
			size > place->limit_bytes
				? "no deletion frees so much: "
				: "delete tables that nobody needs, or ");
	}
	table = malloc(sizeof(*table));
	if (!table)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	memset(table, 0, offsetof(struct apsp_received_table, block));
	table->fd = -1;
	table->size = size;
	table->share = share;
	r = file_make(table, place->dir, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(table);
	return 0;
}

/* Return the reason why a job must compute these tables again. NULL: a job can
   prove that the file's tables are right. */
static const char *recompute_reason(const struct apsp_table_header *header)
{
	if (apsp_table_on_demand(header))
		return "the file holds no tables, because rows are computed "
		       "when they are asked for";
	if (header->version != APSP_TABLE_VERSION)
		return "the file was written by an earlier version of apspd";
	/* A job proves the tables from their distances and predecessors. If the
	   table has widest paths, the job reads the widths and computes the
	   predecessors from them (compute/solve/README.md, Received tables). */
	if (!apsp_table_holds(header, APSP_SECTION_DISTANCE) ||
		(!apsp_table_has_widths(header) &&
			!apsp_table_holds(header, APSP_SECTION_PREDECESSOR)))
		return "with tables=distance, the file lacks distances or "
		       "predecessors, by which it would be proved";
	return NULL;
}

/* Read and check the header, and allocate memory for the checksums. */
static int header_take(struct apsp_received_table *table,
	const unsigned char *block, struct apsp_err *err)
{
	static const unsigned char zeros[APSP_TABLE_BLOCK];
	struct apsp_table_header header;
	struct apsp_err why;
	size_t used = apsp_table_header_read(block, &header), n;
	int r = apsp_table_header_check(&header, table->size, true, &why);

	if (r < 0)
		return apsp_fail(
			err, APSP_EDATA, "is refused: %s", why.message);
	if (memcmp(block + used, zeros, APSP_TABLE_BLOCK - used) != 0)
		return apsp_fail(err, APSP_EDATA,
			"has bytes behind its header, where there must be "
			"zeros");
	table->header = header;
	n = header.data_end / APSP_TABLE_BLOCK;
	r = apsp_array_reserve(&table->checksums, n, &table->n_checksums,
		&(struct apsp_array_growth){sizeof(*table->checksums), n,
			"the checksums of a table file", table->share},
		err);
	if (r < 0)
		return r;
	/* in the file, the checksum of the first block is 0, because the header
	   has a checksum of its own */
	table->checksums[0] = 0;
	table->reason = recompute_reason(&header);
	if (table->reason)
		file_drop(table);
	return 0;
}

/*
 * Check the block at offset `at`; the last block of the file may be shorter
 * than APSP_TABLE_BLOCK. The file has blocks of data, and then the checksums of
 * all these blocks. For a block of data, compute and store the checksum. In a
 * later block, compare the checksums with the computed ones.
 */
static int block_check(struct apsp_received_table *table, uint64_t at,
	const unsigned char *block, size_t size, struct apsp_err *err)
{
	if (at == 0)
		return header_take(table, block, err);
	if (at < table->header.data_end) {
		table->checksums[at / APSP_TABLE_BLOCK] =
			apsp_checksum(block, size);
		return 0;
	}
	if (memcmp((const char *)table->checksums +
			    (at - table->header.data_end),
		    block, size) == 0)
		return 0;
	return apsp_fail(err, APSP_EDATA,
		"is damaged: a block differs from its checksum");
}

/* Check and write `size` bytes. They begin at the start of a block, and end at
   the end of a block or of the file. */
static int blocks_take(struct apsp_received_table *table,
	const unsigned char *data, size_t size, struct apsp_err *err)
{
	int r = 0;

	for (size_t at = 0; r == 0 && at < size; at += APSP_TABLE_BLOCK)
		r = block_check(table, table->at + at, data + at,
			size - at < APSP_TABLE_BLOCK ? size - at
						     : APSP_TABLE_BLOCK,
			err);
	if (r == 0 && table->path &&
		apsp_file_write(table->fd, data, size, table->at) < 0)
		r = apsp_fail_errno(err, errno, "write '%s'", table->path);
	table->at += size;
	return r;
}

int apsp_received_table_feed(struct apsp_received_table *table,
	const char *data, size_t size, struct apsp_err *err)
{
	int r = 0;

	while (r == 0 && size > 0) {
		size_t step = APSP_TABLE_BLOCK - table->used;

		if (table->used == 0 && size >= APSP_TABLE_BLOCK) {
			step = size - size % APSP_TABLE_BLOCK;
			r = blocks_take(
				table, (const unsigned char *)data, step, err);
		} else {
			if (step > size)
				step = size;
			memcpy(table->block + table->used, data, step);
			table->used += step;
			if (table->used == APSP_TABLE_BLOCK) {
				r = blocks_take(
					table, table->block, table->used, err);
				table->used = 0;
			}
		}
		data += step;
		size -= step;
	}
	return r;
}

int apsp_received_table_end(
	struct apsp_received_table *table, struct apsp_err *err)
{
	uint64_t n = table->at + table->used;
	int r;

	if (n != table->size)
		return apsp_fail(err, APSP_EBUG,
			"%" PRIu64 " bytes of a table file of %" PRIu64
			" arrived",
			n, table->size);
	r = blocks_take(table, table->block, table->used, err);
	table->used = 0;
	if (r == 0 && apsp_checksum(table->checksums,
			      table->n_checksums * sizeof(*table->checksums)) !=
			      table->header.blocks_checksum)
		r = apsp_fail(err, APSP_EDATA,
			"is damaged: its checksums differ from the checksum in "
			"its header");
	if (r == 0 && table->path && close(APSP_TAKE_FD(table->fd)) < 0)
		r = apsp_fail_errno(err, errno, "write '%s'", table->path);
	return r;
}
