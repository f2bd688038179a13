/*
 * What is left in control groups, from directories as the kernel shows them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/plan/host_room.h"

enum {
	HELD = 32 << 20,
	DEPTH = 3,
};

/* The files of a group; NULL: there is no such file. */
struct group {
	const char *max;
	const char *current;
	const char *stat;
};

static void file_write(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	if (!text)
		return;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* What is left, and what there is at all. */
struct room {
	uint64_t left;
	uint64_t total;
};

/* Of the innermost of n groups, each within the one before. */
static struct room room_within(const struct group *groups, size_t n)
{
	char root[] = "/tmp/apsp-group-XXXXXX", command[64], dir[64];
	char inner[32] = "";
	struct room room;

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			strcat(inner, "/in");
		snprintf(dir, sizeof(dir), "%s%s", root, inner);
		assert_true(i == 0 || mkdir(dir, 0700) == 0);
		file_write(dir, "memory.max", groups[i].max);
		file_write(dir, "memory.current", groups[i].current);
		file_write(dir, "memory.stat", groups[i].stat);
	}
	room.left = apsp_host_room_group_now(root, inner);
	room.total = apsp_host_room_group_total(root, inner);
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	assert_int_equal(system(command), 0);
	return room;
}

static uint64_t room(const struct group *group)
{
	return room_within(group, 1).left;
}

/* A container of 8 GB in which a table of 6 GB was just written. */
static void test_cache_is_left(void **state)
{
	const struct group group = {
		.max = "8000000000\n",
		.current = "7000000000\n",
		.stat = "anon 900000000\nfile 6050000000\nshmem 50000000\n"
			"inactive_anon 1\nactive_anon 949999999\n"
			"inactive_file 4000000000\nactive_file 2000000000\n"
			"slab_reclaimable 30000000\n"
			"slab_unreclaimable 20000000\n",
	};

	(void)state;
	assert_true(room(&group) ==
		    UINT64_C(8000000000) - (UINT64_C(7000000000) - 6030000000));
}

static void test_forms(void **state)
{
	static const struct {
		struct group group;
		uint64_t left;
	} cases[] = {
		{{NULL, NULL, NULL}, UINT64_MAX},
		{{"max\n", "5\n", "inactive_file 3\n"}, UINT64_MAX},
		{{"100\n", NULL, "inactive_file 3\n"}, UINT64_MAX},
		{{"100\n", "60\n", NULL}, 40},
		{{"100\n", "60\n", ""}, 40},
		{{"100\n", "60\n", "inactive_files 50\n"}, 40},
		{{"100\n", "60\n", "inactive_file x\nactive_file 7\n"}, 47},
		/* the files are not read at one moment */
		{{"100\n", "60\n", "inactive_file 70\nactive_file 7\n"}, 100},
		{{"100\n", "160\n", "inactive_file 10\n"}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (room(&cases[i].group) != cases[i].left)
			fail_msg("case %zu", i);
}

/* The least of all groups counts: others use the memory of an outer one, or it
   alone has a limit. */
static void test_outer(void **state)
{
	static const struct {
		struct group groups[DEPTH]; /* the outermost first */
		struct room room;
	} cases[] = {
		{{{NULL, NULL, NULL}, {"max\n", "9\n", ""},
			 {"max\n", "5\n", ""}},
			{UINT64_MAX, UINT64_MAX}},
		{{{NULL, NULL, NULL}, {"100\n", "60\n", "active_file 8\n"},
			 {"max\n", "5\n", ""}},
			{48, 100}},
		{{{"80\n", "10\n", ""}, {"max\n", "9\n", ""},
			 {"max\n", "5\n", ""}},
			{70, 80}},
		{{{NULL, NULL, NULL}, {"100\n", "90\n", ""},
			 {"50\n", "5\n", ""}},
			{10, 50}},
		{{{NULL, NULL, NULL}, {"100\n", "20\n", ""},
			 {"50\n", "5\n", ""}},
			{45, 50}},
		{{{"60\n", "95\n", "inactive_file 50\n"},
			 {"100\n", "95\n", "inactive_file 90\n"},
			 {"max\n", "95\n", "inactive_file 90\n"}},
			{15, 60}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct room found = room_within(cases[i].groups, DEPTH);

		if (found.left != cases[i].room.left ||
			found.total != cases[i].room.total)
			fail_msg("case %zu", i);
	}
}

static void test_here(void **state)
{
	(void)state;
	assert_true(apsp_host_room_now() > 0);
	assert_true(apsp_host_room_total() > 0);
}

/* Memory that nobody else has counts, also where it could be shared. */
static void test_held(void **state)
{
	static const int flags[] = {MAP_PRIVATE, MAP_SHARED};

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		uint64_t before = apsp_host_room_held();
		void *memory = mmap(NULL, HELD, PROT_READ | PROT_WRITE,
			flags[i] | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		assert_ptr_not_equal(memory, MAP_FAILED);
		/* Linux counts in batches of pages */
		assert_true(apsp_host_room_held() >= before + HELD - HELD / 4);
		munmap(memory, HELD);
	}
}

static void test_for_job(void **state)
{
	uint64_t total = apsp_host_room_total(), kept = apsp_host_room_kept();

	(void)state;
	assert_true(kept > 0 && kept <= total / 64);
	assert_int_equal(apsp_host_room_for_job(total), total - kept);
	assert_int_equal(apsp_host_room_for_job(kept), 0);
	assert_int_equal(apsp_host_room_for_job(kept / 2), 0);
	assert_int_equal(apsp_host_room_for_job(UINT64_MAX), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cache_is_left),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_outer),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_here),
		cmocka_unit_test(test_for_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
