/*
 * Default rates, and the conversion of rates to text and back; see rates.h.
 */
#include "compute/plan/rates.h"

#include <stdio.h>
#include <string.h>

#include "compute/parallel.h"

static const enum apsp_element elements[APSP_RATE_ELEMENTS] = {
	APSP_ELEMENT_U16, APSP_ELEMENT_I32, APSP_ELEMENT_F64};

int apsp_rates_index(enum apsp_element element)
{
	if (element == APSP_ELEMENT_U16)
		return 0;
	return element == APSP_ELEMENT_I32 ? 1 : 2;
}

enum apsp_element apsp_rates_element(int index)
{
	return elements[index];
}

enum {
	DEFAULT_PROCESSORS = 2, /* number of processors of the machine on which
				   the default rates of CPUs were measured */
};

/*
 * The time of `streamed-fw` divided by the time of `blocked-fw`, on GPUs.
 * Measured for one operation on an H200: 1.25 in u16, 1.26 in i32, 1.35 in f64.
 * On CPUs, 1 is used in place of this quotient (measured on two cores of an
 * EPYC: 0.91, 1.09, 0.94).
 */
#define STREAMED_GPU 1.3

/* Default rates of CPUs, measured on the CPU that algorithm_list.h names.
   algorithm_list.h has the default rates of algorithms, except those of
   APSP_RATE_BITS. */
static const struct apsp_rates cpu_rates = {
	.rows[APSP_RATE_BITS] = {{1.8e-12, 1.3e-10}, {2.3e-12, 1.9e-10},
		{2.8e-12, 2.6e-10}},
	.arc_s = 2.6e-11,
	.near_s = 4.1e-09,
	.pair_s = 2.9e-09,
	.sum_s = 9.6e-09,
	.tail_s = 0.0018,
	.start_s = 0.026,
	.read_arc_s = 2.5e-08,
	/* bytes of a process that has loaded PoCL's compiler */
	.process_bytes = 1.6e8,
};

/* Default rates of GPUs, measured on the GPU that algorithm_list.h names.
   algorithm_list.h has the default rates of algorithms, except those of
   APSP_RATE_BITS. */
static const struct apsp_rates gpu_rates = {
	.rows[APSP_RATE_BITS] = {{8.1e-13, 2.1e-12}, {8.7e-13, 2.3e-12},
		{1e-12, 1.8e-12}},
	.arc_s = 5.5e-12,
	.near_s = 6e-09,
	.pair_s = 1.7e-09,
	.sum_s = 1.9e-09,
	.tail_s = 0.006,
	.start_s = 0.25,
	.read_arc_s = 8e-08,
	.process_bytes = 2e8,
};

void apsp_rates_default(bool gpu, struct apsp_rates *out)
{
	/* The rates of CPUs were measured on DEFAULT_PROCESSORS processors.
	   Multiplied by this factor, they become the rates of the processors
	   that this process is allowed to use. */
	double share =
		gpu ? 1
		    : (double)DEFAULT_PROCESSORS / apsp_parallel_processors();

	*out = gpu ? gpu_rates : cpu_rates;
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		memcpy(out->rows[i],
			gpu ? apsp_algorithms[i].gpu : apsp_algorithms[i].cpu,
			sizeof(out->rows[i]));
	/* Scale only the rates of work that is divided among all processors.
	   read_arc_s is not scaled, because it includes work that one thread
	   of the daemon does. */
	out->arc_s *= share;
	out->near_s *= share;
	out->pair_s *= share;
	out->sum_s *= share;
	for (int i = 0; i < APSP_RATE_ROWS; i++)
		for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
			out->rows[i][e].operation_s *= share;
			out->rows[i][e].step_s *= share;
		}
	apsp_rates_stream(out, gpu);
}

