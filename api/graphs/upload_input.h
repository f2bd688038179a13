/*
 * The options of an upload in the headers and the query of a PUT: format,
 * coding, and the rule of the profile `default`.
 */
#ifndef APSP_API_GRAPHS_UPLOAD_INPUT_H
#define APSP_API_GRAPHS_UPLOAD_INPUT_H

#include "api/http/request.h"
#include "storage/ingest/upload/upload.h"
#include "storage/snapshots/graph_snapshot.h"

/*
 * Set the rule in *out. If the client gives no transform, the upload keeps the
 * rule of the graph's profile `default`, changed by the options that the client
 * gives. A new graph that is made from an upload of a stored graph (`origin`,
 * or NULL) takes the rule of this upload. A graph of sums (?by=) takes only the
 * transform and the path of this rule. The graph of a part (?match=) whose
 * request states the transform and the path of this rule takes `duplicates`
 * from this rule (apsp_profile_input_duplicates()). For any other new graph,
 * the upload's contents decide the transform later (out->transform_unsaid).
 * APSP_EMALFORMED: an option has a bad value. APSP_ETRANSFORM: as
 * apsp_profile_input_parse().
 */
int apsp_upload_input_rule(struct apsp_request *req,
	const struct apsp_generation *origin, struct apsp_upload_options *out,
	struct apsp_err *err);

/*
 * Fill the members of *out that depend on the request. For ?of=, leave the rule
 * unset; apsp_derived_graph_wanted() sets it. Fails as apsp_upload_input_rule()
 * does. APSP_EMEDIATYPE: an unknown format or coding.
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
