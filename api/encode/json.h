/*
 * JSON trees of jansson: a small answer is built as a tree, and the tree is
 * then appended to a text.
 */
#ifndef APSP_API_ENCODE_JSON_H
#define APSP_API_ENCODE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "api/encode/json_writer.h"

/*
 * Append a value, and release it. NULL means that jansson had no memory for the
 * value; the text is then marked as failed.
 */
void apsp_json_tree(struct apsp_json_writer *w, json_t *value);

/*
 * apsp_json_join() adds the members of `more` to `object`, and returns
 * `object`. apsp_json_append() adds `item` to the end of `list`, and returns
 * `list`. The second argument is released. If jansson had no memory for an
 * argument or for this step, both arguments are released, and the result is
 * NULL.
 */
json_t *apsp_json_join(json_t *object, json_t *more);
json_t *apsp_json_append(json_t *list, json_t *item);

/* Returns a time, given in milliseconds since 1970, as a string of RFC 3339 in
   UTC with milliseconds. Returns JSON null for 0. */
json_t *apsp_json_time(int64_t ms);

/* Returns a string, or JSON null if `text` is empty. */
json_t *apsp_json_text(const char *text);

/* Returns a number, or JSON null if `value` is not finite. A whole number has
   no ".0". */
json_t *apsp_json_number(double value);

/* Returns the name of a value's kind for messages: "a number", "a list", … */
const char *apsp_json_kind(const json_t *json);

#endif
