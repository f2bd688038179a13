/*
 * Wishes for tables; see wishes.h.
 */
#include "storage/jobs/wishes.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/jobs/job_queue.h"
#include "storage/snapshots/row.h"
#include "storage/snapshots/transaction.h"

struct wish {
	uint64_t generation;
	char graph[APSP_NAME_SIZE];
	char revision[APSP_HASH_SIZE];
	char profile[APSP_NAME_SIZE];
	struct apsp_profile rule;
	double seconds; /* an estimate; 0: none */
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

/* Read a row of wishes_load(). Returns 1, or 0: it cannot be read, and waits
   for a daemon that can. */
static int wish_read(const struct apsp_store_hooks *hooks, sqlite3_stmt *stmt,
	struct wish *out)
{
	struct apsp_job_size size = {
		.n_vertices = (uint64_t)sqlite3_column_int64(stmt, 5),
		.n_arcs = (uint64_t)sqlite3_column_int64(stmt, 6),
		.weights = (unsigned int)sqlite3_column_int(stmt, 7),
	};

	*out = (struct wish){
		.generation = (uint64_t)sqlite3_column_int64(stmt, 0)};
	if (apsp_sql_text(stmt, 1, out->graph, sizeof(out->graph), NULL) < 0 ||
		apsp_sql_text(stmt, 2, out->revision, sizeof(out->revision),
			NULL) < 0 ||
		apsp_sql_text(stmt, 3, out->profile, sizeof(out->profile),
			NULL) < 0 ||
		apsp_row_rule(stmt, 4, &out->rule, NULL) < 0)
		return 0;
	if (hooks->job_seconds)
		out->seconds =
			hooks->job_seconds(hooks->ctx, &size, &out->rule);
	return 1;
}

static int wishes_load(
	struct apsp_transaction *tx, struct wishes *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct wish *larger;
	int r;

	r = apsp_sql_prepare(tx->db,
		"SELECT g.id, g.graph, g.revision, p.name, p.rule,"
		" g.n_vertices, g.n_arcs, g.weights"
		" FROM profiles p JOIN generations g ON g.id = p.generation"
		" WHERE p.job IS NULL AND p.served_hash IS NOT p.hash"
		" AND " APSP_GENERATION_COMPUTES " ORDER BY p.name",
		NULL, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		if (out->n == out->capacity) {
			out->capacity = out->capacity * 2 + 8;
			larger = reallocarray(
				out->all, out->capacity, sizeof(*out->all));
			if (!larger)
				return apsp_fail(err, APSP_ENOMEM,
					"no memory for profiles");
			out->all = larger;
		}
		out->n += (size_t)wish_read(
			&tx->store->hooks, stmt, &out->all[out->n]);
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
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];
	const struct apsp_profile_place place = {
		.generation = wish->generation,
		.revision = wish->revision,
		.graph = wish->graph,
		.name = wish->profile,
	};
	uint64_t job = 0;
	int64_t tables;
	int r;

	apsp_row_rule_write(&wish->rule, text, hash);
	r = apsp_sql_int(tx->db,
		"SELECT id FROM tables WHERE revision = ?1 AND hash = ?2",
		APSP_BIND(apsp_bind_text(wish->revision), apsp_bind_text(hash)),
		&tables, err);
	if (r == 0)
		r = apsp_job_queue_add(tx, &place, text, hash, &job, err);
	/* without a job the tables are there, and are served from now on */
	if (r >= 0)
		r = apsp_sql_run(tx->db,
			"UPDATE profiles SET rule = ?3, hash = ?4, job = ?5,"
			" served_rule = iif(?5 IS NULL, ?3, served_rule),"
			" served_hash = iif(?5 IS NULL, ?4, served_hash)"
			" WHERE generation = ?1 AND name = ?2",
			APSP_BIND(apsp_bind_id(place.generation),
				apsp_bind_text(place.name),
				apsp_bind_text(text), apsp_bind_text(hash),
				apsp_bind_id(job)),
			err);
	return r < 0 ? r : apsp_transaction_touch(tx, place.graph, err);
}

int apsp_wishes_grant(struct apsp_transaction *tx, struct apsp_err *err)
{
	APSP_AUTO(wishes_done) struct wishes wishes = {0};
	int r = wishes_load(tx, &wishes, err);

	if (r == 0 && wishes.n > 0)
		qsort(wishes.all, wishes.n, sizeof(*wishes.all), order);
	for (size_t i = 0; r == 0 && i < wishes.n; i++)
		r = wish_grant(tx, &wishes.all[i], err);
	return r;
}

/* The profiles with a job under way that runs for another generation. */
#define ABANDONED                                                              \
	"profiles p JOIN generations g ON g.id = p.generation"                 \
	" WHERE p.job IN (SELECT id FROM jobs"                                 \
	"  WHERE state IN ('queued', 'running'))"                              \
	" AND NOT (" APSP_GENERATION_COMPUTES ")"

int apsp_wishes_withdraw(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r = apsp_transaction_touch_each(
		tx, "SELECT DISTINCT g.graph FROM " ABANDONED, NULL, err);

	if (r == 0)
		r = apsp_sql_run(tx->db,
			"UPDATE profiles SET job = NULL"
			" WHERE (generation, name) IN"
			" (SELECT p.generation, p.name FROM " ABANDONED ")",
			NULL, err);
	return r;
}
