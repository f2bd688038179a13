"""A daemon with graphs in every state that an answer depends on.

The graphs: `real` (negative and real lengths, attributes), `integer` (strengths,
attributes, a profile `hops`), `undirected`, `odd` (labels of all characters),
`between` (betweenness), `wide` (widest paths), `large` (whose tables have no room),
`failed` (a negative cycle), `unreadable` (its record is damaged), `waiting` (its first
tables are due), and those that requests make.
"""
import gzip
import os
import sqlite3
import subprocess
import zlib

from harness import APSPD, Gate, data

CSV = "text/csv"
ODD = ["a/b", "a b", "é", "a>b", "100%", "+", "?x=1&y=2", 'say "hi"', "日本", "a,b", "..", "'", "\\n"]
SQUARE = [("a", "b", 0.5), ("b", "c", 0.25), ("a", "c", 0.75), ("c", "d", 1.125), ("d", "a", -0.125)]
COUNTS = [("a", "b", 20), ("b", "c", 40), ("a", "c", 3), ("c", "a", 1), ("d", "e", 7)]
LARGE = 8000
BASE = "/lab"
MARGIN = 260_000_000  # room for the tables of all jobs that may wait, but not of `large`
NEW = [f"new{i}" for i in range(6)]


def quoted(label):
    return '"' + label.replace('"', '""') + '"'


def csv_of(arcs):
    return "".join(f"{quoted(a)},{quoted(b)},{w}\n" for a, b, w in arcs).encode()


GRAPHS = {  # name: (body, type, query)
    "real": (csv_of(SQUARE), CSV, {"transform": "none"}),
    "integer": (csv_of(COUNTS), CSV, {"transform": "inv"}),
    "undirected": (csv_of(COUNTS[:4]), CSV, {"transform": "none", "undirected": "true"}),
    "odd": (csv_of([(a, b, i + 1) for i, (a, b) in enumerate(zip(ODD, ODD[1:]))]), CSV,
            {"transform": "inv"}),
    "between": (csv_of(COUNTS), CSV, {"transform": "hops", "measures": "betweenness"}),
    "wide": (csv_of(COUNTS), CSV, {"path": "widest"}),
    "failed": (csv_of([("a", "b", -1), ("b", "a", -1), ("b", "c", 2)]), CSV,
               {"transform": "none"}),
    "unreadable": (csv_of(COUNTS[1:]), CSV, {"transform": "inv"}),
    "waiting": (csv_of([("a", "b", 2), ("b", "c", 9)]), CSV, {"transform": "none"}),
    "large": (f"%%MatrixMarket matrix coordinate integer general\n{LARGE} {LARGE} 1\n1 2 3\n"
              .encode(), "text/x-matrix-market", {"transform": "hops"}),
}
LABELS = {
    "real": list("abcd"), "integer": list("abcde"), "undirected": list("abc"), "odd": ODD,
    "between": list("abcde"), "wide": list("abcde"),
    "large": [str(i + 1) for i in range(0, LARGE, 999)],
    "failed": list("abc"), "unreadable": list("abcde"), "waiting": list("abc"),
}
GOOD = ["real", "integer", "undirected", "odd", "between", "wide"]
ATTRIBUTES = {
    "real": b"label,type,side\na,KC,L\nb,KC,R\nc,MBON,\n",
    "integer": b"label,type\na,KC\nb,MBON\ne,KC\n",
    "unreadable": b"label,type\na,KC\n",
}
NPY = (b"\x93NUMPY\x01\x00\x46\x00"
       + b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }".ljust(69) + b"\n"
       + b"\0" * 8 + b"\0\0\0\0\0\0\xf0\x3f" + b"\0" * 16)
