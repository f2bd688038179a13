/*
 * What uploads may take together: places, memory, room on disk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/base/weights.h"
#include "storage/ingest/out_degrees.h"
#include "tests/upload_run.h"

enum {
	MIB = 1 << 20,
};

static struct apsp_upload_budget *budget_of(
	const struct apsp_upload_limits *limits)
{
	struct apsp_upload_budget *budget = NULL;

	assert_int_equal(
		apsp_upload_budget_new(scratch_dir(), limits, &budget, NULL),
		0);
	return budget;
}

static void use_check(struct apsp_upload_budget *budget, uint32_t n_uploads,
	uint64_t memory_bytes, uint64_t disk_bytes)
{
	struct apsp_upload_use use = apsp_upload_budget_use(budget);

	assert_int_equal(use.n_uploads, n_uploads);
	assert_int_equal(use.memory_bytes, memory_bytes);
	assert_int_equal(use.disk_bytes, disk_bytes);
}

static void test_places(void **state)
{
	struct apsp_upload_limits limits = apsp_upload_default_limits;
	struct apsp_upload_budget *budget;
	struct apsp_upload_share shares[3] = {0};
	struct apsp_err err;

	(void)state;
	limits.max_uploads = 2;
	budget = budget_of(&limits);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			apsp_upload_share_open(budget, 1000, &shares[i], &err),
			0);
	use_check(budget, 2, 0, 4000);
	assert_int_equal(apsp_upload_share_open(budget, 0, &shares[2], &err),
		APSP_EBUSY);
	assert_string_equal(
		err.message, "2 uploads are under way already, the limit is 2");
	apsp_upload_share_close(&shares[0]);
	use_check(budget, 1, 0, 2000);
	assert_int_equal(
		apsp_upload_share_open(budget, 0, &shares[2], &err), 0);
	apsp_upload_share_close(&shares[1]);
	apsp_upload_share_close(&shares[2]);
	use_check(budget, 0, 0, 0);
	apsp_upload_budget_free(budget);
}

static void test_memory(void **state)
{
	struct apsp_upload_limits limits = apsp_upload_default_limits;
	struct apsp_upload_budget *budget;
	struct apsp_upload_share a = {0}, b = {0}, none = {0};
	struct apsp_err err;

	(void)state;
	limits.max_memory_bytes = 3 * MIB;
	limits.max_one_memory_bytes = 2 * MIB;
	budget = budget_of(&limits);
	assert_int_equal(apsp_upload_share_open(budget, 0, &a, &err), 0);
	assert_int_equal(apsp_upload_share_open(budget, 0, &b, &err), 0);
	assert_int_equal(
		apsp_upload_share_grow(&a, 2 * MIB, "labels", &err), 0);
	assert_int_equal(
		apsp_upload_share_grow(&a, 1, "labels", &err), APSP_ETOOLARGE);
	assert_string_equal(err.message,
		"labels: one upload may take 2 MiB of memory and needs more");
	assert_int_equal(apsp_upload_share_grow(&b, MIB, "labels", &err), 0);
	assert_int_equal(
		apsp_upload_share_grow(&b, 1, "labels", &err), APSP_EBUSY);
	apsp_upload_share_shrink(&a, MIB);
	assert_int_equal(apsp_upload_share_grow(&b, MIB, "labels", &err), 0);
	apsp_upload_share_close(&a);
	use_check(budget, 1, 2 * MIB, 0);
	apsp_upload_share_close(&b);
	use_check(budget, 0, 0, 0);
	apsp_upload_budget_free(budget);
	/* a share without a budget */
	assert_int_equal(
		apsp_upload_share_grow(&none, UINT64_MAX, "x", &err), 0);
	assert_int_equal(apsp_upload_share_spooled(&none, UINT64_MAX, &err), 0);
	apsp_upload_share_close(&none);
}

static void test_disk(void **state)
{
	struct apsp_upload_limits limits = apsp_upload_default_limits;
	struct apsp_upload_budget *budget = budget_of(&limits);
	struct apsp_upload_share share = {0};
	struct apsp_err err;

	(void)state;
	/* the arcs twice: as they come, and in the database */
	assert_int_equal(
		apsp_upload_share_open(budget, 10 * MIB, &share, &err), 0);
	use_check(budget, 1, 0, 20 * MIB);
	assert_int_equal(apsp_upload_share_spooled(&share, 4 * MIB, &err), 0);
	use_check(budget, 1, 0, 16 * MIB);
	assert_int_equal(apsp_upload_share_spooled(&share, 12 * MIB, &err), 0);
	use_check(budget, 1, 0, 12 * MIB);
	assert_int_equal(
		apsp_upload_share_spooled(&share, (uint64_t)1 << 60, &err),
		APSP_ENOSPACE);
	apsp_upload_share_close(&share);
	assert_int_equal(
		apsp_upload_share_open(budget, (uint64_t)1 << 60, &share, &err),
		APSP_ENOSPACE);
	assert_non_null(strstr(err.message, "state directory's disk"));
	assert_int_equal(
		apsp_upload_share_open(budget, UINT64_MAX, &share, &err),
		APSP_ENOSPACE);
	use_check(budget, 0, 0, 0);
	apsp_upload_budget_free(budget);
}

