/*
 * Clocks of Linux; see run_clock.h.
 */
#include "compute/solve/run_clock.h"

#include <math.h>
#include <sys/resource.h>
#include <time.h>

#include "compute/device/device.h"
#include "daemon/base/clock.h"

/* Kernel threads interrupt a run now and then on a quiet machine, too. */
#define SELDOM_S 0.02

static double clock_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long interruptions(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

struct apsp_run_clock apsp_run_clock_begin(const struct apsp_device *device)
{
	return (struct apsp_run_clock){
		.processors =
			device->host_memory ? device->info.compute_units : 0,
		.passed_s = apsp_clock_s(),
		.thread_s = clock_of(CLOCK_THREAD_CPUTIME_ID),
		.process_s = clock_of(CLOCK_PROCESS_CPUTIME_ID),
		.interrupted = interruptions(),
	};
}

double apsp_run_clock_end(const struct apsp_run_clock *begun, double *out_s)
{
	double passed_s = apsp_clock_s() - begun->passed_s;
	double thread_s = clock_of(CLOCK_THREAD_CPUTIME_ID) - begun->thread_s;
	double others_s = clock_of(CLOCK_PROCESS_CPUTIME_ID) -
			  begun->process_s - thread_s;
	double own_s = passed_s;

	if (begun->processors > 0 &&
		(double)(interruptions() - begun->interrupted) >
			1 + passed_s / SELDOM_S)
		own_s = fmin(own_s, thread_s + others_s / begun->processors);
	*out_s = own_s;
	return passed_s > 0 ? own_s / passed_s : 1;
}
