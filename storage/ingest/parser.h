/*
 * What every format's parser offers: it is fed bytes in any pieces and puts
 * arcs into a sink. One file implements one format.
 *
 * The pieces are decompressed and never depend on each other: any chunking of
 * one body gives the same arcs or the same error. Memory is a fixed buffer,
 * plus texts of the first lines where a layout is told by them.
 */
#ifndef APSP_STORAGE_INGEST_PARSER_H
#define APSP_STORAGE_INGEST_PARSER_H

#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/ingest/sink.h"

struct apsp_parser_type {
	/* On success the caller ends *out with close(). sink must outlive it.
	 */
	int (*open)(struct apsp_sink *sink, void **out, struct apsp_err *err);
	/* APSP_EDATA, and what the sink says; then only close() may follow. */
	int (*feed)(void *parser, const char *data, size_t size,
		struct apsp_err *err);
	/* The body is complete. */
	int (*end)(void *parser, struct apsp_err *err);
	void (*close)(void *parser); /* accepts NULL */
};

extern const struct apsp_parser_type apsp_parser_edge_list;
extern const struct apsp_parser_type apsp_parser_csv_matrix;
extern const struct apsp_parser_type apsp_parser_mtx;
extern const struct apsp_parser_type apsp_parser_gr;
extern const struct apsp_parser_type apsp_parser_npy;
extern const struct apsp_parser_type apsp_parser_json;

#endif
