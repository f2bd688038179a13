/*
 * Who makes room where all places are taken: connections over socket pairs, in
 * a time of the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/connection/connections.h"

struct table {
	struct apsp_limits limits;
	struct apsp_connections *connections;
	int ends[16]; /* the clients' */
	struct apsp_connection *conns[16];
	size_t n;
};

/* Connect from 127.0.0.<host>, 0: over a unix socket; false: no room. */
static bool table_add(struct table *t, uint32_t host, int64_t now_ns)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr peer = {.sa_family = AF_UNIX};
	struct apsp_connection *conn;
	int fds[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	v4.sin_addr.s_addr = htonl(0x7f000000 + host);
	if (host > 0)
		memcpy(&peer, &v4, sizeof(peer));
	conn = apsp_connections_admit(t->connections, fds[0], &peer, now_ns);
	if (!conn) {
		close(fds[0]);
		close(fds[1]);
		return false;
	}
	assert_ptr_equal(
		apsp_connections_started(t->connections, fds[0]), conn);
	t->ends[t->n] = fds[1];
	t->conns[t->n++] = conn;
	return true;
}

static bool is_shut(const struct table *t, size_t i)
{
	char byte;

	return recv(t->ends[i], &byte, 1, 0) == 0;
}

/* A kept connection outlives silent ones that came after its last request. */
static void test_silent_make_room_first(void **state)
{
	struct table t = {.limits = apsp_default_limits};
	const int64_t s = 1000000000;
	struct apsp_err err;

	(void)state;
	t.limits.max_connections = 3;
	assert_int_equal(
		apsp_connections_new(&t.limits, &t.connections, &err), 0);
	assert_true(table_add(&t, 1, 1 * s)); /* 0 */
	apsp_connections_begin(t.connections, t.conns[0]);
	apsp_connections_end(t.connections, t.conns[0], 2 * s);
	assert_true(table_add(&t, 1, 3 * s)); /* 1 */
	assert_true(table_add(&t, 1, 4 * s)); /* 2 */
	assert_true(table_add(&t, 1, 5 * s)); /* 3: closes 1 */
	assert_true(is_shut(&t, 1));
	/* who has only just connected may still ask */
	assert_true(table_add(&t, 1, 6 * s)); /* 4: closes 2 */
	assert_true(is_shut(&t, 2));
	assert_true(table_add(&t, 1, 6 * s)); /* 5: closes 3 */
	assert_true(is_shut(&t, 3));
	assert_true(table_add(&t, 1, 6 * s)); /* 6: closes 0 */
	assert_true(is_shut(&t, 0));
	for (size_t i = 0; i < t.n; i++) {
		apsp_connections_closed(t.connections, t.conns[i]);
		close(t.ends[i]);
	}
	apsp_connections_free(t.connections);
}

/* The one that is idle longest goes, of its peer if the peer has too many. */
static void test_who_makes_room(void **state)
{
	struct table t = {.limits = apsp_default_limits};
	const int64_t s = 1000000000;
	struct apsp_err err;

	(void)state;
	t.limits.max_connections = 5;
	t.limits.max_peer_connections = 3;
	assert_int_equal(
		apsp_connections_new(&t.limits, &t.connections, &err), 0);
	assert_true(table_add(&t, 2, 1 * s)); /* 0 */
	assert_true(table_add(&t, 1, 2 * s)); /* 1 */
	assert_true(table_add(&t, 1, 3 * s)); /* 2 */
	assert_true(table_add(&t, 1, 4 * s)); /* 3 */
	apsp_connections_begin(t.connections, t.conns[1]);
	apsp_connections_end(t.connections, t.conns[1], 5 * s);
	/* peer 1 has its three: of those, 2 is idle longest */
	assert_true(table_add(&t, 1, 6 * s)); /* 4 */
	assert_true(is_shut(&t, 2));
	assert_false(is_shut(&t, 0));
	/* a unix socket has no limit of its own; five are connected now */
	assert_true(table_add(&t, 0, 7 * s)); /* 5 */
	assert_true(table_add(&t, 0, 8 * s)); /* 6: closes 0 */
	assert_true(is_shut(&t, 0));
	assert_true(table_add(&t, 0, 9 * s)); /* 7: closes 3 */
	assert_true(is_shut(&t, 3));
	/* those with a request stay */
	apsp_connections_begin(t.connections, t.conns[1]);
	for (size_t i = 4; i < 8; i++)
		apsp_connections_begin(t.connections, t.conns[i]);
	assert_false(table_add(&t, 3, 10 * s));
	/* but for one whose client has been reading for too long */
	t.conns[6]->replying_since_ns = 10 * s;
	t.conns[5]->replying_since_ns = 11 * s;
	assert_false(table_add(&t, 3, 10 * s + s / 2));
	assert_true(table_add(&t, 3, 13 * s)); /* 8 */
	assert_true(is_shut(&t, 6));
	assert_false(is_shut(&t, 5));
	for (size_t i = 0; i < t.n; i++) {
		apsp_connections_closed(t.connections, t.conns[i]);
		close(t.ends[i]);
	}
	apsp_connections_free(t.connections);
}

/*
 * The bytes of each second in which the client was waited for. Our own time
 * does not count, and who stops is slow soon, however much it has taken before.
 */
static void test_pace(void **state)
{
	const int64_t s = 1000000000;
	struct apsp_pace pace = {.stated_rate = 1000};

	(void)state;
	apsp_pace_reset(&pace);
	assert_int_equal(apsp_pace_rate(&pace, 9 * s, s), INT64_MAX);
	apsp_pace_wait(&pace, 10 * s);
	assert_int_equal(apsp_pace_rate(&pace, 10 * s + s / 2, s), INT64_MAX);
	assert_int_equal(apsp_pace_rate(&pace, 11 * s, s), 0);
	apsp_pace_moved(&pace, 3000, 12 * s);
	assert_int_equal(apsp_pace_rate(&pace, 90 * s, s), INT64_MAX);
	apsp_pace_wait(&pace, 100 * s);
	assert_int_equal(apsp_pace_rate(&pace, 100 * s, s), 1500);
	assert_int_equal(apsp_pace_rate(&pace, 101 * s, s), 1000);
	/* a gigabyte in a second, then nothing */
	apsp_pace_moved(&pace, 1 << 30, 101 * s);
	apsp_pace_wait(&pace, 101 * s);
	assert_true(apsp_pace_rate(&pace, 102 * s, s) > 1000);
	assert_true(apsp_pace_rate(&pace, 110 * s, s) < 1000);
	/* the stated rate, and a little more, for long */
	apsp_pace_reset(&pace);
	for (int i = 0; i < 100; i++) {
		apsp_pace_wait(&pace, (200 + i) * s);
		apsp_pace_moved(&pace, 1010, (201 + i) * s);
		apsp_pace_wait(&pace, (201 + i) * s);
		assert_true(apsp_pace_rate(&pace, (201 + i) * s, s) >= 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent_make_room_first),
		cmocka_unit_test(test_who_makes_room),
		cmocka_unit_test(test_pace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
