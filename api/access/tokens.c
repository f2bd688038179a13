/*
 * Tokens; see tokens.h.
 */
#include "api/access/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/base64.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/hex.h"

#define PREFIX "apspd_"

enum {
	RANDOM_BYTES = 32,
	HEX_DIGITS = 2 * SHA256_DIGEST_SIZE,
	/* number of base64 letters that 32 bytes need, without padding */
	RANDOM_LETTERS = (4 * RANDOM_BYTES + 2) / 3,
	/* if a token has no name in the tokens file, the first NAME_DIGITS
	   hexadecimal digits of its digest serve as its name */
	NAME_DIGITS = 8,
};
_Static_assert(sizeof(PREFIX) + RANDOM_LETTERS <= APSP_TOKEN_SIZE,
	"a token does not fit its buffer");

struct token {
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct apsp_bearer bearer;
};

struct token_list {
	struct token *items;
	size_t n;
};

struct apsp_tokens {
	/* protects list, trouble and trouble_since_ms */
	pthread_rwlock_t lock;
	struct token_list list;
	struct apsp_err trouble;  /* the last error of apsp_tokens_reload();
				     valid only if trouble_since_ms is not 0 */
	int64_t trouble_since_ms; /* UTC time in ms of the first failure after
				     the last successful reload; 0: no reload
				     has failed after it */
	/* the time (apsp_clock_ns()) at which apsp_tokens_reload() found that
	   the file had lost all its tokens. 0: the file has tokens, could not
	   be read, or has had no token for APSP_TOKENS_EMPTY_MS. Only
	   apsp_tokens_reload() uses this member */
	int64_t empty_since_ns;
};

const char *const apsp_scope_names[] = {
	[APSP_SCOPE_ANYBODY] = "anybody",
	[APSP_SCOPE_READ] = "read",
	[APSP_SCOPE_WRITE] = "write",
	[APSP_SCOPE_ADMIN] = "admin",
};

/* Returns the scope whose name is the `size` bytes at `word`, or
   APSP_SCOPE_ANYBODY if no scope has this name. */
static enum apsp_scope scope_of(const char *word, size_t size)
{
	for (int s = APSP_SCOPE_READ; s <= APSP_SCOPE_ADMIN; s++)
		if (strlen(apsp_scope_names[s]) == size &&
			memcmp(word, apsp_scope_names[s], size) == 0)
			return (enum apsp_scope)s;
	return APSP_SCOPE_ANYBODY;
}

static void digest_of(
	const char *text, size_t size, uint8_t out[SHA256_DIGEST_SIZE])
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, size, (const uint8_t *)text);
	sha256_digest(&sha, SHA256_DIGEST_SIZE, out);
}

static int line_read(const char *path, size_t number, const char *line,
	struct token *out, struct apsp_err *err)
{
	size_t word = strcspn(line, " \t");
	const char *digest = line + word + strspn(line + word, " \t");
	bool good = strcspn(digest, " \t") == HEX_DIGITS;
	const char *name;

	out->bearer.scope = scope_of(line, word);
	if (out->bearer.scope == APSP_SCOPE_ANYBODY)
		return apsp_fail(err, APSP_EUNUSABLE,
			"%s, line %zu: a token's line begins with read, write "
			"or admin",
			path, number);
	for (size_t i = 0; good && i < SHA256_DIGEST_SIZE; i++) {
		int byte = apsp_hex_byte(digest + 2 * i);

		good = byte >= 0;
		out->digest[i] = (uint8_t)byte;
	}
	if (!good)
		return apsp_fail(err, APSP_EUNUSABLE,
			"%s, line %zu: found no SHA-256 of a token after the "
			"scope, expected %d hexadecimal digits; apspd --tokens "
			"%s --new-token read makes a token and its line",
			path, number, HEX_DIGITS, path);
	name = digest + HEX_DIGITS;
	name += strspn(name, " \t");
	/* cut off a name that is too long for its buffer. This does no harm,
	   because only people read names */
	if (*name)
		snprintf(
			out->bearer.name, sizeof(out->bearer.name), "%s", name);
	else
		snprintf(out->bearer.name, sizeof(out->bearer.name), "%.*s",
			NAME_DIGITS, digest);
	return 0;
}

