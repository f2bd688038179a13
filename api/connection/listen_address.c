/*
 * Reading addresses; see listen_address.h.
 */
#include "api/connection/listen_address.h"

#include <arpa/inet.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

static bool is_loopback(const union apsp_listen_address *a)
{
	if (a->any.sa_family == AF_INET)
		return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
	return a->any.sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

/* A daemon that other machines can reach must know its clients. */
int apsp_listen_address_check(const union apsp_listen_address *a,
	const char *text, bool any_address, struct apsp_err *err)
{
	if (any_address || a->any.sa_family == AF_UNIX || is_loopback(a))
		return 0;
	return apsp_fail(err, APSP_EFORBIDDEN,
		"Refusing to listen on %s without tokens, since anybody there "
		"could read and delete graphs. \"apspd --tokens FILE "
		"--new-token admin\" makes one, and \"apspd --tokens FILE "
		"--listen %s\" then serves there.",
		text, text);
}

/* Parse a numeric host and a port. */
static int inet_parse(
	const char *spec, union apsp_listen_address *out, struct apsp_err *err)
{
	const char *colon = strrchr(spec, ':');
	const char *digits = colon ? colon + 1 : "";
	char host[64], *end = NULL;
	unsigned long port = 0;
	size_t size = colon ? (size_t)(colon - spec) : 0;

	if (*digits >= '0' && *digits <= '9')
		port = strtoul(digits, &end, 10);
	if (!end || *end || port > 65535 || size == 0 || size >= sizeof(host))
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
		return r < 0 ? r
			     : apsp_listen_address_check(
				       out, spec, any_address, err);
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
