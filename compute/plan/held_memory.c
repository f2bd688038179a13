/*
 * A solver's memory between jobs; see held_memory.h.
 */
#include "compute/plan/held_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/plan/footprint.h"

uint64_t apsp_held_memory_kept(const struct apsp_held_memory *held)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < held->n_buffers; i++)
		bytes = apsp_bytes_add(bytes, held->buffers[i]);
	return bytes;
}

bool apsp_held_memory_take(struct apsp_held_memory *held, uint64_t size)
{
	size_t i = 0;

	while (i < held->n_buffers && held->buffers[i] < size)
		i++;
	if (i == held->n_buffers)
		return false;
	held->n_buffers--;
	for (; i < held->n_buffers; i++)
		held->buffers[i] = held->buffers[i + 1];
	return true;
}

void apsp_held_memory_format(const struct apsp_held_memory *held,
	char out[APSP_HELD_MEMORY_TEXT_SIZE])
{
	size_t used = (size_t)snprintf(
		out, APSP_HELD_MEMORY_TEXT_SIZE, "%" PRIu64, held->own_bytes);

	for (size_t i = 0; i < held->n_buffers; i++)
		used += (size_t)snprintf(out + used,
			APSP_HELD_MEMORY_TEXT_SIZE - used, " %" PRIu64,
			held->buffers[i]);
}

/* Read a number, and move *text past it. */
static bool number_read(const char **text, uint64_t *out)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*out = strtoull(*text, &end, 10);
	*text = end;
	return true;
}

bool apsp_held_memory_parse(const char *text, struct apsp_held_memory *out)
{
	struct apsp_held_memory held = {0};

	if (!number_read(&text, &held.own_bytes))
		return false;
	while (*text == ' ' && held.n_buffers < APSP_HELD_BUFFERS_MAX) {
		text++;
		if (!number_read(&text, &held.buffers[held.n_buffers++]))
			return false;
	}
	if (*text)
		return false;
	*out = held;
	return true;
}
