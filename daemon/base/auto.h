/*
 * Local variables that own memory, a file or another resource. Each variable
 * has a destructor, which the compiler's cleanup attribute runs at the end of
 * the variable's scope.
 *
 * Declare such a variable empty, and fill it in a later statement. APSP_TAKE()
 * returns the variable's value and leaves the variable empty.
 *
 *	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
 *	APSP_AUTO(apsp_free) char *name = NULL;
 */
#ifndef APSP_DAEMON_BASE_AUTO_H
#define APSP_DAEMON_BASE_AUTO_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APSP_AUTO(fn) __attribute__((cleanup(fn)))

#define APSP_TAKE(x)                                                           \
	__extension__({                                                        \
		__typeof__(x) taken_ = (x);                                    \
		memset(&(x), 0, sizeof(x));                                    \
		taken_;                                                        \
	})

/* Define a destructor for APSP_AUTO: the function `void name(type **)`, which
   calls `void fn(type *)`. The function fn() must accept NULL. */
#define APSP_AUTO_DEFINE(name, type, fn)                                       \
	static inline void name(type **p)                                      \
	{                                                                      \
		fn(*p);                                                        \
	}                                                                      \
	struct apsp_swallow_semicolon

/* Destructor for a pointer from malloc(). */
static inline void apsp_free(void *p)
{
	void *held;

	memcpy(&held, p, sizeof(held));
	free(held);
}

/* Destructor for a descriptor. An empty descriptor has the value -1, so use
   APSP_TAKE_FD() instead of APSP_TAKE(). Empties *fd: a second call must not
   close a file that another thread has opened under the same number. */
static inline void apsp_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Destructor for a file that was only read. Errors of fclose() are ignored, so
 * code that writes a file must close it with fclose(APSP_TAKE(file)).
 */
static inline void apsp_file_close(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void apsp_dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#define APSP_TAKE_FD(fd)                                                       \
	__extension__({                                                        \
		int taken_ = (fd);                                             \
		(fd) = -1;                                                     \
		taken_;                                                        \
	})

#endif
