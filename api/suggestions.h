/*
 * What a client that named an unknown vertex may have meant.
 */
#ifndef APSP_API_SUGGESTIONS_H
#define APSP_API_SUGGESTIONS_H

#include <jansson.h>

#include "storage/labels.h"

/*
 * A few labels most like one that is not there, as an array; NULL: out of
 * memory. Looks at every label.
 */
json_t *apsp_suggestions_json(
	const struct apsp_labels *labels, const char *label);

#endif
