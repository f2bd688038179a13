/*
 * The rows of profiles. All functions run inside a transaction on the writer
 * thread, and report APSP_EDB, APSP_ESTATEFULL or APSP_ENOMEM besides the codes
 * that are listed.
 */
#ifndef APSP_STORAGE_JOBS_PROFILE_ROWS_H
#define APSP_STORAGE_JOBS_PROFILE_ROWS_H

#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"
#include "storage/jobs/job_queue.h"

struct apsp_profile_snapshot;

/*
 * Define a profile. If the profile has neither the tables of its rule nor a job
 * for them, apsp_generations_settle() later provides the tables or a job.
 */
int apsp_profile_rows_define(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_err *err);

/*
 * Adapt the profiles of a graph to the new attributes that this transaction has
 * given the graph. A rule may choose vertices to leave out, and totals by which
 * weights are divided (storage/attributes/rule_choice.h). If a rule now chooses
 * others, its profile loses its tables and gets a job for new tables. Other
 * profiles keep their tables. `snapshot` is the
 * graph before the transaction. Also fails with APSP_ENOSPACE and
 * APSP_EQUEUEFULL, as apsp_profile_rows_commit() does.
 */
int apsp_profile_rows_rekey(struct apsp_transaction *tx,
	const struct apsp_graph_snapshot *snapshot, struct apsp_err *err);

/*
 * Adapt the profiles of one generation of `snapshot`, as
 * apsp_profile_rows_rekey() does. The jobs are queued by a later
 * apsp_profile_rows_commit().
 */
int apsp_profile_rows_rekey_one(struct apsp_transaction *tx,
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, struct apsp_err *err);

/*
 * Copy the row of the profile place->name from generation `from` to generation
 * place->generation. The id of the profile's job is not copied. Use this for a
 * profile whose rule this version of apspd cannot read, because another version
 * can perhaps read the rule.
 */
int apsp_profile_rows_keep(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, uint64_t from,
	struct apsp_err *err);

/*
 * Set the earlier rule of a profile, to which the profile returns if the job of
 * its newest rule fails or is cancelled (storage/jobs/README.md, Life of a
 * table set): the rule by which `old`, the profile of this name in another
 * upload of the graph, answers. Does nothing if the profile has tables or an
 * earlier rule already, if the rule is its newest rule, or if `old` is NULL or
 * has no tables.
 */
int apsp_profile_rows_earlier(struct apsp_transaction *tx,
	const struct apsp_profile_place *place,
	const struct apsp_profile_snapshot *old, struct apsp_err *err);

/*
 * Call apsp_generations_settle(), and commit a transaction in which a client
 * defined the profile at `place`, and perhaps other profiles. Fills *out except
 * for `created`; the caller ends *out with apsp_put_result_done().
 * APSP_ENOSPACE: the tables of all queued jobs do not fit the cache's disk.
 * APSP_EQUEUEFULL: the queue has too few places.
 */
int apsp_profile_rows_commit(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, struct apsp_put_result *out,
	struct apsp_err *err);

#endif
