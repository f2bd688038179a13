/*
 * What the headers and the query of a PUT say of its upload: format, coding,
 * and the rule of the profile `default`.
 */
#ifndef APSP_API_GRAPHS_UPLOAD_INPUT_H
#define APSP_API_GRAPHS_UPLOAD_INPUT_H

#include "api/http/request.h"
#include "storage/ingest/upload/upload.h"

/*
 * Fill the members of *out that the client decides. A rule without a transform
 * is that of the graph's `default`, changed by the options that are there; for
 * a new graph the meaning of its weights decides (out->transform_unsaid).
 * APSP_EMALFORMED: an option that does not exist or does not fit.
 * APSP_EMEDIATYPE: an unknown format or coding.
 */
int apsp_upload_input_read(struct apsp_request *req,
	struct apsp_upload_options *out, struct apsp_err *err);

/*
 * Add to the problem that follows an APSP_ETRANSFORM the two commands of curl
 * of which one says what the weights are.
 */
void apsp_upload_input_suggest(struct apsp_request *req);

#endif
