/* Checks all blocks of all table files; see table_scrub.h. */
#include "storage/tables/table_scrub.h"

#include "daemon/base/clock.h"

enum {
	PAUSE_MS = 100,
	BLOCKS = 4, /* number of blocks that are checked after each pause; this
		       is 2.5 MiB/s, which is slow on purpose */
	PASS_MS = 60000, /* milliseconds between two passes over all files */
};

int apsp_table_scrub_block(struct apsp_tables *tables, struct apsp_err *err)
{
	uint64_t block;
	int r;

	r = apsp_tables_trust(tables, err);
	if (r < 0)
		return r;
	/* two threads can get the same block here; to check it twice does no
	   harm */
	block = atomic_load(&tables->scrub_next);
	if (block >= tables->n_blocks) {
		atomic_store(&tables->scrub_next, 1);
		return 0;
	}
	atomic_store(&tables->scrub_next, block + 1);
	r = apsp_tables_block_check(tables, block, err);
	return r < 0 ? r : 1;
}

int apsp_table_scrub_step(struct apsp_open_tables *all)
{
	int left = BLOCKS;

	if (all->n == 0)
		return -1;
	while (left > 0 && all->n_scrubbed < all->n) {
		struct apsp_tables *tables =
			all->entries[all->n_scrubbed].tables;

		if (tables && apsp_table_scrub_block(tables, NULL) > 0) {
			atomic_fetch_add(&all->scrub.n_blocks, 1);
			left--;
		} else {
			all->n_scrubbed++;
		}
	}
	if (left == 0)
		return PAUSE_MS;
	all->n_scrubbed = 0;
	atomic_store(&all->scrub.pass_ended_at_ms, apsp_clock_utc_ms());
	atomic_fetch_add(&all->scrub.n_passes, 1);
	return PASS_MS;
}
