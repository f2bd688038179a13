"""Raw requests to the real daemon: what each must get (api/connection/README.md, Bytes are
judged first).

A case is a name, bytes, and the statuses of the answers in order. Whatever comes
behind a refused request must not run, and no request has two answers. After each
case the connection has ended, by the daemon or because the client sends no more.
"""
import json
import socket
import string
import unittest

from harness import DEADLINE_S, Case

HOST = b"Host: localhost\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
OK = GET + b"\r\n"
SMUGGLED = b"DELETE /v1/graphs/g HTTP/1.1\r\n" + HOST + b"\r\n"
BODY = b'{"pairs":[["a","b"]]}'
POST = (b"POST /v1/graphs/g/paths HTTP/1.1\r\n" + HOST
        + b"Content-Type: application/json\r\n")
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"%x\r\n%s\r\n" % (len(BODY), BODY)
VISIBLE = set(range(0x21, 0x7f))
TOKEN = set((string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~").encode())
TARGET = set((string.ascii_letters + string.digits + "-._~:/?[]@!$&'()*+,;=%").encode())


def length(value, body=BODY):
    return POST + b"Content-Length:" + value + b"\r\n\r\n" + body


def lines():
    """Request lines."""
    yield "a request", OK, 200
    yield "HTTP/1.0", b"GET /healthz HTTP/1.0\r\n" + HOST + b"\r\n", 200
    yield "HTTP/1.0 without a Host", b"GET /healthz HTTP/1.0\r\n\r\n", 421
    yield "no Host", b"GET /healthz HTTP/1.1\r\n\r\n", 400
    yield "an unknown method", b"BREW /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 405
    yield "a method in lower case", b"get /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 405
    yield "OPTIONS *", b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 405
    yield "TRACE", b"TRACE /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 405
    yield "CONNECT", b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n", 405
    yield "a URL", b"GET http://localhost/healthz HTTP/1.1\r\n" + HOST + b"\r\n", 200
    yield "a URL elsewhere", b"GET http://x/healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400
    yield "a path without its slash", b"GET healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400
    for version in (b"HTTP/1.2", b"HTTP/1.9", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.10",
                    b"HTTP/1", b"HTTP/1.", b"HTTP/11", b"http/1.1", b"Http/1.1",
                    b"HTTP /1.1", b"HTTP/1.1 ", b" HTTP/1.1", b"HTTPS/1.1", b"X", b"",
                    b"HTTP/1.1\0", b"\0HTTP/1.1", b"HTTP/1.1\t", b"HTTP/1,1"):
        yield f"version {version!r}", b"GET /healthz " + version + b"\r\n" + HOST + b"\r\n", 400
    for line in (b"", b"\n", b"GET", b"GET /healthz", b"GET  /healthz HTTP/1.1",
                 b" GET /healthz HTTP/1.1", b"\tGET /healthz HTTP/1.1",
                 b"GET\t/healthz HTTP/1.1", b"GET /healthz\tHTTP/1.1",
                 b"GET /healthz  HTTP/1.1", b"GET /heal thz HTTP/1.1", b"/healthz",
                 b"GET: /healthz HTTP/1.1", b"G(T /healthz HTTP/1.1",
                 b"G\0T /healthz HTTP/1.1", b"M" * 33 + b" /healthz HTTP/1.1",
                 b"\x16\x03\x01\x02\x00", b"\xff\xfeGET / HTTP/1.1"):
        yield f"line {line!r}", line + b"\r\n" + HOST + b"\r\n" + SMUGGLED, 400
    for end in (b"\n", b"\r", b"\r\r\n", b"\n\r", b"\0\r\n", b"\x0b\r\n"):
        yield f"line's end {end!r}", b"GET /healthz HTTP/1.1" + end + HOST + b"\r\n", 400
    yield "HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400


def targets():
    for byte in range(256):
        if byte in TARGET or byte == 0x20:
            continue
        yield (f"byte {byte:#04x} in a URL",
               b"GET /healthz%c HTTP/1.1\r\n" % byte + HOST + b"\r\n" + SMUGGLED, 400)
    for target, status in ((b"/v1/graphs/g\0x", 400), (b"/v1/graphs/g%00x", 400),
                           (b"/healthz?format=\0", 400), (b"/healthz?%00", 400),
                           (b"/v1/graphs/%zz", 400), (b"/v1/graphs/%", 400),
                           (b"/healthz%2F", 404), (b"/../healthz", 404),
                           (b"/healthz?a=1&a=2", 400), (b"//healthz", 404)):
        yield (f"target {target!r}",
               b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", status)
    yield "a DELETE with a NUL", SMUGGLED.replace(b"g HTTP", b"g\0-backup HTTP"), 400


def names():
    """Names of headers, and what is between two of them."""
    for byte in range(256):
        if byte in TOKEN or byte == ord(":"):
            continue
        yield (f"byte {byte:#04x} in a name",
               GET + b"A%cB: c\r\n\r\n" % byte + SMUGGLED, 400)
    for line in (b": x", b":", b" : x", b"\0: x", b"\0", b"A", b"A B: c", b"A : b", b"A\t: b",
                 b" A: b", b"\tA: b", b"A: b\r\n c", b"A: b\r\n\tc", b"A: b\r\n ",
                 b"\x0b", b"(a): b", b"A\r: b", b"A:\0"):
        yield f"header {line!r}", GET + line + b"\r\n\r\n" + SMUGGLED, 400
        yield (f"trailer {line!r}",
               CHUNKED + CHUNK + b"0\r\n" + line + b"\r\n\r\n" + SMUGGLED, 400)
        yield (f"header {line!r} before a length",
               POST + line + b"\r\nContent-Length: 999\r\n\r\n" + SMUGGLED, 400)
    for line in (b"A:", b"A: ", b"A:\t b \t", b"!#$%&'*+-.^_`|~: x", b"A: \xc3\xa9", b"1: 2"):
        yield f"good header {line!r}", GET + line + b"\r\n\r\n", 200


def values():
    for byte in list(range(32)) + [0x7f]:
        if byte == ord("\t"):
            continue
        yield (f"byte {byte:#04x} in a value",
               GET + b"A: b%cc\r\n\r\n" % byte + SMUGGLED, 400)
        yield (f"byte {byte:#04x} in a trailer",
               CHUNKED + CHUNK + b"0\r\nA: b%cc\r\n\r\n" % byte + SMUGGLED, 400)
    for end in (b"\n", b"\r", b"\r\r\n", b"\n\r"):
        yield f"value's end {end!r}", GET + b"A: b" + end + b"C: d\r\n\r\n" + SMUGGLED, 400
        yield f"head's end {end!r}", GET + b"A: b\r\n" + end + SMUGGLED, 400
    for host, status in ((b"localhost\0.evil.example", 400), (b"localhost", 200),
                         (b"evil.example", 421), (b"", 421), (b" localhost", 200),
                         (b"localhost:80", 200), (b"localhost:", 200),
                         (b"localhost, evil.example", 421)):
        yield (f"Host {host!r}", b"GET /healthz HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
               status)
    for origin, status in ((b"http://localhost\0.evil.example", 400),
                           (b"http://localhost", 200), (b"http://evil.example", 403),
                           (b"null", 403)):
        yield f"Origin {origin!r}", GET + b"Origin: " + origin + b"\r\n\r\n", status


def singles():
    """Headers of which there is one at most."""
    for name, value in ((b"Host", b"localhost"), (b"Content-Length", b"0"),
                        (b"Transfer-Encoding", b"chunked"), (b"Content-Type", b"text/csv"),
                        (b"Content-Encoding", b"gzip"), (b"Expect", b"100-continue"),
                        (b"Origin", b"http://localhost"), (b"Cookie", b"a=b"),
                        (b"If-Match", b'"a"'), (b"If-None-Match", b'"a"'),
                        (b"Range", b"bytes=0-1"), (b"If-Range", b'"a"')):
        line = name + b": " + value + b"\r\n"
        post = b"POST /v1/graphs/g/paths HTTP/1.1\r\n"
        host = b"" if name == b"Host" else HOST
        yield f"two {name.decode()}", post + host + line + line + b"\r\n" + SMUGGLED, 400
        yield (f"two {name.decode()}, one in upper case",
               post + host + line + line.upper() + b"\r\n" + SMUGGLED, 400)
        yield (f"{name.decode()} behind the body",
               CHUNKED + CHUNK + b"0\r\n" + line + b"\r\n" + SMUGGLED, 400)


def lengths():
    yield "a length", length(b" 21"), 200
    yield "a length without a blank", length(b"21"), 200
    yield "a length with zeros", length(b" 0021"), 200
    for value in (b"", b" ", b" 21 ", b" 21\t", b" 21,21", b" 21, 21", b" +21", b" -21",
                  b" 0x15", b" 21x", b" x", b" 21.0", b" 2 1", b" 2e1", b" \"21\"", b" 21;a",
                  b" 21\0", b" \x0021", b" 18446744073709551616", b" 18446744073709551637",
                  b" 99999999999999999999", b" 340282366920938463463374607431768211477",
                  b" -0", b" \xb2"):
        yield f"length {value!r}", length(value) + SMUGGLED, 400
    yield "a length of 2^64 - 1", length(b" 18446744073709551615"), 413
    yield "a length of 2^63", length(b" 9223372036854775808"), 413
    yield ("a length with chunks",
           POST + b"Content-Length: 21\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK
           + b"0\r\n\r\n" + SMUGGLED, 400)
    yield ("chunks with a length",
           POST + b"Transfer-Encoding: chunked\r\nContent-Length: 21\r\n\r\n" + CHUNK
           + b"0\r\n\r\n" + SMUGGLED, 400)


def codings():
    for value in (b"", b"gzip", b"identity", b"chunked, gzip", b"gzip, chunked",
                  b"chunked, chunked", b"chunked,", b",chunked", b"xchunked", b"chunkedx",
                  b"chunked;q=1", b"\"chunked\"", b"chunked ", b"chunked\t", b"chunke",
                  b"chunked\0", b"chunked\0, identity", b"\0chunked", b"chunked\x0b",
                  b"chun ked", b"trailers"):
        yield (f"coding {value!r}",
               POST + b"Transfer-Encoding: " + value + b"\r\n\r\n" + CHUNK + b"0\r\n\r\n"
               + SMUGGLED, 400)
    yield ("a coding in HTTP/1.0",
           CHUNKED.replace(b"HTTP/1.1", b"HTTP/1.0") + CHUNK + b"0\r\n\r\n" + SMUGGLED, 400)
    yield ("a coding in upper case",
           POST + b"TRANSFER-ENCODING: CHUNKED\r\n\r\n" + CHUNK + b"0\r\n\r\n", 200)


def chunks():
    half = [b"%x\r\n%s\r\n" % (len(part), part) for part in (BODY[:9], BODY[9:])]
    yield "a chunk", CHUNKED + CHUNK + b"0\r\n\r\n", 200
    yield "two chunks", CHUNKED + b"".join(half) + b"0\r\n\r\n", 200
    yield "zeros", CHUNKED + b"000" + CHUNK + b"0000\r\n\r\n", 200
    yield "upper case", CHUNKED + CHUNK.upper().replace(BODY.upper(), BODY) + b"0\r\n\r\n", 200
    yield "an extension", CHUNKED + CHUNK.replace(b"\r\n", b";a=\"b c\"\r\n", 1) + b"0;x\r\n\r\n", 200
    yield "trailers", CHUNKED + CHUNK + b"0\r\nA: b\r\nC: d\r\n\r\n", 200
    for size in (b"", b" 15", b"15 ", b"+15", b"-15", b"0x15", b"15h", b"g", b"1 5",
                 b"15\0", b"\x0015", b"15\t", b"15,", b"\"15\"", b"15;\0", b"15;\x01",
                 b"15;a\x7f", b";15", b"0" * 15 + b"15", b"10000000000000015",
                 b"ffffffffffffffff", b"1" + b"0" * 15, b"15;" + b"a" * 300,
                 b"15;" + b"a" * 70000):
        yield (f"chunk's size {size[:20]!r} ({len(size)} bytes)",
               CHUNKED + size + b"\r\n" + BODY + b"\r\n0\r\n\r\n" + SMUGGLED, 400)
    for end in (b"\n", b"\r", b"\r\r\n", b"\n\r", b" \n"):
        yield (f"size's end {end!r}",
               CHUNKED + b"15" + end + BODY + b"\r\n0\r\n\r\n" + SMUGGLED, 400)
        yield (f"extension's end {end!r}",
               CHUNKED + b"15;a" + end + BODY + b"\r\n0\r\n\r\n" + SMUGGLED, 400)
        yield (f"last size's end {end!r}", CHUNKED + CHUNK + b"0" + end + b"\r\n" + SMUGGLED, 400)
        yield (f"data's end {end!r}",
               CHUNKED + b"15\r\n" + BODY + end + b"0\r\n\r\n" + SMUGGLED, 400)
        yield f"trailers' end {end!r}", CHUNKED + CHUNK + b"0\r\n" + end + SMUGGLED, 400
    for name, data in (("too much", BODY + b"x"), ("too little", BODY[:-1]),
                       ("nothing", b"")):
        yield (f"{name} in a chunk",
               CHUNKED + b"15\r\n" + data + b"\r\n0\r\n\r\n" + SMUGGLED, 400)


def sizes():
    yield ("a long URL", b"GET /v1/graphs?cursor=" + b"a" * 16000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
           200)
    yield ("too long a URL",
           b"GET /healthz?q=" + b"a" * 17000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 431)
    yield "a URL without an end", b"GET /" + b"a" * 100000, 431
    yield "a long header", GET + b"A: " + b"b" * 16000 + b"\r\n\r\n", 200
    yield "too long a header", GET + b"A: " + b"b" * 17000 + b"\r\n\r\n" + SMUGGLED, 431
    yield "too long a name", GET + b"A" * 17000 + b": b\r\n\r\n" + SMUGGLED, 431
    yield "a header without an end", GET + b"A: " + b"b" * 100000, 431
    yield "99 headers", GET + b"A: b\r\n" * 99 + b"\r\n", 200
    yield "100 headers more", GET + b"A: b\r\n" * 100 + b"\r\n" + SMUGGLED, 431
    # libmicrohttpd has memory for it, and for a body behind it
    largest = (b"/v1/graphs/g/paths?" + b"&".join(b"%03d=%s" % (i, b"x" * 20) for i in range(64))
               + b" HTTP/1.1\r\n" + HOST + b"Cookie: "
               + b";".join([b"a=" + b"c" * 60] * 64) + b"\r\n")
    largest += (b"A: " + b"b" * 106 + b"\r\n") * 95
    yield "the largest head", b"GET " + largest + b"\r\n", 405
    yield ("the largest head, a body",
           b"POST " + largest + b"Content-Length: 21\r\n\r\n" + BODY, 400)
    yield "too large a head", GET + (b"A: " + b"b" * 1000 + b"\r\n") * 40 + b"\r\n" + SMUGGLED, 431
    yield "headers without an end", GET + b"A: b\r\n" * 50000, 431
    yield "64 cookies", GET + b"Cookie: " + b"; ".join([b"a=b"] * 64) + b"\r\n\r\n", 200
    yield "thousands of cookies", GET + b"Cookie: " + b"a;" * 4000 + b"\r\n\r\n" + SMUGGLED, 431
    yield "a large cookie", GET + b"Cookie: a=" + b"b" * 4000 + b"\r\n\r\n", 200
    yield "too large a cookie", GET + b"Cookie: a=" + b"b" * 5000 + b"\r\n\r\n" + SMUGGLED, 431
    yield ("hundreds of arguments",
           b"GET /healthz?" + b"a&" * 500 + b" HTTP/1.1\r\n" + HOST + b"\r\n" + SMUGGLED, 431)
    yield ("too large trailers",
           CHUNKED + CHUNK + b"0\r\n" + (b"A: " + b"b" * 1000 + b"\r\n") * 5 + b"\r\n"
           + SMUGGLED, 431)
    yield ("too many trailers",
           CHUNKED + CHUNK + b"0\r\n" + b"A: b\r\n" * 101 + b"\r\n" + SMUGGLED, 431)


def pipelines():
    """Behind a good request a bad one gets no answer: "Connection: close" said so."""
    post = length(b" 21")
    chunked = CHUNKED + CHUNK + b"0\r\n\r\n"
    yield "three requests", OK * 3, (200, 200, 200)
    yield "twenty requests", OK * 20, (200,) * 20
    yield "two bodies", post + chunked + OK, (200, 200, 200)
    yield "an unknown path between two", OK + OK.replace(b"healthz", b"x") + OK, (200, 404, 200)
    yield "a HEAD between two", OK + OK.replace(b"GET", b"HEAD") + OK, (200, "HEAD", 200)
    yield "half a request", OK + GET, (200,)
    yield "one that ends", OK + GET + b"Connection: close\r\n\r\n" + OK, (200, 200)
    for name, bad in (("a header without a name", GET + b": x\r\n\r\n"),
                      ("a NUL", GET + b"\0\r\n\r\n"),
                      ("an empty line", b"\r\n"),
                      ("a bare LF", GET + b"A: b\n\r\n"),
                      ("two lengths", POST + b"Content-Length: 1\r\n" * 2 + b"\r\nx"),
                      ("a folded header", GET + b"A: b\r\n c\r\n\r\n"),
                      ("no Host", b"GET /healthz HTTP/1.1\r\n\r\n"),
                      ("too large a head", GET + b"A: " + b"b" * 17000 + b"\r\n\r\n"),
                      ("nonsense", b"\x01\x02\x03")):
        yield f"{name} behind a request", OK + bad + SMUGGLED, (200,)
        yield f"{name} behind three", OK * 3 + bad + SMUGGLED, (200, 200, 200)
        yield f"{name} behind a body", post + bad + SMUGGLED, (200,)
        yield f"{name} behind chunks", chunked + bad + SMUGGLED, (200,)
    expect = b"Expect: 100-continue\r\n"
    for name, request in (("a GET", GET + expect + b"\r\n"),
                          ("a POST", POST + expect + b"Content-Length: 0\r\n\r\n")):
        yield f"{name} that expects without a body", request, 400
        yield f"{name} that expects before a request", request + OK, 400
        yield f"{name} that expects behind a request", OK + request + OK, (200,)
    yield "a bad chunk behind a request", OK + CHUNKED + b"x\r\n" + SMUGGLED, (200,)
    yield "more than the length", length(b" 21", BODY + b"{}") + SMUGGLED, (200,)
    yield ("a body that looks like a request", length(b" %d" % len(SMUGGLED), SMUGGLED) + OK,
           (400, 200))
    yield ("a chunk that looks like a request",
           CHUNKED + b"%x\r\n" % len(SMUGGLED) + SMUGGLED + b"\r\n0\r\n\r\n" + OK, (400, 200))


def cases():
    for group in (lines, targets, names, values, singles, lengths, codings, chunks, sizes,
                  pipelines):
        for name, request, statuses in group():
            if isinstance(statuses, int):
                statuses = (statuses,)
            yield f"{group.__name__}: {name}", request, statuses


def receive_all(connection):
    got = b""
    while True:
        piece = connection.recv(65536)
        if not piece:
            return got
        got += piece


def take_answers(got, statuses):
    """Split what came into answers: [(status, headers, body)]."""
    answers = []
    while got:
        head, end, got = got.partition(b"\r\n\r\n")
        assert end, head
        first, *rest = head.decode("latin-1").split("\r\n")
        assert first.startswith("HTTP/1.1 "), first
        status = int(first.split()[1])
        if status == 100:
            continue
        headers = {name.lower(): value.strip()
                   for name, value in (line.split(":", 1) for line in rest)}
        assert len(headers) == len(rest), rest
        if statuses[len(answers):][:1] == ("HEAD",):
            size, status = 0, "HEAD"
        elif headers.get("transfer-encoding") == "chunked":
            size = got.index(b"\r\n0\r\n\r\n") + 7  # not in JSON
        else:
            size = int(headers["content-length"])
        assert size <= len(got), got
        answers.append((status, headers, got[:size]))
        got = got[size:]
    return answers


class Chunks(Case):
    def test_chunks_that_come_together(self):
        """Many chunks in one packet: each byte is read once, in its order."""
        body = b"from,to,weight\n" + b"".join(
            b"v%d,w%d,%d\n" % (i % 1000, i // 1000, 1 + i % 9) for i in range(100_000))
        with self.daemon() as d:
            whole = self.assertStatus(d.upload("whole", body), 202).json
            self.assertEqual(whole["rows"], 100_000)
            for size in (50, 700, 5000, 70_000):
                part = body if size > 50 else body[:200_000].rpartition(b"\n")[0] + b"\n"
                sent = b"".join(
                    b"%x\r\n%b\r\n" % (len(part[at:at + size]), part[at:at + size])
                    for at in range(0, len(part), size)) + b"0\r\n\r\n"
                with d.raw() as s:
                    s.sendall(b"PUT /v1/graphs/chunks?transform=none HTTP/1.1\r\n"
                              b"Host: localhost\r\nContent-Type: text/csv\r\n"
                              b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + sent)
                    reply = b"".join(iter(lambda: s.recv(65536), b""))
                told = json.loads(reply.partition(b"\r\n\r\n")[2])
                self.assertEqual(told.get("rows"), part.count(b"\n") - 1, (size, told))
                if size > 50:
                    self.assertEqual(told["revision"], whole["revision"], size)


class Raw(Case):
    def setUp(self):
        super().setUp()
        self.d = self.daemon().start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.d.put("g", b"a,b,1\n")

    def exchange(self, request, piece):
        """All that comes back for a request, sent in pieces of so many bytes."""
        with self.d.raw() as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for at in range(0, len(request), piece):
                    connection.sendall(request[at:at + piece])
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # refused before all of it was sent
            return receive_all(connection)

    def check(self, got, statuses):
        answers = take_answers(got, statuses)
        self.assertEqual(tuple(status for status, _, _ in answers), statuses, got[:4000])
        for status, headers, body in answers:
            self.assertRegex(headers["x-request-id"], "^[0-9a-f]{16}$")
            if status in (200, "HEAD"):
                continue
            self.assertEqual(headers["content-type"], "application/problem+json")
            problem = json.loads(body)
            self.assertEqual(problem["status"], status)
            self.assertEqual(problem["request_id"], headers["x-request-id"])
            if status == 431:
                self.assertEqual(problem["type"], "/problems/head-too-large")
        ids = [headers["x-request-id"] for _, headers, _ in answers]
        self.assertEqual(len(ids), len(set(ids)))

    def test_table(self):
        table = list(cases())
        self.assertGreaterEqual(len(table), 300)
        self.assertEqual(len(table), len({name for name, _, _ in table}))
        for name, request, statuses in table:
            with self.subTest(name):
                self.check(self.exchange(request, 1 << 20), statuses)
            if len(request) < 2000 and name.startswith(("lengths", "chunks", "pipelines")):
                with self.subTest(name + ", in pieces"):
                    self.check_pieces(request, statuses)
        self.assertEqual(self.d.ask("GET", "/v1/graphs/g").status, 200,
                         "a smuggled DELETE ran")

    def check_pieces(self, request, statuses):
        """A refusal may now come, too, behind the answers to what came before it."""
        got = self.exchange(request, 7)
        answers = take_answers(got, statuses)
        if len(answers) == len(statuses) + 1:
            statuses += (answers[-1][0],)
            self.assertIn(statuses[-1], (400, 431))
        self.check(got, statuses)

    def test_refusals_are_read_by_who_sends_on(self):
        """A refusal is not lost, though the client goes on to send."""
        for request in (GET + b": x\r\n", CHUNKED + CHUNK + b"x\r\n"):
            with self.subTest(request), self.d.raw() as connection:
                connection.sendall(request)
                connection.sendall(b"x" * 300000)
                connection.settimeout(DEADLINE_S)
                self.check(receive_all(connection), (400,))

    def test_half_closed(self):
        """A client that has sent all closes its half: it gets its answers all the same,
        though other threads work on the body meanwhile."""
        pairs = json.dumps({"pairs": [["a", "b"]] * 400}).encode()
        batch = POST + b"Content-Length: %d\r\n\r\n" % len(pairs) + pairs
        upload = (b"PUT /v1/graphs/g HTTP/1.1\r\n" + HOST + b"Content-Type: text/csv\r\n"
                  b"Content-Length: 6\r\n\r\na,b,1\n")
        for request, statuses in ((batch, (200,)), (upload, (200,)),
                                  (OK + batch, (200, 200))):
            for _ in range(40):
                self.check(self.exchange(request, 1 << 20), statuses)

    def test_head_of_unknown_size(self):
        """The connection ends behind the head of a chunked answer: no bytes of its body are
        taken for the next answer."""
        for target in (b"/v1/graphs", b"/v1/graphs/g/arcs", b"/v1/graphs/g/vertices"):
            for end in (b"", b"Accept-Encoding: gzip\r\n"):
                got = self.exchange(b"HEAD " + target + b" HTTP/1.1\r\n" + HOST + end + b"\r\n"
                                    + OK, 1 << 20)
                head, _, rest = got.partition(b"\r\n\r\n")
                self.assertIn(b"HTTP/1.1 200 ", head)
                self.assertIn(b"\r\nConnection: close", head)
                self.assertNotIn(b"HTTP/1.1", rest)

    def test_silence_between(self):
        """The bad bytes come when the good request before has its answer."""
        for bad in (b"\0", b"\r\n", GET + b": x\r\n"):
            with self.subTest(bad), self.d.raw() as connection:
                connection.sendall(OK)
                first = connection.recv(65536)
                self.check(first, (200,))
                self.assertNotIn(b"Connection: close", first)
                connection.sendall(bad)
                self.check(receive_all(connection), (400,))


if __name__ == "__main__":
    unittest.main()
