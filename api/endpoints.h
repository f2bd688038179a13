/*
 * The endpoints' functions, one file each; route.c lists them.
 */
#ifndef APSP_API_ENDPOINTS_H
#define APSP_API_ENDPOINTS_H

#include "api/request.h"

/* PUT /v1/graphs/{graph}: an upload */
int apsp_api_put_graph_begin(struct apsp_request *req, struct apsp_err *err);
int apsp_api_put_graph_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err);
int apsp_api_put_graph(struct apsp_request *req, struct apsp_err *err);

int apsp_api_get_graph(struct apsp_request *req, struct apsp_err *err);
int apsp_api_delete_graph(struct apsp_request *req, struct apsp_err *err);
int apsp_api_list_graphs(struct apsp_request *req, struct apsp_err *err);

int apsp_api_put_profile(struct apsp_request *req, struct apsp_err *err);
int apsp_api_get_profile(struct apsp_request *req, struct apsp_err *err);
int apsp_api_delete_profile(struct apsp_request *req, struct apsp_err *err);

int apsp_api_list_vertices(struct apsp_request *req, struct apsp_err *err);
int apsp_api_get_path(struct apsp_request *req, struct apsp_err *err);
int apsp_api_post_paths(struct apsp_request *req, struct apsp_err *err);
int apsp_api_post_estimate(struct apsp_request *req, struct apsp_err *err);
int apsp_api_get_reachable(struct apsp_request *req, struct apsp_err *err);
int apsp_api_get_reach_set(struct apsp_request *req, struct apsp_err *err);

int apsp_api_list_jobs(struct apsp_request *req, struct apsp_err *err);
int apsp_api_get_job(struct apsp_request *req, struct apsp_err *err);
int apsp_api_delete_job(struct apsp_request *req, struct apsp_err *err);

int apsp_api_get_info(struct apsp_request *req, struct apsp_err *err);
int apsp_api_list_devices(struct apsp_request *req, struct apsp_err *err);
int apsp_api_get_healthz(struct apsp_request *req, struct apsp_err *err);
int apsp_api_get_readyz(struct apsp_request *req, struct apsp_err *err);

#endif
