/*
 * What uploads may take together: places, memory, room on disk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/job/arc_facts.h"
#include "daemon/base/array.h"
#include "storage/ingest/arc_counts.h"
#include "tests/upload_limits.h"
#include "tests/upload_run.h"

enum {
	MIB = 1 << 20,
	PAIRS_SIZE = 1024 * 16, /* the first slots for pairs */
};

static struct apsp_budget *budget_of(const struct apsp_budget_limits *limits)
{
	struct apsp_budget *budget = NULL;

	assert_int_equal(
		apsp_budget_new(scratch_dir(), limits, &budget, NULL), 0);
	return budget;
}

static void use_check(struct apsp_budget *budget, uint32_t n_uploads,
	uint64_t memory_bytes, uint64_t disk_bytes)
{
	struct apsp_budget_use use = apsp_budget_used(budget);

	assert_int_equal(use.n_shares, n_uploads);
	assert_int_equal(use.memory_bytes, memory_bytes);
	assert_int_equal(use.disk_bytes, disk_bytes);
}

static void test_places(void **state)
{
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_budget *budget;
	struct apsp_share shares[3] = {0};
	struct apsp_err err;

	(void)state;
	limits.max_shares = 2;
	budget = budget_of(&limits);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			apsp_share_open(budget, NULL, 1000, &shares[i], &err),
			0);
	use_check(budget, 2, 0, 4000);
	assert_int_equal(
		apsp_share_open(budget, NULL, 0, &shares[2], &err), APSP_EBUSY);
	assert_string_equal(
		err.message, "2 uploads are under way already, the limit is 2");
	apsp_share_close(&shares[0]);
	use_check(budget, 1, 0, 2000);
	assert_int_equal(apsp_share_open(budget, NULL, 0, &shares[2], &err), 0);
	apsp_share_close(&shares[1]);
	apsp_share_close(&shares[2]);
	use_check(budget, 0, 0, 0);
	apsp_budget_free(budget);
}

static void test_memory(void **state)
{
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_budget *budget;
	struct apsp_share a = {0}, b = {0}, none = {0};
	struct apsp_err err;

	(void)state;
	limits.max_memory_bytes = 3 * MIB;
	limits.max_one_memory_bytes = 2 * MIB;
	budget = budget_of(&limits);
	assert_int_equal(apsp_share_open(budget, NULL, 0, &a, &err), 0);
	assert_int_equal(apsp_share_open(budget, NULL, 0, &b, &err), 0);
	assert_int_equal(apsp_share_grow(&a, 2 * MIB, "labels", &err), 0);
	assert_int_equal(
		apsp_share_grow(&a, 1, "labels", &err), APSP_ETOOLARGE);
	assert_string_equal(err.message,
		"labels: one upload may take 2.1 MB of memory and needs more");
	assert_int_equal(apsp_share_grow(&b, MIB, "labels", &err), 0);
	assert_int_equal(apsp_share_grow(&b, 1, "labels", &err), APSP_EBUSY);
	apsp_share_shrink(&a, MIB);
	assert_int_equal(apsp_share_grow(&b, MIB, "labels", &err), 0);
	apsp_share_close(&a);
	use_check(budget, 1, 2 * MIB, 0);
	apsp_share_close(&b);
	use_check(budget, 0, 0, 0);
	apsp_budget_free(budget);
	/* a share without a budget */
	assert_int_equal(apsp_share_grow(&none, UINT64_MAX, "x", &err), 0);
	assert_int_equal(apsp_share_spooled(&none, UINT64_MAX, &err), 0);
	apsp_share_close(&none);
}

/* An array of 64 MiB grows by a quarter, not to twice its size. A message says
   where a limit is set. */
