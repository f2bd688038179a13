/*
 * Sets of numbers as words of 64 bits: the set has the number i if bit i % 64
 * of word i / 64 is 1.
 */
#ifndef APSP_DAEMON_BASE_BIT_SET_H
#define APSP_DAEMON_BASE_BIT_SET_H

#include <stdbool.h>
#include <stdint.h>

static inline bool apsp_bit_set_has(const uint64_t *set, uint64_t i)
{
	return set[i / 64] >> i % 64 & 1;
}

static inline void apsp_bit_set_add(uint64_t *set, uint64_t i)
{
	set[i / 64] |= UINT64_C(1) << i % 64;
}

#endif
