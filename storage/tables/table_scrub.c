/*
 * Which block is checked next, and how fast; see table_scrub.h.
 */
#include "storage/tables/table_scrub.h"

#include <stdbool.h>

#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

enum {
	PAUSE_MS = 100,
	PAUSE_BLOCKS = 4, /* in each pause: 2.5 MiB/s, slow on purpose */
	ROUND_MS = 60000, /* between two rounds over all files */
};

int apsp_table_scrub_next(struct apsp_tables *tables, struct apsp_err *err)
{
	uint64_t block;
	int r;

	r = apsp_table_verify_trust(tables, err);
	if (r < 0)
		return r;
	/* two threads that scrub may check one block twice: harmless */
	block = atomic_load(&tables->scrub_next);
	if (block >= tables->n_blocks) {
		atomic_store(&tables->scrub_next, 1);
		return 0;
	}
	atomic_store(&tables->scrub_next, block + 1);
	r = apsp_table_verify_block(tables, block, err);
	return r < 0 ? r : 1;
}

/* False: the round over all files ended before that many blocks. */
static bool blocks_check(struct apsp_open_tables *all, int n_blocks)
{
	size_t n_ended = 0;

	while (n_blocks > 0 && n_ended < all->n) {
		size_t i = all->scrubbing % all->n;
		struct apsp_tables *tables = all->entries[i].tables;

		if (tables && apsp_table_scrub_next(tables, NULL) > 0) {
			n_blocks--;
			continue;
		}
		all->scrubbing = i + 1;
		n_ended++;
	}
	return n_blocks == 0;
}

int apsp_table_scrub_run(struct apsp_open_tables *all)
{
	if (blocks_check(all, PAUSE_BLOCKS))
		return PAUSE_MS;
	return all->n > 0 ? ROUND_MS : -1;
}
