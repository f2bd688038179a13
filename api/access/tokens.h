/*
 * Who may do what: tokens, of which the daemon keeps digests only.
 *
 * A tokens file has one token a line, as its scope, the SHA-256 of its text in
 * 64 hexadecimal digits, and a name for people, which may have blanks or be
 * left out. Empty lines and lines that begin with # are comments:
 *
 *	write 6b1b36cbb04b41490bfc0ab2bfa26f86…  the nightly upload
 *	read  2c26b46b68ffc68ff99b453c1d304134…  dashboard
 *
 * Neither the file nor the memory that holds it gives a token back
 * (api/access/README.md, Digests only).
 */
#ifndef APSP_API_ACCESS_TOKENS_H
#define APSP_API_ACCESS_TOKENS_H

#include <stddef.h>

#include "daemon/base/err.h"

enum {
	APSP_TOKEN_SIZE = 64,	   /* of a new token's text, with its NUL */
	APSP_TOKENS_MAX = 1000,	   /* in one file */
	APSP_TOKEN_NAME_SIZE = 64, /* with its NUL */
};

/* Each scope may do what the ones before it may. */
enum apsp_scope {
	APSP_SCOPE_ANYBODY, /* needs no token */
	APSP_SCOPE_READ,    /* ask */
	APSP_SCOPE_WRITE,   /* upload, replace, cancel */
	APSP_SCOPE_ADMIN,   /* remove whole graphs */
};

struct apsp_tokens;

/* "anybody", "read", "write", "admin". Static. */
const char *apsp_scope_name(enum apsp_scope scope);

/*
 * Read a tokens file; the caller owns *out. APSP_EUNUSABLE, with a sentence for
 * the user: the file cannot be read, others may write to it, a line is not as
 * above, a token is there twice, or there is none. APSP_ENOMEM.
 */
int apsp_tokens_load(
	const char *path, struct apsp_tokens **out, struct apsp_err *err);
void apsp_tokens_free(struct apsp_tokens *tokens);

/*
 * Read the file again: its tokens hold from now on, also for the threads that
 * judge meanwhile. Errors as apsp_tokens_load(); then those of before hold.
 */
int apsp_tokens_reload(
	struct apsp_tokens *tokens, const char *path, struct apsp_err *err);

size_t apsp_tokens_count(struct apsp_tokens *tokens);

/*
 * The scope of the token that an Authorization header presents; NULL: no
 * header. APSP_SCOPE_ANYBODY: not "Bearer TOKEN", or a token that the file does
 * not have. The time does not tell how much of a token was right.
 */
enum apsp_scope apsp_tokens_judge(
	struct apsp_tokens *tokens, const char *authorization);

/*
 * Make a token from 256 random bits and append its line to the file, which is
 * created with mode 0600 if absent. what is "SCOPE" or "SCOPE:NAME". The
 * token's text is nowhere but in out. APSP_EMALFORMED: what is neither.
 * APSP_EUNUSABLE: the file cannot be written.
 */
int apsp_token_make(const char *path, const char *what,
	char out[APSP_TOKEN_SIZE], struct apsp_err *err);

#endif
