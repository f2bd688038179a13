/*
 * The worker measures its device when it is idle. poll() is replaced, so that
 * no wait depends on chance.
 */
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/worker/worker.h"
#include "daemon/base/clock.h"
#include "tests/worker_fixture.h"

enum {
	IDLE_MAX = 32,
};

/*
 * The worker's own waits for a job are over at once where `quick` is set, and
 * how long they would have lasted is noted. Each is put off until `before` is
 * posted, unless that is NULL; just after the first a job is queued to
 * `queues`, unless that is NULL.
 */
static struct {
	bool quick;
	sem_t *before;
	struct fixture *queues;
	int waited_ms[IDLE_MAX];
	atomic_uint n_waits;
} idle;

enum {
	LOOK_MS = 10,
};

/* In the place of libc's: a wait for two descriptors is the worker's own. One
   for a child ends early, because this clock may be ahead then. */
int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	bool quick = idle.quick && n == 2 && timeout_ms > 0;
	struct timespec time = {quick ? 0 : timeout_ms / 1000,
		quick ? 0 : timeout_ms % 1000 * 1000000L};
	struct fixture *queues = idle.queues;
	unsigned int at;
	int r;

	if (n == 4 && timeout_ms > LOOK_MS)
		time = (struct timespec){.tv_nsec = LOOK_MS * 1000000L};

	if (quick && idle.before)
		sem_wait(idle.before);
	r = ppoll(fds, n, timeout_ms < 0 ? NULL : &time, NULL);
	if (!quick || r != 0)
		return r;
	at = atomic_load(&idle.n_waits);
	idle.waited_ms[at % IDLE_MAX] = timeout_ms;
	atomic_store(&idle.n_waits, at + 1);
	idle.queues = NULL;
	if (queues)
		queue(queues, "success");
	return 0;
}

/* The clock of deadlines, ahead by so much. */
static _Atomic int64_t ahead_ms;

int64_t __real_apsp_clock_ms(void);
int64_t __wrap_apsp_clock_ms(void);

int64_t __wrap_apsp_clock_ms(void)
{
	return __real_apsp_clock_ms() + atomic_load(&ahead_ms);
}

static void idle_end(void)
{
	idle.quick = false;
	idle.before = NULL;
	idle.queues = NULL;
	atomic_store(&idle.n_waits, 0);
}

/* The file by which fake_solver.sh is told its rates, or tells that it runs. */
static void calibration_path(
	const struct fixture *f, const char *what, char out[128])
{
	char name[32];

	snprintf(name, sizeof(name), "devices.%s", what);
	path_of(f, name, out);
}

static void calibration_await(const char *path)
{
	double began = seconds_now();

	while (access(path, F_OK) < 0) {
		assert_true(seconds_now() < began + WAIT_S);
		usleep(1000);
	}
}

/* From now on fake_solver.sh measures. */
static void rates_set(const struct fixture *f)
{
	char path[128], text[APSP_RATES_TEXT_SIZE];
	struct apsp_rates rates;

	apsp_rates_default(true, &rates);
	rates.near_s = 5;
	apsp_rates_format(&rates, text);
	calibration_path(f, "rates", path);
	file_write(path, text);
}

static void measured_await(const struct fixture *f)
{
	double began = seconds_now();
	struct apsp_rates rates;

	while (!apsp_worker_rates(f->worker, &rates)) {
		assert_true(seconds_now() < began + WAIT_S);
		usleep(1000);
	}
	assert_true(rates.near_s == 5);
}

/* An idle device is measured; a job puts the measurement off. */
static void test_calibration(void **state)
{
	const struct apsp_workload work = {.n_vertices = 10,
		.element = APSP_ELEMENT_I32,
		.distance = APSP_ELEMENT_I32,
		.reachable = 1};
	struct fixture *f = *state;
	struct apsp_worker_estimate estimate = {0};
	char path[128];
	double began;

	devices_set(f, "large");
	calibration_path(f, "calibrates", path);
	start(f);
	calibration_await(path);
	assert_int_equal(apsp_worker_estimate(f->worker, &work, UINT64_MAX, "",
				 &estimate, NULL),
		0);
	assert_string_equal(estimate.device.name, "large");
	assert_false(estimate.measured);

	rates_set(f);
	queue(f, "success");
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUBLISHED);
	for (began = seconds_now(); !estimate.measured; usleep(10000)) {
		assert_true(seconds_now() < began + WAIT_S);
		assert_int_equal(apsp_worker_estimate(f->worker, &work,
					 UINT64_MAX, "", &estimate, NULL),
			0);
	}
	/* 100 pairs of 5 s each */
	assert_true(apsp_plan_choice(&estimate.plan)->seconds >= 500);
	stop(f);
}

