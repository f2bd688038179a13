/*
 * What an independent program said of the graphs in tests/data: all ordered
 * pairs of different vertices that have a path. Duplicates merged by minimum.
 */
#ifndef APSP_TESTS_KNOWN_ANSWERS_H
#define APSP_TESTS_KNOWN_ANSWERS_H

#include <stdint.h>

struct known_answers {
	const char *file; /* in tests/data */
	uint32_t n_vertices;
	uint64_t n_arcs; /* after merging, without self-loops */
	uint64_t n_pairs;
	uint32_t n_components; /* strongly connected */
	/* transform none */
	int64_t largest;
	int64_t sum;
	/* transform hops */
	int64_t largest_hops;
	int64_t sum_of_hops;
	/* transform inv: to about ten digits */
	double largest_inverse;
	double sum_of_inverses;
};

static const struct known_answers known_answers[] = {
	{
		.file = "rome99.gr",
		.n_vertices = 3353,
		.n_arcs = 8859,
		.n_pairs = 11239256,
		.n_components = 1,
		.largest = 77403,
		.sum = 160839610183,
		.largest_hops = 57,
		.sum_of_hops = 284382952,
		.largest_inverse = 1.873487899849115,
		.sum_of_inverses = 1109483.9429,
	},
	{
		.file = "larva_edges.csv",
		.n_vertices = 3013,
		.n_arcs = 110706,
		.n_pairs = 8497351,
		.n_components = 177,
		.largest = 39,
		.sum = 33402304,
		.largest_hops = 15,
		.sum_of_hops = 28276102,
		.largest_inverse = 9.915112433862433,
		.sum_of_inverses = 7773234.6281,
	},
	{
		.file = "celegans_newman.csv",
		.n_vertices = 297,
		.n_arcs = 2345,
		.n_pairs = 67644,
		.n_components = 57,
		.largest = 35,
		.sum = 399585,
		.largest_hops = 14,
		.sum_of_hops = 270027,
		.largest_inverse = 10.333333333333334,
		.sum_of_inverses = 149082.8180,
	},
};

enum {
	N_KNOWN_ANSWERS = sizeof(known_answers) / sizeof(known_answers[0]),
};

#endif
