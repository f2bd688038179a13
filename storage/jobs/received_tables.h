/*
 * The table files that have come in bundles. From the end of its upload, each
 * file stays in the cache's directory received/ until a job has checked its
 * tables (storage/jobs/README.md, Tables that arrive). The database has no
 * record of a file: its name, <revision>-<hash>-<generation>.<all|seed>, says
 * to which tables and to which upload it belongs. Only a job of this upload
 * checks the file. A file is removed if its upload has no queued job for these
 * tables, and no job for them is running.
 */
#ifndef APSP_STORAGE_JOBS_RECEIVED_TABLES_H
#define APSP_STORAGE_JOBS_RECEIVED_TABLES_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/job.h"
#include "storage/ingest/bundled.h"

struct apsp_profile_place;
struct apsp_store;
struct apsp_transaction;

/* Remove the files of uploads that an earlier daemon has not completed. Call
   this before the first upload. */
void apsp_received_tables_prepare(const char *dir);

/*
 * Rename the files of a bundle, so that jobs find them. Call this inside the
 * transaction that has defined the profiles of the generation
 * place->generation; `name` in *place is ignored. After the commit, call
 * apsp_received_tables_kept(); otherwise the end of the upload removes the
 * files. APSP_EDATA: a file has the hash of another rule; the message names the
 * member. APSP_EIO, APSP_ENOMEM, APSP_EDB.
 */
int apsp_received_tables_keep(struct apsp_transaction *tx,
	const struct apsp_profile_place *place,
	const struct apsp_bundled *bundled, struct apsp_err *err);
void apsp_received_tables_kept(const struct apsp_bundled *bundled);

/* Return the size of the table file that the upload `generation` has brought
   for this revision and this hash; 0: there is no such file. */
uint64_t apsp_received_tables_bytes(struct apsp_store *store,
	const char *revision, const char *hash, uint64_t generation);

/*
 * Make a link at `path` to the file whose tables a job must check. *out_prove
 * says how the job checks them; APSP_PROVE_NONE: there is no file, so the job
 * computes the tables. APSP_EIO.
 */
int apsp_received_tables_link(struct apsp_store *store,
	const struct apsp_job_spec *job, const char *path,
	enum apsp_prove *out_prove, struct apsp_err *err);

/* Remove the files that no queued or running job will check. APSP_EDB. */
int apsp_received_tables_sweep(
	struct apsp_transaction *tx, struct apsp_err *err);

#endif
