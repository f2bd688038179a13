/*
 * Replies with apspd.py, the client library for Python.
 */
#include "api/clients/clients.h"
#include "api/handlers.h"

int apsp_api_get_python_client(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_packed_file_reply(req,
		apsp_packed_file_find(apsp_client_files, "apspd.py"),
		apsp_client_set, err);
}
