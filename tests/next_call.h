/*
 * For drivers that stand before a library: the call of that name behind them.
 *
 *	NEXT(variable, name)   sets the pointer to a function, or aborts
 */
#ifndef APSP_TESTS_NEXT_CALL_H
#define APSP_TESTS_NEXT_CALL_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static inline void *next_call(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* memmove(): one of the drivers is before memcpy() */
#define NEXT(variable, name)                                                   \
	do {                                                                   \
		void *found_ = next_call(name);                                \
		memmove(&(variable), &found_, sizeof(found_));                 \
	} while (0)

#endif
