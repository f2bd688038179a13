/*
 * Files without a name: whatever becomes of the process, nothing of them is
 * left, and no other process can come across them.
 */
#ifndef APSP_BASE_UNNAMED_FILE_H
#define APSP_BASE_UNNAMED_FILE_H

enum {
	APSP_UNNAMED_PATH_SIZE = 32,
};

/*
 * Open a new one for reading and writing on the filesystem of dir: O_TMPFILE,
 * or a name that is removed at once where the filesystem knows none (overlayfs
 * before Linux 6.3, NFS). Returns the descriptor, or -1 with errno.
 */
int apsp_unnamed_file_open(const char *dir);

/* A path by which this process can open the same file while fd is open. */
void apsp_unnamed_file_path(int fd, char out[APSP_UNNAMED_PATH_SIZE]);

#endif
