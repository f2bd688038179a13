/*
 * Tables whose file changes: flipped bits, cut files. The damage is found and
 * reported once, and nothing wrong is served.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "storage/search/adjacency_cache.h"
#include "tests/damaged_tables.h"

/* cmocka takes SIGBUS for itself before each test: give it back to storage/. */
static struct sigaction guard;

static void flip(uint64_t bit)
{
	APSP_AUTO(apsp_close) int fd = -1;
	unsigned char byte;

	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, (off_t)(bit / 8)), 1);
	byte ^= (unsigned char)(1U << bit % 8);
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
}

/* A question that reads the section in the flipped block. */
static int ask_section(struct apsp_tables *t, enum apsp_section section)
{
	switch (section) {
	case APSP_SECTION_DISTANCE:
		return ask_cell(t, 0, 1);
	case APSP_SECTION_CLOSURE:
		return ask_reachable(t, 1, 2);
	case APSP_SECTION_CLOSURE_TRANSPOSED:
		return ask_set(t, APSP_DIRECTION_IN);
	case APSP_SECTION_ON_CYCLE:
		return ask_cycle(t, 1);
	case APSP_SECTION_ARC_OFFSETS:
	case APSP_SECTION_ARC_HEADS:
		return ask_arc(t);
	case APSP_SECTION_VERTEX_STATS:
	case APSP_SECTION_HISTOGRAMS:
	case APSP_SECTION_BETWEENNESS:
		return ask_stats(t);
	default:
		return ask_path(t, SAMPLE_N - 1, 0);
	}
}

static void test_flip_found_by_lookup(void **state)
{
	const struct sample *s = *state;

	for (int section = 0; section < APSP_N_SECTIONS; section++) {
		struct apsp_tables *t = serve(s);

		if (s->header.sections[section].size == 0) {
			apsp_tables_unref(t);
			continue;
		}
		assert_int_equal(ask_section(t, section), 0);
		apsp_tables_unref(t);

		t = serve(s);
		/*
		 * a flip in the padding counts too: the block is not what was
		 * written
		 */
		flip((s->header.sections[section].offset + 60000) * 8 + 3);
		assert_int_equal(ask_section(t, section), APSP_EDAMAGED);
		check_condemned(t);
		apsp_tables_unref(t);
	}
}

static void test_flip_found_by_scrub(void **state)
{
	const struct sample *s = *state;
	uint64_t n = s->header.data_end / APSP_TABLE_BLOCK;

	for (uint64_t block = 1; block < n; block++) {
		struct apsp_tables *t = serve(s);
		uint64_t steps = 0;
		int r;

		flip(block * APSP_TABLE_BLOCK * 8 + block * 7919);
		assert_false(apsp_tables_damaged(t));
		while ((r = apsp_tables_scrub(t, NULL)) == 1)
			steps++;
		assert_int_equal(r, APSP_EDAMAGED);
		assert_int_equal(steps, block - 1);
		check_condemned(t);
		apsp_tables_unref(t);
	}
}

/* A change after the first check is found in the scrub's next round. */
static void test_flip_found_by_next_round(void **state)
{
	struct apsp_tables *t = serve(*state);
	int r;

	while (apsp_tables_scrub(t, NULL) == 1)
		;
	flip(APSP_TABLE_BLOCK * 8 + 5);
	assert_false(apsp_tables_damaged(t));
	while ((r = apsp_tables_scrub(t, NULL)) == 1)
		;
	assert_int_equal(r, APSP_EDAMAGED);
	check_condemned(t);
	apsp_tables_unref(t);
}

/* Sound blocks are served while a damaged one was not touched yet. */
static void test_only_what_is_touched(void **state)
{
	const struct sample *s = *state;
	const struct apsp_section_place *distance = s->header.sections;
	struct apsp_tables *t = serve(s);

	flip((distance->offset + distance->size - 4) * 8);
	assert_int_equal(ask_cell(t, 0, 1), 0);
	assert_int_equal(ask_reachable(t, 0, 1), 0);
	assert_int_equal(
		ask_cell(t, SAMPLE_N - 1, SAMPLE_N - 2), APSP_EDAMAGED);
	check_condemned(t);
	apsp_tables_unref(t);
}

