/*
 * The state machine: each state is a function, which reads one byte and stores
 * in framing->step the function that reads the next byte.
 *
 *	request ▸ method ▸ target ▸ version ▸ line_end ▸ field_start
 *	each header:   field_start ▸ name ▸ blanks ▸ value ▸ line_end ▸
 *	               field_start
 *	empty line:    field_start ▸ head_end
 *	no body:       head_end ▸ request
 *	known length:  head_end ▸ (left bytes) ▸ request
 *	chunks:        head_end ▸ chunk_size
 *	each chunk:    chunk_size ▸ chunk_line_end ▸ (left bytes) ▸
 *	               data_end ▸ chunk_size
 *	last chunk:    chunk_size ▸ chunk_line_end ▸ field_start, for the
 *	               trailers, until head_end ▸ request
 *
 * The grammar is stricter than RFC 9112: CRLF ends every line, no line is
 * folded, no blank comes before a header's colon or behind a Content-Length.
 */
#include "api/connection/framing.h"

#include <string.h>
#include <strings.h>

#include "daemon/base/hex.h"

enum {
	SIZE_DIGITS = 15,   /* largest number of hexadecimal digits of a chunk's
			       size, which is therefore below 2^60 */
	LENGTH_DIGITS = 20, /* largest number of decimal digits of a
			       Content-Length, which must be below 2^64 */
};

static const char coding[] = "chunked";

/* The headers that the framing recognises. Each header may occur only once in a
   request. The framing reads only some of the headers' values. */
enum field {
	FIELD_OTHER,
	FIELD_HOST,
	FIELD_LENGTH,
	FIELD_CODING,
	FIELD_CONTENT_CODING,
	FIELD_TYPE,
	FIELD_EXPECT,
	FIELD_ORIGIN,
	FIELD_COOKIE,
	FIELD_TOKEN,
	FIELD_MATCH,
	FIELD_NONE_MATCH,
	FIELD_RANGE,
	FIELD_IF_RANGE,
	N_FIELDS,
};

static const char *const fields[N_FIELDS] = {
	[FIELD_OTHER] = "",
	[FIELD_HOST] = "Host",
	[FIELD_LENGTH] = "Content-Length",
	[FIELD_CODING] = "Transfer-Encoding",
	[FIELD_CONTENT_CODING] = "Content-Encoding",
	[FIELD_TYPE] = "Content-Type",
	[FIELD_EXPECT] = "Expect",
	[FIELD_ORIGIN] = "Origin",
	[FIELD_COOKIE] = "Cookie",
	[FIELD_TOKEN] = "Authorization",
	/* Our answers depend on one value of each of these headers, so a second
	   one would be a condition that is ignored. HTTP allows that the lists
	   If-Match and If-None-Match are divided over several headers; we
	   refuse that, because no client is known to do so. */
	[FIELD_MATCH] = "If-Match",
	[FIELD_NONE_MATCH] = "If-None-Match",
	[FIELD_RANGE] = "Range",
	[FIELD_IF_RANGE] = "If-Range",
};

/* Two sets of characters. In sets_of_character[], each set is a bit. */
enum {
	/* the characters of a token, such as the name of a header (RFC 9110,
	   section 5.6.2) */
	TOKEN = 1,
	/* the characters of a URI without a fragment (RFC 3986, section 2) */
	TARGET = 2,
	BOTH = TOKEN | TARGET,
};

/* For each character, the sets that contain it, as bits. */
/* clang-format off */
static const unsigned char sets_of_character[256] = {
	['0' ... '9'] = BOTH, ['A' ... 'Z'] = BOTH,
	['a' ... 'z'] = BOTH, ['!'] = BOTH, ['#'] = TOKEN,
	['$' ... '\''] = BOTH, ['('] = TARGET, [')'] = TARGET,
	['*'] = BOTH, ['+'] = BOTH, [','] = TARGET,
	['-'] = BOTH, ['.'] = BOTH, ['/'] = TARGET,
	[':'] = TARGET, [';'] = TARGET, ['='] = TARGET,
	['?'] = TARGET, ['@'] = TARGET, ['['] = TARGET,
	[']'] = TARGET, ['^'] = TOKEN, ['_'] = BOTH,
	['`'] = TOKEN, ['|'] = TOKEN, ['~'] = BOTH,
};
/* clang-format on */

static bool is_token(unsigned char c)
{
	return sets_of_character[c] & TOKEN;
}

