/*
 * JSON bodies where memory ends, and pointers into them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/http/internal.h"

enum {
	POINTER_SIZE = 160, /* of api/body.c */
};

static int n_left; /* allocations that succeed */

static void *allocate(size_t size)
{
	return n_left-- > 0 ? malloc(size) : NULL;
}

/* What does not fit is no fault of the body, wherever memory ends. */
static void test_no_memory(void **state)
{
	char body[] = "{\"transform\": \"inv\", \"min_weight\": 5.25,"
		      " \"list\": [1, -2, \"caf\\u00e9\", {\"x\": null}]}";
	struct apsp_request req = {.body = body, .body_size = sizeof(body) - 1};
	int n_failures = 0, r = -1;

	(void)state;
	json_set_alloc_funcs(allocate, free);
	for (int n = 0; r < 0; n++) {
		struct apsp_err err = {0};
		json_t *json = NULL;

		n_left = n;
		r = apsp_body_json(&req, &json, &err);
		if (r < 0 && r != APSP_ENOMEM)
			fail_msg("after %d: %s", n, err.message);
		n_failures += r < 0;
		json_decref(json);
	}
	json_set_alloc_funcs(malloc, free);
	assert_true(n_failures > 10);
}

static void test_refused(void **state)
{
	static const char *const bodies[] = {"", "{", "{]", "[1,]", "[1]", "1",
		"{\"a\":1,\"a\":2}", "{\"a\":\"\\ud800\"}", "nul", "{\"a\" 1}",
		"\xff", "{\"a\":1e999}"};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		char *text = strdup(bodies[i]);
		struct apsp_request req = {
			.body = text, .body_size = strlen(text)};
		struct apsp_err err = {0};
		json_t *json = NULL;

		if (apsp_body_json(&req, &json, &err) != APSP_EMALFORMED)
			fail_msg("%zu %s: %s", i, text, err.message);
		free(text);
	}
}

/* An integer may have more digits than a machine's integers. */
static void test_numbers(void **state)
{
	char good[] = "{\"a\":100000000000000000000}", bad[] = "{\"a\":1e999}";
	struct apsp_request req = {.body = good, .body_size = strlen(good)};
	struct apsp_err err = {0};
	json_t *json = NULL;

	(void)state;
	assert_int_equal(apsp_body_json(&req, &json, &err), 0);
	assert_true(json_number_value(json_object_get(json, "a")) == 1e20);
	json_decref(json);
	req = (struct apsp_request){.body = bad, .body_size = strlen(bad)};
	assert_int_equal(apsp_body_json(&req, &json, &err), APSP_EMALFORMED);
	assert_non_null(strstr(err.message, "a number that is too large"));
}

/* Check the pointer to a member of the body; "": there is none. */
static void pointer_check(const char *name, size_t size, const char *expected)
{
	struct apsp_exchange x = {0};
	struct apsp_request req = {.exchange = &x};
	const char *found;

	apsp_body_point(&req, name, size);
	found = json_string_value(json_object_get(x.extra, "pointer"));
	assert_string_equal(found ? found : "", expected);
	json_decref(x.extra);
}

/* A pointer names the whole member, or there is none. */
static void test_pointer(void **state)
{
	char name[2 * POINTER_SIZE], longest[POINTER_SIZE] = "/";

	(void)state;
	pointer_check("a/b~c/", 6, "/a~1b~0c~1");
	memset(name, 'x', sizeof(name));
	memset(longest + 1, 'x', POINTER_SIZE - 3);
	pointer_check(name, POINTER_SIZE - 3, longest);
	pointer_check(name, sizeof(name), "");
	/* the last one is two bytes */
	name[POINTER_SIZE - 3] = '/';
	pointer_check(name, POINTER_SIZE - 2, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
