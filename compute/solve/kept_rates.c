/*
 * Rates in a file; see kept_rates.h.
 */
#include "compute/solve/kept_rates.h"

#include <errno.h>
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
	RATES_VERSION = 3,
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

/* The name has the device, the driver and what was measured. */
static void rates_path(const struct apsp_device *device, char out[PATH_SIZE])
{
	uint64_t key =
		apsp_checksum(device->identity, strlen(device->identity));

	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++)
		if (is_measured(s->name))
			key = key * 3 ^ apsp_checksum(s->text, strlen(s->text));
	snprintf(out, PATH_SIZE, "%s/rates-%d-%016llx", device->kernel_dir,
		RATES_VERSION, (unsigned long long)key);
}

void apsp_kept_rates_load(
	const struct apsp_device *device, struct apsp_rates *out)
{
	char path[PATH_SIZE], text[APSP_RATES_TEXT_SIZE] = "";
	FILE *file;

	apsp_rates_default(device->tuning->gpu, out);
	rates_path(device, path);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(text, sizeof(text), file))
		apsp_rates_scan(text, out, NULL);
	fclose(file);
}

int apsp_kept_rates_save(const struct apsp_device *device,
	const struct apsp_rates *rates, struct apsp_err *err)
{
	char path[PATH_SIZE], temporary[PATH_SIZE + 16];
	char text[APSP_RATES_TEXT_SIZE];
	FILE *file;
	int failed = 0;

	rates_path(device, path);
	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
	apsp_rates_format(rates, text);
	file = fopen(temporary, "we");
	if (!file)
		return apsp_fail_errno(err, errno, "make '%s'", temporary);
	if (fputs(text, file) < 0)
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
