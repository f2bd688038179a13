/*
 * Profiles: their rows, the jobs that they need, and the commands on them.
 */
#include <string.h>

#include <nettle/sha2.h>

#include "daemon/base/auto.h"
#include "storage/generations.h"
#include "storage/room.h"
#include "storage/sql.h"

void apsp_profile_hash(const struct apsp_profile *rule,
	char out_text[APSP_PROFILE_TEXT_SIZE], char out_hash[APSP_HASH_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	apsp_profile_format(rule, out_text);
	sha256_init(&sha);
	sha256_update(&sha, strlen(out_text), (const uint8_t *)out_text);
	sha256_digest(&sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++) {
		out_hash[2 * i] = digits[digest[i] >> 4];
		out_hash[2 * i + 1] = digits[digest[i] & 15];
	}
	out_hash[2 * sizeof(digest)] = '\0';
}

/* A profile's row as it is, its job's state included. */
struct row {
	bool there;
	bool served; /* with the newest rule */
	char hash[APSP_HASH_SIZE];
	uint64_t job;
	enum apsp_job_state job_state;
};

static int row_read(struct apsp_change *change,
	const struct apsp_profile_place *place, struct row *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	char state[16];
	int r;

	r = apsp_sql_prepare(change->db,
		"SELECT p.hash, p.served_hash IS p.hash, p.job, j.state"
		" FROM profiles p LEFT JOIN jobs j ON j.id = p.job"
		" WHERE p.generation = ?1 AND p.name = ?2",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->name)),
		&stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r <= 0)
		return r;
	out->there = true;
	apsp_sql_text(stmt, 0, out->hash, sizeof(out->hash));
	out->served = sqlite3_column_int(stmt, 1);
	out->job = (uint64_t)sqlite3_column_int64(stmt, 2);
	apsp_sql_text(stmt, 3, state, sizeof(state));
	if (out->job)
		out->job_state =
			(enum apsp_job_state)apsp_job_state_from_name(state);
	return 0;
}

static bool state_active(enum apsp_job_state state)
{
	return state == APSP_JOB_QUEUED || state == APSP_JOB_RUNNING;
}

/*
 * A job under way for the same tables of the same graph, which some profile
 * still wants: one that nobody wants is about to be cancelled. Returns 1 or 0.
 */
static int job_share(struct apsp_change *change,
	const struct apsp_profile_place *place, const char *hash,
	struct apsp_put_result *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	char state[16];
	int r;

	r = apsp_sql_prepare(change->db,
		"SELECT j.id, j.state FROM jobs j WHERE j.state IN"
		" ('queued', 'running') AND j.graph = ?1 AND j.revision = ?2"
		" AND j.hash = ?3 AND EXISTS"
		" (SELECT 1 FROM profiles p WHERE p.job = j.id)",
		APSP_BIND(apsp_bind_text(place->graph),
			apsp_bind_text(place->revision), apsp_bind_text(hash)),
		&stmt, err);
	if (r == 0)
		r = apsp_sql_step(stmt, err);
	if (r <= 0)
		return r;
	out->job = (uint64_t)sqlite3_column_int64(stmt, 0);
	apsp_sql_text(stmt, 1, state, sizeof(state));
	out->job_state = (enum apsp_job_state)apsp_job_state_from_name(state);
	return 1;
}

/* The bound is for what one client asks: its first job is let in or refused. */
static int queue_check(struct apsp_change *change, struct apsp_err *err)
{
	int64_t n = 0;
	int r;

	if (change->unbounded || change->n_new_jobs > 0)
		return 0;
	r = apsp_sql_int(change->db,
		"SELECT count(*) FROM jobs WHERE state = 'queued'", NULL, &n,
		err);
	if (r < 0)
		return r;
	if (n >= change->store->max_queued_jobs)
		return apsp_fail(err, APSP_EQUEUEFULL,
			"%lld jobs are waiting, and no more may", (long long)n);
	return 0;
}

static int job_queue(struct apsp_change *change,
	const struct apsp_profile_place *place, const char *rule,
	const char *hash, struct apsp_put_result *out, struct apsp_err *err)
{
	int r;

	r = job_share(change, place, hash, out, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = queue_check(change, err);
	if (r < 0)
		return r;
	r = apsp_sql_run(change->db,
		"INSERT INTO jobs (generation, graph, profile, revision, rule,"
		" hash, state, queued_at_ms)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'queued', ?7)",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->graph),
			apsp_bind_text(place->name),
			apsp_bind_text(place->revision), apsp_bind_text(rule),
			apsp_bind_text(hash),
			apsp_bind_int(apsp_store_now_ms())),
		err);
	if (r < 0)
		return r;
	out->job = (uint64_t)sqlite3_last_insert_rowid(change->db);
	out->job_state = APSP_JOB_QUEUED;
	change->n_new_jobs++;
	change->jobs_queued = true;
	return 0;
}

