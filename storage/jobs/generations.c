/*
 * The life of generations (stored uploads); see generations.h.
 */
#include "storage/jobs/generations.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/chunk_sweep.h"
#include "storage/database/sql.h"
#include "storage/jobs/job_queue.h"
#include "storage/jobs/received_tables.h"
#include "storage/jobs/rule_key.h"
#include "storage/snapshots/row.h"

int apsp_generations_give_up(struct apsp_transaction *tx, uint64_t id,
	const char *graph, struct apsp_err *err)
{
	int r;

	r = apsp_sql_run(tx->db,
		"DELETE FROM profiles WHERE generation IN"
		" (SELECT id FROM generations WHERE id = ?1 OR graph = ?2)",
		APSP_BIND(apsp_bind_id(id), apsp_bind_text(graph)), err);
	if (r == 0)
		r = apsp_sql_run(tx->db,
			"UPDATE generations SET state = 'deleting',"
			" graph = NULL WHERE id = ?1 OR graph = ?2",
			APSP_BIND(apsp_bind_id(id), apsp_bind_text(graph)),
			err);
	if (r == 0)
		tx->sweep = true;
	return r;
}

/*
 * SQL: each pending generation g whose profile `default` has the tables of its
 * rule. If the name of g's graph is too long for this version of apspd, g is
 * left out and stays pending; another version may make it current.
 */
#define READY                                                                  \
	" FROM generations g JOIN profiles d"                                  \
	"  ON d.generation = g.id AND d.name = 'default'"                      \
	" WHERE g.state = 'pending' AND d.served_hash = d.hash"                \
	"  AND length(CAST(g.graph AS BLOB)) <= 128"

/* Make each generation in READY current. If the graph of such a generation
   already has a current generation, mark the old current generation for
   deletion. */
static int ready_switch(struct apsp_transaction *tx, struct apsp_err *err)
{
	struct apsp_ids old = {0};
	int r;

	r = apsp_transaction_collect(tx,
		"SELECT id FROM generations WHERE state = 'current'"
		" AND graph IN (SELECT g.graph" READY ")",
		NULL, &old, err);
	for (size_t i = 0; r == 0 && i < old.n; i++)
		r = apsp_generations_give_up(tx, old.ids[i], NULL, err);
	free(old.ids);
	if (r == 0)
		r = apsp_transaction_touch_each(tx,
			"UPDATE generations SET state = 'current'"
			" WHERE id IN (SELECT g.id" READY ") RETURNING graph",
			NULL, err);
	return r;
}

/* Cancel the queued jobs to which no profile refers. If no profile needs the
   tables of a running job, add this job to tx->unwanted_jobs. */
static int jobs_drop(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r = apsp_transaction_collect(tx,
		"UPDATE jobs SET state = 'cancelled',"
		" ended_at_ms = ?1, error_code = 'cancelled',"
		" error_message = " APSP_JOB_UNWANTED_REASON
		" WHERE state = 'queued' AND NOT EXISTS"
		" (SELECT 1 FROM profiles p WHERE p.job = jobs.id)"
		" RETURNING id",
		APSP_BIND(apsp_bind_int(apsp_clock_utc_ms())),
		&tx->changed_jobs, err);

	/* A profile may need the tables of a running job even if the profile's
	   row does not refer to the job. So compare the job's revision and hash
	   with the profile's revision and hash. */
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"SELECT id FROM jobs WHERE state = 'running'"
			" AND NOT EXISTS (SELECT 1 FROM profiles p"
			"  JOIN generations g ON g.id = p.generation"
			"  WHERE g.revision = jobs.revision"
			"  AND p.hash = jobs.hash AND NOT " APSP_RULE_GIVEN_UP
			"  AND " APSP_GENERATION_COMPUTES ")",
			NULL, &tx->unwanted_jobs, err);
	return r;
}

