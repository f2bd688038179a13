/*
 * Replies with apspd.py, the client library for Python, with the
 * address of this daemon as its default.
 */
#include "api/clients/clients.h"
#include "api/handlers.h"

int apsp_api_get_python_client(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_packed_file_reply_hosted(req,
		apsp_packed_file_find(apsp_client_files, "apspd.py"),
		apsp_client_set, err);
}