static void test_array(void **state)
{
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_array_growth growth = {
		.element = 1, .first = MIB, .purpose = "labels"};
	struct apsp_budget *budget;
	struct apsp_share share = {0};
	char *array = NULL;
	size_t size = 0;
	struct apsp_err err;

	(void)state;
	limits.max_memory_bytes = 100 * MIB;
	limits.max_one_memory_bytes = 100 * MIB;
	limits.set_by = "(a limit)";
	budget = budget_of(&limits);
	growth.share = &share;
	assert_int_equal(apsp_share_open(budget, NULL, 0, &share, &err), 0);
	for (size_t wanted = MIB; wanted <= 90 * MIB; wanted += MIB) {
		assert_int_equal(apsp_array_reserve(
					 &array, wanted, &size, &growth, &err),
			0);
		assert_true(size >= wanted);
		use_check(budget, 1, size, 0);
	}
	assert_int_equal(size, 100 * MIB);
	assert_int_equal(
		apsp_array_reserve(&array, 100 * MIB + 1, &size, &growth, &err),
		APSP_ETOOLARGE);
	assert_string_equal(err.message,
		"labels: one upload may take 105 MB of memory (a limit) and "
		"needs more");
	free(array);
	apsp_share_close(&share);
	apsp_budget_free(budget);
}

/* A client of a pace that the test chooses. */
struct client {
	struct apsp_holder holder;
	int64_t rate;
	int n_yields;
	struct apsp_share share;
};

static int64_t client_pace(const struct apsp_holder *holder)
{
	return ((const struct client *)(const void *)holder)->rate;
}

static void client_yield(struct apsp_holder *holder)
{
	((struct client *)(void *)holder)->n_yields++;
}

static struct client client_of(int64_t rate)
{
	return (struct client){
		.holder = {client_pace, client_yield}, .rate = rate};
}

/* A full budget takes the share of the slowest, and of no other. */
static void test_yield(void **state)
{
	struct apsp_budget_limits limits = upload_limits();
	struct client a = client_of(500), b = client_of(400),
		      fast = client_of(INT64_MAX), next = client_of(INT64_MAX);
	struct client *all[] = {&a, &b, &fast};
	struct apsp_budget *budget;
	struct apsp_err err;

	(void)state;
	limits.max_shares = 3;
	limits.max_memory_bytes = 3 * MIB;
	budget = budget_of(&limits);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(apsp_share_open(budget, &all[i]->holder, 0,
					 &all[i]->share, &err),
			0);
		assert_int_equal(apsp_share_grow(&all[i]->share,
					 i == 1 ? 0 : MIB, "labels", &err),
			0);
	}
	/* nobody yields to what the disk refuses */
	assert_int_equal(apsp_share_open(budget, &next.holder,
				 (uint64_t)1 << 60, &next.share, &err),
		APSP_ESTATEFULL);
	assert_int_equal(a.n_yields + b.n_yields, 0);
	use_check(budget, 3, 2 * MIB, 0);
	/* a place: that of b, which is slower than a */
	assert_int_equal(
		apsp_share_open(budget, &next.holder, 0, &next.share, &err), 0);
	assert_int_equal(b.n_yields, 1);
	use_check(budget, 3, 2 * MIB, 0);
	assert_int_equal(
		apsp_share_grow(&b.share, 1, "labels", &err), APSP_EBUSY);
	assert_non_null(strstr(err.message, "its client was slow"));
	/* nobody yields where that would not be enough */
	assert_int_equal(
		apsp_share_grow(&next.share, 2 * MIB + 1, "labels", &err),
		APSP_EBUSY);
	assert_int_equal(a.n_yields, 0);
	/* memory: that of a; b has none, and has yielded */
	assert_int_equal(
		apsp_share_grow(&next.share, 2 * MIB, "labels", &err), 0);
	assert_int_equal(a.n_yields, 1);
	use_check(budget, 2, 3 * MIB, 0);
	/* whoever asks does not yield to itself, and the rest keep their rate
	 */
	next.rate = 1;
	assert_int_equal(
		apsp_share_grow(&next.share, 1, "labels", &err), APSP_EBUSY);
	assert_int_equal(next.n_yields + fast.n_yields, 0);
	/* what was lost is not given back twice */
	apsp_share_close(&a.share);
	apsp_share_shrink(&b.share, 0);
	apsp_share_close(&b.share);
	use_check(budget, 2, 3 * MIB, 0);
	assert_int_equal(apsp_budget_used(budget).n_yielded, 2);
	assert_int_equal(apsp_share_set(&next.share, MIB, "labels", &err), 0);
	use_check(budget, 2, 2 * MIB, 0);
	apsp_share_close(&next.share);
	apsp_share_close(&fast.share);
	use_check(budget, 0, 0, 0);
	apsp_budget_free(budget);
}

