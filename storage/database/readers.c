/*
 * The pool of read-only connections; see readers.h.
 */
#include "storage/database/readers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "storage/database/database.h"

enum {
	/* largest number of idle connections that stay open */
	READERS_KEPT = 8,
};

struct apsp_readers {
	char *path;
	pthread_mutex_t lock; /* guards the members below */
	sqlite3 *idle[READERS_KEPT];
	size_t n_idle;
};

int apsp_readers_new(
	const char *path, struct apsp_readers **out, struct apsp_err *err)
{
	struct apsp_readers *readers = calloc(1, sizeof(*readers));

	if (readers)
		readers->path = strdup(path);
	if (!readers || !readers->path) {
		free(readers);
		return apsp_fail(err, APSP_ENOMEM, "no memory for readers");
	}
	pthread_mutex_init(&readers->lock, NULL);
	*out = readers;
	return 0;
}

void apsp_readers_free(struct apsp_readers *readers)
{
	if (!readers)
		return;
	for (size_t i = 0; i < readers->n_idle; i++)
		sqlite3_close(readers->idle[i]);
	pthread_mutex_destroy(&readers->lock);
	free(readers->path);
	free(readers);
}

int apsp_reader_begin(struct apsp_readers *readers, struct apsp_reader *out,
	struct apsp_err *err)
{
	sqlite3 *db = NULL;
	int r = 0;

	pthread_mutex_lock(&readers->lock);
	if (readers->n_idle > 0)
		db = readers->idle[--readers->n_idle];
	pthread_mutex_unlock(&readers->lock);
	if (!db)
		r = apsp_database_open_reader(readers->path, &db, err);
	if (r == 0)
		*out = (struct apsp_reader){readers, db};
	return r;
}

void apsp_reader_end(struct apsp_reader *reader)
{
	struct apsp_readers *readers = reader->readers;

	if (!readers)
		return;
	pthread_mutex_lock(&readers->lock);
	if (readers->n_idle < READERS_KEPT) {
		readers->idle[readers->n_idle++] = reader->db;
		reader->db = NULL;
	}
	pthread_mutex_unlock(&readers->lock);
	sqlite3_close(reader->db);
	*reader = (struct apsp_reader){0};
}