/* An upload whose size nobody said owes what it has spooled, once more. */
static void test_spooled(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	enum { ARCS = 200000 };
	char *text = malloc(4 * ARCS + 1);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < ARCS; i++)
		memcpy(text + 4 * i, "a,b\n", 4);
	options.budget = budget_of(&apsp_upload_default_limits);
	assert_int_equal(
		apsp_upload_open(scratch_dir(), &options, &upload, &err), 0);
	assert_int_equal(apsp_upload_budget_use(options.budget).disk_bytes, 0);
	assert_int_equal(
		apsp_upload_write(upload, text, (size_t)4 * ARCS, &err), 0);
	assert_int_equal(apsp_upload_end(upload, &err), 0);
	assert_int_equal(apsp_upload_budget_use(options.budget).disk_bytes,
		ARCS * sizeof(struct apsp_arc));
	apsp_upload_free(upload);
	use_check(options.budget, 0, 0, 0);
	apsp_upload_budget_free(options.budget);
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
	struct apsp_upload_limits limits = apsp_upload_default_limits;
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
	assert_int_equal(apsp_upload_write(held, text, size - 1, &err), 0);
	assert_true(
		apsp_upload_budget_use(options.budget).memory_bytes > 1000000);
	assert_int_equal(upload_run(&options, text, size, size, &second, &err),
		APSP_EBUSY);
	assert_non_null(strstr(err.message, "the labels: the uploads under"));
	assert_int_equal(apsp_upload_write(held, "\n", 1, &err), 0);
	assert_int_equal(apsp_upload_end(held, &err), 0);
	/* who takes the labels pays for them */
	taken = apsp_upload_take_labels(held);
	apsp_upload_free(held);
	use_check(options.budget, 0, 0, 0);
	assert_int_equal(apsp_labels_count(taken), 20001);
	apsp_labels_unref(taken);

	free(text);
	text = labels_text(60000, &size);
	assert_int_equal(upload_run(&options, text, size, size, &second, &err),
		APSP_ETOOLARGE);
	assert_non_null(strstr(err.message, "the labels: one upload may"));
	use_check(options.budget, 0, 0, 0);
	apsp_upload_budget_free(options.budget);
	free(text);
}

/* Where the degrees of vertices have no room, nothing is known of hubs. */
static void test_degrees(void **state)
{
	struct apsp_upload_limits limits = apsp_upload_default_limits;
	struct apsp_upload_share share = {0};
	struct apsp_upload_budget *budget;
	struct apsp_out_degrees degrees;

	(void)state;
	limits.max_one_memory_bytes = MIB;
	budget = budget_of(&limits);
	assert_int_equal(apsp_upload_share_open(budget, 0, &share, NULL), 0);
	apsp_out_degrees_init(&degrees, &share);
	for (uint32_t v = 0; v < 9; v++)
		apsp_out_degrees_add(&degrees, 1000);
	assert_int_equal(
		apsp_out_degrees_fact(&degrees, 10), APSP_WEIGHTS_HUBS);
	use_check(budget, 1, 4096, 0);
	apsp_out_degrees_add(&degrees, 5000);
	assert_int_equal(
		apsp_out_degrees_fact(&degrees, 10), APSP_WEIGHTS_HUBS);
	use_check(budget, 1, 32768, 0);
	apsp_out_degrees_add(&degrees, MIB / 4);
	assert_int_equal(apsp_out_degrees_fact(&degrees, 10), 0);
	use_check(budget, 1, 0, 0);
	apsp_out_degrees_add(&degrees, 0);
	use_check(budget, 1, 0, 0);
	apsp_out_degrees_done(&degrees);
	apsp_upload_share_close(&share);
	apsp_upload_budget_free(budget);
}

/* Arcs on their way to the spool are memory from the beginning. */
static void test_arcs(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload_limits limits = apsp_upload_default_limits;
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
	apsp_upload_budget_free(options.budget);
}

/* So is the window of zstd, before a byte is unpacked. */
static void test_window(void **state)
{
	static const char frame[] = "\x28\xb5\x2f\xfd and what follows";
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload_limits limits = apsp_upload_default_limits;
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
	apsp_upload_budget_free(options.budget);
}

/* A first line of many fields is memory, too. */
static void test_first_line(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV_MATRIX);
	struct apsp_upload_limits limits = apsp_upload_default_limits;
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
	apsp_upload_budget_free(options.budget);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_memory),
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
