/*
 * Reads the command line and the environment, and prints --help; see
 * command_line.h.
 */
#include "daemon/command_line.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	OPTION_VERSION = APSP_N_SETTINGS,
	OPTION_HELP,
	OPTION_NEW_TOKEN,
	OPTION_CHECK,
	N_OPTIONS,
	NAME_SIZE = 64, /* bytes of the name of an option or a variable */
};

void apsp_command_line_help(FILE *stream)
{
	fputs("Usage: apspd [OPTION]...\n"
	      "Computes all shortest paths of uploaded graphs and answers "
	      "over HTTP.\n\n",
		stream);
	for (size_t i = 0; i < APSP_N_SETTINGS; i++) {
		const struct apsp_setting *which = &apsp_settings_list[i];
		const char *text = which->help;

		fprintf(stream, "  --%s %s\n", which->option, which->value);
		while (*text) { /* print the next line of the help */
			int size = (int)strcspn(text, "\n");

			fprintf(stream, "        %.*s", size, text);
			text += size;
			if (!*text && which->initial)
				fprintf(stream, " (%s)", which->initial);
			fputc('\n', stream);
			text += *text == '\n';
		}
	}
	fputs("  --new-token read|write|admin[:NAME]\n"
	      "        add a token to the file of --tokens, print it, and end\n"
	      "  --check\n"
	      "        report whether apspd would start and compute here, and "
	      "what to\n        do if not; change nothing, and end\n"
	      "  --version\n  --help\n\n"
	      "Each option with a value, except --new-token, is also read "
	      "from the\n"
	      "environment: --state-dir from APSPD_STATE_DIR; lists have "
	      "blanks\nbetween their values.\n",
		stream);
}

void apsp_command_line_done(struct apsp_command_line *options)
{
	apsp_settings_done(&options->settings);
}

static int command_line_read(int argc, char **argv,
	struct apsp_command_line *options, bool given[APSP_N_SETTINGS],
	struct apsp_err *err)
{
	struct option longs[N_OPTIONS + 1] = {
		[OPTION_CHECK] = {"check", no_argument, NULL, 'c'},
		[OPTION_VERSION] = {"version", no_argument, NULL, 'v'},
		[OPTION_HELP] = {"help", no_argument, NULL, 'h'},
		[OPTION_NEW_TOKEN] = {"new-token", required_argument, NULL,
			't'},
	};
	char name[NAME_SIZE];
	int found, at, r;

	for (size_t i = 0; i < APSP_N_SETTINGS; i++)
		longs[i] = (struct option){apsp_settings_list[i].option,
			required_argument, NULL, 's'};
	/* if optind is 0, glibc's getopt_long() forgets an earlier call and
	   starts anew */
	optind = 0;
	opterr = 0;
	while ((found = getopt_long(argc, argv, ":", longs, &at)) != -1) {
		switch (found) {
		case 'v':
			options->version = true;
			return 0;
		case 'h':
			options->help = true;
			return 0;
		case 'c':
			options->check = true;
			break;
		case 't':
			options->new_token = optarg;
			break;
		case ':':
			return apsp_fail(err, APSP_EMALFORMED,
				"%.60s needs a value", argv[optind - 1]);
		case '?':
			/*
			 * Find the element of argv that has the wrong option.
			 * This is usually the element before optind. If the
			 * wrong option is in a group of short options like -xy,
			 * it is the element at optind, because optind moves
			 * only after the whole group.
			 */
			at = *argv[optind - 1] == '-' ? optind - 1 : optind;
			return apsp_fail(err, APSP_EMALFORMED,
				"'%.60s' is not an option of apspd; try --help",
				argv[at]);
		default:
			snprintf(name, sizeof(name), "--%s", longs[at].name);
			given[at] = true;
			r = apsp_settings_set(&options->settings,
				&apsp_settings_list[at], name, optarg, err);
			if (r < 0)
				return r;
		}
	}
	if (optind < argc)
		return apsp_fail(err, APSP_EMALFORMED,
			"'%.60s' is not expected; try --help", argv[optind]);
	return 0;
}

/* Write the name of the environment variable of an option: APSPD_SOME_NAME for
   the option some-name. */
