/*
 * Replies with apspd.R, the client library for R. The library's default address
 * is the request's Host, if the Host is localhost or a numeric address with a
 * port. Otherwise the default address is localhost:8080 (packed_file.h).
 */
#include "api/clients/clients.h"
#include "api/handlers.h"

int apsp_api_get_r_client(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_packed_file_reply_hosted(req,
		apsp_packed_file_find(apsp_client_files, "apspd.R"),
		apsp_client_set, err);
}
