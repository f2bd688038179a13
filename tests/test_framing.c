/*
 * The framing of requests: what is whole, what is refused and at which byte.
 * All samples are read whole, byte by byte, and cut in two at every byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/connection/framing.h"

#define HOST "Host: localhost\r\n"
#define GET "GET /healthz HTTP/1.1\r\n" HOST
#define PUT "PUT /v1/graphs/g HTTP/1.1\r\n" HOST
#define CHUNKED PUT "Transfer-Encoding: chunked\r\n\r\n"
#define LENGTH(x) PUT "Content-Length:" x "\r\n\r\n"

enum {
	GOOD = 0,
	BAD = APSP_EMALFORMED,
	HEAD = APSP_EHEAD,
};

/* What a reading found. */
struct verdict {
	int code;
	size_t n_read;	/* bytes up to the bad one, with it */
	size_t n_whole; /* bytes up to the last request's end */
	uint64_t n_heads;
	uint64_t n_requests;
};

/* Read pieces of step bytes; the first one has first bytes. */
static struct verdict read_pieces(
	const char *text, size_t size, size_t first, size_t step)
{
	struct apsp_framing framing;
	struct verdict v = {0};
	size_t at = 0;

	apsp_framing_init(&framing);
	while (at < size && v.code == 0) {
		size_t n = at == 0 && first > 0 ? first : step;
		size_t whole;

		n = n < size - at ? n : size - at;
		v.code =
			apsp_framing_read(&framing, text + at, n, &whole, NULL);
		if (whole > 0)
			v.n_whole = at + whole;
		at += n;
	}
	v.n_read = at;
	v.n_heads = framing.n_heads;
	v.n_requests = framing.n_requests;
	return v;
}

static bool is_same(const struct verdict *a, const struct verdict *b)
{
	return a->code == b->code && a->n_whole == b->n_whole &&
	       a->n_heads == b->n_heads && a->n_requests == b->n_requests;
}

/* The verdict, which must not depend on how the bytes come. */
static struct verdict judge(const char *text, size_t size)
{
	struct verdict bytes = read_pieces(text, size, 0, 1);

	for (size_t cut = 1; cut <= size; cut++) {
		struct verdict v = read_pieces(text, size, cut, size);

		if (!is_same(&v, &bytes))
			fail_msg("cut at %zu: %d %zu instead of %d %zu for\n%s",
				cut, v.code, v.n_whole, bytes.code,
				bytes.n_whole, text);
	}
	return bytes;
}

