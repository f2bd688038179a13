/*
 * Ranges of bytes of a table file; see table_bytes.h.
 */
#include "storage/tables/table_bytes.h"

#include "storage/tables/mapping.h"

enum {
	PAGE = 4096, /* size in bytes of the smallest page of any machine */
};

int apsp_table_bytes_touch(struct apsp_tables *tables, uint64_t begin,
	uint64_t end, struct apsp_err *err)
{
	int r = 0;

	if (end - begin > APSP_TABLE_BLOCK)
		apsp_mapping_fetch(&tables->mapping, begin, end - begin);
	for (uint64_t block = begin - begin % APSP_TABLE_BLOCK;
		block < end && r == 0; block += APSP_TABLE_BLOCK)
		r = apsp_tables_touch(tables, block, err);
	return r;
}

/* Call apsp_tables_touch() for each block that holds any of a section's bytes
   [at, at + size). */
static int section_touch(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&tables->header.sections[section];
	uint64_t begin = place->offset + at;

	if (at > place->size || size > place->size - at)
		return apsp_fail(err, APSP_EBUG,
			"bytes behind the end of a section were requested");
	return apsp_table_bytes_touch(tables, begin, begin + size, err);
}

/* Read one byte of each page, so that this thread of the pool waits for the
   disk. Later the thread of the connection sends the bytes, and need not wait
   then. */
static void pages_load(const unsigned char *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i += PAGE)
		(void)*(const volatile unsigned char *)(bytes + i);
}

int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err)
{
	int r = section_touch(tables, section, at, size, err);

	if (r < 0)
		return r;
	*out = tables->mapping.data + tables->header.sections[section].offset +
	       at;
	pages_load(*out, size);
	return 0;
}

int apsp_table_bytes_file(struct apsp_tables *tables, uint64_t at,
	uint64_t size, const unsigned char **out, struct apsp_err *err)
{
	uint64_t file_size = tables->mapping.size;
	uint64_t data_end = tables->header.data_end;
	uint64_t end = at + size;
	int r = 0;

	if (at > file_size || size > file_size - at)
		return apsp_fail(err, APSP_EBUG,
			"bytes behind the end of a table file were requested");
	if (at < APSP_TABLE_BLOCK || end > data_end)
		r = apsp_tables_frame_check(tables, err);
	if (r == 0 && at < data_end)
		r = apsp_table_bytes_touch(
			tables, at, end < data_end ? end : data_end, err);
	if (r < 0)
		return r;
	*out = tables->mapping.data + at;
	pages_load(*out, size);
	return 0;
}

int apsp_table_bytes_section(struct apsp_tables *tables,
	enum apsp_section section, const void **out, struct apsp_err *err)
{
	const unsigned char *bytes = NULL;
	int r = apsp_table_bytes_get(tables, section, 0,
		tables->header.sections[section].size, &bytes, err);

	*out = bytes;
	return r;
}
