/*
 * What a store is made of, for storage's own files. db and shelf belong to the
 * writer thread (before it starts, to apsp_store_open()'s caller).
 */
#ifndef APSP_STORAGE_STORE_PARTS_H
#define APSP_STORAGE_STORE_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "storage/database.h"
#include "storage/registry.h"
#include "storage/shelf.h"
#include "storage/store.h"
#include "storage/writer.h"

struct apsp_store {
	char *state_dir;
	char *cache_dir;
	char *tables_dir;
	char *database_path;
	int state_lock; /* -1: none */
	int cache_lock; /* -1: none, or the same directory */
	uint32_t max_queued_jobs;
	struct apsp_store_hooks hooks;

	sqlite3 *db;
	struct apsp_shelf shelf;
	bool sweeping;	/* rows of dead generations are left */
	bool unsettled; /* something was written since the last clean-up */

	struct apsp_registry *registry;
	struct apsp_readers *readers;
	struct apsp_writer *writer;
	atomic_uint n_queued_jobs;
	atomic_int health; /* 0, or the code that the last write ended with */
};

/* Milliseconds since 1970, UTC. */
int64_t apsp_store_now_ms(void);

/* The file of tables id, in malloc()'s memory; NULL: none left. */
char *apsp_store_table_path(const struct apsp_store *store, uint64_t id);

/* How the tables tell of damage; see recovery.c. */
struct apsp_tables_watch apsp_store_watch(struct apsp_store *store);

/*
 * Bring the rows and files to what they must be before anything is served; see
 * apsp_store_open(). On the opener's thread, before the writer starts.
 */
int apsp_store_recover(struct apsp_store *store, struct apsp_err *err);

/* The writer's background work: scrub, clean up, checkpoint. */
int apsp_store_background(void *ctx, bool loading);

#endif
