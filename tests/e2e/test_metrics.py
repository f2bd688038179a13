"""What operators look at: /metrics, and the line of each request in the log.

The reader of Prometheus' text format 0.0.4 is a strict one, written from its
description: names, types before samples, no sample twice, whole histograms.
"""
import contextlib
import os
import re
import time
import unittest

from harness import SOURCE_ROOT, Case, Gate, until, write_solver

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'^({NAME})(?:\{{(.*)\}})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')


def parse(text):
    """{(name, labels): value}; labels are a sorted tuple of pairs."""
    assert text.endswith("\n"), "the last line has no end"
    types, samples, order = {}, {}, []
    for line in text.splitlines():
        kind = re.match(rf"# (HELP|TYPE) ({NAME}) (.+)$", line)
        if kind:
            if kind.group(1) == "TYPE":
                assert kind.group(2) not in types, line
                assert kind.group(3) in ("counter", "gauge", "histogram"), line
                types[kind.group(2)] = kind.group(3)
            continue
        found = SAMPLE.match(line)
        assert found, line
        name, inside, value = found.groups()
        labels = LABEL.findall(inside or "")
        assert "".join(f'{k}="{v}",' for k, v in labels)[:-1] == (inside or ""), line
        family = next((f for f in (name, re.sub("_(bucket|sum|count)$", "", name))
                       if f in types), None)
        assert family, f"{line}: no type before it"
        if not order or order[-1] != family:
            assert family not in order, f"{family} comes in two places"
            order.append(family)
        key = (name, tuple(sorted(labels)))
        assert key not in samples, line
        samples[key] = float(value)
    for (name, labels), value in samples.items():
        assert value >= 0, (name, labels)
        if not name.endswith("_bucket"):
            continue
        rest = tuple(p for p in labels if p[0] != "le")
        count = samples[name.replace("_bucket", "_count"), rest]
        ends = sorted((float(dict(ls)["le"]), v) for (n, ls), v in samples.items()
                      if n == name and tuple(p for p in ls if p[0] != "le") == rest)
        assert ends[-1] == (float("inf"), count), (name, rest)
        assert [v for _, v in ends] == sorted(v for _, v in ends), (name, rest)
        # the sum lies between the buckets' ends, rounded to nanoseconds
        at_least = at_most = below = upto = 0
        for end, n in ends:
            at_least += (n - below) * upto
            at_most += (n - below) * end if n > below else 0
            below, upto = n, end
        total = samples[name.replace("_bucket", "_sum"), rest]
        assert at_least - 1e-6 <= total <= at_most + 1e-6, (name, rest, total)
    return samples


