/*
 * Checks table files for silent damage; see scrub.h.
 */
#include "storage/tables/scrub.h"

#include "daemon/base/clock.h"

enum {
	PAUSE_MS = 100,
	BLOCKS = 4, /* number of blocks that are checked after each pause; this
		       is 2.5 MiB/s, which is slow on purpose */
	PASS_MS = 60000, /* milliseconds between two passes over all files */
};

int apsp_scrub_run(struct apsp_open_tables *all)
{
	int left = BLOCKS;

	if (all->n == 0)
		return -1;
	while (left > 0 && all->scrub.n_checked < all->n) {
		struct apsp_tables *tables =
			all->entries[all->scrub.n_checked].tables;

		if (tables && apsp_tables_scrub(tables, NULL) > 0) {
			atomic_fetch_add(&all->scrub.n_blocks, 1);
			left--;
		} else {
			all->scrub.n_checked++;
		}
	}
	if (left == 0)
		return PAUSE_MS;
	all->scrub.n_checked = 0;
	atomic_store(&all->scrub.pass_ended_at_ms, apsp_clock_utc_ms());
	atomic_fetch_add(&all->scrub.n_passes, 1);
	return PASS_MS;
}
