/*
 * The commands that change a stored graph; see graphs.h.
 *
 * The attributes of a graph's vertices are stored in several steps, each a
 * short transaction. A set of attributes is in use as soon as a generation of
 * the graph (a stored upload) refers to it. Housekeeping removes sets to which
 * no generation refers (storage/database/README.md, One connection writes).
 *
 *	row of the set → chunks of the set … → generations refer to the set
 */
#include "storage/graphs.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/job_part.h"
#include "storage/jobs/profile_rows.h"
#include "storage/snapshots/default_rule.h"
#include "storage/snapshots/graph_reader.h"

struct command {
	struct apsp_command base;
	struct apsp_store *store;
	char graph[APSP_NAME_SIZE];
	const struct apsp_precondition *precondition; /* borrowed */

	/* for unit_run(): the new unit of weights */
	char unit[APSP_UNIT_SIZE];

	/* for profile_put_run(): the profile's name, its rule, and the result.
	   profile_delete_run() uses only the name */
	char profile[APSP_NAME_SIZE];
	struct apsp_profile rule;
	struct apsp_put_result *out_result;

	/* for attributes_run(): the new attributes; owned. If the text has no
	   bytes, the graph's attributes are removed. */
	struct apsp_attribute_text text;
	struct apsp_attributes **out_attributes;
	uint64_t id;   /* id of the new attributes in the database; 0: none of
			  their rows is stored yet */
	size_t stored; /* number of bytes of the text that are already stored */
};

int apsp_graphs_precondition(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;

	snapshot = apsp_snapshot_map_get(store->snapshots, name);
	/* if the graph does not exist, do not check the tag of a profile or of
	   attributes: the command will report the missing graph */
	if (!snapshot && precondition &&
		precondition->subject != APSP_SUBJECT_GRAPH)
		return 0;
	return apsp_precondition_check(snapshot, name, precondition, err);
}

/* Find the graph, and check the precondition. The snapshot is up to date,
   because only this thread builds snapshots. */
static int graph_find(const struct command *command,
	const struct apsp_graph_snapshot **out, struct apsp_err *err)
{
	int r = apsp_snapshot_map_find(
		command->store->snapshots, command->graph, out, err);

	return r < 0 ? r
		     : apsp_precondition_check(*out, command->graph,
			       command->precondition, err);
}

/* Find the graph and check the precondition, as graph_find() does, but release
   the snapshot. If a command that removes tables held the snapshot, the files
   of these tables would still take disk space. */
static int graph_check(const struct command *command, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;

	return graph_find(command, &snapshot, err);
}

static bool is_conditional(const struct apsp_precondition *wanted)
{
	return wanted && (wanted->must_exist || wanted->must_not_exist ||
				 wanted->has_tag || wanted->revision);
}

static int delete_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r = graph_check(command, err);

	/* a graph whose rows cannot be read can be deleted, but only without a
	   condition, because no condition can be checked */
	if (r == APSP_EROW && !is_conditional(command->precondition))
		r = 0;
	/* a lost graph (apsp_graphs_name_lost()) has no rows, but its
	   snapshot must be removed */
	if (r == APSP_ENOGRAPH && !is_conditional(command->precondition) &&
		apsp_snapshot_map_has(
			command->store->snapshots, command->graph))
		r = 0;
	if (r == 0)
		r = apsp_transaction_begin(&tx, command->store, err);
	if (r == 0)
		r = apsp_generations_give_up(&tx, 0, command->graph, err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->graph, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

static int lost_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	struct apsp_snapshot_map *map = command->store->snapshots;
	const struct apsp_graph_snapshot *lost = NULL;
	struct apsp_err why;
	int r;

	if (apsp_snapshot_map_has(map, command->graph))
		return 0;
	apsp_fail(&why, APSP_ENOGRAPH,
		"there is no copy of the graph '%s' here, and the daemon that "
		"this one follows cannot read it",
		command->graph);
	r = apsp_snapshot_map_reserve(map, 1, err);
	if (r == 0)
		r = apsp_graph_reader_unusable(
			command->graph, &why, &lost, err);
	if (r == 0)
		apsp_snapshot_map_set(map, command->graph, lost);
	return r;
}

