/*
 * What a search found, as JSON that is appended to a text.
 */
#ifndef APSP_API_PATHS_PATH_SEARCH_TEXT_H
#define APSP_API_PATHS_PATH_SEARCH_TEXT_H

#include "api/encode/json_writer.h"
#include "api/paths/path_search.h"
#include "daemon/base/err.h"

/*
 * The whole answer of a search that has ended. APSP_ENOMEM; APSP_EDAMAGED, as
 * apsp_lookup_reachable().
 */
int apsp_path_search_write(struct apsp_json_writer *w,
	const struct apsp_path_search *search, struct apsp_err *err);

#endif
