"""What the log tells of requests: each line that a request caused has its id, and that
id is the answer's X-Request-Id."""
import os
import re
import socket
import unittest

from harness import Case, until

LINE = re.compile(r"^(?:\S+Z \w+: )?(.*)$")
ID = re.compile(r"\bid=([0-9a-f]{16})\b")
# What the daemon tells of its own doing: starts, jobs, devices, tables, its end.
OWN = re.compile(r"^(apspd |job \d|solver: |device |notify the service manager|"
                 r"tables found damaged|no longer )")


class Log(Case):
    def setUp(self):
        super().setUp()
        self.d = self.daemon(args=("--access-log", "on", "--cache-limit", "1M")).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.ids = {}  # of answers: what they answered

    def ask(self, method, target, status, body=None, headers=None):
        reply = self.assertStatus(self.d.ask(method, target, body, headers or {}), status)
        self.ids[reply.headers["X-Request-Id"]] = (target, status)
        if status >= 400:
            self.assertEqual(reply.json["request_id"], reply.headers["X-Request-Id"])
        return reply

    def by_hand(self, data, close=False):
        """Send bytes; the answer's id, unless the client leaves before it."""
        with self.d.raw() as s:
            s.sendall(data)
            if close:
                return
            head = s.recv(65536).decode("latin-1")
            found = re.search(r"X-Request-Id: (\w+)", head)
            self.assertTrue(found, head)
            self.ids[found[1]] = (data[:40], int(head.split()[1]))

    def test_ids(self):
        d, host = self.d, b"Host: localhost\r\n"
        d.put("g", b"a,b,1\nb,c,1\n")
        self.ask("GET", "/v1/graphs/g/path?from=a&to=c", 200)
        self.ask("GET", "/v1/graphs/none", 404)
        self.ask("PUT", "/v1/graphs/h?transform=none", 422, b"a,b,heavy\nb,c,1\n")
        self.ask("PUT", "/v1/graphs/h?format=mtx&transform=none", 422, b"nonsense")
        self.ask("GET", "/v1/graphs/g/path?from=a&to=c&nonsense=1", 400)
        ring = "".join(f"{i},{(i + 1) % 700},1\n" for i in range(700)).encode()
        self.ask("PUT", "/v1/graphs/ring?transform=hops", 507, ring)
        self.by_hand(b"GET /%ff HTTP/1.1\r\n" + host + b"\r\n")
        self.by_hand(b"GET /healthz HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n")
        self.by_hand(b"PUT /v1/graphs/h?transform=none HTTP/1.1\r\n" + host
                     + b"Content-Length: 99999999999999\r\n\r\n")
        # bytes that libmicrohttpd never gets
        self.by_hand(b"GET /v1/graphs/\xc3\xa4 HTTP/1.1\r\n" + host + b"\r\n")
        self.by_hand(b"GET /healthz HTTP/1.1\r\n" + host + b"A: " + b"b" * 20000 + b"\r\n\r\n")
        broken = self.broken_upload(host)
        # a client that leaves in the middle of its upload
        self.by_hand(b"PUT /v1/graphs/left?transform=none HTTP/1.1\r\n" + host
                     + b"Content-Length: 1000\r\n\r\na,b,1\n", close=True)
        # tables that turn out damaged, and a cache that cannot be looked at
        os.truncate(d.table_files()[0], 4096)
        reply = d.path("g", "a", "c")
        self.ids[reply.headers["X-Request-Id"]] = ("damaged", reply.status)
        until("the request that was left to be told", lambda: any(
            "target=/v1/graphs/left" in line for line in d.log))
        d.stop()
        told = self.told()
        for one, what in self.ids.items():
            self.assertIn(one, told, what)
            self.assertIn(f"status={what[1]}", told[one], what)
        self.assertIn("a chunk's size is not hexadecimal", told[broken])
        self.assertIn("graph=broken", told[broken])

    def broken_upload(self, host):
        """The id of an upload whose second chunk is wrong."""
        with self.d.raw() as s:
            s.sendall(b"PUT /v1/graphs/broken?transform=none HTTP/1.1\r\n" + host
                      + b"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
            self.assertIn(b" 100 ", s.recv(65536))
            s.sendall(b"6\r\na,b,1\n\r\nzz\r\n")
            head = s.recv(65536).decode("latin-1")
        one = re.search(r"X-Request-Id: (\w+)", head)[1]
        self.ids[one] = ("broken", 400)
        return one

    def told(self):
        """{id: line}; each line has an id, or is of the daemon's own doing."""
        found = {}
        for line in self.d.log:
            parts = LINE.match(line)
            self.assertTrue(parts, line)
            one = ID.search(parts[1])
            if one:
                self.assertNotIn(one[1], found, "a request is told twice")
                found[one[1]] = line
            else:
                self.assertRegex(parts[1], OWN)
        return found


if __name__ == "__main__":
    unittest.main()
