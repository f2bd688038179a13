/*
 * How much memory the host has left.
 */
#ifndef APSP_COMPUTE_HOST_MEMORY_H
#define APSP_COMPUTE_HOST_MEMORY_H

#include <stdint.h>

#include "daemon/base/err.h"

/* Bytes that can be had without swapping, by the kernel's own estimate
 * (MemAvailable); UINT64_MAX where it does not tell. */
uint64_t apsp_host_memory_available(void);

/*
 * Whether `need` bytes can be had for n_vertices' matrix. APSP_ELIMIT: they
 * cannot; the message has both sizes.
 */
int apsp_host_memory_fits(
	uint64_t need, uint32_t n_vertices, struct apsp_err *err);

#endif