static int token_add(struct token_list *list, const char *path, size_t number,
	const struct token *token, struct apsp_err *err)
{
	struct token *items;

	for (size_t i = 0; i < list->n; i++)
		if (memcmp(list->items[i].digest, token->digest,
			    sizeof(token->digest)) == 0)
			return apsp_fail(err, APSP_EUNUSABLE,
				"%s, line %zu: the file has this token twice",
				path, number);
	if (list->n == APSP_TOKENS_MAX)
		return apsp_fail(err, APSP_EUNUSABLE,
			"%s has more than %d tokens", path, APSP_TOKENS_MAX);
	items = realloc(list->items, (list->n + 1) * sizeof(*items));
	if (!items)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tokens");
	list->items = items;
	items[list->n++] = *token;
	return 0;
}

/* Open the tokens file for reading. Fails if users other than the file's owner
   are allowed to write to the file. */
static int file_open(const char *path, FILE **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;

	/* without O_NONBLOCK, opening a FIFO would wait for a writer */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return apsp_fail(err, APSP_EUNUSABLE,
			"There is no %s; \"apspd --tokens %s --new-token "
			"admin\" makes it, with a token.",
			path, path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail(err, APSP_EUNUSABLE,
			"Cannot read the tokens in %s: %s", path,
			strerror(errno));
	if (!S_ISREG(st.st_mode))
		return apsp_fail(err, APSP_EUNUSABLE,
			"The tokens' file %s is not a regular file.", path);
	if (st.st_mode & 022)
		return apsp_fail(err, APSP_EUNUSABLE,
			"Others may write to %s (mode %04o), and so make "
			"tokens: chmod 600 %s",
			path, (unsigned int)(st.st_mode & 07777), path);
	*out = fdopen(fd, "r");
	if (!*out)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tokens");
	fd = -1;
	return 0;
}

static void list_done(struct token_list *list)
{
	free(list->items);
}

static int list_read(
	const char *path, struct token_list *out, struct apsp_err *err)
{
	APSP_AUTO(list_done) struct token_list list = {0};
	APSP_AUTO(apsp_file_close) FILE *file = NULL;
	APSP_AUTO(apsp_free) char *line = NULL;
	size_t capacity = 0, number = 0;
	int r;

	r = file_open(path, &file, err);
	while (r == 0 && getline(&line, &capacity, file) >= 0) {
		struct token token;

		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (line[strspn(line, " \t")] == '\0' || line[0] == '#')
			continue;
		r = line_read(path, number, line, &token, err);
		if (r == 0)
			r = token_add(&list, path, number, &token, err);
	}
	if (r == 0 && ferror(file))
		r = apsp_fail(err, APSP_EUNUSABLE,
			"Cannot read the tokens in %s.", path);
	if (r == 0)
		*out = APSP_TAKE(list);
	return r;
}

int apsp_tokens_load(
	const char *path, struct apsp_tokens **out, struct apsp_err *err)
{
	struct token_list list;
	struct apsp_tokens *tokens;
	int r = list_read(path, &list, err);

	if (r < 0)
		return r;
	if (list.n == 0)
		return apsp_fail(err, APSP_EUNUSABLE,
			"%s has no token; apspd --tokens %s --new-token admin "
			"makes one",
			path, path);
	tokens = calloc(1, sizeof(*tokens));
	if (!tokens) {
		list_done(&list);
		return apsp_fail(err, APSP_ENOMEM, "no memory for tokens");
	}
	pthread_rwlock_init(&tokens->lock, NULL);
	tokens->list = list;
	*out = tokens;
	return 0;
}

int apsp_tokens_reload(struct apsp_tokens *tokens, const char *path,
	int64_t now_ns, struct apsp_err *err)
{
	APSP_AUTO(list_done) struct token_list list = {0};
	struct token_list old;
	struct apsp_err why;
	int64_t left_ns;
	int r = list_read(path, &list, &why);

	if (r < 0) {
		pthread_rwlock_wrlock(&tokens->lock);
		tokens->trouble = why;
		if (tokens->trouble_since_ms == 0)
			tokens->trouble_since_ms = apsp_clock_utc_ms();
		pthread_rwlock_unlock(&tokens->lock);
		tokens->empty_since_ns = 0;
		return apsp_fail(err, (enum apsp_code)r, "%s", why.message);
	}
	/* a file that has just lost all its tokens may have been emptied by an
	   editor that is about to write it. So note the time, and keep the old
	   tokens valid for APSP_TOKENS_EMPTY_MS */
	if (list.n > 0 || tokens->list.n == 0)
		tokens->empty_since_ns = 0;
	else if (tokens->empty_since_ns == 0)
		tokens->empty_since_ns = now_ns;
	left_ns = tokens->empty_since_ns +
		  (int64_t)APSP_TOKENS_EMPTY_MS * 1000000 - now_ns;
	if (tokens->empty_since_ns != 0 && left_ns > 0)
		return (int)((left_ns + 999999) / 1000000);
	pthread_rwlock_wrlock(&tokens->lock);
	old = tokens->list;
	tokens->list = list;
	tokens->trouble_since_ms = 0;
	pthread_rwlock_unlock(&tokens->lock);
	list = old; /* the old list is freed on return */
	return 0;
}

int64_t apsp_tokens_trouble(struct apsp_tokens *tokens, struct apsp_err *out)
{
	int64_t since_ms;

	pthread_rwlock_rdlock(&tokens->lock);
	since_ms = tokens->trouble_since_ms;
	if (since_ms != 0 && out)
		*out = tokens->trouble;
	pthread_rwlock_unlock(&tokens->lock);
	return since_ms;
}

size_t apsp_tokens_count(struct apsp_tokens *tokens)
{
	size_t n;

	pthread_rwlock_rdlock(&tokens->lock);
	n = tokens->list.n;
	pthread_rwlock_unlock(&tokens->lock);
	return n;
}

void apsp_tokens_free(struct apsp_tokens *tokens)
{
	if (!tokens)
		return;
	list_done(&tokens->list);
	pthread_rwlock_destroy(&tokens->lock);
	free(tokens);
}

struct apsp_bearer apsp_tokens_judge(
	struct apsp_tokens *tokens, const char *authorization)
{
	static const char scheme[] = "Bearer ";
	struct apsp_bearer found = {.scope = APSP_SCOPE_ANYBODY};
	const struct token_list *list;
	uint8_t digest[SHA256_DIGEST_SIZE];

	if (!authorization ||
		strncasecmp(authorization, scheme, strlen(scheme)) != 0)
		return found;
	authorization += strlen(scheme);
	authorization += strspn(authorization, " ");
	digest_of(authorization, strlen(authorization), digest);
	pthread_rwlock_rdlock(&tokens->lock);
	list = &tokens->list;
	/* compare with every token, so that the time of the search does not
	   reveal which token matches */
	for (size_t i = 0; i < list->n; i++)
		if (memeql_sec(digest, list->items[i].digest, sizeof(digest)))
			found = list->items[i].bearer;
	pthread_rwlock_unlock(&tokens->lock);
	return found;
}

/* Split "SCOPE" or "SCOPE:NAME" into its parts. *out_name is "" if there is no
   name. */
static int what_read(const char *what, enum apsp_scope *out_scope,
	const char **out_name, struct apsp_err *err)
{
	size_t size = strcspn(what, ":");

	*out_scope = scope_of(what, size);
	*out_name = what[size] == ':' ? what + size + 1 : "";
	if (*out_scope == APSP_SCOPE_ANYBODY)
		return apsp_fail(err, APSP_EMALFORMED,
			"--new-token needs read, write or admin, optionally "
			"with a name, such as read:dashboard, not '%.40s'",
			what);
	if (strlen(*out_name) >= APSP_TOKEN_NAME_SIZE)
		return apsp_fail(err, APSP_EMALFORMED,
			"a token's name has at most %d bytes",
			APSP_TOKEN_NAME_SIZE - 1);
	for (const char *c = *out_name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return apsp_fail(err, APSP_EMALFORMED,
				"a token's name has no control characters");
	return 0;
}

static int random_text(char out[APSP_TOKEN_SIZE], struct apsp_err *err)
{
	uint8_t bytes[RANDOM_BYTES];
	char letters[BASE64_ENCODE_RAW_LENGTH(RANDOM_BYTES)];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return apsp_fail_errno(err, errno, "get random bytes");
	base64_encode_raw(letters, sizeof(bytes), bytes);
	for (size_t i = 0; i < RANDOM_LETTERS; i++) /* convert base64 to
						       base64url (RFC 4648) */
		letters[i] = letters[i] == '+'	 ? '-'
			     : letters[i] == '/' ? '_'
						 : letters[i];
	memcpy(out, PREFIX, strlen(PREFIX));
	memcpy(out + strlen(PREFIX), letters, RANDOM_LETTERS);
	out[strlen(PREFIX) + RANDOM_LETTERS] = '\0';
	explicit_bzero(bytes, sizeof(bytes));
	explicit_bzero(letters, sizeof(letters));
	return 0;
}

/*
 * Append a line to the file. `line` begins with a newline, which is skipped if
 * the file is empty or already ends with a newline.
 */
static int line_append(const char *path, const char *line, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	char last = '\n';
	size_t size;
	off_t end;

	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	if (end <= 0 || pread(fd, &last, 1, end - 1) != 1 || last == '\n')
		line++;
	size = strlen(line);
	/* write the line in one piece, because a running apspd may read the
	   file at any moment */
	if (fd < 0 || write(fd, line, size) != (ssize_t)size || fsync(fd) < 0)
		return apsp_fail(err, APSP_EUNUSABLE,
			"Cannot write the new token to %s: %s", path,
			strerror(errno));
	return 0;
}

int apsp_token_make(const char *path, const char *what,
	char out[APSP_TOKEN_SIZE], struct apsp_err *err)
{
	APSP_AUTO(list_done) struct token_list list = {0};
	APSP_AUTO(apsp_free) char *line = NULL;
	uint8_t digest[SHA256_DIGEST_SIZE];
	char hex[HEX_DIGITS + 1];
	enum apsp_scope scope;
	const char *name;
	int r;

	r = what_read(what, &scope, &name, err);
	/* check the file before a line is appended: apspd refuses a whole file
	   for one bad line, so the new token would be of no use */
	if (r == 0 && access(path, F_OK) == 0)
		r = list_read(path, &list, err);
	if (r == 0 && list.n == APSP_TOKENS_MAX)
		r = apsp_fail(err, APSP_EUNUSABLE,
			"%s already has %d tokens, the most that are accepted; "
			"remove a line",
			path, APSP_TOKENS_MAX);
	if (r == 0)
		r = random_text(out, err);
	if (r < 0)
		return r;
	digest_of(out, strlen(out), digest);
	apsp_hex_write(digest, sizeof(digest), hex);
	if (asprintf(&line, "\n%s %s%s%s\n", apsp_scope_names[scope], hex,
		    *name ? " " : "", name) < 0) {
		line = NULL;
		return apsp_fail(err, APSP_ENOMEM, "no memory for a token");
	}
	return line_append(path, line, err);
}
