/*
 * Mappings. A fault inside one gives zeros and marks it; any other fault goes
 * where it went before; mappings come and go while other threads fault.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "storage/tables/mapping.h"

enum {
	SIZE = 1 << 20,
	ROUNDS = 200,
};

/* cmocka takes SIGBUS for itself before each test: give it back to storage/. */
static struct sigaction guard;

static void take_sigbus_back(void)
{
	assert_int_equal(sigaction(SIGBUS, &guard, NULL), 0);
}

/* An unnamed file of SIZE bytes of 0x5a. */
static int make_file(void)
{
	char *bytes = malloc(SIZE);
	int fd = memfd_create("mapped", MFD_CLOEXEC);

	if (!bytes || fd < 0)
		abort();
	memset(bytes, 0x5a, SIZE);
	if (write(fd, bytes, SIZE) != SIZE)
		abort();
	free(bytes);
	return fd;
}

static unsigned char peek(const struct apsp_mapping *mapping, size_t at)
{
	return *(const volatile unsigned char *)(mapping->data + at);
}

/* Each case runs in a child, since a process installs the handler once. */
static int in_child(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		body();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void open_one(struct apsp_mapping *out)
{
	int fd = make_file();

	if (apsp_mapping_open(fd, SIZE, out, NULL) < 0)
		abort();
	close(fd);
}

/* A fault in a mapping that is not registered. */
static void fault_elsewhere(void)
{
	int fd = make_file();
	volatile unsigned char *map =
		mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED || ftruncate(fd, 0) < 0)
		abort();
	(void)map[5000];
}

static void default_and_fault(void)
{
	struct apsp_mapping mapping;

	signal(SIGBUS, SIG_DFL);
	open_one(&mapping);
	fault_elsewhere();
}

static void default_and_sent(void)
{
	struct apsp_mapping mapping;

	signal(SIGBUS, SIG_DFL);
	open_one(&mapping);
	raise(SIGBUS);
}

/* A signal that was sent has no address, whatever its field holds. */
static void default_and_sent_with_address(void)
{
	struct apsp_mapping mapping;
	siginfo_t info = {.si_signo = SIGBUS, .si_code = SI_QUEUE};

	signal(SIGBUS, SIG_DFL);
	open_one(&mapping);
	info.si_addr = (void *)(uintptr_t)mapping.data;
	syscall(SYS_rt_sigqueueinfo, getpid(), SIGBUS, &info);
}

static void ignored_and_sent(void)
{
	struct apsp_mapping mapping;

	signal(SIGBUS, SIG_IGN);
	open_one(&mapping);
	raise(SIGBUS);
}

static void ignored_and_fault(void)
{
	struct apsp_mapping mapping;

	signal(SIGBUS, SIG_IGN);
	open_one(&mapping);
	fault_elsewhere();
}

static void exit_7(int number)
{
	(void)number;
	_exit(7);
}

static void exit_8(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	_exit(info->si_code == BUS_ADRERR ? 8 : 9);
}

static void handled_and_fault(void)
{
	struct apsp_mapping mapping;

	signal(SIGBUS, exit_7);
	open_one(&mapping);
	fault_elsewhere();
}

static void informed_and_fault(void)
{
	struct sigaction action = {
		.sa_sigaction = exit_8,
		.sa_flags = SA_SIGINFO,
	};
	struct apsp_mapping mapping;

	sigaction(SIGBUS, &action, NULL);
	open_one(&mapping);
	fault_elsewhere();
}

/* The addresses of a closed mapping are not guarded any more. */
static void closed_and_fault(void)
{
	struct apsp_mapping mapping;
	const unsigned char *data;
	int fd = make_file();

	signal(SIGBUS, SIG_DFL);
	open_one(&mapping);
	data = mapping.data;
	apsp_mapping_close(&mapping);
	if (mmap((void *)(uintptr_t)data, SIZE, PROT_READ,
		    MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
		ftruncate(fd, 0) < 0)
		abort();
	(void)*(const volatile unsigned char *)data;
}

static void test_other_faults(void **state)
{
	int status;

	(void)state;
	status = in_child(default_and_fault);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = in_child(default_and_sent);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = in_child(default_and_sent_with_address);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = in_child(ignored_and_fault);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = in_child(closed_and_fault);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = in_child(ignored_and_sent);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	status = in_child(handled_and_fault);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	status = in_child(informed_and_fault);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 8);
}

