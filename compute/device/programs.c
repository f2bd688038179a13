/*
 * Lists of programs and tests; see programs.h.
 */
#include "compute/device/programs.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

static void program_free(struct apsp_program *program)
{
	if (!program)
		return;
	if (program->program)
		clReleaseProgram(program->program);
	free(program->key);
	free(program->source);
	free(program);
}

APSP_AUTO_DEFINE(program_end, struct apsp_program, program_free);

void apsp_programs_free(struct apsp_programs *programs)
{
	struct apsp_program *program = programs ? programs->first : NULL;
	struct apsp_passed_test *passed = programs ? programs->passed : NULL;

	while (program) {
		struct apsp_program *next = program->next;

		program_free(program);
		program = next;
	}
	while (passed) {
		struct apsp_passed_test *next = passed->next;

		free(passed);
		passed = next;
	}
	free(programs);
}

struct apsp_program *apsp_programs_find(
	const struct apsp_programs *programs, const char *key)
{
	struct apsp_program *program = programs->first;

	while (program && strcmp(program->key, key) != 0)
		program = program->next;
	return program;
}

struct apsp_program *apsp_programs_add(struct apsp_programs *programs,
	const char *key, const char *source, cl_program program, bool fast)
{
	APSP_AUTO(program_end) struct apsp_program *added = NULL;

	added = calloc(1, sizeof(*added));
	if (!added)
		return NULL;
	added->key = strdup(key);
	added->source = strdup(source);
	if (!added->key || !added->source)
		return NULL;
	if (program && clRetainProgram(program) == CL_SUCCESS)
		added->program = program;
	added->fast = fast;
	added->next = programs->first;
	programs->first = added;
	return APSP_TAKE(added);
}