static bool is_target(unsigned char c)
{
	return sets_of_character[c] & TARGET;
}

/* Whether c is allowed in the value of a header or trailer, and in a chunk's
   extension. */
static bool is_value(unsigned char c)
{
	return (c >= ' ' && c != 0x7f) || c == '\t';
}

static int on_request(struct apsp_framing *, unsigned char, struct apsp_err *);
static int on_field_start(
	struct apsp_framing *, unsigned char, struct apsp_err *);
static int on_chunk_size(
	struct apsp_framing *, unsigned char, struct apsp_err *);

static int malformed(struct apsp_err *err, const char *why)
{
	return apsp_fail(err, APSP_EMALFORMED, "%s", why);
}

/* Returns a new part, which begins at the present byte of the head. The part's
   size is not known yet. */
static struct apsp_head_part part_begin(const struct apsp_framing *f)
{
	return (struct apsp_head_part){.at = (uint16_t)(f->head - 1)};
}

/* Store the size of a part, which ends just before the present byte. */
static void part_end(const struct apsp_framing *f, struct apsp_head_part *part)
{
	part->size = (uint16_t)(f->head - 1 - part->at);
}

static bool has(const struct apsp_framing *f, enum field field)
{
	return f->seen & 1u << field;
}

static void end_request(struct apsp_framing *f)
{
	f->n_requests++;
	f->head = 0;
	f->in_trailer = false;
	f->step = on_request;
}

static int on_data_end(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c != "\r\n"[f->n_value++])
		return malformed(err, "a chunk has more bytes than its size");
	if (c == '\r')
		return 0;
	f->head = 0;
	f->length = 0;
	f->n_value = 0;
	f->step = on_chunk_size;
	return 0;
}

static int on_chunk_line_end(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c != '\n')
		return malformed(err, "a line has a CR without its LF");
	f->head = 0;
	f->in_trailer = f->length == 0;
	f->left = f->length;
	f->n_value = 0;
	f->step = f->in_trailer ? on_field_start : on_data_end;
	return 0;
}

static int on_extension(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (f->head > APSP_EXTENSION_MAX)
		return malformed(err, "a chunk's extensions are too long");
	if (c == '\r')
		f->step = on_chunk_line_end;
	else if (c == '\n')
		return malformed(err, "a line ends without CR");
	else if (!is_value(c))
		return malformed(err, "a chunk's line has a control character");
	return 0;
}

static int on_chunk_size(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	int digit = apsp_hex_digit((char)c);

	if (f->n_value > 0 && (c == '\r' || c == ';')) {
		f->step = c == ';' ? on_extension : on_chunk_line_end;
		return 0;
	}
	if (digit < 0)
		return malformed(err, "a chunk's size is not hexadecimal");
	if (f->n_value++ == SIZE_DIGITS)
		return malformed(err, "a chunk's size has too many digits");
	f->length = f->length * 16 + (unsigned int)digit;
	return 0;
}

static int on_head_end(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c != '\n')
		return malformed(err, "a line has a CR without its LF");
	if (f->in_trailer) {
		end_request(f);
		return 0;
	}
	if (has(f, FIELD_CODING) && has(f, FIELD_LENGTH))
		return malformed(err, "Content-Length and Transfer-Encoding "
				      "exclude each other");
	if (has(f, FIELD_CODING) && f->is_1_0)
		return malformed(err, "HTTP/1.0 has no Transfer-Encoding");
	if (!has(f, FIELD_HOST) && !f->is_1_0)
		return malformed(err, "there is no Host header");
	/* libmicrohttpd 0.9.75 sends 100 Continue even if no body follows. If
	   the next request has come by then, libmicrohttpd takes it for the
	   body, and ends the connection without an answer */
	if (has(f, FIELD_EXPECT) && !f->is_1_0 && !has(f, FIELD_CODING) &&
		f->length == 0)
		return malformed(err,
			"the request has Expect, but no body; leave the header "
			"out");
	f->n_heads++;
	f->head = 0;
	if (has(f, FIELD_CODING)) {
		f->length = 0;
		f->n_value = 0;
		f->step = on_chunk_size;
	} else if (f->length > 0) {
		f->left = f->length;
		f->step = on_request;
	} else {
		end_request(f);
	}
	return 0;
}

static int on_line_end(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c != '\n')
		return malformed(err, "a line has a CR without its LF");
	f->step = on_field_start;
	return 0;
}

