/*
 * Rates in a file; see kept_rates.h.
 */
#include "compute/solve/kept_rates.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compute/plan/closure_cost.h"
#include "daemon/base/table_file.h"
#include "kernels/sources.h"

enum {
	PATH_SIZE = 4096,
	/* Add one whenever kept rates would mislead: cost.c counts another
	   way, rows of the tuning table or default rates change. */
	RATES_VERSION = 7,
};

/* Whether the blank-separated list, which may be NULL, has the name. */
static bool is_among(const char *list, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = list; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, name, size) == 0 &&
			(at[size] == ' ' || !at[size]))
			return true;
	}
	return false;
}

/* Not the kernels of closures, nor of algorithms that do not compete. */
static bool is_measured(const char *kernel)
{
	bool listed = false;

	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		if (!is_among(apsp_algorithms[i].kernels, kernel))
			continue;
		if (apsp_algorithms[i].competes)
			return true;
		listed = true;
	}
	for (int i = 0; i < APSP_N_CLOSURES; i++)
		listed |= is_among(apsp_closure_costs[i].kernels, kernel);
	return !listed;
}

/* The row's members apart from its strings, whose places differ by run. */
static uint64_t tuning_checksum(const struct apsp_tuning *tuning)
{
	struct apsp_tuning row;

	memcpy(&row, tuning, sizeof(row));
	row.device = NULL;
	row.relax = NULL;
	return apsp_checksum(&row, sizeof(row)) ^
	       apsp_checksum(tuning->relax, strlen(tuning->relax));
}

/* The processors that the process may run on, of those that there are. */
static uint64_t processors_checksum(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	return apsp_checksum(&set, sizeof(set)) ^
	       (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The name has the device, the driver, the processors and what was measured. */
static void rates_path(const struct apsp_device *device, char out[PATH_SIZE])
{
	uint64_t key =
		apsp_checksum(device->identity, strlen(device->identity));

	key = key * 3 ^ tuning_checksum(device->tuning);
	key = key * 3 ^ processors_checksum();

	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++)
		if (is_measured(s->name))
			key = key * 3 ^ apsp_checksum(s->text, strlen(s->text));
	snprintf(out, PATH_SIZE, "%s/rates-%d-%016llx", device->kernel_dir,
		RATES_VERSION, (unsigned long long)key);
}

void apsp_kept_rates_read(
	const struct apsp_device *device, struct apsp_kept_rates *out)
{
	char path[PATH_SIZE], text[APSP_RATES_TEXT_SIZE + 2];
	struct apsp_kept_rates kept = {.steps = 0};
	unsigned int whole;
	FILE *file;

	*out = (struct apsp_kept_rates){.steps = 0};
	apsp_rates_default(device->tuning->gpu, &out->rates);
	rates_path(device, path);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "steps=%" SCNx64 " whole=%1u doubts=%3u ", &kept.steps,
		    &whole, &kept.doubts) == 3 &&
		fgets(text, sizeof(text), file) &&
		apsp_rates_scan(text, &kept.rates, NULL) == 0) {
		kept.whole = whole == 1;
		kept.rates.measured = kept.whole;
		*out = kept;
	}
	fclose(file);
}

void apsp_kept_rates_load(
	const struct apsp_device *device, struct apsp_rates *out)
{
	struct apsp_kept_rates kept;

	apsp_kept_rates_read(device, &kept);
	*out = kept.rates;
	/* some rates measured and some not would favour either */
	if (!kept.whole)
		apsp_rates_default(device->tuning->gpu, out);
}

int apsp_kept_rates_write(const struct apsp_device *device,
	const struct apsp_kept_rates *kept, struct apsp_err *err)
{
	char path[PATH_SIZE], temporary[PATH_SIZE + 16];
	char text[APSP_RATES_TEXT_SIZE];
	FILE *file;
	int failed = 0;

	rates_path(device, path);
	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
	apsp_rates_format(&kept->rates, text);
	file = fopen(temporary, "we");
	if (!file)
		return apsp_fail_errno(err, errno, "make '%s'", temporary);
	if (fprintf(file, "steps=%" PRIx64 " whole=%d doubts=%u %s",
		    kept->steps, kept->whole, kept->doubts, text) < 0)
		failed = errno;
	if (fclose(file) != 0 && failed == 0)
		failed = errno;
	if (failed == 0 && rename(temporary, path) < 0)
		failed = errno;
	if (failed == 0)
		return 0;
	unlink(temporary);
	return apsp_fail_errno(err, failed, "write '%s'", path);
}

int apsp_kept_rates_save(const struct apsp_device *device,
	const struct apsp_rates *rates, struct apsp_err *err)
{
	const struct apsp_kept_rates kept = {
		.rates = *rates, .steps = UINT64_MAX, .whole = true};

	return apsp_kept_rates_write(device, &kept, err);
}
