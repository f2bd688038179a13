/*
 * Removing a test's directory with all that is in it.
 */
#ifndef APSP_TESTS_REMOVE_TREE_H
#define APSP_TESTS_REMOVE_TREE_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_tree_entry(
	const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void remove_tree(const char *dir)
{
	nftw(dir, remove_tree_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
