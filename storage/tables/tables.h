/*
 * The tables of one revision and profile hash: a table file that is mapped
 * read-only. Threads share the mapping, and their references to it are counted
 * (storage/tables/README.md, Tables are files). lookup.h, row_reader.h and
 * reach_set.h look up values in the mapped file.
 *
 * A file may be damaged. Each block is compared with its checksum before its
 * first read. The scrub (open_tables.h) compares all blocks again. A flag
 * records whether any damage was found. Every lookup in storage/tables calls
 * apsp_tables_touch() for the blocks that it will read, reads them, calls
 * apsp_tables_trust(), and only then returns values.
 */
#ifndef APSP_STORAGE_TABLES_TABLES_H
#define APSP_STORAGE_TABLES_TABLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"
#include "storage/tables/mapping.h"

enum {
	APSP_TABLES_ID_SIZE = 33,
};

/*
 * The function that is called when tables are found damaged; may be NULL. It is
 * called at most once for each opened table file, in the thread that has first
 * seen the damage. The function must not block.
 */
struct apsp_tables_watch {
	void (*damaged)(void *ctx);
	void *ctx;
};

struct apsp_demand_rows;

struct apsp_tables {
	/* Copied from the file, then checked. Code of every room may read
	   `header` and `id`; `path` and `demand` are for storage/tables and
	   storage/rows. */
	struct apsp_table_header header;
	/* hexadecimal digits that identify the revision, the profile hash and
	   the data */
	char id[APSP_TABLES_ID_SIZE];

	/* the path that the file had when it was opened; owned */
	char *path;
	/* If rows are computed on demand: the rows that are in memory; owned.
	   Otherwise NULL. */
	struct apsp_demand_rows *demand;

	/* The following members are private to tables.c and the functions
	   below, with two exceptions: table_read.c reads the data of `mapping`,
	   and open_tables.c reads n_refs and n_holds. */
	atomic_uint n_refs;
	struct apsp_mapping mapping;
	/* checksums of the blocks; part of the mapping */
	const uint64_t *checksums;
	uint64_t n_blocks;
	/* Bit b is 1 if block b has been checked and matches its checksum. */
	atomic_uint_least64_t *checked; /* owned */
	/* the block that apsp_tables_scrub() checks next */
	atomic_uint_least64_t scrub_next;
	/* whether damage was found and reported to `watch` */
	atomic_bool damaged;
	struct apsp_tables_watch watch;
	/* number of readers that send the whole file (apsp_tables_hold()) */
	atomic_uint n_holds;
};

/*
 * Map the table file at `path`, which was sealed (table_seal.h). The call
 * checks the header, the sizes and the checksum of the checksums, which takes
 * milliseconds for any n. The header of the file must have this revision and
 * this profile_hash. The caller ends *out with apsp_tables_unref().
 *
 * APSP_EDAMAGED: the file does not exist or does not hold these tables; the
 * tables must be computed again. APSP_ENEWER: a newer version of apspd has
 * written the file. APSP_EIO, APSP_ENOMEM: the file may hold these tables, but
 * it cannot be opened or read now.
 */
int apsp_tables_open(const char *path, const char *revision,
	const char *profile_hash, const struct apsp_tables_watch *watch,
	struct apsp_tables **out, struct apsp_err *err);

struct apsp_tables *apsp_tables_ref(struct apsp_tables *tables);
void apsp_tables_unref(struct apsp_tables *tables); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_tables_end, struct apsp_tables, apsp_tables_unref);

/*
 * A reader that sends the whole file calls this function, because sending may
 * take long. If the file is removed meanwhile, its data stays for
 * APSP_HELD_TABLES_GRACE_MS (open_tables.h). This is longer than for other
 * readers. When the file is sent, the reader calls apsp_tables_release(), and
 * only then ends its reference to the tables.
 */
static inline void apsp_tables_hold(struct apsp_tables *tables)
{
	atomic_fetch_add_explicit(&tables->n_holds, 1, memory_order_relaxed);
}

static inline void apsp_tables_release(struct apsp_tables *tables)
{
	atomic_fetch_sub_explicit(&tables->n_holds, 1, memory_order_release);
}

/*
 * Mark the tables as damaged, and fail with APSP_EDAMAGED: "the tables are
 * damaged: <what>". If `what` is NULL, the message says that the file has
 * changed or cannot be read. The first call for these tables also calls the
 * function in their struct apsp_tables_watch.
 */
int apsp_tables_condemn(
	struct apsp_tables *tables, const char *what, struct apsp_err *err);