static void test_disk(void **state)
{
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_budget *budget = budget_of(&limits);
	struct apsp_share share = {0};
	struct apsp_err err;

	(void)state;
	/* the arcs twice: as they come, and in the database */
	assert_int_equal(
		apsp_share_open(budget, NULL, 10 * MIB, &share, &err), 0);
	use_check(budget, 1, 0, 20 * MIB);
	assert_int_equal(apsp_share_spooled(&share, 4 * MIB, &err), 0);
	use_check(budget, 1, 0, 16 * MIB);
	assert_int_equal(apsp_share_spooled(&share, 12 * MIB, &err), 0);
	use_check(budget, 1, 0, 12 * MIB);
	assert_int_equal(apsp_share_spooled(&share, (uint64_t)1 << 60, &err),
		APSP_ESTATEFULL);
	apsp_share_close(&share);
	assert_int_equal(
		apsp_share_open(budget, NULL, (uint64_t)1 << 60, &share, &err),
		APSP_ESTATEFULL);
	assert_non_null(strstr(err.message, "state directory's disk ('/"));
	assert_non_null(strstr(err.message, "choose another --state-dir"));
	assert_int_equal(
		apsp_share_open(budget, NULL, UINT64_MAX, &share, &err),
		APSP_ESTATEFULL);
	use_check(budget, 0, 0, 0);
	apsp_budget_free(budget);
}

/* An upload whose size nobody said owes what it has spooled, once more. */
static void test_spooled(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	enum { ARCS = 200000 };
	const struct apsp_budget_limits limits = upload_limits();
	char *text = malloc(4 * ARCS + 1);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < ARCS; i++)
		memcpy(text + 4 * i, "a,b\n", 4);
	options.budget = budget_of(&limits);
	assert_int_equal(
		apsp_upload_open(scratch_dir(), &options, &upload, &err), 0);
	assert_int_equal(apsp_budget_used(options.budget).disk_bytes, 0);
	assert_int_equal(upload_write(upload, text, (size_t)4 * ARCS, &err), 0);
	assert_int_equal(apsp_upload_end(upload, &err), 0);
	assert_int_equal(apsp_budget_used(options.budget).disk_bytes,
		ARCS * sizeof(struct apsp_arc));
	apsp_upload_free(upload);
	use_check(options.budget, 0, 0, 0);
	apsp_budget_free(options.budget);
	free(text);
}

/* One line of labels after the other; the caller frees it. */
static char *labels_text(size_t n, size_t *out_size)
{
	char *text = malloc(n * 64);
	size_t used = 0;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		used += (size_t)sprintf(text + used,
			"a label that is rather long and has number %08zu,b\n",
			i);
	*out_size = used;
	return text;
}

/* Labels are refused before they are held, and given back with the upload. */
static void test_labels(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_upload *held = NULL, *second = NULL;
	struct apsp_err err = {0};
	struct apsp_labels *taken;
	size_t size;
	char *text = labels_text(20000, &size);

	(void)state;
	limits.max_one_memory_bytes = 2 * MIB;
	limits.max_memory_bytes = 5 * MIB / 2;
	options.budget = budget_of(&limits);
	/* as where its client has stopped one byte before the end */
	assert_int_equal(
		apsp_upload_open(scratch_dir(), &options, &held, &err), 0);
	assert_int_equal(upload_write(held, text, size - 1, &err), 0);
	assert_true(apsp_budget_used(options.budget).memory_bytes > 1000000);
	assert_int_equal(upload_run(&options, text, size, size, &second, &err),
		APSP_EBUSY);
	assert_non_null(strstr(err.message, "the labels: the uploads under"));
	assert_int_equal(upload_write(held, "\n", 1, &err), 0);
	assert_int_equal(apsp_upload_end(held, &err), 0);
	/* labels that outlive the upload no longer count */
	taken = apsp_labels_ref(held->result.labels);
	apsp_upload_free(held);
	use_check(options.budget, 0, 0, 0);
	assert_int_equal(taken->count, 20001);
	apsp_labels_unref(taken);

	free(text);
	text = labels_text(60000, &size);
	assert_int_equal(upload_run(&options, text, size, size, &second, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "the labels: one upload may"));
	use_check(options.budget, 0, 0, 0);
	apsp_budget_free(options.budget);
	free(text);
}

