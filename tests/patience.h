/*
 * For tests: waiting for what another thread does, 10 ms at a time and for two
 * minutes at most:
 *
 *	for (unsigned int turns = 0; !has_come() && patience_lasts(&turns);)
 *		;
 */
#ifndef APSP_TESTS_PATIENCE_H
#define APSP_TESTS_PATIENCE_H

#include <stdbool.h>
#include <unistd.h>

static inline bool patience_lasts(unsigned int *turns)
{
	if (*turns == 2 * 60 * 100)
		return false;
	usleep(10000);
	++*turns;
	return true;
}

#endif