class Metrics(Case):
    def ask(self, d):
        reply = self.assertStatus(d.ask("GET", "/metrics"), 200)
        self.assertEqual(reply.headers["Content-Type"],
                         "text/plain; version=0.0.4; charset=utf-8")
        return parse(reply.body.decode())

    def test_all_are_documented(self):
        with open(os.path.join(SOURCE_ROOT, "api/service/README.md"), encoding="utf-8") as file:
            known = set(re.findall(r"`(apspd_\w+)`", file.read()))
        with self.daemon() as d:
            names = {re.sub("_(bucket|sum|count)$", "", name) for name, _ in self.ask(d)}
        self.assertEqual(names - known, set())

    def test_counts(self):
        """Each request is counted under its route and status, however it was served."""
        with self.daemon() as d:
            before = self.ask(d)
            d.put("tri", b"a,b,1\nb,c,1\n")
            for _ in range(3):
                self.assertStatus(d.path("tri", "a", "c"), 200)
            self.assertStatus(d.path("tri", "a", "nobody"), 404)
            self.assertStatus(d.ask("HEAD", "/healthz"), 200)
            self.assertStatus(d.ask("GET", "/nothing/here"), 404)
            after = self.ask(d)
            d.put("same", b"a,b,1\nb,c,1\n")  # shares the tables of tri
            self.assertEqual([self.ask(d)[name, ()] for name in ("apspd_tables", "apspd_graphs")],
                             [1, 2])

        def total(samples, method, route, status):
            return samples.get(("apspd_requests_total", (
                ("method", method), ("route", route), ("status", str(status)))), 0)
        path = "/v1/graphs/{graph}/path"
        for method, route, status, n in (
                ("GET", path, 200, 3), ("GET", path, 404, 1), ("GET", "/healthz", 200, 1),
                ("none", "none", 404, 1), ("PUT", "/v1/graphs/{graph}", 202, 1)):
            self.assertEqual(total(after, method, route, status) -
                             total(before, method, route, status), n, (route, status))
        self.assertEqual(total(before, "GET", "/metrics", 200), 0)
        self.assertEqual(total(after, "GET", "/metrics", 200), 1)
        seconds = after["apspd_request_seconds_sum",
                        (("method", "GET"), ("route", path))]
        self.assertGreater(seconds, 0)
        self.assertEqual(after["apspd_request_seconds_count",
                               (("method", "GET"), ("route", path))], 4)
        self.assertEqual(before["apspd_graphs", ()], 0)
        self.assertEqual(after["apspd_graphs", ()], 1)
        self.assertEqual(after["apspd_tables", ()], 1)
        self.assertGreater(after["apspd_table_bytes", ()], 0)
        self.assertEqual(after["apspd_jobs", (("state", "succeeded"),)], 1)

    def test_refusals(self):
        """What libmicrohttpd never sees, and what it never ends."""
        def count(samples):
            return {tuple(value for _, value in labels): n
                    for (name, labels), n in samples.items()
                    if name == "apspd_requests_total"}
        paths = b"POST /v1/graphs/g/paths HTTP/1.1\r\nHost: localhost\r\n"
        with self.daemon() as d:
            before = count(self.ask(d))
            for pieces in ((b"GET /healthz HTTP/1.1\r\n: x\r\n\r\n",),
                           (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: "
                            + b"b" * 20000 + b"\r\n\r\n",),
                           (paths + b"Expect: 100-continue\r\n"
                            b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n[\r\nzz\r\n")):
                with d.raw() as connection:
                    for piece in pieces:
                        connection.sendall(piece)
                        self.assertTrue(connection.recv(65536))
            route = "/v1/graphs/{graph}/paths"
            # counted when the connection has ended
            until("the count", lambda: count(self.ask(d)).get(("POST", route, "400")))
            after = count(self.ask(d))
        self.assertEqual({key: n - before.get(key, 0) for key, n in after.items()
                          if n != before.get(key, 0) and key[1] != "/metrics"},
                         {("none", "none", "400"): 1, ("none", "none", "431"): 1,
                          ("POST", route, "400"): 1})

    def test_problems(self):
        """By type and status, however they were answered."""
        def count(samples):
            return {(dict(labels)["type"], dict(labels)["status"]): n
                    for (name, labels), n in samples.items() if name == "apspd_problems_total"}
        with self.daemon() as d:
            before = count(self.ask(d))
            self.assertEqual(set(before.values()), {0})
            self.assertStatus(d.ask("GET", "/v1/graphs/none"), 404, "unknown-graph")
            d.put("tri", b"a,b,1\n")
            self.assertStatus(d.path("tri", "a", "x"), 404, "unknown-vertex")
            pairs = {"pairs": [["a", "b"]], "nonsense": 1}
            self.assertStatus(d.ask("POST", "/v1/graphs/tri/paths", pairs), 400)
            paths = b"POST /v1/graphs/tri/paths HTTP/1.1\r\nHost: localhost\r\n"
            for pieces in ((b"GET /healthz HTTP/1.1\r\n: x\r\n\r\n",),
                           (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: "
                            + b"b" * 20000 + b"\r\n\r\n",),
                           (paths + b"Expect: 100-continue\r\n"
                            b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n[\r\nzz\r\n"),
                           (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",)):
                with d.raw() as connection:
                    for piece in pieces:
                        connection.sendall(piece)
                        self.assertTrue(connection.recv(65536))
            wanted = {("unknown-graph", "404"): 1, ("unknown-vertex", "404"): 1,
                      ("malformed-request", "400"): 3, ("head-too-large", "431"): 1,
                      ("misdirected-request", "421"): 1}
            # counted when the connection has ended
            until("the count", lambda: sum(count(self.ask(d)).values()) >= 7)
            self.assertEqual({key: n for key, n in count(self.ask(d)).items() if n}, wanted)

    def states(self, d):
        samples = self.ask(d)
        return {dict(labels)["state"]: n for (name, labels), n in samples.items()
                if name == "apspd_connections"}

    def test_connections_and_phase(self):
        """A client that is silent, one that waits for a job, and the one that asks; the
        job that waits at its gate has told no phase yet."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        with self.daemon(solver=gate.path) as d, contextlib.ExitStack() as stack:
            self.assertEqual(self.states(d), {"idle": 0, "busy": 1, "waiting": 0})
            self.assertFalse([name for name, _ in self.ask(d) if name == "apspd_job_phase"])
            for _ in range(3):
                stack.enter_context(d.raw())
            until("idle ones", lambda: self.states(d) == {"idle": 3, "busy": 1, "waiting": 0})
            job = d.upload("g", b"a,b,1\n").json["job"]
            gate.wait_held(1)
            d.wait(job, "running")
            waiting = stack.enter_context(d.raw())
            waiting.sendall(f"GET /v1/jobs/{job}?wait=30 HTTP/1.1\r\n"
                            "Host: localhost\r\n\r\n".encode())
            until("one that waits", lambda: self.states(d) == {
                "idle": 3, "busy": 1, "waiting": 1})
            samples = self.ask(d)
            self.assertEqual(samples["apspd_connections_taken_total", ()], 5)
            self.assertEqual(samples["apspd_connections_refused_total", ()], 0)
            self.assertEqual(samples["apspd_job_phase", (("phase", "starting"),)], 1)
            gate.open()
            self.assertTrue(waiting.recv(65536))
            self.assertEqual(d.wait(job)["state"], "succeeded")
            until("no job", lambda: not [name for name, _ in self.ask(d)
                                         if name == "apspd_job_phase"])
            until("the waiter's end", lambda: self.states(d)["waiting"] == 0)

    def test_phase_names(self):
        """Phases are told by the names that the job's record has."""
        solver = f"{self.directory}/telling-solve"
        write_solver(solver, "echo job phase distance\nexec sleep 60")
        with self.daemon(solver=solver) as d:
            job = d.upload("g", b"a,b,1\n").json["job"]
            key = ("apspd_job_phase", (("phase", "distance"),))
            until("the phase", lambda: key in self.ask(d))
            self.assertEqual(self.ask(d)[key], 1)
            self.assertEqual(d.job(job)["phase"], "distance")
            self.assertEqual(d.ask("DELETE", f"/v1/jobs/{job}").status, 202)
            self.assertEqual(d.wait(job)["state"], "cancelled")
            until("its end", lambda: key not in self.ask(d))

    def test_scrub(self):
        """Its work and its last pass; damage is counted, whoever finds it."""
        def scrub(d):
            samples = self.ask(d)
            return [samples[name, ()] for name in (
                "apspd_scrub_passes_total", "apspd_scrub_bytes_total",
                "apspd_scrub_last_pass_timestamp_seconds", "apspd_damaged_tables_total")]
        with self.daemon() as d:
            self.assertEqual(scrub(d), [0, 0, 0, 0])
            began = time.time()
            d.put("tri", b"a,b,1\nb,c,1\n")
            passes, size, ended, damaged = until(
                "a pass", lambda: scrub(d)[0] and scrub(d))
            self.assertGreaterEqual(passes, 1)
            path, = d.table_files()
            self.assertEqual(size % 65536, 0)
            self.assertTrue(0 < size <= (passes + 1) * os.path.getsize(path), size)
            # of a clock that ticks every few milliseconds
            self.assertTrue(began - 0.1 <= ended <= time.time() + 0.1, (began, ended))
            self.assertEqual(damaged, 0)
            os.truncate(path, 65536)
            until("the damage", lambda: d.path("tri", "a", "c") and scrub(d)[3])
            until("new tables", lambda: d.path("tri", "a", "c").status == 200)
            self.assertEqual(scrub(d)[3], 1)

    def test_readme(self):
        """The room's README has a row for each series, and no other."""
        with open(os.path.join(SOURCE_ROOT, "api/service/README.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| (`apspd_[^|]*)\|([^|]*)\|", file.read(), re.MULTILINE)
        told = {name: set(re.findall(r"`(\w+)`", labels)) for names, labels in rows
                for name in re.findall(r"`(\w+)`", names)
                if not name.startswith("apspd_follow_")}  # test_follow.py
        with self.daemon() as d:
            d.put("tri", b"a,b,1\n")
            text = d.ask("GET", "/metrics").body.decode()
        found = {name: set() for name in re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE)}
        for name, labels in parse(text):
            name = next(f for f in (name, re.sub("_(bucket|sum|count)$", "", name))
                        if f in found)
            found[name].update(label for label, _ in labels if label != "le")
        found["apspd_job_phase"].add("phase")  # no job runs
        self.assertEqual(told, found)

    def test_access_log(self):
        for args, lines in ((("--access-log", "on"), 1), ((), 0)):
            with self.daemon(args=args) as d:
                self.assertStatus(d.ask("GET", "/healthz"), 200)
                self.assertStatus(d.ask("DELETE", "/v1/graphs/none"), 404)
                reply = d.ask("GET", "/v1/graphs/none")
                d.stop()
                found = [line for line in d.log
                         if f"id={reply.headers['X-Request-Id']}" in line]
                self.assertEqual(len(found), lines, d.log)
                if lines:
                    self.assertRegex(found[0], r"^\d{4}-\d\d-\d\dT[\d:.]{12}Z info: request id=\w+ "
                                     r"method=GET target=/v1/graphs/none status=404 ms=")
                    self.assertEqual(sum(
                        "method=GET target=/healthz status=200" in line for line in d.log), 1)
                    self.assertEqual(sum("method=DELETE target=/v1/graphs/none" in line
                                         for line in d.log), 1)


if __name__ == "__main__":
    unittest.main()
