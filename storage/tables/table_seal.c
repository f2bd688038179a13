/*
 * Seals table files; see table_seal.h.
 */
#include "storage/tables/table_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/base/auto.h"
#include "daemon/base/file.h"
#include "daemon/job/table_file.h"

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
	if (header.revision[0] &&
		(strncmp(header.revision, revision, APSP_HASH_SIZE) != 0 ||
			strncmp(header.profile_hash, profile_hash,
				APSP_HASH_SIZE) != 0))
		return apsp_fail(err, APSP_EDAMAGED,
			"the solver's file is a copy of tables of the revision "
			"%.16s… and the rule %.16s…",
			header.revision, header.profile_hash);
	apsp_table_header_seal(&header, revision, profile_hash);
	if (apsp_file_write(fd, &header, sizeof(header), 0) < 0)
		return apsp_fail_errno(err, errno, "write '%s'", path);
	*out_checksum = header.blocks_checksum;
	return 0;
}
