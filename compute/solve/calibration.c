/*
 * Measuring a device step by step; see calibration.h.
 */
#include "compute/solve/calibration.h"

#include <math.h>
#include <stdio.h>

#include "compute/plan/host_room.h"
#include "compute/solve/calibration_bench.h"
#include "compute/solve/kept_rates.h"
#include "compute/solve/self_test.h"
#include "daemon/base/auto.h"

/* So many times the default, or less than its part, is in doubt. */
#define STRAY 4

/*
 * A step of the measurement: what an algorithm does in one width, or, last,
 * what comes before V and what follows it. Steps are numbered by bit, algorithm
 * after algorithm.
 */
struct step {
	enum apsp_algorithm_id id;
	enum apsp_calibration_kind kind;
	int element;
	struct apsp_rate *out; /* NULL: what comes before V and follows it */
};

enum {
	STEPS_MAX = 64,
	DOUBTS_MAX = 3, /* so many strays in a row are the device's nature */
};

/* No plan chooses the algorithms that do not compete by their rates. */
static int steps_list(const struct apsp_device *device,
	struct apsp_rates *rates, struct step out[STEPS_MAX])
{
	int n_elements = APSP_RATE_ELEMENTS - !device->info.has_double;
	int n = 0;

	for (int e = 0; e < n_elements; e++)
		out[n++] = (struct step){APSP_ALGORITHM_MULTI_SOURCE,
			APSP_CALIBRATION_HOPS, e, &rates->bits[e]};
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		for (int e = 0; apsp_algorithms[i].competes && e < n_elements;
			e++)
			out[n++] = (struct step){(enum apsp_algorithm_id)i,
				APSP_CALIBRATION_WEIGHTS, e,
				&rates->algorithms[i][e]};
	out[n++] = (struct step){.out = NULL};
	return n;
}

/* What computes wrongly is not measured, nor a fast form that fails. */
static int step_test(const struct apsp_device *device, const struct step *step,
	struct apsp_err *err)
{
	const struct apsp_self_test test = {
		.algorithm = apsp_distance_algorithm_find(
			apsp_algorithms[step->id].name),
		.element = apsp_rates_element(step->element),
		.sums = APSP_ELEMENT_NONE,
		.hops = step->kind == APSP_CALIBRATION_HOPS};

	return test.algorithm->start == APSP_START_HOST
		       ? 0
		       : apsp_self_test_run(device, &test, err);
}

/* A width that an algorithm refuses keeps its default. */
static int step_measure(struct apsp_calibration_bench *bench,
	const struct step *step, struct apsp_rates *rates, struct apsp_err *err)
{
	int r;

	if (!step->out) {
		r = apsp_calibration_bench_host(bench, rates, err);
		return r < 0 ? r
			     : apsp_calibration_bench_tail(bench, rates, err);
	}
	r = step_test(bench->device, step, err);
	if (r >= 0)
		r = apsp_calibration_bench_algorithm(bench, step->id,
			step->kind, apsp_rates_element(step->element),
			step->out, err);
	return r == APSP_ELIMIT || r == APSP_EDATA ? 0 : r;
}

static bool strays(double measured, double expected)
{
	return measured > STRAY * expected || measured * STRAY < expected;
}

/*
 * Whether some rate is far from the default for such a device: then somebody
 * else's load may have been measured.
 */
static bool rates_stray(
	const struct apsp_device *device, const struct apsp_rates *rates)
{
	struct apsp_rates defaults;
	struct step found[STEPS_MAX], expected[STEPS_MAX];
	struct apsp_rates own = *rates;
	int n = steps_list(device, &own, found);

	apsp_rates_default(device->tuning->gpu, &defaults);
	steps_list(device, &defaults, expected);
	for (int s = 0; s < n; s++)
		if (found[s].out && strays(found[s].out->operation_s,
					    expected[s].out->operation_s))
			return true;
	return strays(rates->pair_s, defaults.pair_s);
}

/*
 * Measure a step again if it is in doubt: other load only makes slower, so the
 * faster of both counts.
 */
static int step_repeat(struct apsp_calibration_bench *bench,
	const struct step *step, struct apsp_kept_rates *kept,
	struct apsp_err *err)
{
	struct apsp_rates *rates = &kept->rates;
	struct apsp_rate before =
		step->out ? *step->out : (struct apsp_rate){0};
	const struct apsp_rates own = *rates;
	int r = step_measure(bench, step, rates, err);

	if (r < 0 || kept->doubts == 0)
		return r;
	if (step->out && before.operation_s < step->out->operation_s)
		*step->out = before;
	if (!step->out) {
		rates->arc_s = fmin(rates->arc_s, own.arc_s);
		rates->near_s = fmin(rates->near_s, own.near_s);
		rates->pair_s = fmin(rates->pair_s, own.pair_s);
		rates->sum_s = fmin(rates->sum_s, own.sum_s);
		rates->tail_s = fmin(rates->tail_s, own.tail_s);
		rates->start_s = fmin(rates->start_s, own.start_s);
		rates->read_arc_s = fmin(rates->read_arc_s, own.read_arc_s);
	}
	return r;
}

/* Measure the steps that are left, and keep each. */
static int steps_run(struct apsp_calibration_bench *bench,
	struct apsp_kept_rates *kept, struct apsp_err *err)
{
	struct step steps[STEPS_MAX];
	struct apsp_err unkept;
	int n = steps_list(bench->device, &kept->rates, steps), r = 0;

	if ((~kept->steps & ((UINT64_C(1) << n) - 1)) == 0)
		kept->steps = 0; /* all were done: anew */
	for (int s = 0; r >= 0 && s < n; s++) {
		if (kept->steps >> s & 1)
			continue;
		r = step_repeat(bench, &steps[s], kept, err);
		if (r < 0)
			break;
		kept->steps |= UINT64_C(1) << s;
		/* what cannot be kept counts until the process ends */
		apsp_kept_rates_write(bench->device, kept, &unkept);
	}
	return r;
}

bool apsp_calibration_needed(const struct apsp_device *device)
{
	struct apsp_kept_rates kept;

	apsp_kept_rates_read(device, &kept);
	return !kept.whole || (kept.doubts > 0 && kept.doubts < DOUBTS_MAX);
}

int apsp_calibration_run(const struct apsp_device *device, atomic_bool *stop,
	struct apsp_rates *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_calibration_bench_done)
	struct apsp_calibration_bench bench = {.device = device};
	struct apsp_kept_rates kept;
	struct apsp_err unkept;
	uint64_t held = apsp_host_room_held();
	int r;

	apsp_progress_init(&bench.silent, NULL, stop);
	apsp_kept_rates_read(device, &kept);
	/* before a compiler is loaded: later jobs find programs compiled */
	if (held > 0)
		kept.rates.process_bytes = (double)held;
	r = steps_run(&bench, &kept, err);
	if (r < 0)
		return r;
	kept.whole = true;
	kept.rates.measured = true;
	kept.doubts = rates_stray(device, &kept.rates) ? kept.doubts + 1 : 0;
	if (apsp_kept_rates_write(device, &kept, &unkept) < 0)
		fprintf(stderr, "%s\n", unkept.message);
	*out = kept.rates;
	return 0;
}
