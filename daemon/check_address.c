/*
 * Checks an address, and finds the process that listens on it; see
 * check_address.h.
 */
#include "daemon/check_address.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "api/connection/listen.h"
#include "daemon/base/auto.h"

enum {
	/* the number of the state TCP_LISTEN in /proc/net/tcp */
	LISTENING = 0x0a,
	ANSWER_MS = 2000,
	/* largest number of bytes of an answer that is_apspd() reads to
	   recognise apspd */
	ANSWER_SIZE = 8192,
};

static const char what[] = "address";

/*
 * Request /v1/info, and return whether an apspd answers. An apspd that requires
 * tokens refuses the request, but its refusal also shows that it is an apspd.
 */
static bool is_apspd(int fd)
{
	static const char question[] = "GET /v1/info HTTP/1.1\r\n"
				       "Host: localhost\r\n"
				       "Connection: close\r\n\r\n";
	char answer[ANSWER_SIZE];
	size_t size = 0;
	ssize_t n;

	if (send(fd, question, sizeof(question) - 1, MSG_NOSIGNAL) < 0)
		return false;
	while (size < sizeof(answer) - 1 &&
		(n = recv(fd, answer + size, sizeof(answer) - 1 - size, 0)) > 0)
		size += (size_t)n;
	answer[size] = '\0';
	return strstr(answer, "realm=\"apspd\"") ||
	       (strstr(answer, "X-Request-Id:") &&
		       strstr(answer, "\"blocked-fw\""));
}

/* Connect to the program that listens on the address. Returns the socket, or -1
   with errno if no program listens on the address. */
static int connect_to(const union apsp_listen_address *address)
{
	const struct timeval limit = {.tv_sec = ANSWER_MS / 1000};
	union apsp_listen_address to = *address;
	APSP_AUTO(apsp_close) int fd = -1;

	/* if the address means all addresses of the machine, connect to the
	   loopback address */
	if (to.any.sa_family == AF_INET &&
		to.v4.sin_addr.s_addr == htonl(INADDR_ANY))
		to.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (to.any.sa_family == AF_INET6 &&
		IN6_IS_ADDR_UNSPECIFIED(&to.v6.sin6_addr))
		to.v6.sin6_addr = in6addr_loopback;
	fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, &to.any, apsp_listen_address_size(&to)) < 0)
		return -1;
	return APSP_TAKE_FD(fd);
}

/*
 * Return the inode of a socket that listens on the port of the address; 0:
 * there is no such socket. Only the port is compared, so the socket may listen
 * on another IP address.
 */
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

/*
 * Return the id of the process that has the socket with this inode. 0: the
 * process was not found, for example because this user is not allowed to list
 * its descriptors.
 */
static long holder_of(uint64_t inode)
{
	APSP_AUTO(apsp_dir_close) DIR *dir = NULL;
	const struct dirent *entry;
	char socket[40];

	snprintf(socket, sizeof(socket), "socket:[%" PRIu64 "]", inode);
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[strspn(entry->d_name, "0123456789")] ==
				'\0' &&
			process_holds(entry->d_name, socket))
			return strtol(entry->d_name, NULL, 10);
	return 0;
}

/*
 * Write which process listens on an address: "nginx (process 812)". If the
 * process is not found, write "another program". For an IP address, only root
 * finds the processes of other users, because only root is allowed to list
 * their descriptors. `fd` is a socket that is connected to the address, or -1.
 */
static void socket_holder(const union apsp_listen_address *address, int fd,
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

/* Print a line about an address on which a program already listens. */
static void taken_report(const char *spec,
	const union apsp_listen_address *address, int fd,
	struct apsp_check_report *report)
{
	struct apsp_err err;
	char holder[80];

	socket_holder(address, fd, holder, sizeof(holder));
	if (!is_apspd(fd)) {
		apsp_fail(&err, APSP_EIO,
			"%s listens on %s; stop it, or choose another --listen",
			holder, spec);
		apsp_check_wrong(report, what, &err);
	} else if (report->in_use) {
		report->serves = true;
		apsp_check_ok(report, what, "apspd serves %s already: %s", spec,
			holder);
	} else {
		apsp_fail(&err, APSP_EIO,
			"an apspd with other directories serves %s: %s; stop "
			"it, or choose another --listen",
			spec, holder);
		apsp_check_wrong(report, what, &err);
	}
}

/*
 * Check that this process is allowed to make a group the owner of a file. Only
 * root and members of the group are allowed to do this. APSP_EIO: the process
 * is not allowed to do this.
 */
static int group_check(const char *name, struct apsp_err *err)
{
	gid_t group, own[256];
	int n = getgroups(sizeof(own) / sizeof(*own), own);
	int r = apsp_listen_group(name, &group, err);

	if (r < 0 || !name || geteuid() == 0 || group == getegid())
		return r;
	for (int i = 0; i < n; i++)
		if (own[i] == group)
			return 0;
	return apsp_fail(err, APSP_EIO,
		"user %u is no member of the group %s of --socket-group; "
		"usermod -aG %s makes it one",
		(unsigned int)geteuid(), name, name);
}

/* Check that the file of a unix socket can be made. APSP_EIO: the file cannot
   be made; the message has the reason. */
static int unix_check(const union apsp_listen_address *address,
	const char *socket_group, struct apsp_err *err)
{
	const char *path = address->un.sun_path;
	const char *slash = strrchr(path, '/');
	char parent[sizeof(address->un.sun_path) + 1] = ".";
	struct stat st;

	if (lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return apsp_fail(err, APSP_EIO,
			"'%s' exists and is not a socket; move it away, or "
			"choose another --listen",
			path);
	if (slash)
		snprintf(parent, sizeof(parent), "%.*s",
			slash == path ? 1 : (int)(slash - path), path);
	if (access(parent, W_OK | X_OK) < 0)
		return apsp_fail(err, APSP_EIO,
			"no socket can be made in '%s': %s; make it for this "
			"user, or choose another --listen",
			parent, strerror(errno));
	return group_check(socket_group, err);
}

static int inet_check(const char *spec,
	const union apsp_listen_address *address, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	char holder[80];
	int one = 1;

	fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return apsp_fail_errno(err, errno, "open a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (address->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, &address->any, apsp_listen_address_size(address)) == 0)
		return 0;
	if (errno == EADDRINUSE) {
		socket_holder(address, -1, holder, sizeof(holder));
		return apsp_fail(err, APSP_EIO,
			"%s has %s; stop it, or choose another --listen",
			holder, spec);
	}
	return apsp_fail(err, APSP_EIO,
		"apspd cannot listen on %s: %s; choose %s", spec,
		strerror(errno),
		errno == EACCES ? "a port from 1024 on"
				: "an address of this machine");
}

void apsp_check_address(const char *spec, const char *socket_group,
	bool any_address, struct apsp_check_report *report)
{
	APSP_AUTO(apsp_close) int fd = -1;
	union apsp_listen_address address;
	struct apsp_err err;
	int r;

	r = apsp_listen_address_parse(spec, any_address, &address, &err);
	if (r == 0 && !apsp_listen_address_any_port(&address)) {
		fd = connect_to(&address);
		if (fd >= 0) {
			taken_report(spec, &address, fd, report);
			return;
		}
	}
	if (r == 0)
		r = address.any.sa_family == AF_UNIX
			    ? unix_check(&address, socket_group, &err)
			    : inet_check(spec, &address, &err);
	if (r < 0)
		apsp_check_wrong(report, what, &err);
	else
		apsp_check_ok(report, what, "%s is free", spec);
}