static const struct sample {
	const char *text;
	size_t size;
	uint64_t n_requests;
	int code;
} samples[] = {
#define S(text, n, code)                                                       \
	{                                                                      \
		text, sizeof(text) - 1, n, code                                \
	}
	/* whole requests */
	S(GET "\r\n", 1, GOOD),
	S("GET / HTTP/1.0\r\n\r\n", 1, GOOD),
	S("GET / HTTP/1.0\r\nHost: x\r\n\r\n", 1, GOOD),
	S("BREW /a?b=c&d=%20e HTTP/1.1\r\n" HOST "\r\n", 1, GOOD),
	S("OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 1, GOOD),
	S("GET http://localhost/x HTTP/1.1\r\n" HOST "\r\n", 1, GOOD),
	S("CONNECT localhost:80 HTTP/1.1\r\n" HOST "\r\n", 1, GOOD),
	S(GET "A:\r\nB: \t \r\nC: d e\t\r\nD: \xc3\xa9\r\n\r\n", 1, GOOD),
	S(GET "!#$%&'*+-.^_`|~09azAZ: x\r\n\r\n", 1, GOOD),
	S(GET "Accept: a\r\nAccept: b\r\n\r\n", 1, GOOD),
	S(LENGTH(" 0"), 1, GOOD),
	S(LENGTH(" 3") "abc", 1, GOOD),
	S(LENGTH("3") "abc", 1, GOOD),
	S(LENGTH(" \t 3") "abc", 1, GOOD),
	S(LENGTH(" 003") "\r\n\n", 1, GOOD),
	S(LENGTH(" 3") "ab", 0, GOOD),
	S(LENGTH(" 18446744073709551615") "abc", 0, GOOD),
	S(CHUNKED "0\r\n\r\n", 1, GOOD),
	S(CHUNKED "3\r\nabc\r\n0\r\n\r\n", 1, GOOD),
	S(CHUNKED "00A\r\n0123456789\r\n000\r\n\r\n", 1, GOOD),
	S(CHUNKED "a\r\n\r\n\r\n\r\n\r\n\r\n\r\n0\r\n\r\n", 1, GOOD),
	S(CHUNKED "3;a=b;c=\"d e\"\r\nabc\r\n0;x\r\n\r\n", 1, GOOD),
	S(CHUNKED "0\r\nA: b\r\nC: d\r\n\r\n", 1, GOOD),
	S(CHUNKED "fffffffffffffff\r\nabc", 0, GOOD),
	S(PUT "transfer-ENCODING: ChunKed\r\n\r\n0\r\n\r\n", 1, GOOD),
	/* pipelined */
	S(GET "\r\n" GET "\r\n" GET "\r\n", 3, GOOD),
	S(LENGTH(" 3") "abc" GET "\r\n", 2, GOOD),
	S(CHUNKED "3\r\nabc\r\n0\r\n\r\n" GET "\r\n", 2, GOOD),
	S(CHUNKED "0\r\nA: b\r\n\r\n" LENGTH(" 1") "x" GET "\r\n", 3, GOOD),
	S(GET "\r\n" GET, 1, GOOD),
	S(GET "\r\n" GET ": x\r\n\r\n", 1, BAD),
	S(GET "\r\n\r\n" GET "\r\n", 1, BAD),
	S(LENGTH(" 3") "abc\r\n" GET "\r\n", 1, BAD),
	S(LENGTH(" 2") "abc" GET "\r\n", 2, GOOD), /* the method is cGET */
	/* request lines */
	S("\r\n" GET "\r\n", 0, BAD),
	S("\n" GET "\r\n", 0, BAD),
	S(" " GET "\r\n", 0, BAD),
	S("\0" GET "\r\n", 0, BAD),
	S("GET\r\n", 0, BAD),
	S("GET /\r\n" HOST "\r\n", 0, BAD),
	S("GET / \r\n" HOST "\r\n", 0, BAD),
	S("GET  / HTTP/1.1\r\n" HOST "\r\n", 0, BAD),
	S("GET /  HTTP/1.1\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/1.1 \r\n" HOST "\r\n", 0, BAD),
	S("GET\t/ HTTP/1.1\r\n" HOST "\r\n", 0, BAD),
	S("GET /\tHTTP/1.1\r\n" HOST "\r\n", 0, BAD),
	S("GET / x HTTP/1.1\r\n" HOST "\r\n", 0, BAD),
	S("GET / http/1.1\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/1.2\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/2.0\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/0.9\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/1.10\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/11\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/1.1\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/1.1\r" HOST "\r\n", 0, BAD),
	S("GET / HTTP/1.1\r\r\n" HOST "\r\n", 0, BAD),
	S("GET / HTTP/1.1\r\n\r\n", 0, BAD),
	S("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, BAD),
	S("\x16\x03\x01\x02\x00\x01", 0, BAD),
	S("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG / HTTP/1.1\r\n", 0, BAD),
	/* names and lines of headers */
	S(GET ": x\r\n\r\n", 0, BAD),
	S(GET ":\r\n\r\n", 0, BAD),
	S(GET "\0: x\r\n\r\n", 0, BAD),
	S(GET "A: b\0\r\n\r\n", 0, BAD),
	S(GET "A\0B: c\r\n\r\n", 0, BAD),
	S(GET "A : b\r\n\r\n", 0, BAD),
	S(GET "A\t: b\r\n\r\n", 0, BAD),
	S(GET "A B: c\r\n\r\n", 0, BAD),
	S(GET "A\r\n\r\n", 0, BAD),
	S(GET "A\n\r\n", 0, BAD),
	S(GET " A: b\r\n\r\n", 0, BAD),
	S(GET "A: b\r\n c\r\n\r\n", 0, BAD),
	S(GET "A: b\r\n\tc\r\n\r\n", 0, BAD),
	S(GET "A: b\n\r\n", 0, BAD),
	S(GET "A: b\r\r\n\r\n", 0, BAD),
	S(GET "A: b\rC: d\r\n\r\n", 0, BAD),
	S(GET "\n", 0, BAD),
	S(GET "\r\r\n", 0, BAD),
	S(GET "A: b\x7f\r\n\r\n", 0, BAD),
	/* of which there is one */
	S(GET HOST "\r\n", 0, BAD),
	S(GET "host: other\r\n\r\n", 0, BAD),
	S(PUT "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 0, BAD),
	S(PUT "Content-Type: a\r\nContent-Type: b\r\n\r\n", 0, BAD),
	S(PUT "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n", 0,
		BAD),
	S(GET "Origin: a\r\nOrigin: b\r\n\r\n", 0, BAD),
	S(PUT "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n", 0, BAD),
	S(GET "If-Match: \"a\"\r\nIf-Match: \"b\"\r\n\r\n", 0, BAD),
	S(GET "If-None-Match: \"a\"\r\nif-none-match: *\r\n\r\n", 0, BAD),
	S(GET "Range: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n", 0, BAD),
	S(GET "If-Range: \"a\"\r\nIf-Range: \"b\"\r\n\r\n", 0, BAD),
	/* an expectation without a body */
	S(GET "Expect: 100-continue\r\n\r\n", 0, BAD),
	S(GET "expect: 100-continue\r\n\r\n" GET "\r\n", 0, BAD),
	S(PUT "Content-Length: 0\r\nExpect: 100-continue\r\n\r\n", 0, BAD),
	S(PUT "Expect: 100-continue\r\nContent-Length: 0\r\n\r\n", 0, BAD),
	S(GET "Cookie: a=b\r\nCookie: c=d\r\n\r\n", 0, BAD),
	/* lengths */
	S(LENGTH(""), 0, BAD),
	S(LENGTH(" "), 0, BAD),
	S(LENGTH(" 3 ") "abc", 0, BAD),
	S(LENGTH(" 3\t") "abc", 0, BAD),
	S(LENGTH(" 3,3") "abc", 0, BAD),
	S(LENGTH(" 3, 3") "abc", 0, BAD),
	S(LENGTH(" +3") "abc", 0, BAD),
	S(LENGTH(" -3") "abc", 0, BAD),
	S(LENGTH(" 0x3") "abc", 0, BAD),
	S(LENGTH(" 3x") "abc", 0, BAD),
	S(LENGTH(" x") "abc", 0, BAD),
	S(LENGTH(" 3.0") "abc", 0, BAD),
	S(LENGTH(" 1 3") "abc", 0, BAD),
	S(LENGTH(" 18446744073709551616"), 0, BAD),
	S(LENGTH(" 99999999999999999999"), 0, BAD),
	S(LENGTH(" 000000000000000000003") "abc", 0, BAD),
	/* transfer codings */
	S(PUT "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 0,
		BAD),
	S(PUT "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 0,
		BAD),
	S(PUT "Transfer-Encoding: chunked\r\n"
	      "Transfer-Encoding: chunked\r\n\r\n",
		0, BAD),
	S("PUT / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", 0,
		BAD),
	S(PUT "Transfer-Encoding:\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: chunke\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: chunkedd\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: chunked \r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: xchunked\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: chunked, identity\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: identity\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: gzip, chunked\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: \"chunked\"\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: chunked;a=b\r\n\r\n", 0, BAD),
	S(PUT "Transfer-Encoding: chunked\0, identity\r\n\r\n", 0, BAD),
	/* chunks */
	S(CHUNKED "\r\n\r\n", 0, BAD),
	S(CHUNKED ";a\r\n\r\n", 0, BAD),
	S(CHUNKED " 3\r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3 \r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "+3\r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "-3\r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "0x3\r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3g\r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\rabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\0\r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3;a\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3;\x01\r\nabc\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\r\nabcd\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\r\nab\r\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\r\nabc\n0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\r\nabc0\r\n\r\n", 0, BAD),
	S(CHUNKED "3\r\nabc\r0\r\n\r\n", 0, BAD),
	S(CHUNKED "0000000000000000\r\n\r\n", 0, BAD),
	S(CHUNKED "ffffffffffffffff\r\n", 0, BAD),
	S(CHUNKED "10000000000000003\r\nabc\r\n0\r\n\r\n", 0, BAD),
	/* trailers */
	S(CHUNKED "0\r\n: x\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nA\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nA: b\n\r\n", 0, BAD),
	S(CHUNKED "0\r\n A: b\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nA : b\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nA: b\r\n c\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nA: b\0c\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\n\0\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\n\n", 0, BAD),
	S(CHUNKED "0\r\n\r\r\n", 0, BAD),
	S(CHUNKED "0\r\nContent-Length: 3\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nTransfer-Encoding: chunked\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nHost: other\r\n\r\n", 0, BAD),
	S(CHUNKED "0\r\nX: y\r\n\r\nDELETE /\0 HTTP/1.1\r\n", 1, BAD),
#undef S
};

static void test_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		struct verdict v = judge(s->text, s->size);

		if (v.code != s->code || v.n_requests != s->n_requests)
			fail_msg("%d with %d requests instead of %d with %d "
				 "for\n%s",
				v.code, (int)v.n_requests, s->code,
				(int)s->n_requests, s->text);
	}
}

/* Where one byte may stand, and which ones may. */
static const struct place {
	const char *before;
	const char *after;
	const char *marks; /* besides letters and digits */
	bool any_above;	   /* bytes from 0x80 on, too */
} places[] = {
	{"G", "T / HTTP/1.1\r\n" HOST "\r\n", "!#$%&'*+-.^_`|~", false},
	{"GET /", " HTTP/1.1\r\n" HOST "\r\n", "-._~:/?[]@!$&'()*+,;=%", false},
	{GET "N", "N: v\r\n\r\n", "!#$%&'*+-.^_`|~:", false},
	{GET "N: v", "v\r\n\r\n", " \t!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
		true},
	{CHUNKED "0\r\nN", "N: v\r\n\r\n", "!#$%&'*+-.^_`|~:", false},
	{CHUNKED "0\r\nN: v", "v\r\n\r\n",
		" \t!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", true},
	{CHUNKED "0;", "\r\n\r\n", " \t!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
		true},
};

/* All 256 bytes in each place. */
static void test_bytes(void **state)
{
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct place *p = &places[i];
		size_t n_before = strlen(p->before), n_after = strlen(p->after);

		for (int c = 0; c < 256; c++) {
			bool may =
				(c < 0x80 && isalnum(c)) ||
				(c != 0 && c < 0x80 && strchr(p->marks, c)) ||
				(c >= 0x80 && p->any_above);
			struct verdict v;

			memcpy(text, p->before, n_before);
			text[n_before] = (char)c;
			memcpy(text + n_before + 1, p->after, n_after + 1);
			v = judge(text, n_before + 1 + n_after);
			if (v.code != (may ? GOOD : BAD) ||
				v.n_requests != (may ? 1 : 0))
				fail_msg("%d for byte %#x of\n%s", v.code,
					(unsigned int)c, text);
			/* a bad one goes no further; a CR may be a line's, and
			   a blank parts words */
			if (!may && c != ' ' && c != '\r' &&
				v.n_read != n_before + 1)
				fail_msg("byte %#x came through in\n%s",
					(unsigned int)c, text);
		}
	}
}

/* A byte that a URL may not have is named, and so is what to write for it. */
static void test_url_bytes(void **state)
{
	static const struct {
		char byte;
		const char *part;
	} bytes[] = {
		{'>', "the URL has '>', which must be written as %3E"},
		{'"', "the URL has '\"', which must be written as %22"},
		{'\xc3', "the URL has the byte C3, which must be written as "
			 "%C3 (ä is "
			 "%C3%A4)"},
		{'\t', "the URL has the byte 09, which must be written as %09"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		struct apsp_framing framing;
		struct apsp_err err = {0};
		char text[] = "GET /v1?avoid=29?";
		size_t whole;

		text[sizeof(text) - 2] = bytes[i].byte;
		apsp_framing_init(&framing);
		assert_int_equal(apsp_framing_read(&framing, text,
					 sizeof(text) - 1, &whole, &err),
			APSP_EMALFORMED);
		if (strncmp(err.message, bytes[i].part,
			    strlen(bytes[i].part)) != 0)
			fail_msg("%s", err.message);
	}
}

/* before, n times middle, after. */
static struct verdict repeat(
	const char *before, const char *middle, size_t n, const char *after)
{
	size_t size = strlen(before) + n * strlen(middle) + strlen(after);
	char *text = malloc(size + 1), *at = text;
	struct verdict v, bytes;

	assert_non_null(text);
	at = stpcpy(at, before);
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, middle);
	stpcpy(at, after);
	bytes = read_pieces(text, size, 0, 1);
	v = read_pieces(text, size, 0, size);
	assert_true(is_same(&v, &bytes));
	free(text);
	return v;
}

static void test_sizes(void **state)
{
	const struct {
		const char *before, *middle, *after;
		size_t most; /* as many are taken, and one more is not */
		int code;
	} cases[] = {
		{"GET /", "a", " HTTP/1.1\r\n" HOST "\r\n",
			APSP_HEAD_MAX -
				strlen("GET / HTTP/1.1\r\n" HOST "\r\n"),
			HEAD},
		{GET "A: ", "b", "\r\n\r\n",
			APSP_HEAD_MAX - strlen(GET "A: \r\n\r\n"), HEAD},
		{GET, "A: b\r\n", "\r\n", APSP_FIELDS_MAX - 1, HEAD},
		{GET "Cookie: ", "b", "\r\n\r\n", APSP_COOKIE_MAX, HEAD},
		{GET "Cookie: a", ";a", "\r\n\r\n", APSP_PARTS_MAX, HEAD},
		{"GET /?a", "&a", " HTTP/1.1\r\n" HOST "\r\n",
			APSP_PARTS_MAX - 1, HEAD},
		{"M", "E", " / HTTP/1.1\r\n" HOST "\r\n", APSP_METHOD_MAX - 1,
			BAD},
		{CHUNKED "0;", "a", "\r\n\r\n",
			APSP_EXTENSION_MAX - strlen("0;\r"), BAD},
		{CHUNKED "0\r\nA: ", "b", "\r\n\r\n",
			APSP_TRAILER_MAX - strlen("A: \r\n\r\n"), HEAD},
		{CHUNKED "0\r\n", "A:b\r\n", "\r\n", APSP_FIELDS_MAX - 2, HEAD},
	};
	static char kilobyte[1025];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verdict v = repeat(cases[i].before, cases[i].middle,
			cases[i].most, cases[i].after);

		if (v.code != GOOD || v.n_requests != 1)
			fail_msg("%d for the most of %s", v.code,
				cases[i].before);
		v = repeat(cases[i].before, cases[i].middle, cases[i].most + 1,
			cases[i].after);
		if (v.code != cases[i].code || v.n_requests != 0)
			fail_msg("%d past the most of %s", v.code,
				cases[i].before);
	}
	/* the whole head, of several lines */
	memset(kilobyte, 'a', 1020);
	memcpy(kilobyte, "A: ", 3);
	memcpy(kilobyte + 1020, "\r\n", 3);
	assert_int_equal(repeat(GET, kilobyte, 15, "\r\n").code, GOOD);
	assert_int_equal(repeat(GET, kilobyte, 17, "\r\n").code, HEAD);
	/* chunks are counted one by one, and requests too */
	assert_int_equal(
		repeat(CHUNKED, "1;abcdefgh\r\nx\r\n", 9999, "0\r\n\r\n").code,
		GOOD);
	assert_int_equal(repeat("", GET "\r\n", 999, "").n_requests, 999);
}

