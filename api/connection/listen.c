/*
 * Listeners, opened or inherited; see listen.h.
 */
#include "api/connection/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/base/auto.h"
#include "daemon/base/number.h"

enum {
	BACKLOG = 1024,
	FIRST_INHERITED_FD = 3, /* the first socket that systemd passes
				   (sd_listen_fds(3)) */
	UNIX_MODE = 0660,
};

/*
 * Check that we are allowed to listen at an address; messages show the address
 * as `text`. Loopback and unix sockets are always allowed. At any other
 * address, other machines can reach the daemon. So such an address is allowed
 * only if `any_address` is true, which means that requests need tokens.
 * APSP_EFORBIDDEN: we are not allowed to listen there.
 */
static int address_check(const union apsp_listen_address *a, const char *text,
	bool any_address, struct apsp_err *err)
{
	if (any_address || a->any.sa_family == AF_UNIX ||
		(a->any.sa_family == AF_INET &&
			ntohl(a->v4.sin_addr.s_addr) >> 24 == 127) ||
		(a->any.sa_family == AF_INET6 &&
			IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr)))
		return 0;
	return apsp_fail(err, APSP_EFORBIDDEN,
		"Refusing to listen on %s without tokens, since anybody there "
		"could read and delete graphs. \"apspd --tokens FILE "
		"--new-token admin\" makes one, and \"apspd --tokens FILE "
		"--listen %s\" then serves there.",
		text, text);
}

/* Parse "ADDR:PORT", where ADDR is numeric or localhost. APSP_EMALFORMED: the
   text has another form. */
static int inet_parse(
	const char *spec, union apsp_listen_address *out, struct apsp_err *err)
{
	const char *colon = strrchr(spec, ':');
	const char *digits = colon ? colon + 1 : "";
	char host[64];
	uint64_t port;
	size_t size = colon ? (size_t)(colon - spec) : 0;

	if (!apsp_number_parse_count(digits, UINT16_MAX, &port) || size == 0 ||
		size >= sizeof(host))
		return apsp_fail(err, APSP_EMALFORMED,
			"'%s' is not ADDRESS:PORT or unix:PATH.", spec);
	memcpy(host, spec, size);
	host[size] = '\0';
	if (strcmp(host, "localhost") == 0)
		strcpy(host, "127.0.0.1");
	if (inet_pton(AF_INET, host, &out->v4.sin_addr) == 1) {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons((uint16_t)port);
		return 0;
	}
	if (host[0] == '[' && host[size - 1] == ']') {
		host[size - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, &out->v6.sin6_addr) == 1) {
			out->v6.sin6_family = AF_INET6;
			out->v6.sin6_port = htons((uint16_t)port);
			return 0;
		}
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"'%s' is not a numeric IPv4 address, [IPv6] address or "
		"localhost.",
		host);
}

int apsp_listen_address_parse(const char *spec, bool any_address,
	union apsp_listen_address *out, struct apsp_err *err)
{
	const char *path = spec + strlen("unix:");
	int r;

	memset(out, 0, sizeof(*out));
	if (strncmp(spec, "unix:", strlen("unix:")) != 0) {
		r = inet_parse(spec, out, err);
		return r < 0 ? r : address_check(out, spec, any_address, err);
	}
	if (path[0] == '\0' || strlen(path) >= sizeof(out->un.sun_path))
		return apsp_fail(err, APSP_EMALFORMED,
			"The path of a unix socket has 1 to %zu bytes, '%s' "
			"does not.",
			sizeof(out->un.sun_path) - 1, path);
	out->un.sun_family = AF_UNIX;
	strcpy(out->un.sun_path, path);
	return 0;
}

bool apsp_listen_address_any_port(const union apsp_listen_address *a)
{
	return (a->any.sa_family == AF_INET && a->v4.sin_port == 0) ||
	       (a->any.sa_family == AF_INET6 && a->v6.sin6_port == 0);
}

int apsp_listen_repeats_check(
	const struct apsp_texts *specs, struct apsp_err *err)
{
	union apsp_listen_address a, b;
	struct apsp_err malformed;

	for (size_t i = 0; i < specs->n; i++)
		for (size_t j = 0; j < i; j++)
			if (apsp_listen_address_parse(specs->items[i], true, &a,
				    &malformed) == 0 &&
				apsp_listen_address_parse(specs->items[j], true,
					&b, &malformed) == 0 &&
				memcmp(&a, &b, sizeof(a)) == 0 &&
				!apsp_listen_address_any_port(&a))
				return apsp_fail(err, APSP_EMALFORMED,
					"--listen names %s twice",
					specs->items[i]);
	return 0;
}

