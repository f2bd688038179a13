/*
 * A disk with as much free space as a test says, in place of statvfs().
 */
#ifndef APSP_TESTS_DISK_FIXTURE_H
#define APSP_TESTS_DISK_FIXTURE_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/statvfs.h>

#define PLENTY (UINT64_C(1) << 40)
static atomic_ullong n_free = PLENTY; /* bytes */

int statvfs(const char *path, struct statvfs *out)
{
	(void)path;
	memset(out, 0, sizeof(*out));
	out->f_frsize = 1;
	out->f_bavail = atomic_load(&n_free);
	return 0;
}

#endif