/* Bodies are stepped over, not read: 2^64 - 1 bytes in pieces of any size. */
static void test_body(void **state)
{
	static char zeros[1 << 16];
	static const char head[] = LENGTH(" 18446744073709551615");
	struct apsp_framing framing;
	size_t whole;

	(void)state;
	apsp_framing_init(&framing);
	assert_int_equal(apsp_framing_read(&framing, head, sizeof(head) - 1,
				 &whole, NULL),
		0);
	assert_false(apsp_framing_in_head(&framing));
	for (int i = 0; i < 1000; i++)
		assert_int_equal(apsp_framing_read(&framing, zeros,
					 sizeof(zeros), &whole, NULL),
			0);
	assert_int_equal(whole, 0);
	assert_true(framing.left == UINT64_MAX - 1000 * sizeof(zeros));
}

/* A head that has begun and not ended has a time limit. */
static void test_in_head(void **state)
{
	static const char text[] = GET "\r\n";
	struct apsp_framing framing;
	size_t whole;

	(void)state;
	apsp_framing_init(&framing);
	assert_false(apsp_framing_in_head(&framing));
	for (size_t i = 0; i < sizeof(text) - 2; i++) {
		apsp_framing_read(&framing, text + i, 1, &whole, NULL);
		assert_true(apsp_framing_in_head(&framing));
	}
	apsp_framing_read(&framing, text + sizeof(text) - 2, 1, &whole, NULL);
	assert_false(apsp_framing_in_head(&framing));
	assert_int_equal(whole, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_url_bytes),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_body),
		cmocka_unit_test(test_in_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
