/*
 * What apspd is told to do; see options.h. One table holds every option, so
 * that command line, environment and help cannot drift apart.
 */
#include "daemon/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

static int list_add(char **list, size_t *n, size_t max, const char *name,
	const char *value, struct apsp_err *err)
{
	if (!*value)
		return apsp_fail(
			err, APSP_EMALFORMED, "%s needs a value", name);
	if (*n == max)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s can be given %zu times at most", name, max);
	list[*n] = strdup(value);
	if (!list[*n])
		return apsp_fail(err, APSP_ENOMEM, "no memory for %s", name);
	(*n)++;
	return 0;
}

static int text_set(
	char **text, const char *name, const char *value, struct apsp_err *err)
{
	char *copy;

	if (!*value)
		return apsp_fail(
			err, APSP_EMALFORMED, "%s needs a value", name);
	copy = strdup(value);
	if (!copy)
		return apsp_fail(err, APSP_ENOMEM, "no memory for %s", name);
	free(*text);
	*text = copy;
	return 0;
}

static int listen_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	return list_add(options->listen, &options->n_listen, APSP_LISTENERS_MAX,
		name, value, err);
}

static int allowed_host_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	return list_add(options->allowed_hosts, &options->n_allowed_hosts,
		APSP_ALLOWED_HOSTS_MAX, name, value, err);
}

static int state_dir_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	return text_set(&options->state_dir, name, value, err);
}

static int cache_dir_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	return text_set(&options->cache_dir, name, value, err);
}

static int device_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	return text_set(&options->device, name, value, err);
}

/* A decimal number without sign or blanks; *end is what follows it. */
static bool number_read(const char *text, uint64_t *out, const char **end)
{
	char *rest;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*out = strtoull(text, &rest, 10);
	*end = rest;
	return errno == 0;
}

static int device_memory_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	static const char suffixes[] = "KMG";
	const char *end, *suffix;
	uint64_t number, unit = 1;

	if (number_read(value, &number, &end) && number > 0) {
		suffix = *end ? strchr(suffixes, *end) : NULL;
		if (suffix) {
			unit <<= 10 * (suffix - suffixes + 1);
			end++;
		}
		if (!*end && !__builtin_mul_overflow(
				     number, unit, &options->device_memory))
			return 0;
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"%s needs a number of bytes above 0, such as 800M or 16G, not "
		"'%.40s'",
		name, value);
}

static int threads_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	const char *end;
	uint64_t number;

	if (!number_read(value, &number, &end) || *end || number < 1 ||
		number > APSP_THREADS_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s needs a number from 1 to %d, not '%.40s'", name,
			APSP_THREADS_MAX, value);
	options->n_threads = (unsigned int)number;
	return 0;
}

static int log_level_set(struct apsp_options *options, const char *name,
	const char *value, struct apsp_err *err)
{
	int level = apsp_log_level_from_name(value);

	if (level < 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s needs error, warning, notice, info or debug, not "
			"'%.40s'",
			name, value);
	options->log_level = (enum apsp_log_level)level;
	return 0;
}

static const struct rule {
	const char *name;
	const char *variable;
	bool is_list;
	/* name is what the user gave it as: "--threads", "APSPD_THREADS" */
	int (*set)(struct apsp_options *options, const char *name,
		const char *value, struct apsp_err *err);
	const char *value;
	const char *help;
} rules[] = {
	{"listen", "APSPD_LISTEN", true, listen_set, "ADDR:PORT|unix:PATH",
		"where to serve; may be repeated (127.0.0.1:8080);\n"
		"port 0 takes a free one"},
	{"state-dir", "APSPD_STATE_DIR", false, state_dir_set, "DIR",
		"the graphs: the database and uploads under way"},
	{"cache-dir", "APSPD_CACHE_DIR", false, cache_dir_set, "DIR",
		"the tables and compiled kernels: can be computed again"},
	{"device", "APSPD_DEVICE", false, device_set, "auto|cpu|gpu|SUBSTRING",
		"the OpenCL device, by type or part of its name (auto)"},
	{"device-memory", "APSPD_DEVICE_MEMORY", false, device_memory_set,
		"BYTES[K|M|G]", "use no more of the device's memory (all)"},
	{"allowed-host", "APSPD_ALLOWED_HOST", true, allowed_host_set, "HOST",
		"a Host to answer to besides loopback; may be repeated"},
	{"threads", "APSPD_THREADS", false, threads_set, "N",
		"threads that answer requests (one per CPU, 8 at most)"},
	{"log-level", "APSPD_LOG_LEVEL", false, log_level_set,
		"error|warning|notice|info|debug",
		"the least urgent lines that are logged (info)"},
};

enum {
	N_RULES = sizeof(rules) / sizeof(*rules),
	OPTION_VERSION = N_RULES,
	OPTION_HELP,
	N_OPTIONS,
};

void apsp_options_help(FILE *stream)
{
	fputs("Usage: apspd [OPTION]...\n"
	      "Computes all shortest paths of uploaded graphs and answers "
	      "over HTTP.\n\n",
		stream);
	for (size_t i = 0; i < N_RULES; i++) {
		const char *text = rules[i].help;

		fprintf(stream, "  --%s %s\n", rules[i].name, rules[i].value);
		while (*text) {
			int size = (int)strcspn(text, "\n");

			fprintf(stream, "        %.*s\n", size, text);
			text += size + (text[size] == '\n');
		}
	}
	fputs("  --version\n  --help\n\n"
	      "Each option is also read from the environment: --state-dir "
	      "from\n"
	      "APSPD_STATE_DIR; lists have blanks between their values.\n",
		stream);
}

