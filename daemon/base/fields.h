/*
 * Named values in one line of text: "name value name value". The solver and the
 * daemon exchange such lines. The database and the file of measured rates
 * (compute/plan/rates.h) store such lines.
 *
 * Names are words. In values, blanks, control characters and '%' are written as
 * %XX. There is exactly one blank between a name and its value, and between a
 * value and the next name. Therefore a value can be empty.
 */
#ifndef APSP_DAEMON_BASE_FIELDS_H
#define APSP_DAEMON_BASE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	APSP_FIELD_NAME_SIZE = 32,    /* bytes of a name with its NUL */
	APSP_FIELD_VALUE_SIZE = 4096, /* bytes of a value with its NUL */
};

/* Describes a member of a struct that is written to a field and read from a
   field. */
struct apsp_member {
	const char *name;
	enum apsp_member_type {
		APSP_MEMBER_TEXT, /* a text: char[size] */
		APSP_MEMBER_FLAG, /* bool, written as 0 or 1 */
		APSP_MEMBER_U32,  /* uint32_t, in decimal digits */
		APSP_MEMBER_U64,  /* uint64_t, in decimal digits */
		/* a finite double, written with nine significant digits */
		APSP_MEMBER_REAL,
	} type;
	size_t offset;
	size_t size;
};

/* Initialize a struct apsp_member that describes the member `member` of the
   struct `type`. */
#define APSP_MEMBER(type, member, name, kind)                                  \
	{                                                                      \
		name, APSP_MEMBER_##kind, offsetof(type, member),              \
			sizeof(((type *)0)->member)                            \
	}

/*
 * Add a field to the end of `text`, which has `size` bytes of memory; the value
 * is formatted as by printf(). False: the field does not fit. Then a field with
 * a cut value was added, or nothing.
 */
__attribute__((format(printf, 4, 5))) bool apsp_fields_add(
	char *text, size_t size, const char *name, const char *format, ...);

/*
 * Read the first field of *text, and move *text past this field. A value that
 * is too long for size bytes is cut between characters, and bytes that are not
 * UTF-8 become '?'. False: there is no field, or it is malformed.
 */
bool apsp_fields_next(const char **text, char name[APSP_FIELD_NAME_SIZE],
	char *value, size_t size);

/* Read the value of the first field with this name. False: there is no such
   field. */
bool apsp_fields_get(
	const char *text, const char *name, char *value, size_t size);

/* Read the value of the first field with this name as a number. False: there is
   no such field, or its value is not a finite number. */
bool apsp_fields_get_real(const char *text, const char *name, double *out);

/* The array `fields` describes n members of the struct *from. For each of these
   members, add a field to `text`. */
void apsp_fields_write(char *text, size_t size,
	const struct apsp_member *fields, size_t n, const void *from);

/*
 * The array `fields` describes n members of the struct *to. Set each of these
 * members for which `text` has a valid field, and leave all other members
 * unchanged. Returns the number of members that were set.
 */
size_t apsp_fields_read(
	const char *text, const struct apsp_member *fields, size_t n, void *to);

#endif
