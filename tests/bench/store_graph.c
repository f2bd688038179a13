/*
 * Store a graph without tables, which is too large for the machine at hand, for
 * page.py: labels, lists and searches need no tables.
 *
 *	store_graph STATE_DIR CACHE_DIR NAME <CSV
 *
 * The directories must be new or apspd's, and no daemon may use them. The job
 * of the graph's tables stays in the queue.
 */
#include <stdio.h>
#include <sys/statvfs.h>

#include "storage/graph_put.h"
#include "storage/store.h"
#include "tests/command_wait.h"
#include "tests/settings_fixture.h"
#include "tests/upload_write.h"

/*
 * Replaces the function of libc: the disk has enough space for tables, which
 * are never computed.
 */
int statvfs(const char *path, struct statvfs *out)
{
	(void)path;
	*out = (struct statvfs){.f_frsize = 4096, .f_bavail = 1 << 30};
	return 0;
}

static int open_store(const char *state_dir, const char *cache_dir,
	struct apsp_store **out, struct apsp_err *err)
{
	struct apsp_settings settings;
	const struct apsp_store_config config = {
		.settings = &settings, .max_queued_jobs = 1};
	int r;

	settings_fixture_init(&settings, state_dir, cache_dir);
	r = apsp_store_open(&config, out, err);
	apsp_settings_done(&settings);
	return r;
}

/* What stdin has. */
static int upload_read(struct apsp_store *store, struct apsp_upload **out,
	struct apsp_err *err)
{
	struct apsp_profile_texts lengths = {
		{[APSP_OPTION_TRANSFORM] = "none"}};
	struct apsp_upload_options options = {
		.format = APSP_FORMAT_CSV,
		.limits.max_bytes = 1 << 30,
		.max_arcs = 1 << 26,
	};
	static char piece[1 << 16];
	size_t size;
	int r;

	r = apsp_profile_parse(&lengths, &options.profile, err);
	if (r >= 0)
		r = apsp_upload_open(
			apsp_store_parts(store)->spool_dir, &options, out, err);
	while (r >= 0 && (size = fread(piece, 1, sizeof(piece), stdin)) > 0)
		r = upload_write(*out, piece, size, err);
	return r < 0 ? r : apsp_upload_end(*out, err);
}

static int store_graph(
	struct apsp_store *store, const char *name, struct apsp_err *err)
{
	struct apsp_put_result result = {0};
	struct apsp_upload *upload = NULL;
	struct command_wait *wait = command_wait_new();
	int r = upload_read(store, &upload, err);

	if (r < 0)
		return r; /* the process ends, which frees everything */
	apsp_graph_put(
		store, name, upload, NULL, 0, &result, command_wait_done(wait));
	return command_wait_for(wait, err);
}

int main(int argc, char **argv)
{
	struct apsp_store *store = NULL;
	struct apsp_err err = {0};
	int r;

	if (argc != 4)
		return 2;
	r = open_store(argv[1], argv[2], &store, &err);
	if (r >= 0)
		r = store_graph(store, argv[3], &err);
	apsp_store_close(store);
	if (r < 0)
		fprintf(stderr, "%s\n", err.message);
	return r < 0;
}
