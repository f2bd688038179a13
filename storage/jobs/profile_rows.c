/*
 * The rows of profiles; see profile_rows.h.
 */
#include "storage/jobs/profile_rows.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/jobs/disk_space.h"
#include "storage/jobs/generations.h"
#include "storage/snapshots/row.h"

void apsp_profile_rows_hash(const struct apsp_profile *rule,
	char out_text[APSP_PROFILE_TEXT_SIZE], char out_hash[APSP_HASH_SIZE])
{
	apsp_profile_format(rule, out_text);
	apsp_row_hash(out_text, out_hash);
}

/* A profile's row, and its job's state. */
struct row {
	bool there;
	bool served; /* the tables of the newest rule */
	char hash[APSP_HASH_SIZE];
	uint64_t job;
	enum apsp_job_state job_state;
};

static int row_read(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, struct row *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct apsp_profile rule;
	int r;

	r = apsp_sql_prepare(tx->db,
		"SELECT p.hash, p.served_hash IS p.hash, p.job, j.state,"
		" p.rule FROM profiles p LEFT JOIN jobs j ON j.id = p.job"
		" WHERE p.generation = ?1 AND p.name = ?2",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->name)),
		&stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r <= 0)
		return r;
	out->there = true;
	out->served = sqlite3_column_int(stmt, 1);
	out->job = (uint64_t)sqlite3_column_int64(stmt, 2);
	/* a row that cannot be read is that of another rule, and is replaced */
	if (apsp_sql_text(stmt, 0, out->hash, sizeof(out->hash), NULL) < 0 ||
		apsp_row_rule(stmt, 4, &rule, NULL) < 0 ||
		(out->job &&
			apsp_row_job_state(stmt, 3, &out->job_state, NULL) < 0))
		memset(out->hash, 0, sizeof(out->hash));
	return 0;
}

/* Write the row. job 0: the tables are there and are served from now on. */
static int row_write(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const char *rule,
	const char *hash, uint64_t job, struct apsp_err *err)
{
	return apsp_sql_run(tx->db,
		"INSERT INTO profiles (generation, name, rule, hash, job,"
		" served_rule, served_hash) VALUES (?1, ?2, ?3, ?4, ?5,"
		" iif(?5 IS NULL, ?3, NULL), iif(?5 IS NULL, ?4, NULL))"
		" ON CONFLICT DO UPDATE SET rule = ?3, hash = ?4, job = ?5,"
		" served_rule = iif(?5 IS NULL, ?3, served_rule),"
		" served_hash = iif(?5 IS NULL, ?4, served_hash)",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->name), apsp_bind_text(rule),
			apsp_bind_text(hash), apsp_bind_id(job)),
		err);
}

int apsp_profile_rows_define(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_put_result *out, struct apsp_err *err)
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];
	struct apsp_put_result result = {.job_state = APSP_JOB_SUCCEEDED};
	struct row row = {0};
	int64_t tables;
	int r;

	apsp_profile_rows_hash(rule, text, hash);
	r = row_read(tx, place, &row, err);
	if (r < 0)
		return r;
	result.created = !row.there;
	result.generation = place->generation;
	if (row.there && strcmp(row.hash, hash) == 0) {
		if (row.served ||
			(row.job && apsp_job_state_active(row.job_state))) {
			result.job = row.served ? 0 : row.job;
			if (result.job)
				result.job_state = row.job_state;
			*out = result;
			return 0;
		}
	}
	r = apsp_sql_int(tx->db,
		"SELECT id FROM tables WHERE revision = ?1 AND hash = ?2",
		APSP_BIND(
			apsp_bind_text(place->revision), apsp_bind_text(hash)),
		&tables, err);
	if (r == 0)
		r = apsp_job_queue_add(tx, place, text, hash, &result, err);
	if (r >= 0)
		r = row_write(tx, place, text, hash, result.job, err);
	if (r == 0)
		r = apsp_transaction_touch(tx, place->graph, err);
	if (r == 0)
		*out = result;
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

int apsp_profile_rows_commit(struct apsp_transaction *tx, struct apsp_err *err)
{
	int r;

	r = apsp_generations_settle(tx, err);
	if (r == 0)
		r = apsp_job_queue_check(tx, err);
	if (r == 0)
		r = apsp_disk_space_admit(tx, err);
	if (r == 0)
		r = apsp_transaction_commit(tx, err);
	return r;
}
