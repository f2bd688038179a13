/* Snapshots of graphs, and the choice of the profile for a request; see
   graph_snapshot.h. */
#include "storage/snapshots/graph_snapshot.h"

#include <stdlib.h>
#include <string.h>

const struct apsp_graph_snapshot *apsp_graph_snapshot_ref(
	const struct apsp_graph_snapshot *shared)
{
	struct apsp_graph_snapshot *snapshot =
		(struct apsp_graph_snapshot *)(uintptr_t)shared;

	atomic_fetch_add_explicit(&snapshot->n_refs, 1, memory_order_relaxed);
	return snapshot;
}

void apsp_graph_snapshot_unref(const struct apsp_graph_snapshot *shared)
{
	struct apsp_graph_snapshot *snapshot =
		(struct apsp_graph_snapshot *)(uintptr_t)shared;

	if (!snapshot || atomic_fetch_sub_explicit(&snapshot->n_refs, 1,
				 memory_order_acq_rel) > 1)
		return;
	for (size_t i = 0; i < snapshot->n_live; i++) {
		struct apsp_generation *generation = &snapshot->live[i];

		for (size_t k = 0; k < generation->n_profiles; k++) {
			apsp_tables_unref(generation->profiles[k].tables);
			apsp_rule_choice_done(&generation->profiles[k].choice);
		}
		free(generation->profiles);
		apsp_labels_unref(generation->labels);
		apsp_attributes_unref(generation->attributes);
		free(generation->origin.question);
	}
	free(snapshot);
}

const struct apsp_generation *apsp_graph_snapshot_newest(
	const struct apsp_graph_snapshot *snapshot)
{
	return snapshot->pending ? snapshot->pending : snapshot->current;
}

const struct apsp_profile_snapshot *apsp_generation_profile(
	const struct apsp_generation *generation, const char *name)
{
	for (size_t i = 0; i < generation->n_profiles; i++)
		if (strcmp(generation->profiles[i].name, name) == 0)
			return &generation->profiles[i];
	return NULL;
}

const struct apsp_generation *apsp_graph_snapshot_live(
	const struct apsp_graph_snapshot *snapshot, uint64_t id)
{
	for (size_t i = 0; snapshot && i < snapshot->n_live; i++)
		if (snapshot->live[i].id == id)
			return &snapshot->live[i];
	return NULL;
}

const struct apsp_profile *apsp_profile_standing_rule(
	const struct apsp_profile_snapshot *profile)
{
	if (!profile->unreadable.code &&
		(profile->job_state == APSP_JOB_SUCCEEDED ||
			apsp_job_state_active(profile->job_state)))
		return &profile->rule;
	return profile->tables_transform ? &profile->tables_rule : NULL;
}

const struct apsp_profile *apsp_profile_kept_rule(
	const struct apsp_profile_snapshot *profile)
{
	const struct apsp_profile *rule = apsp_profile_standing_rule(profile);

	return rule ? rule : &profile->rule;
}

const struct apsp_generation *apsp_graph_snapshot_coming(
	const struct apsp_graph_snapshot *snapshot)
{
	const struct apsp_profile_snapshot *base = NULL;

	if (snapshot->pending)
		base = apsp_generation_profile(snapshot->pending, "default");
	return base && apsp_job_state_active(base->job_state)
		       ? snapshot->pending
		       : NULL;
}

const struct apsp_generation *apsp_graph_snapshot_shown(
	const struct apsp_graph_snapshot *snapshot)
{
	return snapshot->current ? snapshot->current : snapshot->pending;
}

const struct apsp_generation *apsp_graph_snapshot_changed(
	const struct apsp_graph_snapshot *snapshot, const char *profile)
{
	return apsp_graph_snapshot_coming(snapshot) ||
			       (profile && strcmp(profile, "default") == 0)
		       ? apsp_graph_snapshot_newest(snapshot)
		       : apsp_graph_snapshot_shown(snapshot);
}

/*
 * Find the profile whose job must succeed before requests can use `profile`:
 *
 * - The pending upload can become current, and the job of its profile of the
 *   same name is active: this profile of the pending upload.
 * - The pending upload can become current, and there is no such job: the
 *   pending upload's `default`. Its tables make the upload current.
 * - The pending upload, if there is one, cannot become current, and
 *   `generation`, to which `profile` belongs, is current: `profile` itself.
 * - The pending upload cannot become current, and `generation` is the pending
 *   upload: its `default`. The job of `default` has failed or was cancelled,
 *   and must be run again.
 */
static const struct apsp_profile_snapshot *profile_awaited(
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation,
	const struct apsp_profile_snapshot *profile)
{
	const struct apsp_generation *coming =
		apsp_graph_snapshot_coming(snapshot);
	const struct apsp_profile_snapshot *own = NULL;

	if (!coming && generation == snapshot->current)
		return profile;
	if (coming)
		own = apsp_generation_profile(coming, profile->name);
	if (own && apsp_job_state_active(own->job_state))
		return own;
	return apsp_generation_profile(snapshot->pending, "default");
}

