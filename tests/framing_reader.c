/*
 * For fuzz_framing.py: reads samples from stdin, each a 32-bit size and as many
 * bytes, and prints what the framing makes of each in one line: its code, the
 * requests that are whole, and a hash of all bodies and where they end.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/connection/framing.h"

enum {
	SAMPLE_MAX = 1 << 16,
};

/* FNV-1a over a body's bytes, and 0x1ff where a request ends. */
static uint64_t hash_add(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 1099511628211u;
}

static void read_sample(const char *bytes, uint32_t size)
{
	uint64_t hash = 14695981039346656037u;
	struct apsp_framing framing;
	int r = 0;

	apsp_framing_init(&framing);
	for (uint32_t i = 0; i < size && r == 0; i++) {
		bool in_body = framing.left > 0;
		size_t whole;

		r = apsp_framing_read(&framing, bytes + i, 1, &whole, NULL);
		if (in_body)
			hash = hash_add(hash, (unsigned char)bytes[i]);
		if (whole > 0)
			hash = hash_add(hash, 0x1ff);
	}
	printf("%d %" PRIu64 " %016" PRIx64 "\n", r, framing.n_requests, hash);
}

int main(void)
{
	static char bytes[SAMPLE_MAX];
	uint32_t size;

	while (fread(&size, sizeof(size), 1, stdin) == 1) {
		if (size > SAMPLE_MAX || fread(bytes, 1, size, stdin) != size)
			return 1;
		read_sample(bytes, size);
	}
	return 0;
}