/*
 * Give up the rules whose jobs failed or were cancelled. A graph may have two
 * uploads, a current and a pending one. A client defines a rule in both
 * uploads, but only one of them gets the rule's job. If this job fails or is
 * cancelled, the rule is given up in the other upload, too: there, the profile
 * of the same name and rule (the twin) gets the id of the failed job. The
 * profile `default` is left out: if the job of its rule fails, the whole upload
 * has failed.
 *
 * The twin is left alone if jobs run for its upload, or if its upload got a job
 * after the failed job. Then it may still get tables or a job (struct wish).
 */
static int rules_give_up(struct apsp_transaction *tx, struct apsp_err *err)
{
	return apsp_transaction_touch_each(tx,
		"UPDATE profiles AS twin SET job = p.job"
		" FROM profiles p, generations g JOIN generations h"
		"  ON h.graph = g.graph AND h.id != g.id"
		" WHERE p.generation = h.id AND twin.generation = g.id"
		" AND twin.name = p.name AND twin.rule = p.rule"
		" AND p.name != 'default' AND " APSP_RULE_GIVEN_UP
		" AND twin.job IS NULL AND twin.served_hash IS NOT twin.hash"
		" AND NOT (" APSP_GENERATION_COMPUTES ")"
		" AND NOT EXISTS (SELECT 1 FROM jobs y"
		"  WHERE y.graph = g.graph AND y.id > p.job"
		"  AND y.generation = g.id)"
		" RETURNING (SELECT graph FROM generations"
		"  WHERE id = generation)",
		NULL, err);
}

/*
 * Tables may be lost: their file is damaged or absent (table_care.c), or new
 * attributes have changed the choice of their rule (profile_rows.c,
 * served_rekey()). served_rule and served_hash then refer to tables that do not
 * exist. Clear both if they have the profile's newest rule, or if the newest
 * rule is given up; in this second case, the profile returns to the rule of the
 * lost tables. The profile now has a wish. Otherwise the job of the newest rule
 * is queued or running, or jobs do not run for this generation. Then keep the
 * rule of the lost tables, because the newest rule may be given up later.
 */
static int lost_tables_settle(struct apsp_transaction *tx, struct apsp_err *err)
{
	return apsp_transaction_touch_each(tx,
		"UPDATE profiles AS p SET"
		" rule = iif(" APSP_RULE_GIVEN_UP ", served_rule, rule),"
		" hash = iif(" APSP_RULE_GIVEN_UP ", served_hash, hash),"
		" job = NULL, served_rule = NULL, served_hash = NULL"
		" FROM generations g WHERE g.id = p.generation"
		" AND p.served_hash IS NOT NULL AND NOT EXISTS"
		"  (SELECT 1 FROM tables t WHERE t.revision = g.revision"
		"   AND t.hash = p.served_hash)"
		" AND (p.served_hash = p.hash OR " APSP_RULE_GIVEN_UP ")"
		" RETURNING (SELECT graph FROM generations"
		"  WHERE id = generation)",
		NULL, err);
}

/*
 * A wish: a profile that has neither the tables of its rule nor a job for them.
 * A wish is granted if jobs are run for the profile's generation: the profile
 * gets the tables if they exist, else a job.
 */
struct wish {
	uint64_t generation;
	char graph[APSP_NAME_SIZE];
	char revision[APSP_HASH_SIZE];
	char profile[APSP_NAME_SIZE];
	struct apsp_profile rule;
	double seconds; /* estimated seconds that the job will take; 0: no
			   estimate */
};

struct wishes {
	struct wish *all; /* owned */
	size_t n;
	size_t capacity;
};

static void wishes_done(struct wishes *wishes)
{
	free(wishes->all);
}

