/*
 * Ids of requests: a counter, scrambled so that neighbours look different.
 */
#include "api/connection/request_id.h"

#include <stdint.h>
#include <sys/random.h>

#include "daemon/base/clock.h"

void apsp_request_ids_init(struct apsp_request_ids *ids)
{
	uint64_t seed = 0;

	/* a poor seed does no harm */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uint64_t)apsp_clock_ns();
	atomic_store(&ids->next, seed);
}

/* 64 bits to 64 bits, one to one (Steele, Lea & Flood 2014, SplitMix). */
static uint64_t scramble(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

void apsp_request_id_next(
	struct apsp_request_ids *ids, char out[APSP_REQUEST_ID_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	uint64_t id = scramble(atomic_fetch_add(&ids->next, 1));

	for (int i = 0; i < APSP_REQUEST_ID_SIZE - 1; i++, id >>= 4)
		out[i] = digits[id & 15];
	out[APSP_REQUEST_ID_SIZE - 1] = '\0';
}
