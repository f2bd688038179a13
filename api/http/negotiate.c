/*
 * Choose a format, by ?format= or Accept (RFC 9110, section 12.5.1), and a
 * compression, by Accept-Encoding.
 */
#include "api/http/negotiate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/http/query.h"
#include "api/http/route.h"

/* Returns how closely a media range of Accept matches a media type. 0: it does
   not match; 1: the range is "any type"; 2: the range is "any type of this
   kind", such as all "text/" types; 3: the types are the same. */
static int range_matches(const char *range, size_t size, const char *type)
{
	if (size == strlen(type) && strncasecmp(range, type, size) == 0)
		return 3;
	if (size > 2 && range[size - 1] == '*' && range[size - 2] == '/' &&
		strncasecmp(range, type, size - 1) == 0)
		return 2;
	return size == 3 && memcmp(range, "*/*", 3) == 0;
}

/* A media range or a coding that a request accepts. */
struct accepted {
	int match;	/* how closely it matches (range_matches()) */
	double quality; /* its q= */
};

/* Find in one value of an Accept header the range that matches a media type
   more closely than *best, and store it in *best. */
static void accept_read(
	const char *accept, const char *type, struct accepted *best)
{
	while (*accept) {
		size_t size = strcspn(accept, ",");
		size_t name = strspn(accept, " \t");
		size_t name_size = strcspn(accept + name, " \t;,");
		int match = range_matches(accept + name, name_size, type);

		if (match > best->match) {
			const char *q = strcasestr(accept, ";q=");
			const char *q2 = strcasestr(accept, "; q=");

			if (q2 && (!q || q2 < q))
				q = q2 + 1;
			best->match = match;
			best->quality = q && q < accept + size
						? strtod(q + 3, NULL)
						: 1;
		}
		accept += size;
		accept += *accept == ',';
	}
}

/* Returns the quality (q=) that a request's Accept or Accept-Encoding headers
   give to a media type or a coding, by the range that matches it most closely;
   0: not accepted. */
static double quality(
	const struct apsp_request *req, const char *header, const char *type)
{
	struct accepted best = {0, 0};
	const char *value;
	size_t at = 0;

	while ((value = apsp_request_header_next(req, header, &at)))
		accept_read(value, type, &best);
	return best.quality;
}

enum apsp_packing apsp_negotiate_packing(
	const struct apsp_request *req, bool zstd_only)
{
	static const char header[] = "Accept-Encoding";
	double gzip, zstd;

	if (!apsp_request_header(req, header) ||
		apsp_request_header(req, "Range"))
		return APSP_PACKING_IDENTITY;
	gzip = zstd_only ? 0 : quality(req, header, "gzip");
	zstd = quality(req, header, "zstd");
	if (zstd > 0 && zstd >= gzip)
		return APSP_PACKING_ZSTD;
	return gzip > 0 ? APSP_PACKING_GZIP : APSP_PACKING_IDENTITY;
}

bool apsp_negotiate_gzip(const struct apsp_request *req)
{
	return quality(req, "Accept-Encoding", "gzip") > 0;
}

/* Write the names of a set of formats, such as "json, csv or npy". If `types`
   is true, write their media types instead. */
static void list_formats(unsigned int set, bool types, char *out, size_t room)
{
	size_t n = 0;

	*out = '\0';
	for (int f = 0; f < APSP_N_REPLY_FORMATS; f++) {
		if (!(set & 1u << f))
			continue;
		set &= ~(1u << f);
		n += (size_t)snprintf(out + n, n < room ? room - n : 0, "%s%s",
			types ? apsp_reply_formats[f].type
			      : apsp_reply_formats[f].name,
			set == 0		 ? ""
			: (set & (set - 1)) == 0 ? " or "
						 : ", ");
		if (n >= room)
			return;
	}
}

/* Choose the format that ?format= names. */
static int named(struct apsp_request *req, const char *format, unsigned int set,
	struct apsp_err *err)
{
	char names[64];

	for (int f = 0; f < APSP_N_REPLY_FORMATS; f++) {
		if (!(set & 1u << f) ||
			strcmp(format, apsp_reply_formats[f].name) != 0)
			continue;
		req->format = (enum apsp_reply_format)f;
		return 0;
	}
	list_formats(set, false, names, sizeof(names));
	return apsp_fail(err, APSP_EMALFORMED,
		"format: found '%s', expected %s", format, names);
}

int apsp_negotiate_format(struct apsp_request *req, struct apsp_err *err)
{
	const char *format = apsp_query_get(req, "format");
	const char *accept = apsp_request_header(req, "Accept");
	unsigned int set =
		req->route->formats ? req->route->formats : APSP_REPLIES_JSON;
	char types[128];
	double best = 0;

	/* in an upload, ?format= is the format of the body, so it does not
	   choose the format of the answer */
	if (format && req->method != APSP_METHOD_PUT)
		return named(req, format, set, err);
	if (!accept || set == APSP_REPLIES_FILE)
		return 0;
	for (int f = 0; f < APSP_N_REPLY_FORMATS; f++) {
		double q = set & 1u << f ? quality(req, "Accept",
						   apsp_reply_formats[f].type)
					 : 0;

		if (q <= best)
			continue;
		best = q;
		req->format = (enum apsp_reply_format)f;
	}
	if (best > 0 || quality(req, "Accept", "application/problem+json") > 0)
		return 0;
	list_formats(set, true, types, sizeof(types));
	return apsp_fail(err, APSP_ENOTACCEPTABLE,
		"the answer can be %s, but Accept is '%s'", types, accept);
}
