/*
 * Tokens: their file, and what a header is judged to be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/access/tokens.h"

/* printf '%s' secret | sha256sum, and of "other" */
#define SECRET                                                                 \
	"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
#define OTHER "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"

static char path[] = "/tmp/apsp-tokens-XXXXXX";

static int file_make(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int file_remove(void **state)
{
	(void)state;
	return unlink(path);
}

static void file_write(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static enum apsp_scope scope_of(
	struct apsp_tokens *tokens, const char *authorization)
{
	return apsp_tokens_judge(tokens, authorization).scope;
}

static void test_file(void **state)
{
	static const struct {
		const char *text;
		const char *complaint; /* part of it; NULL: the file is good */
	} cases[] = {
		{"read " SECRET "\n", NULL},
		{"read " SECRET, NULL},
		{"# ours\n\n \nadmin\t" SECRET "\tthe keeper\r\n", NULL},
		{"read " SECRET "\nwrite " OTHER " x\n", NULL},
		{"", "has no token"},
		{"# read " SECRET "\n", "has no token"},
		{"root " SECRET "\n", "line 1"},
		{"anybody " SECRET "\n", "line 1"},
		{"READ " SECRET "\n", "line 1"},
		{"read " SECRET "\nread\n", "line 2"},
		{"read " SECRET "0\n", "line 1"},
		{"read 2bb80d\n", "line 1"},
		{"read g" SECRET "\n", "line 1"},
		{"read secret\n", "SHA-256"},
		{"read " SECRET "\nadmin " SECRET "\n", "twice"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_tokens *tokens = NULL;
		struct apsp_err err = {0};
		int r;

		file_write(cases[i].text);
		r = apsp_tokens_load(path, &tokens, &err);
		if ((r == 0) != !cases[i].complaint)
			fail_msg("%s: %d %s", cases[i].text, r, err.message);
		if (cases[i].complaint) {
			assert_int_equal(r, APSP_EUNUSABLE);
			assert_non_null(
				strstr(err.message, cases[i].complaint));
			/* a digest that is wrong may be a token */
			assert_null(strstr(err.message, "secret"));
			assert_null(tokens);
		}
		apsp_tokens_free(tokens);
	}
}

static void test_file_is_ours_alone(void **state)
{
	struct apsp_tokens *tokens = NULL;
	char made[APSP_TOKEN_SIZE];
	struct apsp_err err = {0};

	(void)state;
	file_write("read " SECRET "\n");
	assert_int_equal(chmod(path, 0620), 0);
	assert_int_equal(
		apsp_token_make(path, "read", made, &err), APSP_EUNUSABLE);
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), APSP_EUNUSABLE);
	assert_non_null(strstr(err.message, "chmod 600"));
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	apsp_tokens_free(tokens);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(
		apsp_tokens_load("/tmp", &tokens, &err), APSP_EUNUSABLE);
	assert_int_equal(
		apsp_tokens_load("/nowhere/t", &tokens, &err), APSP_EUNUSABLE);
}

static void test_headers(void **state)
{
	static const struct {
		const char *header;
		enum apsp_scope scope;
	} cases[] = {
		{"Bearer secret", APSP_SCOPE_WRITE},
		{"bearer secret", APSP_SCOPE_WRITE},
		{"Bearer   secret", APSP_SCOPE_WRITE},
		{"Bearer other", APSP_SCOPE_READ},
		{NULL, APSP_SCOPE_ANYBODY},
		{"", APSP_SCOPE_ANYBODY},
		{"Bearer", APSP_SCOPE_ANYBODY},
		{"Bearer ", APSP_SCOPE_ANYBODY},
		{"Bearer secre", APSP_SCOPE_ANYBODY},
		{"Bearer secret ", APSP_SCOPE_ANYBODY},
		{"Bearer secrets", APSP_SCOPE_ANYBODY},
		{"Bearer Secret", APSP_SCOPE_ANYBODY},
		{"Bearer secret, Bearer other", APSP_SCOPE_ANYBODY},
		{"Basic secret", APSP_SCOPE_ANYBODY},
		{"secret", APSP_SCOPE_ANYBODY},
		/* the digest is not the token */
		{"Bearer " SECRET, APSP_SCOPE_ANYBODY},
	};
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};

	(void)state;
	file_write("write " SECRET "\nread " OTHER "\n");
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum apsp_scope scope = scope_of(tokens, cases[i].header);

		if (scope != cases[i].scope)
			fail_msg("%s: %s", cases[i].header,
				apsp_scope_names[scope]);
	}
	apsp_tokens_free(tokens);
}

