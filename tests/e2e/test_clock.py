"""The time of day is set while the daemon runs, by hours and by years, both ways.

Whatever waits goes on by the time that passes; what is noted as a time of day neither
orders nor ends anything. set_clock.c is the daemon's and the solver's time of day.
"""
import contextlib
import email.utils
import http.client
import mmap
import os
import struct
import time
import unittest
from datetime import datetime

from harness import BUILD_ROOT, Case, DEADLINE_S, Gate, Manager

LIBRARY = os.path.join(BUILD_ROOT, "tests", "libset_clock.so")
HOUR, YEAR = 3600, 365 * 86400
AHEAD_S = (HOUR, -HOUR, 10 * YEAR, -10 * YEAR, 0)
WAIT_S = 3
BETWEEN_S = WAIT_S / 2 / len(AHEAD_S)


def chain(length):
    """A graph that is no other's: those share their tables."""
    return b"a,b,%d\nb,c,1\n" % length


class Clock(Case):
    def setUp(self):
        super().setUp()
        path = os.path.join(self.directory, "clock")
        with open(path, "wb") as file:
            file.write(bytes(8))
        with open(path, "r+b") as file:
            self.clock = mmap.mmap(file.fileno(), 8)
        self.addCleanup(self.clock.close)
        self.env = {"LD_PRELOAD": LIBRARY, "APSP_CLOCK": path}
        self.ahead_s = 0

    def set(self, ahead_s):
        self.clock[:] = struct.pack("=q", ahead_s)
        self.ahead_s = ahead_s

    def assertNow(self, when, what):
        self.assertLess(abs(when.timestamp() - time.time() - self.ahead_s), DEADLINE_S, what)

    def begin(self, d, *pieces):
        sock = d.raw()
        self.addCleanup(sock.close)
        for piece in pieces:
            sock.sendall(piece)
        return sock

    def answer(self, sock):
        reply = http.client.HTTPResponse(sock)
        with contextlib.closing(reply):
            reply.begin()
            return reply.status, reply.read()

    def test_what_waits(self):
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        manager = Manager(self)
        self.env["WATCHDOG_USEC"] = "1000000"
        with self.daemon(solver=gate.path, env=self.env, manager=manager.path) as d:
            job = d.upload("held", chain(1)).json["job"]
            gate.wait_held(1)
            queued = d.upload("queued", chain(2)).json["job"]
            head, upload = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", (
                b"PUT /v1/graphs/slow?transform=none HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: text/csv\r\nContent-Length: 12\r\n\r\n")
            half_head = self.begin(d, head)
            half_body = self.begin(d, upload, chain(3)[:6])
            began = time.monotonic()
            wait = self.begin(d, b"GET /v1/jobs/%s?wait=%d HTTP/1.1\r\nHost: localhost\r\n\r\n"
                              % (job.encode(), WAIT_S))
            for ahead_s in AHEAD_S:
                self.set(ahead_s)
                time.sleep(BETWEEN_S)  # for what looks at a clock in its own time
                self.assertNow(email.utils.parsedate_to_datetime(
                    d.ask("GET", "/healthz").headers["Date"]), "Date")
                self.assertTrue(manager.hears(DEADLINE_S), ahead_s)
            status, body = self.answer(wait)
            self.assertEqual(status, 200)
            self.assertIn(b'"state":"running"', body)
            self.assertGreaterEqual(time.monotonic() - began, WAIT_S)
            half_body.sendall(chain(3)[6:])
            self.assertEqual(self.answer(half_body)[0], 202)
            half_head.sendall(b"\r\n")
            self.assertEqual(self.answer(half_head)[0], 200)
            for waited in job, queued:
                gate.open()
                ended = d.wait(waited)
                self.assertEqual((ended["state"], ended["tries"]), ("succeeded", 1))
            self.assertFalse([line for line in d.log if "sign of life" in line])

    def test_what_is_noted(self):
        """Each graph is newer than the one before, whatever its time says."""
        jobs = []
        with self.daemon(env=self.env) as d:
            for i, ahead_s in enumerate(AHEAD_S):
                self.set(ahead_s)
                d.put(f"g{i}", chain(i + 1))
                job = d.jobs()[0]
                jobs.insert(0, job["id"])
                self.assertEqual(job["graph"], f"g{i}")
                for noted in "queued_at", "started_at", "ended_at":
                    self.assertNow(datetime.fromisoformat(job[noted]), noted)
                self.assertLess(sum(job["stages"].values()), DEADLINE_S)
            etags = [d.path(f"g{i}", "a", "c").headers["ETag"] for i in range(len(AHEAD_S))]
            for ahead_s in AHEAD_S:
                d.stop()
                self.set(ahead_s)
                d.start()
                self.assertEqual([job["id"] for job in d.jobs()], jobs)
                for i, etag in enumerate(etags):
                    path = d.path(f"g{i}", "a", "c")
                    self.assertEqual((path.status, path.headers["ETag"]), (200, etag))
                    self.assertStatus(d.ask(
                        "GET", f"/v1/graphs/g{i}/path?from=a&to=c",
                        headers={"If-None-Match": etag}), 304)
                self.assertEqual(len(d.table_files()), len(etags))
            self.assertStatus(d.upload("g0", chain(1)), 200)


if __name__ == "__main__":
    unittest.main()
