/*
 * apspd --check: the state and the cache directory, and the database.
 */
#ifndef APSP_DAEMON_CHECK_DIRECTORIES_H
#define APSP_DAEMON_CHECK_DIRECTORIES_H

#include <stdbool.h>

#include "daemon/base/settings.h"
#include "daemon/check_report.h"

/* An apspd that runs already. */
struct apsp_check_use {
	bool in_use; /* one has our directories … */
	bool serves; /* … and one serves an address of ours: that apspd */
};

/*
 * Whether an apspd has locked one of the directories. They are locked for a
 * moment ourselves, shared: the kernel tells it in no other way.
 */
bool apsp_check_directories_in_use(const struct apsp_settings *settings);

/* Print a line for each directory and for the database. */
void apsp_check_directories(const struct apsp_settings *settings,
	const struct apsp_check_use *use, struct apsp_check_report *report);

#endif