static int read_value(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	switch (f->field) {
	case FIELD_LENGTH:
		if (c < '0' || c > '9' || f->n_value++ == LENGTH_DIGITS ||
			__builtin_mul_overflow(f->length, 10, &f->length) ||
			__builtin_add_overflow(f->length, c - '0', &f->length))
			return malformed(err, "Content-Length is not a decimal "
					      "number below 2^64");
		return 0;
	case FIELD_CODING:
		if (f->n_value >= sizeof(coding) - 1 ||
			(c | 0x20) != coding[f->n_value++])
			return malformed(err, "Transfer-Encoding may be "
					      "chunked and nothing else");
		return 0;
	case FIELD_COOKIE:
		/*
		 * count the cookies. Their number is limited, because
		 * libmicrohttpd stores a record for each cookie
		 */
		f->n_parts += c == ';' || c == ',';
		if (f->n_value++ == APSP_COOKIE_MAX ||
			f->n_parts > APSP_PARTS_MAX)
			return apsp_fail(err, APSP_EHEAD,
				"the Cookie header is too long");
		return 0;
	default:
		return 0;
	}
}

static int on_value(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c == '\r') {
		f->step = on_line_end;
		part_end(f, &f->parts.values[f->n_fields - 1]);
		if (f->field == FIELD_LENGTH && f->n_value == 0)
			return malformed(err, "Content-Length is blank");
		if (f->field == FIELD_CODING && f->n_value < sizeof(coding) - 1)
			return malformed(err, "Transfer-Encoding may be "
					      "chunked and nothing else");
		return 0;
	}
	if (c == '\n')
		return malformed(err, "a line ends without CR");
	if (!is_value(c))
		return malformed(err, "a header has a control character");
	return f->field == FIELD_OTHER ? 0 : read_value(f, c, err);
}

static int on_blanks(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c == ' ' || c == '\t')
		return 0;
	f->step = on_value;
	f->parts.values[f->n_fields - 1] = part_begin(f);
	return on_value(f, c, err);
}

static int end_name(struct apsp_framing *f, struct apsp_err *err)
{
	f->step = on_blanks;
	f->field = FIELD_OTHER;
	part_end(f, &f->parts.names[f->n_fields - 1]);
	for (uint8_t i = FIELD_OTHER + 1; i < N_FIELDS; i++) {
		if (f->n_name == strlen(fields[i]) &&
			strncasecmp(f->name, fields[i], f->n_name) == 0)
			f->field = i;
	}
	if (f->field == FIELD_OTHER)
		return 0;
	if (f->in_trailer)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s may not come behind the body", fields[f->field]);
	if (has(f, f->field))
		return apsp_fail(err, APSP_EMALFORMED,
			"there are two %s headers", fields[f->field]);
	f->seen |= 1u << f->field;
	f->n_value = 0;
	f->n_parts = 0;
	return 0;
}

static int on_name(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c == ':')
		return end_name(f, err);
	if (c == ' ' || c == '\t')
		return malformed(err,
			"there is a blank between a header's name and its "
			"colon");
	if (c == '\r' || c == '\n')
		return malformed(err, "a header has no colon");
	if (!is_token(c))
		return malformed(err,
			"a header's name has a character that none may have");
	if (f->n_name < sizeof(f->name))
		f->name[f->n_name++] = (char)c;
	return 0;
}

static int on_field_start(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c == '\r') {
		f->step = on_head_end;
		return 0;
	}
	if (c == ' ' || c == '\t')
		return malformed(err, "a header is folded over several lines");
	if (c == ':')
		return malformed(err, "a header has no name");
	if (c == '\n')
		return malformed(err, "a line ends without CR");
	if (f->n_fields++ == APSP_FIELDS_MAX)
		return apsp_fail(err, APSP_EHEAD,
			"there are more than %d headers", APSP_FIELDS_MAX);
	f->parts.names[f->n_fields - 1] = part_begin(f);
	f->n_name = 0;
	f->step = on_name;
	return on_name(f, c, err);
}

static int on_version(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	static const char prefix[] = "HTTP/1.";
	uint32_t at = f->n_value++;

	if (at < sizeof(prefix) - 1 && c == (unsigned char)prefix[at])
		return 0;
	if (at == sizeof(prefix) - 1 && (c == '0' || c == '1')) {
		f->is_1_0 = c == '0';
		return 0;
	}
	if (at != sizeof(prefix) || c != '\r')
		return malformed(err,
			"the request line must end in HTTP/1.1 or HTTP/1.0 "
			"and CRLF");
	f->n_value = 0;
	f->step = on_line_end;
	return 0;
}