UPLOADS = [  # (type, body, Content-Encoding)
    (CSV, csv_of(COUNTS), None),
    (CSV, b"pre,post,weight\nx,y,3\ny,z,4\n", None),
    (CSV, gzip.compress(csv_of(COUNTS), mtime=0), "gzip"),
    (CSV, zlib.compress(csv_of(COUNTS)), "deflate"),
    (CSV, b"a,b,heavy\n", None),
    (CSV, b"", None),
    (CSV, b"\xff\xfe", None),
    ("text/csv;layout=matrix", b",p,q\np,0,2\nq,1,0\n", None),
    ("text/tab-separated-values", b"a\tb\t2\nb\tc\t1\n", None),
    ("text/x-matrix-market", GRAPHS["large"][0].replace(str(LARGE).encode(), b"9"), None),
    ("text/x-matrix-market", GRAPHS["large"][0].replace(str(LARGE).encode(), b"9000"), None),
    ("text/x-dimacs", b"p sp 3 2\na 1 2 5\na 2 3 1\n", None),
    ("application/x-npy", NPY, None),
    ("application/x-tar", data("versions/bundle-1.tar"), None),
    ("application/json", b'{"vertices":["a","b"],"arcs":[["a","b",2]]}', None),
    ("application/json", b'{"vertices":["a"],"arcs":[["a","b",2]]', None),
    ("application/octet-stream", csv_of(COUNTS), None),
    ("application/pdf", b"%PDF", None),
    (None, csv_of(SQUARE), None),
]


def target(path, query):
    from urllib.parse import urlencode
    return path + ("?" + urlencode(query) if query else "")


class World:
    """The daemon, in the phase in which no job ends."""

    def __init__(self, case, with_tokens=False):
        self.case = case
        self.tokens = {}
        self.revisions = {}  # by graph
        self._make()
        self._damage()
        args = ["--cache-limit", str(self._used() + MARGIN), "--base-path", BASE]
        if with_tokens:
            args += ["--tokens", self._make_tokens()]
        self.gate = Gate(case.directory)
        case.addCleanup(self.gate.close)
        self.d = case.daemon(solver=self.gate.path, args=args).start()
        case.addCleanup(lambda: self.d.process and self.d.stop())
        self.admin = self.bearer("admin")
        for i in range(3):  # their jobs run, and are cancelled, before that of `waiting`
            self.put(f"victim{i}", csv_of([("a", "b", i + 2)]), CSV, {"transform": "none"})
        self.protected = self.put("waiting", *GRAPHS["waiting"])["job"]
        self.document = self.d.ask("GET", "/v1/openapi.json").body

    def _make(self):
        """Make what has tables, then end the daemon."""
        with self.case.daemon() as d:
            self.d, self.admin = d, {}
            jobs = {name: self.put(name, *GRAPHS[name])["job"]
                    for name in GRAPHS if name != "waiting"}
            reply = d.ask("PUT", "/v1/graphs/integer/profiles/hops", {"transform": "hops"})
            jobs["hops"] = reply.json["job"]
            for name, body in ATTRIBUTES.items():
                reply = d.ask("PUT", f"/v1/graphs/{name}/attributes", body, {"Content-Type": CSV})
                assert reply.status == 200, reply
            d.ask("DELETE", f"/v1/jobs/{jobs['large']}")
            ends = {"failed": "failed", "large": "cancelled"}
            for name, job in jobs.items():
                state = d.wait(job)["state"]
                assert state == ends.get(name, "succeeded"), (name, state)
            self.info = d.ask("GET", "/v1/info").json

    def _damage(self):
        database = sqlite3.connect(os.path.join(self.case.directory, "state", "apspd.sqlite"))
        with database:
            database.execute("UPDATE generations SET format = 'odd' WHERE graph = 'unreadable'")
        database.close()

    def _used(self):
        return self.info["cache"]["used_bytes"]

    def _make_tokens(self):
        path = os.path.join(self.case.directory, "tokens")
        for scope in ("read", "write", "admin"):
            made = subprocess.run([APSPD, "--tokens", path, "--new-token", f"{scope}:{scope}"],
                                  capture_output=True, text=True, check=True)
            self.tokens[scope] = made.stdout.strip()
        return path

    def bearer(self, scope):
        return {"Authorization": "Bearer " + self.tokens[scope]} if self.tokens else {}

    def put(self, name, body, kind, query):
        reply = self.d.ask("PUT", target(f"/v1/graphs/{name}", query), body,
                           {"Content-Type": kind, **self.admin})
        assert reply.status in (200, 202), reply
        self.revisions[name] = reply.json["revision"]
        return reply.json

    def running(self):
        """The id of the job that runs, unless it must not be cancelled."""
        jobs = self.d.ask("GET", "/v1/jobs?limit=1000", None, self.admin).json["jobs"]
        return next((job["id"] for job in jobs
                     if job["state"] == "running" and job["id"] != self.protected), None)
