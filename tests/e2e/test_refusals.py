"""Requests and uploads that are refused, sent over raw sockets (api/connection/README.md,
Accepting connections)."""
import gzip
import json
import os
import re
import socket
import struct
import subprocess
import time
import unittest

from harness import Case, raise_file_limit, until

HOST = "Host: localhost\r\n"
SMUGGLED = b"DELETE /v1/graphs/g HTTP/1.1\r\nHost: localhost\r\n\r\n"


def receive_all(connection):
    """Read up to the end of the stream."""
    got = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionResetError:
            return got
        if not piece:
            return got
        got += piece


def receive_reply(connection):
    """(status, body) of one reply with a Content-Length."""
    got = b""
    while b"\r\n\r\n" not in got:
        piece = connection.recv(65536)
        if not piece:
            return 0, got
        got += piece
    head, _, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    while length and len(body) < int(length.group(1)):
        body += connection.recv(65536)
    return int(head.split()[1]), body


def waiting_head(query, size):
    """The head of an upload whose client waits before it sends the body."""
    return (f"PUT /v1/graphs/h{query} HTTP/1.1\r\n{HOST}"
            "Content-Type: text/csv\r\nExpect: 100-continue\r\n"
            f"Content-Length: {size}\r\n\r\n").encode()


class Raw(Case):
    """One daemon for all of them: a refusal must not harm the next request."""

    def setUp(self):
        super().setUp()
        self.d = self.daemon(args=["--allowed-host", "lab.example"]).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())

    def send(self, request):
        with self.d.raw() as connection:
            connection.sendall(request.encode("latin-1"))
            return receive_reply(connection)[0]

    def assertClosed(self, request, status):
        """One answer with this status, then the end, whatever followed."""
        with self.d.raw() as connection:
            connection.sendall(request.encode("latin-1"))
            got = receive_all(connection)
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", got), [b"%d" % status], got)

    def test_smuggling(self):
        """Bodies with two meanings: 400, closed, and nothing that follows runs."""
        self.d.put("g", b"a,b,1\n")
        put = "PUT /v1/graphs/h HTTP/1.1\r\n" + HOST + "Content-Type: text/csv\r\n"
        tail = SMUGGLED.decode()
        for head in ("Content-Length: 6\r\nContent-Length: 5\r\n",
                     "Content-Length: 6\r\nContent-Length: 6\r\n",
                     "Content-Length: 6, 6\r\n",
                     "Content-Length: +6\r\n",
                     "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
                     "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n",
                     "Transfer-Encoding: gzip\r\n",
                     "Transfer-Encoding: chunked, gzip\r\n",
                     "Transfer-Encoding: xchunked\r\n",
                     "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"):
            with self.subTest(head):
                self.assertClosed(put + head + "\r\na,b,1\n" + tail, 400)
        self.assertEqual(self.d.ask("GET", "/v1/graphs/g").status, 200,
                         "the smuggled DELETE must not run")

    def test_good_chunks_are_taken(self):
        status = self.send("PUT /v1/graphs/h?transform=none HTTP/1.1\r\n" + HOST +
                           "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "6\r\na,b,1\n\r\n0\r\n\r\n")
        self.assertEqual(status, 202)

    def test_hosts(self):
        get = "GET /healthz HTTP/1.1\r\n"
        for head, status in (("Host: localhost\r\n", 200),
                             ("Host: localhost:8080\r\n", 200),
                             ("Host: LOCALHOST\r\n", 200),
                             ("Host: 127.0.0.1\r\n", 200),
                             ("Host: 127.1.2.3:99\r\n", 200),
                             ("Host: [::1]:8080\r\n", 200),
                             ("Host: lab.example\r\n", 200),
                             ("Host: lab.example:443\r\n", 200),
                             ("", 400),
                             ("Host: localhost\r\nHost: localhost\r\n", 400),
                             ("Host: localhost\r\nHost: evil.example\r\n", 400),
                             ("Host: evil.example\r\n", 421),
                             ("Host: localhost.evil.example\r\n", 421),
                             ("Host: 127.0.0.1.evil.example\r\n", 421),
                             ("Host: 10.0.0.1\r\n", 421),
                             ("Host: 0.0.0.0\r\n", 421)):
            with self.subTest(head):
                self.assertEqual(self.send(get + head + "\r\n"), status)

    def test_targets(self):
        for target, status in (("/v1/graphs/%00", 400),
                               ("/v1/graphs/g%00/path", 400),
                               ("/v1/graphs/%zz", 400),
                               ("/v1/graphs/%4", 400),
                               ("/v1/graphs/%ff", 400),
                               ("/v1/graphs/g/path?from=%00&to=a", 400),
                               ("/v1/graphs/g/path?from=%zz&to=a", 400),
                               # The slash stays in the name, which may have none.
                               ("/v1/graphs/g%2Fpath?from=a&to=b", 400),
                               ("/healthz%2F", 404),
                               ("/v1/graphs/g/nothing", 404)):
            with self.subTest(target):
                self.assertEqual(
                    self.send(f"GET {target} HTTP/1.1\r\n{HOST}\r\n"), status)

    def test_queries(self):
        self.d.put("g", b"a,b,1\n")
        for target in ("/v1/graphs/g/path?from=a", "/v1/graphs/g/path",
                       "/v1/graphs/g/path?from=a&to=b&form=csv",
                       "/v1/jobs/1?wait=forever", "/v1/jobs/1?wait=-1"):
            with self.subTest(target):
                self.assertEqual(
                    self.send(f"GET {target} HTTP/1.1\r\n{HOST}\r\n"), 400)

    def test_bodies(self):
        post = "POST /v1/graphs/g/paths HTTP/1.1\r\n" + HOST
        self.d.put("g", b"a,b,1\n")
        for body in ("", "{", "[]", '{"pairs":7}', '{"pears":[]}', "a,b\n"):
            with self.subTest(body):
                self.assertEqual(400, self.send(
                    post + "Content-Type: application/json\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n" + body))

    def test_codings(self):
        """Only uploads may be compressed: no other body is parsed as if it were not."""
        self.d.put("g", b"a,b,1\n")
        for method, target in (("POST", "g/paths"), ("POST", "g/table"), ("PATCH", "g"),
                               ("PUT", "g/profiles/p"), ("POST", "g/compare")):
            for coding in ("gzip", "br", "gzip, identity"):
                reply = self.d.ask(method, "/v1/graphs/" + target, b"{}",
                                   {"Content-Encoding": coding})
                self.assertStatus(reply, 415)
                self.assertIn("send the body uncompressed", reply.json["detail"])
        reply = self.d.ask("POST", "/v1/graphs/g/table", b"{}", {"Content-Encoding": "Identity"})
        self.assertStatus(reply, 200)

    def test_too_large_is_refused_before_it_is_sent(self):
        with self.d.raw() as connection:
            connection.sendall(waiting_head("", 9000000000000000))
            status, body = receive_reply(connection)
        self.assertEqual(status, 413, body)

    def test_expect_continue(self):
        with self.d.raw() as connection:
            connection.sendall(waiting_head("?transform=none", 6))
            self.assertTrue(connection.recv(1000).startswith(b"HTTP/1.1 100"))
            connection.sendall(b"a,b,1\n")
            self.assertEqual(receive_reply(connection)[0], 202)

    def test_the_head_decides(self):
        """A column that is not named after lengths needs a transform, whatever comes."""
        with self.d.raw() as connection:
            connection.sendall(waiting_head("?weight_column=synapses", 1000000))
            status, body = receive_reply(connection)
        self.assertEqual(status, 422, body)
        problem = json.loads(body)
        self.assertEqual(problem["type"], "/problems/transform-not-said")
        self.assertIn("the numbers of 'synapses' may be lengths", problem["detail"])
        self.assertIn("&transform=inv'", problem["if_strengths"])
        self.assertNotIn("line", problem)
        self.assertEqual(202, self.send(
            f"PUT /v1/graphs/h?weight_column=cost HTTP/1.1\r\n{HOST}"
            "Content-Type: text/csv\r\nContent-Length: 22\r\n\r\n"
            "pre,post,cost\r\na,b,1\r\n"))

    def test_a_body_is_refused_while_it_is_sent(self):
        """Its first line decides; a client that sends on gets that answer and no other."""
        lines = b"a,b,7\n" * 200000
        head = (f"PUT /v1/graphs/h HTTP/1.1\r\n{HOST}Content-Type: text/csv\r\n"
                f"Content-Length: {len(lines)}\r\n\r\n").encode()
        with self.d.raw() as connection:
            connection.sendall(head + lines[:len(lines) // 2])
            status, body = receive_reply(connection)  # the rest is not there yet
            self.assertEqual(status, 422, body)
            problem = json.loads(body)
            self.assertEqual((problem["type"], problem["line"]),
                             ("/problems/transform-not-said", 1))
            self.assertIn("curl -T FILE", problem["if_lengths"])
            connection.sendall(lines[len(lines) // 2:] + SMUGGLED)
            self.assertEqual(receive_all(connection), b"")
        with self.d.raw() as connection:
            connection.sendall(head + lines)
            self.assertEqual(receive_reply(connection)[0], 422)
        with self.d.raw() as connection:
            connection.sendall(head.replace(b"Content-Length: %d" % len(lines),
                                            b"Transfer-Encoding: chunked") +
                               b"%x\r\n" % len(lines) + lines[:len(lines) // 2])
            self.assertEqual(receive_reply(connection)[0], 422)
        self.assertEqual(self.d.ask("GET", "/v1/graphs/h").status, 404)

    def test_leaving_while_a_body_is_parsed(self):
        """The pool parses megabytes for each piece of these bodies; their clients leave meanwhile,
        while the next piece comes."""
        body = gzip.compress(b"".join(b"%d,%d,7\n" % (i % 7919, i % 104729)
                                      for i in range(3000000)), 1)
        self.assertGreater(len(body), 1 << 20)
        head = (f"PUT /v1/graphs/h?transform=none&tables=none HTTP/1.1\r\n{HOST}"
                "Content-Type: text/csv\r\nContent-Encoding: gzip\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode()
        for i in range(16):
            with self.d.raw() as connection:
                connection.sendall(head + body[:100000 + 10000 * i])
                time.sleep(0.01 * (i % 4))
                # the close is a reset: the daemon notices it at once
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.d.put("h", gzip.decompress(body)[:100000 // 7 * 7].rpartition(b"\n")[0] + b"\n",
                   "?transform=none&tables=none")
        self.assertIn('apspd_connections{state="busy"} 1\n',
                      self.d.ask("GET", "/metrics").body.decode())

    def test_pipelined_requests(self):
        with self.d.raw() as connection:
            connection.sendall(("GET /healthz HTTP/1.1\r\n" + HOST + "\r\n").encode() * 2 +
                               ("GET /healthz HTTP/1.1\r\nConnection: close\r\n" + HOST +
                                "\r\n").encode())
            got = receive_all(connection)
        self.assertEqual(got.count(b"HTTP/1.1 200"), 3, got)

    def test_nonsense(self):
        with self.d.raw() as connection:
            connection.sendall(os.urandom(300).replace(b"\n", b"") + b"\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            receive_all(connection)
        self.assertEqual(self.d.ask("GET", "/healthz").status, 200)

    def test_head(self):
        reply = self.d.ask("HEAD", "/healthz")
        self.assertEqual((reply.status, reply.body), (200, b""))

    def test_request_id(self):
        """Every response has one, and no two are the same."""
        ids = [self.d.ask("GET", target).headers["X-Request-Id"]
               for target in ("/healthz", "/nowhere", "/v1/graphs/none", "/healthz")]
        self.assertEqual(len(set(ids)), 4, ids)
        self.assertTrue(all(ids))


class Slow(Case):
    def test_drip(self):
        """A byte a second is not silence, yet the whole request has a deadline."""
        with self.daemon() as d:
            with d.raw() as connection:
                connection.settimeout(1)
                request = f"GET /healthz HTTP/1.1\r\n{HOST}X: ".encode()
                connection.sendall(request)
                began = time.monotonic()
                got = None
                while time.monotonic() - began < 100 and got is None:
                    try:
                        got = connection.recv(4096)  # a second at most
                    except socket.timeout:
                        try:
                            connection.sendall(b"x")
                        except OSError:
                            got = b""
                    except ConnectionResetError:
                        got = b""
                self.assertIsNotNone(got, "a drip may not live for ever")
                self.assertNotIn(b"200 OK", got)
            self.assertEqual(d.ask("GET", "/healthz").status, 200)

    def test_silent_clients_do_not_hold_up_a_stop(self):
        with self.daemon() as d:
            connections = [d.raw() for _ in range(50)]
            self.assertEqual(d.ask("GET", "/healthz").status, 200)
            d.stop()
            for connection in connections:
                connection.close()


class Crowd(Case):
    def setUp(self):
        super().setUp()
        raise_file_limit()
        self.d = self.daemon().start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        limits = self.d.ask("GET", "/v1/info").json["limits"]
        self.limit = limits["peer_connections"]
        self.assertLess(self.limit, limits["connections"])
        self.d.put("g", b"a,b,1\n")
        self.d.stop()  # and so the connections that asked have ended
        self.d.start()
        self.crowd = []
        self.addCleanup(lambda: [connection.close() for connection in self.crowd])

    def ask_late(self):
        with self.d.raw() as connection:
            connection.sendall(
                f"GET /healthz HTTP/1.1\r\nConnection: close\r\n{HOST}\r\n".encode())
            return receive_all(connection)

    def begin_body(self):
        """The first line that a request with a body gets, and the rest of that answer."""
        connection = self.d.raw()
        self.crowd.append(connection)
        connection.sendall((f"POST /v1/graphs/g/paths HTTP/1.1\r\n{HOST}"
                            "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n").encode())
        return connection.recv(65536)

    def test_connection_limit(self):
        """15 in 16 places may have a body under way: 503 past that, and short
        questions are answered; one leaves, one comes."""
        for _ in range(self.limit - self.limit // 16):
            self.assertIn(b" 100 ", self.begin_body())
        for _ in range(self.limit // 4):
            got = self.begin_body()
            self.assertTrue(got.startswith(b"HTTP/1.1 503"), got)
            self.assertIn(b"Retry-After", got)
            self.assertIn(b'"request_id":"', got)
            got = self.ask_late()
            self.assertTrue(got.startswith(b"HTTP/1.1 200"), got)
        self.crowd.pop(0).close()
        until("a free place", lambda: b" 100 " in self.begin_body())

    def test_idle_connections_make_room(self):
        """As many as there may be, and as many again: each is served at once."""
        for count in range(2 * self.limit):
            connection = self.d.raw()
            self.crowd.append(connection)
            if count % 2:
                connection.sendall(f"GET /healthz HTTP/1.1\r\n{HOST}\r\n".encode())
                self.assertEqual(receive_reply(connection)[0], 200)
        self.assertTrue(self.ask_late().startswith(b"HTTP/1.1 200"))


class Activation(Case):
    """Sockets from systemd: LISTEN_FDS, judged by getsockname()."""

    def start(self, listener, directory, **env):
        # The shell's pid is the daemon's, as LISTEN_PID must say.
        script = f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        return self.daemon(directory=directory, listen=[],
                           prefix=["/bin/bash", "-c", script, "activate"],
                           pass_fds=[listener.fileno()], env=env)

    def warned(self, **env):
        """What the daemon warns of beside an inherited socket."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            with self.start(listener, self.directory, **env) as d:
                self.assertEqual(len(d.addresses), 1)
            return [line for line in d.log if "warning: " in line and "APSPD_" in line]

    def test_own_addresses_are_ignored(self):
        """And that is said, as is a variable that means nothing."""
        said = self.warned(APSPD_LISTEN="127.0.0.1:0", APSPD_LISTENS="x")
        self.assertEqual(len(said), 2, said)
        self.assertIn("APSPD_LISTENS is set and means nothing", said[0])
        self.assertIn("APSPD_LISTEN is ignored", said[1])
        self.assertEqual(self.warned(), [])

    def test_tcp(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            with self.start(listener, self.directory) as d:
                self.assertEqual(d.addresses, [f"127.0.0.1:{port}"])
                self.assertEqual(d.ask("GET", "/healthz").status, 200)

    def test_unix(self):
        path = os.path.join(self.directory, "given")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            with self.start(listener, self.directory) as d:
                client = d.client("unix:" + path)
                self.assertEqual(client.ask("GET", "/healthz").status, 200)
                client.close()
            self.assertTrue(os.path.exists(path), "not ours to remove")

    def test_not_loopback(self):
        with socket.create_server(("0.0.0.0", 0)) as listener:
            d = self.start(listener, self.directory)
            ended = subprocess.run(d.command, env=d.env, pass_fds=d.pass_fds,
                                   capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ended.returncode, 78)  # no restart helps
        self.assertIn("without tokens", ended.stderr)


if __name__ == "__main__":
    unittest.main()
