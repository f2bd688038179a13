/*
 * Count the requests that have ended, and write their lines in the log; see
 * request_end.h.
 *
 * In a line about a change, the client's texts are quoted, with " and
 * \ escaped, so that no client can forge a field. Rules are cut after
 * RULE_SHOWN bytes. The target and the message come last, so that a long target
 * or message cuts off no other field. A target has no blanks, so it needs no
 * quotes.
 */
#include "api/http/request_end.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/connection/connections.h"
#include "api/connection/suspended.h"
#include "api/encode/problem.h"
#include "api/http/internal.h"
#include "api/http/route.h"
#include "daemon/base/log.h"
#include "daemon/base/name.h"
#include "daemon/base/utf8.h"

enum {
	/* all HTTP statuses are below this number; status 0 stands for a
	   connection that ended before the answer */
	STATUSES = 600,
	CODES = 64, /* all error codes of daemon/base/codes.def, negated, are
		       below this number */
	QUOTES_SIZE = 6, /* bytes of two quotes, of "…" and of a NUL */
	/* bytes for a value in the log line of a change. The longest value has
	   quotes, and a backslash before each byte */
	VALUE_SIZE = 2 * APSP_NAME_SIZE,
	FIELDS_SIZE = 2 * (VALUE_SIZE + 16),
	PEER_SIZE = INET6_ADDRSTRLEN, /* bytes for an address as text */
	TARGET_SHOWN = 600,
	RULE_SHOWN = 400,
	RULE_SIZE = RULE_SHOWN + 24, /* bytes for the field of a rule */
};

#define CODE(code, number, name)                                               \
	_Static_assert((number) < 0 && (number) > -CODES, name);
#include "daemon/base/codes.def"
#undef CODE

/* The upper ends of the buckets in the histogram of request times. The last
   bucket has no upper end. */
static const int64_t bounds_ns[] = {100000, 300000, 1000000, 3000000, 10000000,
	30000000, 100000000, 1000000000, 10000000000};
static const char *const bounds_s[] = {
	"0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03", "0.1", "1", "10"};

enum {
	N_BOUNDS = sizeof(bounds_ns) / sizeof(*bounds_ns),
};

/* The counts of one route's requests, or of the requests without a route. */
struct counts {
	atomic_uint_fast64_t statuses[STATUSES];
	atomic_uint_fast64_t buckets[N_BOUNDS + 1];
	atomic_uint_fast64_t total_ns;
};

struct apsp_request_counts {
	const struct apsp_route *routes;
	size_t n_routes;
	atomic_uint_fast64_t problems[CODES]; /* indexed by negated codes */
	struct counts counts[]; /* an element for each route, then one for
				   requests without a route */
};

int apsp_request_counts_new(const struct apsp_route *routes,
	struct apsp_request_counts **out, struct apsp_err *err)
{
	struct apsp_request_counts *all;
	size_t n = 0;

	while (routes[n].pattern)
		n++;
	all = calloc(1, sizeof(*all) + (n + 1) * sizeof(*all->counts));
	if (!all)
		return apsp_fail(err, APSP_ENOMEM, "no memory for counts");
	all->routes = routes;
	all->n_routes = n;
	*out = all;
	return 0;
}

void apsp_request_counts_free(struct apsp_request_counts *all)
{
	free(all);
}