static void variable_name(const char *option, char out[NAME_SIZE])
{
	snprintf(out, NAME_SIZE, "APSPD_%s", option);
	for (char *c = out; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

bool apsp_command_line_unknown_variable(
	char *const *environment, size_t *at, char *out, size_t size)
{
	/* the only variable for which there is no option; see process_setup.h
	 */
	static const char solver[] = "APSPD_SOLVER";

	while (environment[*at]) {
		const char *text = environment[(*at)++];
		size_t length = strcspn(text, "=");
		bool known = length == strlen(solver) &&
			     strncmp(text, solver, length) == 0;
		char name[NAME_SIZE];

		if (strncmp(text, "APSPD_", 6) != 0)
			continue;
		for (size_t i = 0; i < APSP_N_SETTINGS && !known; i++) {
			variable_name(apsp_settings_list[i].option, name);
			known = length == strlen(name) &&
				strncmp(text, name, length) == 0;
		}
		if (known)
			continue;
		snprintf(out, size, "%.*s", (int)length, text);
		return true;
	}
	return false;
}

/* Read the variable of an option. *given is set to true if the variable holds a
   value. */
static int variable_read(struct apsp_settings *settings,
	const struct apsp_setting *which, bool *given, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *list = NULL;
	char name[NAME_SIZE];
	const char *value;
	char *rest = NULL;
	int r = 0;

	variable_name(which->option, name);
	value = getenv(name);
	if (!value || !*value)
		return 0;
	if (which->kind != APSP_SETTING_IS_TEXTS) {
		*given = true;
		return apsp_settings_set(settings, which, name, value, err);
	}
	list = strdup(value);
	if (!list)
		return apsp_fail(err, APSP_ENOMEM, "no memory for %s", name);
	for (char *item = strtok_r(list, " \t", &rest); item && r == 0;
		item = strtok_r(NULL, " \t", &rest)) {
		*given = true;
		r = apsp_settings_set(settings, which, name, item, err);
	}
	return r;
}

/* Where to find a directory that the user did not give by `option`: the other
   members are tried in their order. */
struct place {
	const char *option;
	const char *systemd; /* environment variable with a list of paths; the
				first path is used */
	const char *root;    /* path for root */
	const char *xdg; /* environment variable with the path of the directory
			    that contains apspd/ */
	/* path of the directory that contains apspd/, relative to $HOME */
	const char *home;
};

/* Return the default path of a directory, which the caller frees. NULL: the
   directory has no default path, or memory is short. */
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

/* If the user did not give a directory, store its default path in *dir. Then
   make the path in *dir absolute. */
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

int apsp_command_line_parse(int argc, char **argv, bool is_root,
	struct apsp_command_line *out, struct apsp_err *err)
{
	static const struct place state = {"--state-dir", "STATE_DIRECTORY",
		"/var/lib/apspd", "XDG_STATE_HOME", ".local/state"};
	static const struct place cache = {"--cache-dir", "CACHE_DIRECTORY",
		"/var/cache/apspd", "XDG_CACHE_HOME", ".cache"};
	APSP_AUTO(apsp_command_line_done)
	struct apsp_command_line options = {0};
	struct apsp_settings *settings = &options.settings;
	bool given[APSP_N_SETTINGS] = {false};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int r;

	r = command_line_read(argc, argv, &options, given, err);
	if (r < 0)
		return r;
	if (!options.help && !options.version) {
		for (size_t i = 0; i < APSP_N_SETTINGS && r == 0; i++)
			if (!given[i])
				r = variable_read(settings,
					&apsp_settings_list[i], &given[i], err);
		options.listens = given[APSP_SETTING_ID_listen];
		/* set the initial values that depend on the machine or on the
		   user; the list of settings has the others */
		if (settings->n_threads == 0)
			settings->n_threads = cpus < 1	 ? 1
					      : cpus > 8 ? 8
							 : (unsigned int)cpus;
		if (r == 0)
			r = place_find(
				&state, is_root, &settings->state_dir, err);
		if (r == 0)
			r = place_find(
				&cache, is_root, &settings->cache_dir, err);
		if (r == 0)
			r = apsp_settings_complete(settings, given, err);
		if (r < 0)
			return r;
	}
	*out = APSP_TAKE(options);
	return 0;
}
