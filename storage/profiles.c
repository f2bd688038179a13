/*
 * Defines and deletes profiles of graphs; see profiles.h.
 */
#include "storage/profiles.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/graphs.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/job_part.h"
#include "storage/jobs/profile_rows.h"
#include "storage/snapshots/default_rule.h"

struct command {
	struct apsp_command base;
	struct apsp_store *store;
	char graph[APSP_NAME_SIZE];
	char profile[APSP_NAME_SIZE];
	struct apsp_profile rule;
	const struct apsp_precondition *precondition; /* borrowed */
	struct apsp_put_result *out;
};

static struct apsp_profile_place place_in(
	const struct command *command, const struct apsp_generation *generation)
{
	return (struct apsp_profile_place){
		.generation = generation->id,
		.revision = generation->revision,
		.graph = command->graph,
		.name = command->profile,
	};
}

/* Refuse a profile of an upload without tables whose job of `default` has
   failed. */
static int computable_check(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *upload, struct apsp_err *err)
{
	const struct apsp_profile_snapshot *base;

	if (upload == snapshot->current || apsp_graph_snapshot_coming(snapshot))
		return 0;
	base = apsp_generation_profile(upload, "default");
	return apsp_fail(err, APSP_ETABLES,
		"the graph '%s' cannot answer, because it has no tables of "
		"'default': %s; upload it again, or define 'default' again",
		snapshot->name, base->job_error.message);
}

static int put_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	const struct apsp_generation *newest, *chosen;
	bool is_default = strcmp(command->profile, "default") == 0;
	struct apsp_profile_place place;
	int r;

	/* this snapshot is up to date, because only this thread builds
	   snapshots */
	r = apsp_snapshot_map_find(
		command->store->snapshots, command->graph, &snapshot, err);
	if (r == 0)
		r = apsp_precondition_check(
			snapshot, command->graph, command->precondition, err);
	if (r == 0 && is_default)
		r = apsp_default_rule_check(
			snapshot, &command->rule, command->precondition, err);
	if (r < 0)
		return r;
	/* the queue must have a place for each profile of a graph, because an
	   upload queues a job for each profile of the newest upload, even if
	   the job of that upload has failed */
	newest = apsp_graph_snapshot_newest(snapshot);
	if (newest->n_profiles >= command->store->jobs->max_queued &&
		!apsp_generation_profile(newest, command->profile))
		r = apsp_fail(err, APSP_EDATA,
			"the graph '%s' has %zu profiles, which is the limit; "
			"delete one",
			command->graph, newest->n_profiles);
	chosen = apsp_graph_snapshot_changed(snapshot, command->profile);
	if (r == 0 && !is_default)
		r = computable_check(snapshot, chosen, err);
	if (r == 0)
		r = apsp_transaction_begin(&tx, command->store, err);
	if (r < 0)
		return r;
	/* another rule of `default` belongs to the pending upload: if its job
	   fails or is cancelled, the current upload keeps its rule */
	if (snapshot->current && snapshot->pending && !is_default) {
		place = place_in(command, chosen == snapshot->current
						  ? snapshot->pending
						  : snapshot->current);
		r = apsp_profile_rows_define(&tx, &place, &command->rule, err);
	}
	place = place_in(command, chosen);
	if (r == 0)
		r = apsp_profile_rows_define(&tx, &place, &command->rule, err);
	if (r == 0)
		r = apsp_profile_rows_commit(&tx, &place, command->out, err);
	return r;
}

static int delete_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	if (strcmp(command->profile, "default") == 0)
		return apsp_fail(err, APSP_EDATA,
			"the profile 'default' cannot be deleted");
	r = apsp_snapshot_map_find(
		command->store->snapshots, command->graph, &snapshot, err);
	if (r == 0)
		r = apsp_precondition_check(
			snapshot, command->graph, command->precondition, err);
	if (r == 0)
		r = apsp_transaction_begin(&tx, command->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"DELETE FROM profiles WHERE name = ?2 AND generation IN"
			" (SELECT id FROM generations WHERE graph = ?1)",
			APSP_BIND(apsp_bind_text(command->graph),
				apsp_bind_text(command->profile)),
			err);
	if (r == 0 && sqlite3_changes(tx.db) == 0)
		return apsp_graph_snapshot_no_profile(
			command->graph, command->profile, err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

static void command_post(struct command *command, struct apsp_store *store,
	const char *graph, const char *profile)
{
	struct apsp_err err;
	int r = apsp_graphs_name(command->graph, graph, &err);

	if (r == 0)
		r = apsp_name_set(command->profile, "profile", profile, &err);
	/* if the profile to delete has an invalid name, report that it does not
	   exist */
	if (r < 0 && *command->graph && command->base.run == delete_run)
		r = apsp_graph_snapshot_no_profile(graph, profile, &err);
	if (r < 0) {
		apsp_command_end(&command->base, r, &err);
		return;
	}
	command->store = store;
	apsp_writer_post(store->writer, &command->base);
}

void apsp_profiles_put(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_profile *rule,
	const struct apsp_precondition *precondition,
	struct apsp_put_result *out, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), put_run, done);

	if (!command)
		return;
	command->rule = *rule;
	command->precondition = precondition;
	command->out = out;
	command_post(command, store, graph, profile);
}

void apsp_profiles_delete(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_precondition *precondition,
	struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), delete_run, done);

	if (!command)
		return;
	command->precondition = precondition;
	command_post(command, store, graph, profile);
}
