/*
 * Memory that several processes of a host share. It needs no file system: it
 * lasts until the last process has released it or has ended, however the
 * process ends.
 */
#ifndef APSP_COMPUTE_GROUP_HOST_MEMORY_H
#define APSP_COMPUTE_GROUP_HOST_MEMORY_H

#include <stdint.h>

/* The data by which another process finds and maps the memory. */
struct apsp_host_memory_name {
	uint64_t size; /* bytes; 0: there is no memory */
	/* random bytes that are also the first bytes of the memory */
	uint64_t key[2];
	int32_t pid; /* the process that has made the memory */
	int32_t fd;  /* its file descriptor there */
};

struct apsp_host_memory {
	int fd; /* -1 in a process that has not made the memory */
	void *map;
	uint64_t map_size;
	uint8_t *bytes; /* NULL: there is no memory */
	uint64_t size;
};

/*
 * Make memory of `size` bytes. Their contents are undefined. The system has
 * reserved the memory when this function returns. If it has no room, *out is
 * empty, and *out_name has the size 0. The caller ends *out with
 * apsp_host_memory_done().
 */
void apsp_host_memory_make(uint64_t size, struct apsp_host_memory *out,
	struct apsp_host_memory_name *out_name);

/*
 * Map the memory that another process has made and has not yet released. If
 * this process may not map it, or if it is on another host, *out is empty. The
 * caller ends *out with apsp_host_memory_done().
 */
void apsp_host_memory_map(
	const struct apsp_host_memory_name *name, struct apsp_host_memory *out);

/* Release the memory in this process. Accepts an empty struct. */
void apsp_host_memory_done(struct apsp_host_memory *memory);

#endif
