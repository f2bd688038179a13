/*
 * Hexadecimal digits.
 */
#ifndef APSP_DAEMON_BASE_HEX_H
#define APSP_DAEMON_BASE_HEX_H

#include <stddef.h>

/*
 * Write size bytes as 2 * size lower-case digits and a NUL. The high half of
 * each byte comes first.
 */
void apsp_hex_write(const void *bytes, size_t size, char *out);

/* Return the value of a hexadecimal digit, in upper or lower case; -1: c is no
   digit. */
int apsp_hex_digit(char c);

/* Return the byte that two hexadecimal digits stand for, in upper or lower
   case; -1: at least one of them is no digit. Nothing is read after a NUL. */
int apsp_hex_byte(const char *digits);

#endif
