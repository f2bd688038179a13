/*
 * Graphs: what requests ask of the views, and the command that deletes one.
 */
#include "storage/graphs.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/generations.h"
#include "storage/graph_put.h"

APSP_AUTO_DEFINE(
	view_unref, const struct apsp_graph_view, apsp_graph_view_unref);

int apsp_graphs_view(struct apsp_store *store, const char *name,
	const struct apsp_graph_view **out, struct apsp_err *err)
{
	const struct apsp_graph_view *view =
		apsp_registry_get(store->registry, name);

	if (!view)
		return apsp_fail(
			err, APSP_ENOGRAPH, "there is no graph '%s'", name);
	*out = view;
	return 0;
}

size_t apsp_graphs_list(struct apsp_store *store, const char *after,
	const struct apsp_graph_view **out, size_t max)
{
	return apsp_registry_list(store->registry, after, out, max);
}

static bool job_active(const struct apsp_profile_view *profile)
{
	return profile->job_state == APSP_JOB_QUEUED ||
	       profile->job_state == APSP_JOB_RUNNING;
}

/* Whether a generation that serves nothing yet still may. */
static bool generation_hopes(const struct apsp_generation *generation)
{
	const struct apsp_profile_view *base =
		apsp_generation_profile(generation, "default");

	return base && (base->tables || job_active(base));
}

/*
 * The job to wait for: the profile's own or, where that has ended, the first of
 * those that the generation waits for before it is shown.
 */
static uint64_t job_awaited(const struct apsp_generation *generation,
	const struct apsp_profile_view *profile)
{
	for (size_t i = 0; !job_active(profile) && i < generation->n_profiles;
		i++)
		if (job_active(&generation->profiles[i]))
			profile = &generation->profiles[i];
	return profile->job;
}

int apsp_graph_view_tables(const struct apsp_graph_view *view, const char *name,
	const struct apsp_generation **out_generation,
	const struct apsp_profile_view **out_profile, uint64_t *out_job,
	struct apsp_err *err)
{
	const struct apsp_generation *generation =
		view->current ? view->current : view->pending;
	const struct apsp_profile_view *profile =
		apsp_generation_profile(generation, name);

	if (!profile)
		return apsp_fail(err, APSP_ENOPROFILE,
			"the graph '%s' has no profile '%s'", view->name, name);
	if (view->current && profile->tables) {
		*out_generation = generation;
		*out_profile = profile;
		return 0;
	}
	/* the first generation is shown when `default` is there, not before */
	if (!view->current && !job_active(profile) && profile->tables &&
		!generation_hopes(generation))
		profile = apsp_generation_profile(generation, "default");
	if (job_active(profile) || profile->tables) {
		*out_job = job_awaited(generation, profile);
		return apsp_fail(err, APSP_ENOTREADY,
			"the tables of '%s' with the profile '%s' are not "
			"ready yet: they wait for job %llu",
			view->name, name, (unsigned long long)*out_job);
	}
	*out_job = profile->job;
	return apsp_fail(err, APSP_ETABLES, "job %llu %s: %s",
		(unsigned long long)profile->job,
		profile->job_state == APSP_JOB_CANCELLED ? "was cancelled"
							 : "failed",
		profile->job_error.message);
}

int apsp_precondition_check(const struct apsp_graph_view *view,
	const char *name, const struct apsp_precondition *wanted,
	struct apsp_err *err)
{
	const struct apsp_generation *newest =
		view ? apsp_graph_view_newest(view) : NULL;

	if (!wanted)
		return 0;
	if (wanted->must_not_exist && newest)
		return apsp_fail(err, APSP_EPRECONDITION,
			"the graph '%s' exists already", name);
	if ((wanted->must_exist || wanted->if_match) && !newest)
		return apsp_fail(err, APSP_EPRECONDITION,
			"there is no graph '%s'", name);
	if (wanted->if_match && strcmp(wanted->if_match, newest->revision) != 0)
		return apsp_fail(err, APSP_EPRECONDITION,
			"the graph '%s' is at revision %.16s… by now", name,
			newest->revision);
	return 0;
}

int apsp_graphs_precondition(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_err *err)
{
	APSP_AUTO(view_unref) const struct apsp_graph_view *view = NULL;

	view = apsp_registry_get(store->registry, name);
	return apsp_precondition_check(view, name, precondition, err);
}

int apsp_graphs_admit(struct apsp_store *store, struct apsp_err *err)
{
	unsigned int n = atomic_load(&store->n_queued_jobs);

	if (n >= store->max_queued_jobs)
		return apsp_fail(err, APSP_EQUEUEFULL,
			"%u jobs are waiting, and no more may", n);
	return 0;
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
	APSP_AUTO(view_unref) const struct apsp_graph_view *view = NULL;
	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
	int r;

	r = apsp_graphs_view(command->store, command->name, &view, err);
	if (r == 0)
		r = apsp_precondition_check(
			view, command->name, command->precondition, err);
	if (r == 0)
		r = apsp_change_begin(&change, command->store, err);
	if (r == 0 && view->pending)
		r = apsp_generation_give_up(&change, view->pending->id, err);
	if (r == 0 && view->current)
		r = apsp_generation_give_up(&change, view->current->id, err);
	if (r == 0)
		r = apsp_change_touch(&change, command->name, err);
	if (r == 0)
		r = apsp_generations_settle(&change, err);
	if (r == 0)
		r = apsp_change_commit(&change, err);
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
