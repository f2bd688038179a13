/*
 * Preconditions; see precondition.h.
 */
#include "storage/snapshots/precondition.h"

#include <stdio.h>
#include <string.h>

#include "daemon/job/profile_text.h"
#include "storage/snapshots/graph_snapshot.h"

/* The subject of a condition: the object that the request changes, with the
   object's name in messages and the object's present tags. */
struct subject {
	char name[2 * APSP_NAME_SIZE];
	bool exists;
	char tag[APSP_TAG_SIZE];
	const char *other_tag; /* another tag that is accepted; NULL: none */
	bool has_formats; /* the name of an answer's format may follow the tag,
			     after a hyphen */
};

void apsp_attributes_tag(
	const struct apsp_generation *generation, char out[APSP_TAG_SIZE])
{
	snprintf(out, APSP_TAG_SIZE, "%s-%.16s", generation->revision,
		generation->attributes->sha256);
}

/*
 * Describe the object that the request changes. `upload` is the upload that the
 * change is about; NULL: there is no graph. A client knows the tag of
 * attributes from GET, which shows the attributes of the upload in use, even if
 * a newer upload is pending. So a condition on attributes is compared with the
 * tag of these attributes.
 */
static void subject_find(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *upload, const char *graph,
	const struct apsp_precondition *wanted, struct subject *out)
{
	const struct apsp_generation *shown =
		snapshot ? apsp_graph_snapshot_shown(snapshot) : NULL;
	const struct apsp_profile_snapshot *profile;

	switch (wanted->subject) {
	case APSP_SUBJECT_GRAPH:
		snprintf(out->name, sizeof(out->name), "graph '%s'", graph);
		out->exists = upload != NULL;
		if (out->exists)
			strcpy(out->tag, upload->revision);
		break;
	case APSP_SUBJECT_PROFILE:
		snprintf(out->name, sizeof(out->name), "profile '%.*s'",
			APSP_NAME_SIZE, wanted->profile);
		profile = upload ? apsp_generation_profile(
					   upload, wanted->profile)
				 : NULL;
		out->exists = profile != NULL;
		if (out->exists)
			strcpy(out->tag, profile->hash);
		break;
	case APSP_SUBJECT_ATTRIBUTES:
		snprintf(out->name, sizeof(out->name),
			"list of attributes of '%s'", graph);
		out->has_formats = true;
		out->exists = shown && shown->attributes;
		if (out->exists)
			apsp_attributes_tag(shown, out->tag);
		out->other_tag = upload ? upload->revision : NULL;
		break;
	}
}

/* Write the text of the rule that the change would replace. Write "" if there
   is no such rule, or if it cannot be read. */
static void rule_write(const struct apsp_generation *upload,
	const struct apsp_precondition *wanted, char *out)
{
	const struct apsp_profile_snapshot *profile = NULL;

	*out = '\0';
	if (upload && wanted->subject != APSP_SUBJECT_ATTRIBUTES)
		profile = apsp_generation_profile(
			upload, wanted->profile ? wanted->profile : "default");
	if (profile && !profile->unreadable.code)
		apsp_profile_format(&profile->rule, out);
}

/* Whether the tag is one of the subject's tags. The subject's first tag may
   have a suffix: -gzip or -zstd, or a hyphen and the name of a format if the
   subject has formats. */
static bool tag_holds(const char *tag, const struct subject *subject)
{
	size_t size = strlen(subject->tag);
	const char *rest = tag + size;

	if (subject->other_tag && strcmp(tag, subject->other_tag) == 0)
		return true;
	if (!subject->exists || strncmp(tag, subject->tag, size) != 0)
		return false;
	return *rest == '\0' || (subject->has_formats && *rest == '-') ||
	       strcmp(rest, "-gzip") == 0 || strcmp(rest, "-zstd") == 0;
}

int apsp_precondition_check(const struct apsp_graph_snapshot *snapshot,
	const char *name, const struct apsp_precondition *wanted,
	struct apsp_err *err)
{
	struct subject subject = {0};
	const struct apsp_generation *upload = NULL;

	if (!wanted)
		return 0;
	if (snapshot)
		upload = apsp_graph_snapshot_changed(snapshot, wanted->profile);
	if (wanted->out_revision)
		strcpy(wanted->out_revision, upload ? upload->revision : "");
	if (wanted->out_rule)
		rule_write(upload, wanted, wanted->out_rule);
	if (wanted->revision && upload &&
		apsp_generation_check_revision(upload, wanted->revision, err) <
			0)
		return APSP_EREVISION;
	subject_find(snapshot, upload, name, wanted, &subject);
	if (wanted->must_not_exist && subject.exists)
		return apsp_fail(err, APSP_EPRECONDITION,
			"the %s exists already", subject.name);
	if (wanted->must_exist && !subject.exists)
		return apsp_fail(err, APSP_EPRECONDITION, "there is no %s",
			subject.name);
	if (!wanted->has_tag || tag_holds(wanted->tag, &subject))
		return 0;
	if (!subject.exists)
		return apsp_fail(err, APSP_EPRECONDITION, "there is no %s",
			subject.name);
	return apsp_fail(err, APSP_EPRECONDITION,
		"the %s has the ETag \"%s\" by now", subject.name, subject.tag);
}
