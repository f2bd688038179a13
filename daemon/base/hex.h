/*
 * Bytes as hexadecimal digits: how digests are named.
 */
#ifndef APSP_DAEMON_BASE_HEX_H
#define APSP_DAEMON_BASE_HEX_H

#include <stddef.h>

/*
 * Write size bytes as 2 * size lower-case digits and a NUL; the high half of
 * each byte comes first.
 */
void apsp_hex_write(const void *bytes, size_t size, char *out);

#endif
