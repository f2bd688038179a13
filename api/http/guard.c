/*
 * The guard; see guard.h. api/connection/framing.c has already refused
 * ambiguous heads, so a head has at most one Host.
 */
#include "api/http/guard.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "api/access/tokens.h"
#include "api/connection/connection.h"
#include "api/http/internal.h"
#include "api/http/negotiate.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/route.h"
#include "daemon/base/auto.h"
#include "daemon/base/host.h"

/* The headers that a page of an allowed origin is allowed to send, besides the
   simple headers (CORS), which every page can send without a preflight. */
#define PREFLIGHT_HEADERS                                                      \
	"Authorization, Content-Encoding, Content-Type, If-Match, "            \
	"If-None-Match, If-Range, Range"
#define PREFLIGHT_KEPT_S                                                       \
	"600" /* longest time, in seconds, for which a browser keeps a         \
		 preflight's answer */

/* Whether `name` is a numeric loopback address or, if `any` is true, any
   numeric address. */
static bool is_address(const char *name, bool any)
{
	static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
	struct in6_addr v6;
	struct in_addr v4;
	char text[64];
	size_t size = strlen(name);

	if (inet_pton(AF_INET, name, &v4) == 1)
		return any || ntohl(v4.s_addr) >> 24 == 127;
	if (name[0] != '[' || size - 2 >= sizeof(text))
		return false;
	memcpy(text, name + 1, size - 2);
	text[size - 2] = '\0';
	return inet_pton(AF_INET6, text, &v6) == 1 &&
	       (any || memcmp(&v6, &loopback, sizeof(v6)) == 0);
}

static int check_host(
	const struct apsp_request *req, const char *host, struct apsp_err *err)
{
	const struct apsp_texts *allowed =
		&req->config->settings->allowed_hosts;
	size_t size = host ? apsp_host_size(host) : 0;
	char name[256];

	if (!host && req->exchange->conn->peer.family == AF_UNIX)
		return 0;
	if (!host)
		return apsp_fail(
			err, APSP_EMISDIRECTED, "there is no Host header");
	if (size > 0 && size < sizeof(name)) {
		memcpy(name, host, size);
		name[size] = '\0';
		/* accept localhost and addresses: an attacker can make a
		   foreign name resolve to us, but cannot change where localhost
		   or an address leads */
		if (strcasecmp(name, "localhost") == 0 ||
			is_address(name, req->config->tokens != NULL))
			return 0;
		/* an allowed host of the settings has the form HOST or
		   HOST:PORT, so it is compared with the Host both without and
		   with the port */
		for (size_t i = 0; i < allowed->n; i++)
			if (strcasecmp(allowed->items[i], name) == 0 ||
				strcasecmp(allowed->items[i], host) == 0)
				return 0;
	}
	return apsp_fail(err, APSP_EMISDIRECTED,
		"'%s' is not a host of this daemon; --allowed-host "
		"makes it one",
		host);
}

/* Whether the text is HOST or HOST:PORT. URLs and wildcards are not
   accepted. */
static bool is_host(const char *text)
{
	return apsp_host_size(text) > 0 && !strpbrk(text, "/?#@* ");
}

int apsp_guard_settings(
	const struct apsp_settings *settings, struct apsp_err *err)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_~/.";
	const struct apsp_texts *hosts = &settings->allowed_hosts;
	const struct apsp_texts *origins = &settings->allowed_origins;
	const char *base = settings->base_path;

	if (base && (base[0] != '/' || base[strlen(base) - 1] == '/' ||
			    strstr(base, "//") || strstr(base, "/.") ||
			    base[strspn(base, plain)] != '\0'))
		return apsp_fail(err, APSP_EMALFORMED,
			"--base-path is a path such as /apspd, with a slash in "
			"front and none behind, not '%.80s'",
			base);
	for (size_t i = 0; i < hosts->n; i++)
		if (!is_host(hosts->items[i]))
			return apsp_fail(err, APSP_EMALFORMED,
				"--allowed-host is a host, such as lab.example "
				"or lab.example:8080, not '%.80s'",
				hosts->items[i]);
	for (size_t i = 0; i < origins->n; i++) {
		const char *authority = apsp_host_in_url(origins->items[i]);

		if (!authority || !is_host(authority))
			return apsp_fail(err, APSP_EMALFORMED,
				"--allowed-origin is a scheme, a host and its "
				"port, such as http://dashboard:3000, not "
				"'%.80s'",
				origins->items[i]);
	}
	return 0;
}

