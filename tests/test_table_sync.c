/*
 * Tables answer before they are durable, and what a power cut leaves of them is
 * never served: the fsync() of this program stands in for a slow or failing
 * disk, and copies of the directories for what lay on it when the power went.
 */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <cmocka.h>

#include "tests/patience.h"
#include "tests/store_fixture.h"

enum disk {
	DISK_WORKS,
	DISK_WAITS, /* until somebody posts go_on */
	DISK_FAILS,
	DISK_FAILED, /* a piece before, which the last sync does not tell */
};

enum {
	WAIT_S = 60, /* who publishes waits for the disk, or nobody lets go */
};

static _Atomic(enum disk) disk;
static sem_t go_on;
static sem_t held;	       /* posted by who waits for go_on */
static atomic_uint n_failures; /* of that disk */
static atomic_bool log_fails;  /* of the database */
static atomic_uint n_log_failures;
static atomic_uint n_written_back; /* parts of the database's log */
/* A file that the kernel has otherwise than the disk, until it is reread. */
static char unlike_disk[320];

static bool is_table(int fd)
{
	char link[64], name[512];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	name[n < 0 ? 0 : n] = '\0';
	/* as the worker of the fixture names it, or as it is published */
	return strstr(name, "/result-") ||
	       (n > 5 && strcmp(name + n - 5, ".apsp") == 0);
}

static bool is_log(int fd)
{
	char link[64], name[512];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	return n > 4 && memcmp(name + n - 4, "-wal", 4) == 0;
}

