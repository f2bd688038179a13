/*
 * A section's bytes; see table_bytes.h.
 */
#include "storage/tables/table_bytes.h"

#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

enum {
	PAGE = 4096, /* the smallest that there is */
};

/* A fault on the pool spares the connection's thread a wait for the disk. */
static void read_in(const unsigned char *data, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += PAGE)
		(void)*(const volatile unsigned char *)(data + at);
}

int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err)
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
	if (r < 0)
		return r;
	read_in(tables->mapping.data + begin, size);
	*out = tables->mapping.data + begin;
	return 0;
}

int apsp_table_bytes_trust(struct apsp_tables *tables, struct apsp_err *err)
{
	/* the copy comes first */
	atomic_thread_fence(memory_order_acquire);
	return apsp_table_verify_trust(tables, err);
}
