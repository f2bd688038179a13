/*
 * Reads the setting solver-command; see solver_command.h.
 */
#include "compute/worker/solver_command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append a word to the command. False: the command has no space for the
   word. */
static bool word_add(struct apsp_solver_command *command, size_t *used,
	const char *word, size_t size)
{
	char *to = command->text + *used;

	if (command->n == APSP_SOLVER_COMMAND_WORDS ||
		size + 1 > sizeof(command->text) - *used)
		return false;
	memcpy(to, word, size);
	to[size] = '\0';
	command->words[command->n++] = to;
	*used += size + 1;
	return true;
}

/* Search for the program `name` in the directories of `list`, which are
   separated by ':'. Store its path in `out`. False: no directory of the list
   has the program. */
static bool list_find(const char *list, const char *name, char out[PATH_MAX])
{
	while (list && *list) {
		size_t size = strcspn(list, ":");
		int n = snprintf(
			out, PATH_MAX, "%.*s/%s", (int)size, list, name);

		if (n < PATH_MAX && access(out, X_OK) == 0)
			return true;
		list += size + (list[size] == ':');
	}
	return false;
}

/* Find the path of the program that `word` names. If `word` has no slash, look
   first in the directory `beside` (NULL: none), and then in PATH. */
static bool program_find(
	const char *word, size_t size, const char *beside, char out[PATH_MAX])
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)size, word);
	if (strchr(name, '/')) {
		strcpy(out, name);
		return access(out, X_OK) == 0;
	}
	if (beside &&
		snprintf(out, PATH_MAX, "%s/%s", beside, name) < PATH_MAX &&
		access(out, X_OK) == 0)
		return true;
	return list_find(getenv("PATH"), name, out);
}

int apsp_solver_command_make(const char *setting, const char *solver,
	struct apsp_solver_command *out, struct apsp_err *err)
{
	const char *slash = strrchr(solver, '/');
	char beside[PATH_MAX], path[PATH_MAX];
	const char *first = setting, *at;
	size_t used = 0;

	out->n = 0;
	if (!setting) {
		word_add(out, &used, solver, strlen(solver));
		return 0;
	}
	word_add(out, &used, solver, strlen(solver));
	word_add(out, &used, "--launch", strlen("--launch"));
	snprintf(beside, sizeof(beside), "%.*s",
		slash ? (int)(slash - solver) : 0, solver);
	first += strspn(first, " ");
	for (at = first; *at;) {
		size_t size = strcspn(at, " ");
		const char *next = at + size + strspn(at + size, " ");
		bool named = at == first || !*next;

		if (named &&
			!program_find(at, size, *next ? NULL : beside, path))
			return apsp_fail(err, APSP_EMALFORMED,
				"--solver-command: there is no program '%.*s'",
				size < 200 ? (int)size : 200, at);
		if (!word_add(out, &used, named ? path : at,
			    named ? strlen(path) : size))
			return apsp_fail(err, APSP_EMALFORMED,
				"--solver-command has too many words");
		at = next;
	}
	return *first ? 0
		      : apsp_fail(err, APSP_EMALFORMED,
				"--solver-command names no program");
}
