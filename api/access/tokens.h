/*
 * Tokens, which decide what a client may do. The daemon keeps only their
 * digests.
 *
 * Each line of a tokens file describes one token: its scope, its digest, and
 * optionally a name for people. The digest is the SHA-256 of the token's text,
 * written as 64 hexadecimal digits. The name may contain blanks. Empty lines
 * and lines that begin with # are ignored. An example:
 *
 *	write 6b1b36cbb04b41490bfc0ab2bfa26f86…  the nightly upload
 *	read  2c26b46b68ffc68ff99b453c1d304134…  dashboard
 *
 * Nobody can learn a token's text from the file or from the daemon's memory
 * (api/access/README.md, Digests only).
 */
#ifndef APSP_API_ACCESS_TOKENS_H
#define APSP_API_ACCESS_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_TOKEN_SIZE = 64,	   /* bytes of a token's text, with NUL */
	APSP_TOKENS_MAX = 1000,	   /* largest number of tokens in one file */
	APSP_TOKEN_NAME_SIZE = 64, /* bytes of a name, with NUL */
	/* Milliseconds for which the old tokens stay valid after all tokens
	   have disappeared from the file. Some editors empty a file before they
	   write it. */
	APSP_TOKENS_EMPTY_MS = 2000,
};

/* A scope: the kind of requests that a token allows. Each scope also allows all
   requests of the scopes before it. */
enum apsp_scope {
	APSP_SCOPE_ANYBODY, /* requests that need no token */
	APSP_SCOPE_READ,    /* requests that only read */
	/* requests that read, and all that change something, except the
	   deletion of graphs and the tables of bundles */
	APSP_SCOPE_WRITE,
	APSP_SCOPE_ADMIN, /* all requests */
};

struct apsp_tokens;

/* The names of enum apsp_scope: "anybody", "read", "write" and "admin". */
extern const char *const apsp_scope_names[];

/*
 * Read a tokens file. The caller ends *out with apsp_tokens_free().
 *
 * APSP_EUNUSABLE: the file cannot be read, users other than its owner may write
 * to it, it has no token or more than APSP_TOKENS_MAX, a line is malformed, or
 * a token occurs twice. The message is a sentence for the user. APSP_ENOMEM.
 */
int apsp_tokens_load(
	const char *path, struct apsp_tokens **out, struct apsp_err *err);
void apsp_tokens_free(struct apsp_tokens *tokens);

/*
 * Read the file again. The argument now_ns is the present time
 * (apsp_clock_ns()). Call this on one thread only; other threads may call
 * apsp_tokens_judge() meanwhile.
 *
 * Returns 0 if the call has replaced the list of valid tokens by the tokens in
 * the file. If the file has had no token for APSP_TOKENS_EMPTY_MS, the list is
 * then empty, and no token is valid.
 *
 * Returns a positive number of milliseconds if the file has been without a
 * token for less than APSP_TOKENS_EMPTY_MS. The old tokens stay valid. The
 * caller must call this function again after the returned time, or earlier if
 * the file changes.
 *
 * Fails as apsp_tokens_load() does. The old tokens stay valid, and
 * apsp_tokens_trouble() reports the failure until a later call of this function
 * returns 0.
 */
int apsp_tokens_reload(struct apsp_tokens *tokens, const char *path,
	int64_t now_ns, struct apsp_err *err);

/*
 * Returns 0 if apsp_tokens_reload() has not failed since its last success; *out
 * is then unchanged. Otherwise returns the time of the first failure after that
 * success, in milliseconds since 1970. *out is then the last failure. The
 * argument `out` may be NULL. Any thread may call this function.
 */
int64_t apsp_tokens_trouble(struct apsp_tokens *tokens, struct apsp_err *out);

/* Return the number of valid tokens. Any thread may call this function. */
size_t apsp_tokens_count(struct apsp_tokens *tokens);

/* The scope and the name of a request's token. */
struct apsp_bearer {
	enum apsp_scope scope;
	/* The token's name, or the first digits of its digest if the token has
	   no name. "" if the request has no valid token. */
	char name[APSP_TOKEN_NAME_SIZE];
};

/*
 * Look up the token of a request. `authorization` is the value of the request's
 * Authorization header; NULL: the request has no such header. The scope is
 * APSP_SCOPE_ANYBODY if the value is not "Bearer TOKEN", or if the tokens file
 * does not have this token. The time of a call does not depend on how many
 * characters of the client's token are right. Any thread may call this
 * function.
 */
struct apsp_bearer apsp_tokens_judge(
	struct apsp_tokens *tokens, const char *authorization);

/*
 * Make a token of 256 random bits, and store its text in `out` and nowhere
 * else. Append a line with the token's digest to the file at `path`. If the
 * file is missing, create it with mode 0600. `what` is "SCOPE" or "SCOPE:NAME".
 *
 * APSP_EMALFORMED: `what` has neither form, or its name is too long or has
 * control characters. APSP_EUNUSABLE: the file cannot be written, has
 * APSP_TOKENS_MAX tokens, is writable by others, or has a bad line. APSP_EIO:
 * the system has no random bytes. APSP_ENOMEM.
 */
int apsp_token_make(const char *path, const char *what,
	char out[APSP_TOKEN_SIZE], struct apsp_err *err);

#endif