/* A job that comes just after the idle time runs before the measurement. */
static void test_wake_before_calibration(void **state)
{
	struct fixture *f = *state;
	char path[128];
	sem_t before;

	assert_int_equal(sem_init(&before, 0, 0), 0);
	calibration_path(f, "calibrates", path);
	idle.quick = true;
	idle.before = &before;
	idle.queues = f;
	start(f);
	sem_post(&before);
	wait_until(f, NULL);
	assert_int_equal(f->end, END_PUBLISHED);
	assert_int_equal(access(path, F_OK), -1);
	for (int i = 0; i < 1000; i++)
		sem_post(&before); /* a wake may cost it a turn */
	stop(f);
	idle_end();
	sem_destroy(&before);
}

/* The more often jobs put the measurement off, the later it is tried again. */
static void test_calibration_backs_off(void **state)
{
	struct fixture *f = *state;
	int expected_ms = 3000;
	char path[128];

	calibration_path(f, "calibrates", path);
	idle.quick = true;
	start(f);
	for (unsigned int i = 0; i < 13; i++) {
		calibration_await(path);
		assert_int_equal(atomic_load(&idle.n_waits), i + 1);
		assert_int_equal(idle.waited_ms[i], expected_ms);
		expected_ms = expected_ms < 1800000 ? 2 * expected_ms : 3600000;
		assert_int_equal(unlink(path), 0);
		queue(f, "success");
		wait_until(f, NULL);
		assert_int_equal(f->end, END_PUBLISHED);
	}
	stop(f);
	idle_end();
}

/* Real time in which a solver is ended and another begins. */
#define JUMP_S 3.0

/* A measurement that does not end in its time is put off, without a job. */
static void test_calibration_out_of_time(void **state)
{
	struct fixture *f = *state;
	char path[128], said[128], text[4096];
	int kept = dup(STDERR_FILENO);
	double began;
	FILE *file;

	path_of(f, "said", said);
	file = fopen(said, "w+e");
	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	calibration_path(f, "calibrates", path);
	idle.quick = true;
	start(f);
	calibration_await(path);
	assert_int_equal(unlink(path), 0);
	/* again where the deadline was set only after that */
	began = seconds_now();
	for (double jump = began; access(path, F_OK) < 0; usleep(10000)) {
		assert_true(seconds_now() < began + WAIT_S);
		if (seconds_now() < jump)
			continue;
		atomic_fetch_add(&ahead_ms, 300000);
		jump = seconds_now() + JUMP_S;
	}
	assert_int_equal(idle.waited_ms[0], 3000);
	assert_int_equal(idle.waited_ms[1], 6000);
	rates_set(f);
	queue(f, "success");
	measured_await(f);
	stop(f);
	idle_end();
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_non_null(strstr(text,
		" info: measuring the device goes on once there has been no "
		"job for 6 s: the solver took too long and was ended"));
	assert_null(strstr(text, "cancelled"));
}

/* What was told counts, although a driver crashes or hangs at exit. */
static void test_calibration_after_done(void **state)
{
	static const char *const leaving[] = {"two-crashes", "two-lingers"};
	struct fixture *f = *state;

	rates_set(f);
	idle.quick = true;
	for (size_t i = 0; i < sizeof(leaving) / sizeof(*leaving); i++) {
		devices_set(f, leaving[i]);
		start(f);
		measured_await(f);
		stop(f);
	}
	idle_end();
}

int main(void)
{
#define WORKER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		WORKER_TEST(test_calibration),
		WORKER_TEST(test_wake_before_calibration),
		WORKER_TEST(test_calibration_backs_off),
		WORKER_TEST(test_calibration_out_of_time),
		WORKER_TEST(test_calibration_after_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