int apsp_graph_snapshot_no_profile(
	const char *graph, const char *profile, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOPROFILE,
		"the graph '%s' has no profile '%s'; GET /v1/graphs/%s lists "
		"its profiles",
		graph, profile, graph);
}

static int profile_find(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, const char *name,
	const struct apsp_profile_snapshot **out, struct apsp_err *err)
{
	*out = apsp_generation_profile(generation, name);
	return *out ? 0
		    : apsp_graph_snapshot_no_profile(snapshot->name, name, err);
}

/* Report why requests cannot use a profile of a generation. */
static int profile_unready(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation,
	const struct apsp_profile_snapshot *profile, uint64_t *out_job,
	struct apsp_err *err)
{
	const char *name = profile->name;

	if (profile->tables_trouble.code)
		return apsp_fail(err, profile->tables_trouble.code,
			"the tables of '%s' with the profile '%s' cannot be "
			"used: %s",
			snapshot->name, name, profile->tables_trouble.message);
	if (profile->unreadable.code && !profile->tables)
		return apsp_fail(err, APSP_EROW,
			"the profile '%s' of graph '%s' cannot be read; define "
			"it again: %s",
			name, snapshot->name, profile->unreadable.message);
	profile = profile_awaited(snapshot, generation, profile);
	*out_job = profile->job;
	if (apsp_job_state_active(profile->job_state))
		return apsp_fail(err, APSP_ENOTREADY,
			"the tables of '%s' with the profile '%s' are not "
			"ready yet: they wait for job %llu",
			snapshot->name, name, (unsigned long long)*out_job);
	return apsp_fail(err, APSP_ETABLES, "job %llu %s: %s",
		(unsigned long long)profile->job,
		profile->job_state == APSP_JOB_CANCELLED ? "was cancelled"
							 : "failed",
		profile->job_error.message);
}

int apsp_graph_snapshot_tables(const struct apsp_graph_snapshot *snapshot,
	const char *name, const struct apsp_generation **out_generation,
	const struct apsp_profile_snapshot **out_profile, uint64_t *out_job,
	struct apsp_err *err)
{
	const struct apsp_generation *generation =
		apsp_graph_snapshot_shown(snapshot);
	const struct apsp_profile_snapshot *profile;
	int r = profile_find(snapshot, generation, name, &profile, err);

	if (r < 0)
		return r;
	if (!snapshot->current || !profile->tables)
		return profile_unready(
			snapshot, generation, profile, out_job, err);
	*out_generation = generation;
	*out_profile = profile;
	return 0;
}

int apsp_graph_snapshot_serves(const struct apsp_graph_snapshot *snapshot,
	const char *revision, const char *name, uint64_t *out_job,
	struct apsp_err *err)
{
	const struct apsp_generation *shown =
		apsp_graph_snapshot_shown(snapshot);
	const struct apsp_generation *generation =
		apsp_graph_snapshot_newest(snapshot);
	const struct apsp_profile_snapshot *profile, *same = NULL;
	int r;

	if (strcmp(generation->revision, revision) != 0)
		generation = shown;
	r = apsp_generation_check_revision(generation, revision, err);
	if (r == 0)
		r = profile_find(snapshot, generation, name, &profile, err);
	if (r < 0)
		return r;
	/* The upload `shown`, which requests see, may have this revision, too.
	   If the profile has the same rule there, use `shown`, because the
	   newest upload may wait for another profile, or may have failed. */
	if (strcmp(shown->revision, revision) == 0)
		same = apsp_generation_profile(shown, name);
	if (same && strcmp(same->hash, profile->hash) == 0) {
		generation = shown;
		profile = same;
	}
	if (generation == snapshot->current && profile->tables &&
		profile->tables_newest)
		return 0;
	return profile_unready(snapshot, generation, profile, out_job, err);
}

int apsp_generation_check_revision(const struct apsp_generation *generation,
	const char *revision, struct apsp_err *err)
{
	if (strcmp(generation->revision, revision) == 0)
		return 0;
	return apsp_fail(err, APSP_EREVISION,
		"the revision is %s, and not %.64s as asked for",
		generation->revision, revision);
}

int apsp_generation_changed(
	const struct apsp_generation *generation, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EROW,
		"graph '%s' has changed in the database: it does not have the "
		"revision %.16s… any more; upload it again",
		generation->graph, generation->revision);
}

int apsp_generation_check_content(const struct apsp_generation *generation,
	struct apsp_arcs_digest *digest, struct apsp_err *err)
{
	char found[APSP_HASH_SIZE];

	apsp_revision_write(digest, generation->labels, found);
	return strcmp(found, generation->revision) == 0
		       ? 0
		       : apsp_generation_changed(generation, err);
}
