/*
 * FNV-1a in eight interleaved lanes, each of which hashes every eighth word;
 * see checksum.h.
 */
#include "daemon/base/checksum.h"

#include <string.h>

enum {
	LANES = 8,
	TURN = 29,
};

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/*
 * Mix a word into the hash of a lane, and return the new hash: multiply, then
 * rotate. The rotation moves the top bits of the product down: without the
 * rotation, two flipped sign bits in one lane would cancel.
 */
static inline uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * FNV_PRIME;
	return hash << TURN | hash >> (64 - TURN);
}

static inline uint64_t word_at(const unsigned char *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	return word;
}

uint64_t apsp_checksum(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t lanes[LANES];
	uint64_t hash = FNV_BASIS;
	size_t at = 0;

	for (size_t k = 0; k < LANES; k++)
		lanes[k] = FNV_BASIS + k;
	for (; size - at >= LANES * 8; at += LANES * 8)
		for (size_t k = 0; k < LANES; k++)
			lanes[k] =
				mix(lanes[k], word_at(bytes + at + k * 8, 8));
	for (size_t k = 0; at < size; k++) {
		size_t left = size - at < 8 ? size - at : 8;

		lanes[k] = mix(lanes[k], word_at(bytes + at, left));
		at += left;
	}
	hash = mix(hash, size);
	for (size_t k = 0; k < LANES; k++)
		hash = mix(hash, lanes[k]);
	hash = (hash ^ hash >> 32) * FNV_PRIME;
	return hash ^ hash >> 32;
}