/* Each byte of the header and of the checksums matters. */
static void test_frame_is_checked_at_open(void **state)
{
	const struct sample *s = *state;
	struct apsp_tables *t = NULL;
	uint64_t size = s->header.file_size;

	sample_write(s, path);
	assert_int_equal(seal(), 0);
	for (uint64_t at = 0; at < size; at++) {
		if (at == sizeof(s->header) + 100)
			at = APSP_TABLE_BLOCK - 1;
		if (at == APSP_TABLE_BLOCK)
			at = s->header.data_end;
		flip(at * 8 + at % 8);
		assert_int_equal(try_open(&t), APSP_EDAMAGED);
		flip(at * 8 + at % 8);
	}
	assert_int_equal(truncate(path, (off_t)size + 8), 0);
	assert_int_equal(try_open(&t), APSP_EDAMAGED);
	assert_int_equal(truncate(path, (off_t)size - 8), 0);
	assert_int_equal(try_open(&t), APSP_EDAMAGED);
}

static void test_seal_refusals(void **state)
{
	const struct sample *s = *state;
	uint64_t size = s->header.file_size, checksum;
	struct apsp_tables *t = NULL;

	assert_int_equal(seal(), APSP_EIO);
	sample_write(s, path);
	flip(8 * 8); /* version */
	assert_int_equal(seal(), APSP_EDAMAGED);
	flip(8 * 8);
	flip(size * 8 - 1); /* a checksum: found when the tables are opened */
	assert_int_equal(seal(), 0);
	assert_int_equal(try_open(&t), APSP_EDAMAGED);
	sample_write(s, path);
	assert_int_equal(truncate(path, (off_t)size - 1), 0);
	assert_int_equal(seal(), APSP_EDAMAGED);
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(seal(), APSP_EDAMAGED);
	/* a copy of tables of another graph or another rule */
	sample_write(s, path);
	assert_int_equal(seal(), 0);
	assert_int_equal(seal(), 0);
	assert_int_equal(apsp_table_seal(path, SAMPLE_PROFILE, SAMPLE_PROFILE,
				 &checksum, NULL),
		APSP_EDAMAGED);
	assert_int_equal(apsp_table_seal(path, SAMPLE_REVISION, SAMPLE_REVISION,
				 &checksum, NULL),
		APSP_EDAMAGED);
}

/* Every bit of the header counts as damage, also the bits of the version: no
   damaged header is taken for that of a newer apspd. */
static void test_no_flip_is_newer(void **state)
{
	const struct sample *s = *state;
	struct apsp_tables *t = serve(s);

	apsp_tables_unref(t);
	for (uint64_t bit = 0; bit < 8 * sizeof(s->header); bit++) {
		flip(bit);
		assert_int_equal(try_open(&t), APSP_EDAMAGED);
		flip(bit);
	}
	assert_int_equal(try_open(&t), 0);
	apsp_tables_unref(t);
}

static void test_cut(void **state)
{
	const struct sample *s = *state;

	assert_int_equal(sigaction(SIGBUS, &guard, NULL), 0);
	for (int touched = 0; touched < 2; touched++)
		for (int section = 0; section < APSP_N_SECTIONS; section++) {
			struct apsp_tables *t = serve(s);
			uint64_t size = s->header.sections[section].offset;

			if (s->header.sections[section].size == 0) {
				apsp_tables_unref(t);
				continue;
			}
			if (touched)
				while (apsp_tables_scrub(t, NULL) == 1)
					;
			assert_int_equal(truncate(path, (off_t)size), 0);
			assert_int_equal(
				ask_section(t, section), APSP_EDAMAGED);
			check_condemned(t);
			apsp_tables_unref(t);
		}
}

/* A fault puts zeros in place of checked zeros: only the mark tells. */
static void test_cut_where_zeros_were(void **state)
{
	struct sample *s = *state;
	struct apsp_tables *t;

	assert_int_equal(sigaction(SIGBUS, &guard, NULL), 0);
	memset(s->on_cycle, 0, sizeof(s->on_cycle));
	t = serve(s);
	assert_int_equal(ask_cycle(t, 1), 0);
	assert_int_equal(
		truncate(path, (off_t)s->header.sections[APSP_SECTION_ON_CYCLE]
				       .offset),
		0);
	assert_int_equal(ask_cycle(t, 1), APSP_EDAMAGED);
	check_condemned(t);
	apsp_tables_unref(t);
}

/*
 * Two searches load the same arcs. The tables of one are damaged meanwhile, so
 * it fails. The other fails too if it reads the same tables; else it loads all
 * arcs.
 */
