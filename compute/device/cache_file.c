/*
 * Reading and writing files that begin with their key; see cache_file.h.
 */
#include "compute/device/cache_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"

/* A file consists of this header, the key and the stored bytes. */
struct cache_header {
	char magic[8];
	uint64_t key_size;
	uint64_t size;
	uint64_t checksum; /* checksum of the stored bytes */
};

#define CACHE_MAGIC "apspcl1\n"

unsigned char *apsp_cache_file_load(
	const char *path, const char *key, size_t *out_size)
{
	APSP_AUTO(apsp_free) unsigned char *bytes = NULL;
	APSP_AUTO(apsp_free) char *found = NULL;
	APSP_AUTO(apsp_close) int fd = -1;
	struct cache_header header;
	size_t key_size = strlen(key);

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &header, sizeof(header)) != sizeof(header) ||
		memcmp(header.magic, CACHE_MAGIC, sizeof(header.magic)) != 0 ||
		header.key_size != key_size || header.size == 0 ||
		header.size > APSP_CACHE_FILE_MAX)
		return NULL;
	found = malloc(key_size);
	bytes = malloc(header.size);
	if (!found || !bytes ||
		read(fd, found, key_size) != (ssize_t)key_size ||
		memcmp(found, key, key_size) != 0 ||
		read(fd, bytes, header.size) != (ssize_t)header.size ||
		apsp_checksum(bytes, header.size) != header.checksum)
		return NULL;
	*out_size = header.size;
	return APSP_TAKE(bytes);
}

void apsp_cache_file_save(const char *path, const char *key,
	const unsigned char *bytes, size_t size)
{
	struct cache_header header = {
		.magic = CACHE_MAGIC,
		.key_size = strlen(key),
		.size = size,
		.checksum = apsp_checksum(bytes, size),
	};
	APSP_AUTO(apsp_free) char *temporary = NULL;
	APSP_AUTO(apsp_close) int fd = -1;
	bool whole;

	if (asprintf(&temporary, "%s.%d", path, (int)getpid()) < 0) {
		temporary = NULL;
		return;
	}
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	whole = write(fd, &header, sizeof(header)) == sizeof(header) &&
		write(fd, key, header.key_size) == (ssize_t)header.key_size &&
		write(fd, bytes, size) == (ssize_t)size;
	if (!whole || rename(temporary, path) < 0)
		unlink(temporary);
}
