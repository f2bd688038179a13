/*
 * Solves graph files as apsp-solve does, in one process, on small devices.
 *
 *	solve_as DIR ALGORITHM FORM [DIR ALGORITHM FORM]...
 *
 * Each DIR has the file `graph` and gets `tables`. FORM is "cpu" or "gpu",
 * whose kernels and tuning are used on whatever device there is, or one of the
 * two with "-windows": there is memory for the smallest window only, where the
 * algorithm works in any. Staging is small, so that rows come in several
 * chunks; with "-whole" it is as large as in apsp-solve. With "-short" launches
 * follow few arcs. Prints a line for each job: "DIR ALGORITHM FORM: " with
 * "done", or the error, or what the daemon would refuse in the file. Status 0.
 */
#include "daemon/base/checksum.h"
#include "tests/footprint_fixture.h"

/* Of corrupting_driver.c, where it is loaded: the next solve begins. */
static void (*driver_next)(void);

/* Give the device the least memory that the algorithm can do with. */
static void windows_make(const struct device_fixture *fixture,
	struct limited *limited, const char *algorithm)
{
	uint64_t *memory = &limited->device.memory_bytes;
	struct first first;

	first_make(fixture, &first);
	for (uint64_t step = *memory / 2; step > 0; step /= 2)
		while (*memory > step) {
			struct apsp_device device = limited->device;

			device.memory_bytes -= step;
			if (!estimate(&first, &device, algorithm).feasible)
				break;
			*memory -= step;
		}
	apsp_prepared_graph_done(&first.prepared);
}

/* Check the file as the daemon does before it serves a block
   (storage/tables/README.md, Tables are files). */
static int file_check(const char *dir, struct apsp_err *err)
{
	struct solved file = {0};
	char path[400];
	uint64_t n_blocks;
	const uint64_t *checksums;
	int r = 0;

	snprintf(path, sizeof(path), "%s/tables", dir);
	if (!solved_read(path, &file))
		return apsp_fail(err, APSP_EIO, "no table file");
	n_blocks = file.header->data_end / APSP_TABLE_BLOCK;
	checksums = (const void *)(file.bytes + file.header->data_end);
	if (apsp_checksum(checksums, n_blocks * sizeof(*checksums)) !=
		file.header->blocks_checksum)
		r = apsp_fail(err, APSP_EDAMAGED,
			"refused: the checksums have another checksum");
	for (uint64_t b = 1; r == 0 && b < n_blocks; b++)
		if (apsp_checksum(file.bytes + b * APSP_TABLE_BLOCK,
			    APSP_TABLE_BLOCK) != checksums[b])
			r = apsp_fail(err, APSP_EDAMAGED,
				"refused: block %llu has another checksum",
				(unsigned long long)b);
	solved_done(&file);
	return r;
}

static void solve(struct device_fixture *fixture, const char *dir,
	const char *algorithm, const char *form)
{
	struct apsp_progress silent;
	struct limited limited;
	struct apsp_err err = {0};
	int r;

	snprintf(fixture->dir, sizeof(fixture->dir), "%s", dir);
	limited_init(&limited, fixture, strncmp(form, "gpu", 3) == 0);
	if (strstr(form, "-whole"))
		limited.tuning =
			*apsp_tuning_find("", limited.tuning.gpu, NULL);
	limited.tuning.lane_bytes = 64;
	limited.tuning.bits.host_words = 0; /* closure-order on the device */
	if (strstr(form, "-short"))
		limited.tuning.launch_pushes = 40;
	if (strstr(form, "-windows"))
		windows_make(fixture, &limited, algorithm);
	apsp_progress_init(&silent, NULL, NULL);
	if (driver_next)
		driver_next();
	r = solved_compute(dir,
		strcmp(algorithm, "reference") == 0 ? NULL : &limited.device,
		algorithm, &silent, NULL, &err);
	if (r >= 0)
		r = file_check(dir, &err);
	printf("%s %s %s: %s\n", dir, algorithm, form,
		r < 0 ? err.message : "done");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct device_fixture *fixture = NULL;
	char own[sizeof(fixture->dir)];
	void *state = NULL;
	void *next = dlsym(RTLD_DEFAULT, "corrupting_driver_next");

	memcpy(&driver_next, &next, sizeof(next));
	if (argc < 4 || device_fixture_setup(&state) != 0)
		return 2;
	fixture = state;
	memcpy(own, fixture->dir, sizeof(own));
	for (int i = 1; i + 2 < argc; i += 3)
		solve(fixture, argv[i], argv[i + 1], argv[i + 2]);
	memcpy(fixture->dir, own, sizeof(own));
	return device_fixture_teardown(&state);
}
