/*
 * The order and pace of the scrub; see table_scrub.h.
 */
#include "storage/tables/table_scrub.h"

#include <stdbool.h>

#include "daemon/base/clock.h"
#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

enum {
	PAUSE_MS = 100,
	PAUSE_BLOCKS = 4, /* in each pause; so 2.5 MiB/s, slow on purpose */
	ROUND_MS = 60000, /* between two passes over all files */
};

int apsp_table_scrub_next(struct apsp_tables *tables, struct apsp_err *err)
{
	uint64_t block;
	int r;

	r = apsp_table_verify_trust(tables, err);
	if (r < 0)
		return r;
	/* two threads may check one block twice, which does no harm */
	block = atomic_load(&tables->scrub_next);
	if (block >= tables->n_blocks) {
		atomic_store(&tables->scrub_next, 1);
		return 0;
	}
	atomic_store(&tables->scrub_next, block + 1);
	r = apsp_table_verify_block(tables, block, err);
	return r < 0 ? r : 1;
}

/* Check the next n_blocks blocks. False: the pass over all files ended
   first. */
static bool blocks_check(struct apsp_open_tables *all, int n_blocks)
{
	while (n_blocks > 0 && all->n_scrubbed < all->n) {
		struct apsp_tables *tables =
			all->entries[all->n_scrubbed].tables;

		if (tables && apsp_table_scrub_next(tables, NULL) > 0) {
			atomic_fetch_add(&all->scrub.n_blocks, 1);
			n_blocks--;
		} else {
			all->n_scrubbed++;
		}
	}
	return n_blocks == 0;
}

int apsp_table_scrub_run(struct apsp_open_tables *all)
{
	if (all->n == 0)
		return -1;
	if (blocks_check(all, PAUSE_BLOCKS))
		return PAUSE_MS;
	all->n_scrubbed = 0;
	atomic_store(&all->scrub.pass_ended_at_ms, apsp_clock_utc_ms());
	atomic_fetch_add(&all->scrub.n_passes, 1);
	return ROUND_MS;
}
