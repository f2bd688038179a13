/*
 * SQLite's file header (sqlite.org/fileformat2.html, section 1.3); see
 * database_header.h.
 */
#include "storage/database/database_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/database/database_log.h"

enum {
	HEADER_SIZE =
		108, /* the file's header and that of the first page's B-tree */
	JOURNAL_SIZE = 28, /* of a journal's header; section 3 */
	AT_JOURNAL_PAGES = 16,
	AT_JOURNAL_SECTOR = 20, /* the sector size: the first page lies behind
				   that many bytes */
	AT_PAGE_SIZE = 16,
	AT_CHANGES = 24,
	AT_PAGES = 28,
	AT_VERSION = 60,
	AT_INCREMENTAL = 64,
	AT_APPLICATION = 68,
	AT_VALID_FOR = 92, /* AT_PAGES is valid if this equals AT_CHANGES */
	AT_CELLS = 103,
};

static uint32_t number_at(const unsigned char *header, size_t at)
{
	return apsp_database_number(header + at);
}

static uint64_t page_size(const unsigned char *header)
{
	uint32_t size =
		(uint32_t)header[AT_PAGE_SIZE] << 8 | header[AT_PAGE_SIZE + 1];

	return size == 1 ? 65536 : size;
}

/*
 * Whether the file looks as ours does before its first commit, which may have
 * been lost with the log: one page without tables, and incremental vacuum,
 * which SQLite does only on request.
 */
static bool is_begun(const unsigned char *header)
{
	return number_at(header, AT_PAGES) <= 1 &&
	       number_at(header, AT_INCREMENTAL) &&
	       number_at(header, AT_VERSION) == 0 && header[AT_CELLS] == 0 &&
	       header[AT_CELLS + 1] == 0;
}

/* Whether a journal restores a single page, the first one of a file that
   is_begun(). */
static bool puts_back_begun(int fd, const unsigned char *journal)
{
	unsigned char page[4 + HEADER_SIZE];

	return number_at(journal, AT_JOURNAL_PAGES) == 1 &&
	       pread(fd, page, sizeof(page),
		       (off_t)number_at(journal, AT_JOURNAL_SECTOR)) ==
		       (ssize_t)sizeof(page) &&
	       number_at(page, 0) == 1 &&
	       number_at(page + 4, AT_APPLICATION) == 0 && is_begun(page + 4);
}

/*
 * Whether there is a rollback journal with pages to restore. Ours has none: our
 * database uses a log from its second page on, and a journal from before that
 * holds no page, or only the first one.
 */
static bool has_journal(const char *path)
{
	static const unsigned char magic[8] = {
		0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	APSP_AUTO(apsp_free) char *journal = NULL;
	APSP_AUTO(apsp_close) int fd = -1;
	unsigned char header[JOURNAL_SIZE];

	if (asprintf(&journal, "%s-journal", path) < 0) {
		journal = NULL;
		return true;
	}
	fd = open(journal, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 &&
	       pread(fd, header, sizeof(header), 0) ==
		       (ssize_t)sizeof(header) &&
	       memcmp(header, magic, sizeof(magic)) == 0 &&
	       number_at(header, AT_JOURNAL_PAGES) > 0 &&
	       !puts_back_begun(fd, header);
}

static int length_check(const char *path, const unsigned char *header,
	uint64_t size, struct apsp_err *err)
{
	uint64_t due = number_at(header, AT_PAGES) * page_size(header);

	if (number_at(header, AT_CHANGES) != number_at(header, AT_VALID_FOR) ||
		size >= due)
		return 0;
	return apsp_fail(err, APSP_EUNUSABLE,
		"'%s' is cut short (%llu of %llu bytes): put a copy in its "
		"place, or move it away to begin anew",
		path, (unsigned long long)size, (unsigned long long)due);
}

static int file_open(
	const char *path, int *out_fd, uint64_t *out_size, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;

	*out_size = 0;
	fd = open(path,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if ((fd < 0 && errno == ELOOP) ||
		(fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is not a plain file; move it away or choose "
			"another --state-dir",
			path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail_errno(err, errno, "cannot open '%s'", path);
	*out_size = (uint64_t)st.st_size;
	*out_fd = APSP_TAKE_FD(fd);
	return 0;
}

int apsp_database_header_read(const char *path,
	struct apsp_database_header *out, struct apsp_err *err)
{
	static const char magic[16] = "SQLite format 3";
	APSP_AUTO(apsp_close) int fd = -1;
	unsigned char header[HEADER_SIZE];
	struct apsp_database_log log;
	uint32_t application;
	uint64_t size;
	int r;

	r = file_open(path, &fd, &size, err);
	if (r < 0)
		return r;
	*out = (struct apsp_database_header){0};
	if (size == 0) {
		/* SQLite would delete the journal, which is all that is left
		   of the database */
		out->foreign = has_journal(path);
		return 0;
	}
	if (pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		memcmp(header, magic, sizeof(magic)) != 0)
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is not a database of apspd; move it away or "
			"choose another --state-dir",
			path);
	out->version = (int32_t)number_at(header, AT_VERSION);
	r = apsp_database_log_read(path, &log, err);
	if (r < 0)
		return r;
	out->has_log = log.there;
	application = number_at(header, AT_APPLICATION);
	out->foreign = application != APSP_APPLICATION_ID;
	if (!log.there && !out->foreign)
		return length_check(path, header, size, err);
	if (log.told)
		out->version = (int32_t)number_at(log.header, AT_VERSION);
	/* the application id may still be in the log */
	if (out->foreign && !has_journal(path))
		out->foreign =
			log.told ? number_at(log.header, AT_APPLICATION) !=
					   APSP_APPLICATION_ID
				 : application || !is_begun(header);
	return 0;
}
