/*
 * Listening sockets and their processes; see socket_holder.h.
 */
#include "daemon/socket_holder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	LISTENING = 0x0a, /* TCP_LISTEN, in /proc/net/tcp */
};

static bool name_is_number(const char *name)
{
	return *name && name[strspn(name, "0123456789")] == '\0';
}

/* The inode of the socket that listens on the address's port; 0: none. An
   address of another interface is taken, too: it can only be its neighbour. */
static uint64_t listening_inode(const union apsp_listen_address *address)
{
	bool v6 = address->any.sa_family == AF_INET6;
	unsigned int wanted =
		ntohs(v6 ? address->v6.sin6_port : address->v4.sin_port);
	APSP_AUTO(apsp_file_close) FILE *file = NULL;
	char line[512];

	file = fopen(v6 ? "/proc/net/tcp6" : "/proc/net/tcp", "re");
	while (file && fgets(line, sizeof(line), file)) {
		unsigned int port, state;
		uint64_t inode;

		if (sscanf(line,
			    " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s "
			    "%*u %*u %" SCNu64,
			    &port, &state, &inode) == 3 &&
			port == wanted && state == LISTENING)
			return inode;
	}
	return 0;
}

static bool process_holds(const char *pid, const char *socket)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;
	char path[64], target[64];

	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		ssize_t size = readlinkat(
			dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[size > 0 ? size : 0] = '\0';
		if (strcmp(target, socket) == 0)
			return true;
	}
	return false;
}

/* 0: none that we may see. */
static long holder_of(uint64_t inode)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;
	char socket[40];

	snprintf(socket, sizeof(socket), "socket:[%" PRIu64 "]", inode);
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir)))
		if (name_is_number(entry->d_name) &&
			process_holds(entry->d_name, socket))
			return strtol(entry->d_name, NULL, 10);
	return 0;
}

void apsp_socket_holder(const union apsp_listen_address *address, int fd,
	char *out, size_t size)
{
	APSP_AUTO(apsp_file_close) FILE *file = NULL;
	struct ucred peer;
	socklen_t length = sizeof(peer);
	char path[64], name[32] = "";
	uint64_t inode;
	long pid = 0;

	snprintf(out, size, "another program");
	if (address->any.sa_family == AF_UNIX) {
		if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer,
				       &length) == 0)
			pid = peer.pid;
	} else {
		inode = listening_inode(address);
		pid = inode > 0 ? holder_of(inode) : 0;
	}
	if (pid <= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(name, sizeof(name), file))
		return;
	name[strcspn(name, "\n")] = '\0';
	snprintf(out, size, "%s (process %ld)", name, pid);
}
