/*
 * Recognises files by their first bytes: finds the format if the request names
 * none, and refuses kinds of files that apspd cannot read. The message says how
 * to convert such a file, often by a line of Python or R.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_FIRST_BLOCK_H
#define APSP_STORAGE_INGEST_FORMATS_FIRST_BLOCK_H

#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/ingest/file_options.h"
#include "storage/ingest/formats/format.h"

/*
 * Return the format of a file that begins with `block`. Files of npy, bundle,
 * mtx, json and gr are recognised by their first bytes. Any other file counts
 * as separated text, csv.
 */
enum apsp_format apsp_first_block_format(const char *block, size_t size);

/*
 * Check the first block of a file before it is parsed. *out_mark is the size of
 * the byte order mark with which a text begins, or 0. APSP_EDATA: the file is
 * of a kind that apspd cannot read (zip, HDF5, XML, …); or the format is
 * separated text, but the file is Matrix Market, or it is undirected and `file`
 * says nothing about directions. If the format is a text format, APSP_EDATA
 * also means that the block is UTF-16 or UTF-32, has a NUL, or has more control
 * characters than other bytes. The message says what to do.
 */
int apsp_first_block_check(const char *block, size_t size,
	enum apsp_format format, const struct apsp_file_options *file,
	size_t *out_mark, struct apsp_err *err);

#endif
