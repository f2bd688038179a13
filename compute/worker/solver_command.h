/*
 * The words by which a job's solver is started: the path of apsp-solve, or the
 * setting solver-command, such as "mpirun -n 4 apsp-solve-mpi".
 */
#ifndef APSP_COMPUTE_WORKER_SOLVER_COMMAND_H
#define APSP_COMPUTE_WORKER_SOLVER_COMMAND_H

#include <limits.h>
#include <stddef.h>

#include "daemon/base/err.h"

enum {
	APSP_SOLVER_COMMAND_WORDS = 48,
	APSP_SOLVER_COMMAND_SIZE = 4 * PATH_MAX,
};

struct apsp_solver_command {
	/* The words point into `text`. The first word is the path of
	   apsp-solve. If there is a launcher, `--launch` follows, and then the
	   launcher's path (daemon/apsp_solve.c). The last word is the path of
	   the solver itself. To list or measure devices, the solver is started
	   without a launcher. */
	const char *words[APSP_SOLVER_COMMAND_WORDS];
	size_t n;
	char text[APSP_SOLVER_COMMAND_SIZE];
};

/*
 * Make *out from `setting`, whose words are separated by spaces. If `setting`
 * is NULL, the only word is `solver`, the path of apsp-solve. The first and the
 * last word of `setting` name programs. If such a word has no slash, its
 * program is searched for in PATH. For the last word, the directory of `solver`
 * is searched first. *out must not be copied, because out->words points into
 * it. APSP_EMALFORMED: there is no such program, there are too many words, or
 * there is no word.
 */
int apsp_solver_command_make(const char *setting, const char *solver,
	struct apsp_solver_command *out, struct apsp_err *err);

#endif