void apsp_options_done(struct apsp_options *options)
{
	for (size_t i = 0; i < options->n_listen; i++)
		free(options->listen[i]);
	for (size_t i = 0; i < options->n_allowed_hosts; i++)
		free(options->allowed_hosts[i]);
	free(options->state_dir);
	free(options->cache_dir);
	free(options->device);
}

static int command_line_read(int argc, char **argv,
	struct apsp_options *options, bool given[N_RULES], struct apsp_err *err)
{
	struct option longs[N_OPTIONS + 1] = {
		[OPTION_VERSION] = {"version", no_argument, NULL, 'v'},
		[OPTION_HELP] = {"help", no_argument, NULL, 'h'},
	};
	char name[64];
	int found, at, r;

	for (size_t i = 0; i < N_RULES; i++)
		longs[i] = (struct option){
			rules[i].name, required_argument, NULL, 'r'};
	optind = 0; /* glibc: begin anew, also after an earlier call */
	opterr = 0;
	while ((found = getopt_long(argc, argv, ":", longs, &at)) != -1) {
		switch (found) {
		case 'v':
			options->version = true;
			return 0;
		case 'h':
			options->help = true;
			return 0;
		case ':':
			return apsp_fail(err, APSP_EMALFORMED,
				"%.60s needs a value", argv[optind - 1]);
		case '?':
			/* inside a cluster as -xy it is the next still */
			at = *argv[optind - 1] == '-' ? optind - 1 : optind;
			return apsp_fail(err, APSP_EMALFORMED,
				"'%.60s' is not an option of apspd; try --help",
				argv[at]);
		default:
			snprintf(name, sizeof(name), "--%s", rules[at].name);
			given[at] = true;
			r = rules[at].set(options, name, optarg, err);
			if (r < 0)
				return r;
		}
	}
	if (optind < argc)
		return apsp_fail(err, APSP_EMALFORMED,
			"'%.60s' is not expected; try --help", argv[optind]);
	return 0;
}

static int variable_read(const struct rule *rule, struct apsp_options *options,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *list = NULL;
	const char *value = getenv(rule->variable);
	char *rest = NULL;
	int r = 0;

	if (!value || !*value)
		return 0;
	if (!rule->is_list)
		return rule->set(options, rule->variable, value, err);
	list = strdup(value);
	if (!list)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory for %s", rule->variable);
	for (char *item = strtok_r(list, " \t", &rest); item && r == 0;
		item = strtok_r(NULL, " \t", &rest))
		r = rule->set(options, rule->variable, item, err);
	return r;
}

/* Where a directory is by default, and how it is named to the user. */
struct place {
	const char *option;
	const char *systemd;
	const char *root;
	const char *xdg;
	const char *home;
};

/* Text from malloc(), or NULL. */
static char *place_default(const struct place *place, bool is_root)
{
	const char *systemd = getenv(place->systemd);
	const char *xdg = getenv(place->xdg);
	const char *home = getenv("HOME");
	char *out = NULL;

	if (systemd && *systemd)
		return strndup(systemd, strcspn(systemd, ":"));
	if (is_root)
		return strdup(place->root);
	if (xdg && *xdg == '/') {
		if (asprintf(&out, "%s/apspd", xdg) < 0)
			return NULL;
	} else if (home && *home == '/') {
		if (asprintf(&out, "%s/%s/apspd", home, place->home) < 0)
			return NULL;
	}
	return out;
}

static int place_find(const struct place *place, bool is_root, char **dir,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *cwd = NULL;
	char *absolute;

	if (!*dir)
		*dir = place_default(place, is_root);
	if (!*dir)
		return apsp_fail(err, APSP_EMALFORMED,
			"there is no home directory, so say %s", place->option);
	if (**dir == '/')
		return 0;
	cwd = getcwd(NULL, 0);
	if (!cwd || asprintf(&absolute, "%s/%s", cwd, *dir) < 0)
		return apsp_fail_errno(err, errno, "find where %s '%s' is",
			place->option, *dir);
	free(*dir);
	*dir = absolute;
	return 0;
}

static int defaults_set(
	struct apsp_options *options, bool is_root, struct apsp_err *err)
{
	static const struct place state = {"--state-dir", "STATE_DIRECTORY",
		"/var/lib/apspd", "XDG_STATE_HOME", ".local/state"};
	static const struct place cache = {"--cache-dir", "CACHE_DIRECTORY",
		"/var/cache/apspd", "XDG_CACHE_HOME", ".cache"};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int r;

	if (options->n_threads == 0)
		options->n_threads = cpus < 1	? 1
				     : cpus > 8 ? 8
						: (unsigned int)cpus;
	r = place_find(&state, is_root, &options->state_dir, err);
	if (r == 0)
		r = place_find(&cache, is_root, &options->cache_dir, err);
	if (r == 0 && !options->device)
		r = device_set(options, "--device", "auto", err);
	if (r == 0 && options->n_listen == 0)
		r = listen_set(options, "--listen", "127.0.0.1:8080", err);
	return r;
}

int apsp_options_parse(int argc, char **argv, bool is_root,
	struct apsp_options *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_options_done)
	struct apsp_options options = {.log_level = APSP_LOG_INFO};
	bool given[N_RULES] = {false};
	int r;

	r = command_line_read(argc, argv, &options, given, err);
	if (r < 0)
		return r;
	if (!options.help && !options.version) {
		for (size_t i = 0; i < N_RULES && r == 0; i++)
			if (!given[i])
				r = variable_read(&rules[i], &options, err);
		if (r == 0)
			r = defaults_set(&options, is_root, err);
		if (r < 0)
			return r;
	}
	*out = APSP_TAKE(options);
	return 0;
}