/* Where the degrees of vertices have no room, nothing is known of hubs. */
static void test_degrees(void **state)
{
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_share share = {0};
	struct apsp_budget *budget;
	struct apsp_arc_counts counts;
	struct apsp_arc arc = {1000, 0, 1};
	double sum;

	(void)state;
	limits.max_one_memory_bytes = MIB;
	budget = budget_of(&limits);
	assert_int_equal(apsp_share_open(budget, NULL, 0, &share, NULL), 0);
	apsp_arc_counts_init(&counts, &share);
	for (; arc.to < 9; arc.to++)
		assert_false(apsp_arc_counts_add(&counts, &arc, &sum));
	assert_int_equal(apsp_arc_counts_facts(&counts, 10),
		APSP_ARC_HUBS | APSP_ARC_IN_255 | APSP_ARC_IN_65535);
	use_check(budget, 1, PAIRS_SIZE + 8192, 0);
	arc.from = 5000;
	apsp_arc_counts_add(&counts, &arc, &sum);
	assert_true(apsp_arc_counts_facts(&counts, 10) & APSP_ARC_HUBS);
	use_check(budget, 1, PAIRS_SIZE + 65536, 0);
	arc.from = MIB / 4;
	apsp_arc_counts_add(&counts, &arc, &sum);
	assert_int_equal(apsp_arc_counts_facts(&counts, 10), 0);
	use_check(budget, 1, PAIRS_SIZE, 0);
	arc.from = 0;
	apsp_arc_counts_add(&counts, &arc, &sum);
	use_check(budget, 1, PAIRS_SIZE, 0);
	apsp_arc_counts_done(&counts);
	use_check(budget, 1, 0, 0);
	apsp_share_close(&share);
	apsp_budget_free(budget);
}

/* Arcs on their way to the spool are memory from the beginning. */
static void test_arcs(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_upload *uploads[3] = {NULL};
	struct apsp_err err = {0};

	(void)state;
	limits.max_memory_bytes = MIB / 2;
	options.budget = budget_of(&limits);
	for (int i = 0; i < 2; i++)
		assert_int_equal(apsp_upload_open(scratch_dir(), &options,
					 &uploads[i], &err),
			0);
	assert_int_equal(
		apsp_upload_open(scratch_dir(), &options, &uploads[2], &err),
		APSP_EBUSY);
	assert_non_null(strstr(err.message, "the arcs: the uploads under"));
	for (int i = 0; i < 2; i++)
		apsp_upload_free(uploads[i]);
	use_check(options.budget, 0, 0, 0);
	apsp_budget_free(options.budget);
}

/* So is the window of zstd, before a byte is unpacked. */
static void test_window(void **state)
{
	static const char frame[] = "\x28\xb5\x2f\xfd and what follows";
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};

	(void)state;
	limits.max_one_memory_bytes = 4 * MIB;
	options.budget = budget_of(&limits);
	assert_int_equal(
		upload_run(&options, frame, sizeof(frame), 4, &upload, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "the window of zstd: one upload"));
	use_check(options.budget, 0, 0, 0);
	apsp_budget_free(options.budget);
}

/* A first line of many fields is memory, too. */
static void test_first_line(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV_MATRIX);
	struct apsp_budget_limits limits = upload_limits();
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	char *text = malloc(MIB);

	(void)state;
	assert_non_null(text);
	memset(text, ',', MIB);
	limits.max_one_memory_bytes = 4 * MIB;
	options.budget = budget_of(&limits);
	assert_int_equal(upload_run(&options, text, MIB, 4096, &upload, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "the first lines: one upload"));
	use_check(options.budget, 0, 0, 0);
	apsp_budget_free(options.budget);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_yield),
		cmocka_unit_test(test_disk),
		cmocka_unit_test(test_spooled),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_degrees),
		cmocka_unit_test(test_arcs),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_first_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