/*
 * Refuse a request that a page of another site makes through its visitor's
 * browser, unless the page's origin is allowed.
 */
static int check_origin(
	struct apsp_request *req, const char *host, struct apsp_err *err)
{
	const char *origin = apsp_request_header(req, "Origin");
	const struct apsp_texts *allowed =
		&req->config->settings->allowed_origins;
	const char *authority = origin ? apsp_host_in_url(origin) : NULL;

	if (!origin || (authority && host && strcasecmp(authority, host) == 0))
		return 0;
	for (size_t i = 0; i < allowed->n; i++) {
		if (strcasecmp(allowed->items[i], origin) != 0)
			continue;
		req->exchange->origin = allowed->items[i];
		return 0;
	}
	return apsp_fail(err, APSP_EFORBIDDEN,
		"pages of '%s' may not use this daemon; --allowed-origin lets "
		"them",
		origin);
}

static int check_target(const struct apsp_request *req, const char *method,
	const char *host, struct apsp_err *err)
{
	const char *target = req->exchange->target;
	const char *authority = apsp_host_in_url(target);

	if (strcasestr(target, "%00"))
		return apsp_fail(err, APSP_EMALFORMED, "the URL has a %%00");
	if (target[0] == '/' || strcmp(target, "*") == 0 ||
		strcmp(method, "CONNECT") == 0)
		return 0;
	if (authority && host) {
		size_t size = strcspn(authority, "/?");

		if (size == strlen(host) &&
			strncasecmp(authority, host, size) == 0)
			return 0;
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"the request's target is neither a path nor a URL of its Host");
}

static bool is_own(const struct apsp_request *req)
{
	return req->exchange->conn->trusted;
}

/* Check that the request's token has at least the scope that the request's
   route needs. If the server was started without tokens, every request is
   allowed. */
static int check_scope(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_tokens *tokens = req->config->tokens;
	enum apsp_scope need = req->route->scope, have;
	struct apsp_bearer bearer;
	int r;

	if (!tokens || need == APSP_SCOPE_ANYBODY || is_own(req))
		return 0;
	bearer = apsp_tokens_judge(
		tokens, apsp_request_header(req, "Authorization"));
	have = bearer.scope;
	memcpy(req->exchange->token, bearer.name, sizeof(bearer.name));
	if (have >= need)
		return 0;
	if (have != APSP_SCOPE_ANYBODY)
		return apsp_fail(err, APSP_EFORBIDDEN,
			"this token's scope is '%s', but the request needs "
			"'%s'",
			apsp_scope_names[have], apsp_scope_names[need]);
	r = apsp_reply_header(
		req, "WWW-Authenticate", "Bearer realm=\"apspd\"", err);
	if (r < 0)
		return r;
	return apsp_fail(err, APSP_EUNAUTHORIZED,
		"send \"Authorization: Bearer TOKEN\" with a token of this "
		"daemon; whoever runs it can make one with --new-token");
}

/*
 * If the daemon could not open the store, refuse each request that needs a
 * token. Exactly these requests need the store. If the daemon follows another
 * daemon, refuse each request that would change something, except on a
 * connection that the daemon itself has made for its child process
 * (connection.h, `trusted`).
 */
static int check_store(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_err *why = req->config->refusal;
	const char *writer = req->config->settings->follow;

	if (why && req->route->scope != APSP_SCOPE_ANYBODY)
		return apsp_fail(err, why->code, "%s", why->message);
	if (!writer || req->route->scope <= APSP_SCOPE_READ || is_own(req))
		return 0;
	apsp_request_extra(req, json_pack("{s:s}", "writer", writer));
	return apsp_fail(err, APSP_EREADONLY,
		"this apspd follows %s, and changes nothing by itself", writer);
}

bool apsp_guard_is_admin(const struct apsp_request *req)
{
	struct apsp_tokens *tokens = req->config->tokens;

	return !tokens || is_own(req) ||
	       apsp_tokens_judge(
		       tokens, apsp_request_header(req, "Authorization"))
			       .scope == APSP_SCOPE_ADMIN;
}

/* Returns the part of a path behind the base path, or the whole path if it
   does not begin with the base path. */
static const char *behind_base(const char *path, const char *base_path)
{
	size_t size = base_path ? strlen(base_path) : 0;

	if (size == 0 || strncmp(path, base_path, size) != 0 ||
		(path[size] != '/' && path[size] != '\0' && path[size] != '?'))
		return path;
	return path + size;
}

/* Returns the path and the query of a target. If the target is a URL, its
   scheme and its host are skipped. */
