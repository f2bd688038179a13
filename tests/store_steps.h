/*
 * Steps of tests of the store, each of which checks what comes of it.
 */
#ifndef APSP_TESTS_STORE_STEPS_H
#define APSP_TESTS_STORE_STEPS_H

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

#endif
