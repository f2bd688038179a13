/*
 * The contents of a bundle besides vertices and arcs: profiles, attributes, and
 * the facts about the graph in bundle.json. The parser of the format fills this
 * struct (storage/ingest/formats/format_bundle.c), and the store reads it.
 */
#ifndef APSP_STORAGE_INGEST_BUNDLED_H
#define APSP_STORAGE_INGEST_BUNDLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/job/graph_file.h"
#include "daemon/base/limits.h"
#include "daemon/base/name.h"
#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"
#include "daemon/job/unit.h"
#include "storage/ingest/origin.h"
#include "storage/ingest/received_table.h"

/*
 * The stored form of attributes: records of 1 + n_columns texts. Each text ends
 * with a NUL. The first record has "label" and the columns' names. Each other
 * record has the label and the values of one vertex; an empty text means that
 * the vertex has no value. No label is repeated.
 */
struct apsp_attribute_text {
	char *bytes; /* owned */
	size_t size;
	uint32_t n_columns;
	uint32_t n_rows; /* number of records after the first record */
	/* the name that the file gave to its column of labels; "": the name is
	   "label" or unknown. It is not stored. */
	char label_name[APSP_ATTRIBUTE_NAME_MAX + 1];
};

struct apsp_bundled_profile {
	char name[APSP_NAME_SIZE];
	char hash[APSP_HASH_SIZE]; /* SHA-256 of the text of `rule` */
	struct apsp_profile rule;
	bool has_tables;
	uint64_t tables_size; /* bytes of the table file */
	/* checksum of the table file's header, in hexadecimal */
	char tables_checksum[17];
	/* the received table file; owned. NULL: an earlier profile has the same
	   file, or a job computes the tables again */
	struct apsp_received_table *received;
};

struct apsp_bundled {
	bool is_bundle; /* false: the upload has another format, and all other
			   members are 0 */
	char revision[APSP_HASH_SIZE];
	/* how a job proves that the tables are right; set when the bundle is
	   complete */
	enum apsp_prove prove;
	uint64_t n_vertices;
	uint64_t n_arcs;
	struct apsp_origin origin;	  /* owned */
	char weight_unit[APSP_UNIT_SIZE]; /* "": the bundle names no unit */
	struct apsp_bundled_profile *profiles; /* array of n_profiles profiles,
						  including `default`; owned */
	size_t n_profiles;
	/* empty if the bundle has no attributes */
	struct apsp_attribute_text attributes;
};

#endif
