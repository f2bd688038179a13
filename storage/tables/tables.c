/* Opens table files, counts their references, compares their blocks with
   checksums, and finds bytes and rows in them; see tables.h. */
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
#include "storage/tables/mapping.h"

enum {
	PAGE = 4096, /* size in bytes of a page of memory; some machines have
			larger pages, but none has smaller ones */
};

static void demand_rows_free(struct apsp_demand_rows *rows)
{
	if (!rows)
		return;
	if (rows->drop)
		rows->drop(rows);
	for (int d = 0; d < APSP_N_DEMANDS; d++)
		free(rows->of[d]);
	free(rows);
}
APSP_AUTO_DEFINE(rows_end, struct apsp_demand_rows, demand_rows_free);

/* Allocate the struct of the rows that are computed on demand. It has no rows
   at first. The caller ends *out with demand_rows_free(). APSP_ENOMEM. */
static int demand_rows_new(uint64_t n_vertices, struct apsp_demand_rows **out,
	struct apsp_err *err)
{
	APSP_AUTO(rows_end)
	struct apsp_demand_rows *rows = calloc(1, sizeof(*rows));
	bool good = rows != NULL;

	for (int d = 0; good && d < APSP_N_DEMANDS; d++) {
		rows->of[d] = calloc(n_vertices, sizeof(*rows->of[d]));
		good = rows->of[d] != NULL;
	}
	if (!good)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	*out = APSP_TAKE(rows);
	return 0;
}

const unsigned char *apsp_demand_rows_find(const struct apsp_demand_rows *rows,
	enum apsp_demand demand, uint64_t vertex)
{
	const struct apsp_demand_row *found = atomic_load_explicit(
		&rows->of[demand][vertex], memory_order_acquire);

	return found ? atomic_load_explicit(&found->bytes, memory_order_acquire)
		     : NULL;
}

/* Open the file if it is a plain file. Links and FIFOs are refused; to open a
   FIFO would block. */
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
			"the table file is a directory, a device or another "
			"thing "
			"that is not a plain file");
	if (st.st_size < APSP_TABLE_BLOCK)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file has %lld bytes, less than its header",
			(long long)st.st_size);
	*out_fd = APSP_TAKE_FD(fd);
	*out_size = (size_t)st.st_size;
	return 0;
}

/*
 * Find the code of a failure that a fault (SIGBUS) has caused. If the file
 * still has its full size, the disk has failed: report APSP_EIO. Otherwise the
 * file was truncated, which is damage.
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

/* Read the header. Check the header, the zeros after the header, and the
   checksum of the block checksums. */
static int frame_read(const struct apsp_tables *tables,
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

/* Refuse a file that a newer version of apspd has written. */
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
	APSP_AUTO(apsp_tables_end) struct apsp_tables *tables = NULL;
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
		tables, fd, frame_read(tables, &tables->header, err), err);
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
		r = demand_rows_new(header->n_vertices, &tables->demand, err);
	if (r < 0)
		return r;
	/* block 0, the header, counts as checked, because it has a checksum of
	   its own */
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
	demand_rows_free(tables->demand);
	apsp_mapping_close(&tables->mapping);
	free(tables->path);
	free(tables->checked);
	free(tables);
}

int apsp_tables_condemn(
	struct apsp_tables *tables, const char *what, struct apsp_err *err)
{
	if (!what)
		what = apsp_mapping_damaged(&tables->mapping)
			       ? "their file was cut short or cannot be read"
			       : "their file is not what was written";
	if (!atomic_exchange(&tables->damaged, true) && tables->watch.damaged)
		tables->watch.damaged(tables->watch.ctx);
	return apsp_fail(
		err, APSP_EDAMAGED, "the tables are damaged: %s", what);
}

/*
 * Check again the parts of the file that are not blocks of data: the header and
 * the checksums of the blocks. Takes 1 ms for each 5 MB of checksums, which
 * belong to 40 GB of data. APSP_EDAMAGED: one of these parts has changed.
 */
static int frame_recheck(struct apsp_tables *tables, struct apsp_err *err)
{
	struct apsp_table_header header;

	if (frame_read(tables, &header, NULL) < 0 ||
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
	/* A matching checksum is not enough: a fault puts zeros in place of
	   data, and the checksum does not show this if the block should contain
	   zeros there. So check that no damage was found. */
	return apsp_tables_trust(tables, err);
}

int apsp_tables_scrub(struct apsp_tables *tables, struct apsp_err *err)
{
	uint64_t block;
	int r;

	r = apsp_tables_trust(tables, err);
	if (r < 0)
		return r;
	/* two threads can get the same block here; to check it twice does no
	   harm */
	block = atomic_load(&tables->scrub_next);
	if (block >= tables->n_blocks) {
		atomic_store(&tables->scrub_next, 1);
		return 0;
	}
	atomic_store(&tables->scrub_next, block + 1);
	r = apsp_tables_block_check(tables, block, err);
	return r < 0 ? r : 1;
}

/* Call apsp_tables_touch() for each block that has bytes of the file's range
   [begin, end). Fails as apsp_tables_touch() does. */
static int bytes_touch(struct apsp_tables *tables, uint64_t begin, uint64_t end,
	struct apsp_err *err)
{
	int r = 0;

	if (end - begin > APSP_TABLE_BLOCK)
		apsp_mapping_fetch(&tables->mapping, begin, end - begin);
	for (uint64_t block = begin - begin % APSP_TABLE_BLOCK;
		block < end && r == 0; block += APSP_TABLE_BLOCK)
		r = apsp_tables_touch(tables, block, err);
	return r;
}

/* Read one byte of each page, so that the bytes are in memory when they are
   sent. This thread belongs to a pool and may wait for the disk. The thread of
   the connection, which sends the bytes, must not wait. */
static void pages_load(const unsigned char *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i += PAGE)
		(void)*(const volatile unsigned char *)(bytes + i);
}

int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&tables->header.sections[section];
	uint64_t begin = place->offset + at;
	int r;

	if (at > place->size || size > place->size - at)
		return apsp_fail(err, APSP_EBUG,
			"bytes behind the end of a section were requested");
	r = bytes_touch(tables, begin, begin + size, err);
	if (r < 0)
		return r;
	*out = tables->mapping.data + begin;
	pages_load(*out, size);
	return 0;
}

int apsp_table_bytes_file(struct apsp_tables *tables, uint64_t at,
	uint64_t size, const unsigned char **out, struct apsp_err *err)
{
	uint64_t file_size = tables->mapping.size;
	uint64_t data_end = tables->header.data_end;
	uint64_t end = at + size;
	int r = 0;

	if (at > file_size || size > file_size - at)
		return apsp_fail(err, APSP_EBUG,
			"bytes behind the end of a table file were requested");
	if (at < APSP_TABLE_BLOCK || end > data_end)
		r = frame_recheck(tables, err);
	if (r == 0 && at < data_end)
		r = bytes_touch(
			tables, at, end < data_end ? end : data_end, err);
	if (r < 0)
		return r;
	*out = tables->mapping.data + at;
	pages_load(*out, size);
	return 0;
}

int apsp_table_bytes_section(struct apsp_tables *tables,
	enum apsp_section section, const void **out, struct apsp_err *err)
{
	const unsigned char *bytes = NULL;
	int r = apsp_table_bytes_get(tables, section, 0,
		tables->header.sections[section].size, &bytes, err);

	*out = bytes;
	return r;
}
