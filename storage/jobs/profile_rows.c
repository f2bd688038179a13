/*
 * The rows of profiles; see profile_rows.h.
 */
#include "storage/jobs/profile_rows.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/jobs/cache_limit.h"
#include "storage/jobs/generations.h"
#include "storage/snapshots/row.h"

int apsp_profile_rows_define(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	bool *out_created, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];
	struct apsp_profile old;
	bool exists, provided;
	int r;

	apsp_row_rule_write(rule, text, hash);
	r = apsp_sql_prepare(tx->db,
		"SELECT p.hash = ?3 AND (p.served_hash IS p.hash"
		"  OR j.state IN ('queued', 'running')),"
		" p.rule FROM profiles p LEFT JOIN jobs j ON j.id = p.job"
		" WHERE p.generation = ?1 AND p.name = ?2",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->name), apsp_bind_text(hash)),
		&stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r < 0)
		return r;
	exists = r > 0;
	/*
	 * `provided` means that the profile has the tables of this rule, or a
	 * job for them. A stored rule that cannot be read counts as a different
	 * rule, and is replaced.
	 */
	provided = exists && sqlite3_column_int(stmt, 0) &&
		   apsp_row_rule(stmt, 1, &old, NULL) == 0;
	apsp_sql_done(&stmt);
	r = 0;
	if (!provided)
		r = apsp_sql_run(tx->db,
			"INSERT INTO profiles (generation, name, rule, hash)"
			" VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE"
			" SET rule = ?3, hash = ?4, job = NULL,"
			/*
			 * if the tables in use were computed by the rule with
			 * this hash, store the text of this rule again, because
			 * the stored text may be unreadable
			 */
			" served_rule = iif(served_hash = ?4, ?3, served_rule)",
			APSP_BIND(apsp_bind_id(place->generation),
				apsp_bind_text(place->name),
				apsp_bind_text(text), apsp_bind_text(hash)),
			err);
	if (r == 0)
		r = apsp_transaction_touch(tx, place->graph, err);
	if (r == 0)
		*out_created = !exists;
	return r;
}

int apsp_profile_rows_keep(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, uint64_t from,
	struct apsp_err *err)
{
	return apsp_sql_run(tx->db,
		"INSERT INTO profiles (generation, name, rule, hash)"
		" SELECT ?1, name, rule, hash FROM profiles"
		" WHERE generation = ?2 AND name = ?3",
		APSP_BIND(apsp_bind_id(place->generation), apsp_bind_id(from),
			apsp_bind_text(place->name)),
		err);
}

int apsp_profile_rows_commit(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, struct apsp_put_result *out,
	struct apsp_err *err)
{
	const struct apsp_generation *generation;
	const struct apsp_profile_snapshot *profile = NULL;
	int r;

	r = apsp_generations_settle(tx, err);
	if (r == 0)
		r = apsp_job_queue_check(tx, err);
	if (r == 0)
		r = apsp_cache_limit_admit(tx, err);
	if (r == 0)
		r = apsp_transaction_commit(tx, err);
	if (r < 0)
		return r;
	*out = (struct apsp_put_result){
		.generation = place->generation,
		.job_state = APSP_JOB_SUCCEEDED,
		.snapshot = apsp_snapshot_map_get(
			tx->store->snapshots, place->graph),
	};
	generation = apsp_put_result_generation(out);
	if (generation)
		profile = apsp_generation_profile(generation, place->name);
	if (profile && apsp_job_state_active(profile->job_state)) {
		out->job = profile->job;
		out->job_state = profile->job_state;
	}
	return 0;
}
