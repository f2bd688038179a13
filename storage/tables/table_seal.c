/*
 * Seals and syncs table files; see table_seal.h.
 */
#include "storage/tables/table_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/base/auto.h"
#include "daemon/base/file.h"
#include "daemon/job/table_file.h"

enum {
	SYNC_PIECE = 32 << 20, /* number of bytes that one call of
				  sync_file_range() writes to the disk */
};

/* Read the header, and check it against the file's size. */
static int read_header(
	int fd, struct apsp_table_header *out, struct apsp_err *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return apsp_fail_errno(err, errno, "measure the table file");
	n = apsp_file_read(fd, out, sizeof(*out), 0);
	if (n < 0)
		return apsp_fail_errno(err, errno, "read the table file");
	if (st.st_size < APSP_TABLE_BLOCK || (size_t)n < sizeof(*out))
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file has %lld bytes, less than its header",
			(long long)st.st_size);
	return apsp_table_header_check(out, (uint64_t)st.st_size, false, err);
}

int apsp_table_seal(const char *path, const char *revision,
	const char *profile_hash, uint64_t *out_checksum, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct apsp_table_header header;
	int r;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return apsp_fail_errno(err, errno, "open '%s'", path);
	r = read_header(fd, &header, err);
	if (r < 0)
		return r;
	apsp_table_header_seal(&header, revision, profile_hash);
	if (apsp_file_write(fd, &header, sizeof(header), 0) < 0)
		return apsp_fail_errno(err, errno, "write '%s'", path);
	*out_checksum = header.blocks_checksum;
	return 0;
}

/*
 * Write the file to the disk in pieces, so that other syncs can run between the
 * pieces. Returns 0 or an errno. The caller must not ignore an error, because
 * fsync() does not report the same error again.
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
			/* ignore that the file system does not support
			   sync_file_range(), because the later fsync() writes
			   everything */
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
	/* APSP_EIO for every error: the caller must not sync the file again */
	if (error != 0)
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