static void add(atomic_uint_fast64_t *count, uint64_t n)
{
	atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

void apsp_request_counts_add(struct apsp_request_counts *all,
	const struct apsp_route *route, unsigned int status, int code,
	int64_t took_ns)
{
	size_t at = route ? (size_t)(route - all->routes) : all->n_routes;
	struct counts *own = &all->counts[at];
	size_t bucket = 0;

	while (bucket < N_BOUNDS && took_ns > bounds_ns[bucket])
		bucket++;
	add(&own->statuses[status < STATUSES ? status : 0], 1);
	add(&own->buckets[bucket], 1);
	add(&own->total_ns, took_ns > 0 ? (uint64_t)took_ns : 0);
	if (code < 0 && code > -CODES)
		add(&all->problems[-code], 1);
}

static uint64_t get(const atomic_uint_fast64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

/* Returns a route's label in /metrics. The label is the route's pattern.
   Patterns and methods have no characters that need an escape in labels. */
static const char *pattern_of(const struct apsp_request_counts *all, size_t at)
{
	return at < all->n_routes ? all->routes[at].pattern : "none";
}

static const char *method_of(const struct apsp_request_counts *all, size_t at)
{
	return at < all->n_routes ? apsp_method_names[all->routes[at].method]
				  : "none";
}

static void histogram_write(
	const struct apsp_request_counts *all, size_t at, struct apsp_text *out)
{
	const struct counts *own = &all->counts[at];
	const char *pattern = pattern_of(all, at);
	const char *method = method_of(all, at);
	uint64_t n = 0;

	for (size_t i = 0; i <= N_BOUNDS; i++) {
		n += get(&own->buckets[i]);
		apsp_text_printf(out,
			"apspd_request_seconds_bucket{method=\"%s\",route="
			"\"%s\",le=\"%s\"} %" PRIu64 "\n",
			method, pattern, i < N_BOUNDS ? bounds_s[i] : "+Inf",
			n);
	}
	apsp_text_printf(out,
		"apspd_request_seconds_sum{method=\"%s\",route=\"%s\"} %.9f\n"
		"apspd_request_seconds_count{method=\"%s\",route=\"%s\"} "
		"%" PRIu64 "\n",
		method, pattern, (double)get(&own->total_ns) / 1e9, method,
		pattern, n);
}

static void connections_write(
	const struct apsp_server *server, struct apsp_text *out)
{
	const struct apsp_connections_counts counts =
		apsp_connections_count(server->connections);
	uint32_t n_waiting = apsp_suspended_count(server->suspended);

	if (n_waiting > counts.n_busy) /* some requests began to wait after
					  apsp_connections_count(), so report at
					  most n_busy waiting requests */
		n_waiting = counts.n_busy;
	apsp_text_printf(out,
		"# HELP apspd_connections Open connections. idle: without a "
		"request; waiting: with a request that waits for a job or for "
		"the database; busy: with another request.\n"
		"# TYPE apspd_connections gauge\n"
		"apspd_connections{state=\"idle\"} %" PRIu32 "\n"
		"apspd_connections{state=\"busy\"} %" PRIu32 "\n"
		"apspd_connections{state=\"waiting\"} %" PRIu32 "\n",
		counts.n_open - counts.n_busy, counts.n_busy - n_waiting,
		n_waiting);
	apsp_text_printf(out,
		"# HELP apspd_connections_limit Connections that may be open. "
		"If all are open, an idle connection is closed for a new one, "
		"or the new one is refused.\n"
		"# TYPE apspd_connections_limit gauge\n"
		"apspd_connections_limit %" PRIu32 "\n"
		"# HELP apspd_connections_taken_total Connections that got a "
		"place.\n"
		"# TYPE apspd_connections_taken_total counter\n"
		"apspd_connections_taken_total %" PRIu64 "\n"
		"# HELP apspd_connections_refused_total Connections that got "
		"503, because the limit of connections was reached.\n"
		"# TYPE apspd_connections_refused_total counter\n"
		"apspd_connections_refused_total %" PRIu64 "\n"
		"# HELP apspd_connections_closed_total Connections that the "
		"daemon closed. room: for a new connection; deadline: a "
		"deadline had passed; yielded: a slow client held memory or a "
		"place that another request needed.\n"
		"# TYPE apspd_connections_closed_total counter\n"
		"apspd_connections_closed_total{reason=\"room\"} %" PRIu64 "\n"
		"apspd_connections_closed_total{reason=\"deadline\"} "
		"%" PRIu64 "\n"
		"apspd_connections_closed_total{reason=\"yielded\"} "
		"%" PRIu64 "\n",
		counts.max_open, counts.n_taken, counts.n_refused,
		counts.n_evicted, counts.n_late, counts.n_yielded);
}

void apsp_request_counts_write(
	const struct apsp_request *req, struct apsp_text *out)
{
	const struct apsp_request_counts *all = req->server->counts;
	const struct apsp_problem_type *type;

	apsp_text_printf(out,
		"# HELP apspd_requests_total Requests that have ended, by "
		"status; 0: the client left before its answer.\n"
		"# TYPE apspd_requests_total counter\n");
	for (size_t at = 0; at <= all->n_routes; at++)
		for (unsigned int s = 0; s < STATUSES; s++) {
			uint64_t n = get(&all->counts[at].statuses[s]);

			if (n > 0)
				apsp_text_printf(out,
					"apspd_requests_total{method=\"%s\","
					"route=\"%s\",status=\"%u\"} %" PRIu64
					"\n",
					method_of(all, at), pattern_of(all, at),
					s, n);
		}
	apsp_text_printf(out,
		"# HELP apspd_request_seconds From the request line to the "
		"end of the answer.\n"
		"# TYPE apspd_request_seconds histogram\n");
	for (size_t at = 0; at <= all->n_routes; at++)
		histogram_write(all, at, out);
	/* `status` is a label, too, because two error codes with the same name
	   may have different statuses */
	apsp_text_printf(out,
		"# HELP apspd_problems_total Requests and connections that "
		"were refused or failed, by the problem's type.\n"
		"# TYPE apspd_problems_total counter\n");
	for (type = apsp_problem_types; type->code; type++)
		apsp_text_printf(out,
			"apspd_problems_total{type=\"%s\",status=\"%u\"} "
			"%" PRIu64 "\n",
			apsp_code_name(type->code), type->status,
			get(&all->problems[-type->code]));
	connections_write(req->server, out);
}

/* Write a text in quotes, with " and \ escaped. If the escaped text is longer
   than `max` bytes, it is cut, and ends with "…". At most max + QUOTES_SIZE
   bytes are written. */
static void quoted_write(const char *text, size_t max, char *out)
{
	size_t size = 0;
	bool cut;

	for (size_t used = 0; text[size]; size++) {
		used += 1 + (text[size] == '"' || text[size] == '\\');
		if (used > max)
			break;
	}
	cut = text[size] != '\0';
	if (cut)
		size = apsp_utf8_cut(text, size);
	*out++ = '"';
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"' || text[i] == '\\')
			*out++ = '\\';
		*out++ = text[i];
	}
	strcpy(out, cut ? "…\"" : "\"");
}

/* Write the value of a field of a log line: "-" if the text is empty, the text
   itself if it is a valid name, else the text in quotes. */
static void value_write(const char *text, char out[VALUE_SIZE])
{
	struct apsp_excerpt excerpt;

	if (!*text || apsp_name_valid(text)) {
		snprintf(out, VALUE_SIZE, "%s", *text ? text : "-");
		return;
	}
	if (strlen(text) >= APSP_TOKEN_NAME_SIZE) {
		excerpt = apsp_excerpt_of(text, strlen(text));
		text = excerpt.text;
	}
	quoted_write(text, VALUE_SIZE - QUOTES_SIZE, out);
}

static size_t field_write(char *out, size_t room, const char *name,
	int name_size, const char *text)
{
	char value[VALUE_SIZE];
	int size;

	value_write(text, value);
	size = snprintf(out, room, " %.*s=%s", name_size, name, value);
	return (size_t)size < room ? (size_t)size : 0;
}

/* Write the fields that name the changed object, as " graph=… profile=…". The
   word inside each {…} of the route's pattern is the name of a field. */
static void subject_write(
	const struct apsp_request *req, char out[FIELDS_SIZE + VALUE_SIZE])
{
	const struct apsp_change *change = &req->change;
	const char *at = req->route->pattern;
	const size_t room = FIELDS_SIZE + VALUE_SIZE;
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < req->n_params && (at = strchr(at, '{')); i++) {
		int size = (int)strcspn(++at, "}");

		used += field_write(
			out + used, room - used, at, size, req->params[i]);
	}
	if (*change->graph)
		used += field_write(
			out + used, room - used, "graph", 5, change->graph);
	if (*change->profile)
		field_write(
			out + used, room - used, "profile", 7, change->profile);
}

