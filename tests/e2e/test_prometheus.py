"""Debian's Prometheus scrapes /metrics with a token, and promtool finds nothing to say of
it. tests/run.sh unpacks both; the server is the test's own.
"""
import json
import os
import re
import shutil
import subprocess
import textwrap
import unittest
import urllib.parse
import urllib.request

from harness import APSPD, DEADLINE_S, SOURCE_ROOT, Case, held_port, until

PROGRAMS = os.environ.get("APSP_TEST_PROGRAMS") or os.path.join(
    SOURCE_ROOT, ".run", "programs")


def program(name):
    """Debian's, as tests/run.sh unpacks it, or as it is installed."""
    found = shutil.which(name, path=":".join((
        os.path.join(PROGRAMS, "usr/bin"), os.environ["PATH"])))
    assert found, f"{name} is missing; tests/run.sh unpacks it"
    return found


class Prometheus(Case):
    def setUp(self):
        super().setUp()
        tokens = os.path.join(self.directory, "tokens")
        self.token = subprocess.run(
            [APSPD, "--tokens", tokens, "--new-token", "write:prometheus"], check=True,
            capture_output=True, text=True).stdout.strip()
        self.d = self.daemon(args=("--tokens", tokens)).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.head = {"Authorization": f"Bearer {self.token}"}
        put = self.d.ask("PUT", "/v1/graphs/tri?transform=none", b"a,b,1\n", self.head)
        self.assertStatus(put, 202)
        until("the tables", lambda: self.d.ask(
            "GET", put.headers["Location"] + "?wait=2", None,
            self.head).json["state"] == "succeeded")
        self.assertStatus(self.d.ask("GET", "/v1/graphs/none", None, self.head), 404)

    def test_promtool(self):
        text = self.assertStatus(self.d.ask("GET", "/metrics", None, self.head), 200).body
        run = subprocess.run([program("promtool"), "check", "metrics"], input=text,
                             capture_output=True, timeout=DEADLINE_S)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, b"", b""))

    def serve_prometheus(self, token):
        """Start it on a port with the configuration of api/service/README.md; return a function
        that sends it questions."""
        port = held_port(self)
        conf, secret = (os.path.join(self.directory, name)
                        for name in ("prometheus.yml", "apspd-token"))
        with open(secret, "w", encoding="ascii") as file:
            file.write(token)
        with open(os.path.join(SOURCE_ROOT, "api", "service", "README.md"), encoding="utf-8") as file:
            lines = re.search(r"    scrape_configs:\n(?:     .*\n)+", file.read())[0]
        for old, new in (("/etc/prometheus/apspd-token", secret),
                         ("localhost:8080", self.d.addresses[0])):
            self.assertEqual(lines.count(old), 1, lines)
            lines = lines.replace(old, new)
        with open(conf, "w", encoding="ascii") as file:
            file.write("global:\n  scrape_interval: 1s\n" + textwrap.dedent(lines))
        process = subprocess.Popen(
            [program("prometheus"), f"--config.file={conf}",
             f"--storage.tsdb.path={self.directory}/data",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def end():
            process.terminate()
            process.wait(DEADLINE_S)
        self.addCleanup(end)

        def ask(query):
            try:
                with urllib.request.urlopen(
                        f"http://127.0.0.1:{port}/api/v1/query?"
                        + urllib.parse.urlencode({"query": query}), timeout=10) as reply:
                    found = json.load(reply)["data"]["result"]
            except OSError:
                return None  # it does not listen yet
            return [float(one["value"][1]) for one in found] or None
        return ask

    def test_scrape(self):
        ask = self.serve_prometheus(self.token)
        self.assertEqual(until("a scrape", lambda: ask('up{job="apspd"} == 1')), [1])
        self.assertEqual(ask("apspd_graphs"), [1])
        self.assertEqual(ask('apspd_jobs{state="succeeded"}'), [1])
        self.assertEqual(ask(
            'apspd_requests_total{route="/v1/graphs/{graph}",method="GET",status="404"}'), [1])
        self.assertEqual(ask('apspd_problems_total{type="unknown-graph"}'), [1])
        self.assertEqual(ask('apspd_connections{state="busy"}'), [1])
        self.assertEqual(ask("apspd_connections_refused_total"), [0])
        self.assertEqual(ask("apspd_damaged_tables_total"), [0])
        # what a dashboard would ask: a quantile of all buckets
        found = ask("histogram_quantile(0.99, sum by (le) (apspd_request_seconds_bucket))")
        self.assertGreater(found[0], 0)
        # its own scrapes are seen by the next ones
        until("its second scrape", lambda: ask(
            'apspd_requests_total{route="/metrics",status="200"} >= 2'))

    def test_wrong_token(self):
        ask = self.serve_prometheus(self.token + "x")
        self.assertEqual(until("a scrape", lambda: ask('up{job="apspd"} == 0')), [0])


if __name__ == "__main__":
    unittest.main()
