/*
 * Memory that several processes of a host share; see host_memory.h. It is a
 * file without a name (memfd_create()), which other processes open through the
 * directory of descriptors in /proc.
 */
#include "compute/group/host_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

enum {
	HEAD = 4096, /* bytes before `bytes`; the key is there */
};

/* Map the file `fd`, and take ownership of `fd`. */
static void file_map(int fd, uint64_t size, struct apsp_host_memory *out)
{
	void *map = mmap(NULL, HEAD + size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_POPULATE, fd, 0);

	*out = (struct apsp_host_memory){.fd = fd};
	if (map == MAP_FAILED)
		return;
	out->map = map;
	out->map_size = HEAD + size;
	out->bytes = (uint8_t *)map + HEAD;
	out->size = size;
}

void apsp_host_memory_make(uint64_t size, struct apsp_host_memory *out,
	struct apsp_host_memory_name *out_name)
{
	int fd = memfd_create("apspd group", MFD_CLOEXEC);

	*out = (struct apsp_host_memory){.fd = fd};
	*out_name = (struct apsp_host_memory_name){.size = 0};
	if (fd < 0 || fallocate(fd, 0, 0, (off_t)(HEAD + size)) < 0 ||
		getrandom(out_name->key, sizeof(out_name->key), 0) !=
			sizeof(out_name->key))
		return;
	file_map(fd, size, out);
	if (!out->bytes)
		return;
	memcpy(out->map, out_name->key, sizeof(out_name->key));
	out_name->size = size;
	out_name->pid = getpid();
	out_name->fd = fd;
}

void apsp_host_memory_map(
	const struct apsp_host_memory_name *name, struct apsp_host_memory *out)
{
	char path[64];
	int fd;

	*out = (struct apsp_host_memory){.fd = -1};
	if (name->size == 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)name->pid,
		(int)name->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	/* on another host, or among the processes of another container, the
	   descriptor is of another file, which may be shorter */
	if (lseek(fd, 0, SEEK_END) == (off_t)(HEAD + name->size))
		file_map(fd, name->size, out);
	else
		close(fd);
	if (out->map && memcmp(out->map, name->key, sizeof(name->key)) != 0)
		apsp_host_memory_done(out);
}

void apsp_host_memory_done(struct apsp_host_memory *memory)
{
	if (memory->map)
		munmap(memory->map, memory->map_size);
	if (memory->fd >= 0)
		close(memory->fd);
	*memory = (struct apsp_host_memory){.fd = -1};
}
