/*
 * Who is told that tables are damaged.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_WATCH_H
#define APSP_STORAGE_TABLES_TABLE_WATCH_H

/*
 * damaged() is called once for each opened table file, on the thread that saw
 * the damage first; it must not block.
 */
struct apsp_tables_watch {
	void (*damaged)(
		void *ctx, const char *revision, const char *profile_hash);
	void *ctx;
};

#endif
