/*
 * A list of conditions on vertices, such as type:KC and label:29, as one text.
 * Each condition is "name:value". A list separates its conditions by commas. In
 * a condition, a comma is written as %2C and a percent sign as %25:
 *
 *	label:29,type:a%2Cb
 *
 * A list is canonical if its conditions are sorted by their bytes and none
 * occurs twice. Then two lists with the same conditions are the same text.
 */
#ifndef APSP_DAEMON_BASE_CONDITIONS_H
#define APSP_DAEMON_BASE_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/limits.h"

enum {
	/* largest size of a decoded condition, with its NUL */
	APSP_CONDITION_SIZE = APSP_WITHOUT_BYTES_MAX + 1,
	/* size of a list with its NUL */
	APSP_CONDITIONS_SIZE = APSP_WITHOUT_BYTES_MAX + 1,
};

/* Encode a condition and append it to a list. Returns false, and leaves the
   list as it is, if the list would be longer than APSP_WITHOUT_BYTES_MAX bytes.
 */
bool apsp_conditions_add(
	char list[APSP_CONDITIONS_SIZE], const char *condition);

/*
 * Decode the next condition of a list. *at points to the list before the first
 * call. Returns false after the last condition. A text that
 * apsp_conditions_add() did not make may have a percent sign that encodes
 * neither a comma nor a percent sign; such a percent sign is copied as it is.
 */
bool apsp_conditions_next(const char **at, char out[APSP_CONDITION_SIZE]);

/*
 * Return the number of bytes before the first colon of a condition: the length
 * of its name. Returns 0 if the text is not a condition, because it has no
 * colon or its name is empty. The value may be empty.
 */
size_t apsp_condition_name_size(const char *condition);

/*
 * Make the canonical form of a list. Returns false if the list is longer than
 * APSP_WITHOUT_BYTES_MAX bytes, or if one of its elements is not a condition.
 * An empty list is canonical.
 */
bool apsp_conditions_canonical(
	const char *list, char out[APSP_CONDITIONS_SIZE]);

#endif
