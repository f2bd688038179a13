/*
 * Graphs from graphs: exact sums of pairs, whose memory is counted; a graph of
 * all vertices, which has the revision of its origin; an origin that is deleted
 * while its arcs are read, and an origin with a damaged arc.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "storage/derivation.h"
#include "storage/ingest/pair_sums.h"
#include "storage/stored_arcs.h"
#include "storage/upload_change.h"
#include "tests/patience.h"
#include "tests/random.h"
#include "tests/store_fixture.h"

enum {
	N = 7,
	ARCS = 40000,
	GRAPH_ARCS = 20000, /* several steps */
};

/* The sums of all pairs, each by a long accumulator of its own. */
static void test_sums(void **state)
{
	static struct apsp_signed_sum exact[N][N];
	const struct apsp_budget_limits limits = {
		.who = "upload",
		.max_shares = 1,
		.max_memory_bytes = 1 << 20,
		.max_one_memory_bytes = 1 << 20,
	};
	struct apsp_budget *budget = NULL;
	struct apsp_share share = {0};
	struct apsp_pair_sums sums;
	uint64_t seed = 26;
	size_t n_long = 0;

	(void)state;
	assert_int_equal(apsp_budget_new(NULL, &limits, &budget, NULL), 0);
	assert_int_equal(apsp_share_open(budget, NULL, 0, &share, NULL), 0);
	for (int spread = 1; spread <= 2000; spread *= 10) {
		uint32_t order[N][N] = {{0}}, n = 0;

		memset(exact, 0, sizeof(exact));
		apsp_pair_sums_init(&sums, APSP_DUPLICATES_SUM, &share);
		for (int i = 0; i < ARCS; i++) {
			struct apsp_arc arc = {random_below(&seed, N),
				random_below(&seed, N),
				ldexp(random_unit(&seed),
					(int)random_below(
						&seed, (uint32_t)spread) -
						spread / 2)};

			if (random_below(&seed, 2))
				arc.weight = -arc.weight;
			if (!order[arc.from][arc.to])
				order[arc.from][arc.to] = ++n;
			apsp_signed_sum_add(
				&exact[arc.from][arc.to], arc.weight);
			assert_int_equal(
				apsp_pair_sums_add(&sums, &arc, NULL), 0);
		}
		assert_int_equal(sums.n, n);
		for (uint32_t i = 0; i < n; i++) {
			struct apsp_arc arc = apsp_pair_sums_get(&sums, i);

			assert_int_equal(order[arc.from][arc.to], i + 1);
			assert_true(arc.weight ==
				    apsp_signed_sum_value(
					    &exact[arc.from][arc.to]));
		}
		if (spread == 1) /* two doubles hold these sums */
			assert_int_equal(sums.n_long_sums, 0);
		n_long += sums.n_long_sums;
		assert_true(apsp_budget_used(budget).memory_bytes > 0);
		apsp_pair_sums_done(&sums);
		assert_int_equal(apsp_budget_used(budget).memory_bytes, 0);
	}
	assert_true(n_long > 0);
	/* memory that cannot be had is refused, and none is lost */
	apsp_pair_sums_init(&sums, APSP_DUPLICATES_SUM, &share);
	for (uint32_t i = 0;; i++) {
		const struct apsp_arc arc = {i, i, 1};

		if (apsp_pair_sums_add(&sums, &arc, NULL) < 0)
			break;
		assert_true(i < 1 << 20);
	}
	apsp_pair_sums_done(&sums);
	assert_int_equal(apsp_budget_used(budget).memory_bytes, 0);
	apsp_share_close(&share);
	apsp_budget_free(budget);
}

/* Sums at the largest double: above it the sum is infinite, but further addends
   may bring it back. */
static void test_largest_sums(void **state)
{
	const double weights[] = {
		DBL_MAX, ldexp(1, 969), ldexp(1, 969), 1, -ldexp(1, 1023)};
	const double sums_so_far[] = {DBL_MAX, DBL_MAX, INFINITY, INFINITY,
		ldexp(1, 1023) - ldexp(1, 970)};
	struct apsp_pair_sums sums;

	(void)state;
	apsp_pair_sums_init(&sums, APSP_DUPLICATES_SUM, NULL);
	for (size_t i = 0; i < sizeof(weights) / sizeof(*weights); i++) {
		const struct apsp_arc arc = {0, 1, weights[i]};

		assert_int_equal(apsp_pair_sums_add(&sums, &arc, NULL), 0);
		assert_true(
			apsp_pair_sums_get(&sums, 0).weight == sums_so_far[i]);
	}
	apsp_pair_sums_done(&sums);
}

