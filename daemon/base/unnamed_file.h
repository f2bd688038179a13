/*
 * Files without a name. Such a file vanishes when the process that has opened
 * it ends, even by a crash. The file is in no directory, so other processes
 * cannot find it there.
 */
#ifndef APSP_DAEMON_BASE_UNNAMED_FILE_H
#define APSP_DAEMON_BASE_UNNAMED_FILE_H

/*
 * Create an unnamed file on the filesystem of dir, for reading and writing. On
 * a filesystem without O_TMPFILE (overlayfs before Linux 6.3, NFS), create a
 * named file and remove its name at once. Returns the descriptor, or -1 with
 * errno. While the descriptor N is open, this process can open the file again
 * by the path /proc/self/fd/N.
 */
int apsp_unnamed_file_open(const char *dir);

#endif