/* Whether the tables were marked as damaged. Any thread may call this. */
static inline bool apsp_tables_damaged(const struct apsp_tables *tables)
{
	return apsp_mapping_damaged(&tables->mapping) ||
	       atomic_load_explicit(&tables->damaged, memory_order_relaxed);
}

/* Compare a block with its checksum. Only apsp_tables_touch() and tables.c may
   call this. APSP_EDAMAGED: the checksum differs. */
int apsp_tables_block_check(
	struct apsp_tables *tables, uint64_t block, struct apsp_err *err);

/*
 * Check that no damage was found. Call this after values are read and before
 * they are used in an answer. APSP_EDAMAGED: the values that were read may be
 * wrong.
 */
static inline int apsp_tables_trust(
	struct apsp_tables *tables, struct apsp_err *err)
{
	/* the flag of damage must be read after the caller's reads of the
	   mapping */
	atomic_thread_fence(memory_order_acquire);
	return apsp_tables_damaged(tables)
		       ? apsp_tables_condemn(tables, NULL, err)
		       : 0;
}

/*
 * Check the block that contains the file's byte number `offset`, unless an
 * earlier call has checked it. On success the block may be read. APSP_EDAMAGED:
 * the block is damaged.
 */
static inline int apsp_tables_touch(
	struct apsp_tables *tables, uint64_t offset, struct apsp_err *err)
{
	uint64_t block = offset / APSP_TABLE_BLOCK;
	uint64_t checked = atomic_load_explicit(
		&tables->checked[block / 64], memory_order_relaxed);

	/* do not read a mapping that is marked as damaged, because each further
	   fault would map one more page of zeros */
	if (apsp_tables_damaged(tables))
		return apsp_tables_condemn(tables, NULL, err);
	return checked >> block % 64 & 1
		       ? 0
		       : apsp_tables_block_check(tables, block, err);
}

/*
 * Check the next block of data, even if it was checked before. Returns 1 if a
 * block was checked, or 0 at the end of the file; then the next call begins at
 * the first block of data. APSP_EDAMAGED: the block is damaged. Any thread may
 * call this.
 */
int apsp_tables_scrub(struct apsp_tables *tables, struct apsp_err *err);

/*
 * Some tables have no rows in the file: a row is computed when a request needs
 * it (daemon/job/table_file.h, APSP_ON_DEMAND). The functions below find only
 * rows that are in memory. The code in storage/rows requests rows from the
 * solver and keeps them in memory. Readers of the tables look rows up here
 * without a lock, so a reader must hold each row that it reads
 * (storage/rows/row_cache.h).
 */

/* The rows of one vertex that are computed together. storage/rows keeps each of
   these structs at the beginning of a larger one. */
struct apsp_demand_row {
	/* NULL: the rows are not computed yet; otherwise apsp_demand_bytes()
	   bytes, aligned to 8 */
	_Atomic(const unsigned char *) bytes;
};

struct apsp_demand_rows {
	/* for each kind of rows (enum apsp_demand) and each vertex, the rows of
	   the vertex; NULL: these rows are neither in memory nor requested */
	_Atomic(struct apsp_demand_row *) *of[APSP_N_DEMANDS];
	/* Called when the tables are closed. May be NULL. */
	void (*drop)(struct apsp_demand_rows *rows);
	void *keeper; /* data for drop(), set by the code that sets `drop` */
};

/* Return the rows of one kind for one vertex. The caller must hold these rows,
   so that they are not removed (storage/rows/row_cache.h). NULL: the rows are
   not in memory. */
const unsigned char *apsp_demand_rows_find(const struct apsp_demand_rows *rows,
	enum apsp_demand demand, uint64_t vertex);

/*
 * Ranges of bytes as they lie in the mapping: parts of sections, whole
 * sections, and parts of the whole file. Bundles and matrices send such ranges.
 */

/*
 * Check the blocks that hold the bytes [at, at + size) of a section, and load
 * these bytes from the disk. The call takes 0.2 ms for each MiB, or longer if
 * the disk is slower. The range must be inside the section. *out points to the
 * bytes in the mapping. A caller that copies these bytes must call
 * apsp_tables_trust() before the first use of the copy.
 */
int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err);

/*
 * Load the bytes [at, at + size) of the whole file, as apsp_table_bytes_get()
 * does for a section. The file has tables->mapping.size bytes.
 */
int apsp_table_bytes_file(struct apsp_tables *tables, uint64_t at,
	uint64_t size, const unsigned char **out, struct apsp_err *err);

/* Load a whole section as apsp_table_bytes_get() does. */
int apsp_table_bytes_section(struct apsp_tables *tables,
	enum apsp_section section, const void **out, struct apsp_err *err);

#endif