static const char *path_of(const char *target)
{
	const char *start = apsp_host_in_url(target);

	if (start)
		return start + strcspn(start, "/?");
	return target[0] == '/' ? target : "*"; /* "*" means the whole server */
}

const char *apsp_guard_bare_base(const struct apsp_request *req)
{
	const char *path = path_of(req->exchange->target);
	const char *rest = behind_base(path, req->config->settings->base_path);

	return rest == path || *rest == '/' ? NULL : rest;
}

/*
 * Add the headers that say which requests a page of an allowed origin is
 * allowed to send to this path. `methods` is the text of the Allow header.
 */
static int preflight_allow(
	struct apsp_request *req, const char *methods, struct apsp_err *err)
{
	int r;

	req->exchange->preflight = true;
	r = apsp_reply_header(
		req, "Access-Control-Allow-Methods", methods, err);
	if (r == 0)
		r = apsp_reply_header(req, "Access-Control-Allow-Headers",
			PREFLIGHT_HEADERS, err);
	if (r == 0)
		r = apsp_reply_header(
			req, "Access-Control-Max-Age", PREFLIGHT_KEPT_S, err);
	return r;
}

/* Refuse If-Match and If-None-Match if the route's answers have no ETag. */
static int check_conditions(
	const struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_route *route = req->route;
	const char *name = NULL;

	if (route->has_etag || !route->arguments)
		return 0;
	if (apsp_request_header(req, "If-Match"))
		name = "If-Match";
	else if (req->method != APSP_METHOD_GET &&
		 apsp_request_header(req, "If-None-Match"))
		name = "If-None-Match";
	if (!name)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s has no ETag that %s could name; leave the header out",
		route->pattern, name);
}

/* Find the route, and check that the token's scope and the state of the store
   allow the request. */
static int find_route(
	struct apsp_request *req, const char *method, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *allow = NULL;
	APSP_AUTO(apsp_free) char *path = NULL;
	/* skip the base path, unless a proxy has removed it */
	const char *start = behind_base(path_of(req->exchange->target),
		req->config->settings->base_path);
	int r;

	if (*start != '/' && *start != '*')
		path = strdup("/"); /* the target is a URL without a path, such
				       as http://host */
	else
		path = strndup(start, strcspn(start, "?"));
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	r = apsp_route_find(req, method, path, &allow, err);
	/* answer a preflight: the browser asks whether a page of an allowed
	   origin is allowed to send its request (CORS,
	   https://fetch.spec.whatwg.org/) */
	if (r == APSP_EMETHOD && req->exchange->origin &&
		strcmp(method, "OPTIONS") == 0 &&
		apsp_request_header(req, "Access-Control-Request-Method"))
		return preflight_allow(req, allow, err);
	if (r == APSP_EMETHOD && allow)
		apsp_reply_header(req, "Allow", allow, NULL);
	if (r == 0)
		r = check_scope(req, err);
	return r < 0 ? r : check_store(req, err);
}

int apsp_guard_head(
	struct apsp_request *req, const char *method, struct apsp_err *err)
{
	const char *expect = apsp_request_header(req, "Expect");
	const char *host = apsp_request_header(req, "Host");
	const char *accept;
	size_t at = 0;
	int r;

	if (expect && strcasecmp(expect, "100-continue") != 0)
		r = apsp_fail(err, APSP_EMALFORMED,
			"Expect may be 100-continue and nothing else");
	else
		r = check_target(req, method, host, err);
	if (r == 0)
		r = check_host(req, host, err);
	if (r == 0)
		r = check_origin(req, host, err);
	/* close the connection after a malformed head, because nobody knows
	   where the next request begins */
	req->exchange->close = r == APSP_EMALFORMED;
	if (r == 0)
		r = find_route(req, method, err);
	if (r < 0 || req->exchange->preflight)
		return r;
	r = apsp_query_parse(req, req->route->arguments, err);
	if (r == 0)
		r = check_conditions(req, err);
	if (r < 0)
		return r;
	if (req->route->formats) /* the first format of the set is the
	default */
		req->format = (enum apsp_reply_format)__builtin_ctz(
			req->route->formats);
	/* most requests have one Accept for any type, or none */
	accept = apsp_request_header_next(req, "Accept", &at);
	if (apsp_query_get(req, "format") ||
		(accept &&
			(strcmp(accept, "*/*") != 0 ||
				apsp_request_header_next(req, "Accept", &at))))
		return apsp_negotiate_format(req, err);
	return 0;
}
