/*
 * Faults of a driver; see driver_faults.h.
 */
#include "tests/driver_faults.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[N_DRIVER_FAULTS] = {"read", "write", "copy",
	"map", "unmap", "make", "kernel", "pwrite", "mapped", "stuck", "stale",
	"set"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls[N_DRIVER_FAULTS];
static const char *fault;  /* of this solve, within faults */
static const char *faults; /* of the solves to come */

void driver_faults_next(void)
{
	pthread_mutex_lock(&lock);
	if (!faults)
		faults = getenv("APSP_FAULTS");
	fault = faults;
	if (faults)
		faults += strcspn(faults, ";");
	if (faults && *faults)
		faults++;
	memset(calls, 0, sizeof(calls));
	pthread_mutex_unlock(&lock);
}

void driver_faults_count(enum driver_fault kind, long *out_n, bool *out_hit)
{
	size_t size = strlen(names[kind]);

	pthread_mutex_lock(&lock);
	*out_n = calls[kind]++;
	*out_hit = fault && strncmp(fault, names[kind], size) == 0 &&
		   fault[size] == ' ' &&
		   strtol(fault + size, NULL, 10) == *out_n;
	pthread_mutex_unlock(&lock);
}

size_t driver_faults_place(long n, size_t size)
{
	uint64_t x = (uint64_t)(n + 1) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)((x ^ x >> 29) % size);
}

void driver_faults_flip(void *bytes, size_t size, long n)
{
	if (size > 0)
		((unsigned char *)bytes)[driver_faults_place(n, size)] ^=
			1 << n % 7;
}

__attribute__((destructor)) static void counts_write(void)
{
	const char *path = getenv("APSP_FAULT_COUNTS");
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	for (int k = 0; k < N_DRIVER_FAULTS; k++)
		fprintf(file, "%s %ld\n", names[k], calls[k]);
	fclose(file);
}