static const struct apsp_graph_snapshot *snapshot_of(
	struct fixture *f, const char *graph)
{
	const struct apsp_graph_snapshot *snapshot = NULL;

	assert_int_equal(
		apsp_snapshot_map_find(apsp_store_parts(f->store)->graphs,
			graph, &snapshot, NULL),
		0);
	return snapshot;
}

/* Begin to make a graph of the vertices whose bits are set. */
static struct apsp_derivation *derivation_of(struct fixture *f,
	const struct apsp_graph_snapshot *snapshot, uint64_t bits)
{
	const struct apsp_upload_options options = {
		.profile = fixture_profile("none"), .max_arcs = 1 << 20};
	struct apsp_derivation_question question = {
		.snapshot = snapshot,
		.generation = apsp_graph_snapshot_shown(snapshot),
		.chosen = calloc(1, sizeof(uint64_t)),
		.text = "{\"match\":[]}",
	};
	struct apsp_derivation *derivation = NULL;

	assert_non_null(question.chosen);
	*question.chosen = bits;
	assert_int_equal(apsp_derivation_new(f->store, &question, &options,
				 &derivation, NULL),
		0);
	assert_null(question.chosen);
	return derivation;
}

/* With all vertices, the graph has the revision of its origin. */
static void test_whole(void **state)
{
	struct fixture *f = *state;
	const struct apsp_graph_snapshot *snapshot;
	struct apsp_derivation *derivation;
	const struct apsp_upload_result *result;
	struct apsp_upload *upload;
	int steps = 0, r;

	fixture_put(f, "g", GRAPH_ARCS, "none");
	snapshot = snapshot_of(f, "g");
	derivation = derivation_of(f, snapshot, (1 << FIXTURE_N) - 1);
	while ((r = apsp_derivation_step(derivation, NULL)) > 0)
		steps++;
	assert_int_equal(r, 0);
	assert_true(steps > GRAPH_ARCS / APSP_STORED_ARCS_MAX);
	upload = APSP_TAKE(derivation->upload);
	apsp_derivation_free(derivation);
	result = &upload->result;
	assert_string_equal(result->revision,
		apsp_graph_snapshot_shown(snapshot)->revision);
	assert_string_equal(result->origin->revision, result->revision);
	assert_string_equal(result->origin->graph, "g");
	apsp_upload_free(upload);

	derivation = derivation_of(f, snapshot, 0);
	assert_int_equal(apsp_derivation_step(derivation, NULL), APSP_EDATA);
	apsp_derivation_free(derivation);
	apsp_graph_snapshot_unref(snapshot);
}

/* A derivation that lacks the last bytes of its memory says what for. */
static void test_little_memory(void **state)
{
	struct fixture *f = *state;
	struct apsp_budget_limits limits = {
		.who = "upload",
		.max_shares = 1,
		.max_memory_bytes = 4 << 20,
		.max_one_memory_bytes = 4 << 20,
	};
	const struct apsp_graph_snapshot *snapshot;
	struct apsp_err err = {0};

	fixture_put(f, "g", 7, "none");
	snapshot = snapshot_of(f, "g");
	for (int i = 0; i < 2; i++) {
		struct apsp_derivation *derivation = NULL;
		struct apsp_budget *budget = NULL;
		struct apsp_derivation_question question = {
			.snapshot = snapshot,
			.generation = apsp_graph_snapshot_shown(snapshot),
			.text = "{\"match\":[]}",
		};

		assert_int_equal(
			apsp_budget_new(NULL, &limits, &budget, NULL), 0);
		assert_int_equal(
			apsp_derivation_new(f->store, &question,
				&(struct apsp_upload_options){.budget = budget},
				&derivation, &err),
			i == 0 ? 0 : APSP_ETOOLARGE);
		limits.max_one_memory_bytes =
			apsp_budget_used(budget).memory_bytes - 1;
		apsp_derivation_free(derivation);
		apsp_budget_free(budget);
	}
	if (strncmp(err.message, "the vertices of the origin: one upload", 38))
		fail_msg("%s", err.message);
	apsp_graph_snapshot_unref(snapshot);
}

