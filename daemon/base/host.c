/*
 * Checking hosts; see host.h.
 */
#include "daemon/base/host.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/number.h"

size_t apsp_host_size(const char *text)
{
	const char *end = text[0] == '[' ? strchr(text, ']') : NULL;
	uint64_t port;
	size_t size;

	if (text[0] == '[')
		size = end && end > text + 1 ? (size_t)(end - text) + 1 : 0;
	else
		size = strcspn(text, ":");
	if (size == 0 || text[size] == '\0')
		return size;
	if (text[size] != ':' ||
		(text[size + 1] && !apsp_number_parse_count(
					   text + size + 1, UINT16_MAX, &port)))
		return 0;
	return size;
}

const char *apsp_host_in_url(const char *url)
{
	if (strncasecmp(url, "http://", 7) == 0)
		return url + 7;
	if (strncasecmp(url, "https://", 8) == 0)
		return url + 8;
	return NULL;
}