static int wishes_load(
	struct apsp_transaction *tx, struct wishes *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	const struct apsp_store_hooks *hooks = &tx->store->hooks;
	struct apsp_job_size size;
	struct wish *wish;
	int r;

	r = apsp_sql_prepare(tx->db,
		"SELECT g.id, g.graph, g.revision, p.name, p.rule,"
		" g.n_vertices, g.n_arcs, g.weights, p.hash"
		" FROM profiles p JOIN generations g ON g.id = p.generation"
		" WHERE p.job IS NULL AND p.served_hash IS NOT p.hash"
		" AND " APSP_GENERATION_COMPUTES " ORDER BY p.name",
		NULL, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		r = apsp_array_reserve(&out->all, out->n + 1, &out->capacity,
			&(struct apsp_array_growth){
				sizeof(*out->all), 8, "profiles", NULL},
			err);
		if (r < 0)
			return r;
		wish = &out->all[out->n];
		*wish = (struct wish){
			.generation = (uint64_t)sqlite3_column_int64(stmt, 0)};
		/* skip a profile whose row this version of apspd cannot read,
		   so that no tables are computed for it */
		if (apsp_sql_text(stmt, 1, wish->graph, sizeof(wish->graph),
			    NULL) < 0 ||
			apsp_sql_text(stmt, 2, wish->revision,
				sizeof(wish->revision), NULL) < 0 ||
			apsp_sql_text(stmt, 3, wish->profile,
				sizeof(wish->profile), NULL) < 0 ||
			apsp_row_rule(stmt, 4, 8, &wish->rule, NULL) < 0)
			continue;
		size = apsp_row_job_size(stmt, 5);
		if (hooks->job_seconds)
			wish->seconds = hooks->job_seconds(
				hooks->ctx, &size, &wish->rule);
		out->n++;
	}
	return r;
}

static int order(const void *a, const void *b)
{
	const struct wish *left = a, *right = b;
	bool left_first = strcmp(left->profile, "default") == 0;
	bool right_first = strcmp(right->profile, "default") == 0;

	if (left->generation != right->generation)
		return left->generation < right->generation ? -1 : 1;
	if (left_first != right_first)
		return left_first ? -1 : 1;
	if (left->seconds < right->seconds || left->seconds > right->seconds)
		return left->seconds < right->seconds ? -1 : 1;
	return strcmp(left->profile, right->profile);
}

static int wish_grant(struct apsp_transaction *tx, const struct wish *wish,
	struct apsp_err *err)
{
	struct apsp_rule_key key;
	const struct apsp_profile_place place = {
		.generation = wish->generation,
		.revision = wish->revision,
		.graph = wish->graph,
		.name = wish->profile,
	};
	uint64_t job = 0;
	int64_t tables;
	int r;

	r = apsp_rule_key_load(tx, &place, &wish->rule, &key, err);
	if (r < 0)
		return r;
	r = apsp_sql_int(tx->db,
		"SELECT id FROM tables WHERE revision = ?1 AND hash = ?2",
		APSP_BIND(apsp_bind_text(wish->revision),
			apsp_bind_text(key.hash)),
		&tables, err);
	if (r == 0)
		r = apsp_job_queue_add(
			tx, &place, key.text, key.hash, &job, err);
	/* if the tables exist, set the profile's job to NULL: the profile uses
	   the tables from now on */
	if (r >= 0)
		r = apsp_sql_run(tx->db,
			"UPDATE profiles SET rule = ?3, hash = ?4, job = ?5,"
			" served_rule = iif(?5 IS NULL, ?3, served_rule),"
			" served_hash = iif(?5 IS NULL, ?4, served_hash)"
			" WHERE generation = ?1 AND name = ?2",
			APSP_BIND(apsp_bind_id(place.generation),
				apsp_bind_text(place.name),
				apsp_bind_text(key.text),
				apsp_bind_text(key.hash), apsp_bind_id(job)),
			err);
	return r < 0 ? r : apsp_transaction_touch(tx, place.graph, err);
}

/*
 * Give tables or a job to each profile that has neither (struct wish),
 * generation by generation. In each generation, the profile `default` comes
 * first. The other profiles follow in order of the estimated seconds of their
 * jobs.
 */
