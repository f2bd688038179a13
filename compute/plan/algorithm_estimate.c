/*
 * Estimates algorithms; see algorithm_estimate.h.
 */
#include "compute/plan/algorithm_estimate.h"

#include <math.h>
#include <stdio.h>

#include "compute/plan/measure_cost.h"
#include "compute/plan/plan_bytes.h"
#include "compute/plan/plan_files.h"
#include "daemon/base/size.h"

enum {
	WHERE_SIZE = 96,
};

/* Return the algorithm's index in apsp_rates.rows. The algorithm `multi-source`
   has a second row of rates, which is used if all lengths are 1. */
static int rate_row(
	const struct apsp_plan_facts *facts, enum apsp_algorithm_id id)
{
	return id == APSP_ALGORITHM_MULTI_SOURCE && facts->work.unit_lengths
		       ? APSP_RATE_BITS
		       : (int)id;
}

double apsp_algorithm_estimate_distance_s(const struct apsp_plan_facts *facts,
	const struct apsp_workload *work, enum apsp_algorithm_id id,
	uint64_t rows)
{
	const struct apsp_algorithm *algorithm = &apsp_algorithms[id];
	const struct apsp_tuning *tuning = facts->device.tuning;
	const struct apsp_rate *rate = &facts->rates.rows[rate_row(
		facts, id)][apsp_rates_index(work->element)];
	double seconds =
		apsp_algorithm_seconds(algorithm, work, tuning->gpu, rate);
	double lanes, n = (double)rows;

	if (rows >= work->n_vertices || !algorithm->lanes)
		return seconds;
	lanes = (double)algorithm->lanes(&facts->work, tuning);
	return seconds * (ceil(n / lanes) * lanes / n);
}

static void lacks(struct apsp_estimate *estimate, enum apsp_code code,
	uint64_t needed, const char *where, uint64_t there)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];

	apsp_sizes_format(needed, there, need, have);
	estimate->feasible = false;
	estimate->code = code;
	snprintf(estimate->reason, sizeof(estimate->reason),
		"it needs %s %s %s", need, where, have);
}

/* Whether the distance matrix V needs numbers of type float64, which the device
   does not support. */
static bool lacks_double(const struct apsp_plan_facts *facts)
{
	return facts->device.lacks_double &&
	       facts->work.element == APSP_ELEMENT_F64;
}

/* Whether it can happen that the algorithm reads a half-written value of the
   distance matrix V on this device. */
static bool may_tear(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm)
{
	return facts->device.tears_doubles &&
	       facts->work.element == APSP_ELEMENT_F64 &&
	       (algorithm->races == APSP_RACES_ALWAYS ||
		       (algorithm->races == APSP_RACES_ON_GPU &&
			       facts->device.tuning->gpu));
}

/* Return NULL if the algorithm could run with unlimited memory. Otherwise
   return the reason why it could not. */
static const char *unfit(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm)
{
	const struct apsp_workload *work = &facts->work;
	const char *why =
		apsp_measure_unfit(work, (double)apsp_cost_essential(work));

	if (algorithm->hops_only && !work->unit_lengths)
		why = "it counts arcs, and here they have lengths";
	if (work->widest && !algorithm->widest)
		why = "it computes shortest paths only, and the rule says "
		      "path=widest";
	if (why || algorithm->start == APSP_START_HOST)
		return why;
	if (facts->device.memory_bytes == 0)
		return "there is no device";
	if (lacks_double(facts))
		return "distances past 2^30 units need 64-bit arithmetic, "
		       "which the device does not have";
	if (facts->device.lacks_wide_atomics && algorithm->wide_atomics &&
		work->element == APSP_ELEMENT_F64 &&
		!apsp_tuning_owns_rows(facts->device.tuning))
		return "distances past 2^30 units need 64-bit atomic minima "
		       "here, which the device does not have";
	if (may_tear(facts, algorithm))
		return "it reads distances of 64 bits that change meanwhile, "
		       "and the device may read them half-written";
	return NULL;
}

/* Set estimate->feasible and estimate->unfit. If the algorithm is not feasible,
   also set estimate->code and estimate->reason. `why` is the reason why the
   algorithm could not run even with unlimited memory; NULL: it could run. */
static void judge(const struct apsp_plan_facts *facts, const char *why,
	struct apsp_estimate *estimate)
{
	const struct apsp_plan_device *device = &facts->device;
	char has[WHERE_SIZE], allows[WHERE_SIZE];

