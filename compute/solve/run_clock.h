/*
 * How long a run takes by itself, although other programs may run meanwhile: a
 * measurement on a busy machine would else say several times as much. Where the
 * run was not interrupted, that is the time that passed. Where it was, and the
 * device is the host's processors, it is at most the calling thread's processor
 * time and, shared among the processors, that of the other threads.
 */
#ifndef APSP_COMPUTE_SOLVE_RUN_CLOCK_H
#define APSP_COMPUTE_SOLVE_RUN_CLOCK_H

struct apsp_run_clock {
	unsigned int processors; /* of the device; 0: it is not the host */
	double passed_s;
	double thread_s;  /* processor time of the calling thread */
	double process_s; /* of all threads */
	long interrupted; /* times that other programs took a processor */
};

struct apsp_device;

/* Begin a run on this device. The same thread ends it. */
struct apsp_run_clock apsp_run_clock_begin(const struct apsp_device *device);

/*
 * The share of the time that passed since the begin which the run takes by
 * itself, above 0 to 1; with it the seconds themselves in *out_s.
 */
double apsp_run_clock_end(const struct apsp_run_clock *begun, double *out_s);

#endif