void apsp_rates_stream(struct apsp_rates *rates, bool gpu)
{
	const double factor = gpu ? STREAMED_GPU : 1;

	for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
		struct apsp_rate rate =
			rates->rows[APSP_ALGORITHM_BLOCKED_FW][e];

		rate.operation_s *= factor;
		rate.step_s *= factor;
		rates->rows[APSP_ALGORITHM_STREAMED_FW][e] = rate;
	}
}

const char *apsp_rates_name(int row)
{
	if (row == APSP_RATE_BITS)
		return "multi-source-bits";
	return apsp_algorithms[row].competes ? apsp_algorithms[row].name : NULL;
}

#define FIELD(member, name) APSP_MEMBER(struct apsp_rates, member, name, REAL)

static const struct apsp_member fields[] = {
	FIELD(arc_s, "arc"),
	FIELD(near_s, "near"),
	FIELD(pair_s, "pair"),
	FIELD(sum_s, "sum"),
	FIELD(tail_s, "tail"),
	FIELD(start_s, "start"),
	FIELD(read_arc_s, "read"),
	FIELD(process_bytes, "process"),
};

enum {
	N_FIELDS = sizeof(fields) / sizeof(*fields),
};

/* Store the names of the two fields that hold the rates of a row and element:
   "multi-source.u16" for an operation, "multi-source.u16.step" for a step. */
static void field_names(int row, int element, char out[2][APSP_FIELD_NAME_SIZE])
{
	const char *name = apsp_rates_name(row);
	const char *v = apsp_element_name(apsp_rates_element(element));

	snprintf(out[0], APSP_FIELD_NAME_SIZE, "%s.%s", name, v);
	snprintf(out[1], APSP_FIELD_NAME_SIZE, "%s.%s.step", name, v);
}

void apsp_rates_format(
	const struct apsp_rates *rates, char out[APSP_RATES_TEXT_SIZE])
{
	char names[2][APSP_FIELD_NAME_SIZE];

	out[0] = '\0';
	for (int i = 0; i < APSP_RATE_ROWS * APSP_RATE_ELEMENTS; i++) {
		int row = i / APSP_RATE_ELEMENTS, e = i % APSP_RATE_ELEMENTS;
		const struct apsp_rate *rate = &rates->rows[row][e];

		if (!apsp_rates_name(row))
			continue;
		field_names(row, e, names);
		apsp_fields_add(out, APSP_RATES_TEXT_SIZE, names[0], "%.3g",
			rate->operation_s);
		apsp_fields_add(out, APSP_RATES_TEXT_SIZE, names[1], "%.3g",
			rate->step_s);
	}
	apsp_fields_write(out, APSP_RATES_TEXT_SIZE, fields, N_FIELDS, rates);
}

int apsp_rates_parse(
	const char *text, struct apsp_rates *out, struct apsp_err *err)
{
	struct apsp_rates rates = {.measured = true};
	char names[2][APSP_FIELD_NAME_SIZE];
	bool whole =
		apsp_fields_read(text, fields, N_FIELDS, &rates) == N_FIELDS;

	for (int i = 0; i < APSP_RATE_ROWS * APSP_RATE_ELEMENTS; i++) {
		int row = i / APSP_RATE_ELEMENTS, e = i % APSP_RATE_ELEMENTS;
		struct apsp_rate *rate = &rates.rows[row][e];

		if (!apsp_rates_name(row))
			continue;
		field_names(row, e, names);
		whole = whole &&
			apsp_fields_get_real(
				text, names[0], &rate->operation_s) &&
			apsp_fields_get_real(text, names[1], &rate->step_s) &&
			rate->operation_s >= 0 && rate->step_s >= 0;
	}
	for (int i = 0; i < N_FIELDS; i++)
		whole = whole && *(const double *)((const char *)&rates +
						   fields[i].offset) >= 0;
	if (!whole)
		return apsp_fail(
			err, APSP_EDATA, "not a device's rates: '%.60s'", text);
	*out = rates;
	return 0;
}
