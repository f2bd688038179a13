/* Opens table files, counts their references, and compares their blocks with
   checksums; see tables.h. */
#include "storage/tables/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/base/hex.h"
#include "storage/tables/demand_rows.h"

APSP_AUTO_DEFINE(tables_auto, struct apsp_tables, apsp_tables_unref);

/* Open the file if it is a plain file. A link is refused, and so is a FIFO,
   which would block. */
static int file_open(
	const char *path, int *out_fd, size_t *out_size, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;

	fd = open(path,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return apsp_fail(
			err, APSP_EDAMAGED, "the table file is not there");
	if (fd < 0 && errno == ELOOP)
		return apsp_fail(
			err, APSP_EIO, "the table file is a symbolic link");
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail_errno(err, errno, "open the table file");
	if (!S_ISREG(st.st_mode))
		return apsp_fail(err, APSP_EIO,
			"what has the table file's name is not a plain file");
	if (st.st_size < APSP_TABLE_BLOCK)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file has %lld bytes, less than its header",
			(long long)st.st_size);
	*out_fd = APSP_TAKE_FD(fd);
	*out_size = (size_t)st.st_size;
	return 0;
}

/*
 * After a fault, find out whether the file was truncated or the disk failed. If
 * the file still has its full size, the disk has failed.
 */
static int fault_explain(const struct apsp_tables *tables, int fd, int result,
	struct apsp_err *err)
{
	struct stat st;

	if (result != APSP_EDAMAGED ||
		!apsp_mapping_damaged(&tables->mapping) || fstat(fd, &st) < 0 ||
		(size_t)st.st_size < tables->mapping.size)
		return result;
	return apsp_fail_errno(err, EIO, "read the table file");
}

/* Read the header, and check it, the zeros after it, and the checksum of the
   block checksums. */
static int check_frame(const struct apsp_tables *tables,
	struct apsp_table_header *header, struct apsp_err *err)
{
	const unsigned char *data = tables->mapping.data;
	size_t at;
	int r;

	at = apsp_table_header_read(data, header);
	r = apsp_table_header_check(header, tables->mapping.size, true, err);
	if (r < 0)
		return r;
	/* check that all bytes are 0: the first byte must be 0, and each other
	   byte must equal the byte before it */
	if (at < APSP_TABLE_BLOCK &&
		(data[at] != 0 || memcmp(data + at, data + at + 1,
					  APSP_TABLE_BLOCK - at - 1) != 0))
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file has data between its header and its "
			"first block");
	if (apsp_checksum(data + header->data_end,
		    header->data_end / APSP_TABLE_BLOCK *
			    sizeof(*tables->checksums)) !=
		header->blocks_checksum)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file's checksums have another checksum");
	if (apsp_mapping_damaged(&tables->mapping))
		return apsp_fail(err, APSP_EDAMAGED,
			"the tables are damaged: their file was cut short or "
			"cannot be read");
	return 0;
}

/* Refuse a file that a newer apspd has written. */
static int check_version(const struct apsp_tables *tables, const char *path,
	struct apsp_err *err)
{
	const char *name = strrchr(path, '/');
	struct apsp_table_header header;

	if (!apsp_table_header_is_newer(tables->mapping.data))
		return 0;
	apsp_table_header_read(tables->mapping.data, &header);
	return apsp_fail(err, APSP_ENEWER,
		"the table file %s was written by a newer apspd (format "
		"%" PRIu32 ", this one knows %d): install that version again, "
		"or remove the file, and its tables are computed again",
		name ? name + 1 : path, header.version, APSP_TABLE_VERSION);
}

static void make_id(
	const struct apsp_table_header *header, char out[APSP_TABLES_ID_SIZE])
{
	unsigned char digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, APSP_HASH_SIZE, (const void *)header->revision);
	sha256_update(&sha, APSP_HASH_SIZE, (const void *)header->profile_hash);
	sha256_update(&sha, sizeof(header->blocks_checksum),
		(const void *)&header->blocks_checksum);
	sha256_digest(&sha, sizeof(digest), digest);
	apsp_hex_write(digest, APSP_TABLES_ID_SIZE / 2, out);
}

int apsp_tables_open(const char *path, const char *revision,
	const char *profile_hash, const struct apsp_tables_watch *watch,
	struct apsp_tables **out, struct apsp_err *err)
{
	APSP_AUTO(tables_auto) struct apsp_tables *tables = NULL;
	APSP_AUTO(apsp_close) int fd = -1;
	const struct apsp_table_header *header;
	size_t size = 0;
	int r;