static void test_zeros_and_mark(void **state)
{
	APSP_AUTO(apsp_mapping_close) struct apsp_mapping cut = {0};
	APSP_AUTO(apsp_mapping_close) struct apsp_mapping whole = {0};
	APSP_AUTO(apsp_close) int fd = -1;

	(void)state;
	take_sigbus_back();
	fd = make_file();
	assert_int_equal(apsp_mapping_open(fd, SIZE, &cut, NULL), 0);
	open_one(&whole);
	assert_int_equal(peek(&cut, SIZE - 1), 0x5a);
	assert_false(apsp_mapping_damaged(&cut));

	assert_int_equal(ftruncate(fd, SIZE / 2), 0);
	assert_int_equal(peek(&cut, SIZE / 2 - 1), 0x5a);
	assert_false(apsp_mapping_damaged(&cut));
	errno = 1234;
	assert_int_equal(peek(&cut, SIZE - 1), 0);
	assert_int_equal(errno, 1234);
	assert_true(apsp_mapping_damaged(&cut));
	assert_int_equal(peek(&cut, SIZE / 2), 0);
	assert_int_equal(peek(&cut, SIZE / 2 - 1), 0x5a);
	assert_int_equal(peek(&whole, SIZE - 1), 0x5a);
	assert_false(apsp_mapping_damaged(&whole));
}

/* A slot that was marked damaged is clean for its next mapping. */
static void test_slot_again(void **state)
{
	struct apsp_mapping mapping = {0};
	size_t slot;
	int fd = make_file();

	(void)state;
	take_sigbus_back();
	assert_int_equal(apsp_mapping_open(fd, SIZE, &mapping, NULL), 0);
	slot = mapping.slot;
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(peek(&mapping, 0), 0);
	assert_true(apsp_mapping_damaged(&mapping));
	apsp_mapping_close(&mapping);
	assert_null(mapping.data);
	apsp_mapping_close(&mapping);
	close(fd);

	open_one(&mapping);
	assert_int_equal(mapping.slot, slot);
	assert_false(apsp_mapping_damaged(&mapping));
	apsp_mapping_close(&mapping);
}

static void test_refusals(void **state)
{
	struct apsp_mapping mapping = {0};
	struct apsp_err err;
	static struct apsp_mapping many[APSP_MAPPINGS_MAX];
	size_t n = 0;
	int fd = make_file();
	int r = 0;

	(void)state;
	take_sigbus_back();
	assert_int_equal(apsp_mapping_open(-1, SIZE, &mapping, &err), APSP_EIO);
	assert_null(mapping.data);
	while (n < APSP_MAPPINGS_MAX && r == 0)
		r = apsp_mapping_open(fd, 4096, &many[n++], &err);
	assert_int_equal(r, 0);
	assert_int_equal(
		apsp_mapping_open(fd, 4096, &mapping, &err), APSP_ENOMEM);
	assert_null(mapping.data);
	/* the last mapping is guarded like the first */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(peek(&many[APSP_MAPPINGS_MAX - 1], 0), 0);
	assert_true(apsp_mapping_damaged(&many[APSP_MAPPINGS_MAX - 1]));
	for (size_t i = 0; i < APSP_MAPPINGS_MAX; i++)
		apsp_mapping_close(&many[i]);
	close(fd);
}

/* Open, cut, read and close, while three threads do the same. */
static void *churn(void *out)
{
	int *failures = out;

	for (int i = 0; i < ROUNDS; i++) {
		struct apsp_mapping mapping = {0};
		size_t at = (size_t)i * 4099 % SIZE;
		int fd = make_file();

		if (apsp_mapping_open(fd, SIZE, &mapping, NULL) < 0)
			abort();
		*failures += peek(&mapping, at) != 0x5a;
		*failures += apsp_mapping_damaged(&mapping);
		if (i % 2 == 0) {
			if (ftruncate(fd, 0) < 0)
				abort();
			*failures += peek(&mapping, at) != 0;
			*failures += !apsp_mapping_damaged(&mapping);
		}
		apsp_mapping_close(&mapping);
		close(fd);
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[4];
	int failures[4] = {0};

	(void)state;
	take_sigbus_back();
	for (int t = 0; t < 4; t++)
		assert_int_equal(
			pthread_create(&threads[t], NULL, churn, &failures[t]),
			0);
	for (int t = 0; t < 4; t++) {
		pthread_join(threads[t], NULL);
		assert_int_equal(failures[t], 0);
	}
}

int main(void)
{
	const struct CMUnitTest before[] = {
		cmocka_unit_test(test_other_faults),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeros_and_mark),
		cmocka_unit_test(test_slot_again),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_threads),
	};
	struct apsp_mapping mapping;
	int failed;

	/* first: its children must install the handler themselves */
	failed = cmocka_run_group_tests(before, NULL, NULL);
	open_one(&mapping);
	sigaction(SIGBUS, NULL, &guard);
	apsp_mapping_close(&mapping);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
