/*
 * The first member of a bundle, bundle.json: a text in JSON that lists the
 * contents of the bundle. This text determines all bytes of the bundle: it has
 * the graph's revision, which determines the labels and arcs, and a checksum of
 * every other member.
 */
#ifndef APSP_API_GRAPHS_BUNDLE_MANIFEST_H
#define APSP_API_GRAPHS_BUNDLE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/snapshots/graph_snapshot.h"

enum {
	APSP_BUNDLE_VERSION = 1,
	/* size of the text "tables/<hash>.apsp" in bytes, with its NUL */
	APSP_BUNDLE_TABLES_SIZE = sizeof("tables/.apsp") + APSP_HASH_SIZE - 1,
};

struct apsp_bundle_choice {
	/* the profile whose tables the bundle has; NULL: the tables of all
	   profiles */
	const char *profile;
	bool no_tables;
};

/* Whether a bundle has the tables of this profile. */
bool apsp_bundle_has_tables(const struct apsp_bundle_choice *choice,
	const struct apsp_profile_snapshot *profile);

/*
 * Write the name of the member that holds the table file of a profile. The name
 * contains the SHA-256 of the rule's text. The daemon finds tables by another
 * hash, which can also depend on attributes (storage/jobs/rule_key.h).
 */
void apsp_bundle_tables_name(const struct apsp_profile_snapshot *profile,
	char out[APSP_BUNDLE_TABLES_SIZE]);

/*
 * Make the text of bundle.json. The caller frees *out. APSP_EROW: the rule of a
 * profile cannot be read. APSP_ENOMEM.
 */
int apsp_bundle_manifest(const char *graph,
	const struct apsp_generation *generation,
	const struct apsp_bundle_choice *choice, char **out, size_t *out_size,
	struct apsp_err *err);

#endif
