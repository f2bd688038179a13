/*
 * Which calls reach the part on the left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/links.h"

/*
 * Requests that wait for a job are woken by changes of its state, which the
 * store tells, and not by its progress: each wake is a look into the database.
 */
static void test_progress_wakes_nobody(void **state)
{
	struct apsp_links links;

	(void)state;
	apsp_links_init(&links);
	assert_null(apsp_links_ops(&links).progressed);
	assert_non_null(apsp_links_hooks(&links).job_changed);
	apsp_links_done(&links);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_progress_wakes_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
