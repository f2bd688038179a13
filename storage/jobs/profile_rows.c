/*
 * The rows of profiles; see profile_rows.h.
 */
#include "storage/jobs/profile_rows.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/jobs/cache_limit.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/rule_key.h"
#include "storage/snapshots/graph_reader.h"
#include "storage/snapshots/row.h"

/* Give tables or jobs to the profiles that need them. Check that the queue and
   the disk have room for the new jobs. */
static int changes_settle(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r = apsp_generations_settle(tx, err);

	if (r < 0 || tx->n_new_jobs == 0)
		return r;
	r = apsp_job_queue_check(tx, err);
	return r < 0 ? r : apsp_cache_limit_admit(tx, err);
}

/* Define the profile at `place` by a rule. `key` has the text and the hash of
   the rule (rule_key.h). */
static int key_define(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_rule_key *key,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct apsp_profile old;
	bool provided;
	int r;

	r = apsp_sql_first(tx->db,
		"SELECT p.hash = ?3 AND (p.served_hash IS p.hash"
		"  OR j.state IN ('queued', 'running')"
		"   AND j.error_code IS NULL),"
		" p.rule, p.hash FROM profiles p LEFT JOIN jobs j ON j.id = "
		"p.job"
		" WHERE p.generation = ?1 AND p.name = ?2",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->name), apsp_bind_text(key->hash)),
		&stmt, err);
	if (r < 0)
		return r;
	/*
	 * `provided` means that the profile has the tables of this rule, or a
	 * job for them that is not about to be cancelled. A stored rule that
	 * cannot be read counts as a different rule, and is replaced.
	 */
	provided = r > 0 && sqlite3_column_int(stmt, 0) &&
		   apsp_row_rule(stmt, 1, 2, &old, NULL) == 0;
	apsp_sql_done(&stmt);
	r = 0;
	if (!provided)
		r = apsp_sql_run(tx->db,
			"INSERT INTO profiles (generation, name, rule, hash)"
			" VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE"
			" SET rule = ?3, hash = ?4, job = NULL,"
			/*
			 * if the tables in use were computed by the rule with
			 * this hash, store the text of the rule again: perhaps
			 * the stored text cannot be read
			 */
			" served_rule = iif(served_hash = ?4, ?3, served_rule)",
			APSP_BIND(apsp_bind_id(place->generation),
				apsp_bind_text(place->name),
				apsp_bind_text(key->text),
				apsp_bind_text(key->hash)),
			err);
	return r < 0 ? r : apsp_transaction_touch(tx, place->graph, err);
}

int apsp_profile_rows_define(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_err *err)
{
	struct apsp_rule_key key;
	int r = apsp_rule_key_load(tx, place, rule, &key, err);

	return r < 0 ? r : key_define(tx, place, &key, err);
}

/*
 * New attributes can change which vertices the rule of a profile's tables
 * leaves out, and by which totals it divides weights. If they do, the profile
 * loses these tables: served_hash becomes the hash that this rule has now.
 * There are normally no tables with the new hash; then
 * apsp_generations_settle() continues as after any loss of tables.
 */
static int served_rekey(struct apsp_transaction *tx,
	const struct apsp_profile_place *place,
	const struct apsp_profile *served,
	const struct apsp_graph_vertices *vertices, struct apsp_err *err)
{
	struct apsp_rule_key key;
	int r = apsp_rule_key_make(
		served, vertices->labels, vertices->attributes, &key, err);

	if (r < 0)
		return r;
	return apsp_sql_run(tx->db,
		"UPDATE profiles SET served_rule = ?4, served_hash = ?3"
		" WHERE generation = ?1 AND name = ?2 AND served_hash != ?3",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->name), apsp_bind_text(key.hash),
			apsp_bind_text(key.text)),
		err);
}

/* With the new attributes, the rule of the profile can have another key (the
   rule's text and hash, rule_key.h). If so, give the profile this key; then it
   later gets tables or a job. */
static int rule_rekey(struct apsp_transaction *tx,
	const struct apsp_profile_place *place,
	const struct apsp_profile_snapshot *profile,
	const struct apsp_graph_vertices *vertices, struct apsp_err *err)
{
	struct apsp_rule_key key;
	int r = apsp_rule_key_make(&profile->rule, vertices->labels,
		vertices->attributes, &key, err);

	return r < 0 || strcmp(key.hash, profile->hash) == 0
		       ? r
		       : key_define(tx, place, &key, err);
}

int apsp_profile_rows_rekey_one(struct apsp_transaction *tx,
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_vertices_done)
	struct apsp_graph_vertices vertices = {0};
	APSP_AUTO(apsp_graph_reader_done)
	struct apsp_graph_reader reader = {.db = tx->db, .old = snapshot};
	struct apsp_profile_place place = {.generation = generation->id,
		.revision = generation->revision,
		.graph = snapshot->name};
	int r = 0;

	for (size_t i = 0; r == 0 && i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *profile =
			&generation->profiles[i];
		bool served = profile->tables_transform &&
			      apsp_profile_chooses(&profile->tables_rule);
		/* whether the newest rule may get a new key, and so a new job.
		   If the rule's job was cancelled, or failed while tables of an
		   earlier rule are in use, new attributes must not bring the
		   rule back */
		bool newest = !profile->unreadable.code &&
			      apsp_profile_chooses(&profile->rule) &&
			      profile->job_state != APSP_JOB_CANCELLED &&
			      apsp_profile_standing_rule(profile) !=
				      &profile->tables_rule;

		place.name = profile->name;
		if ((served || newest) && !vertices.labels)
			r = apsp_graph_reader_vertices(
				&reader, generation->id, &vertices, err);
		if (r == 0 && served)
			r = served_rekey(tx, &place, &profile->tables_rule,
				&vertices, err);
		if (r == 0 && newest)
			r = rule_rekey(tx, &place, profile, &vertices, err);
	}
	return r;
}

int apsp_profile_rows_rekey(struct apsp_transaction *tx,
	const struct apsp_graph_snapshot *snapshot, struct apsp_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < snapshot->n_live; i++)
		r = apsp_profile_rows_rekey_one(
			tx, snapshot, &snapshot->live[i], err);
	return r < 0 ? r : changes_settle(tx, err);
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

int apsp_profile_rows_earlier(struct apsp_transaction *tx,
	const struct apsp_profile_place *place,
	const struct apsp_profile_snapshot *old, struct apsp_err *err)
{
	struct apsp_rule_key key;
	int r;

	if (!old || !old->tables_transform)
		return 0;
	r = apsp_rule_key_load(tx, place, &old->tables_rule, &key, err);
	if (r < 0)
		return r;
	return apsp_sql_run(tx->db,
		"UPDATE profiles SET served_rule = ?3, served_hash = ?4"
		" WHERE generation = ?1 AND name = ?2"
		" AND served_hash IS NULL AND hash != ?4",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->name), apsp_bind_text(key.text),
			apsp_bind_text(key.hash)),
		err);
}

int apsp_profile_rows_commit(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, struct apsp_put_result *out,
	struct apsp_err *err)
{
	const struct apsp_generation *generation;
	const struct apsp_profile_snapshot *profile = NULL;
	int r;

	r = changes_settle(tx, err);
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