/* In the place of libc's. */
int fsync(int fd)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	if (is_table(fd) && atomic_load(&disk) == DISK_WAITS) {
		sem_post(&held);
		CHECK(sem_timedwait(&go_on, &until) == 0);
	}
	if (is_table(fd) && atomic_load(&disk) == DISK_FAILS) {
		atomic_fetch_add(&n_failures, 1);
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

/* In the place of libc's. */
int sync_file_range(int fd, off_t at, off_t size, unsigned int flags)
{
	if (is_table(fd) && atomic_load(&disk) == DISK_FAILED) {
		atomic_fetch_add(&n_failures, 1);
		errno = EIO;
		return -1;
	}
	atomic_fetch_add(&n_written_back, is_log(fd));
	return (int)syscall(SYS_sync_file_range, fd, at, size, flags);
}

/* In the place of libc's; SQLite syncs its log with it. */
int fdatasync(int fd)
{
	if (is_log(fd) && atomic_load(&log_fails)) {
		atomic_fetch_add(&n_log_failures, 1);
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

static void zero(const char *path, off_t from, off_t size);

/* In the place of libc's: what the disk has comes to light. */
int posix_fadvise64(int fd, off_t from, off_t size, int advice)
{
	struct stat asked, st;

	if (advice == POSIX_FADV_DONTNEED && from == 0 && size == 0 &&
		unlike_disk[0] && fstat(fd, &asked) == 0 &&
		stat(unlike_disk, &st) == 0 && asked.st_ino == st.st_ino) {
		zero(unlike_disk, APSP_TABLE_BLOCK, APSP_TABLE_BLOCK);
		unlike_disk[0] = '\0';
	}
	return 0;
}

static int64_t n_durable(const struct fixture *f)
{
	return fixture_number(f, "SELECT count(*) FROM tables WHERE durable");
}

static void becomes_durable(const struct fixture *f)
{
	for (unsigned int turns = 0;
		n_durable(f) == 0 && patience_lasts(&turns);)
		;
	assert_int_equal(n_durable(f), 1);
}

/* Publish a graph's tables, and let the disk hold on to their sync. */
static void publish_held(struct fixture *f)
{
	struct timespec until;
	uint64_t found;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	atomic_store(&disk, DISK_WAITS);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(sem_timedwait(&held, &until), 0);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(n_durable(f), 0);
}

static void let_go(void)
{
	atomic_store(&disk, DISK_WORKS);
	sem_post(&go_on);
}

static int setup(void **state)
{
	sem_init(&go_on, 0, 0);
	sem_init(&held, 0, 0);
	atomic_store(&disk, DISK_WORKS);
	atomic_store(&log_fails, false);
	unlike_disk[0] = '\0';
	return fixture_setup(state);
}

/* A test that failed may hold the disk. */
static int teardown(void **state)
{
	let_go();
	return fixture_teardown(state);
}

/* Both directories as they are now, in a fixture of their own. */
static struct fixture *image_new(const struct fixture *f)
{
	struct fixture *image = fixture_new();
	char command[1024];

	snprintf(command, sizeof(command), "cp -a '%s'/. '%s'", f->dir,
		image->dir);
	assert_int_equal(system(command), 0);
	return image;
}

static void table_path(const struct fixture *f, char out[320])
{
	snprintf(out, 320, "%s/tables/1.apsp", f->cache_dir);
}

static void test_answers_first(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_record record;

	publish_held(f);
	assert_int_equal(apsp_jobs_get(f->store, 1, &record, NULL), 0);
	assert_int_equal(record.state, APSP_JOB_SUCCEEDED);
	apsp_job_record_done(&record);
	let_go();
	becomes_durable(f);
}

/* What of the file reached the disk. */
enum rest {
	REST_NO_FILE,
	REST_EMPTY,
	REST_ZEROS,
	REST_NO_HEADER,
	REST_NO_FIRST_BLOCK,
	REST_NO_LAST_BLOCK,
	REST_NO_CHECKSUMS,
	N_RESTS,
};

static void zero(const char *path, off_t from, off_t size)
{
	static const char zeros[APSP_TABLE_BLOCK];
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	for (off_t at = from; at < from + size; at += (off_t)sizeof(zeros))
		assert_true(pwrite(fd, zeros, sizeof(zeros), at) ==
			    (ssize_t)sizeof(zeros));
	close(fd);
}

static void drop_writes(const struct fixture *image, enum rest rest)
{
	const off_t block = APSP_TABLE_BLOCK;
	struct apsp_table_header header;
	char path[320];
	int fd;

	table_path(image, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(
		read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header));
	close(fd);
	if (rest == REST_NO_FILE)
		assert_int_equal(unlink(path), 0);
	else if (rest == REST_EMPTY)
		assert_int_equal(truncate(path, 0), 0);
	else if (rest == REST_ZEROS)
		zero(path, 0, (off_t)header.data_end);
	else if (rest == REST_NO_HEADER)
		zero(path, 0, block);
	else if (rest == REST_NO_FIRST_BLOCK)
		zero(path, block, block);
	else if (rest == REST_NO_LAST_BLOCK)
		/* of the distances: the sections behind may be zeros anyway */
		zero(path, (off_t)header.sections[APSP_SECTION_DISTANCE].offset,
			block);
	else
		assert_int_equal(truncate(path, (off_t)header.data_end), 0);
}

static void test_power_cut(void **state)
{
	struct fixture *f = *state;
	uint64_t found;

	publish_held(f);
	for (int rest = 0; rest < N_RESTS; rest++) {
		struct fixture *image = image_new(f);

		drop_writes(image, (enum rest)rest);
		atomic_store(&disk, DISK_WORKS); /* f waits already */
		fixture_open(image);
		assert_int_equal(fixture_read(image, "g", "default", &found),
			APSP_ENOTREADY);
		assert_int_equal(fixture_work_all(image), 1);
		assert_int_equal(
			fixture_read(image, "g", "default", &found), 0);
		fixture_free(image);
		assert_int_equal(n_durable(f), 0);
	}
	let_go();
}

/* Where nothing was lost, the tables answer at once, and become durable. */
static void test_nothing_lost(void **state)
{
	struct fixture *f = *state;
	struct fixture *image;
	uint64_t found;

	publish_held(f);
	image = image_new(f);
	let_go();
	fixture_open(image);
	assert_int_equal(fixture_read(image, "g", "default", &found), 0);
	assert_int_equal(fixture_work_all(image), 0);
	becomes_durable(image);
	fixture_free(image);
}

/* The commit that published was not durable either. */
static void test_commit_lost(void **state)
{
	struct fixture *f = *state;
	struct fixture *before, *after;
	char command[1024];
	uint64_t found;

	fixture_put(f, "g", 10, "none");
	before = image_new(f);
	atomic_store(&disk, DISK_WAITS);
	assert_int_equal(fixture_work_all(f), 1);
	after = image_new(f);
	snprintf(command, sizeof(command), "cp -a '%s'/tables '%s'/",
		after->cache_dir, before->cache_dir);
	assert_int_equal(system(command), 0);
	let_go();
	assert_int_equal(fixture_n_files(before), 1);
	fixture_open(before);
	assert_int_equal(fixture_n_files(before), 0);
	assert_int_equal(
		fixture_read(before, "g", "default", &found), APSP_ENOTREADY);
	assert_int_equal(fixture_work_all(before), 1);
	assert_int_equal(fixture_read(before, "g", "default", &found), 0);
	fixture_free(before);
	fixture_free(after);
}

/* Tables that cannot be synced answer, and are checked at the next start. */
static void sync_fails(struct fixture *f, enum disk how)
{
	uint64_t found;

	atomic_store(&disk, how);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	apsp_store_close(f->store);
	f->store = NULL;
	assert_int_equal(n_durable(f), 0);
	atomic_store(&disk, DISK_WORKS);
	fixture_open(f);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	becomes_durable(f);
}

static void test_sync_fails(void **state)
{
	sync_fails(*state, DISK_FAILS);
}

static void test_piece_fails(void **state)
{
	sync_fails(*state, DISK_FAILED);
}

/*
 * After a sync that failed the kernel may keep what the disk has not, and the
 * next sync succeeds: the next start looks at the disk.
 */
static void test_failure_forgotten(void **state)
{
	struct fixture *f = *state;
	uint64_t found;

	atomic_store(&disk, DISK_FAILS);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	table_path(f, unlike_disk);
	apsp_store_close(f->store);
	f->store = NULL;
	atomic_store(&disk, DISK_WORKS);
	fixture_open(f);
	assert_int_equal(
		fixture_read(f, "g", "default", &found), APSP_ENOTREADY);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	becomes_durable(f);
}

/* A file that could not be synced is not tried again: that would succeed. */
static void test_not_tried_again(void **state)
{
	struct fixture *f = *state;
	const char *second = "SELECT count(*) FROM tables WHERE durable"
			     " AND id = 2";

	atomic_store(&n_failures, 0);
	atomic_store(&disk, DISK_FAILS);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	for (unsigned int turns = 0;
		atomic_load(&n_failures) == 0 && patience_lasts(&turns);)
		;
	atomic_store(&disk, DISK_WORKS);
	fixture_put(f, "h", 11, "none");
	assert_int_equal(fixture_work_all(f), 1);
	for (unsigned int turns = 0;
		fixture_number(f, second) == 0 && patience_lasts(&turns);)
		;
	assert_int_equal(fixture_number(f, second), 1);
	assert_int_equal(n_durable(f), 1);
}

/* A database that fails for a while: then that is recorded, too. */
static void test_database_fails(void **state)
{
	struct fixture *f = *state;

	publish_held(f);
	atomic_store(&n_log_failures, 0);
	atomic_store(&log_fails, true);
	let_go();
	for (unsigned int turns = 0;
		atomic_load(&n_log_failures) < 3 && patience_lasts(&turns);)
		;
	assert_true(atomic_load(&n_log_failures) >= 3);
	assert_int_equal(n_durable(f), 0);
	atomic_store(&log_fails, false);
	becomes_durable(f);
}

/* A clean stop leaves nothing that the next start has to check. */
static void test_stop(void **state)
{
	struct fixture *f = *state;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	apsp_store_close(f->store);
	f->store = NULL;
	assert_int_equal(n_durable(f), 1);
	fixture_open(f);
}

/* Each chunk of an upload is on its way before the commit that waits. */
static void test_log_goes_on(void **state)
{
	struct fixture *f = *state;
	unsigned int before = atomic_load(&n_written_back);

	fixture_put(f, "g", 10, "none");
	/* labels, arcs */
	assert_int_equal(atomic_load(&n_written_back) - before, 2);
}

int main(void)
{
#define SYNC_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		SYNC_TEST(test_answers_first),
		SYNC_TEST(test_power_cut),
		SYNC_TEST(test_nothing_lost),
		SYNC_TEST(test_commit_lost),
		SYNC_TEST(test_sync_fails),
		SYNC_TEST(test_piece_fails),
		SYNC_TEST(test_failure_forgotten),
		SYNC_TEST(test_not_tried_again),
		SYNC_TEST(test_database_fails),
		SYNC_TEST(test_stop),
		SYNC_TEST(test_log_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
