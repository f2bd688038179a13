/*
 * Steps of tests of the store, each of which checks what comes of it.
 */
#ifndef APSP_TESTS_STORE_STEPS_H
#define APSP_TESTS_STORE_STEPS_H

#include "tests/command_wait.h"
#include "tests/store_fixture.h"

static inline void reads(struct fixture *f, const char *graph,
	const char *profile, uint64_t n_arcs)
{
	uint64_t found = 0;

	assert_int_equal(fixture_read(f, graph, profile, &found), 0);
	assert_int_equal(found, n_arcs);
}

static inline void refuses(struct fixture *f, const char *graph,
	const char *profile, enum apsp_code code)
{
	uint64_t found;

	assert_int_equal(fixture_read(f, graph, profile, &found), code);
}

static inline struct apsp_job_spec claim(struct fixture *f)
{
	struct apsp_job_spec job = {0};

	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	return job;
}

static inline void idle(struct fixture *f)
{
	struct apsp_job_spec job;

	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
}

static inline enum apsp_job_state job_state(struct fixture *f, uint64_t id)
{
	struct apsp_job_record record = {0};

	assert_int_equal(apsp_jobs_get(f->store, id, &record, NULL), 0);
	apsp_job_record_done(&record);
	return record.state;
}

static inline void waits_for(
	struct fixture *f, const char *profile, uint64_t wanted)
{
	const struct apsp_graph_snapshot *view = NULL;
	const struct apsp_generation *generation;
	const struct apsp_profile_snapshot *shown;
	uint64_t job = 0;

	assert_int_equal(
		apsp_snapshot_map_find(
			apsp_store_parts(f->store)->graphs, "g", &view, NULL),
		0);
	assert_int_equal(apsp_graph_snapshot_tables(view, profile, &generation,
				 &shown, &job, NULL),
		APSP_ENOTREADY);
	assert_int_equal(job, wanted);
	apsp_graph_snapshot_unref(view);
}

/* A graph of 10 arcs with three profiles more, all served. */
static inline void profiles_make(struct fixture *f)
{
	static const char *const transforms[] = {"hops", "log", "inv"};
	static const char *const names[] = {"a", "b", "c"};
	struct apsp_put_result result;

	fixture_put(f, "g", 10, "none");
	for (int i = 0; i < 3; i++)
		assert_int_equal(fixture_profile_put(f, "g", names[i],
					 transforms[i], &result),
			0);
	assert_int_equal(fixture_work_all(f), 4);
}

static inline void claims(struct fixture *f, const char *profile)
{
	struct apsp_job_spec job = claim(f);

	assert_string_equal(job.profile_name, profile);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
}

static inline uint64_t cancel(struct fixture *f, uint64_t id)
{
	struct command_wait *wait = command_wait_new();
	enum apsp_job_state job;

	apsp_jobs_cancel(f->store, id, &job, command_wait_done(wait));
	assert_int_equal(command_wait_for(wait, NULL), 0);
	return id;
}

static inline void answers_by(
	struct fixture *f, const char *profile, const char *transform)
{
	const struct apsp_graph_snapshot *view =
		apsp_snapshot_map_get(apsp_store_parts(f->store)->graphs, "g");

	assert_int_equal(apsp_generation_profile(view->current, profile)
				 ->tables_rule.transform,
		fixture_profile(transform).transform);
	apsp_graph_snapshot_unref(view);
}

#endif