static void test_deleted_meanwhile(void **state)
{
	struct fixture *f = *state;
	const struct apsp_graph_snapshot *snapshot;
	const struct apsp_generation *generation;
	struct apsp_derivation *derivation;
	unsigned int turns = 0;
	struct apsp_arc arcs[APSP_STORED_ARCS_MAX];
	int r;

	fixture_put(f, "g", GRAPH_ARCS, "none");
	snapshot = snapshot_of(f, "g");
	generation = apsp_graph_snapshot_shown(snapshot);
	derivation = derivation_of(f, snapshot, (1 << FIXTURE_N) - 1);
	/* the vertices, and the first arcs */
	assert_int_equal(apsp_derivation_step(derivation, NULL), 1);
	assert_int_equal(apsp_derivation_step(derivation, NULL), 1);
	assert_int_equal(fixture_delete(f, "g"), 0);
	while (apsp_stored_arcs_read(
		       f->store, generation, 0, NULL, arcs, NULL) >= 0)
		assert_true(patience_lasts(&turns));
	while ((r = apsp_derivation_step(derivation, NULL)) > 0)
		continue;
	assert_int_equal(r, APSP_ECANCELLED);
	apsp_derivation_free(derivation);
	apsp_graph_snapshot_unref(snapshot);
}

/* Change the head of an arc in the database, while the store is open. */
static void arc_damage(const struct fixture *f, uint64_t arc, uint32_t head)
{
	sqlite3 *db = fixture_database(f, SQLITE_OPEN_READWRITE);
	sqlite3_blob *blob = NULL;

	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	/* give the only chunk of arcs an id that we know */
	assert_int_equal(sqlite3_exec(db,
				 "UPDATE chunks SET id = 1000 WHERE"
				 " kind = 'arcs' AND number = 0",
				 NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(
		sqlite3_blob_open(db, "main", "chunks", "data", 1000, 1, &blob),
		SQLITE_OK);
	assert_int_equal(sqlite3_blob_write(blob, &head, sizeof(head),
				 (int)(arc * sizeof(struct apsp_arc) +
					 offsetof(struct apsp_arc, to))),
		SQLITE_OK);
	sqlite3_blob_close(blob);
	sqlite3_close(db);
}

/* An arc in the database whose end is no vertex is refused, also for a graph
   that is made from these arcs. An arc that became another arc is found at the
   last arc, because the revision is another one. Then the job of the graph
   fails, too. */
static void test_damaged_arc(void **state)
{
	struct fixture *f = *state;
	const uint64_t bad = APSP_STORED_ARCS_MAX + 1;
	struct apsp_job_spec job;
	struct apsp_arc arcs[APSP_STORED_ARCS_MAX];
	const struct apsp_graph_snapshot *snapshot;
	const struct apsp_generation *generation;
	struct apsp_derivation *derivation;
	struct apsp_err err = {0};
	int r;

	fixture_put(f, "g", GRAPH_ARCS, "none");
	arc_damage(f, bad, FIXTURE_N);
	snapshot = snapshot_of(f, "g");
	generation = apsp_graph_snapshot_shown(snapshot);
	assert_int_equal(apsp_stored_arcs_read(
				 f->store, generation, 0, NULL, arcs, &err),
		APSP_STORED_ARCS_MAX);
	assert_int_equal(apsp_stored_arcs_read(
				 f->store, generation, bad, NULL, arcs, &err),
		APSP_EROW);
	assert_non_null(strstr(err.message, "graph 'g' has changed"));
	assert_int_equal(apsp_stored_arcs_read(f->store, generation, bad + 1,
				 NULL, arcs, &err),
		APSP_STORED_ARCS_MAX);
	derivation = derivation_of(f, snapshot, (1 << FIXTURE_N) - 1);
	while ((r = apsp_derivation_step(derivation, NULL)) > 0)
		continue;
	assert_int_equal(r, APSP_EROW);
	apsp_derivation_free(derivation);
	apsp_graph_snapshot_unref(snapshot);
	arc_damage(f, bad, 0);
	snapshot = snapshot_of(f, "g");
	derivation = derivation_of(f, snapshot, (1 << FIXTURE_N) - 1);
	while ((r = apsp_derivation_step(derivation, NULL)) > 0)
		continue;
	assert_int_equal(r, APSP_EROW);
	apsp_derivation_free(derivation);
	apsp_graph_snapshot_unref(snapshot);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(fixture_work(f, &job, NULL), APSP_EROW);
}

/* Compare an upload of n_arcs arcs, whose memory `budget` counts, with the
   graph that the snapshot shows. `filler` takes the memory that is left. */
static struct apsp_upload_change_counts changes_of(struct fixture *f,
	const struct apsp_graph_snapshot *snapshot, struct apsp_budget *budget,
	struct apsp_share *filler)
{
	const struct apsp_upload_options options = {
		.format = APSP_FORMAT_CSV,
		.profile = fixture_profile("inv"),
		.limits.max_bytes = 1 << 20,
		.max_arcs = 1 << 20,
		.budget = budget,
	};
	/* two of the pairs of the fixture's graphs, and one other */
	static const char text[] = "v0,v1,1\nv1,v2,2\nv1,x,3\n";
	struct apsp_upload_change_counts counts;
	struct apsp_upload_change *change;
	struct apsp_upload *upload = NULL;
	uint64_t used;

	assert_int_equal(apsp_upload_open(apsp_store_parts(f->store)->spool_dir,
				 &options, &upload, NULL),
		0);
	assert_int_equal(upload_write(upload, text, sizeof(text) - 1, NULL), 0);
	assert_int_equal(apsp_upload_end(upload, NULL), 0);
	used = apsp_budget_used(budget).memory_bytes;
	if (filler)
		assert_int_equal(
			apsp_share_grow(filler,
				apsp_budget_limits(budget)->max_memory_bytes -
					used,
				"the test", NULL),
			0);
	used = apsp_budget_used(budget).memory_bytes;
	change = apsp_upload_change_new(f->store, snapshot, upload, &counts);
	while (change && apsp_upload_change_step(change, &counts))
		continue;
	apsp_upload_change_free(change);
	assert_int_equal(apsp_budget_used(budget).memory_bytes, used);
	apsp_upload_free(upload);
	return counts;
}

static void test_changes(void **state)
{
	struct fixture *f = *state;
	const struct apsp_budget_limits limits = {
		.who = "upload",
		.max_shares = 2,
		.max_memory_bytes = 4 << 20,
		.max_one_memory_bytes = 4 << 20,
	};
	const struct apsp_graph_snapshot *snapshot;
	struct apsp_upload_change_counts counts;
	struct apsp_budget *budget = NULL;
	struct apsp_share filler = {0};
	unsigned int turns = 0;
	struct apsp_arc arcs[APSP_STORED_ARCS_MAX];

	/* v0 → v1 has the weights 1 and 6, and v1 → v2 has 2 and 7 */
	fixture_put(f, "g", 7, "inv");
	snapshot = snapshot_of(f, "g");
	assert_int_equal(apsp_budget_new(NULL, &limits, &budget, NULL), 0);
	assert_int_equal(apsp_share_open(budget, NULL, 0, &filler, NULL), 0);
	counts = changes_of(f, snapshot, budget, NULL);
	assert_true(counts.known);
	assert_int_equal(counts.n_gained, 1);
	assert_int_equal(counts.n_lost, 3);
	assert_int_equal(counts.n_changed, 2);
	counts = changes_of(f, snapshot, budget, &filler);
	assert_false(counts.known);
	apsp_share_close(&filler);
	assert_int_equal(fixture_delete(f, "g"), 0);
	while (apsp_stored_arcs_read(f->store,
		       apsp_graph_snapshot_shown(snapshot), 0, NULL, arcs,
		       NULL) >= 0)
		assert_true(patience_lasts(&turns));
	counts = changes_of(f, snapshot, budget, NULL);
	assert_false(counts.known);
	apsp_budget_free(budget);
	apsp_graph_snapshot_unref(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_largest_sums),
		cmocka_unit_test_setup_teardown(
			test_whole, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_little_memory, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_deleted_meanwhile,
			fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_damaged_arc, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_changes, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
