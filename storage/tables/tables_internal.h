/*
 * The members of struct apsp_tables: the mapped file, the blocks that were
 * checked, and the mark of damage. For the files of this room only.
 */
#ifndef APSP_STORAGE_TABLES_TABLES_INTERNAL_H
#define APSP_STORAGE_TABLES_TABLES_INTERNAL_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/table_file.h"
#include "storage/tables/mapping.h"
#include "storage/tables/table_watch.h"

enum {
	APSP_TABLES_ID_SIZE = 33,
};

struct apsp_tables {
	atomic_uint n_refs;
	struct apsp_mapping mapping;
	struct apsp_table_header header; /* copied, then checked */
	const uint64_t *checksums;	 /* of the blocks, in the mapping */
	uint64_t n_blocks;
	/* Bit b: block b was checked and matched its checksum. */
	atomic_uint_least64_t *checked; /* owned */
	atomic_uint_least64_t scrub_next;
	atomic_bool damaged; /* and reported */
	struct apsp_tables_watch watch;
	char id[APSP_TABLES_ID_SIZE];
};

#endif
