/*
 * JSON values and their text.
 */
#ifndef APSP_API_ENCODE_JSON_H
#define APSP_API_ENCODE_JSON_H

#include <jansson.h>
#include <stdint.h>

/*
 * The text of a JSON value, malloc'd: compact, each number with the fewest
 * digits of 15, 16 or 17 that give the number back. NULL: no memory.
 */
char *apsp_json_text(const json_t *value);

/* RFC 3339 in UTC with milliseconds; JSON null for 0. */
json_t *apsp_json_time(int64_t ms);

/* A number, or JSON null if it is not finite; integers without ".0". */
json_t *apsp_json_number(double value);

/* "a number", "a list", … for messages. */
const char *apsp_json_kind(const json_t *json);

/* For APSP_AUTO: drop a reference. */
void apsp_json_done(json_t **json);

#endif
