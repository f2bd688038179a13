/*
 * Routing of raw paths, decoding, and the query.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/endpoints/endpoints.h"
#include "api/http/internal.h"
#include "api/http/query.h"
#include "api/http/route.h"

static struct apsp_server server = {.config.routes = apsp_endpoints};

static struct apsp_request *request(const char *target)
{
	struct apsp_request *req = apsp_request_new(&server, target);

	assert_non_null(req);
	return req;
}

/* Route one path; the pattern, or the error's name. */
static const char *route(const char *method, const char *path,
	char params[2][64], char allow[64])
{
	struct apsp_request *req = request(path);
	struct apsp_err err = {0};
	char *out_allow = NULL;
	const char *what;
	int r;

	r = apsp_route_find(req, method, path, &out_allow, &err);
	what = r < 0 ? apsp_code_name(r) : req->route->pattern;
	memset(params, 0, 2 * sizeof(params[0]));
	for (size_t i = 0; r == 0 && i < req->n_params; i++)
		strncpy(params[i], req->params[i], 63);
	memset(allow, 0, 64);
	if (out_allow)
		strncpy(allow, out_allow, 63);
	free(out_allow);
	apsp_request_free(req);
	return what;
}

static void test_routes(void **state)
{
	static const struct {
		const char *method, *path, *want, *first, *second;
	} cases[] = {
		{"GET", "/healthz", "/healthz", "", ""},
		{"HEAD", "/healthz", "/healthz", "", ""},
		{"GET", "/v1/graphs", "/v1/graphs", "", ""},
		{"GET", "/v1/graphs/a", "/v1/graphs/{graph}", "a", ""},
		{"GET", "/v1/graphs/a/vertices/x%2Fy%20%C3%A9+/reachable",
			"/v1/graphs/{graph}/vertices/{vertex}/reachable", "a",
			"x/y \xc3\xa9+"},
		{"GET", "/v1/graphs/a%2Fpath", "/v1/graphs/{graph}", "a/path",
			""},
		{"GET", "/v1/jobs/17", "/v1/jobs/{job}", "17", ""},
		{"GET", "/", "/", "", ""},
		{"GET", "//", "not-found", "", ""},
		{"GET", "", "not-found", "", ""},
		{"GET", "/v1/graphs/", "not-found", "", ""},
		{"GET", "/v1//a", "not-found", "", ""},
		{"GET", "/v1/graphs/a/path/", "not-found", "", ""},
		{"GET", "/v1/graphs/a/path/b", "not-found", "", ""},
		{"GET", "/v1/graph", "not-found", "", ""},
		{"GET", "/V1/graphs", "not-found", "", ""},
		{"GET", "/v1/graphs/%00", "malformed-request", "", ""},
		{"GET", "/v1/graphs/%4", "malformed-request", "", ""},
		{"GET", "/v1/graphs/%g0", "malformed-request", "", ""},
		{"GET", "/v1/graphs/%c3", "malformed-request", "", ""},
		{"GET", "/v1/graphs/%c0%af", "malformed-request", "", ""},
		{"GET", "/v1/graphs/%ed%a0%80", "malformed-request", "", ""},
		{"PATCH", "/v1/graphs", "method-not-allowed", "", ""},
		{"get", "/healthz", "method-not-allowed", "", ""},
		{"BREW", "/nowhere", "not-found", "", ""},
	};
	char params[2][64], allow[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(
			route(cases[i].method, cases[i].path, params, allow),
			cases[i].want);
		assert_string_equal(params[0], cases[i].first);
		assert_string_equal(params[1], cases[i].second);
	}
	route("POST", "/v1/graphs/a", params, allow);
	assert_string_equal(allow, "GET, HEAD, PUT, PATCH, DELETE");
	route("OPTIONS", "*", params, allow);
	assert_string_equal(allow, "GET, HEAD, PUT, POST, PATCH, DELETE");
}

static void test_nearest(void **state)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{"/v1/graph/larva", "no route /v1/graph/larva; nearest: "
				    "/v1/graphs/{graph}"},
		{"/v1/graphs/larva/pth",
			"no route /v1/graphs/larva/pth; nearest: "
			"/v1/graphs/{graph}/path"},
		{"/v1/graphs/larva/vertex/29/arc",
			"no route /v1/graphs/larva/vertex/29/arc; nearest: "
			"/v1/graphs/{graph}/vertices/{vertex}/arcs"},
		{"/graphs", "no route /graphs; nearest: /v1/graphs"},
		{"/graphs/larva/paht", "no route /graphs/larva/paht; nearest: "
				       "/v1/graphs/{graph}/path"},
		{"/v1/graphs/", "no route /v1/graphs/; nearest: /v1/graphs"},
		{"/metric", "no route /metric; nearest: /metrics"},
		{"/x", "no route /x; nearest: /"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct apsp_request *req = request(cases[i].path);
		struct apsp_err err = {0};
		char *allow = NULL;

		assert_int_equal(apsp_route_find(req, "GET", cases[i].path,
					 &allow, &err),
			APSP_ENOROUTE);
		assert_string_equal(err.message, cases[i].want);
		apsp_request_free(req);
	}
}

static int parse(struct apsp_request *req, const char *const *names)
{
	return apsp_query_parse(req, names, NULL);
}

static void test_query(void **state)
{
	static const char *const known[] = {"a", "b", "c", "n", NULL};
	static const char *const bad[] = {"/?a=%00", "/?a=1&a=2", "/?%61=1&a=2",
		"/?a=%", "/?a=%ff", NULL};
	struct apsp_request *req;
	uint64_t n;

	(void)state;
	req = request("/x?a=1+2%2B3&&b&c=%26%3d=&n=70&d=?/");
	assert_int_equal(parse(req, NULL), 0);
	assert_string_equal(apsp_query_get(req, "a"), "1 2+3");
	assert_string_equal(apsp_query_get(req, "b"), "");
	assert_string_equal(apsp_query_get(req, "c"), "&==");
	assert_string_equal(apsp_query_get(req, "d"), "?/");
	assert_null(apsp_query_get(req, "e"));
	assert_int_equal(apsp_query_uint(req, "n", 1, 70, 5, &n, NULL), 0);
	assert_int_equal(n, 70);
	assert_int_equal(
		apsp_query_uint(req, "n", 1, 69, 5, &n, NULL), APSP_EMALFORMED);
	assert_int_equal(
		apsp_query_uint(req, "a", 0, 9, 5, &n, NULL), APSP_EMALFORMED);
	assert_int_equal(apsp_query_uint(req, "zz", 0, 9, 5, &n, NULL), 0);
	assert_int_equal(n, 5);
	apsp_request_free(req);
	/* d is no option */
	req = request("/x?a=1+2%2B3&&b&c=%26%3d=&n=70&d=?/");
	assert_int_equal(parse(req, known), APSP_EMALFORMED);
	apsp_request_free(req);
	req = request("/x?a=1+2%2B3&&b&c=%26%3d=&n=70");
	assert_int_equal(parse(req, known), 0);
	apsp_request_free(req);
	for (size_t i = 0; bad[i]; i++) {
		req = request(bad[i]);
		assert_int_equal(parse(req, NULL), APSP_EMALFORMED);
		apsp_request_free(req);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routes),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
