/*
 * A section's bytes; see table_bytes.h.
 */
#include "storage/tables/table_bytes.h"

#include <string.h>

#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

enum {
	PAGE = 4096, /* the smallest that there is */
};

static const unsigned char *bytes_at(const struct apsp_tables *tables,
	enum apsp_section section, uint64_t at)
{
	return tables->mapping.data + tables->header.sections[section].offset +
	       at;
}

/* Check the blocks that hold the bytes. */
static int touch(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&tables->header.sections[section];
	uint64_t begin = place->offset + at, end = begin + size;
	int r = 0;

	if (at > place->size || size > place->size - at)
		return apsp_fail(err, APSP_EBUG,
			"bytes behind the end of a section are asked for");
	for (uint64_t block = begin - begin % APSP_TABLE_BLOCK;
		block < end && r == 0; block += APSP_TABLE_BLOCK)
		r = apsp_table_verify_touch(tables, block, err);
	return r;
}

int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err)
{
	int r = touch(tables, section, at, size, err);

	if (r < 0)
		return r;
	*out = bytes_at(tables, section, at);
	/* page faults happen here, on the pool, so that no connection's
	   thread waits for the disk */
	for (uint64_t i = 0; i < size; i += PAGE)
		(void)*(const volatile unsigned char *)(*out + i);
	return 0;
}

int apsp_table_bytes_copy(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, void *out, struct apsp_err *err)
{
	int r = touch(tables, section, at, size, err);

	if (r < 0)
		return r;
	memcpy(out, bytes_at(tables, section, at), size);
	return apsp_table_bytes_trust(tables, err);
}

int apsp_table_bytes_trust(struct apsp_tables *tables, struct apsp_err *err)
{
	/* the copy must be complete before the mark of damage is read */
	atomic_thread_fence(memory_order_acquire);
	return apsp_table_verify_trust(tables, err);
}
