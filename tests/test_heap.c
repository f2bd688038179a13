/*
 * The second job of a process makes few new pages, because it is solved in the
 * memory that the first job left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute/solve/heap.h"
#include "tests/graph_fixture.h"
#include "tests/processors.h"
#include "tests/solved.h"

enum {
	N = 1024, /* vertices */
	JOBS = 3,
	RETURNED = 1 << 20, /* bytes of a block that free() gives back */
	/* how many times fewer pages are made; 48 times here */
	TIMES = 3,
};

static void graph_write(const char *dir)
{
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, N);
	for (uint32_t u = 0; u < N; u++)
		for (uint32_t i = 1; i < N; i++)
			graph_fixture_add(&g, u, (u + i) % N,
				1 + (u * 7919U + i * 104729U) % 99991);
	snprintf(path, sizeof(path), "%s/graph", dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

/* The pages that this process has made. */
static long pages(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* In the child: solve the graph JOBS times, and write the number of pages that
   the last job made to `out`. */
static int jobs_run(const char *dir, bool keeps, int out)
{
	const struct apsp_device_options options = {
		.device = "cpu", .kernel_dir = "/dev/null/kernels"};
	struct apsp_device device;
	struct apsp_progress silent;
	struct apsp_err err;
	long before = 0, made;

	mallopt(M_PERTURB, 0);
	if (keeps)
		apsp_heap_prepare();
	else
		mallopt(M_MMAP_THRESHOLD, RETURNED);
	apsp_progress_init(&silent, NULL, NULL);
	if (apsp_device_open(&options, &device, &err) < 0)
		return EXIT_FAILURE;
	for (int i = 0; i < JOBS; i++) {
		before = pages();
		if (solved_compute(dir, &device, "blocked-fw", &silent, NULL,
			    &err) < 0)
			return EXIT_FAILURE;
		apsp_heap_trim();
	}
	made = pages() - before;
	return write(out, &made, sizeof(made)) == sizeof(made) ? EXIT_SUCCESS
							       : EXIT_FAILURE;
}

static long pages_of_last(const char *dir, bool keeps)
{
	int ends[2], status;
	long made = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(jobs_run(dir, keeps, ends[1]));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &made, sizeof(made)), sizeof(made));
	close(ends[0]);
	close(ends[1]);
	return made;
}

static void test_pages(void **state)
{
	char dir[] = "/tmp/apsp-heap-XXXXXX", path[300];
	long kept, fresh;
	/* with more than four processors, a job writes its file through a
	   mapping, whose pages would count, too */
	cpu_set_t all = processors_pin(2);

	(void)state;
	assert_non_null(mkdtemp(dir));
	graph_write(dir);
	fresh = pages_of_last(dir, false);
	kept = pages_of_last(dir, true);
	processors_free(&all);
	print_message(
		"pages of the last job: %ld, and %ld without\n", kept, fresh);
	assert_true(kept * TIMES < fresh);
	snprintf(path, sizeof(path), "%s/graph", dir);
	remove(path);
	snprintf(path, sizeof(path), "%s/tables", dir);
	remove(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pages)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
