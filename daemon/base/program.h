/*
 * Starting a program as a child of this process. If the parent dies, the kernel
 * kills the child, even if the child is stopped or hangs in a driver.
 */
#ifndef APSP_DAEMON_BASE_PROGRAM_H
#define APSP_DAEMON_BASE_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

struct apsp_program {
	const char *path;
	const char *const *argv; /* NULL-terminated */
	char *const *env;	 /* NULL-terminated */
	/* fds[i] becomes the child's descriptor i. The child gets no other
	   descriptors. */
	const int *fds;
	int n_fds;
	bool leads_group; /* the child leads a process group of its own */
};

/*
 * Start a program, with no signal blocked or ignored. Linux sends SIGKILL to
 * the child when the calling thread ends (PR_SET_PDEATHSIG of prctl(2)), unless
 * the program in the child chooses another signal. Blocks until the child has
 * called execve(2). The caller reaps the child. Returns 0 or an errno; after a
 * failure, there is no child.
 */
int apsp_program_start(const struct apsp_program *program, pid_t *out_pid);

#endif
