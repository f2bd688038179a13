/*
 * Stop one thread of a process until stdin ends or the process does:
 *
 *	stop_thread PID NAME N
 *
 * stops the thread that is number N, from 0, of those whose name is NAME.
 * Prints "stopped" once it is; status 2: there is no such thread; 1: it cannot
 * be stopped. The thread goes on when this program ends, however that ends.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	TICK_MS = 20,
};

static void name_read(const char *pid, const char *tid, char out[64])
{
	char path[512];
	FILE *file;

	out[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, tid);
	file = fopen(path, "r");
	if (!file)
		return;
	if (!fgets(out, 64, file))
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	fclose(file);
}

/* Returns 0 where there is none. */
static pid_t thread_find(const char *pid, const char *name, int skip)
{
	char path[64], found[64];
	struct dirent *entry;
	pid_t tid = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (dir && tid == 0 && (entry = readdir(dir))) {
		name_read(pid, entry->d_name, found);
		if (strcmp(found, name) == 0 && skip-- == 0)
			tid = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	if (dir)
		closedir(dir);
	return tid;
}

int main(int argc, char **argv)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	pid_t tid;

	if (argc != 4)
		return 1;
	tid = thread_find(argv[1], argv[2], atoi(argv[3]));
	if (tid == 0)
		return 2;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0 ||
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0 ||
		waitpid(tid, NULL, __WALL) != tid) {
		fprintf(stderr, "stop thread %d: %s\n", (int)tid,
			strerror(errno));
		return 1;
	}
	puts("stopped");
	fflush(stdout);
	/* a process that is killed meanwhile ends when its threads are reaped
	 */
	while (waitpid(tid, NULL, __WALL | WNOHANG) != tid &&
		poll(&in, 1, TICK_MS) == 0)
		continue;
	return 0;
}