	estimate->feasible = !why;
	estimate->unfit = why != NULL;
	if (why) {
		estimate->code = APSP_ELIMIT;
		snprintf(estimate->reason, sizeof(estimate->reason), "%s", why);
		return;
	}
	snprintf(has, sizeof(has), "on '%.40s', which has", device->name);
	snprintf(allows, sizeof(allows),
		"in one buffer on '%.40s', which allows", device->name);
	if (estimate->device_bytes > device->memory_bytes)
		lacks(estimate, APSP_ELIMIT, estimate->device_bytes, has,
			device->memory_bytes);
	else if (estimate->buffer_bytes > device->largest_buffer_bytes)
		lacks(estimate, APSP_ELIMIT, estimate->buffer_bytes, allows,
			device->largest_buffer_bytes);
	else if (estimate->host_bytes > facts->host_bytes)
		lacks(estimate, APSP_ENOMEM, estimate->host_bytes,
			"of this machine's memory, which has",
			facts->host_bytes);
	else if (estimate->disk_bytes > facts->disk_bytes)
		lacks(estimate, APSP_ENOSPACE, estimate->disk_bytes,
			"in the cache, which has room for", facts->disk_bytes);
}

void apsp_algorithm_estimate_make(const struct apsp_plan_facts *facts,
	enum apsp_algorithm_id id, struct apsp_estimate *out)
{
	const struct apsp_algorithm *algorithm = &apsp_algorithms[id];
	const struct apsp_workload *work = &facts->work;
	struct apsp_plan_bytes bytes = apsp_plan_bytes_of(facts, algorithm);

	*out = (struct apsp_estimate){.name = algorithm->name,
		.rows = bytes.rows,
		.lanes = algorithm->lanes
				 ? algorithm->lanes(work, facts->device.tuning)
				 : 0,
		.device_bytes = bytes.device_bytes,
		.buffer_bytes = bytes.buffer_bytes,
		.host_bytes = bytes.host_bytes};
	/* If the rates of an algorithm are not known, `cost` gets the seconds
	   of `blocked-fw`: the progress of a job is computed from estimated
	   seconds of each stage, so they are always needed. */
	apsp_job_cost_make(facts, algorithm,
		apsp_algorithm_estimate_distance_s(facts, work,
			algorithm->competes ? id : APSP_ALGORITHM_BLOCKED_FW,
			out->rows),
		&out->cost);
	out->rate = rate_row(facts, id);
	out->seconds = out->rated_s =
		algorithm->competes ? apsp_job_cost_sum(&out->cost) : NAN;
	out->disk_bytes =
		apsp_plan_files_bytes(work, apsp_plan_files_kept(facts));
	judge(facts, unfit(facts, algorithm), out);
}

void apsp_algorithm_estimate_closure(const struct apsp_plan_facts *facts,
	const struct apsp_closure_cost *cost, struct apsp_estimate *out)
{
	const struct apsp_workload *work = &facts->work;
	const struct apsp_closure_size size = {
		work->n_vertices, work->n_arcs, 1};
	struct apsp_closure_bytes bytes =
		cost->bytes(&size, &facts->device.tuning->bits);

	if (cost->or_host &&
		(bytes.all > facts->device.memory_bytes ||
			bytes.largest > facts->device.largest_buffer_bytes))
		bytes = (struct apsp_closure_bytes){0};
	*out = (struct apsp_estimate){.name = cost->name,
		.seconds = NAN,
		.device_bytes = bytes.all,
		.buffer_bytes = bytes.largest,
		.host_bytes = apsp_plan_bytes_closure(facts, bytes.all),
		.disk_bytes = apsp_plan_files_bytes(
			work, apsp_plan_files_kept(facts))};
	judge(facts,
		facts->device.memory_bytes == 0 && !cost->or_host
			? "there is no device"
			: NULL,
		out);
}

void apsp_algorithm_estimate_rows(
	const struct apsp_plan_facts *facts, struct apsp_estimate *out)
{
	struct apsp_plan_facts alone = *facts;

	/* The job reads the graph and writes its arcs, but computes no rows. So
	   it takes as long as a job with the same arcs and 0 vertices. */
	alone.work.n_vertices = 0;
	*out = (struct apsp_estimate){.name = "rows",
		.host_bytes = apsp_plan_bytes_rows(facts),
		.disk_bytes =
			apsp_plan_files_bytes(&facts->work, APSP_TABLES_NONE)};
	apsp_job_cost_make(&alone, &apsp_algorithms[APSP_ALGORITHM_REFERENCE],
		0, &out->cost);
	out->seconds = out->rated_s = apsp_job_cost_sum(&out->cost);
	judge(facts, NULL, out);
}

int apsp_algorithm_estimate_stand_in(const struct apsp_plan_facts *facts)
{
	if (lacks_double(facts))
		return APSP_ALGORITHM_REFERENCE;
	return may_tear(facts, &apsp_algorithms[APSP_ALGORITHM_BLOCKED_FW])
		       ? APSP_ALGORITHM_FW
		       : -1;
}
