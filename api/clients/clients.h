/*
 * The clients' files, embedded at build by api/embed.py.
 */
#ifndef APSP_API_CLIENTS_CLIENTS_H
#define APSP_API_CLIENTS_CLIENTS_H

#include "api/packed_file.h"

/* apspd.py and apspd.R. An entry with the name NULL ends the list. */
extern const struct apsp_packed_file apsp_client_files[];

/* A hash of all files; their ETags contain it. */
extern const char apsp_client_set[];

#endif
