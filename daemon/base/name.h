/*
 * Names of graphs and profiles. Only apsp_name_set() makes a name from a
 * client's text.
 */
#ifndef APSP_DAEMON_BASE_NAME_H
#define APSP_DAEMON_BASE_NAME_H

#include <stdbool.h>

#include "daemon/base/err.h"

enum {
	APSP_NAME_SIZE = 129, /* bytes of a name with its NUL */
};

/* Whether `text` is a name: 1 to 128 bytes of A-Z a-z 0-9 . _ ~ - that do not
   begin with a dot. */
bool apsp_name_valid(const char *text);

/*
 * Copy `text` to `out` as a name. `kind` is used in messages and says what is
 * named, for example "graph". APSP_EMALFORMED: the text is no name; the message
 * says which names are valid, and `out` is unchanged.
 */
__attribute__((warn_unused_result)) int apsp_name_set(char out[APSP_NAME_SIZE],
	const char *kind, const char *text, struct apsp_err *err);

#endif
