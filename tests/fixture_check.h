/*
 * Steps of a fixture that must succeed: outside of a test, where cmocka's
 * assertions may not be used.
 */
#ifndef APSP_TESTS_FIXTURE_CHECK_H
#define APSP_TESTS_FIXTURE_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fixture_check(
	bool right, const char *what, const char *file, int line)
{
	if (right)
		return;
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

#define CHECK(x) fixture_check(x, #x, __FILE__, __LINE__)

#endif
