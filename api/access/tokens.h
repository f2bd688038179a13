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
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_TOKEN_SIZE = 64,	   /* of a new token's text, with its NUL */
	APSP_TOKENS_MAX = 1000,	   /* in one file */
	APSP_TOKEN_NAME_SIZE = 64, /* with its NUL */
	/* How long a file must be without a token before that ends all tokens:
	   an editor empties a file before it writes it. */
	APSP_TOKENS_EMPTY_MS = 2000,
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
 * Read the file again at now_ns (apsp_clock_ns()), in one thread; others may
 * judge meanwhile. Returns 0: the file's tokens hold from now on, and no
 * others. If it has none, nobody gets in.
 *
 * Returns a number of milliseconds: the file has no token, and has not been so
 * for APSP_TOKENS_EMPTY_MS. The tokens of before hold; the caller calls again
 * after this time, and earlier if the file changes.
 *
 * Fails as apsp_tokens_load() does; then the tokens of before hold, and
 * apsp_tokens_trouble() reports the failure until a call returns 0.
 */
int apsp_tokens_reload(struct apsp_tokens *tokens, const char *path,
	int64_t now_ns, struct apsp_err *err);

/*
 * Since when the file differs from the tokens that hold, because it could not
 * be read: milliseconds since 1970, and *out is the last failure. 0: it does
 * not, and *out is as it was. out may be NULL. Any thread.
 */
int64_t apsp_tokens_trouble(struct apsp_tokens *tokens, struct apsp_err *out);

/* Any thread. */
size_t apsp_tokens_count(struct apsp_tokens *tokens);

/* The token of a request. */
struct apsp_bearer {
	enum apsp_scope scope;
	/* The token's name. Where it has none, the first digits of its digest,
	   which name its line as well. "" without a token. */
	char name[APSP_TOKEN_NAME_SIZE];
};

/*
 * The scope and the name of the token that an Authorization header presents;
 * NULL: no header. The scope is APSP_SCOPE_ANYBODY where the header is not
 * "Bearer TOKEN", or the file does not have the token. The time does not depend
 * on how much of a token was right.
 */
struct apsp_bearer apsp_tokens_judge(
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
