/*
 * The client for Python, apspd.py.
 */
#include "api/clients/clients.h"
#include "api/handlers.h"
#include "api/http/query.h"

int apsp_api_get_python_client(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {NULL};
	int r;

	r = apsp_query_only(req, names, err);
	if (r < 0)
		return r;
	return apsp_packed_file_reply(req,
		apsp_packed_file_find(apsp_client_files, "apspd.py"),
		apsp_client_set, err);
}