static void *judge_meanwhile(void *arg)
{
	static char lost[] = "a token did not hold";
	struct apsp_tokens *tokens = arg;

	/* in every file that is read meanwhile */
	for (int i = 0; i < 20000; i++)
		if (scope_of(tokens, "Bearer other") != APSP_SCOPE_READ)
			return lost;
	return NULL;
}

/* A file that is read again is the one that holds, unless it is not whole. */
static void test_reload(void **state)
{
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};
	pthread_t thread;
	void *complaint;

	(void)state;
	file_write("read " OTHER "\n");
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	assert_int_equal(scope_of(tokens, "Bearer secret"), APSP_SCOPE_ANYBODY);
	pthread_create(&thread, NULL, judge_meanwhile, tokens);
	for (int i = 0; i < 200; i++) {
		file_write(i % 2 ? "read " OTHER "\n"
				 : "read " OTHER "\nadmin " SECRET "\n");
		assert_int_equal(apsp_tokens_reload(tokens, path, 0, &err), 0);
		assert_int_equal(apsp_tokens_count(tokens), i % 2 ? 1 : 2);
		assert_int_equal(scope_of(tokens, "Bearer secret"),
			i % 2 ? APSP_SCOPE_ANYBODY : APSP_SCOPE_ADMIN);
	}
	pthread_join(thread, &complaint);
	assert_null(complaint);
	file_write("admin " SECRET "\nread\n");
	assert_int_equal(
		apsp_tokens_reload(tokens, path, 0, &err), APSP_EUNUSABLE);
	assert_non_null(strstr(err.message, "line 2"));
	assert_int_equal(scope_of(tokens, "Bearer other"), APSP_SCOPE_READ);
	assert_int_equal(scope_of(tokens, "Bearer secret"), APSP_SCOPE_ANYBODY);
	apsp_tokens_free(tokens);
}

/* What a token is called: its name, or the first digits of its digest. */
static void test_names(void **state)
{
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};

	(void)state;
	file_write(
		"write " SECRET "\t the nightly upload\r\nread " OTHER " \n");
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	assert_string_equal(apsp_tokens_judge(tokens, "Bearer secret").name,
		"the nightly upload");
	assert_string_equal(
		apsp_tokens_judge(tokens, "Bearer other").name, "d9298a10");
	assert_string_equal(
		apsp_tokens_judge(tokens, "Bearer others").name, "");
	apsp_tokens_free(tokens);
}

static const int64_t MS = 1000000;

/* A file that stays without a token ends all tokens; one that is empty for a
   moment, as while an editor writes it, ends none. */
static void test_emptied(void **state)
{
	const int64_t start = 5 * MS;
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};

	(void)state;
	file_write("read " OTHER "\n");
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	file_write("");
	assert_int_equal(apsp_tokens_reload(tokens, path, start, &err),
		APSP_TOKENS_EMPTY_MS);
	assert_int_equal(
		apsp_tokens_reload(tokens, path, start + 1500 * MS, &err),
		APSP_TOKENS_EMPTY_MS - 1500);
	assert_int_equal(scope_of(tokens, "Bearer other"), APSP_SCOPE_READ);
	file_write("read " OTHER "\n");
	assert_int_equal(
		apsp_tokens_reload(tokens, path, start + 1600 * MS, &err), 0);
	assert_int_equal(scope_of(tokens, "Bearer other"), APSP_SCOPE_READ);

	/* the time counts from when the file was emptied last */
	file_write("# read " OTHER "\n");
	assert_int_equal(
		apsp_tokens_reload(tokens, path, start + 9000 * MS, &err),
		APSP_TOKENS_EMPTY_MS);
	assert_int_equal(
		apsp_tokens_reload(tokens, path,
			start + (9000 + APSP_TOKENS_EMPTY_MS) * MS, &err),
		0);
	assert_int_equal(apsp_tokens_count(tokens), 0);
	assert_int_equal(scope_of(tokens, "Bearer other"), APSP_SCOPE_ANYBODY);
	assert_int_equal(scope_of(tokens, NULL), APSP_SCOPE_ANYBODY);
	assert_int_equal(scope_of(tokens, "Bearer "), APSP_SCOPE_ANYBODY);
	assert_int_equal(apsp_tokens_trouble(tokens, NULL), 0);
	file_write("admin " SECRET "\n");
	assert_int_equal(apsp_tokens_reload(tokens, path, start, &err), 0);
	assert_int_equal(scope_of(tokens, "Bearer secret"), APSP_SCOPE_ADMIN);
	apsp_tokens_free(tokens);
}

/* A file that cannot be read ends no token, and is in trouble since the first
   time until it is read. */
