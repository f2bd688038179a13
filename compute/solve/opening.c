/*
 * Opens a device in a thread; see opening.h.
 */
#include "compute/solve/opening.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compute/device/pinned_pool.h"
#include "compute/group/group.h"
#include "compute/solve/trial_process.h"
#include "daemon/base/checksum.h"

enum {
	PATH_SIZE = 4096,
	HOST_SIZE = 256,
};

int apsp_opening_open(const struct apsp_solver_options *options,
	struct apsp_device *out, struct apsp_err *err)
{
	char kernel_dir[PATH_SIZE];
	const struct apsp_device_options wanted = {
		.device = options->device,
		.kernel_dir = kernel_dir,
		.memory_cap = options->device_memory,
		.turn = options->trial ? (unsigned int)options->turn
				       : apsp_group_host().rank,
	};
	int r;

	snprintf(kernel_dir, sizeof(kernel_dir), "%s/kernels",
		options->cache_dir);
	r = apsp_device_open(&wanted, out, err);
	if (r < 0)
		return r;
	if (!options->trial)
		out->trial = apsp_trial_process(options);
	out->forms = options->forms;
	return r;
}

static void *opening_run(void *arg)
{
	struct apsp_opening *opening = arg;

	opening->result = apsp_opening_open(
		opening->options, &opening->device, &opening->err);
	return NULL;
}

void apsp_opening_start(
	struct apsp_opening *opening, const struct apsp_solver_options *options)
{
	if (opening->device.context) {
		opening->device.was_open = true;
		apsp_pinned_pool_held(
			opening->device.pinned, &opening->device.held);
		return;
	}
	opening->options = options;
	opening->running = pthread_create(&opening->thread, NULL, opening_run,
				   opening) == 0;
	if (!opening->running)
		opening_run(opening);
}

static void thread_join(struct apsp_opening *opening)
{
	if (opening->running)
		pthread_join(opening->thread, NULL);
	opening->running = false;
}

int apsp_opening_wait(struct apsp_opening *opening,
	const struct apsp_device **out, struct apsp_err *err)
{
	thread_join(opening);
	if (opening->result < 0) {
		*err = opening->err;
		return opening->result;
	}
	*out = &opening->device;
	return 0;
}

void apsp_opening_divide(struct apsp_opening *opening)
{
	struct apsp_device *device = &opening->device;
	char host[HOST_SIZE] = "";
	uint64_t key[2] = {0};
	uint32_t n_sharers, n_devices;

	thread_join(opening);
	key[0] = device->key;
	if (!device->unique && gethostname(host, sizeof(host) - 1) == 0)
		key[1] = apsp_checksum(host, strlen(host));
	n_sharers =
		apsp_group_alike(apsp_checksum(key, sizeof(key)), &n_devices);
	/* if the device uses the host's memory, all processes of the host share
	   this memory, even if they have opened different devices */
	if (device->host_memory)
		n_sharers = apsp_group_host().size;
	if (device->context)
		apsp_device_divide(device, n_sharers, n_devices);
}

void apsp_opening_done(struct apsp_opening *opening)
{
	thread_join(opening);
	apsp_device_close(&opening->device);
}
