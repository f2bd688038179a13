/*
 * apspd --check, in order; see check.h.
 */
#include "daemon/check.h"

#include <unistd.h>

#include "api/access/tokens.h"
#include "api/http/guard.h"
#include "daemon/base/auto.h"
#include "daemon/base/log.h"
#include "daemon/check_address.h"
#include "daemon/check_device.h"
#include "daemon/check_directories.h"
#include "daemon/check_report.h"
#include "daemon/token_file.h"

static void options_check(
	const struct apsp_options *options, struct apsp_check_report *report)
{
	const struct apsp_settings *settings = &options->settings;
	char name[128];
	struct apsp_err err;
	size_t at = 0;

	while (apsp_options_unknown_variable(environ, &at, name, sizeof(name)))
		apsp_check_note(report, "options",
			"%s is set and means nothing to apspd; is it mistyped?",
			name);
	if (apsp_guard_settings(settings, &err) < 0) {
		apsp_check_wrong(report, "options", &err);
		return;
	}
	apsp_check_ok(report, "options", "%zu address%s, device %s, %u threads",
		settings->listen.n, settings->listen.n == 1 ? "" : "es",
		settings->device, settings->n_threads);
}

/* True: there are tokens, so that any address may be served. */
static bool tokens_check(
	const struct apsp_settings *settings, struct apsp_check_report *report)
{
	APSP_AUTO(apsp_free) char *path = NULL;
	struct apsp_tokens *tokens = NULL;
	struct apsp_err err;
	size_t n;
	int r = apsp_token_file_find(settings, &path, &err);

	if (r == 0 && !path) {
		apsp_check_ok(report, "tokens",
			"none are asked for, so only this machine is served");
		return false;
	}
	if (r == 0)
		r = apsp_tokens_load(path, &tokens, &err);
	if (r < 0) {
		apsp_check_wrong(report, "tokens", &err);
		return true; /* wanted: one line says what is wrong */
	}
	n = apsp_tokens_count(tokens);
	apsp_check_ok(report, "tokens", "%s has %zu token%s", path, n,
		n == 1 ? "" : "s");
	apsp_tokens_free(tokens);
	return true;
}

int apsp_check_run(const struct apsp_options *options, FILE *stream)
{
	const struct apsp_settings *settings = &options->settings;
	struct apsp_check_report report = {.stream = stream};
	struct apsp_check_use use = {0};
	bool any_address;

	/* what drivers say is no finding */
	apsp_log_start(APSP_LOG_WARNING);
	options_check(options, &report);
	any_address = tokens_check(settings, &report);
	use.in_use = apsp_check_directories_in_use(settings);
	for (size_t i = 0; i < settings->listen.n; i++)
		apsp_check_address(settings->listen.items[i],
			settings->socket_group, any_address, &use, &report);
	apsp_check_directories(settings, &use, &report);
	apsp_check_device(settings, &report);
	return apsp_check_conclude(&report);
}

int apsp_check_options_wrong(const struct apsp_err *err, FILE *stream)
{
	struct apsp_check_report report = {.stream = stream};

	apsp_check_wrong(&report, "options", err);
	return apsp_check_conclude(&report);
}
