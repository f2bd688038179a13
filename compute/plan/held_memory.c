/*
 * Describes a solver's memory between jobs; see held_memory.h.
 */
#include "compute/plan/held_memory.h"

#include <inttypes.h>

#include "daemon/base/fields.h"

uint64_t apsp_held_memory_kept(const struct apsp_held_memory *held)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < held->n_buffers; i++)
		bytes += held->buffers[i];
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
	out[0] = '\0';
	apsp_fields_add(out, APSP_HELD_MEMORY_TEXT_SIZE, "own", "%" PRIu64,
		held->own_bytes);
	for (size_t i = 0; i < held->n_buffers; i++)
		apsp_fields_add(out, APSP_HELD_MEMORY_TEXT_SIZE, "buffer",
			"%" PRIu64, held->buffers[i]);
}

bool apsp_held_memory_parse(const char *text, struct apsp_held_memory *out)
{
	static const struct apsp_member own =
		APSP_MEMBER(struct apsp_held_memory, own_bytes, "own", U64);
	static const struct apsp_member buffer = {
		.name = "buffer", .type = APSP_MEMBER_U64};
	struct apsp_held_memory held = {0};
	char name[APSP_FIELD_NAME_SIZE], value[24];

	if (apsp_fields_read(text, &own, 1, &held) != 1)
		return false;
	/* all fields after the first are buffers */
	while (apsp_fields_next(&text, name, value, sizeof(value)) && *text)
		if (held.n_buffers == APSP_HELD_BUFFERS_MAX ||
			apsp_fields_read(text, &buffer, 1,
				&held.buffers[held.n_buffers++]) != 1)
			return false;
	*out = held;
	return true;
}
