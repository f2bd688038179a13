/*
 * Read-only mappings of files that may be cut or fail while they are read
 * (design.md, decision 2).
 *
 * A fault (SIGBUS) inside a registered mapping does not end the process: the
 * one handler marks the mapping damaged, then maps a page of zeros there, and
 * the read goes on. Any other fault goes to the handler that was there before,
 * or ends the process as it would have.
 *
 * A thread that reads a mapping must not block SIGBUS: the kernel ends a
 * process that faults with it blocked.
 */
#ifndef APSP_STORAGE_MAPPING_H
#define APSP_STORAGE_MAPPING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"

enum {
	/* Well below vm.max_map_count, 65530 unless someone changed it. */
	APSP_MAPPINGS_MAX = 16384,
};

/* Members are read only; empty while data is NULL. */
struct apsp_mapping {
	const unsigned char *data;
	size_t size;
	const atomic_bool *damaged; /* the registry's */
	size_t slot;
};

/*
 * Map the first size bytes of fd, which may be closed afterwards. The caller
 * ends *out with apsp_mapping_close() when no thread reads it any more. The
 * first call of the process installs the handler. APSP_ENOMEM: too many
 * mappings; APSP_EIO.
 */
int apsp_mapping_open(
	int fd, size_t size, struct apsp_mapping *out, struct apsp_err *err);

/* Unmap. Accepts an empty one. */
void apsp_mapping_close(struct apsp_mapping *mapping);

/*
 * Whether any read of the mapping, by any thread, may have seen zeros in the
 * place of data. Asked after reading with __ATOMIC_ACQUIRE: what was read
 * before the answer "no" is what the file held.
 */
static inline bool apsp_mapping_damaged(const struct apsp_mapping *mapping)
{
	return atomic_load_explicit(mapping->damaged, memory_order_acquire);
}

#endif
