/*
 * keep_rates DIR: keep the default rates in DIR as if they had been measured on
 * the device at hand, for daemons of tests that share DIR: it is
 * not for them to measure the device while other tests run.
 */
#include <stdio.h>

#include "compute/device/device.h"
#include "compute/solve/kept_rates.h"
#include "daemon/base/auto.h"

int main(int argc, char **argv)
{
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	struct apsp_device_options options = {.device = "auto"};
	struct apsp_rates rates;
	struct apsp_err err;
	int r;

	if (argc != 2) {
		fprintf(stderr, "usage: keep_rates DIR\n");
		return 2;
	}
	options.kernel_dir = argv[1];
	r = apsp_device_open(&options, &device, &err);
	if (r >= 0) {
		apsp_rates_default(device.tuning->gpu, &rates);
		r = apsp_kept_rates_save(&device, &rates, &err);
	}
	if (r >= 0)
		return 0;
	fprintf(stderr, "%s\n", err.message);
	return 1;
}
