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
	/* The words point into `text`. The first one is the path of the program
	   that starts a job. The last one is the path of the solver itself,
	   which lists devices and measures them without a launcher. */
	const char *words[APSP_SOLVER_COMMAND_WORDS];
	size_t n;
	char text[APSP_SOLVER_COMMAND_SIZE];
};

/*
 * Make *out from `setting`, whose words are separated by spaces. NULL: the only
 * word is `solver`, the path of apsp-solve. A program that is named without a
 * slash is looked for in the directory of `solver`, if it is the last word, and
 * then in PATH. *out must not be copied. APSP_ESOLVER: a program is not there,
 * or there are too many words.
 */
int apsp_solver_command_make(const char *setting, const char *solver,
	struct apsp_solver_command *out, struct apsp_err *err);

#endif
