/*
 * A writer of JSON (RFC 8259). It appends the JSON to a text, value by value,
 * without a tree. The writer adds commas and escapes. The caller must nest the
 * values correctly.
 *
 *	apsp_json_object(&w);
 *	apsp_json_key(&w, "hops");
 *	apsp_json_integer(&w, 2);
 *	apsp_json_object_end(&w);
 *
 * The writer has no memory of its own. The caller is free to send and clear the
 * text between any two calls.
 */
#ifndef APSP_API_ENCODE_JSON_WRITER_H
#define APSP_API_ENCODE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/encode/text.h"

enum {
	APSP_JSON_NEST_MAX = 63,
};

/* Initialize a writer with {.text = …}. The text is borrowed. */
struct apsp_json_writer {
	struct apsp_text *text;
	uint64_t filled; /* bit d is set if the array or object at depth d has
			    an item already */
	unsigned int depth;
	bool keyed; /* a key was written, and its value comes next */
};

void apsp_json_object(struct apsp_json_writer *w);
void apsp_json_object_end(struct apsp_json_writer *w);
void apsp_json_array(struct apsp_json_writer *w);
void apsp_json_array_end(struct apsp_json_writer *w);

/* Write the key of a member. The caller then writes the member's value. */
void apsp_json_key(struct apsp_json_writer *w, const char *name);

/* Write a string of `size` bytes of UTF-8. */
void apsp_json_string(
	struct apsp_json_writer *w, const char *text, size_t size);

/*
 * Write a number in the shortest form (api/encode/real.h), or null if the
 * number is not finite.
 */
void apsp_json_real(struct apsp_json_writer *w, double value);
void apsp_json_integer(struct apsp_json_writer *w, int64_t value);
void apsp_json_boolean(struct apsp_json_writer *w, bool value);
void apsp_json_nothing(struct apsp_json_writer *w); /* writes null */

/* End a line of NDJSON, after a whole value. */
void apsp_json_line_end(struct apsp_json_writer *w);

/* Write a member whose value is a NUL-terminated string. */
static inline void apsp_json_text_member(
	struct apsp_json_writer *w, const char *name, const char *value)
{
	apsp_json_key(w, name);
	apsp_json_string(w, value, strlen(value));
}

static inline void apsp_json_integer_member(
	struct apsp_json_writer *w, const char *name, int64_t value)
{
	apsp_json_key(w, name);
	apsp_json_integer(w, value);
}

static inline void apsp_json_real_member(
	struct apsp_json_writer *w, const char *name, double value)
{
	apsp_json_key(w, name);
	apsp_json_real(w, value);
}

static inline void apsp_json_boolean_member(
	struct apsp_json_writer *w, const char *name, bool value)
{
	apsp_json_key(w, name);
	apsp_json_boolean(w, value);
}

static inline void apsp_json_null_member(
	struct apsp_json_writer *w, const char *name)
{
	apsp_json_key(w, name);
	apsp_json_nothing(w);
}

#endif