	tables = calloc(1, sizeof(*tables));
	if (!tables)
		return apsp_fail_errno(err, ENOMEM, "tables");
	header = &tables->header;
	atomic_init(&tables->n_refs, 1);
	r = file_open(path, &fd, &size, err);
	if (r == 0)
		r = apsp_mapping_open(fd, size, &tables->mapping, err);
	if (r < 0)
		return r;
	r = check_version(tables, path, err);
	if (r < 0)
		return r;
	r = fault_explain(
		tables, fd, check_frame(tables, &tables->header, err), err);
	if (r < 0)
		return r;
	tables->checksums =
		(const void *)(tables->mapping.data + header->data_end);
	tables->n_blocks = header->data_end / APSP_TABLE_BLOCK;
	if (strcmp(header->revision, revision) != 0 ||
		strcmp(header->profile_hash, profile_hash) != 0)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file is of revision %.16s… and profile "
			"%.16s…, not of %.16s… and %.16s…",
			header->revision, header->profile_hash, revision,
			profile_hash);
	tables->checked =
		calloc(tables->n_blocks / 64 + 1, sizeof(*tables->checked));
	if (!tables->checked)
		return apsp_fail_errno(err, ENOMEM, "tables");
	tables->path = strdup(path);
	if (!tables->path)
		return apsp_fail_errno(err, ENOMEM, "tables");
	if (apsp_table_on_demand(header))
		r = apsp_demand_rows_new(
			header->n_vertices, &tables->demand, err);
	if (r < 0)
		return r;
	/* block 0 is the header, which has a checksum of its own */
	atomic_init(&tables->checked[0], 1);
	atomic_init(&tables->scrub_next, 1);
	make_id(header, tables->id);
	tables->watch = *watch;
	*out = APSP_TAKE(tables);
	return 0;
}

struct apsp_tables *apsp_tables_ref(struct apsp_tables *tables)
{
	atomic_fetch_add_explicit(&tables->n_refs, 1, memory_order_relaxed);
	return tables;
}

void apsp_tables_unref(struct apsp_tables *tables)
{
	if (!tables || atomic_fetch_sub_explicit(
			       &tables->n_refs, 1, memory_order_acq_rel) > 1)
		return;
	apsp_demand_rows_free(tables->demand);
	apsp_mapping_close(&tables->mapping);
	free(tables->path);
	free(tables->checked);
	free(tables);
}

int apsp_tables_condemn(
	struct apsp_tables *tables, const char *what, struct apsp_err *err)
{
	if (!atomic_exchange(&tables->damaged, true) && tables->watch.damaged)
		tables->watch.damaged(tables->watch.ctx);
	return apsp_fail(
		err, APSP_EDAMAGED, "the tables are damaged: %s", what);
}

int apsp_tables_distrust(struct apsp_tables *tables, struct apsp_err *err)
{
	return apsp_tables_condemn(tables,
		apsp_mapping_damaged(&tables->mapping)
			? "their file was cut short or cannot be read"
			: "their file is not what was written",
		err);
}

int apsp_tables_frame_check(struct apsp_tables *tables, struct apsp_err *err)
{
	struct apsp_table_header header;

	if (check_frame(tables, &header, NULL) < 0 ||
		header.header_checksum != tables->header.header_checksum)
		return apsp_tables_condemn(tables,
			"the header of their file, or the checksums at its "
			"end, have changed",
			err);
	return apsp_tables_trust(tables, err);
}

int apsp_tables_block_check(
	struct apsp_tables *tables, uint64_t block, struct apsp_err *err)
{
	const unsigned char *data =
		tables->mapping.data + block * APSP_TABLE_BLOCK;
	char what[64];

	apsp_mapping_fetch(
		&tables->mapping, block * APSP_TABLE_BLOCK, APSP_TABLE_BLOCK);
	if (apsp_checksum(data, APSP_TABLE_BLOCK) != tables->checksums[block]) {
		snprintf(what, sizeof(what),
			"block %" PRIu64 " of their file has changed", block);
		return apsp_tables_condemn(tables, what, err);
	}
	atomic_fetch_or_explicit(&tables->checked[block / 64],
		UINT64_C(1) << block % 64, memory_order_relaxed);
	/* a fault may have put zeros in place of the block's data, and the
	   checksum of zeros may match */
	return apsp_tables_trust(tables, err);
}

int apsp_tables_scrub(struct apsp_tables *tables, struct apsp_err *err)
{
	uint64_t block;
	int r;

	r = apsp_tables_trust(tables, err);
	if (r < 0)
		return r;
	/* two threads may check the same block, which does no harm */
	block = atomic_load(&tables->scrub_next);
	if (block >= tables->n_blocks) {
		atomic_store(&tables->scrub_next, 1);
		return 0;
	}
	atomic_store(&tables->scrub_next, block + 1);
	r = apsp_tables_block_check(tables, block, err);
	return r < 0 ? r : 1;
}
