"""What operators look at: /metrics, and the line of each request in the log.

The reader of Prometheus' text format 0.0.4 is a strict one, written from its
description: names, types before samples, no sample twice, whole histograms.
"""
import re
import unittest

from harness import Case, until

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
