/*
 * Prepares the process, and finds the programs that it starts; see
 * process_setup.h.
 */
#include "daemon/process_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemon/base/fixed_text.h"
#include "daemon/base/log.h"

void apsp_process_prepare(void)
{
	struct rlimit files;
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	umask(0077);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	signal(SIGPIPE, SIG_IGN);
	/* if SIGXFSZ is ignored, a write beyond the limit of file sizes fails;
	   otherwise the signal would end the process */
	signal(SIGXFSZ, SIG_IGN);
	setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
}

void apsp_process_hide(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

/* Whether the process has a controlling terminal. Without a controlling
   terminal, /dev/tty cannot be opened. */
static bool has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void apsp_process_block_signals(sigset_t *out, sigset_t *out_stops)
{
	struct sigaction hangup;
	bool hangs_up = sigaction(SIGHUP, NULL, &hangup) == 0 &&
			hangup.sa_handler != SIG_IGN;

	sigemptyset(out_stops);
	sigaddset(out_stops, SIGTERM);
	sigaddset(out_stops, SIGINT);
	if (hangs_up && has_terminal())
		sigaddset(out_stops, SIGHUP);
	*out = *out_stops;
	if (hangs_up)
		sigaddset(out, SIGHUP);
	pthread_sigmask(SIG_BLOCK, out, NULL);
}

/* A signal handler that ends the process. It calls only async-signal-safe
   functions. */
static void give_up(int signal_number)
{
	bool is_late = signal_number == SIGALRM;

	apsp_log_last_words(APSP_LOG_WARNING,
		is_late ? "stopping took too long, ended at once"
			: "asked to stop again, ended at once");
	_exit(is_late ? 0 : 1);
}

void apsp_process_limit_stop(const sigset_t *stops, unsigned int deadline_ms)
{
	const struct sigaction action = {.sa_handler = give_up};
	const struct itimerval timer = {
		.it_value = {.tv_sec = deadline_ms / 1000,
			.tv_usec = deadline_ms % 1000 * 1000},
	};

	for (int i = 1; i < NSIG; i++)
		if (sigismember(stops, i) == 1)
			sigaction(i, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	pthread_sigmask(SIG_UNBLOCK, stops, NULL);
}

/* Find a program in the directory of apspd, or else in APSP_LIBEXEC_DIR. False:
   the program is in neither directory. */
static bool find_program(const char *name, char out[PATH_MAX])
{
	char path[PATH_MAX];
	ssize_t size;
	char *slash;

	size = readlink("/proc/self/exe", path, sizeof(path) - 1);
	/* do not use a path that fills the buffer, because readlink(2) may have
	   cut the path */
	path[size > 0 && size < PATH_MAX - 1 ? size : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash) {
		*slash = '\0';
		if (snprintf(out, PATH_MAX, "%s/%s", path, name) < PATH_MAX &&
			access(out, X_OK) == 0)
			return true;
	}
	return snprintf(out, PATH_MAX, APSP_LIBEXEC_DIR "/%s", name) <
		       PATH_MAX &&
	       access(out, X_OK) == 0;
}

int apsp_process_find_solver(char out[PATH_MAX], struct apsp_err *err)
{
	const char *told = getenv("APSPD_SOLVER");

	if (told && *told) {
		if (!apsp_fixed_text_set(out, PATH_MAX, told))
			errno = ENAMETOOLONG;
		else if (access(out, X_OK) == 0)
			return 0;
		return apsp_fail(err, APSP_EMALFORMED,
			"APSPD_SOLVER='%.150s' is no program: %s", told,
			strerror(errno));
	}
	if (find_program("apsp-solve", out))
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"apsp-solve is neither beside apspd nor in %s; APSPD_SOLVER "
		"can say where it is",
		APSP_LIBEXEC_DIR);
}

int apsp_process_find_follow(char out[PATH_MAX], struct apsp_err *err)
{
	if (find_program("apspd-follow", out))
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"--follow needs the program apspd-follow, which is neither "
		"beside apspd nor in %s. In the clone, 'ninja -C build' builds "
		"it if libcurl is there (libcurl4-openssl-dev)",
		APSP_LIBEXEC_DIR);
}
