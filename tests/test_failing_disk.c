/*
 * A disk that cannot read a page of a table file (EIO), which is a SIGBUS for
 * who reads the mapped file, although the file has its size. Nothing wrong is
 * served; a file that cannot be read when it is opened stays and is tried
 * again.
 *
 * The mmap() of this program stands in for the disk: it maps the page that is
 * to fail from an empty file, where the kernel raises the same signal.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "tests/patience.h"
#include "tests/store_fixture.h"

static char failing_name[32];  /* of the file … */
static atomic_long failing_at; /* … and the byte that cannot be read; -1 */
static atomic_uint n_failing;  /* mappings with such a page */
static _Atomic(char *) mapped; /* the file as it was mapped last */

/* cmocka takes SIGBUS for itself before each test: give it back to storage/. */
static struct sigaction guard;

static void *map(
	void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	long out = syscall(SYS_mmap, at, size, prot, flags, fd, offset);

	return (void *)out;
}

static void page_fail(char *file, long at)
{
	const long page = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("bad", MFD_CLOEXEC);
	char *start = file + at / page * page;

	CHECK(fd >= 0 && map(start, (size_t)page, PROT_READ,
				 MAP_SHARED | MAP_FIXED, fd, 0) == start);
	close(fd);
}

static bool is_failing(int fd)
{
	char link[64], name[512];
	const char *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	name[n < 0 ? 0 : n] = '\0';
	slash = strrchr(name, '/');
	return slash && strcmp(slash + 1, failing_name) == 0;
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	char *out = map(at, size, prot, flags, fd, offset);

	if (out == MAP_FAILED || fd < 0 || !is_failing(fd))
		return out;
	atomic_store(&mapped, out);
	if (atomic_load(&failing_at) >= 0) {
		page_fail(out, atomic_load(&failing_at));
		atomic_fetch_add(&n_failing, 1);
	}
	return out;
}

static int64_t jobs_count(struct fixture *f)
{
	struct apsp_job_record records[32];
	int n = apsp_jobs_list(
		f->store, &(struct apsp_job_filter){0}, records, 32, NULL);

	for (int i = 0; i < n; i++)
		apsp_job_record_done(&records[i]);
	return n;
}

static void table_path(struct fixture *f, char out[320])
{
	snprintf(out, 320, "%s/tables/%s", f->cache_dir, failing_name);
}

/* Tables of g, whose file may fail, and of h. */
static void tables_make(struct fixture *f)
{
	uint64_t id = fixture_put(f, "g", 10, "none");

	snprintf(failing_name, sizeof(failing_name), "%llu.apsp",
		(unsigned long long)id);
	fixture_put(f, "h", 11, "none");
	assert_int_equal(fixture_work_all(f), 2);
}

/* A page fails under tables that are served, and had been read before. */
static void test_served(void **state)
{
	struct fixture *f = *state;
	uint64_t found = 0;
	char path[320];
	struct stat st;

	atomic_store(&failing_at, -1);
	tables_make(f);
	assert_int_equal(sigaction(SIGBUS, NULL, &guard), 0);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	/* the distances begin behind the header's block */
	page_fail(atomic_load(&mapped), APSP_TABLE_BLOCK);
	table_path(f, path);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > APSP_TABLE_BLOCK);
	assert_int_equal(
		fixture_read(f, "g", "default", &found), APSP_EDAMAGED);
	assert_int_equal(fixture_read(f, "h", "default", &found), 0);
	/* computed again, into a file elsewhere */
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(jobs_count(f), 3);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(found, 10);
}

/* The header or the checksums cannot be read at the start. */
static void test_opened(void **state)
{
	struct fixture *f = *state;
	struct stat before, after;
	struct apsp_err trouble;
	uint64_t found = 0;
	char path[320];

	assert_int_equal(sigaction(SIGBUS, &guard, NULL), 0);
	atomic_store(&failing_at, -1);
	tables_make(f);
	table_path(f, path);
	assert_int_equal(stat(path, &before), 0);
	for (int last = 0; last < 2; last++) {
		atomic_store(&n_failing, 0);
		atomic_store(&failing_at, last ? before.st_size - 1 : 0);
		fixture_reopen(f);
		assert_true(atomic_load(&n_failing) > 0);
		assert_int_equal(fixture_read(f, "g", "default", &found),
			APSP_ENOTREADY);
		assert_int_equal(apsp_snapshot_map_troubles(
					 apsp_store_parts(f->store)->graphs,
					 &trouble, 1),
			1);
		assert_non_null(strstr(trouble.message, "Input/output error"));
		assert_int_equal(fixture_read(f, "h", "default", &found), 0);
		assert_int_equal(jobs_count(f), 2);
		assert_int_equal(stat(path, &after), 0);
		assert_int_equal(after.st_ino, before.st_ino);
		atomic_store(&failing_at, -1);
		for (unsigned int turns = 0;
			fixture_read(f, "g", "default", &found) < 0 &&
			patience_lasts(&turns);)
			;
		assert_int_equal(fixture_read(f, "g", "default", &found), 0);
		assert_int_equal(found, 10);
	}
	assert_int_equal(jobs_count(f), 2);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_served),
		TEST(test_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
