/*
 * SQLite's file header and log (sqlite.org/fileformat2.html, sections 1.3 and
 * 4); see database_header.h. The log is the -wal file:
 *
 *	header  32 bytes: magic, format, page size, number of checkpoints (not
 *	        used here), salts (8), checksum (8)
 *	frame   24 bytes: page number, pages after commit (0: no commit), salts
 *	        (8), checksum (8); then the page
 */
#include "storage/database/database_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	FILE_HEADER_SIZE = 100,
	HEADER_SIZE = 108, /* bytes of the file's header (100) and of the B-tree
			      header that follows it on the first page (8) */
	JOURNAL_SIZE = 28, /* bytes of a journal's header (section 3) */
	AT_JOURNAL_PAGES = 16,
	/* offset of the sector size in a journal's header; the journal's first
	   page begins after one sector */
	AT_JOURNAL_SECTOR = 20,
	AT_PAGE_SIZE = 16,
	AT_CHANGES = 24,
	AT_PAGES = 28,
	AT_VERSION = 60,
	AT_INCREMENTAL = 64,
	AT_APPLICATION = 68,
	AT_VALID_FOR = 92, /* the number at AT_PAGES is valid if the numbers at
			      AT_VALID_FOR and AT_CHANGES are equal */
	AT_CELLS = 103,
	LOG_HEADER_SIZE = 32,
	FRAME_SIZE = 24,
	AT_LOG_PAGE_SIZE = 8,
	AT_LOG_SALTS = 16,
	AT_LOG_SUM = 24,
	AT_COMMIT = 4,
	AT_FRAME_SALTS = 8,
	AT_FRAME_SUM = 16,
	SALTS_SIZE = 8,
	PAGE_MAX = 65536,
};

/* Read a 32-bit number of SQLite's files, which are big-endian. */
static uint32_t number(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The magic number of a log. If the log's checksums are computed over
   big-endian words, its magic number is LOG_MAGIC + 1. */
#define LOG_MAGIC 0x377f0682u

/* The log beside a database. */
struct log {
	int fd;
	unsigned char header[LOG_HEADER_SIZE];
	unsigned char frame[FRAME_SIZE + PAGE_MAX];
	uint32_t page_size;
	uint32_t sums[2];
};

/* The newest version of the database's first page that the log has. */
struct log_page {
	bool has_log; /* the log exists and is not empty */
	bool found;   /* the log holds a committed version of the first page */
	unsigned char header[FILE_HEADER_SIZE]; /* header of that version */
};

/* Read a word in the byte order in which the log's checksums are computed. The
   log's magic number shows which byte order this is. */
static uint32_t word(const struct log *log, const unsigned char *bytes)
{
	return number(log->header) & 1
		       ? number(bytes)
		       : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
				 (uint32_t)bytes[1] << 8 | bytes[0];
}

/* Add bytes to the log's checksum. `size` is a multiple of 8. */
static void sums_add(struct log *log, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 8) {
		log->sums[0] += word(log, bytes + i) + log->sums[1];
		log->sums[1] += word(log, bytes + i + 4) + log->sums[0];
	}
}

static bool sums_equal(const struct log *log, const unsigned char *bytes)
{
	return number(bytes) == log->sums[0] &&
	       number(bytes + 4) == log->sums[1];
}

/* Read the log's header. False: it is missing or damaged. */
static bool log_header_read(struct log *log)
{
	if (pread(log->fd, log->header, LOG_HEADER_SIZE, 0) !=
			LOG_HEADER_SIZE ||
		(number(log->header) & ~1u) != LOG_MAGIC)
		return false;
	log->page_size = number(log->header + AT_LOG_PAGE_SIZE);
	if (log->page_size < 512 || log->page_size > PAGE_MAX ||
		log->page_size & (log->page_size - 1))
		return false;
	sums_add(log, log->header, AT_LOG_SUM);
	return sums_equal(log, log->header + AT_LOG_SUM);
}

/* Read frame i and check it. False: the log ends before frame i. */
static bool frame_read(struct log *log, uint64_t i)
{
	const size_t size = FRAME_SIZE + log->page_size;

	if (pread(log->fd, log->frame, size,
		    (off_t)(LOG_HEADER_SIZE + i * size)) != (ssize_t)size ||
		memcmp(log->frame + AT_FRAME_SALTS, log->header + AT_LOG_SALTS,
			SALTS_SIZE) != 0)
		return false;
	sums_add(log, log->frame, AT_FRAME_SALTS);
	sums_add(log, log->frame + FRAME_SIZE, log->page_size);
	return sums_equal(log, log->frame + AT_FRAME_SUM);
}

/*
 * Find the newest committed version of the database's first page. The log ends
 * before the first frame that is cut short or damaged, as it does for SQLite.
 */
