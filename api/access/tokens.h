/*
 * Tokens, which say who may do what. The daemon keeps only their digests.
 *
 * A tokens file has one token a line: its scope, the SHA-256 of its text in 64
 * hexadecimal digits, and a name for people, which may have blanks or be left
 * out. Empty lines and lines that begin with # are comments:
 *
 *	write 6b1b36cbb04b41490bfc0ab2bfa26f86…  the nightly upload
 *	read  2c26b46b68ffc68ff99b453c1d304134…  dashboard
 *
 * Nobody can get a token from the file or from the daemon's memory of it
 * (api/access/README.md, Digests only).
 */
#ifndef APSP_API_ACCESS_TOKENS_H
#define APSP_API_ACCESS_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_TOKEN_SIZE = 64,	/* bytes of a new token's text, with its NUL */
	APSP_TOKENS_MAX = 1000, /* in one file */
	APSP_TOKEN_NAME_SIZE = 64, /* with its NUL */
	/* A file without a token ends all tokens after this time, because an
	   editor empties a file before it writes it. */
	APSP_TOKENS_EMPTY_MS = 2000,
};

/* Each scope includes the ones before it. */
enum apsp_scope {
	APSP_SCOPE_ANYBODY, /* needs no token */
	APSP_SCOPE_READ,    /* may ask */
	APSP_SCOPE_WRITE,   /* may upload, replace, cancel */
	APSP_SCOPE_ADMIN,   /* may remove whole graphs */
};

struct apsp_tokens;

/* "anybody", "read", "write", "admin". Static. */
const char *apsp_scope_name(enum apsp_scope scope);

/*
 * Read a tokens file; the caller owns *out. APSP_EUNUSABLE, with a sentence for
 * the user: the file cannot be read, others may write to it, a line has another
 * form, a token occurs twice, or there is none. APSP_ENOMEM.
 */
int apsp_tokens_load(
	const char *path, struct apsp_tokens **out, struct apsp_err *err);
void apsp_tokens_free(struct apsp_tokens *tokens);

/*
 * Read the file again at now_ns (apsp_clock_ns()); on one thread only, while
 * others may call apsp_tokens_judge(). Returns 0 if the file's tokens are valid
 * from now on, and no others. If it has none, nobody has access.
 *
 * Returns a number of milliseconds if the file has had no token for less than
 * APSP_TOKENS_EMPTY_MS. The old tokens stay valid; the caller calls again after
 * this time, or earlier if the file changes.
 *
 * Fails as apsp_tokens_load() does. The old tokens then stay valid, and
 * apsp_tokens_trouble() reports the failure until a call returns 0.
 */
int apsp_tokens_reload(struct apsp_tokens *tokens, const char *path,
	int64_t now_ns, struct apsp_err *err);

/*
 * Returns since when the file cannot be read, in milliseconds since 1970, and
 * stores the last failure in *out. Returns 0 if it can be read; *out is then
 * unchanged. out may be NULL. Any thread.
 */
int64_t apsp_tokens_trouble(struct apsp_tokens *tokens, struct apsp_err *out);

/* Any thread. */
size_t apsp_tokens_count(struct apsp_tokens *tokens);

/* The token of a request. */
struct apsp_bearer {
	enum apsp_scope scope;
	/* The token's name, or the first digits of its digest if it has none.
	   "" without a token. */
	char name[APSP_TOKEN_NAME_SIZE];
};

/*
 * Find the scope and the name of the token of an Authorization header; NULL: no
 * header. The scope is APSP_SCOPE_ANYBODY if the header is not "Bearer TOKEN",
 * or the file does not have the token. The time does not depend on how much of
 * a token is right.
 */
struct apsp_bearer apsp_tokens_judge(
	struct apsp_tokens *tokens, const char *authorization);

/*
 * Make a token from 256 random bits, store its text in out and nowhere else,
 * and append its line to the file, which is created with mode 0600 if absent.
 * what is "SCOPE" or "SCOPE:NAME". APSP_EMALFORMED: what is neither.
 * APSP_EUNUSABLE: the file cannot be written.
 */
int apsp_token_make(const char *path, const char *what,
	char out[APSP_TOKEN_SIZE], struct apsp_err *err);

#endif
