/*
 * A checksum for large files.
 */
#ifndef APSP_DAEMON_BASE_CHECKSUM_H
#define APSP_DAEMON_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * A 64-bit checksum that is computed about as fast as memory is read: FNV-1a
 * (Fowler, Noll, Vo) over 64-bit words in eight interleaved lanes. After each
 * multiplication, the hash of the lane is rotated left by 29 bits, so that two
 * flipped sign bits do not cancel. Every step is a bijection on its lane, so a
 * change within one word is always detected. The last word is padded with
 * zeros. The checksum also depends on `size`.
 */
uint64_t apsp_checksum(const void *data, size_t size);

#endif