static void frames_read(struct log *log, struct log_page *out)
{
	/* the newest version of the first page so far; it becomes the result
	   only when a commit frame follows */
	struct log_page page = *out;

	for (uint64_t i = 0; frame_read(log, i); i++) {
		if (number(log->frame) == 1) {
			page.found = true;
			memcpy(page.header, log->frame + FRAME_SIZE,
				sizeof(page.header));
		}
		if (number(log->frame + AT_COMMIT))
			*out = page;
	}
}

/* Open the log of the database at path. Returns its descriptor, or -1. */
static int log_open(const char *path)
{
	APSP_AUTO(apsp_free) char *name = NULL;

	if (asprintf(&name, "%s-wal", path) < 0) {
		name = NULL;
		errno = ENOMEM;
		return -1;
	}
	return open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Read the log of the database at path. This blocks for as long as the disk
   needs. */
static int log_read(
	const char *path, struct log_page *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	APSP_AUTO(apsp_free) struct log *log = NULL;
	struct stat st;

	*out = (struct log_page){0};
	fd = log_open(path);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail_errno(
			err, errno, "cannot open '%s-wal'", path);
	log = calloc(1, sizeof(*log));
	if (!log)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a log");
	log->fd = fd;
	out->has_log = st.st_size > 0;
	if (log_header_read(log))
		frames_read(log, out);
	return 0;
}

static uint64_t page_size(const unsigned char *header)
{
	uint32_t size =
		(uint32_t)header[AT_PAGE_SIZE] << 8 | header[AT_PAGE_SIZE + 1];

	return size == 1 ? 65536 : size;
}

/*
 * Whether the file looks like a database of ours that has no commit yet, or
 * that has lost its first commit together with the log. Such a file has one
 * page without tables. Incremental vacuum, which is off by default in SQLite,
 * is on.
 */
static bool is_begun(const unsigned char *header)
{
	return number(header + AT_PAGES) <= 1 &&
	       number(header + AT_INCREMENTAL) &&
	       number(header + AT_VERSION) == 0 && header[AT_CELLS] == 0 &&
	       header[AT_CELLS + 1] == 0;
}

/* Whether the journal restores only one page, and this page is the first page
   of a database that was just begun (is_begun()). */
static bool puts_back_begun(int fd, const unsigned char *journal)
{
	unsigned char page[4 + HEADER_SIZE];

	return number(journal + AT_JOURNAL_PAGES) == 1 &&
	       pread(fd, page, sizeof(page),
		       (off_t)number(journal + AT_JOURNAL_SECTOR)) ==
		       (ssize_t)sizeof(page) &&
	       number(page) == 1 && number(page + 4 + AT_APPLICATION) == 0 &&
	       is_begun(page + 4);
}

/*
 * Whether a rollback journal of another program, with pages to restore, lies
 * beside the database at path. puts_back_begun() recognizes our own journals:
 * our database uses a journal only until it has a second page, and a log after
 * that.
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
	       number(header + AT_JOURNAL_PAGES) > 0 &&
	       !puts_back_begun(fd, header);
}

static int length_check(const char *path, const unsigned char *header,
	uint64_t size, struct apsp_err *err)
{
	uint64_t due = number(header + AT_PAGES) * page_size(header);

	if (number(header + AT_CHANGES) != number(header + AT_VALID_FOR) ||
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
	struct log_page log;
	uint32_t application;
	uint64_t size;
	int r;

	r = file_open(path, &fd, &size, err);
	if (r < 0)
		return r;
	*out = (struct apsp_database_header){0};
	if (size == 0) {
		/* treat an empty file beside a journal as foreign, because the
		   journal is perhaps all that is left of another program's
		   database, and SQLite would delete the journal */
		out->foreign = has_journal(path);
		return 0;
	}
	if (pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		memcmp(header, magic, sizeof(magic)) != 0)
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is not a database of apspd; move it away or "
			"choose another --state-dir",
			path);
	out->version = (int32_t)number(header + AT_VERSION);
	r = log_read(path, &log, err);
	if (r < 0)
		return r;
	out->has_log = log.has_log;
	application = number(header + AT_APPLICATION);
	out->foreign = application != APSP_APPLICATION_ID;
	if (!log.has_log && !out->foreign)
		return length_check(path, header, size, err);
	if (log.found)
		out->version = (int32_t)number(log.header + AT_VERSION);
	/* a database of ours may have our application id only in its log,
	   because its first commit has not been copied into the file yet */
	if (out->foreign && !has_journal(path))
		out->foreign = log.found
				       ? number(log.header + AT_APPLICATION) !=
						 APSP_APPLICATION_ID
				       : application || !is_begun(header);
	return 0;
}

void apsp_database_log_write_back(const char *path)
{
	int fd = log_open(path);

	if (fd < 0)
		return;
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	close(fd);
}