static int wishes_grant(struct apsp_transaction *tx, struct apsp_err *err)
{
	APSP_AUTO(wishes_done) struct wishes wishes = {0};
	int r = wishes_load(tx, &wishes, err);

	if (r == 0 && wishes.n > 0)
		qsort(wishes.all, wishes.n, sizeof(*wishes.all), order);
	for (size_t i = 0; r == 0 && i < wishes.n; i++) {
		r = wish_grant(tx, &wishes.all[i], err);
		/* skip this profile: its rule depends on labels or attributes
		   that cannot be read */
		if (r == APSP_EROW)
			r = 0;
	}
	return r;
}

/* Jobs are run for only one generation of a graph at a time. If a profile of
   another generation has a queued or running job, set the profile's job to
   NULL. The profile may later get tables or another job (struct wish). */
static int wishes_withdraw(struct apsp_transaction *tx, struct apsp_err *err)
{
	return apsp_transaction_touch_each(tx,
		"UPDATE profiles SET job = NULL FROM generations g, jobs j"
		" WHERE g.id = profiles.generation AND j.id = profiles.job"
		" AND j.state IN ('queued', 'running')"
		" AND NOT (" APSP_GENERATION_COMPUTES ")"
		" RETURNING (SELECT graph FROM generations"
		"  WHERE id = generation)",
		NULL, err);
}

int apsp_generations_settle(struct apsp_transaction *tx, struct apsp_err *err)
{
	/*
	 * The order of these calls matters. wishes_grant() can give a job to a
	 * profile before jobs_drop() cancels the jobs to which no profile
	 * refers. So if the profile for which a job was queued no longer needs
	 * it, but another profile needs the same tables, the job goes on.
	 */
	int r = rules_give_up(tx, err);

	if (r == 0)
		r = lost_tables_settle(tx, err);
	if (r == 0)
		r = wishes_grant(tx, err);
	if (r == 0)
		r = ready_switch(tx, err);
	if (r == 0)
		r = wishes_withdraw(tx, err);
	if (r == 0)
		r = jobs_drop(tx, err);
	if (r == 0)
		r = apsp_transaction_collect(tx,
			"DELETE FROM tables WHERE NOT EXISTS"
			" (SELECT 1 FROM generations g JOIN profiles p"
			"  ON p.generation = g.id"
			"  WHERE g.revision = tables.revision AND"
			"  (tables.hash = p.served_hash OR"
			"   tables.hash = p.hash AND NOT " APSP_RULE_GIVEN_UP
			"  ))"
			" RETURNING id",
			NULL, &tx->dropped_tables, err);
	if (r == 0)
		r = apsp_received_tables_sweep(tx, err);
	return r;
}

int apsp_generations_commit(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r = apsp_generations_settle(tx, err);

	return r < 0 ? r : apsp_transaction_commit(tx, err);
}

int apsp_generations_sweep(
	struct apsp_store *store, bool loading, struct apsp_err *err)
{
	static const struct apsp_chunk_sweep sweep = {
		"DELETE FROM chunks WHERE id IN"
		" (SELECT id FROM chunks WHERE generation = ?1 LIMIT ?2)",
		"SELECT 1 FROM chunks WHERE generation = ?1",
		"DELETE FROM generations WHERE id = ?1",
	};
	int64_t id = 0;
	int r;

	do {
		r = apsp_sql_int(store->db,
			"SELECT id FROM generations WHERE id > ?2 AND"
			" (state = 'deleting'"
			"  OR (state = 'loading' AND NOT ?1))"
			" ORDER BY id LIMIT 1",
			APSP_BIND(apsp_bind_int(loading), apsp_bind_int(id)),
			&id, err);
	} while (r > 0 && apsp_held_uploads_has(&store->held, (uint64_t)id));
	return r > 0 ? apsp_chunk_sweep_step(store->db, &sweep, id, err) : r;
}
