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

/* The value of a digit, of either case; -1: it is none. */
int apsp_hex_digit(char c);

#endif