static void rule_write(const char *name, const char *rule, char out[RULE_SIZE])
{
	int used = snprintf(out, RULE_SIZE, " %s=", name);

	quoted_write(rule, RULE_SHOWN, out + used);
}

/* Write the client's address. For a unix socket, write "unix". */
static void peer_write(const struct apsp_peer *peer, char out[PEER_SIZE])
{
	if (peer->family == AF_UNIX ||
		!inet_ntop(peer->family, peer->address, out, PEER_SIZE))
		strcpy(out, "unix");
}

/*
 * Write the log line of a request whose route changes something: such a route
 * has a scope above APSP_SCOPE_READ. False: nothing was written, because the
 * route changes nothing, or because the request had no valid token.
 */
static bool change_log(
	const struct apsp_request *req, double ms, const char *end)
{
	const struct apsp_change *change = &req->change;
	const struct apsp_exchange *x = req->exchange;
	const char *after = change->before;
	bool failed = req->err.code != 0;
	const struct apsp_change_rules *rules = change->rules;
	char rule_before[RULE_SIZE] = "", rule_after[RULE_SIZE] = "";
	char subject[FIELDS_SIZE + VALUE_SIZE], token[VALUE_SIZE];
	char peer[PEER_SIZE];

	/* do not log requests without a valid token: anybody who can connect
	   could send a million of them, and the journal drops lines of a
	   service that writes too many lines */
	if (!req->route || req->route->scope < APSP_SCOPE_WRITE ||
		req->err.code == APSP_EUNAUTHORIZED)
		return false;
	subject_write(req, subject);
	if (change->made && (change->deleted || *change->after))
		after = change->after;
	if (change->made && rules && *rules->before && *rules->after &&
		strcmp(rules->before, rules->after) != 0) {
		rule_write("rule_before", rules->before, rule_before);
		rule_write("rule_after", rules->after, rule_after);
	}
	value_write(x->token, token);
	peer_write(&x->conn->peer, peer);
	apsp_log_always(req->status >= MHD_HTTP_INTERNAL_SERVER_ERROR
				? APSP_LOG_WARNING
				: APSP_LOG_NOTICE,
		"%s id=%s token=%s peer=%s%s before=%s after=%s status=%u "
		"ms=%.1f %s method=%s%s%s target=%.*s%s%s%s%s",
		change->made ? "changed" : "change refused", req->id, token,
		peer, subject, *change->before ? change->before : "-",
		*after ? after : "-", req->status, ms, end, x->method,
		rule_before, rule_after, TARGET_SHOWN, x->target,
		failed ? " error=" : "",
		failed ? apsp_code_name(req->err.code) : "", failed ? ": " : "",
		failed ? req->err.message : "");
	return true;
}