int apsp_graphs_name_lost(
	struct apsp_store *store, const char *name, struct apsp_err *err)
{
	struct command command = {.store = store};
	int r = apsp_name_set(command.graph, "graph", name, err);

	/* most calls end here, and need not wait for the writer thread; for
	   the others, that thread repeats the check */
	if (r < 0 || apsp_snapshot_map_has(store->snapshots, name))
		return r;
	return apsp_writer_run(store->writer, &command.base, lost_run, err);
}

static int unit_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r = graph_check(command, err);

	if (r == 0)
		r = apsp_transaction_begin(&tx, command->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE generations SET weight_unit = ?1"
			" WHERE graph = ?2",
			APSP_BIND(apsp_bind_text(command->unit),
				apsp_bind_text(command->graph)),
			err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->graph, err);
	return r < 0 ? r : apsp_transaction_commit(&tx, err);
}

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

/* Refuse to define a profile if the graph cannot get tables: there is no
   current upload, and the job of the pending upload's `default` has failed or
   was cancelled. */
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

static int profile_put_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	const struct apsp_generation *newest, *chosen;
	bool is_default = strcmp(command->profile, "default") == 0;
	struct apsp_profile_place place;
	int r;

	r = graph_find(command, &snapshot, err);
	if (r == 0 && is_default)
		r = apsp_default_rule_check(
			snapshot, &command->rule, command->precondition, err);
	if (r < 0)
		return r;
	/* count the profiles of the newest upload, even if its job has failed:
	   the next upload queues a job for each of these profiles, and the
	   queue must have places for all of them */
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
	/* If the graph has a current and a pending upload, define the
	   profile in both. Only `default` is not defined in both: if the job
	   of a new `default` fails or is cancelled, the current upload must
	   still have its own rule. */
	for (size_t i = 0; r == 0 && i < snapshot->n_live; i++) {
		if (is_default && &snapshot->live[i] != chosen)
			continue;
		place = place_in(command, &snapshot->live[i]);
		r = apsp_profile_rows_define(&tx, &place, &command->rule, err);
		if (r == 0 && !is_default && snapshot->current)
			r = apsp_profile_rows_earlier(&tx, &place,
				apsp_generation_profile(
					snapshot->current, command->profile),
				err);
	}
	place = place_in(command, chosen);
	if (r == 0)
		r = apsp_profile_rows_commit(
			&tx, &place, command->out_result, err);
	return r;
}

static int profile_delete_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	if (strcmp(command->profile, "default") == 0)
		return apsp_fail(err, APSP_EDATA,
			"the profile 'default' cannot be deleted");
	r = graph_check(command, err);
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

static void attributes_free(struct apsp_command *base)
{
	struct command *command = (struct command *)base;

	apsp_attribute_text_done(&command->text);
	free(command);
}

static int attributes_check(struct command *command, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_generation *upload;
	int r;

	r = graph_find(command, &snapshot, err);
	if (r < 0)
		return r;
	/* the pending and the current upload both get the attributes */
	for (size_t i = 0; r == 0 && i < snapshot->n_live; i++)
		r = apsp_attributes_size_check(command->text.n_columns,
			snapshot->live[i].n_vertices, err);
	upload = apsp_graph_snapshot_changed(snapshot, NULL);
	if (r < 0 || !command->text.bytes || command->id)
		return r;
	return apsp_attribute_text_check(&command->text, upload->labels, err);
}

/* Store the row that describes the new attributes or, if this row exists, the
   next chunk of the attributes. Returns 1, or 0 if no chunk is left to
   store. */