/* Write the row; where the tables are there they are served from now on. */
static int row_write(struct apsp_change *change,
	const struct apsp_profile_place *place, const char *rule,
	const char *hash, uint64_t job, struct apsp_err *err)
{
	return apsp_sql_run(change->db,
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

int apsp_profile_define(struct apsp_change *change,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_put_result *out, struct apsp_err *err)
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];
	struct apsp_put_result result = {.job_state = APSP_JOB_SUCCEEDED};
	struct row row = {0};
	int64_t tables;
	int r;

	apsp_profile_hash(rule, text, hash);
	r = row_read(change, place, &row, err);
	if (r < 0)
		return r;
	result.created = !row.there;
	result.generation = place->generation;
	if (row.there && strcmp(row.hash, hash) == 0) {
		if (row.served || (row.job && state_active(row.job_state))) {
			result.job = row.served ? 0 : row.job;
			if (result.job)
				result.job_state = row.job_state;
			*out = result;
			return 0;
		}
	}
	r = apsp_sql_int(change->db,
		"SELECT id FROM tables WHERE revision = ?1 AND hash = ?2",
		APSP_BIND(
			apsp_bind_text(place->revision), apsp_bind_text(hash)),
		&tables, err);
	if (r == 0)
		r = job_queue(change, place, text, hash, &result, err);
	if (r >= 0)
		r = row_write(change, place, text, hash, result.job, err);
	if (r == 0)
		r = apsp_change_touch(change, place->graph, err);
	if (r == 0)
		*out = result;
	return r;
}

struct command {
	struct apsp_command base;
	struct apsp_store *store;
	char graph[APSP_NAME_SIZE];
	char profile[APSP_NAME_SIZE];
	struct apsp_profile rule;
	struct apsp_put_result *out;
};

APSP_AUTO_DEFINE(
	view_unref, const struct apsp_graph_view, apsp_graph_view_unref);

/* Define it in one generation; `created` is said of the newest one. */
static int generation_define(struct apsp_change *change,
	const struct command *command, const struct apsp_generation *generation,
	struct apsp_put_result *out, struct apsp_err *err)
{
	struct apsp_profile_place place = {
		.generation = generation->id,
		.revision = generation->revision,
		.graph = command->graph,
		.name = command->profile,
	};

	return apsp_profile_define(change, &place, &command->rule, out, err);
}

static int put_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(view_unref) const struct apsp_graph_view *view = NULL;
	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
	struct apsp_put_result result = {0}, ignored;
	int r;

	/* only this thread changes views, so what the view shows is so */
	r = apsp_graphs_view(command->store, command->graph, &view, err);
	if (r == 0)
		r = apsp_change_begin(&change, command->store, err);
	if (r == 0)
		r = generation_define(&change, command,
			apsp_graph_view_newest(view), &result, err);
	if (r == 0 && view->pending && view->current)
		r = generation_define(
			&change, command, view->current, &ignored, err);
	if (r == 0)
		r = apsp_generations_settle(&change, err);
	if (r == 0)
		r = apsp_room_admit(&change, err);
	if (r == 0)
		r = apsp_change_commit(&change, err);
	if (r == 0)
		*command->out = result;
	return r;
}

static int delete_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(view_unref) const struct apsp_graph_view *view = NULL;
	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
	int r;

	if (strcmp(command->profile, "default") == 0)
		return apsp_fail(err, APSP_EDATA,
			"the profile 'default' cannot be deleted");
	r = apsp_graphs_view(command->store, command->graph, &view, err);
	if (r == 0)
		r = apsp_change_begin(&change, command->store, err);
	if (r == 0)
		r = apsp_sql_run(change.db,
			"DELETE FROM profiles WHERE name = ?2 AND generation IN"
			" (SELECT id FROM generations WHERE graph = ?1)",
			APSP_BIND(apsp_bind_text(command->graph),
				apsp_bind_text(command->profile)),
			err);
	if (r == 0 && sqlite3_changes(change.db) == 0)
		return apsp_fail(err, APSP_ENOPROFILE,
			"the graph '%s' has no profile '%s'", command->graph,
			command->profile);
	if (r == 0)
		r = apsp_change_touch(&change, command->graph, err);
	if (r == 0)
		r = apsp_generations_settle(&change, err);
	if (r == 0)
		r = apsp_change_commit(&change, err);
	return r;
}

static void command_post(struct command *command, struct apsp_store *store,
	const char *graph, const char *profile)
{
	command->store = store;
	strncpy(command->graph, graph, sizeof(command->graph) - 1);
	strncpy(command->profile, profile, sizeof(command->profile) - 1);
	apsp_writer_post(store->writer, &command->base);
}

void apsp_profiles_put(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_profile *rule,
	struct apsp_put_result *out, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), put_run, done);

	if (!command)
		return;
	command->rule = *rule;
	command->out = out;
	command_post(command, store, graph, profile);
}

void apsp_profiles_delete(struct apsp_store *store, const char *graph,
	const char *profile, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), delete_run, done);

	if (command)
		command_post(command, store, graph, profile);
}
