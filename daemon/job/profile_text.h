/*
 * The canonical text of a rule: the form in which storage keeps and hashes
 * rules, and in which the solver gets them.
 */
#ifndef APSP_DAEMON_JOB_PROFILE_TEXT_H
#define APSP_DAEMON_JOB_PROFILE_TEXT_H

#include "daemon/job/profile.h"

/*
 * Write the canonical text, for example "transform=inv duplicates=sum
 * invalid=error precision=float32 min_weight=5 algorithm=blocked-fw
 * measures=betweenness tables=all path=widest normalise=input min_share=0.01
 * normalise_by=post without=type:KC". The options from min_weight on are
 * written only if they are set, and `path` only if it is widest. Numbers have
 * 17 significant digits in any locale. Spaces, control characters, quotes and
 * percent signs in a value are percent-encoded.
 */
void apsp_profile_format(
	const struct apsp_profile *profile, char out[APSP_PROFILE_TEXT_SIZE]);

/*
 * Parse a rule's text, which another version of apspd may have written: options
 * may be in any order, and missing options get their defaults. APSP_EDATA: the
 * text has an option or a value that this version does not know, so this
 * version cannot compute the lengths.
 */
int apsp_profile_scan(
	const char *text, struct apsp_profile *out, struct apsp_err *err);

/* Whether two profiles have the same canonical text. */
bool apsp_profile_equal(
	const struct apsp_profile *a, const struct apsp_profile *b);

#endif
