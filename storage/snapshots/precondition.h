/*
 * The conditions of If-Match, If-None-Match and ?revision=, which are checked
 * before a graph, a profile or a graph's attributes are changed.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_PRECONDITION_H
#define APSP_STORAGE_SNAPSHOTS_PRECONDITION_H

#include <stdbool.h>

#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

struct apsp_graph_snapshot;
struct apsp_generation;

enum {
	/* bytes of an entity tag without its quotes, with a NUL */
	APSP_TAG_SIZE = APSP_HASH_SIZE + 32,
};

/* The object that a request changes. The condition is compared with the
   object's tag. */
enum apsp_precondition_subject {
	APSP_SUBJECT_GRAPH,   /* a graph; its tag is the revision of its newest
				 upload */
	APSP_SUBJECT_PROFILE, /* a profile; its tag is the hash of its newest
				 rule */
	APSP_SUBJECT_ATTRIBUTES, /* a graph's attributes; apsp_attributes_tag()
				    writes their tag; the revision of the newest
				    upload is accepted, too */
};

/*
 * The conditions of one request. In the comments on the members, "the newest
 * upload" is the upload that the change is about
 * (apsp_graph_snapshot_changed()). If the job of a pending upload has failed,
 * the current upload counts as the newest one, if there is a current upload.
 * But if the request changes the rule of `default`, the pending upload counts
 * as the newest one, because its tables are then computed again by the new
 * rule.
 */
struct apsp_precondition {
	enum apsp_precondition_subject subject;
	const char *profile; /* the profile's name if the subject is
				APSP_SUBJECT_PROFILE; borrowed */
	bool must_not_exist; /* If-None-Match: * */
	bool must_exist;     /* If-Match: * */
	bool has_tag; /* the request has If-Match: "tag"; the member `tag` has
			 the tag without quotes */
	char tag[APSP_TAG_SIZE];
	/* ?revision=, borrowed; NULL: none. The newest upload must have this
	   revision. */
	const char *revision;
	/* Buffer of APSP_HASH_SIZE bytes, in which each check stores the
	   revision of the newest upload, or "" if there is no upload. May be
	   NULL. */
	char *out_revision;
	/*
	 * Buffer in which each check stores the text of a rule
	 * (apsp_profile_format()). If the subject is a profile, the text is the
	 * rule of this profile. If the subject is a graph, the text is the rule
	 * of the profile `default`. If the subject is a graph's attributes, the
	 * text is "". May be NULL.
	 */
	char *out_rule;
	bool replaces_rule; /* the query has default_rule=replace
			       (default_rule.h) */
};

/*
 * Check the condition `wanted` (NULL: none) against the graph's snapshot (NULL:
 * there is no graph of that name). APSP_EPRECONDITION: the object does not have
 * the wanted tag, exists although the condition says that it must not, or is
 * absent although it must exist. APSP_EREVISION: the newest upload does not
 * have the wanted revision.
 */
int apsp_precondition_check(const struct apsp_graph_snapshot *snapshot,
	const char *name, const struct apsp_precondition *wanted,
	struct apsp_err *err);

/* Write the tag of a generation's attributes. The generation must have
   attributes. */
void apsp_attributes_tag(
	const struct apsp_generation *generation, char out[APSP_TAG_SIZE]);

#endif
