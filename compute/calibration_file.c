/*
 * Rates that were measured, kept beside the compiled kernels; see
 * calibration.h.
 */
#include "compute/calibration.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/sources.h"

enum {
	PATH_SIZE = 4096,
	/* One more whenever rates mean something else: cost.c counts another
	   way, or rows of the tuning table change. */
	RATES_VERSION = 2,
};

/* Of this device and driver, and of these algorithms. */
static void rates_path(const struct apsp_device *device, char out[PATH_SIZE])
{
	uint64_t key =
		apsp_checksum(device->identity, strlen(device->identity));

	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++)
		key = key * 3 ^ apsp_checksum(s->text, strlen(s->text));
	snprintf(out, PATH_SIZE, "%s/rates-%d-%016llx", device->kernel_dir,
		RATES_VERSION, (unsigned long long)key);
}

void apsp_calibration_load(
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

int apsp_calibration_save(const struct apsp_device *device,
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
