/*
 * Counts of paths: exact whole numbers of up to 4,096 bits.
 */
#ifndef APSP_STORAGE_SEARCH_PATH_COUNT_H
#define APSP_STORAGE_SEARCH_PATH_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_PATH_COUNT_WORDS = 64,	  /* 4,096 bits */
	APSP_PATH_COUNT_TEXT_SIZE = 1300, /* bytes of the largest count in
					     decimal digits, with its NUL */
};

/* A number of paths. {0} is the number 0. The lowest word comes first; `words`
   is owned. */
struct apsp_path_count {
	uint32_t n_words;
	bool too_many; /* the count needs more than APSP_PATH_COUNT_WORDS words;
			  n_words is 0 */
	uint64_t *words;
};

/* Add the count *more to *count. APSP_ENOMEM. */
int apsp_path_count_add(struct apsp_path_count *count,
	const struct apsp_path_count *more, struct apsp_err *err);
void apsp_path_count_done(struct apsp_path_count *count);

/* Write the count in decimal digits. count->too_many must be false. */
void apsp_path_count_print(const struct apsp_path_count *count,
	char out[APSP_PATH_COUNT_TEXT_SIZE]);

#endif
