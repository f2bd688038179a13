"""Clients that hold what others wait for: descriptors and the places of uploads."""
import contextlib
import os
import resource
import select
import threading
import time
import unittest

from harness import Case, Client, Gate, until

TRIANGLE = b"a,b,1\nb,c,1\na,c,5\n"
ASK = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def limit_files(hard):
    """What a process does before it becomes the daemon."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def series(d, name):
    """The value of a line of /metrics."""
    lines = d.ask("GET", "/metrics").body.decode().splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(name + " "))


class Descriptors(Case):
    def settle(self, d):
        """Wait until the daemon has had the same number of descriptors for 0.3 s."""
        seen = [-1, 0.0]

        def same():
            count = len(os.listdir(f"/proc/{d.process.pid}/fd"))
            if count != seen[0]:
                seen[:] = count, time.monotonic()
            return time.monotonic() - seen[1] > 0.3
        until("the same descriptors", same)

    def check(self, hard):
        with self.daemon(preexec=limit_files(hard)) as d:
            d.put("g", TRIANGLE)
            # a job that ends may have the last descriptors for a moment
            self.settle(d)
            with contextlib.ExitStack() as stack:
                for _ in range(2 * hard):  # each has asked once, and is kept
                    sock = stack.enter_context(d.raw())
                    sock.sendall(ASK)
                    self.assertIn(b" 200 ", sock.recv(4096)[:20])
                for i in range(100):
                    with contextlib.closing(Client(d.addresses[0])) as client:
                        reply = client.ask("GET", "/v1/graphs/g/path?from=a&to=c")
                        self.assertStatus(reply, 200)
                        if i % 20 == 0:  # files have descriptors of their own
                            reply = client.ask(
                                "PUT", f"/v1/graphs/g{i}?transform=none", TRIANGLE,
                                {"Content-Type": "text/csv"})
                            self.assertIn(reply.status, (200, 202), reply)
                            self.settle(d)  # as above
            told = [line for line in d.log
                    if "descriptors" in line or "accept" in line or "open files" in line]
            self.assertEqual(len(told), 1, told)

    def await_answer(self, d):
        """Wait until a new client gets an answer."""
        def served():
            with contextlib.closing(Client(d.addresses[0])) as client:
                return client.ask("GET", "/healthz").status == 200
        until("an answer", served, deadline_s=10)

    def test_bodies_leave_places(self):
        """Where places are few, too, clients that do not send their bodies leave some."""
        with self.daemon(preexec=limit_files(64)) as d, contextlib.ExitStack() as stack:
            limit = series(d, "apspd_connections_limit")
            self.assertTrue(8 <= limit < 48, limit)
            limits = d.ask("GET", "/v1/info").json["limits"]
            self.assertEqual(limits["connections"], limit)
            self.assertEqual(limits["peer_connections"], limit)
            for _ in range(64):
                stack.enter_context(d.raw()).sendall(
                    b"POST /v1/graphs/g/paths HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
            self.await_answer(d)

    def test_waits_leave_places(self):
        """Where places are fewer than waits may be, clients that wait leave some."""
        with self.daemon(preexec=limit_files(64)) as d, contextlib.ExitStack() as stack:
            for _ in range(64):
                stack.enter_context(d.raw()).sendall(
                    b"GET /v1/graphs?wait=30 HTTP/1.1\r\nHost: localhost\r\n"
                    b"If-None-Match: *\r\n\r\n")
            self.await_answer(d)
            with contextlib.closing(Client(d.addresses[0])) as client:
                reply = client.ask("GET", "/v1/graphs?wait=30", None, {"If-None-Match": "*"})
                self.assertStatus(reply, 503, "busy")

    def test_64(self):
        self.check(64)

    def test_200(self):
        self.check(200)


class Uploads(Case):
    def begin(self, d, graph):
        """An upload that has begun and is not sent on."""
        sock = d.raw()
        sock.sendall(f"PUT /v1/graphs/{graph}?transform=none HTTP/1.1\r\n"
                     "Host: localhost\r\nContent-Type: text/csv\r\n"
                     "Content-Length: 100000000\r\n\r\n".encode() + b"a,b,1\n" * 4000)
        return sock

    def drip(self, socks, stop):
        while not stop.wait(0.1):
            for sock in socks:
                with contextlib.suppress(OSError):
                    sock.send(b"a,b,1\n" * 20)  # 1.2 kB/s

    def under_way(self, d):
        return d.ask("GET", "/v1/info").json["uploads"]["under_way"]

    def test_slowest_yields(self):
        """16 places held by drips: 100 uploads of others find one at once."""
        with self.daemon() as d:
            stop, socks = threading.Event(), []
            places = d.ask("GET", "/v1/info").json["limits"]["uploads"]
            for i in range(places):
                socks.append(self.begin(d, f"slow{i}"))
            until("the places to be taken", lambda: self.under_way(d) == places)
            dripper = threading.Thread(target=self.drip, args=(socks, stop))
            dripper.start()
            time.sleep(1.5)  # whoever has just begun is not yet slow
            try:
                statuses = [d.upload(f"g{i % 10}", TRIANGLE).status for i in range(100)]
            finally:
                stop.set()
                dripper.join()
            self.assertEqual(set(statuses) - {200, 202}, set(), statuses)
            # one had to go, and was told why
            answers = []
            for sock in socks:
                sock.setblocking(False)
                with contextlib.suppress(BlockingIOError, ConnectionResetError):
                    answers.append(sock.recv(65536))
                sock.close()
            self.assertEqual(len(answers), 1, answers)
            self.assertIn(b" 503 ", answers[0][:20])
            self.assertIn(b"Retry-After: ", answers[0])
            self.assertIn(b"bytes a second", answers[0])
            self.assertEqual(series(d, 'apspd_connections_closed_total{reason="yielded"}'), 1)
            until("the places to be free", lambda: self.under_way(d) == 0)

    def test_fast_enough_stays(self):
        """Where all keep the stated rate nobody yields: one more is told to wait."""
        with self.daemon() as d:
            stop, socks = threading.Event(), []
            limits = d.ask("GET", "/v1/info").json["limits"]

            def send(sock):
                while not stop.is_set():
                    sock.sendall(b"a,b,1\n" * 10000)
            for i in range(limits["uploads"]):
                socks.append(self.begin(d, f"fast{i}"))
            until("the places to be taken",
                  lambda: self.under_way(d) == limits["uploads"])
            senders = [threading.Thread(target=send, args=(sock,)) for sock in socks]
            for sender in senders:
                sender.start()
            time.sleep(1.5)
            reply = d.upload("g", TRIANGLE)
            stop.set()
            for sender in senders:
                sender.join()
            self.assertStatus(reply, 503, "busy")
            self.assertEqual(reply.headers["Retry-After"], "1")
            self.assertEqual(self.under_way(d), limits["uploads"])
            for sock in socks:
                sock.close()


class Waits(Case):
    def test_hung_up(self):
        """Clients that hung up leave the places of their waits, whatever they waited for."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        with self.daemon(solver=gate.path) as d:
            put = d.upload("g", TRIANGLE)
            gate.wait_held(1)
            d.wait(put.json["job"], "running")
            tag = d.ask("GET", "/v1/graphs").headers["ETag"]
            for target, status in (("/v1/graphs?wait=", 304),
                                   (f"/v1/graphs/g?revision={put.json['revision']}&wait=", 503),
                                   (put.headers["Location"] + "?wait=", 200)):
                self.fill(d, f"GET {target}30 HTTP/1.1\r\nHost: localhost\r\n"
                             f"If-None-Match: {tag}\r\n\r\n".encode())
                until("the places to be free", lambda: self.waiting(d) == 0, deadline_s=10)
                reply = d.ask("GET", target + "1", headers={"If-None-Match": tag})
                self.assertStatus(reply, status, status == 503 and "not-ready")
            gate.open()

    def waiting(self, d):
        return series(d, 'apspd_connections{state="waiting"}')

    def fill(self, d, request):
        """Take all places of waits, and hang up."""
        with contextlib.ExitStack() as stack:
            for _ in range(64):
                stack.enter_context(d.raw()).sendall(request)
            until("the places to be taken", lambda: self.waiting(d) == 64)


