/*
 * Which calls reach the part on the left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/links.h"

/* What is told before the parts are there, or after they have gone. */
static void test_nobody_there(void **state)
{
	struct apsp_links links = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	struct apsp_worker_ops ops;
	struct apsp_store_hooks hooks;

	(void)state;
	ops = apsp_links_ops(&links);
	hooks = apsp_links_hooks(&links);
	ops.progressed(ops.ctx, 1, 0.5);
	hooks.job_changed(hooks.ctx, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
