/*
 * The server's configuration: its defaults, and a copy that outlives main's.
 */
#include "api/http/server_config.h"

#include <stdlib.h>
#include <string.h>

const struct apsp_server_limits apsp_server_default_limits = {
	.max_connections = 512,
	.max_peer_connections = 448,
	.max_waiters = 64,
	.request_timeout_s = 30,
	.upload_timeout_s = 3600,
	.head_timeout_s = 10,
	.idle_timeout_s = 60,
	.body_rate_min = 1024,
	.body_grace_s = 30,
	.max_json_bytes = 65536,
	.max_body_bytes = 16 << 20,
	.max_upload_bytes = (uint64_t)8 << 30,
	.max_inflated_bytes = (uint64_t)64 << 30,
	/* text of zeros packs a thousandfold, and no gzip packs more */
	.max_ratio = 1000,
	.ratio_free_bytes = (uint64_t)64 << 20,
	.upload_cpu_ms = 10000,
	.upload_cpu_rate = 1 << 20,
	.max_arcs = (uint64_t)1 << 31,
	.max_pairs = 100000,
};

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
