/*
 * Keeps table files from bundles until a job has proved that their tables are
 * right; see received_tables.h.
 */
#include "storage/jobs/received_tables.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/directories/own_directory.h"
#include "storage/jobs/job_part.h"
#include "storage/jobs/job_queue.h"
#include "storage/snapshots/transaction.h"

enum {
	PATH_SIZE = 4096,
};

#define UPLOAD "upload-"

/* Write the path of a received table file to `out`. False: the path is too
   long. */
static bool path_write(const struct apsp_store *store, const char *revision,
	const char *hash, uint64_t generation, enum apsp_prove prove,
	char out[PATH_SIZE])
{
	return snprintf(out, PATH_SIZE, "%s/%s-%s-%" PRIu64 ".%s",
		       store->jobs->received_dir, revision, hash, generation,
		       apsp_prove_names[prove]) < PATH_SIZE;
}

void apsp_received_tables_prepare(const char *dir)
{
	APSP_AUTO(apsp_dir_close) DIR *files = NULL;
	const struct dirent *entry;

	files = opendir(dir);
	while (files && (entry = readdir(files)))
		if (strncmp(entry->d_name, UPLOAD, strlen(UPLOAD)) == 0)
			unlinkat(dirfd(files), entry->d_name, 0);
}

/* Find the file that the upload `generation` has brought for the tables with
   this revision and hash, and write its path. Returns how a job must check the
   tables, or APSP_PROVE_NONE if there is no file. */
static enum apsp_prove file_find(const struct apsp_store *store,
	const char *revision, const char *hash, uint64_t generation,
	char out[PATH_SIZE], struct stat *st)
{
	for (int p = APSP_PROVE_ALL; p < APSP_N_PROVES; p++)
		if (path_write(store, revision, hash, generation,
			    (enum apsp_prove)p, out) &&
			lstat(out, st) == 0 && S_ISREG(st->st_mode))
			return (enum apsp_prove)p;
	return APSP_PROVE_NONE;
}

uint64_t apsp_received_tables_bytes(struct apsp_store *store,
	const char *revision, const char *hash, uint64_t generation)
{
	char path[PATH_SIZE];
	struct stat st;

	return file_find(store, revision, hash, generation, path, &st)
		       ? (uint64_t)st.st_size
		       : 0;
}

int apsp_received_tables_link(struct apsp_store *store,
	const struct apsp_job_spec *job, const char *path,
	enum apsp_prove *out_prove, struct apsp_err *err)
{
	char from[PATH_SIZE];
	struct stat st;

	*out_prove = file_find(
		store, job->revision, job->hash, job->generation, from, &st);
	if (!*out_prove || link(from, path) == 0)
		return 0;
	return apsp_fail_errno(err, errno, "link '%s' to '%s'", from, path);
}

/* Rename one file, so that a job of the upload `generation` finds it. `hash` is
   the hash by which the tables of the profile's rule are found (rule_key.h). */
static int file_keep(const struct apsp_store *store,
	const struct apsp_bundled *bundled, struct apsp_received_table *table,
	const char *hash, uint64_t generation, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *copy = NULL;
	char path[PATH_SIZE];

	if (!path_write(store, bundled->revision, hash, generation,
		    bundled->prove, path))
		return apsp_fail(err, APSP_EIO,
			"the cache directory's name is too long");
	copy = strdup(path);
	if (!copy)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a path");
	if (rename(table->path, path) < 0)
		return apsp_fail_errno(
			err, errno, "move '%s' to '%s'", table->path, path);
	free(table->path);
	table->path = APSP_TAKE(copy);
	return 0;
}

int apsp_received_tables_keep(struct apsp_transaction *tx,
	const struct apsp_profile_place *place,
	const struct apsp_bundled *bundled, struct apsp_err *err)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < bundled->n_profiles; i++) {
		const struct apsp_bundled_profile *profile =
			&bundled->profiles[i];
		APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
		struct apsp_received_table *table = profile->received;
		char hash[APSP_HASH_SIZE];

		if (!table || !table->path)
			continue;
		r = apsp_sql_first(tx->db,
			"SELECT hash FROM profiles WHERE generation = ?1"
			" AND name = ?2",
			APSP_BIND(apsp_bind_id(place->generation),
				apsp_bind_text(profile->name)),
			&stmt, err);
		if (r > 0)
			r = apsp_sql_text(stmt, 0, hash, sizeof(hash), err);
		if (r < 0)
			return r;
		if (strcmp(hash, table->header.profile_hash) != 0)
			return apsp_fail(err, APSP_EDATA,
				"the member 'tables/%s.apsp' has tables of "
				"another rule: its header has the hash %.16s…, "
				"but the rule of '%s' has %.16s…",
				profile->hash, table->header.profile_hash,
				profile->name, hash);
		r = file_keep(tx->store, bundled, table, hash,
			place->generation, err);
	}
	return r < 0 ? r : 0;
}

void apsp_received_tables_kept(const struct apsp_bundled *bundled)
{
	for (size_t i = 0; i < bundled->n_profiles; i++) {
		struct apsp_received_table *table =
			bundled->profiles[i].received;

		if (!table)
			continue;
		free(table->path);
		table->path = NULL;
	}
}

int apsp_received_tables_sweep(
	struct apsp_transaction *tx, struct apsp_err *err)
{
	APSP_AUTO(apsp_dir_close) DIR *files = NULL;
	char revision[APSP_HASH_SIZE], hash[APSP_HASH_SIZE];
	const struct dirent *entry;
	uint64_t generation;
	int64_t one;
	int r = 0;

	files = opendir(tx->store->jobs->received_dir);
	while (files && r >= 0 && (entry = readdir(files))) {
		if (!apsp_own_directory_received(
			    entry->d_name, revision, hash, &generation))
			continue;
		/* keep the file while any job for these tables is running:
		   since this job was claimed, it may have become a job of a
		   newer upload (job_queue.h) */
		r = apsp_sql_int(tx->db,
			"SELECT 1 FROM jobs WHERE revision = ?1 AND hash = ?2"
			" AND (state = 'running'"
			"  OR (state = 'queued' AND generation = ?3)) LIMIT 1",
			APSP_BIND(apsp_bind_text(revision),
				apsp_bind_text(hash), apsp_bind_id(generation)),
			&one, err);
		if (r == 0)
			unlinkat(dirfd(files), entry->d_name, 0);
	}
	return r < 0 ? r : 0;
}
