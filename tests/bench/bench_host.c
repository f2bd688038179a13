/*
 * Speed of the host's processors without OpenCL: the limit of what a solve on
 * the CPU can gain from more of them.
 *
 *	taskset -c 0-1 bench_host
 *	taskset -c 0-15 bench_host
 *
 * The program prints a line each for additions and minima in registers, and for
 * a minimum that each processor computes over and over in memory of its own:
 * 512 KiB, as for a tile; 3 MiB, as for the distances of a batch; 64 MiB, as
 * for a table. It prints the best of five runs, in billions of 16-bit additions
 * and minima per second and in GB/s.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "compute/parallel.h"
#include "tests/bench/timing.h"

enum {
	KIB = 1024,
	MIB = 1024 * KIB,
	TURNS = 5,
	CHAINS = 12, /* chains of dependent sums: more than latency times ports
		      */
	CHAIN_SUMS = 4000000,
	PASSES_BYTES = 1024 * MIB, /* that each processor reads */
};

#define NANO 1e-9

typedef int16_t lanes __attribute__((vector_size(16)));

struct host {
	size_t bytes; /* bytes of a processor; 0: registers */
	lanes *mine[APSP_PARALLEL_MAX];
};

static lanes least(lanes a, lanes b)
{
	lanes less = (lanes)(a < b);

	return (a & less) | (b & ~less);
}

static void in_registers(lanes *out)
{
	lanes chain[CHAINS], step = *out;

	for (int c = 0; c < CHAINS; c++)
		chain[c] = step + (int16_t)c;
	for (int i = 0; i < CHAIN_SUMS; i++)
		for (int c = 0; c < CHAINS; c++)
			chain[c] = least(chain[c] + step, chain[c]);
	for (int c = 0; c < CHAINS; c++)
		*out += chain[c];
}

static void in_memory(lanes *mine, size_t bytes)
{
	size_t n = bytes / sizeof(*mine);

	for (size_t pass = 0; pass < PASSES_BYTES / bytes; pass++) {
		lanes bound = (lanes){0} + (int16_t)(INT16_MAX - (int)pass);

		for (size_t i = 0; i < n; i++)
			mine[i] = least(mine[i], bound);
	}
}

static void one_share(void *ctx, unsigned int thread, size_t i)
{
	struct host *host = ctx;

	(void)thread;
	if (host->bytes == 0)
		in_registers(host->mine[i]);
	else
		in_memory(host->mine[i], host->bytes);
}

int main(void)
{
	static const size_t BYTES[] = {
		0, (size_t)512 * KIB, (size_t)3 * MIB, (size_t)64 * MIB};
	struct host host = {0};
	unsigned int n = apsp_parallel_processors();

	for (unsigned int i = 0; i < n; i++) {
		host.mine[i] = aligned_alloc(4 * KIB, (size_t)64 * MIB);
		if (!host.mine[i])
			return 1;
		memset(host.mine[i], INT8_MAX, (size_t)64 * MIB);
	}
	for (size_t b = 0; b < sizeof(BYTES) / sizeof(*BYTES); b++) {
		double best = 0,
		       done = b == 0 ? (double)CHAIN_SUMS * CHAINS *
					       sizeof(lanes) / sizeof(int16_t)
				     : 2.0 * PASSES_BYTES; /* read and written
							    */

		host.bytes = BYTES[b];
		for (int turn = 0; turn < TURNS; turn++) {
			double begun = bench_now_s(), rate;

			apsp_parallel_for(n, n, one_share, &host);
			rate = n * done / (bench_now_s() - begun) * NANO;
			best = rate > best ? rate : best;
		}
		printf("%2u processors, %6zu KiB each: %8.1f %s\n", n,
			BYTES[b] / KIB, best,
			b == 0 ? "G sums and minima/s" : "GB/s");
	}
	for (unsigned int i = 0; i < n; i++)
		free(host.mine[i]);
	return 0;
}
