/*
 * Compares blocks with their checksums, and keeps the mark of damage; see
 * table_verify.h.
 */
#include "storage/tables/table_verify.h"

#include <inttypes.h>
#include <stdio.h>

int apsp_table_verify_condemn(
	struct apsp_tables *tables, const char *what, struct apsp_err *err)
{
	if (!atomic_exchange(&tables->damaged, true) && tables->watch.damaged)
		tables->watch.damaged(tables->watch.ctx);
	return apsp_fail(
		err, APSP_EDAMAGED, "the tables are damaged: %s", what);
}

int apsp_table_verify_trust(struct apsp_tables *tables, struct apsp_err *err)
{
	/* the caller's reads of the mapping must be complete before the mark of
	   damage is read */
	atomic_thread_fence(memory_order_acquire);
	if (apsp_mapping_damaged(&tables->mapping))
		return apsp_table_verify_condemn(tables,
			"their file was cut short or cannot be read", err);
	if (atomic_load_explicit(&tables->damaged, memory_order_relaxed))
		return apsp_table_verify_condemn(
			tables, "their file is not what was written", err);
	return 0;
}

bool apsp_table_verify_damaged(const struct apsp_tables *tables)
{
	return atomic_load(&tables->damaged) ||
	       apsp_mapping_damaged(&tables->mapping);
}

static bool is_checked(const struct apsp_tables *tables, uint64_t block)
{
	return atomic_load_explicit(
		       &tables->checked[block / 64], memory_order_relaxed) >>
		       (block % 64) &
	       1;
}

static int block_check(
	struct apsp_tables *tables, uint64_t block, struct apsp_err *err)
{
	const unsigned char *data =
		tables->mapping.data + block * APSP_TABLE_BLOCK;
	char what[64];

	if (apsp_checksum(data, APSP_TABLE_BLOCK) != tables->checksums[block]) {
		snprintf(what, sizeof(what),
			"block %" PRIu64 " of their file has changed", block);
		return apsp_table_verify_condemn(tables, what, err);
	}
	atomic_fetch_or_explicit(&tables->checked[block / 64],
		UINT64_C(1) << block % 64, memory_order_relaxed);
	/* a fault may have put zeros in place of the block, and their checksum
	   may match */
	return apsp_table_verify_trust(tables, err);
}

int apsp_table_verify_touch(
	struct apsp_tables *tables, uint64_t offset, struct apsp_err *err)
{
	uint64_t block = offset / APSP_TABLE_BLOCK;
	int r;

	/* do not read a damaged mapping: each further fault would map one more
	   page of zeros */
	r = apsp_table_verify_trust(tables, err);
	if (r < 0 || is_checked(tables, block))
		return r;
	return block_check(tables, block, err);
}

int apsp_table_verify_next(struct apsp_tables *tables, struct apsp_err *err)
{
	uint64_t block;
	int r;

	r = apsp_table_verify_trust(tables, err);
	if (r < 0)
		return r;
	/* two threads may check the same block, which does no harm */
	block = atomic_load(&tables->scrub_next);
	if (block >= tables->n_blocks) {
		atomic_store(&tables->scrub_next, 1);
		return 0;
	}
	atomic_store(&tables->scrub_next, block + 1);
	r = block_check(tables, block, err);
	return r < 0 ? r : 1;
}
