/*
 * The options of an upload in the headers and the query of a PUT: format,
 * coding, and the rule of the profile `default`.
 */
#ifndef APSP_API_GRAPHS_UPLOAD_INPUT_H
#define APSP_API_GRAPHS_UPLOAD_INPUT_H

#include "api/http/request.h"
#include "storage/ingest/upload/upload.h"

/*
 * Fill the members of *out that depend on the request. If the client gives no
 * transform, the upload keeps the rule of the graph's profile `default`,
 * changed by the options that the client gives. A new graph that is made from a
 * stored graph (?of=) takes the stored graph's rule. A graph of sums (?by=)
 * takes only the transform and the path of this rule. For any other new graph,
 * the upload's contents decide the transform later (out->transform_unsaid).
 * APSP_EMALFORMED: an option does not exist or has a bad value.
 * APSP_EMEDIATYPE: an unknown format or coding. APSP_ETRANSFORM: as
 * apsp_profile_input_parse().
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
