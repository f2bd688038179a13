/* Checks the device, and solves a small graph in the same way as the worker,
   but without a queue; see check_device.h. */
#include "daemon/check_device.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/worker/job_dir.h"
#include "compute/worker/job_report.h"
#include "compute/worker/solver_process.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/size.h"
#include "daemon/job/graph_file.h"
#include "daemon/process_setup.h"
#include "storage/tables/table_row.h"
#include "storage/tables/table_seal.h"

enum {
	DEVICES_MAX = 32,
	STALL_MS = 60000,
	N = 6,
};

/*
 * The small graph. Its shortest paths have one to four arcs, some pairs of
 * vertices have no path, and a, b and c lie on a cycle:
 *
 *	e ─7─▸ a ─1─▸ b ─1─▸ c ─2─▸ d     f
 *	       a ─────5────▸ c
 *	              b ──────4────▸ d
 *	       a ◂────4───── c
 */
static const struct apsp_arc arcs[] = {{0, 1, 1}, {1, 2, 1}, {0, 2, 5},
	{2, 0, 4}, {2, 3, 2}, {1, 3, 4}, {4, 0, 7}};
static const uint64_t label_offsets[N + 1] = {0, 1, 2, 3, 4, 5, 6};
static const char labels[] = "abcdef";

#define NO INFINITY
static const double distances[N][N] = {
	{0, 1, 2, 4, NO, NO},
	{5, 0, 1, 3, NO, NO},
	{4, 5, 0, 2, NO, NO},
	{NO, NO, NO, 0, NO, NO},
	{7, 8, 9, 11, 0, NO},
	{NO, NO, NO, NO, NO, 0},
};

/* The small graph has neither a revision nor a stored profile, so the table
   file gets this text in place of the hashes of both. */
static const char hash[APSP_HASH_SIZE] = "0000000000000000000000000000000000000"
					 "000000000000000000000000000";

static int graph_write(const char *dir, struct apsp_err *err)
{
	struct apsp_graph graph = {
		.n_vertices = N,
		.n_arcs = sizeof(arcs) / sizeof(*arcs),
		.arcs = arcs,
		.label_offsets = label_offsets,
		.label_bytes = labels,
		/* name the algorithm `blocked-fw`, so that the check uses the
		   device: the default algorithm for small graphs runs on the
		   host only */
		.profile = {.duplicates = APSP_DUPLICATES_MIN,
			.algorithm = "blocked-fw"},
	};
	char path[APSP_JOB_PATH_SIZE + sizeof("/graph")];

	snprintf(path, sizeof(path), "%s/graph", dir);
	return apsp_graph_write(path, &graph, err);
}

static int distances_check(struct apsp_tables *tables, struct apsp_err *err)
{
	double row[N];
	double raw[N];
	uint32_t hops[N];

	for (uint32_t i = 0; i < N; i++) {
		int r = apsp_table_row_distances(
			tables, i, raw, row, hops, err);

		if (r < 0)
			return r;
		for (uint32_t j = 0; j < N; j++)
			if (row[j] != distances[i][j])
				return apsp_fail(err, APSP_EPROOF,
					"the device computes wrong distances "
					"(%c to %c: %g instead of %g); choose "
					"another with --device, or another "
					"driver",
					labels[i], labels[j], row[j],
					distances[i][j]);
	}
	return 0;
}

static int tables_check(const char *dir, struct apsp_err *err)
{
	static const struct apsp_tables_watch nobody = {0};
	char path[APSP_JOB_PATH_SIZE + sizeof("/tables")];
	struct apsp_tables *tables = NULL;
	uint64_t checksum;
	int r;

	snprintf(path, sizeof(path), "%s/tables", dir);
	r = apsp_table_seal(path, hash, hash, &checksum, err);
	if (r == 0)
		r = apsp_tables_open(path, hash, hash, &nobody, &tables, err);
	if (r == 0)
		r = distances_check(tables, err);
	apsp_tables_unref(tables);
	return r;
}

