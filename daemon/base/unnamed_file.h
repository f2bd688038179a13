/*
 * Files without a name. They vanish when the process that opened them ends,
 * even by a crash, and other processes cannot find them.
 */
#ifndef APSP_DAEMON_BASE_UNNAMED_FILE_H
#define APSP_DAEMON_BASE_UNNAMED_FILE_H

enum {
	APSP_UNNAMED_PATH_SIZE = 32,
};

/*
 * Create an unnamed file on the filesystem of dir, for reading and writing. On
 * a filesystem without O_TMPFILE (overlayfs before Linux 6.3, NFS), create a
 * named file and remove its name at once. Returns the descriptor, or -1 with
 * errno.
 */
int apsp_unnamed_file_open(const char *dir);

/* Write to `out` a path by which this process can open the file again. The path
   is valid while fd is open. */
void apsp_unnamed_file_path(int fd, char out[APSP_UNNAMED_PATH_SIZE]);

#endif
