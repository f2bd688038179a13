/*
 * The options of an upload in the headers and the query of a PUT: format,
 * coding, and the rule of the profile `default` (profile_input.h).
 */
#ifndef APSP_API_GRAPHS_UPLOAD_INPUT_H
#define APSP_API_GRAPHS_UPLOAD_INPUT_H

#include "api/http/request.h"
#include "storage/ingest/upload/upload.h"

/*
 * Fill the members of *out that depend on the request. If the query has `of`,
 * do not set the rule: apsp_derived_graph_wanted() sets it. Fails as
 * apsp_profile_input_query() does. APSP_EMEDIATYPE: an unknown format or
 * coding.
 */
int apsp_upload_input_read(struct apsp_request *req,
	struct apsp_upload_options *out, struct apsp_err *err);

/*
 * Call this when an upload fails with APSP_ETRANSFORM. It adds two curl
 * commands to the error reply (problem): one for weights that are lengths, and
 * one for weights that are strengths.
 */
void apsp_upload_input_suggest(struct apsp_request *req);

#endif