static void test_trouble(void **state)
{
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};
	int64_t since_ms;

	(void)state;
	file_write("read " OTHER "\n");
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	assert_int_equal(apsp_tokens_trouble(tokens, &err), 0);
	assert_int_equal(chmod(path, 0664), 0);
	assert_int_equal(
		apsp_tokens_reload(tokens, path, 0, &err), APSP_EUNUSABLE);
	since_ms = apsp_tokens_trouble(tokens, NULL);
	assert_true(since_ms > 0);
	assert_int_equal(unlink(path), 0);
	usleep(2000);
	assert_int_equal(
		apsp_tokens_reload(tokens, path, 0, NULL), APSP_EUNUSABLE);
	assert_int_equal(apsp_tokens_trouble(tokens, &err), since_ms);
	assert_non_null(strstr(err.message, "There is no"));
	assert_int_equal(scope_of(tokens, "Bearer other"), APSP_SCOPE_READ);
	file_write("read " OTHER "\n");
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(apsp_tokens_reload(tokens, path, 0, &err), 0);
	assert_int_equal(apsp_tokens_trouble(tokens, &err), 0);
	apsp_tokens_free(tokens);
}

/* Two tokens in one file: both hold, and the file has neither. */
static void test_new(void **state)
{
	char first[APSP_TOKEN_SIZE], second[APSP_TOKEN_SIZE];
	char header[APSP_TOKEN_SIZE + 8], text[1024];
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};
	struct stat st;
	size_t size;
	FILE *file;

	(void)state;
	unlink(path);
	assert_int_equal(
		apsp_token_make(path, "read:a dashboard", first, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(apsp_token_make(path, "admin", second, &err), 0);
	assert_int_equal(strncmp(first, "apspd_", 6), 0);
	assert_int_equal(strlen(first), 6 + 43);
	assert_string_not_equal(first, second);
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	snprintf(header, sizeof(header), "Bearer %s", first);
	assert_int_equal(scope_of(tokens, header), APSP_SCOPE_READ);
	snprintf(header, sizeof(header), "Bearer %s", second);
	assert_int_equal(scope_of(tokens, header), APSP_SCOPE_ADMIN);
	apsp_tokens_free(tokens);

	file = fopen(path, "r");
	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	assert_null(strstr(text, first));
	assert_null(strstr(text, second));
	assert_non_null(strstr(text, " a dashboard\n"));
}

/* A file that somebody wrote by hand, whose last line has no end. */
static void test_new_behind_open_line(void **state)
{
	char token[APSP_TOKEN_SIZE], header[APSP_TOKEN_SIZE + 8];
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};

	(void)state;
	file_write("read " OTHER);
	assert_int_equal(apsp_token_make(path, "write", token, &err), 0);
	if (apsp_tokens_load(path, &tokens, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(scope_of(tokens, "Bearer other"), APSP_SCOPE_READ);
	snprintf(header, sizeof(header), "Bearer %s", token);
	assert_int_equal(scope_of(tokens, header), APSP_SCOPE_WRITE);
	apsp_tokens_free(tokens);
}

static void test_new_refused(void **state)
{
	static const char *const cases[] = {"", ":x", "root", "READ", "readx",
		"anybody", "read:a\nadmin " SECRET,
		"read:"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaa"};
	char out[APSP_TOKEN_SIZE];
	struct apsp_err err;

	(void)state;
	file_write("");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (apsp_token_make(path, cases[i], out, &err) !=
			APSP_EMALFORMED)
			fail_msg("'%s' was taken", cases[i]);
	assert_int_equal(apsp_token_make("/nowhere/t", "read", out, &err),
		APSP_EUNUSABLE);
}

/* The token that a full file would get is refused, and the file stays good. */
static void test_new_in_full_file(void **state)
{
	FILE *file = fopen(path, "w");
	char out[APSP_TOKEN_SIZE];
	struct apsp_tokens *tokens;
	struct apsp_err err = {0};

	(void)state;
	assert_non_null(file);
	for (int i = 1; i < APSP_TOKENS_MAX; i++)
		fprintf(file, "read %064x\n", (unsigned int)i);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(apsp_token_make(path, "read", out, &err), 0);
	assert_int_equal(
		apsp_token_make(path, "read", out, &err), APSP_EUNUSABLE);
	assert_int_equal(apsp_tokens_load(path, &tokens, &err), 0);
	assert_int_equal(apsp_tokens_count(tokens), APSP_TOKENS_MAX);
	apsp_tokens_free(tokens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_file_is_ours_alone),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_reload),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_emptied),
		cmocka_unit_test(test_trouble),
		cmocka_unit_test(test_new),
		cmocka_unit_test(test_new_behind_open_line),
		cmocka_unit_test(test_new_refused),
		cmocka_unit_test(test_new_in_full_file),
	};

	return cmocka_run_group_tests(tests, file_make, file_remove);
}
