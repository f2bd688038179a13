/*
 * The framing of one connection's requests. It reads request lines, headers,
 * chunks and trailers byte by byte, and finds where each request ends. It
 * accepts only requests that every reader of HTTP/1 frames in the same way, and
 * reports the first byte that breaks the rules (api/connection/README.md, Bytes
 * are judged first).
 *
 * A pure state machine: no sockets, no memory, no time.
 */
#ifndef APSP_API_CONNECTION_FRAMING_H
#define APSP_API_CONNECTION_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_HEAD_MAX = 16384,	  /* bytes of a request line with its headers */
	APSP_FIELDS_MAX = 100,	  /* headers, and trailers */
	APSP_TRAILER_MAX = 4096,  /* bytes of all trailers */
	APSP_EXTENSION_MAX = 256, /* bytes of a chunk's size and extensions */
	APSP_METHOD_MAX = 32,	  /* bytes */
	APSP_PARTS_MAX = 64,	  /* arguments of a query; cookies */
	APSP_COOKIE_MAX = 4096,	  /* bytes of the Cookie header */
};

/* A part of a head: where it begins in the head, and its size in bytes. */
struct apsp_head_part {
	uint16_t at;
	uint16_t size;
};

/*
 * The parts of a head as the framing has found them, so that nobody has to
 * parse it again. A value has no blanks before it, and may have some behind it.
 */
struct apsp_head {
	struct apsp_head_part target;
	struct apsp_head_part names[APSP_FIELDS_MAX];
	struct apsp_head_part values[APSP_FIELDS_MAX];
};

struct apsp_framing {
	/* reads the next byte, and sets the function for the byte after it */
	int (*step)(struct apsp_framing *framing, unsigned char byte,
		struct apsp_err *err);
	uint64_t left; /* bytes of the body or chunk that are still to come */

	uint64_t n_started;  /* requests whose first byte was read */
	uint64_t n_heads;    /* requests whose head was read and accepted */
	uint64_t n_requests; /* requests that were read whole */

	/* the present request */
	uint64_t length; /* Content-Length, or the size of a chunk */
	uint32_t head;	 /* bytes of the head, the chunk's line, the trailers */
	uint32_t n_fields; /* headers and trailers */
	uint32_t n_parts;  /* arguments, then cookies */
	uint32_t n_value;  /* counts the bytes of a part, such as a value, a
			      number or the version */
	uint32_t seen;	   /* a bit for each row of the table of fields */
	uint8_t n_name;
	uint8_t field; /* row of the table of fields */
	bool is_1_0;
	bool in_trailer;
	char name[20];		/* of the field; a longer one is cut */
	struct apsp_head parts; /* of the present head; n_fields of each */
};

/* Prepare for the first byte of a connection. */
void apsp_framing_init(struct apsp_framing *framing);

/*
 * Read the next bytes. *out_whole is also set on failure: to the number of
 * bytes up to the end of the last request that ends among them, or to 0. Do not
 * read on after a failure: nobody knows where the next request begins.
 * APSP_EMALFORMED; APSP_EHEAD: a head, trailers or their parts are too large.
 */
int apsp_framing_read(struct apsp_framing *framing, const char *bytes,
	size_t size, size_t *out_whole, struct apsp_err *err);

/* Whether a request's head has begun and not ended. */
bool apsp_framing_in_head(const struct apsp_framing *framing);

#endif