socklen_t apsp_listen_address_size(const union apsp_listen_address *a)
{
	return a->any.sa_family == AF_INET    ? sizeof(a->v4)
	       : a->any.sa_family == AF_INET6 ? sizeof(a->v6)
					      : sizeof(a->un);
}

int apsp_listen_group(const char *name, gid_t *out, struct apsp_err *err)
{
	const struct group *group;

	*out = (gid_t)-1;
	if (!name)
		return 0;
	group = getgrnam(name);
	if (!group)
		return apsp_fail(err, APSP_EMALFORMED,
			"There is no group '%s' for --socket-group.", name);
	*out = group->gr_gid;
	return 0;
}

/* Write the address of a socket as text, and check that we are allowed to
   listen at this address. */
static int describe(int fd, const struct apsp_listen_rules *rules, char *out,
	size_t size, struct apsp_err *err)
{
	char host[INET6_ADDRSTRLEN] = "";
	union apsp_listen_address a = {0};
	socklen_t length = sizeof(a);

	if (getsockname(fd, &a.any, &length) < 0)
		return apsp_fail_errno(err, errno, "getsockname");
	if (a.any.sa_family == AF_UNIX) {
		size_t n = length - offsetof(struct sockaddr_un, sun_path);

		if (n > 0 && a.un.sun_path[0] == '\0')
			snprintf(out, size, "unix:@%.*s", (int)n - 1,
				a.un.sun_path + 1);
		else
			snprintf(out, size, "unix:%.*s", (int)n, a.un.sun_path);
		return 0;
	}
	if (a.any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &a.v4.sin_addr, host, sizeof(host));
		snprintf(out, size, "%s:%u", host, ntohs(a.v4.sin_port));
	} else if (a.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a.v6.sin6_addr, host, sizeof(host));
		snprintf(out, size, "[%s]:%u", host, ntohs(a.v6.sin6_port));
	} else {
		return apsp_fail(err, APSP_EIO,
			"Descriptor %d is no internet or unix socket.", fd);
	}
	return address_check(&a, out, rules->any_address, err);
}

static int open_socket(int family, int *out_fd, struct apsp_err *err)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return apsp_fail_errno(err, errno, "open a socket");
	*out_fd = fd;
	return 0;
}

static int open_inet(const char *spec, const union apsp_listen_address *a,
	int *out_fd, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	int one = 1;
	int r;

	r = open_socket(a->any.sa_family, &fd, err);
	if (r < 0)
		return r;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, &a->any, apsp_listen_address_size(a)) < 0 ||
		listen(fd, BACKLOG) < 0)
		return apsp_fail_errno(err, errno, "Cannot listen on %s", spec);
	*out_fd = APSP_TAKE_FD(fd);
	return 0;
}

/* Remove a socket file on which no program listens. */
static int remove_stale(
	const union apsp_listen_address *a, struct apsp_err *err)
{
	const char *path = a->un.sun_path;
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;
	int r;

	if (lstat(path, &st) < 0)
		return 0; /* if there is no such file, bind() will work; after
			     any other error, bind() will fail and report the
			     error */
	if (!S_ISSOCK(st.st_mode))
		return apsp_fail(err, APSP_EIO,
			"Cannot listen on unix:%s: it exists and is not a "
			"socket.",
			path);
	r = open_socket(AF_UNIX, &fd, err);
	if (r < 0)
		return r;
	/* after any other error than ECONNREFUSED, assume that a program
	   listens: for example, EAGAIN means that its backlog is full */
	if (connect(fd, &a->any, sizeof(a->un)) == 0 || errno != ECONNREFUSED)
		return apsp_fail(err, APSP_EIO,
			"Cannot listen on unix:%s: another program does.",
			path);
	if (unlink(path) < 0)
		return apsp_fail_errno(err, errno, "remove '%s'", path);
	return 0;
}

