/*
 * Sealing the solver's file; see table_seal.h.
 */
#include "storage/tables/table_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/base/auto.h"
#include "daemon/base/file_read.h"
#include "daemon/base/table_file.h"

enum {
	SYNC_PIECE = 32 << 20, /* bytes on their way to the disk at a time */
};

static int read_at(
	int fd, void *out, size_t size, uint64_t offset, struct apsp_err *err)
{
	ssize_t n = apsp_file_read(fd, out, size, offset);

	if (n < 0)
		return apsp_fail_errno(err, errno, "read the table file");
	if ((size_t)n < size)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file was cut while it was sealed");
	return 0;
}

/* Compare the checksums' own checksum with the header's. */
static int check_checksums(
	int fd, const struct apsp_table_header *header, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *checksums = NULL;
	size_t size = header->file_size - header->data_end;
	int r;

	checksums = malloc(size);
	if (!checksums)
		return apsp_fail_errno(err, ENOMEM, "block checksums");
	r = read_at(fd, checksums, size, header->data_end, err);
	if (r < 0)
		return r;
	if (apsp_checksum(checksums, size) != header->blocks_checksum)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file's checksums have another checksum");
	return 0;
}

static int read_frame(
	int fd, struct apsp_table_header *out, struct apsp_err *err)
{
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return apsp_fail_errno(err, errno, "measure the table file");
	if (st.st_size < APSP_TABLE_BLOCK)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file has %lld bytes, less than its header",
			(long long)st.st_size);
	r = read_at(fd, out, sizeof(*out), 0, err);
	if (r == 0)
		r = apsp_table_header_check(
			out, (uint64_t)st.st_size, false, err);
	if (r == 0)
		r = check_checksums(fd, out, err);
	return r;
}

int apsp_table_seal(const char *path, const char *revision,
	const char *profile_hash, uint64_t *out_checksum, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct apsp_table_header header;
	ssize_t n;
	int r;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return apsp_fail_errno(err, errno, "open '%s'", path);
	r = read_frame(fd, &header, err);
	if (r < 0)
		return r;
	apsp_table_header_seal(&header, revision, profile_hash);
	n = pwrite(fd, &header, sizeof(header), 0);
	if (n != (ssize_t)sizeof(header))
		return apsp_fail_errno(
			err, n < 0 ? errno : EIO, "write '%s'", path);
	*out_checksum = header.blocks_checksum;
	return 0;
}

/*
 * Write the file to the disk piece by piece, so that others' syncs find their
 * turn. Returns 0 or an errno: fsync() tells each error once, and not one that
 * was told here.
 */
static int pieces_write(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	for (off_t at = 0; at < st.st_size; at += SYNC_PIECE)
		if (sync_file_range(fd, at, SYNC_PIECE,
			    SYNC_FILE_RANGE_WAIT_BEFORE |
				    SYNC_FILE_RANGE_WRITE |
				    SYNC_FILE_RANGE_WAIT_AFTER) < 0)
			/* where there is no such call, fsync() does it all */
			return errno == ENOSYS || errno == EINVAL ? 0 : errno;
	return 0;
}

int apsp_table_seal_sync(const char *path, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	int error;

	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return apsp_fail_errno(err, errno, "open '%s'", path);
	error = pieces_write(fd);
	if (error == 0 && fsync(fd) < 0)
		error = errno;
	if (error != 0) /* no code by which the caller would try again */
		return apsp_fail(
			err, APSP_EIO, "sync '%s': %s", path, strerror(error));
	return 0;
}

void apsp_table_seal_reread(const char *path)
{
	APSP_AUTO(apsp_close) int fd = -1;

	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}
