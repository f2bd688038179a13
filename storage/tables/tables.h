/*
 * The tables of one (revision, profile hash): a table file that is mapped
 * read-only, counted and shared by threads (storage/tables/README.md, Tables
 * are files). lookup.h, row_reader.h and reach_set.h answer questions from it.
 */
#ifndef APSP_STORAGE_TABLES_TABLES_H
#define APSP_STORAGE_TABLES_TABLES_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"
#include "storage/tables/mapping.h"

enum {
	APSP_TABLES_ID_SIZE = 33,
};

/*
 * The function that is called when tables are found damaged; may be NULL. It is
 * called once for each opened table file, on the thread that saw the damage
 * first, and must not block.
 */
struct apsp_tables_watch {
	void (*damaged)(void *ctx);
	void *ctx;
};

struct apsp_tables {
	/* other directories may read these members */
	struct apsp_table_header
		header; /* copied from the file, then checked */
	/* hexadecimal digits that identify revision, profile hash and data */
	char id[APSP_TABLES_ID_SIZE];

	/* for storage/tables only */
	atomic_uint n_refs;
	struct apsp_mapping mapping;
	const uint64_t
		*checksums; /* checksums of the blocks; part of the mapping */
	uint64_t n_blocks;
	/* Bit b is set when block b was checked and matched its checksum. */
	atomic_uint_least64_t *checked; /* owned */
	atomic_uint_least64_t scrub_next;
	atomic_bool damaged; /* and reported */
	struct apsp_tables_watch watch;
};

/*
 * Map the sealed table file at path. This checks the header, the sizes and the
 * checksum of the checksums, which takes milliseconds for any n. The file must
 * hold revision and profile_hash. The caller ends *out with
 * apsp_tables_unref().
 *
 * APSP_EDAMAGED: the file does not exist or does not hold these tables; they
 * must be computed again. APSP_EIO, APSP_ENOMEM: the file may hold them, but
 * cannot be opened or read at present.
 */
int apsp_tables_open(const char *path, const char *revision,
	const char *profile_hash, const struct apsp_tables_watch *watch,
	struct apsp_tables **out, struct apsp_err *err);

struct apsp_tables *apsp_tables_ref(struct apsp_tables *tables);
void apsp_tables_unref(struct apsp_tables *tables); /* accepts NULL */

#endif
