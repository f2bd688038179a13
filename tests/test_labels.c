/*
 * Labels: text to index and back, refusals, search and suggestions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* its struct, to make it large */
#include "storage/ingest/labels.c"

static uint32_t intern(struct apsp_labels *labels, const char *text)
{
	uint32_t index;

	assert_int_equal(
		apsp_labels_intern(labels, text, strlen(text), &index, NULL),
		0);
	return index;
}

static void test_intern(void **state)
{
	struct apsp_labels *labels = NULL;
	char text[32];
	size_t size;

	(void)state;
	assert_int_equal(apsp_labels_new(NULL, &labels, NULL), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 100000; i++) {
			snprintf(text, sizeof(text), "7205759406%u", i * 7);
			assert_int_equal(intern(labels, text), i);
		}
	}
	assert_int_equal(labels->count, 100000);
	assert_string_equal(
		apsp_labels_get(labels, 99999, &size), "7205759406699993");
	assert_int_equal(size, 16);
	assert_int_equal(apsp_labels_find(labels, "72057594067", 11), 1);
	assert_int_equal(apsp_labels_find(labels, "72057594068", 11), -1);
	assert_string_equal(labels->bytes, "72057594060");
	apsp_labels_unref(labels);
}

static void test_refusals(void **state)
{
	static const char *const bad[] = {"\x80", "\xc0\xaf", "\xe0\x80\x80",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8", "\xe2\x82",
		"a\xff"};
	struct apsp_labels *labels = NULL;
	char text[APSP_LABEL_STORED_MAX + 2];
	struct apsp_err err;
	uint32_t index;

	(void)state;
	assert_int_equal(apsp_labels_new(NULL, &labels, NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(apsp_labels_intern(labels, bad[i],
					 strlen(bad[i]), &index, &err),
			APSP_EDATA);
	assert_int_equal(
		apsp_labels_intern(labels, "", 0, &index, &err), APSP_EDATA);
	assert_int_equal(apsp_labels_intern(labels, "a\0b", 3, &index, &err),
		APSP_EDATA);
	memset(text, 'x', sizeof(text));
	assert_int_equal(apsp_labels_intern(labels, text,
				 APSP_LABEL_STORED_MAX + 1, &index, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "1025 bytes"));
	assert_int_equal(labels->count, 0);
	assert_int_equal(apsp_labels_intern(labels, text, APSP_LABEL_STORED_MAX,
				 &index, &err),
		0);
	assert_int_equal(intern(labels, "\xf0\x9f\xa7\xa0"), 1);
	apsp_labels_unref(labels);
}

static void test_too_many(void **state)
{
	struct apsp_labels *labels = NULL;
	struct apsp_err err;
	uint32_t index;

	(void)state;
	assert_int_equal(apsp_labels_new(NULL, &labels, NULL), 0);
	intern(labels, "one");
	labels->count = APSP_VERTICES_MAX;
	assert_int_equal(
		apsp_labels_intern(labels, "one more", 8, &index, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "at most 33554432 vertices"));
	labels->count = 1;
	labels->bytes_used = UINT32_MAX - 8;
	assert_int_equal(
		apsp_labels_intern(labels, "one more", 8, &index, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "more than 4 GiB"));
	labels->bytes_used = 4;
	apsp_labels_unref(labels);
}

static void test_search(void **state)
{
	static const char *const texts[] = {
		"xDNp", "DNp09", "dnp", "DNp01", "other", "DNa02"};
	struct apsp_labels *labels = NULL;
	uint64_t only = 1 << 1 | 1 << 4;
	uint32_t found[24];

	(void)state;
	assert_int_equal(apsp_labels_new(NULL, &labels, NULL), 0);
	for (size_t i = 0; i < 6; i++)
		intern(labels, texts[i]);
	assert_int_equal(apsp_labels_search(labels, "DNP", NULL, found, 8), 4);
	assert_int_equal(found[0], 2);
	assert_int_equal(found[1], 1);
	assert_int_equal(found[2], 3);
	assert_int_equal(found[3], 0);
	assert_int_equal(apsp_labels_search(labels, "DNP", NULL, found, 2), 2);
	assert_int_equal(apsp_labels_search(labels, "", NULL, found, 8), 6);
	assert_int_equal(apsp_labels_search(labels, "DNP", &only, found, 8), 1);
	assert_int_equal(found[0], 1);
	assert_int_equal(found[5], 5);
	assert_int_equal(apsp_labels_search(labels, "", NULL, found, 3), 3);
	assert_int_equal(found[2], 2);
	assert_int_equal(apsp_labels_search(labels, "np", NULL, found, 8), 4);
	assert_int_equal(found[0], 0); /* inside, all of them */
	assert_int_equal(apsp_labels_search(labels, "DNpx", NULL, found, 8), 0);

	assert_int_equal(apsp_labels_suggest(labels, "DNp99", found, 8), 2);
	assert_int_equal(found[0], 1); /* one edit */
	assert_int_equal(found[1], 3); /* two */
	apsp_labels_unref(labels);
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/*
 * Labels and a text that begin alike everywhere. Compared place by place they
 * take some 40 s; a search that is linear takes a fraction of one.
 */
static void test_worst_search(void **state)
{
	enum {
		N = 150000,
		HALF = APSP_LABEL_MAX / 2,
	};
	struct apsp_labels *labels = NULL;
	char label[APSP_LABEL_MAX], text[HALF + 1];
	uint32_t found[24], index;
	double began;

	(void)state;
	assert_int_equal(apsp_labels_new(NULL, &labels, NULL), 0);
	memset(label, 'a', sizeof(label));
	for (uint32_t i = 0; i < N; i++) {
		snprintf(label + sizeof(label) - 8, 8, "%07u", i);
		assert_int_equal(apsp_labels_intern(labels, label,
					 sizeof(label) - 1, &index, NULL),
			0);
	}
	memset(text, 'a', HALF);
	text[HALF - 1] = 'b';
	text[HALF] = '\0';
	began = cpu_seconds();
	assert_int_equal(apsp_labels_search(labels, text, NULL, found, 8), 0);
	assert_true(cpu_seconds() - began < 10);

	/* labels that differ from all others at their very end, so that each
	   takes all rows: they are looked at from the first on, not all */
	memcpy(label + sizeof(label) - 8, "00000xx", 8);
	assert_true(apsp_labels_suggest(labels, label, found, 8) > 0);
	memcpy(label + sizeof(label) - 8, "01499x9", 8);
	assert_int_equal(apsp_labels_suggest(labels, label, found, 8), 0);
	apsp_labels_unref(labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_worst_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
