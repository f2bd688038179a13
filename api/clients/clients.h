/*
 * The client libraries for Python and R. api/embed.py embeds their files in the
 * executable when the daemon is built.
 */
#ifndef APSP_API_CLIENTS_CLIENTS_H
#define APSP_API_CLIENTS_CLIENTS_H

#include "api/packed_file.h"

/* apspd.py and apspd.R. An entry with the name NULL ends the list. */
extern const struct apsp_packed_file apsp_client_files[];

/* A hash of all client files. The ETag of each file contains this hash. */
extern const char apsp_client_set[];

#endif
