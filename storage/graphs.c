/*
 * The graphs by name; see graphs.h.
 */
#include "storage/graphs.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/generations.h"

int apsp_graphs_snapshot(struct apsp_store *store, const char *name,
	const struct apsp_graph_snapshot **out, struct apsp_err *err)
{
	const struct apsp_graph_snapshot *snapshot =
		apsp_snapshot_map_get(store->snapshots, name);

	if (!snapshot)
		return apsp_fail(
			err, APSP_ENOGRAPH, "there is no graph '%s'", name);
	*out = snapshot;
	return 0;
}

size_t apsp_graphs_list(struct apsp_store *store, const char *after,
	const struct apsp_graph_snapshot **out, size_t max)
{
	return apsp_snapshot_map_list(store->snapshots, after, out, max);
}

int apsp_graphs_precondition(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;

	snapshot = apsp_snapshot_map_get(store->snapshots, name);
	return apsp_precondition_check(snapshot, name, precondition, err);
}

struct command {
	struct apsp_command base;
	struct apsp_store *store;
	char name[APSP_NAME_SIZE];
	const struct apsp_precondition *precondition; /* borrowed */
};

static int delete_run(struct apsp_command *base, struct apsp_err *err)
{
	struct command *command = (struct command *)base;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_graphs_snapshot(command->store, command->name, &snapshot, err);
	if (r == 0)
		r = apsp_precondition_check(
			snapshot, command->name, command->precondition, err);
	if (r == 0)
		r = apsp_transaction_begin(&tx, command->store, err);
	if (r == 0 && snapshot->pending)
		r = apsp_generations_give_up(&tx, snapshot->pending->id, err);
	if (r == 0 && snapshot->current)
		r = apsp_generations_give_up(&tx, snapshot->current->id, err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, command->name, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	return r;
}

void apsp_graphs_delete(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_done done)
{
	struct command *command =
		apsp_command_new(sizeof(*command), delete_run, done);

	if (!command)
		return;
	command->store = store;
	strncpy(command->name, name, sizeof(command->name) - 1);
	command->precondition = precondition;
	apsp_writer_post(store->writer, &command->base);
}