static void solve_check(struct apsp_solver_process *solver, const char *dir,
	struct apsp_check_report *report)
{
	static const struct apsp_solver_watch nobody = {0};
	APSP_AUTO(apsp_job_report_done) struct apsp_job_report job;
	struct apsp_err *err = &job.failure.err;
	double start_s = apsp_clock_s();
	int r;

	apsp_job_report_init(&job);
	r = graph_write(dir, err);
	if (r == 0)
		r = apsp_solver_process_compute(solver, dir, 0, &nobody, &job);
	if (r == 0)
		r = tables_check(dir, err);
	if (r < 0)
		apsp_check_wrong(report, "solve", err);
	else
		apsp_check_ok(report, "solve",
			"a graph of %d vertices by %s on %s in %.1f s, every "
			"distance is right",
			N, job.progress.algorithm, job.progress.device,
			apsp_clock_s() - start_s);
}

static void device_check(struct apsp_solver_process *solver, const char *dir,
	struct apsp_check_report *report)
{
	struct apsp_device_info devices[DEVICES_MAX];
	char size[APSP_SIZE_TEXT_SIZE];
	struct apsp_err why, err;
	int n = apsp_solver_process_devices(
		solver, NULL, devices, DEVICES_MAX, &why);

	if (n < 0) {
		apsp_fail(&err, n,
			"%.400s; --device auto takes any, and Debian's "
			"pocl-opencl-icd is one for CPUs",
			why.message);
		apsp_check_wrong(report, "device", &err);
		return;
	}
	for (int i = 0; i < n; i++) {
		apsp_size_format(devices[i].memory_bytes, size);
		if (devices[i].chosen)
			apsp_check_ok(report, "device",
				"%s (%s, %s, %s), of %d", devices[i].name,
				devices[i].type, devices[i].platform, size, n);
	}
	solve_check(solver, dir, report);
}

/* Make a temporary directory. If possible, make it below the cache directory,
   because ordinary jobs use the disk of the cache directory, too. */
static int dir_make(const char *cache_dir, char out[APSP_JOB_PATH_SIZE],
	struct apsp_err *err)
{
	const char *temporary = getenv("TMPDIR");

	if (snprintf(out, APSP_JOB_PATH_SIZE, "%s/check-XXXXXX", cache_dir) <
			APSP_JOB_PATH_SIZE &&
		mkdtemp(out))
		return 0;
	if (!temporary || !*temporary)
		temporary = "/tmp";
	if (snprintf(out, APSP_JOB_PATH_SIZE, "%s/apspd-check-XXXXXX",
		    temporary) < APSP_JOB_PATH_SIZE &&
		mkdtemp(out))
		return 0;
	return apsp_fail(err, APSP_EIO,
		"no directory for a small graph can be made in '%s': %s",
		temporary, strerror(errno));
}

void apsp_check_device(
	const struct apsp_settings *settings, struct apsp_check_report *report)
{
	APSP_AUTO(apsp_solver_process_done)
	struct apsp_solver_process solver = {.wake_fd = -1};
	struct apsp_settings there = *settings;
	char program[PATH_MAX], dir[APSP_JOB_PATH_SIZE];
	struct apsp_err err;
	int r;

	r = apsp_process_find_solver(program, &err);
	if (r == 0)
		r = dir_make(settings->cache_dir, dir, &err);
	if (r < 0) {
		apsp_check_wrong(report, "device", &err);
		return;
	}
	/* let the solver store compiled kernels in the temporary directory */
	there.cache_dir = dir;
	there.solver_idle = 0;
	r = apsp_solver_process_init(
		program, &there, STALL_MS, NULL, &solver, &err);
	if (r < 0)
		apsp_check_wrong(report, "device", &err);
	else
		device_check(&solver, dir, report);
	if (apsp_job_dir_remove(dir, &err) < 0)
		apsp_check_note(report, "device", "%s", err.message);
}
