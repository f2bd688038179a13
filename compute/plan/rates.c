/*
 * Default rates, and rates as text; see rates.h.
 */
#include "compute/plan/rates.h"

#include <math.h>
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
	DEFAULT_PROCESSORS = 2, /* processors of the machine where the default
				   rates of CPUs were measured */
};

/* The default rates that are not in algorithm_list.h, from the same devices. */
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
	.process_bytes = 1.6e8, /* PoCL's compiler is loaded */
};

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
	double share = (double)DEFAULT_PROCESSORS / apsp_parallel_width();

	*out = gpu ? gpu_rates : cpu_rates;
	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		memcpy(out->rows[i],
			gpu ? apsp_algorithms[i].gpu : apsp_algorithms[i].cpu,
			sizeof(out->rows[i]));
	if (gpu)
		return;
	out->arc_s *= share;
	for (int i = 0; i < APSP_RATE_ROWS; i++)
		for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
			out->rows[i][e].operation_s *= share;
			out->rows[i][e].step_s *= share;
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

bool apsp_rates_field(int row, int element, char out[APSP_FIELD_NAME_SIZE])
{
	const char *name = apsp_rates_name(row);

	if (name)
		snprintf(out, APSP_FIELD_NAME_SIZE, "%s.%s", name,
			apsp_element_name(apsp_rates_element(element)));
	return name != NULL;
}

void apsp_rates_format(
	const struct apsp_rates *rates, char out[APSP_RATES_TEXT_SIZE])
{
	char name[APSP_FIELD_NAME_SIZE];

	out[0] = '\0';
	for (int i = 0; i < APSP_RATE_ROWS; i++)
		for (int e = 0; e < APSP_RATE_ELEMENTS; e++)
			if (apsp_rates_field(i, e, name))
				apsp_fields_add(out, APSP_RATES_TEXT_SIZE, name,
					"%.3g/%.3g",
					rates->rows[i][e].operation_s,
					rates->rows[i][e].step_s);
	apsp_fields_write(out, APSP_RATES_TEXT_SIZE, fields, N_FIELDS, rates);
}

/* Read "1.5e-11/2e-05": seconds of an operation and of a step. If the row has
   no rates, nothing is read. */
static bool rate_read(
	const char *text, int row, int element, struct apsp_rate *out)
{
	char name[APSP_FIELD_NAME_SIZE], value[64];
	int end = 0;

	if (!apsp_rates_field(row, element, name))
		return true;
	return apsp_fields_get(text, name, value, sizeof(value)) &&
	       sscanf(value, "%lf/%lf%n", &out->operation_s, &out->step_s,
		       &end) == 2 &&
	       !value[end] && isfinite(out->operation_s) &&
	       isfinite(out->step_s) && out->operation_s >= 0 &&
	       out->step_s >= 0;
}

int apsp_rates_scan(
	const char *text, struct apsp_rates *out, struct apsp_err *err)
{
	struct apsp_rates rates = {.measured = true};
	bool whole =
		apsp_fields_read(text, fields, N_FIELDS, &rates) == N_FIELDS;

	for (int i = 0; i < APSP_RATE_ROWS; i++)
		for (int e = 0; e < APSP_RATE_ELEMENTS; e++)
			whole = whole &&
				rate_read(text, i, e, &rates.rows[i][e]);
	for (int i = 0; i < N_FIELDS; i++)
		whole = whole && *(const double *)((const char *)&rates +
						   fields[i].offset) >= 0;
	if (!whole)
		return apsp_fail(
			err, APSP_EDATA, "not a device's rates: '%.60s'", text);
	*out = rates;
	return 0;
}
