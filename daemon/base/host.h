/*
 * Hosts in settings, URLs and requests: HOST or HOST:PORT. HOST is a name, an
 * IPv4 address, or an IPv6 address in brackets.
 */
#ifndef APSP_DAEMON_BASE_HOST_H
#define APSP_DAEMON_BASE_HOST_H

#include <stddef.h>

/* Return the size of HOST in "HOST:PORT" or "HOST", in bytes; 0: the text has
   neither form. The characters of a name are not checked. */
size_t apsp_host_size(const char *text);

/* Return the text behind "http://" or "https://"; NULL: the text begins with
   neither. */
const char *apsp_host_in_url(const char *url);

#endif