class Searches(Case):
    CHAIN = 300

    def diamonds(self):
        return "".join(f"d{i},a{i},1\nd{i},b{i},1\na{i},d{i + 1},1\nb{i},d{i + 1},1\n"
                       for i in range(self.CHAIN)).encode()

    def test_answer_memory(self):
        """A size that a user sets is not cut."""
        with self.daemon(args=("--answer-memory", "40G")) as d:
            self.assertEqual(d.ask("GET", "/v1/info").json["limits"]["answer_bytes"], 20 << 30)

    def test_waiting(self):
        """Long questions of an address that wait for the pool leave places for short ones."""
        with self.daemon(args=("--answer-memory", "256M")) as d, contextlib.ExitStack() as stack:
            d.put("g", self.diamonds(), "?transform=none")
            limits = d.ask("GET", "/v1/info").json["limits"]
            ask = (f"GET /v1/graphs/g/path?from=d0&to=d{self.CHAIN}&k=1000 HTTP/1.1\r\n"
                   "Host: localhost\r\n\r\n").encode()
            waiting = [stack.enter_context(d.raw())
                       for _ in range(limits["peer_connections"])]
            for sock in waiting:
                sock.sendall(ask)
            first = {}

            def refused():
                for sock in select.select(waiting, [], [], 0)[0]:
                    first.setdefault(sock, sock.recv(64)[:13])
                return b"HTTP/1.1 503 " in first.values()
            until("a refusal", refused, 300)  # a sanitized daemon begins slowly
            for _ in range(20):  # clients that stay
                client = stack.enter_context(contextlib.closing(Client(d.addresses[0])))
                self.assertStatus(client.ask("GET", "/v1/graphs/g/path?from=d0&to=d9"), 200)


if __name__ == "__main__":
    unittest.main()