static int target_refuse(unsigned char c, struct apsp_err *err)
{
	if (c > ' ' && c < 0x7f)
		return apsp_fail(err, APSP_EMALFORMED,
			"the URL has '%c', which must be written as %%%02X", c,
			c);
	return apsp_fail(err, APSP_EMALFORMED,
		"the URL has the byte %02X, which must be written as %%%02X%s",
		c, c, c < 0x80 ? "" : " (ä is %C3%A4)");
}

static int on_target(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c == ' ' && f->n_value > 0) {
		f->n_value = 0;
		f->step = on_version;
		part_end(f, &f->parts.target);
		return 0;
	}
	if (!is_target(c))
		return target_refuse(c, err);
	if (f->n_value == 0)
		f->parts.target = part_begin(f);
	f->n_value = 1;
	f->n_parts += c == '&';
	if (f->n_parts >= APSP_PARTS_MAX)
		return apsp_fail(err, APSP_EHEAD,
			"the URL has more than %d arguments", APSP_PARTS_MAX);
	return 0;
}

static int on_method(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	if (c == ' ') {
		f->n_value = 0;
		f->step = on_target;
		return 0;
	}
	if (!is_token(c) || f->head > APSP_METHOD_MAX)
		return malformed(err,
			"the request line must begin with a method and a "
			"blank");
	return 0;
}

static int on_request(
	struct apsp_framing *f, unsigned char c, struct apsp_err *err)
{
	f->n_started++;
	f->length = 0;
	f->n_fields = 0;
	f->n_parts = 0;
	f->n_value = 0;
	f->seen = 0;
	f->is_1_0 = false;
	f->step = on_method;
	if (!is_token(c))
		return malformed(err, "a request must begin with its method");
	return 0;
}

void apsp_framing_init(struct apsp_framing *framing)
{
	memset(framing, 0, sizeof(*framing));
	framing->step = on_request;
}

bool apsp_framing_in_head(const struct apsp_framing *framing)
{
	return framing->n_started > framing->n_heads;
}

/*
 * Read, in one loop, successive bytes that need only be checked and counted.
 * Most bytes of URLs and of header values are such bytes. Returns the number of
 * bytes that were read.
 */
static size_t skip_plain(
	struct apsp_framing *f, const unsigned char *bytes, size_t size)
{
	size_t most = APSP_TRAILER_MAX, n = 0;

	if (f->head >= most)
		return 0;
	most = size < most - f->head ? size : most - f->head;
	if (f->step == on_target && f->n_value > 0) {
		while (n < most && is_target(bytes[n]) && bytes[n] != '&')
			n++;
	} else if (f->step == on_value &&
		   (f->field == FIELD_OTHER || f->field == FIELD_HOST)) {
		while (n < most && is_value(bytes[n]))
			n++;
	}
	f->head += (uint32_t)n;
	return n;
}

/* Skip bytes of a body. Returns the number of skipped bytes. */
static size_t skip(struct apsp_framing *f, size_t size)
{
	size_t n = f->left < size ? (size_t)f->left : size;

	f->left -= n;
	/* a body of known length ends with its last byte, so the request ends
	   here. After a chunk the request goes on: `step` is then
	   on_data_end(), which reads a CRLF */
	if (f->left == 0 && f->step == on_request)
		end_request(f);
	return n;
}

int apsp_framing_read(struct apsp_framing *framing, const char *bytes,
	size_t size, size_t *out_whole, struct apsp_err *err)
{
	uint64_t n_requests = framing->n_requests;
	uint32_t most;
	size_t at = 0;

	*out_whole = 0;
	while (at < size) {
		int r = 0;

		if (framing->left > 0) {
			at += skip(framing, size - at);
		} else {
			at += skip_plain(framing,
				(const unsigned char *)bytes + at, size - at);
			if (at == size)
				break;
			most = framing->in_trailer ? APSP_TRAILER_MAX
						   : APSP_HEAD_MAX;
			if (++framing->head > most)
				return apsp_fail(err, APSP_EHEAD,
					"the %s more than %u bytes",
					framing->in_trailer
						? "trailers have"
						: "URL and the headers have",
					most);
			r = framing->step(
				framing, (unsigned char)bytes[at++], err);
		}
		if (r < 0)
			return r;
		if (framing->n_requests != n_requests) {
			n_requests = framing->n_requests;
			*out_whole = at;
		}
	}
	return 0;
}
