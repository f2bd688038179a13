/*
 * JSON as jansson's trees: small answers are built as a tree, which is then
 * appended to a text.
 */
#ifndef APSP_API_ENCODE_JSON_H
#define APSP_API_ENCODE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "api/encode/json_writer.h"

/*
 * Append a value and drop its reference. NULL, which jansson returns if there
 * is no memory, marks the text as failed.
 */
void apsp_json_tree(struct apsp_json_writer *w, json_t *value);

/* A time by RFC 3339, in UTC with milliseconds; JSON null for 0. */
json_t *apsp_json_time(int64_t ms);

/* A number, or JSON null if it is not finite; integers without ".0". */
json_t *apsp_json_number(double value);

/* The kind of a value for messages: "a number", "a list", … */
const char *apsp_json_kind(const json_t *json);

#endif