void apsp_request_ended(
	const struct apsp_request *req, int64_t now_ns, const char *end)
{
	const struct apsp_settings *settings = req->config->settings;
	int level = settings->access_log ? APSP_LOG_INFO : APSP_LOG_DEBUG;
	const struct apsp_exchange *x = req->exchange;
	double ms = (double)(now_ns - req->started_ns) / 1e6;

	apsp_request_counts_add(req->server->counts, req->route, req->status,
		req->status >= MHD_HTTP_BAD_REQUEST ? req->err.code : 0,
		now_ns - req->started_ns);
	if (req->method != APSP_METHOD_GET && change_log(req, ms, end))
		return;
	if (req->status == MHD_HTTP_INTERNAL_SERVER_ERROR ||
		req->status == MHD_HTTP_INSUFFICIENT_STORAGE)
		apsp_log(APSP_LOG_WARNING,
			"request failed id=%s method=%s target=%s status=%u "
			"ms=%.1f error=%s: %s",
			req->id, x->method, x->target, req->status, ms,
			apsp_code_name(req->err.code), req->err.message);
	else if (level <= settings->log_level)
		apsp_log(level,
			"request id=%s method=%s target=%s status=%u ms=%.1f "
			"%s",
			req->id, *x->method ? x->method : "-", x->target,
			req->status, ms, end);
}
