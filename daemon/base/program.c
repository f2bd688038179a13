/*
 * Starts programs; see program.h. The death signal is the signal that Linux
 * sends to a child when its parent dies. The child sets its death signal
 * between clone(2) and execve(2), and keeps it after execve(2). posix_spawn(3)
 * cannot set this signal. If the program itself set the signal, after
 * execve(2), it could be stopped before it has set the signal, and would then
 * outlive its parent.
 */
#include "daemon/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK_BYTES = 65536, /* size of the stack that the child uses until it
				calls execve() */
};

/* The start of one program, in memory that parent and child share. */
struct start {
	const struct apsp_program *program;
	pid_t parent;
	int failure; /* an errno; 0: the program runs */
};

/* Give the child its descriptors, and close all others. Returns 0 or an
   errno. */
static int descriptors_set(const struct apsp_program *program)
{
	for (int i = 0; i < program->n_fds; i++) {
		/* dup2() clears FD_CLOEXEC of the new descriptor, but not if
		   both numbers are the same */
		int r = program->fds[i] == i ? fcntl(i, F_SETFD, 0)
					     : dup2(program->fds[i], i);

		if (r < 0)
			return errno;
	}
	closefrom(program->n_fds);
	return 0;
}

/*
 * The function that the child runs until it calls execve(). The child shares
 * the parent's memory, and the parent's thread waits meanwhile. The sanitizers
 * must not track this function, because it never returns: they would never
 * learn that its part of the stack is free again.
 */
__attribute__((no_sanitize("address", "thread"))) static int child_run(
	void *ctx)
{
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	struct start *start = ctx;
	const struct apsp_program *program = start->program;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* if the parent died before prctl(), the kernel will not send the
	   signal, so end now */
	if (getppid() != start->parent)
		_exit(1);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &usual, NULL);
	if (program->leads_group)
		setpgid(0, 0);
	start->failure = descriptors_set(program);
	if (start->failure != 0)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(program->path, (char *const *)program->argv, program->env);
	start->failure = errno;
	_exit(1);
}

int apsp_program_start(const struct apsp_program *program, pid_t *out_pid)
{
	alignas(max_align_t) char stack[STACK_BYTES];
	struct start start = {.program = program, .parent = getpid()};
	sigset_t all, before;
	int failure;
	pid_t pid;

	/* block all signals: the child shares our memory, so no signal handler
	   of this process may run in the child */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(child_run, stack + sizeof(stack),
		CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
	failure = pid < 0 ? errno : start.failure;
	if (pid >= 0 && failure != 0)
		waitpid(pid, NULL, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failure == 0)
		*out_pid = pid;
	return failure;
}
