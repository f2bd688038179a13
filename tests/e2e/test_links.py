"""Every link of every answer behind a proxy's prefix: resolved as a client resolves it,
it stays behind the prefix, and something answers there. No proxy is needed: a link
that leaves the prefix would never reach the daemon."""
import re
import unittest
from urllib.parse import urljoin

from harness import Case

BASE = "/lab/paths"
RING = "".join(f"{i},{(i + 1) % 800},1\n" for i in range(800)).encode()
NEGATIVE = b"a,b,-1\nb,a,-1\n"
MEMBERS = ("type", "job_url", "href", "delete", "page", "openapi", "problems", "metrics")
COMMANDS = ("if_lengths", "if_strengths")


def links_of(value, seen=""):
    """The links in JSON; "type" is one where its value says so."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from links_of(member, name)
    elif isinstance(value, list):
        for member in value:
            yield from links_of(member, seen)
    elif isinstance(value, str) and seen in COMMANDS:
        yield re.search(r"'http://[^/]+([^']*)'", value)[1]
    elif isinstance(value, str) and seen in MEMBERS:
        yield value


class Links(Case):
    def setUp(self):
        super().setUp()
        self.d = self.daemon(args=("--base-path", BASE, "--cache-limit", "3M")).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.n = 0

    def links(self, reply):
        if "Location" in reply.headers:
            yield reply.headers["Location"]
        yield from re.findall(r"<([^>]*)>", reply.headers.get("Link", ""))
        kind = reply.headers.get_content_type()
        if kind in ("application/json", "application/problem+json") and reply.body:
            yield from links_of(reply.json)
        if kind == "text/html":
            yield from re.findall(r'(?:src|href)="([^"#]+)"', reply.body.decode())

    def ask(self, method, target, status, body=None, headers=None):
        """The answer, each of whose links is followed."""
        at = BASE + target
        reply = self.assertStatus(self.d.ask(method, at, body, headers or {}), status)
        for link in self.links(reply):
            self.n += 1
            there = urljoin(at, link)
            self.assertTrue(there.startswith(BASE + "/"), (method, at, link, reply))
            if "{" not in there:
                got = self.d.ask("GET", there)
                self.assertNotIn("no route", got.body.decode(errors="replace"), (at, link))
        return reply

    def test_links(self):
        d, html = self.d, {"Accept": "text/html"}
        put = self.ask("PUT", "/v1/graphs/g?transform=none&format=csv", 202, b"a,b,1\nb,c,1\n")
        d.wait(put.json["job"])
        self.assertEqual(put.headers["Location"], BASE + "/v1/jobs/" + put.json["job"])
        bad = self.assertStatus(d.upload("neg", NEGATIVE), 202).json["job"]
        d.wait(bad)
        for target, status, headers in (
                ("/", 200, None), ("/", 200, html), ("/problems/", 200, None),
                ("/problems/", 200, html), ("/problems/bad-data", 200, html),
                ("/v1/graphs/g", 200, None), ("/v1/graphs/neg", 200, None),
                ("/v1/graphs/neg/profiles/default", 200, None),
                ("/v1/graphs?limit=1", 200, None), ("/v1/jobs?limit=1", 200, None),
                ("/v1/graphs/g/vertices?limit=1", 200, None),
                (f"/v1/jobs/{bad}", 200, None), ("/nowhere", 404, None),
                ("/v1/graphs/neg/path?from=a&to=b", 409, None),
                ("/v1/graphs/g/path?from=a&to=x", 404, None),
                ("/v1/graphs/g/path?from=a", 400, None)):
            self.ask("GET", target, status, None, headers)
        self.ask("POST", "/v1/graphs/g/paths", 200, {"pairs": [["a", "x"], ["a"], [1, 2]]})
        said = self.ask("PUT", "/v1/graphs/new", 422, b"a,b,1\n").json
        self.assertIn(f"{BASE}/v1/graphs/new?transform=none", said["if_lengths"])
        full = self.ask("PUT", "/v1/graphs/ring?transform=hops&tables=all", 507, RING).json
        self.assertIn(BASE + "/v1/graphs/g", [one["delete"] for one in full["deletable"]])
        # what is refused before there is a request
        with d.raw() as s:
            s.sendall(b"nonsense\r\n\r\n")
            self.assertIn(f'"type":"{BASE}/problems/'.encode(), s.recv(4096))
        self.assertGreater(self.n, 100)


if __name__ == "__main__":
    unittest.main()