static void test_damage_between_two_loaders(void **state)
{
	const struct sample *s = *state;

	for (int steps = 0; steps < 4; steps++) {
		struct apsp_tables *bad = serve(s), *good = NULL;
		struct apsp_adjacency_cache *cache = NULL;
		struct apsp_shared_adjacency *users[3];
		const struct apsp_adjacency *arcs;
		int r;

		assert_int_equal(try_open(&good), 0);
		assert_int_equal(
			apsp_adjacency_cache_new(1 << 30, &cache, NULL), 0);
		for (int i = 0; i < 3; i++)
			assert_int_equal(apsp_adjacency_cache_open(
						 cache, bad, &users[i], NULL),
				0);
		for (int i = 0; i < steps; i++)
			assert_int_equal(
				apsp_adjacency_cache_load(users[0], bad, NULL),
				1);
		apsp_tables_condemn(bad, "for a test", NULL);
		for (int i = 0; i < 2; i++) {
			do
				r = apsp_adjacency_cache_load(
					users[i], bad, NULL);
			while (r > 0);
			assert_int_equal(r, steps < 3 ? APSP_EDAMAGED : 0);
		}
		while ((r = apsp_adjacency_cache_load(users[2], good, NULL)) >
			0)
			continue;
		assert_int_equal(r, 0);
		arcs = apsp_adjacency_cache_arcs(users[2]);
		assert_non_null(arcs);
		assert_int_equal(arcs->n_arcs, s->n_arcs);
		assert_memory_equal(arcs->heads, s->heads,
			s->n_arcs * sizeof(*arcs->heads));
		for (int v = 0; v <= SAMPLE_N; v++)
			assert_int_equal(arcs->in_offsets[v], s->in_offsets[v]);
		for (int i = 0; i < 3; i++)
			apsp_adjacency_cache_close(users[i]);
		apsp_adjacency_cache_free(cache);
		apsp_tables_unref(bad);
		apsp_tables_unref(good);
	}
}

struct reader {
	const struct sample *sample;
	struct apsp_tables *tables;
	uint64_t seed;
	atomic_int *n_answers;
	int wrong;
};

/* Answers are right until they are refused. */
static void *read_until_damaged(void *ctx)
{
	struct reader *reader = ctx;
	const struct sample *s = reader->sample;

	for (int i = 0; i < 50000000; i++) {
		APSP_AUTO(apsp_path_done) struct apsp_path p = {0};
		uint32_t from = random_below(&reader->seed, SAMPLE_N);
		uint32_t to = random_below(&reader->seed, SAMPLE_N);
		int r;

		r = apsp_lookup_path(reader->tables, from, to, &p, NULL);
		if (r < 0) {
			reader->wrong += r != APSP_EDAMAGED;
			return NULL;
		}
		reader->wrong += p.reachable != !isinf(s->v[from][to]);
		reader->wrong +=
			p.reachable && p.distance != s->distance[from][to];
		atomic_fetch_add(reader->n_answers, 1);
	}
	reader->wrong++; /* the damage was never seen */
	return NULL;
}

static void test_cut_under_readers(void **state)
{
	const struct sample *s = *state;

	assert_int_equal(sigaction(SIGBUS, &guard, NULL), 0);
	for (int round = 0; round < 20; round++) {
		struct apsp_tables *t = serve(s);
		struct reader readers[4];
		pthread_t threads[4];
		atomic_int n_answers = 0;

		for (int i = 0; i < 4; i++) {
			readers[i] = (struct reader){s, t,
				(uint64_t)(round * 4 + i + 1), &n_answers, 0};
			assert_int_equal(
				pthread_create(&threads[i], NULL,
					read_until_damaged, &readers[i]),
				0);
		}
		while (atomic_load(&n_answers) < 1000)
			sched_yield();
		/* somewhere in the distances, which every answer reads */
		assert_int_equal(truncate(path, round * 7000), 0);
		for (int i = 0; i < 4; i++) {
			pthread_join(threads[i], NULL);
			assert_int_equal(readers[i].wrong, 0);
		}
		check_condemned(t);
		apsp_tables_unref(t);
	}
}

/* Let storage/ install its handler where cmocka does not undo it. */
static int take_sigbus(void)
{
	struct apsp_tables *t = NULL;
	struct sample *s = NULL;
	void *state = NULL;

	if (set_up_ranked(&state) < 0)
		return -1;
	s = state;
	sample_write(s, path);
	if (seal() < 0 || try_open(&t) < 0)
		return -1;
	sigaction(SIGBUS, NULL, &guard);
	apsp_tables_unref(t);
	return tear_down(&state);
}

#define CASE(name)                                                             \
	cmocka_unit_test_setup_teardown(name, set_up_ranked, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_flip_found_by_lookup),
		CASE(test_flip_found_by_scrub),
		CASE(test_flip_found_by_next_round),
		CASE(test_only_what_is_touched),
		CASE(test_frame_is_checked_at_open),
		CASE(test_seal_refusals),
		CASE(test_no_flip_is_newer),
		CASE(test_cut),
		CASE(test_cut_where_zeros_were),
		CASE(test_damage_between_two_loaders),
		CASE(test_cut_under_readers),
	};

	if (take_sigbus() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