static int open_unix(const union apsp_listen_address *a,
	const struct apsp_listen_rules *rules, int *out_fd,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	const char *path = a->un.sun_path;
	gid_t group;
	int r;

	r = apsp_listen_group(rules->socket_group, &group, err);
	if (r < 0)
		return r;
	r = remove_stale(a, err);
	if (r < 0)
		return r;
	r = open_socket(AF_UNIX, &fd, err);
	if (r < 0)
		return r;
	/* call fchmod() before bind(), so that the socket never allows more
	   than UNIX_MODE; call chmod() after bind(), because the umask may have
	   removed permissions */
	fchmod(fd, UNIX_MODE);
	if (bind(fd, &a->any, sizeof(a->un)) < 0)
		return apsp_fail_errno(
			err, errno, "Cannot listen on unix:%s", path);
	if (group != (gid_t)-1 && lchown(path, (uid_t)-1, group) < 0)
		return apsp_fail_errno(err, errno,
			"Cannot give unix:%s to the group %s", path,
			rules->socket_group);
	if (chmod(path, UNIX_MODE) < 0 || listen(fd, BACKLOG) < 0)
		return apsp_fail_errno(
			err, errno, "Cannot listen on unix:%s", path);
	*out_fd = APSP_TAKE_FD(fd);
	return 0;
}

int apsp_listener_open(const char *spec, const struct apsp_listen_rules *rules,
	struct apsp_listener *out, struct apsp_err *err)
{
	struct apsp_listener listener = {.fd = -1};
	union apsp_listen_address a;
	int r;

	r = apsp_listen_address_parse(spec, rules->any_address, &a, err);
	if (r < 0)
		return r;
	if (a.any.sa_family == AF_UNIX)
		r = open_unix(&a, rules, &listener.fd, err);
	else
		r = open_inet(spec, &a, &listener.fd, err);
	if (r < 0)
		return r;
	r = describe(listener.fd, rules, listener.address,
		sizeof(listener.address), err);
	if (r < 0) {
		close(listener.fd);
		return r;
	}
	if (a.any.sa_family == AF_UNIX &&
		stat(a.un.sun_path, &listener.file) < 0)
		listener.file.st_ino = 0;
	*out = listener;
	return 0;
}

/* Whether every user of this machine can connect to a unix socket, because
   every user is allowed to write to the socket's file. */
static bool is_open_to_all(const struct apsp_listener *listener)
{
	struct stat st;

	if (strncmp(listener->address, "unix:", 5) != 0)
		return false;
	/* if the address begins with '@', the socket has an abstract name and
	   no file, so every user can connect */
	if (listener->address[5] == '@')
		return true;
	return stat(listener->address + 5, &st) == 0 &&
	       (st.st_mode & S_IWOTH) != 0;
}

static int inherit(int fd, const struct apsp_listen_rules *rules,
	struct apsp_listener *out, struct apsp_err *err)
{
	struct apsp_listener listener = {.fd = fd, .inherited = true};
	socklen_t size = sizeof(int);
	int listening = 0;
	int r;

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0 ||
		!listening)
		return apsp_fail(err, APSP_EIO,
			"Inherited descriptor %d is no listening socket.", fd);
	r = describe(
		fd, rules, listener.address, sizeof(listener.address), err);
	if (r < 0)
		return r;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ||
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0)
		return apsp_fail_errno(err, errno, "fcntl");
	listener.open_to_all = is_open_to_all(&listener);
	*out = listener;
	return 0;
}

int apsp_listeners_inherit(struct apsp_listener *out, size_t max,
	const struct apsp_listen_rules *rules, struct apsp_err *err)
{
	const char *pid = getenv("LISTEN_PID");
	const char *fds = getenv("LISTEN_FDS");
	long n = 0;

	if (pid && fds && strtol(pid, NULL, 10) == (long)getpid())
		n = strtol(fds, NULL, 10);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (n < 0 || (size_t)n > max)
		return apsp_fail(err, APSP_EIO,
			"LISTEN_FDS is %ld; at most %zu sockets can be "
			"inherited.",
			n, max);
	for (long i = 0; i < n; i++) {
		int r = inherit(
			FIRST_INHERITED_FD + (int)i, rules, &out[i], err);

		if (r < 0)
			return r;
	}
	return (int)n;
}

void apsp_listener_close(struct apsp_listener *listener)
{
	const struct stat *own = &listener->file;
	const char *path = listener->address + strlen("unix:");
	struct stat st;

	if (listener->fd < 0)
		return;
	/* unlink the file while the socket is open: until then, no other file
	   can get its inode, and no other apspd takes it for a stale file */
	if (own->st_ino != 0 && lstat(path, &st) == 0 &&
		st.st_dev == own->st_dev && st.st_ino == own->st_ino)
		unlink(path);
	close(listener->fd);
	listener->fd = -1;
}
