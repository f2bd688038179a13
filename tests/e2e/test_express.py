"""Answers past libmicrohttpd (api/http/README.md, Short questions go express): byte for
byte those of libmicrohttpd, and to nothing else."""
import socket
import unittest

from harness import DEADLINE_S, Case, until

HOST = b"Host: localhost\r\n"
LAST = b"GET /healthz HTTP/1.0\r\n" + HOST + b"\r\n"


def get(target, more=b""):
    return b"GET " + target + b" HTTP/1.1\r\n" + HOST + more + b"\r\n"


def path(ends, more=b"", option=b""):
    return get(b"/v1/graphs/g/path?" + ends + option, more)


class Express(Case):
    def setUp(self):
        super().setUp()
        self.d = self.daemon(args=("--log-level", "debug")).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        line = "".join(f"v{i},v{i + 1},1\n" for i in range(250))
        self.d.put("g", ("a,b,1\nb,c é,0.1\nd,e,2\n" + line).encode())
        self.tag = self.d.path("g", "a", "b").headers["ETag"].encode()

    def take(self, connection, seen=b""):
        """One answer, as (lines of its head, body), and what was read behind it."""
        while b"\r\n\r\n" not in seen:
            piece = connection.recv(65536)
            self.assertTrue(piece, seen)
            seen += piece
        head, _, seen = seen.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        size = int(dict(line.split(": ", 1) for line in lines[1:])["Content-Length"])
        while len(seen) < size:
            piece = connection.recv(65536)
            self.assertTrue(piece, seen)
            seen += piece
        return (lines, seen[:size]), seen[size:]

    def ask(self, request, behind=b""):
        """The answer to a request that is sent at once with what is behind it."""
        with self.d.raw() as connection:
            connection.sendall(request + behind)
            return self.take(connection)[0]

    def was_express(self, answer):
        """What the daemon's log says of an answer."""
        found = [line[14:] for line in answer[0] if line.startswith("X-Request-Id: ")]
        self.assertEqual(len(found), 1, answer)
        line = until("the request's line in the log", lambda: next(
            (line for line in self.d.log if f" id={found[0]} " in line), None))
        return line.endswith(" express")

    @staticmethod
    def lasting(answer):
        """Without what two answers to one question do not share."""
        lines, body = answer
        return [line if not line.startswith(("Date: ", "X-Request-Id: "))
                else line.split()[0] for line in lines], body

    def test_as_libmicrohttpd(self):
        """A request that comes with another one goes to libmicrohttpd."""
        for name, request, status in (
                ("healthz", get(b"/healthz"), 200),
                ("path", path(b"from=a&to=b"), 200),
                ("path of two arcs", path(b"from=a&to=c+%C3%A9"), 200),
                ("no path", path(b"from=a&to=e"), 200),
                ("no arc", path(b"to=a&from=a&profile=default"), 200),
                ("reachable", get(b"/v1/graphs/g/reachable?from=a&to=c%20%C3%A9"), 200),
                ("not reachable", get(b"/v1/graphs/%67/reachable?from=b&to=a"), 200),
                ("URL", get(b"http://localhost/v1/graphs/g/path?from=a&to=b"), 200),
                ("same tag", path(b"from=a&to=b", b"If-None-Match: " + self.tag + b"\r\n"), 304),
                ("any tag", path(b"from=a&to=b", b"if-none-match:*\r\n"), 304),
                ("other tag", path(b"from=a&to=b", b'If-None-Match: "x"\r\n'), 200),
                ("headers", path(b"from=a&to=b", b"Accept: application/json;q=0.5, */*\r\n"
                                 b"Accept-Encoding: gzip, zstd\r\nConnection: Keep-Alive\r\n"
                                 b"Origin: http://localhost\r\nUser-Agent: x\r\n"), 200)):
            with self.subTest(name):
                alone, paired = self.ask(request), self.ask(request, LAST)
                self.assertEqual(alone[0][0].split()[1], str(status), alone)
                self.assertEqual(self.lasting(alone), self.lasting(paired))
                self.assertTrue(self.was_express(alone))
                self.assertFalse(self.was_express(paired))

    def test_not_express(self):
        for name, request, status in (
                ("unknown vertex", path(b"from=a&to=x"), 404),
                ("unknown graph", get(b"/v1/graphs/x/path?from=a&to=b"), 404),
                ("unknown option", path(b"from=a&to=b&x=1"), 400),
                ("unknown path", get(b"/v1/x"), 404),
                ("other endpoint", get(b"/v1/graphs/g"), 200),
                ("search", path(b"from=a&to=b&k=2"), 200),
                ("other type", path(b"from=a&to=b", b"Accept: text/html\r\n"), 406),
                ("HTTP/1.0", path(b"from=a&to=b").replace(b"1.1", b"1.0"), 200),
                ("last", path(b"from=a&to=b", b"Connection: close\r\n"), 200),
                ("last, in the second header",
                 path(b"from=a&to=b", b"Connection: keep-alive\r\nConnection: close\r\n"),
                 200),
                ("no body", path(b"from=a&to=b", b"Content-Length: 0\r\n"), 200),
                ("body", path(b"from=a&to=b", b"Content-Length: 2\r\n") + b"{}", 400),
                ("chunked", path(b"from=a&to=b", b"Transfer-Encoding: chunked\r\n")
                 + b"0\r\n\r\n", 400),
                ("expectation", path(b"from=a&to=b", b"Expect: x\r\n"), 400),
                ("large head", path(b"from=a&to=b", b"X: " + b"x" * 3000 + b"\r\n"), 200),
                ("many headers", path(b"from=a&to=b", b"X: x\r\n" * 40), 200),
                ("foreign host", path(b"from=a&to=b").replace(b"localhost", b"example.org"),
                 421),
                ("blank behind the host",
                 path(b"from=a&to=b").replace(b"localhost", b"localhost "), 421),
                ("foreign page", path(b"from=a&to=b", b"Origin: http://x.org\r\n"), 403),
                ("POST", b"POST" + path(b"from=a&to=b")[3:], 405)):
            with self.subTest(name):
                answer = self.ask(request)
                self.assertEqual(answer[0][0].split()[1], str(status), answer)
                self.assertFalse(self.was_express(answer))

    def test_turns(self):
        """Both ways take turns on one connection, and a request may come in pieces."""
        request = path(b"from=a&to=b")
        with self.d.raw() as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(20):
                connection.sendall(request)
                express, rest = self.take(connection)
                self.assertEqual(rest, b"")
                connection.sendall(request + get(b"/v1/graphs/g") + request)
                first, rest = self.take(connection)
                second, rest = self.take(connection, rest)
                third, rest = self.take(connection, rest)
                self.assertEqual(rest, b"")
                self.assertEqual(self.lasting(first), self.lasting(express))
                self.assertIn(b'"name":"g"', second[1])
                self.assertEqual(self.lasting(third), self.lasting(express))
                for byte in request:
                    connection.send(bytes([byte]))
                self.assertEqual(self.lasting(self.take(connection)[0]),
                                 self.lasting(express))
            self.assertTrue(self.was_express(express))

    def test_request_inside(self):
        """What comes later of a request is none, though it looks like one."""
        for _ in range(40):
            with self.d.raw() as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(b"GET /v1/x HTTP/1.1\r\nX: ")
                self.ask(get(b"/healthz"))  # the first piece was read meanwhile, mostly
                connection.sendall(get(b"/healthz"))
                answer, rest = self.take(connection)
                self.assertIn(" 404 ", answer[0][0])
                self.assertEqual(rest, b"")

    def test_client_that_does_not_read(self):
        """It gets every answer whole and in order, once it reads."""
        ends = [b"from=a&to=b", b"from=v0&to=v250", b"from=v1&to=v250"]
        answers = [self.ask(path(end)) for end in ends]
        self.assertGreater(len(answers[1][1]), 7000)
        self.assertTrue(all(map(self.was_express, answers)))
        wanted = [self.lasting(answer) for answer in answers]
        host, port = self.d.addresses[0].rsplit(":", 1)
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect((host, int(port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(DEADLINE_S)
            n, rest = 20000, b""
            # the daemon stops reading when nobody takes its answers
            connection.setblocking(False)
            for i in range(n):
                request = path(ends[i % 3])
                try:
                    sent = connection.send(request)
                except BlockingIOError:
                    n = i
                    break
                if sent < len(request):
                    connection.settimeout(DEADLINE_S)
                    rest, n = request[sent:], i + 1
                    break
            self.assertGreater(n, 100)
            connection.settimeout(DEADLINE_S)
            seen = b""
            for i in range(n):
                if i == n - 1:
                    connection.sendall(rest)
                answer, seen = self.take(connection, seen)
                self.assertEqual(self.lasting(answer), wanted[i % 3], i)
            self.assertEqual(seen, b"")


if __name__ == "__main__":
    unittest.main()
