/*
 * GET /assets/{set}/{file}: a file of the page. {set} is a hash of all files.
 * It changes when a file changes, so browsers are allowed to keep a file for a
 * year.
 */
#include <string.h>

#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/packed_file.h"
#include "api/page/assets.h"

int apsp_api_get_asset(struct apsp_request *req, struct apsp_err *err)
{
	const char *set = req->params[0], *name = req->params[1];
	const struct apsp_packed_file *file =
		apsp_packed_file_find(apsp_page_files, name);

	if (!file || strcmp(set, apsp_page_set) != 0)
		return apsp_fail(err, APSP_ENOROUTE,
			"there is no '%s' in the page's files of this version; "
			"load the page again",
			name);
	req->immutable = true;
	return apsp_packed_file_reply(req, file, apsp_page_set, err);
}
