/*
 * Rates by default and as text; see rates.h.
 */
#include "compute/plan/rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What belongs to no algorithm, by kind: see algorithm_list.h for the devices.
 */
static const struct apsp_rates cpu_rates = {
	.bits = {{1.8e-12, 1.3e-10}, {2.3e-12, 1.9e-10}, {2.8e-12, 2.6e-10}},
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
	.bits = {{8.1e-13, 2.1e-12}, {8.7e-13, 2.3e-12}, {1e-12, 1.8e-12}},
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
	*out = gpu ? gpu_rates : cpu_rates;
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_algorithm *algorithm = &apsp_algorithms[i];

		memcpy(out->algorithms[i],
			gpu ? algorithm->gpu : algorithm->cpu,
			sizeof(out->algorithms[i]));
	}
}

const struct apsp_rate *apsp_rates_row(
	const struct apsp_rates *rates, int row, const char **out_name)
{
	bool bits = row == APSP_N_ALGORITHMS;

	*out_name = bits ? "multi-source-bits" : apsp_algorithms[row].name;
	return bits ? rates->bits : rates->algorithms[row];
}

void apsp_rates_format(
	const struct apsp_rates *rates, char out[APSP_RATES_TEXT_SIZE])
{
	size_t used = 0;

	for (int i = 0; i < APSP_RATE_ROWS; i++) {
		const char *name;
		const struct apsp_rate *row = apsp_rates_row(rates, i, &name);

		for (int e = 0; e < APSP_RATE_ELEMENTS; e++)
			used += (size_t)snprintf(out + used,
				APSP_RATES_TEXT_SIZE - used, "%s.%s=%.3g/%.3g ",
				name, apsp_element_name(apsp_rates_element(e)),
				row[e].operation_s, row[e].step_s);
	}
	snprintf(out + used, APSP_RATES_TEXT_SIZE - used,
		"arc=%.3g near=%.3g pair=%.3g sum=%.3g tail=%.3g start=%.3g "
		"read=%.3g "
		"process=%.3g",
		rates->arc_s, rates->near_s, rates->pair_s, rates->sum_s,
		rates->tail_s, rates->start_s, rates->read_arc_s,
		rates->process_bytes);
}

/* Read the number that follows key, and move *text past it. */
static bool number_read(const char **text, const char *key, double *out)
{
	size_t size = strlen(key);
	char *end;

	if (strncmp(*text, key, size) != 0)
		return false;
	*out = strtod(*text + size, &end);
	if (end == *text + size || !isfinite(*out) || *out < 0)
		return false;
	*text = end;
	return true;
}

int apsp_rates_scan(
	const char *text, struct apsp_rates *out, struct apsp_err *err)
{
	struct apsp_rates rates = {.measured = true};
	const char *at = text;
	bool whole = true;

	for (int i = 0; whole && i < APSP_RATE_ROWS; i++) {
		struct apsp_rate *row = i < APSP_N_ALGORITHMS
						? rates.algorithms[i]
						: rates.bits;
		const char *name;

		apsp_rates_row(&rates, i, &name);
		for (int e = 0; whole && e < APSP_RATE_ELEMENTS; e++) {
			char key[64];

			snprintf(key, sizeof(key), "%s.%s=", name,
				apsp_element_name(apsp_rates_element(e)));
			whole = number_read(&at, key, &row[e].operation_s) &&
				number_read(&at, "/", &row[e].step_s) &&
				*at++ == ' ';
		}
	}
	whole = whole && number_read(&at, "arc=", &rates.arc_s) &&
		number_read(&at, " near=", &rates.near_s) &&
		number_read(&at, " pair=", &rates.pair_s) &&
		number_read(&at, " sum=", &rates.sum_s) &&
		number_read(&at, " tail=", &rates.tail_s) &&
		number_read(&at, " start=", &rates.start_s) &&
		number_read(&at, " read=", &rates.read_arc_s) &&
		number_read(&at, " process=", &rates.process_bytes) && !*at;
	if (!whole)
		return apsp_fail(
			err, APSP_EDATA, "not a device's rates: '%.60s'", text);
	*out = rates;
	return 0;
}
