/*
 * For tests whose figures depend on how many processors there are: windows,
 * slots and what each thread holds do.
 */
#ifndef APSP_TESTS_PROCESSORS_H
#define APSP_TESTS_PROCESSORS_H

#include <sched.h>
#include <stddef.h>

/*
 * Let this thread, and what it starts, run on the first n processors that it
 * may run on, or on all where there are fewer. Returns those that it might run
 * on before, for processors_free().
 */
static inline cpu_set_t processors_pin(int n)
{
	cpu_set_t all, some;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&some);
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < n; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &some);
	assert_int_equal(sched_setaffinity(0, sizeof(some), &some), 0);
	return all;
}

static inline void processors_free(const cpu_set_t *all)
{
	assert_int_equal(sched_setaffinity(0, sizeof(*all), all), 0);
}

#endif
