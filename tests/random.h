/*
 * Numbers for tests: the same on every machine and in every run. Method:
 * Marsaglia's xorshift64*.
 */
#ifndef APSP_TESTS_RANDOM_H
#define APSP_TESTS_RANDOM_H

#include <stdint.h>

/* state must not be 0. */
static inline uint64_t random_u64(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_u64(state) >> 32) * limit >> 32);
}

/* 0 <= x < 1 */
static inline double random_unit(uint64_t *state)
{
	return (double)(random_u64(state) >> 11) * 0x1p-53;
}

#endif
