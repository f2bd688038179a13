/*
 * The framing of one connection's requests: a state machine that reads request
 * lines, headers, chunks and trailers byte by byte, and finds where each
 * request ends. The framing accepts only requests in which all readers of
 * HTTP/1 find the same end. It reports the first byte that breaks a rule
 * (api/connection/README.md, Bytes are judged first).
 *
 * The framing uses no sockets, no clock and no memory outside struct
 * apsp_framing.
 */
#ifndef APSP_API_CONNECTION_FRAMING_H
#define APSP_API_CONNECTION_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	/* largest size of a request's line and headers together, in bytes */
	APSP_HEAD_MAX = 16384,
	/* largest number of headers and trailers of one request */
	APSP_FIELDS_MAX = 100,
	/* largest size of all trailers together, in bytes */
	APSP_TRAILER_MAX = 4096,
	/* largest length of a chunk's first line in bytes; the line has the
	   chunk's size and extensions */
	APSP_EXTENSION_MAX = 256,
	APSP_METHOD_MAX = 32, /* largest length of a method in bytes */
	/* largest number of arguments in a request's query; also the largest
	   number of cookies in a request */
	APSP_PARTS_MAX = 64,
	/* largest length of the Cookie header in bytes */
	APSP_COOKIE_MAX = 4096,
};

/*
 * A part of a head: its offset from the head's first byte, and its size in
 * bytes.
 */
struct apsp_head_part {
	uint16_t at;
	uint16_t size;
};

/*
 * The parts of a head as the framing has found them, so that no other code
 * parses the head again. A value does not include the blanks before it, but may
 * include blanks behind it.
 */
struct apsp_head {
	struct apsp_head_part target;
	struct apsp_head_part names[APSP_FIELDS_MAX];
	struct apsp_head_part values[APSP_FIELDS_MAX];
};

struct apsp_framing {
	/* the state of the machine: a function that reads the next byte, and
	   then sets `step` to the function for the following byte */
	int (*step)(struct apsp_framing *framing, unsigned char byte,
		struct apsp_err *err);
	uint64_t left; /* number of bytes of the present body or chunk that have
			  not come yet */

	uint64_t n_started;  /* number of requests whose first byte was read */
	uint64_t n_heads;    /* number of requests whose head was accepted */
	uint64_t n_requests; /* number of requests read to their end */

	/* about the present request: */
	uint64_t length; /* Content-Length, or the size of the present chunk */
	uint32_t head;	 /* number of bytes that were read of the present head,
			    of the present chunk's first line, or of the
			    trailers */
	/* number of headers and trailers of the present request so far */
	uint32_t n_fields;
	uint32_t n_parts; /* number of '&' in the URL; then the number of ';'
			     and ',' in the Cookie header */
	uint32_t n_value; /* number of bytes of the present value, number or
			     version that were read so far */
	uint32_t seen; /* the headers that have occurred: bit i is for fields[i]
			  (framing.c) */
	uint8_t n_name;
	uint8_t field; /* index of the present header in fields[] */
	bool is_1_0;
	bool in_trailer;
	char name[20]; /* name of the present header; cut if it is too long */
	struct apsp_head parts; /* parts of the present head, with n_fields
				   names and values */
};

/* Initialize the framing of a new connection. */
void apsp_framing_init(struct apsp_framing *framing);

/*
 * Read the next bytes of a connection. If requests end within these bytes,
 * *out_whole is the number of bytes up to the end of the last of these
 * requests. Otherwise *out_whole is 0. *out_whole is set even on failure. Do
 * not call this function again after a failure, because nobody knows where the
 * next request begins.
 *
 * APSP_EMALFORMED: a byte breaks a rule of the grammar. APSP_EHEAD: a head, the
 * trailers or one of their parts is too large.
 */
int apsp_framing_read(struct apsp_framing *framing, const char *bytes,
	size_t size, size_t *out_whole, struct apsp_err *err);

/* Whether the first byte of a request's head was read, but not yet the head's
   last byte. */
bool apsp_framing_in_head(const struct apsp_framing *framing);

#endif
