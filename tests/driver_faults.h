/*
 * The faults of corrupting_driver.c. APSP_FAULTS lists one fault for each solve
 * of the process, as "KIND N;KIND N;…": KIND is a name below, and N is the
 * number of one of its calls, counted from 0 since driver_faults_next(). When
 * the process ends, the file APSP_FAULT_COUNTS gets a line "KIND CALLS" for
 * each kind, with the calls of the last solve.
 *
 * These kinds change one byte, which depends on N:
 *
 *	read     of what the n-th clEnqueueReadBuffer or ReadBufferRect returns
 *	write    of what the n-th clEnqueueWriteBuffer writes
 *	copy     of what the n-th clEnqueueCopyBuffer copies
 *	map      of what the n-th mapping for reading holds
 *	unmap    of what is written through the n-th other mapping
 *	make     of what the n-th buffer that is made from data holds
 *	kernel   of a buffer of the n-th launched kernel, once it has ended; the
 *	         buffer depends on N, too
 *	pwrite   of what the n-th pwrite() of 64 bytes or more writes
 *	mapped   of what the n-th memcpy() of 64 bytes or more copies to a file
 *
 * These kinds last:
 *
 *	stuck    one of the words that the n-th launched kernel changes in its
 *	         buffers keeps its old value, whatever kernels store there
 *	stale    from the n-th clEnqueueReadBuffer on, each one of a few bytes
 *	         returns what the first one of its place returned
 *	set      a bit of the last byte is 1 in what the n-th read of at most
 *	         64 bytes returns, and in each later read of its place
 */
#ifndef APSP_TESTS_DRIVER_FAULTS_H
#define APSP_TESTS_DRIVER_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum driver_fault {
	FAULT_READ,
	FAULT_WRITE,
	FAULT_COPY,
	FAULT_MAP,
	FAULT_UNMAP,
	FAULT_MAKE,
	FAULT_KERNEL,
	FAULT_PWRITE,
	FAULT_MAPPED,
	FAULT_STUCK,
	FAULT_STALE,
	FAULT_SET,
	N_DRIVER_FAULTS
};

/* Begin the next solve. No call of an earlier solve may be under way. */
void driver_faults_next(void);

/* Count a call. Store its number, and whether it is to be changed. */
void driver_faults_count(enum driver_fault kind, long *out_n, bool *out_hit);

/* The position in size elements that call n changes. */
size_t driver_faults_place(long n, size_t size);

/* Change a bit of the byte that call n changes. */
void driver_faults_flip(void *bytes, size_t size, long n);

#endif
