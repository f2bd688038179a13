/*
 * SQLite's log (sqlite.org/fileformat2.html, section 4); see database_log.h.
 *
 *	header  32: magic, format, page size, -, salts (8), checksum (8)
 *	frame   24: page number, pages after commit (0: none), salts (8),
 *	            checksum (8); then the page
 */
#include "storage/database/database_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	HEADER_SIZE = 32,
	FRAME_SIZE = 24,
	AT_PAGE_SIZE = 8,
	AT_SALTS = 16,
	AT_SUM = 24,
	AT_COMMIT = 4,
	AT_FRAME_SALTS = 8,
	AT_FRAME_SUM = 16,
	SALTS_SIZE = 8,
	PAGE_MAX = 65536,
};

#define MAGIC 0x377f0682u /* plus 1: the checksums are of big-endian words */

struct log {
	int fd;
	unsigned char header[HEADER_SIZE];
	unsigned char frame[FRAME_SIZE + PAGE_MAX];
	uint32_t page_size;
	uint32_t sums[2];
};

static uint32_t word(const struct log *log, const unsigned char *bytes)
{
	return apsp_database_number(log->header) & 1
		       ? apsp_database_number(bytes)
		       : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
				 (uint32_t)bytes[1] << 8 | bytes[0];
}

/* Add bytes to the log's checksum. size is a multiple of 8. */
static void sums_add(struct log *log, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 8) {
		log->sums[0] += word(log, bytes + i) + log->sums[1];
		log->sums[1] += word(log, bytes + i + 4) + log->sums[0];
	}
}

static bool sums_equal(const struct log *log, const unsigned char *bytes)
{
	return apsp_database_number(bytes) == log->sums[0] &&
	       apsp_database_number(bytes + 4) == log->sums[1];
}

/* Read the header and check it. */
static bool header_take(struct log *log)
{
	if (pread(log->fd, log->header, HEADER_SIZE, 0) != HEADER_SIZE ||
		(apsp_database_number(log->header) & ~1u) != MAGIC)
		return false;
	log->page_size = apsp_database_number(log->header + AT_PAGE_SIZE);
	if (log->page_size < 512 || log->page_size > PAGE_MAX ||
		log->page_size & (log->page_size - 1))
		return false;
	sums_add(log, log->header, AT_SUM);
	return sums_equal(log, log->header + AT_SUM);
}

/* Read frame i and check it. False: the log ends before it. */
static bool frame_take(struct log *log, uint64_t i)
{
	const size_t size = FRAME_SIZE + log->page_size;

	if (pread(log->fd, log->frame, size, (off_t)(HEADER_SIZE + i * size)) !=
			(ssize_t)size ||
		memcmp(log->frame + AT_FRAME_SALTS, log->header + AT_SALTS,
			SALTS_SIZE) != 0)
		return false;
	sums_add(log, log->frame, AT_FRAME_SALTS);
	sums_add(log, log->frame + FRAME_SIZE, log->page_size);
	return sums_equal(log, log->frame + AT_FRAME_SUM);
}

static void frames_read(struct log *log, struct apsp_database_log *out)
{
	/* counts once a commit frame follows */
	struct apsp_database_log open = *out;

	for (uint64_t i = 0; frame_take(log, i); i++) {
		if (apsp_database_number(log->frame) == 1) {
			open.told = true;
			memcpy(open.header, log->frame + FRAME_SIZE,
				sizeof(open.header));
		}
		if (apsp_database_number(log->frame + AT_COMMIT))
			*out = open;
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

int apsp_database_log_read(
	const char *path, struct apsp_database_log *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	APSP_AUTO(apsp_free) struct log *log = NULL;
	struct stat st;

	*out = (struct apsp_database_log){0};
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
	out->there = st.st_size > 0;
	if (header_take(log))
		frames_read(log, out);
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
