/*
 * A client that was refused before the server's start has returned: the accept
 * thread uses what the start is still to store. Here each new thread runs for a
 * while before the call that makes it returns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/http_fixture.h"

enum {
	DELAY_MS = 200,
};

/* In the place of the C library's. */
int pthread_create(pthread_t *out, const pthread_attr_t *attributes,
	void *(*run)(void *), void *arg)
{
	int (*real)(
		pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int r;

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	r = real(out, attributes, run, arg);
	usleep(DELAY_MS * 1000);
	return r;
}

static const struct apsp_route routes[] = {
	{APSP_METHOD_PUT, "/v1/graphs/{graph}", APSP_BODY_STREAM,
		.body = fixture_drop, .answer = fixture_accept},
	{0},
};

static void test_refused_at_once(void **state)
{
	struct http_fixture f = {0};
	char out[4096];
	struct apsp_err err;
	int fd;

	(void)state;
	if (apsp_listener_open("127.0.0.1:0", &(struct apsp_listen_rules){0},
		    &f.listener, &err) < 0)
		fail_msg("%s", err.message);
	fd = client_open(&f);
	client_send(fd,
		"PUT /nowhere HTTP/1.1\r\n" HOST "Content-Length: 100\r\n\r\n");
	fixture_serve(&f, routes, NULL);
	assert_int_equal(client_read(fd, out, sizeof(out), true), 404);
	close(fd);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
