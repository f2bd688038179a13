/*
 * Settings for the parts that tests start: initial values but for what is given
 * here.
 */
#ifndef APSP_TESTS_SETTINGS_FIXTURE_H
#define APSP_TESTS_SETTINGS_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "daemon/base/settings.h"

/* Directories may be NULL. End *out with apsp_settings_done(). */
static inline void settings_fixture_init(
	struct apsp_settings *out, const char *state_dir, const char *cache_dir)
{
	memset(out, 0, sizeof(*out));
	out->n_threads = 2;
	if (apsp_settings_complete(out, NULL, NULL) < 0)
		abort();
	out->state_dir = state_dir ? strdup(state_dir) : NULL;
	out->cache_dir = cache_dir ? strdup(cache_dir) : NULL;
}

#endif
