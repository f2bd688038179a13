/*
 * The server's configuration: a copy that outlives main's.
 */
#include "api/http/server_config.h"

#include <stdlib.h>
#include <string.h>

static void free_strings(const char *const *strings, size_t n)
{
	char **own = (char **)(uintptr_t)strings;

	for (size_t i = 0; own && i < n; i++)
		free(own[i]);
	free(own);
}

/* Copy n strings, NULL-terminated; NULL: no memory. */
static const char *const *copy_strings(const char *const *strings, size_t n)
{
	char **copy = calloc(n + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(strings[i]);
		if (!copy[i]) {
			free_strings((const char *const *)copy, i);
			return NULL;
		}
	}
	return (const char *const *)copy;
}

static size_t count_strings(const char *const *strings)
{
	size_t n = 0;

	while (strings && strings[n])
		n++;
	return n;
}

int apsp_server_config_copy(const struct apsp_server_config *config,
	struct apsp_server_config *out, struct apsp_err *err)
{
	int *listeners = calloc(config->n_listeners + 1, sizeof(int));

	*out = *config;
	out->listeners = listeners;
	out->algorithms = copy_strings(
		config->algorithms, count_strings(config->algorithms));
	out->hops_only = copy_strings(
		config->hops_only, count_strings(config->hops_only));
	out->version = strdup(config->version ? config->version : "");
	if (!listeners || !out->algorithms || !out->hops_only || !out->version)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	if (config->n_listeners > 0)
		memcpy(listeners, config->listeners,
			config->n_listeners * sizeof(int));
	return 0;
}

void apsp_server_config_done(struct apsp_server_config *config)
{
	free_strings(config->algorithms, count_strings(config->algorithms));
	free_strings(config->hops_only, count_strings(config->hops_only));
	free((char *)(uintptr_t)config->version);
	free((int *)(uintptr_t)config->listeners);
}

enum apsp_log_level apsp_server_config_log_level(
	const struct apsp_server_config *config)
{
	return config->settings->access_log ? APSP_LOG_INFO : APSP_LOG_DEBUG;
}
