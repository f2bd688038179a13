/*
 * The function that is called when tables are found damaged.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_WATCH_H
#define APSP_STORAGE_TABLES_TABLE_WATCH_H

/*
 * damaged() may be NULL. It is called once for each opened table file, on the
 * thread that saw the damage first, and must not block.
 */
struct apsp_tables_watch {
	void (*damaged)(void *ctx);
	void *ctx;
};

#endif