static int part_store(struct command *command, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	/* before the first row is stored, start housekeeping: if a later step
	   fails, housekeeping removes the rows that were stored */
	tx.sweep = !command->id;
	r = apsp_transaction_begin(&tx, command->store, err);
	if (r == 0)
		r = apsp_attribute_rows_add(tx.db, &command->text, &command->id,
			&command->stored, err);
	if (r <= 0)
		return r;
	r = apsp_transaction_commit(&tx, err);
	return r < 0 ? r : 1;
}

static int attributes_use(struct command *command, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *old = NULL;
	struct apsp_attributes *stored;
	int r;

	r = apsp_transaction_begin(&tx, command->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE generations SET attributes = ?1"
			" WHERE graph = ?2",
			APSP_BIND(apsp_bind_id(command->id),
				apsp_bind_text(command->graph)),
			err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->graph, err);
	old = apsp_snapshot_map_get(command->store->snapshots, command->graph);
	if (r == 0 && old)
		r = apsp_profile_rows_rekey(&tx, old, err);
	tx.sweep = true;
	if (r == 0)
		r = apsp_transaction_commit(&tx, err);
	if (r < 0)
		return r;
	snapshot = apsp_snapshot_map_get(
		command->store->snapshots, command->graph);
	stored = snapshot ? apsp_graph_snapshot_changed(snapshot, NULL)
				    ->attributes
			  : NULL;
	if (stored && command->out_attributes)
		*command->out_attributes = apsp_attributes_ref(stored);
	return 0;
}

static int attributes_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	int r;

	r = attributes_check(command, err);
	if (r == 0 && command->text.bytes)
		r = part_store(command, err);
	return r != 0 ? r : attributes_use(command, err);
}

/* Post a command on the graph `graph`, and on its profile `profile` unless that
   is NULL. */
static void command_post(struct command *command, struct apsp_store *store,
	const char *graph, const char *profile)
{
	struct apsp_err err;
	int r = 0;

	command->store = store;
	/* if the name is invalid, report that there is no such graph */
	if (apsp_name_set(command->graph, "graph", graph, NULL) < 0)
		r = apsp_snapshot_map_missing(graph, &err);
	else if (profile)
		r = apsp_name_set(command->profile, "profile", profile, &err);
	/* if the profile to delete has an invalid name, report that it does not
	   exist */
	if (r < 0 && *command->graph && command->base.run == profile_delete_run)
		r = apsp_graph_snapshot_no_profile(graph, profile, &err);
	if (r < 0)
		apsp_command_end(&command->base, r, &err);
	else
		apsp_writer_post(store->writer, &command->base);
}

void apsp_graphs_delete(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), delete_run, done);

	if (!command)
		return;
	command->precondition = precondition;
	command_post(command, store, name, NULL);
}

void apsp_graphs_set_unit(struct apsp_store *store, const char *name,
	const char unit[APSP_UNIT_SIZE],
	const struct apsp_precondition *precondition, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), unit_run, done);

	if (!command)
		return;
	memcpy(command->unit, unit, sizeof(command->unit));
	command->precondition = precondition;
	command_post(command, store, name, NULL);
}

void apsp_profiles_put(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_profile *rule,
	const struct apsp_precondition *precondition,
	struct apsp_put_result *out, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), profile_put_run, done);

	if (!command)
		return;
	command->rule = *rule;
	command->precondition = precondition;
	command->out_result = out;
	command_post(command, store, graph, profile);
}

void apsp_profiles_delete(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_precondition *precondition,
	struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), profile_delete_run, done);

	if (!command)
		return;
	command->precondition = precondition;
	command_post(command, store, graph, profile);
}

void apsp_attributes_put(struct apsp_store *store, const char *graph,
	struct apsp_attribute_text *text,
	const struct apsp_precondition *precondition,
	struct apsp_attributes **out, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), attributes_run, done);

	if (!command) {
		if (text)
			apsp_attribute_text_done(text);
		return;
	}
	command->base.free = attributes_free;
	command->base.key = command->graph;
	command->precondition = precondition;
	command->out_attributes = out;
	if (text) {
		command->text = *text;
		memset(text, 0, sizeof(*text));
	}
	command_post(command, store, graph, NULL);
}
