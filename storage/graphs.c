/*
 * Deletes graphs and sets the unit of their weights; see graphs.h.
 */
#include "storage/graphs.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/jobs/generations.h"

int apsp_graphs_name(
	char out[APSP_NAME_SIZE], const char *name, struct apsp_err *err)
{
	return apsp_name_set(out, "graph", name, NULL) < 0
		       ? apsp_snapshot_map_missing(name, err)
		       : 0;
}

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

struct command {
	struct apsp_command base;
	struct apsp_store *store;
	char name[APSP_NAME_SIZE];
	char unit[APSP_UNIT_SIZE]; /* the new unit of weights; only unit_run()
				      reads it */
	const struct apsp_precondition *precondition; /* borrowed */
};

static bool is_conditional(const struct apsp_precondition *wanted)
{
	return wanted && (wanted->must_exist || wanted->must_not_exist ||
				 wanted->has_tag || wanted->revision);
}

/* Begin to change a graph. If the graph's rows cannot be read, the graph can
   only be deleted, and only without a condition, because no condition can be
   checked. `deletes` is true if the command deletes the graph. */
static int change_begin(const struct command *command, bool deletes,
	struct apsp_transaction *tx, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	int r;

	r = apsp_snapshot_map_find(
		command->store->snapshots, command->name, &snapshot, err);
	if (r == APSP_EROW && deletes && !is_conditional(command->precondition))
		r = 0;
	else if (r == 0)
		r = apsp_precondition_check(
			snapshot, command->name, command->precondition, err);
	return r < 0 ? r : apsp_transaction_begin(tx, command->store, err);
}

static int delete_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r = change_begin(command, true, &tx, err);

	if (r == 0)
		r = apsp_generations_give_up(&tx, 0, command->name, err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->name, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

static int unit_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r = change_begin(command, false, &tx, err);

	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE generations SET weight_unit = ?1"
			" WHERE graph = ?2",
			APSP_BIND(apsp_bind_text(command->unit),
				apsp_bind_text(command->name)),
			err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->name, err);
	return r < 0 ? r : apsp_transaction_commit(&tx, err);
}

/* Post a command on the graph `name`. `unit` is NULL if `run` needs no unit. */
static void command_post(struct apsp_store *store, const char *name,
	int (*run)(struct apsp_command *, struct apsp_err *), const char *unit,
	const struct apsp_precondition *precondition, struct apsp_done done)
{
	struct command *command = apsp_command_new(sizeof(*command), run, done);
	struct apsp_err err;
	int r;

	if (!command)
		return;
	r = apsp_graphs_name(command->name, name, &err);
	if (r < 0) {
		apsp_command_end(&command->base, r, &err);
		return;
	}
	command->store = store;
	command->precondition = precondition;
	if (unit)
		memcpy(command->unit, unit, sizeof(command->unit));
	apsp_writer_post(store->writer, &command->base);
}

void apsp_graphs_delete(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_done done)
{
	command_post(store, name, delete_run, NULL, precondition, done);
}

void apsp_graphs_set_unit(struct apsp_store *store, const char *name,
	const char unit[APSP_UNIT_SIZE],
	const struct apsp_precondition *precondition, struct apsp_done done)
{
	command_post(store, name, unit_run, unit, precondition, done);
}
