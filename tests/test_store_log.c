/*
 * When the store's log is copied into its database: once the writer has nothing
 * else to do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "storage/snapshots/transaction.h"
#include "storage/tables/open_tables.h"
#include "tests/store_fixture.h"

enum {
	SHORT_LOG = 4 << 20, /* bytes: below the limit */
	SOON_MS = 10000, /* a pass of the scrub is a minute after the last */
};

static int64_t database_bytes(const struct fixture *fixture)
{
	struct stat st;

	CHECK(stat(fixture->store->database_file.path, &st) == 0);
	return st.st_size;
}

struct filling {
	struct apsp_command base;
	struct apsp_store *store;
	int64_t bytes;
};

/* One commit of that many bytes, which shows the graph again. */
static int filling_run(struct apsp_command *base, struct apsp_err *err)
{
	struct filling *filling = (struct filling *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, filling->store, err);
	if (r == 0)
		r = apsp_sql_script(tx.db, "CREATE TABLE filling (data)", err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"INSERT INTO filling VALUES (zeroblob(?1))",
			APSP_BIND(apsp_bind_int(filling->bytes)), err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, "a", err);
	if (r == 0)
		r = apsp_transaction_commit(&tx, err);
	return r;
}

static void database_fill(struct fixture *fixture, int64_t bytes)
{
	struct filling filling = {.store = fixture->store, .bytes = bytes};

	assert_int_equal(apsp_writer_run(fixture->store->writer, &filling.base,
				 filling_run, NULL),
		0);
}

static bool folded_soon(const struct fixture *fixture)
{
	for (int ms = 0; ms < SOON_MS; ms += 10) {
		if (database_bytes(fixture) >= SHORT_LOG)
			return true;
		usleep(10000);
	}
	return false;
}

/* Though the table files' next turn is far away. */
static void test_folded_between_scrubs(void **state)
{
	struct fixture *fixture = *state;

	fixture_put(fixture, "a", 10, "none");
	assert_int_equal(fixture_work_all(fixture), 1);
	while (atomic_load(&apsp_store_parts(fixture->store)
				    ->tables->scrub.n_passes) == 0)
		usleep(10000);
	database_fill(fixture, SHORT_LOG);
	assert_true(folded_soon(fixture));
	/* the scrub keeps its own pace */
	assert_int_equal(atomic_load(&apsp_store_parts(fixture->store)
					      ->tables->scrub.n_passes),
		1);
}

/* What a reader kept from the first fold, a later one copies. */
static void test_folded_after_reader(void **state)
{
	struct fixture *fixture = *state;
	struct apsp_reader reader = {0};
	sqlite3 *db;

	fixture_put(fixture, "a", 10, "none");
	assert_int_equal(
		apsp_reader_begin(fixture->store->readers, &reader, NULL), 0);
	db = reader.db;
	assert_int_equal(
		apsp_sql_script(db, "BEGIN; SELECT count(*) FROM jobs", NULL),
		0);
	database_fill(fixture, SHORT_LOG);
	usleep(500000); /* the first */
	assert_in_range(database_bytes(fixture), 1, SHORT_LOG / 2);
	assert_int_equal(apsp_sql_script(db, "COMMIT", NULL), 0);
	apsp_reader_end(&reader);
	assert_true(folded_soon(fixture));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_folded_after_reader,
			fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_folded_between_scrubs,
			fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
