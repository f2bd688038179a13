/*
 * Read-only mappings of files. A file may be truncated while it is read, or its
 * disk may fail (storage/tables/README.md, Tables are files).
 *
 * A fault (SIGBUS) inside a registered mapping does not end the process: our
 * handler marks the mapping as damaged and maps a page of zeros at the address,
 * and the read continues. Our handler passes any other fault to the handler
 * that was installed before. If there is none, the fault ends the process.
 *
 * A thread that reads a mapping must not block SIGBUS: the kernel ends a
 * process that faults while SIGBUS is blocked.
 */
#ifndef APSP_STORAGE_TABLES_MAPPING_H
#define APSP_STORAGE_TABLES_MAPPING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"

enum {
	/* The largest number of mappings at a time. It is well below
	   vm.max_map_count, which is 65530 by default. */
	APSP_MAPPINGS_MAX = 16384,
};

/* Callers must not change the members. `data` is NULL if nothing is mapped. */
struct apsp_mapping {
	const unsigned char *data;
	size_t size;
	const atomic_bool *damaged; /* borrowed from the registry */
	size_t slot;
};

/*
 * Map the first `size` bytes of the file `fd`. The descriptor may be closed
 * afterwards. The caller ends *out with apsp_mapping_close() after all threads
 * have finished reading the mapping. The first call in a process installs the
 * handler. APSP_ENOMEM: there are too many mappings. APSP_EIO: the file cannot
 * be mapped.
 */
int apsp_mapping_open(
	int fd, size_t size, struct apsp_mapping *out, struct apsp_err *err);

/* Unmap the file. Accepts an empty mapping. */
void apsp_mapping_close(struct apsp_mapping *mapping);

/*
 * Ask the kernel to read `size` bytes from byte `at` on, with one request to
 * the disk. Without this call, the kernel makes one request for each page, when
 * a thread first reads from the page (MADV_RANDOM). The call does not wait for
 * the disk, and it does nothing if the kernel refuses.
 */
void apsp_mapping_fetch(
	const struct apsp_mapping *mapping, size_t at, size_t size);

/*
 * Whether a read of the mapping may have returned zeros instead of data, in any
 * thread. To know that its data is right, a caller reads with __ATOMIC_ACQUIRE
 * and calls this function afterwards.
 */
static inline bool apsp_mapping_damaged(const struct apsp_mapping *mapping)
{
	return atomic_load_explicit(mapping->damaged, memory_order_acquire);
}

#endif
