/*
 * Keeps rates in a file; see kept_rates.h.
 */
#include "compute/solve/kept_rates.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compute/parallel.h"
#include "daemon/base/checksum.h"
#include "kernels/sources.h"

enum {
	PATH_SIZE = 4096,
	/* Increment this number whenever the rates in existing files become
	   wrong: when job_cost.c counts the work of a job in another way, or
	   when default rates or rows of the tuning table change. */
	RATES_VERSION = 11,
};

/* Return the checksum of a tuning row. It covers the text of row.relax, not the
   address of this text. It does not cover row.device. */
static uint64_t tuning_checksum(const struct apsp_tuning *tuning)
{
	struct apsp_tuning row;

	memcpy(&row, tuning, sizeof(row));
	row.device = NULL;
	row.relax = NULL;
	return apsp_checksum(&row, sizeof(row)) ^
	       apsp_checksum(tuning->relax, strlen(tuning->relax));
}

/* Make the path of the file with the device's rates. The file's name depends on
   the device, the driver, the number of processors, the tuning row, the sources
   of all kernels, and RATES_VERSION. */
static void rates_path(const struct apsp_device *device, char out[PATH_SIZE])
{
	uint64_t key =
		apsp_checksum(device->identity, strlen(device->identity));

	key = key * 3 ^ tuning_checksum(device->tuning);
	key = key * 3 ^ apsp_parallel_processors();

	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++)
		key = key * 3 ^ apsp_checksum(s->text, strlen(s->text));
	snprintf(out, PATH_SIZE, "%s/rates-%d-%016llx", device->kernel_dir,
		RATES_VERSION, (unsigned long long)key);
}

void apsp_kept_rates_load(
	const struct apsp_device *device, struct apsp_rates *out)
{
	char path[PATH_SIZE], text[APSP_RATES_TEXT_SIZE + 2];
	FILE *file;

	apsp_rates_default(device->tuning->gpu, out);
	rates_path(device, path);
	file = fopen(path, "re");
	if (!file)
		return;
	/* if the text cannot be parsed, *out keeps the defaults */
	if (fgets(text, sizeof(text), file))
		(void)apsp_rates_parse(text, out, NULL);
	fclose(file);
}

int apsp_kept_rates_save(const struct apsp_device *device,
	const struct apsp_rates *rates, struct apsp_err *err)
{
	char path[PATH_SIZE], temporary[PATH_SIZE + 16];
	char text[APSP_RATES_TEXT_SIZE];
	FILE *file;
	bool whole;
	int r;

	rates_path(device, path);
	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
	apsp_rates_format(rates, text);
	file = fopen(temporary, "we");
	if (!file)
		return apsp_fail_errno(err, errno, "make '%s'", temporary);
	whole = fputs(text, file) >= 0;
	if (fclose(file) == 0 && whole && rename(temporary, path) == 0)
		return 0;
	r = apsp_fail_errno(err, errno, "write '%s'", path);
	unlink(temporary);
	return r;
}
