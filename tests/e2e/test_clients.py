"""The Python client, as the daemon serves it, against the daemon.

NumPy and pandas are Debian's, which tests/run.sh installs; without pandas the client is
tried in a process that cannot import it.
"""
import ast
import contextlib
import csv
import functools
import gc
import io
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import warnings

import numpy as np
import pandas as pd

from client_case import LARVA, RING, SOURCE, WORM, ClientCase, apspd, load

BARE = [(1, 2, 5), (2, 3, 6), (3, 1, 7), (1, 3, 8)]


class FakeMatrix:
    """What the client uses of a SciPy sparse matrix: tocsr() adds up cells of one place in the
    type of the matrix."""

    def __init__(self, cells, shape):
        self.data, (self.row, self.col) = cells
        self.shape = shape

    def tocoo(self):
        return self

    def tocsr(self):
        places = sorted(set(zip(self.row, self.col)))
        sums = np.zeros(len(places), self.data.dtype)
        for u, v, w in zip(self.row, self.col, self.data):
            sums[places.index((u, v))] += w
        return FakeMatrix((sums, np.transpose(places)), self.shape)


def sparse(n, cells, dtype=None):
    row, col, data = map(np.array, zip(*cells))
    return FakeMatrix((data.astype(dtype or data.dtype), (row, col)), (n, n))


class FakeNetwork:
    """What the client uses of a networkx graph."""

    def __init__(self, nodes, edges, directed):
        self._nodes = nodes
        self._edges = edges
        self._directed = directed

    def is_directed(self):
        return self._directed

    def nodes(self, data):
        return [node if isinstance(node, tuple) else (node, {}) for node in self._nodes] if data else None

    def edges(self, data):
        return [(u, v, {"weight": w, **more}) for u, v, w, *known in self._edges
                for more in known or [{}]] if data else None


class Clients(ClientCase):
    def arcs(self, graph):
        return [tuple(row) for row in graph.arcs().itertuples(index=False)]

    def test_served(self):
        """curl -O gets the file of the tree, with the daemon's address as its default; browsers
        and caches are served, too."""
        hosts = ("lab.example", 'localhost.";x', '1";x')
        d = self.serve(args=[word for host in hosts for word in ("--allowed-host", host)])
        got = subprocess.run(["curl", "-sS", "-O", f"http://{d.addresses[0]}/apspd.py"],
                             cwd=self.directory, check=True, capture_output=True)
        self.assertEqual(got.stderr, b"")
        with open(SOURCE, "rb") as source:
            tree = source.read()
        with open(os.path.join(self.directory, "apspd.py"), "rb") as file:
            self.assertEqual(file.read(), tree.replace(b"localhost:8080", d.addresses[0].encode()))
        served = load(os.path.join(self.directory, "apspd.py"))
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("APSPD_URL", None)
            self.assertEqual(served.graphs(), [])
        self.check_hosts(d, tree)
        with open(SOURCE, encoding="utf-8") as source:
            ast.parse(source.read(), feature_version=(3, 9))
        gzip = {"Accept-Encoding": "gzip", "Host": "localhost:8080"}
        reply = d.ask("GET", "/apspd.py", headers=gzip)
        self.assertEqual(reply.headers["Content-Encoding"], "gzip")
        self.assertEqual(reply.headers.get_content_type(), "text/x-python")
        self.assertStatus(d.ask("GET", "/apspd.py", headers={
            **gzip, "If-None-Match": reply.headers["ETag"]}), 304)
        self.assertIn("apspd.py", [link["href"] for link in d.ask("GET", "/").json["links"]])
        self.assertStatus(d.ask("GET", "/apspd.py?x=1"), 400)

    def check_hosts(self, d, tree):
        """Only addresses are written into the file; each has an ETag of its own."""
        tags = set()
        for host in ("localhost:8090", "LocalHost:1", "127.0.0.1:9", "[::1]:8090"):
            reply = self.assertStatus(d.ask("GET", "/apspd.py", headers={"Host": host}), 200)
            self.assertEqual(reply.body, tree.replace(b"localhost:8080", host.encode()))
            self.assertStatus(d.ask("GET", "/apspd.py", headers={
                "Host": host, "If-None-Match": reply.headers["ETag"]}), 304)
            tags.add(reply.headers["ETag"])
        self.assertEqual(len(tags), 4)
        for host in ("localhost", "127.0.0.1", "[::1]", "lab.example:80", 'localhost.";x', '1";x:1'):
            reply = d.ask("GET", "/apspd.py", headers={"Host": host})
            self.assertEqual(reply.body, tree)
            self.assertNotIn(reply.headers["ETag"], tags)
        for host in ('localhost:1";x', '127.0.0.1:1\";x', "evil.example:80"):
            self.assertStatus(d.ask("GET", "/apspd.py", headers={"Host": host}), 421)

    def test_uploads(self):
        """Every kind of data becomes the same arcs, exactly."""
        c = self.connect(self.serve())
        rows = [("#1", "b,c", 0.1), ("b,c", "720575940600000001", 3), ("é", "#1", 2.5)]
        labels = ["é", "#1", "b,c", "720575940600000001"]
        cells = [(0, 1, 2.5), (1, 2, 0.1), (2, 3, 3)]
        dense = np.zeros((4, 4))
        for u, v, w in cells:
            dense[u, v] = w
        names = pd.DataFrame(rows, columns=["pre", "post", "weight"])
        text = names.to_csv(index=False, quoting=2)
        path = os.path.join(self.directory, "g.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for kind, what, more in (
                ("path", path, {}), ("bytes", text.encode(), {}),
                ("text file", io.StringIO(text), {}), ("file", io.BytesIO(text.encode()), {}),
                ("frame", names, {}), ("list", rows, {}),
                ("matrix frame", pd.DataFrame(dense, labels, labels), {}),
                ("array", dense, {"labels": labels}),
                ("sparse", sparse(4, cells + [(3, 0, 0)]), {"labels": labels}),
                ("network", FakeNetwork(labels, rows, True), {})):
            graph = c.put(what, "g", transform="none", **more)
            self.assertEqual(sorted(self.arcs(graph)), sorted(rows), kind)
            if kind in ("matrix frame", "array", "sparse", "network"):
                self.assertEqual(graph.vertices, labels, kind)
        ones = dense != 0
        for kind, what, more in (
                ("list", [("é", "#1", True), ("#1", "b,c", np.True_)], {}),
                ("matrix frame", pd.DataFrame(ones, labels, labels), {}),
                ("array", ones, {"labels": labels}),
                ("sparse", sparse(4, [(u, v, True) for u, v, _ in cells]), {"labels": labels})):
            graph = c.put(what, "ones", transform="none", **more)
            self.assertEqual(graph.path("é", "b,c").distance, 2, kind)
        with self.assertRaises(IsADirectoryError):
            c.put(self.directory, "x")

    def test_many_rows(self):
        """In pieces, out of a list and a frame."""
        c = self.connect(self.serve())
        many = [(f"v{i % 500}", f"w{i // 500}", 1 + i % 9) for i in range(45_001)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", apspd.UploadWarning)
            for what in (many, pd.DataFrame(many, columns=["from", "to", "weight"])):
                graph = c.put(what, "many", transform="hops", wait=False)
                self.assertEqual(graph.receipt.rows, len(many))
                self.assertEqual(graph.receipt.vertices, 591)
                c.cancel(graph.receipt.job)

    def test_arrays(self):
        """Cells and edge lists, in the numbers that the daemon would read."""
        c = self.connect(self.serve())
        for array, want in (
                (np.array([[0, 300], [0, 0]]), [("0", "1", 300)]),
                (np.array([[0, -1], [0, 0]]), [("0", "1", -1)]),
                (np.array([[0, 0.1], [np.inf, 0]]), [("0", "1", 0.1)]),
                (np.array([[0, 1], [0, 0]], bool), [("0", "1", 1)]),
                (sparse(2, [(0, 1, 200), (0, 1, 100)], np.uint8), [("0", "1", 300)]),
                (sparse(2, [(0, 1, True), (0, 1, True)]), [("0", "1", 2)]),
                (np.array([[1, 7205759406000000, 3], [2, 1, 4]]),
                 [("1", "7205759406000000", 3), ("2", "1", 4)]),
                (np.array([[1.0, 2.0, 0.5], [2.0, 1.0, 4]]), [("1", "2", 0.5), ("2", "1", 4)])):
            with warnings.catch_warnings():  # of arrays so small
                warnings.simplefilter("ignore", apspd.UploadWarning)
                graph = c.put(array, "n", transform="none")
            self.assertEqual(self.arcs(graph), want)

    def test_labels(self):
        """Names that are said, and those that data has; no row of a frame is a header."""
        c = self.connect(self.serve())
        bare = pd.DataFrame(BARE)
        self.assertEqual(self.arcs(c.put(bare, "n", transform="none")),
                         [("1", "2", 5), ("2", "3", 6), ("3", "1", 7), ("1", "3", 8)])
        for rows in ([("from", "to"), ("to", "#x"), ("#x", "b")],
                     [("pre", "post", 3), ("post", "weight", 2)]):
            graph = c.put(pd.DataFrame(rows), "bare", transform="hops")
            self.assertEqual([arc[:2] for arc in self.arcs(graph)], [row[:2] for row in rows])
        self.check_names(c)
        with self.assertWarnsRegex(apspd.UploadWarning, r"\(3, 3\) is read as a matrix"):
            c.put(bare.iloc[:3].to_numpy(), "n", transform="none")
        labelled = c.put([("a", "b", 2)], "n", transform="none", labels=np.array(["b", "a"]))
        self.assertEqual(labelled.vertices, ["b", "a"])
        listed = c.put(np.array([[0, 1, 5], [1, 2, 6], [2, 0, 7], [0, 2, 8]]), "n",
                       transform="none", labels=np.array([2, 1, 0]))
        self.assertEqual(listed.vertices, ["2", "1", "0"])
        both = c.put(FakeNetwork(["a", "b"], [("a", "b", 2)], False), "u", transform="none")
        self.assertEqual(both.path("b", "a").distance, 2)
        network = FakeNetwork([("a", {"type": "KC", 1: 2}), "b"], [("a", "b", 2, {"roi": 3})], True)
        for weight, roi in (("weight", "roi"), ("roi", "weight")):
            with self.assertWarns(apspd.UploadWarning) as caught:
                c.put(network, "u", transform="none", weight=weight)
            self.assertEqual([str(one.message).split(" (")[0] for one in caught.warnings],
                             ["ignored of nodes: type, 1", f"ignored: {roi}"])
        with self.assertRaisesRegex(ValueError, "'a' to 'b' has no attribute 'wieght'"):
            c.put(FakeNetwork(["a", "b"], [("a", "b", 2)], True), "u", weight="wieght")
        swapped = pd.DataFrame([[1, 0], [0, 2]], ["a", "b"], ["b", "a"])
        self.assertEqual(self.arcs(c.put(swapped, "n", transform="none")),
                         [("a", "b", 1), ("b", "a", 2)])

    def check_names(self, c):
        """A frame's names are never an arc, and the named levels of its index are columns."""
        two = pd.DataFrame([("u", "v"), ("v", "w")], columns=["neuron_a", "neuron_b"])
        four = pd.DataFrame([("u", "v", "R", 1), ("v", "w", "L", 1)],
                            columns=["pre", "post", "roi", "weight"])
        for frame, ends in (
                (two, "uv vw"), (two.set_axis(["post", "pre"], axis=1), "vu wv"),
                (two.groupby(list(two)).size().reset_index(), "uv vw"),
                (four.groupby(["pre", "post"])[["weight"]].sum(), "uv vw"),
                (four[["pre", "post", "weight"]].set_index("pre"), "uv vw")):
            graph = c.put(frame, "names", transform="none")
            self.assertEqual(self.arcs(graph), [(u, v, 1) for u, v in ends.split()])
        with self.assertWarnsRegex(apspd.UploadWarning, "ignored: roi"):
            graph = c.put(four.set_index(["pre", "post"]), "names", transform="none")
        self.assertEqual(graph.vertices, ["u", "v", "w"])
        for names in (["post", "weight"], ["neuron_a", "size"]):
            with self.assertRaisesRegex(apspd.BadData, "and no header|second column"):
                c.put(two.set_axis(names, axis=1), "names", transform="none")
        sides = four.set_index(["pre", "roi"])[["post"]]
        self.assertEqual(graph.set_attributes(sides).matched, 2)
        self.assertEqual(graph.attributes().loc["u"].tolist(), ["R", "v"])

    def test_unusable_data(self):
        """What is no graph is refused before anything is sent."""
        c = self.connect(self.serve())
        bare = pd.DataFrame(BARE)
        network = FakeNetwork(["a", "b"], [("a", "b", 2)], False)
        for what, said, words in (
                (bare, {"labels": ["p"]}, "DataFrame has its own"),
                (network, {"labels": ["p"]}, "FakeNetwork has its own"),
                (b"a,b,1\n", {"labels": ["p"]}, "bytes has its own"),
                (bare, {"weight": "n"}, "say weight_column")):
            with self.assertRaisesRegex(ValueError, words):
                c.put(what, "x", transform="none", **said)
        for what, words in ((np.zeros((2, 5)), "neither square"),
                            (np.ma.masked_equal([[0, -9], [1, 0]], -9), "without a value"),
                            (object(), "no graph"),
                            (bare.iloc[:3], "a matrix or an edge list"),
                            (np.array([[2.0**53, 1, 1], [1, 2, 3]]), "were rounded"),
                            ([("a", "b", np.inf)], "infinite"),
                            ([{"from": "a", "to": "b"}], r"pandas\.DataFrame\(list\)"),
                            (["ab", "bc"], "'ab' is no arc"),
                            ([b"ab"], "b'ab' is no arc"),
                            (sparse(2, [(0, 1, 1)]), "3 labels")):
            with self.assertRaisesRegex((ValueError, TypeError), words):
                c.put(what, "x", transform="none", labels=["p", "q", "r"]
                      if isinstance(what, FakeMatrix) else None)
        with self.assertRaisesRegex(ValueError, "infinite"):
            c.put(np.array([[0, -np.inf], [1, 0]]), "x", transform="none", labels=["a", "b"])
        self.assertNotIn("x", [graph.name for graph in c.graphs()])

    def test_answers(self):
        """What the client says is what the daemon says, on a real graph."""
        d = self.serve()
        c = self.connect(d)
        g = c.put(LARVA, "larva", transform="inv")
        self.check_paths(d, g)
        self.check_matrices(g)
        self.check_tables(g)
        self.check_rows(d, g)
        self.check_profiles(c, g)

    def check_paths(self, d, g):
        self.assertEqual(g.path("29", "8835968"), d.path("larva", "29", "8835968").json)
        self.assertEqual(g.path("29", "8835968").path, ["29", "8509987", "8835968"])
        with self.assertRaisesRegex(AttributeError, "distance"):
            g.path("29", "8835968").nothing
        self.assertFalse(g.path("29", "37365").reachable)
        self.assertFalse(g.reachable("29", "37365"))
        self.assertGreaterEqual(g.path("29", "8835968", ties=True)["count"], 1)
        self.assertEqual(len(g.path("29", "8835968", k=3).paths), 3)
        around = g.path("29", "8835968", avoid=["8509987", ("29", "8419602")]).path
        self.assertNotIn("8509987", around)
        self.assertNotEqual(around[1], "8419602")
        self.assertNotEqual(
            g.path("29", "8835968", avoid=("8509987", "8835968")).path[1:], ["8509987", "8835968"])
        both = g.client.put([("a", "b", 1), ("b", "z", 1), ("a", "a>b", 1), ("a>b", "z", 2)],
                            "both", transform="none")
        self.assertEqual(both.path("a", "z", avoid=("a", "b")).path, ["a", "a>b", "z"])
        self.assertEqual(both.path("a", "z", avoid="a>b").path, ["a", "b", "z"])
        self.assertFalse(both.path("a", "z", avoid=("a", "b"), avoid_arc="a>a>b").reachable)
        self.assertEqual(g.path("29", "8835968", hops="..2").hops, 2)

    def check_matrices(self, g):
        values, labels = g.matrix("distance")
        self.assertEqual(labels, g.vertices)
        self.assertEqual(values.shape, (3013, 3013))
        at = labels.index("29"), labels.index("8835968")
        self.assertEqual(values[at], np.float32(g.path("29", "8835968").distance))
        self.assertTrue(np.isinf(values[at[0], labels.index("37365")]))
        before = g.matrix("predecessor")
        self.assertEqual(before.labels[before.values[at]], "8509987")
        self.assertEqual(g.matrix("closure").values.sum(), np.isfinite(values).sum())
        self.assertEqual(g.matrix("hops").frame().loc["29", "8835968"], 2)

    def check_tables(self, g):
        sources, targets = ["29", "8509987"], ["8835968", "37365", "29"]
        table = g.table(sources, targets)
        self.assertEqual((list(table.index), list(table.columns)), (sources, targets))
        pairs = [(u, v) for u in sources for v in targets]
        paths = g.paths(pairs)
        frame = pd.DataFrame(pairs, columns=["from", "to"])
        for frame in (frame, frame.assign(n=1)[["n", "to", "from"]],
                      frame.set_axis(["pre", "post"], axis=1).assign(n=1)):
            self.assertEqual(g.paths(frame), paths)
        for (u, v), answer in zip(pairs, paths):
            distance = answer.distance if answer.reachable else np.inf
            self.assertEqual(table.loc[u, v], distance)
        self.check_path_table(g, pairs, paths)
        self.assertEqual(g.table(["29"], targets, values="predecessor").values.tolist(),
                         [["8509987", None, None]])
        self.assertEqual(g.table(["29"], targets, values="reachable").values.tolist(),
                         [[True, False, True]])
        long = g.table(sources, targets, values=["distance", "hops", "predecessor", "reachable"])
        self.assertEqual(list(zip(long["from"], long["to"])), pairs)
        self.assertEqual(long["distance"].tolist(), table.values.ravel().tolist())
        self.assertEqual(long["reachable"].tolist(), [p.reachable for p in paths])

    def check_path_table(self, g, pairs, paths):
        """A table of paths, in one request and in several, with pandas and without."""
        want = {"from": [u for u, _ in pairs], "to": [v for _, v in pairs],
                "distance": [np.inf if p.distance is None else p.distance for p in paths],
                "hops": [np.inf if p.hops is None else p.hops for p in paths],
                "path": [p.path for p in paths]}
        self.assertIn(None, want["path"])
        for pandas in (apspd.pd, None):
            for size in (2, apspd._PAIRS):
                with unittest.mock.patch.multiple(apspd, pd=pandas, _PAIRS=size):
                    found = g.paths(pairs, values=["distance", "hops", "path"])
                    self.assertEqual({name: list(found[name]) for name in found}, want)
                    found = g.paths(pairs, values="hops")
                    self.assertEqual(list(found), ["from", "to", "hops"])
                    self.assertEqual(len(g.paths([], values="hops")["hops"]), 0)
                    found = g.paths([*pairs, ("29", "nobody")], values="path", check=False)
                    self.assertEqual(list(found["path"]), [*want["path"], None])
                    self.assertEqual(list(found["problem"])[:-1], [None] * len(pairs))
                    detail, last = list(found["problem"])[-1], len(pairs)
                    self.assertIn(f"pairs[{last}][1] 'nobody' is not in graph", detail)
                    wrong = g.paths([*pairs, ("29", "nobody")], check=False)[-1]
                    self.assertEqual((wrong.detail, wrong.pointer), (detail, f"/pairs/{last}/1"))
                    with self.assertRaisesRegex(apspd.UnknownVertex, "'nobody' is not in"
                                                ) as caught:
                        g.paths([("29", "29"), ("29", "nobody")], values="distance")
                    self.assertEqual((caught.exception.type, caught.exception.title),
                                     ("unknown-vertex", "Unknown vertex"))

    def check_rows(self, d, g):
        labels = g.vertices
        row = g.distances("29")
        self.assertEqual(row.index.tolist(), labels)
        self.assertEqual(row["8835968"], g.path("29", "8835968").distance)
        self.assertEqual(g.distances("8835968", direction="in")["29"], row["8835968"])
        self.assertEqual(g.distances("29", nearest=5).index.tolist(),
                         g.table(["29"], nearest=5)["to"].tolist())
        reach = g.reach("29", max_hops=2)
        self.assertEqual(len(reach), d.ask(
            "GET", "/v1/graphs/larva/vertices/29/reachable?max_hops=2").json["count"])
        walked = g.reach("29", max_hops=2, values="hops")
        self.assertEqual(walked.index.tolist(), reach)
        self.assertEqual((walked["steps"].max(), walked["hops"].max() > 2), (2, True))

        stats = g.stats(vertices=True)
        self.assertEqual(stats.index.tolist(), labels)
        self.assertEqual(stats.loc["29", "strong_component"], "29")
        self.assertEqual(g.stats().reachable_pairs, int(stats["reaches"].sum()))
        self.assertEqual(g.vertex("29").out_degree, (g.arcs()["from"] == "29").sum())
        self.assertIn("8835968", g.search("88359"))

    def check_profiles(self, c, g):
        hops = g.put_profile("hops", transform="hops")
        self.assertEqual(hops.path("29", "8835968").profile, "hops")
        self.assertEqual(hops.table(["29"], ["8835968"]).iat[0, 0],
                         hops.path("29", "8835968").hops)
        self.assertEqual(g.profile("hops").stats().transform, "hops")
        self.assertGreater(g.estimate(transform="hops").seconds, 0)
        # a rule takes the place of the profile's
        self.assertEqual(hops.estimate(transform="inv", algorithm="blocked-fw").algorithm,
                         "blocked-fw")
        self.assertEqual(hops.estimate().profile, "hops")
        self.assertIsNone(hops.estimate(transform="inv", without={"label": "29"},
                                        measures="betweenness").profile)
        self.assertGreater(c.estimate(vertices=100, arcs=500, transform="hops",
                                      measures="betweenness").disk_bytes, 0)
        lesion = g.put_profile("lesion", transform="log", normalise="input",
                               without={"label": ["29", "37365"]})
        self.assertEqual(lesion.path("29", "8835968").left_out, ["from"])
        self.assertEqual(lesion.stats().left_out, 2)
        self.assertEqual(lesion.receipt.warnings, [])
        with self.assertRaisesRegex(apspd.BadData, "did you mean '37365'"):
            g.put_profile("lesion", without="label:3736")
        self.assertEqual(lesion.stats().left_out, 2)
        g.delete_profile("lesion")
        g.delete_profile("hops")
        with self.assertRaises(apspd.NotFound):
            hops.path("29", "8835968")
        with self.assertRaisesRegex(apspd.UnknownVertex, r"'883596'.*did you mean '8835968'"):
            g.path("29", "883596")
        wrong = g.paths([("29", "nobody"), ("29", "29")], check=False)
        self.assertIsInstance(wrong[0], apspd.UnknownVertex)
        self.assertEqual(wrong[1].hops, 0)
        with self.assertRaises(apspd.UnknownVertex):
            g.paths([("29", "nobody")])

    def test_left_out(self):
        """Rows of a profile that leaves out vertices; with pandas and without."""
        c = self.connect(self.serve())
        g = c.put(RING, "ring", transform="none")
        g.set_attributes(b"label,type\na,X\nb,X\nc,X\nd,Y\n")
        cut = g.put_profile("cut", transform="none", without={"label": "d"})
        self.assertEqual(c.put(RING, "gone", transform="none",
                               without={"label": ["b", "d"]}).stats().left_out, 2)
        far = np.inf
        ends = {"from": ["a", "d", "d"], "to": ["d", "b", "d"], "distance": [far, far, 0],
                "left_out": ["to", "from", "from to"]}
        pairs = list(zip(ends["from"], ends["to"]))
        for pandas in (apspd.pd, None):
            with unittest.mock.patch.object(apspd, "pd", pandas):
                def check(found, want):
                    found = found.reset_index() if pandas else found
                    self.assertEqual({name: list(found[name]) for name in want}, want)
                    self.assertLessEqual(set(found), {*want, "index"})
                self.assertEqual(list(cut.distances("a")) if pandas else
                                 cut.distances("a")["distance"].tolist(), [0, 1, 3, far])
                if pandas:  # a Series, whether a row is of such a vertex or none is
                    self.assertEqual(cut.distances("a", nearest=2).to_dict(), {"b": 1, "c": 3})
                    self.assertEqual(cut.distances("d").tolist(), [far, far, far, 0])
                check(cut.distances("d", values=["distance", "hops"]), {
                    "vertex": list("abcd"), "distance": [far, far, far, 0],
                    "hops": [far, far, far, 0], "left_out": ["from"] * 3 + ["from to"]})
                table = {"from": ["a", "a", "d", "d"], "to": ["b", "d"] * 2,
                         "distance": [1, far, far, 0], "left_out": [None, *ends["left_out"]]}
                check(cut.table(["a", "d"], ["b", "d"], layout="long"), table)
                check(cut.table(["a", "d"], ["b", "d"], values=["distance", "hops"]),
                      {**table, "hops": [1, far, far, 0]})
                check(cut.table(["a"], nearest=1), {
                    "from": ["a"], "to": ["b"], "distance": [1], "left_out": [None]})
                check(cut.paths(pairs, values="distance"), ends)
                with unittest.mock.patch.object(apspd, "_PAIRS", 1):
                    check(cut.paths(pairs, values="distance"), ends)
                self.assertEqual((cut.reach("a"), cut.reach("d")), (["a", "b", "c"], ["d"]))
                check(cut.reach("d", values="distance"), {
                    "vertex": ["d"], "distance": [0], "left_out": ["from to"]})
                check(cut.reached({"type": ["X", "Y"]}, values="distance"), {
                    "vertex": list("abcd"), "steps": [0] * 4, "distance": [0] * 4,
                    "nearest": list("abcd"), "left_out": [False] * 3 + [True]})
                self.assertEqual(np.asarray(cut.table(["a"])).tolist(), [[0, 1, 3, far]])
                self.assertEqual(cut.stats(vertices=True)["reaches"].tolist()[:3], [2, 1, 0])

    def collections(self, ask):
        """What ask() returns, and how often the collector of garbage looked at young objects."""
        kept = gc.get_threshold()
        gc.collect()
        gc.set_threshold(1000, *kept[1:])
        before = gc.get_stats()[0]["collections"]
        try:
            return ask(), gc.get_stats()[0]["collections"] - before
        finally:
            gc.set_threshold(*kept)

    def test_many_cells(self):
        """Half a million pairs, with pandas and without: every cell is that of the daemon's
        text. No list is kept for each row, at which the collector of garbage would look again
        and again: that took eleven times as long as pandas by itself."""
        c = self.connect(self.serve())
        g = c.put(LARVA, "larva", transform="inv")
        query = {"values": "distance", "reachable": "false", "layout": "long", "format": "csv"}
        rows = c._read("POST", "/v1/graphs/larva/table", query, apspd._bytes_body(
            b"{}", "application/json")).decode().splitlines()
        self.assertEqual(len(rows), 1 + 577_805)
        ask = functools.partial(g.table, reachable=False)
        frame, n = self.collections(ask)
        self.assertLess(n, 100)
        self.assertEqual([f"{u},{v},{d}" for u, v, d in frame.itertuples(index=False)], rows[1:])
        with unittest.mock.patch.object(apspd, "pd", None):
            columns, n = self.collections(ask)
        self.assertLess(n, 100)
        self.assertTrue(all(frame[name].tolist() == list(columns[name]) for name in columns))

    def test_strange_cells(self):
        """Labels that other readers would take for something else; with pandas and without."""
        c = self.connect(self.serve())
        labels = ["NA", "null", "007", "1e5", '"', "a,b", "x\ny", "c\rd", " e ", "True", "-"]
        with self.assertWarns(apspd.UploadWarning):  # of NA
            g = c.put([(u, v, 0.1 * (1 + at)) for at, (u, v) in enumerate(
                zip(labels, labels[1:]))], "strange", transform="none")
        names = ["distance", "hops", "predecessor", "reachable"]
        want = [(u, v, *((one.distance, one.hops, one.path[-2] if one.hops else None, True)
                         if one.reachable else (np.inf, np.inf, None, False)))
                for u in labels for v in labels for one in [g.path(u, v)]]
        wide = [[row[4] for row in want if row[0] == u] for u in labels]
        for pandas in (apspd.pd, None):
            with unittest.mock.patch.object(apspd, "pd", pandas):
                columns = g.table(values=names)
                got = list(zip(*(list(columns[name]) for name in ("from", "to", *names))))
                self.assertEqual(got, want)
                self.assertEqual(np.asarray(g.table(values="predecessor")).tolist(), wide)
                self.assertEqual(g.reach("NA"), labels)
                some = g.table(["NA"], ["-"], values=names, max_distance=0.1)
                self.assertEqual([list(some[name]) for name in ("from", "to")], [[], []])

    def test_long_cells(self):
        """A path of more characters than the csv module reads by default."""
        c = self.connect(self.serve())
        labels = [f"{at:0200}" for at in range(700)]
        g = c.put([(u, v, 1) for u, v in zip(labels, labels[1:])], "chain", transform="hops")
        limit = csv.field_size_limit()
        for pandas in (apspd.pd, None):
            with unittest.mock.patch.object(apspd, "pd", pandas):
                found = g.paths([(labels[0], labels[-1])], values=["hops", "path"])
                self.assertEqual((list(found["path"]), list(found["hops"])), ([labels], [699]))
        self.assertEqual(csv.field_size_limit(), limit)

    def test_attributes(self):
        c = self.connect(self.serve())
        g = c.put(RING, "ring", transform="none")
        known = pd.DataFrame({"type": ["007", "KC", ""], "side": ["L", "R", "R"]},
                             index=["a", "b", "d"])
        self.assertEqual(g.set_attributes(known).matched, 3)
        self.assertEqual(g.attributes().loc["a"].tolist(), ["007", "L"])
        right = g.attributes(match={"side": "R"})
        self.assertEqual((right.index.name, right.index.tolist(), right["type"].tolist()),
                         ("label", ["b", "d"], ["KC", ""]))
        # in the daemon's CSV of /vertices, the labels have the name vertex
        names = ["vertex", "attribute_vertex", "attribute_type", "attribute_label"]
        g.set_attributes(pd.DataFrame([["x", "y", "z", "l"]] * 2, index=["a", "b"], columns=names))
        some = g.attributes(match={"vertex": "x"})
        self.assertEqual((list(some.columns), some.index.tolist()), (names, ["a", "b"]))
        self.assertTrue(some.equals(g.attributes().loc[["a", "b"]]))
        # a column label, else a named index or one of texts, else the first column
        for frame in (
                pd.DataFrame({"id": ["a", "b"], "type": ["X", "Y"]}),
                pd.DataFrame({"id": ["z", "a", "b"], "type": ["W", "X", "Y"]}).iloc[1:],
                pd.DataFrame({"type": ["X", "Y"], "label": ["a", "b"]}, index=["p", "q"]),
                pd.DataFrame({"type": ["X", "Y"]}, index=["a", "b"]),
                pd.DataFrame({"id": ["a", "b"], "type": ["X", "Y"]}).set_index("id")):
            answer = g.set_attributes(frame)
            self.assertEqual((answer.matched, answer.unknown), (2, 0), frame)
            self.assertEqual([column.name for column in answer.columns], ["type"])
            self.assertEqual(g.attributes().loc["b", "type"], "Y")
        ids = c.put([("7", "9", 1)], "ids", transform="none")
        numbers = pd.DataFrame({"type": ["X", "Y"]}, index=pd.Index([7, 9], name="bodyId"))
        self.assertEqual(ids.set_attributes(numbers).matched, 2)
        labels = ["#1", "%2", " 3 ", "4"]
        odd = c.put([(u, "#1", 1) for u in labels], "odd", transform="none")
        frame = pd.DataFrame({"#": ["#", " x ", None, "y"], "n": [1, 0.5, np.nan, 2]}, index=labels)
        for known in (frame, frame.rename_axis("#id").reset_index()):
            self.assertEqual(odd.set_attributes(known).matched, 4)
            found = odd.attributes()
            self.assertEqual({v: list(found.loc[v]) for v in labels}, {
                "#1": ["#", "1.0"], "%2": [" x ", "0.5"], " 3 ": ["", ""], "4": ["y", "2.0"]})
        self.assertEqual(g.set_attributes(b"label,type\na,X\nb,Y\nc,Y\n").matched, 3)
        self.assertEqual(g.search(match={"type": ["X", "Y"]}), ["a", "b", "c"])
        self.assertEqual(g.table(["d"], match="type:Y").to_dict(), {"b": {"d": 9}, "c": {"d": 11}})
        self.assertEqual(g.reach("a", max_hops=2, match={"type": "Y"}), ["b", "c"])
        groups = g.groups("type").set_index(["from", "to"])
        self.assertEqual(groups.loc[("X", "Y"), "min"], 1)
        self.assertEqual(g.groups("type", "type").equals(g.groups("type")), True)

    def test_unit(self):
        c = self.connect(self.serve())
        g = c.put(RING, "units", transform="inv", weight_unit="synapses")
        self.assertEqual(g.record().weight_unit, "synapses")
        self.assertEqual(g.record().profiles[0].length_unit, "1/synapses")
        for unit in ("\u00b5m", None):
            g.set_unit(unit)
            self.assertEqual(g.record().weight_unit, unit)
        with self.assertRaisesRegex(apspd.BadRequest, "at most 63 bytes"):
            g.set_unit("x" * 64)

    def test_derive(self):
        c = self.connect(self.serve())
        g = c.put([("a", "b", 1), ("b", "c", 2), ("c", "d", 4), ("d", "a", 8)], "origin",
                  transform="inv")
        g.set_attributes(b"label,type,side\na,X,L\nb,X,R\nc,Y,L\nd,Y,R\n")
        types = c.derive("types", g, by="type")
        self.assertEqual(types.table().to_dict(), {"X": {"X": 0, "Y": 1 / 8},
                                                   "Y": {"X": 1 / 2, "Y": 0}})
        self.assertEqual((types.receipt.derived.arcs_used, types.receipt.loops), (4, 2))
        with self.assertWarns(apspd.UploadWarning):  # a vertex without an arc
            part = c.derive("part", "origin", match={"side": ["R"], "type": "Y"},
                            transform="hops")
        self.assertEqual(part.vertices, ["d"])
        self.assertEqual(part.record().derived_from.match, ["side:R", "type:Y"])
        self.assertEqual(part.attributes().loc["d", "type"], "Y")
        with self.assertRaises(apspd.Conflict):
            c.derive("part", g, by="side", only_if="new")
        with self.assertRaisesRegex(apspd.BadRequest, "neither by nor match"):
            c.derive("none", g)

    def test_sets(self):
        """Conditions in place of labels; with pandas and without."""
        c = self.connect(self.serve())
        g = c.put([("a", "b", 0.1), ("b", "c", 0.2), ("c", "d", 4), ("d", "a", 8)], "sets",
                  transform="none")
        g.set_attributes(b"label,type,side\na,X,L\nb,Y,R\nc,Y,L\nd,,R\n")
        y, left = {"type": ["Y"]}, {"side": "L", "type": ["X", "Y"]}
        for pandas in (apspd.pd, None):
            with unittest.mock.patch.object(apspd, "pd", pandas):
                self.assertEqual(np.asarray(g.table(y, left)).tolist(),
                                 np.asarray(g.table(["b", "c"], ["a", "c"])).tolist())
                for values in ("distance", ["distance", "hops"]):
                    self.assertEqual(str(g.table(y, values=values)),
                                     str(g.table(["b", "c"], values=values)))
                pairs = [["b", "a"], ["b", "c"], ["c", "a"], ["c", "c"]]
                self.assertEqual(g.paths(sources=y, targets=left), g.paths(pairs))
                self.assertEqual(str(g.paths(sources=y, targets=["a", "c"], values="hops")),
                                 str(g.paths(pairs, values="hops")))
                reached = g.reached(y, max_distance=0.2 + 4)
                columns = {name: list(reached[name]) for name in ("steps", "distance", "nearest")}
                self.assertEqual(columns, {"steps": [0, 0, 1], "distance": [0, 0, 4],
                                           "nearest": ["b", "c", "c"]})
                self.assertEqual(list(reached.index if pandas else reached["vertex"]),
                                 ["b", "c", "d"])
                into = g.reached({"side": "R"}, ["a"], direction="in", max_hops=2)
                self.assertEqual(list(into.index if pandas else into["vertex"]), ["d"])
                some = g.groups("type", sources={"side": "L"}, targets=["b"])
                rows = {pair: n for *pair, n in zip(some["from"], some["to"], some["pairs"])
                        for pair in [tuple(pair)]}
                self.assertEqual(rows, {("X", "X"): 0, ("X", "Y"): 1, ("Y", "X"): 0,
                                        ("Y", "Y"): 1})
                some = g.groups("type", sources={"side": "L"}, targets=["b"], empty=False)
                self.assertEqual(list(zip(some["from"], some["to"], some["pairs"])),
                                 [("X", "Y", 1), ("Y", "Y", 1)])
                none = g.groups("type", sources=[], empty=False)
                self.assertEqual(list(none["pairs"]), [])
        with self.assertRaisesRegex(apspd.BadRequest, "sources is missing"):
            g.reached()
        with self.assertRaisesRegex(ValueError, "either pairs, or sources"):
            g.paths(pairs, sources=y)
        with self.assertRaisesRegex(ValueError, "'side' is an attribute, which is not combined"):
            g.groups("type", "side", sources=y)
        none = {"side": "L", "type": []}
        for ask in (lambda: g.table(none), lambda: g.search(match=none),
                    lambda: g.put_profile("cut", without=none), lambda: c.derive("part", g, match=none)):
            with self.assertRaisesRegex(ValueError, "'type' has no values"):
                ask()

    def test_compare(self):
        c = self.connect(self.serve())
        g = c.put(RING, "ring", transform="none")
        g.set_attributes(b"label,type\na,X\nb,Y\nc,Y\n")
        cut = g.put_profile("cut", transform="none", min_weight=2)
        answer = cut.compare("default", by="type", top=3, tolerance=0)
        whole, rest = (one.matrix().values for one in (g, cut))
        lost = np.isfinite(whole) & ~np.isfinite(rest)
        self.assertEqual(answer.counts.lost, lost.sum())
        self.assertGreater(answer.counts.lost, 3)
        self.assertEqual(answer.changes["change"].tolist(), ["lost"] * 3)
        self.assertEqual(answer.changes["distance"].tolist(), [np.inf] * 3)
        self.assertEqual(answer.changes["difference"].tolist(), [np.inf] * 3)
        self.assertEqual(answer.changes["with_distance"].tolist(), sorted(whole[lost])[:3])
        self.assertEqual(set(answer.groups["change"]), {"lost"})
        turned = g.compare(cut)
        self.assertEqual((turned.counts.gained, turned.groups), (answer.counts.lost, None))
        self.assertEqual(turned["with"]["revision"], g.revision)
        other = c.put([("a", "b", 1), ("b", "q", 5)], "other", transform="none")
        matched = g.compare(other).matched
        self.assertEqual((matched["keys"], matched.only_with), (2, 1))
        every = cut.changed_pairs("default")
        self.assertEqual(len(every), sum(cut.compare("default").counts[name] for name in (
            "lost", "gained", "longer", "shorter")))
        self.assertEqual(set(every["change"]), set(cut.compare("default").changes["change"]))
        self.assertEqual(len(g.changed_pairs(g)), 0)
        with self.assertRaisesRegex(ValueError, "another daemon"):
            g.compare(apspd.connect("http://localhost:1").graph("ring"))
        with unittest.mock.patch.object(apspd, "pd", None):
            self.assertEqual(cut.compare("default", top=1).changes["change"], ["lost"])
        with self.assertRaisesRegex(apspd.BadRequest, "'by' of graph"):
            g.compare("cut", by="kind")

    def test_arcs_of_a_vertex(self):
        """Inputs and outputs are sorted, cut, and have the other ends' attributes as texts."""
        c = self.connect(self.serve())
        g = c.put([("a", "v", 2), ("b", "v", 8), ("007", "v", 8), ("v", "a", 4)], "inputs",
                  transform="inv")
        g.set_attributes(b"label,type,length\nb,01,9\na,KC,\n")
        found = g.inputs("v")
        self.assertEqual(list(found.columns),
                         ["from", "to", "weight", "length", "type", "attribute_length"])
        self.assertEqual(found.values.tolist(), [["b", "v", 8, 0.125, "01", "9"],
                                                 ["007", "v", 8, 0.125, "", ""],
                                                 ["a", "v", 2, 0.5, "KC", ""]])
        self.assertEqual(list(g.inputs("v", limit=1)["from"]), ["b"])
        self.assertEqual(list(g.inputs("v", sort=None)["from"]), ["a", "b", "007"])
        self.assertEqual(g.outputs("v", sort="length").values.tolist(),
                         [["v", "a", 4, 0.25, "KC", ""]])
        self.assertEqual(len(g.outputs("b")), 1)
        self.assertEqual(len(g.inputs("b")), 0)
        ranked = g.stats(vertices=True, sort="reaches", limit=2)
        self.assertEqual(list(ranked["reaches"]), sorted(
            g.stats(vertices=True)["reaches"], reverse=True)[:2])
        self.assertIn("type", ranked)
        every = g.arcs(sort="weight")
        self.assertEqual(list(every["weight"]), sorted(g.arcs()["weight"], reverse=True))
        self.assertEqual(len(g.arcs(sort="length", limit=2)["from"]), 2)
        self.assertIn("to_type", every)
        with unittest.mock.patch.object(apspd, "pd", None):
            self.assertEqual(g.inputs("v")["type"], ["01", "", "KC"])
        with self.assertRaisesRegex(apspd.BadRequest, "are about widest paths"):
            g.inputs("v", sort="width")
        widest = g.put_profile("widest", path="widest")
        self.assertEqual(list(widest.inputs("v", sort="width")["width"]), [8, 8, 2])

    def test_circuit(self):
        """Vertices and arcs as frames, files of each format, too many arcs; without pandas, too."""
        c = self.connect(self.serve())
        g = c.put([("a", "b", 1), ("b", "c", 1), ("a", "c", 2), ("c", "d", 4), ("a", "x", 3),
                   ("x", "c", 3)], "circuit", transform="none")
        g.set_attributes(b"label,type,pairs,attribute_pairs\na,X,1,4\nb,Y,2,5\nc,Y,3,6\n")
        found = g.circuit(["a"], {"type": "Y"})
        self.assertEqual(list(found.arcs["from"] + found.arcs["to"]), ["ab", "ac", "bc"])
        self.assertEqual(list(found.arcs["pairs"]), [2, 1, 1])
        self.assertEqual((found.pairs, found.skipped, found.graph), (2, 0, "circuit"))
        self.assertEqual(found.vertices.loc["c"].to_dict(), {
            "layer": 1, "pairs": 1, "share": 0.5, "type": "Y", "attribute_pairs": "3",
            "attribute_attribute_pairs": "6"})
        self.assertEqual(len(g.circuit(["a"], ["c"], slack=2).arcs), 5)
        self.assertEqual(len(g.circuit(["a"], ["c"], within=6).arcs), 5)
        self.assertEqual(list(g.circuit("a", "c", hops=1).arcs["weight"]), [2])
        self.assertEqual(len(g.circuit("a", "c", hops="..2").arcs), 5)
        rolled = g.circuit("a", "c", by="type").arcs
        self.assertEqual(list(zip(rolled["from"], rolled["to"], rolled["weight"], rolled["arcs"])),
                         [("X", "Y", 3, 2), ("Y", "Y", 1, 1)])
        with self.assertRaisesRegex(apspd.TooManyArcs, "has 5 arcs, and max_arcs is 3: the bound "
                                                       "1.99 fits") as caught:
            g.circuit("a", "c", slack=np.float32(2), max_arcs=np.int64(3))
        self.assertEqual((caught.exception.n_arcs, caught.exception.fits), (5, 1.99))
        with unittest.mock.patch.object(apspd, "pd", None):
            plain = g.circuit(["a"], {"type": "Y"})
            self.assertEqual(plain.arcs["pairs"], [2, 1, 1])
            self.assertEqual(plain.vertices["vertex"], ["a", "b", "c"])
        with tempfile.TemporaryDirectory() as directory:
            for name, start in (("c.graphml", "<?xml"), ("c.dot", 'digraph "circuit"'),
                                ("c.gv", "digraph"), ("c.cyjs", '{"format_version"'),
                                ("c.json", '{"revision"'), ("c.csv", "from,to,weight,")):
                path = os.path.join(directory, name)
                found.save(path)
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith(start), name)
            found.save(path, part="vertices")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.readline(),
                                 "vertex,layer,pairs,share,type,attribute_pairs,"
                                 "attribute_attribute_pairs\n")
            with self.assertRaisesRegex(ValueError, "suffixes"):
                found.save(os.path.join(directory, "c.svg"))
            # the file is of the upload of the answer
            c.put([("a", "b", 5)], "circuit", transform="none")
            with self.assertRaises(apspd.RevisionDiffers):
                found.save(path)

    def test_widths(self):
        """Widest paths: a comparison with a threshold is right in every frame and array."""
        c = self.connect(self.serve())
        arcs = [("a", "b", 9), ("b", "c", 5), ("a", "c", 2), ("c", "d", 7)]
        g = c.put(arcs, "g", path="widest")
        right = {"a": [np.inf, 9, 5, 5], "b": [0, np.inf, 5, 5], "c": [0, 0, np.inf, 7],
                 "d": [0, 0, 0, np.inf]}
        path = g.path("a", "d")
        self.assertEqual((path.width, path.path), (5, ["a", "b", "c", "d"]))
        self.assertEqual(g.path("a", "d", avoid="b").width, 2)
        self.assertEqual(g.path("a", "d", hops="..2").path, ["a", "c", "d"])
        values, labels = g.matrix("width")
        self.assertEqual(labels, list("abcd"))
        np.testing.assert_array_equal(values, [right[v] for v in labels])
        np.testing.assert_array_equal(g.table().values, values)
        np.testing.assert_array_equal(g.table(match=None, sources=["a"], targets=["d"]), [[5]])
        self.assertEqual(g.distances("a").tolist(), right["a"])
        self.assertEqual(g.distances("d", direction="in").tolist(), [5, 5, 7, np.inf])
        # pairs by threshold
        for least in (1, 5, 5.5, 8):
            np.testing.assert_array_equal(
                g.table().values >= least,
                [[g.reachable(u, v, min_width=least) for v in labels] for u in labels])
            rows = g.table(min_width=least)
            self.assertEqual(len(rows), np.sum(values >= least))
            self.assertEqual(g.reach("a", min_width=least),
                             [v for v, w in zip(labels, right["a"]) if w >= least])
        none = [[u, v, 0] for u in labels for v, w in zip(labels, right[u]) if not w]
        self.assertEqual(g.table(reachable=False)[["from", "to", "width"]].values.tolist(), none)
        lengths = g.put_profile("lengths", transform="none")
        self.assertEqual(lengths.table(["b"], reachable=False)["distance"].tolist(), [np.inf])
        self.assertEqual(g.distances("a", nearest=2).index.tolist(), ["b", "c"])
        rows = g.paths([("a", "d"), ("d", "a"), ("a", "a")], values="width,hops,path")
        self.assertEqual(rows["width"].tolist(), [5, 0, np.inf])
        self.assertEqual(rows["hops"].tolist(), [3, np.inf, 0])
        self.assertEqual(rows["path"].tolist(), [["a", "b", "c", "d"], None, ["a"]])
        rows = g.reached(["a", "c"], max_hops=np.int64(9), values="width")
        self.assertEqual(rows["width"].tolist(), [np.inf, 9, np.inf, 7])
        self.assertEqual(rows["widest"].tolist(), ["a", "a", "c", "c"])
        self.assertEqual(g.stats().width_histogram, {"widths": [5, 7, 9], "pairs": [6, 2, 1]})
        for wrong in (lambda: g.matrix(), lambda: g.path("a", "d", ties=True),
                      lambda: g.distances("a", max_distance=3)):
            with self.assertRaisesRegex(apspd.BadRequest, "path=shortest"):
                wrong()

    def test_problems(self):
        """Each refusal is an exception of its kind that tells place and remedy."""
        c = self.connect(self.serve())
        for data_, options, kind, words in (
                (b"a,b,1\nb,c,heavy\n", {"transform": "inv"}, apspd.BadData,
                 r"line 2, column 5.*'heavy'"),
                (b"a,b,1\n", {}, apspd.BadData, "transform=none"),
                (b"\x89HDF\r\n\x1a\n" + bytes(100), {"transform": "inv"}, apspd.BadData,
                 "HDF5|csv"),
                (b"a,b,1\n", {"transform": "sideways"}, apspd.BadRequest, "transform"),
                (b"a,b,1\n", {"transfrom": "inv"}, apspd.BadRequest, "transfrom")):
            with self.assertRaisesRegex(kind, words):
                c.put(data_, "bad", **options)
        with self.assertRaises(apspd.BadData) as caught:
            c.put(b"a,b,1\nb,c,heavy\n", "bad", transform="inv")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.line, again.column, again.status, again.type, str(again)),
                         (2, 5, 422, "bad-data", str(caught.exception)))
        with self.assertRaisesRegex(apspd.NotFound, "no graph 'nope'"):
            c.graph("nope").stats()
        with self.assertRaises(apspd.NotFound):
            c.job("999")
        g = c.put(RING, "ring", transform="none")
        for wrong in (lambda: g.path("a", "b", k=2, hops=3), lambda: g.reach("a", direction="up"),
                      lambda: g.matrix("labels")):
            with self.assertRaises((apspd.BadRequest, apspd.NotFound)):
                wrong()
        with self.assertRaises(apspd.Conflict):
            c.put(RING, "ring", transform="none", only_if="new")
        with self.assertRaises(apspd.Conflict):
            c.put(RING, "ring", transform="none", only_if="0" * 64)
        self.assertIsNone(c.put(RING, "ring", transform="none", only_if=g.revision).receipt.job)
        for other in (lambda **more: c.put(RING, "ring", transform="hops", **more),
                      lambda **more: g.put_profile("default", transform="none", **more)):
            with self.assertRaisesRegex(apspd.RuleDiffers, "default_rule=replace") as caught:
                other()
            self.assertIsInstance(caught.exception, apspd.Conflict)
            self.assertNotEqual(caught.exception.rule.transform, caught.exception.said.transform)
            self.assertEqual(other(default_rule="replace").path("a", "c").transform,
                             caught.exception.said.transform)
        with self.assertWarnsRegex(apspd.UploadWarning, "no weight") as warned:
            c.put(b"from,to,weight\na,b,\nb,c,1\n", "w", transform="none", invalid="drop")
        self.assertEqual(warned.filename, __file__)
        with self.assertRaisesRegex(apspd.JobFailed, "negative cycle|cycle"):
            c.put([("a", "b", -1), ("b", "a", -1)], "cycle", transform="none")
        with self.assertRaises(apspd.Conflict):
            c.graph("cycle").path("a", "b")
        c.graph("ring").delete()
        with self.assertRaises(apspd.NotFound):
            g.path("a", "b")
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = nobody.getsockname()[1]
        with self.assertRaisesRegex(apspd.Unreachable, f"127.0.0.1:{port}"):
            apspd.connect(f"http://127.0.0.1:{port}").graphs()
        with unittest.mock.patch.dict(os.environ, APSPD_URL=""), self.assertRaisesRegex(
                apspd.Unreachable, r"; APSPD_URL or apspd\.connect\(url\) names another daemon$"):
            lost = apspd.connect()
            lost._link = apspd.connect(f"http://127.0.0.1:{port}")._link
            lost.graphs()
        for url in ("ftp://x", "http://", "http://user:secret@x"):
            with self.assertRaises(ValueError) as refused:
                apspd.connect(url)
            self.assertNotIn("secret", str(refused.exception))

    def test_without_numpy(self):
        """A machine that has nothing yet: the client says what to install."""
        run = subprocess.run(
            [sys.executable, "-c", "import sys; sys.modules['numpy'] = None; import apspd"],
            env={**os.environ, "PYTHONPATH": os.path.dirname(SOURCE)}, capture_output=True,
            text=True)
        self.assertRegex(run.stderr, "ImportError: apspd.py needs NumPy: .*python3-numpy\n$")

    def test_without_pandas(self):
        d = self.serve()
        self.connect(d).put(RING, "ring", transform="none")
        run = subprocess.run([sys.executable, "-c", """
import sys
sys.modules["pandas"] = None
import apspd
assert apspd.pd is None
g = apspd.graph("ring")
print(g.table(["a"], ["b", "d"]).tolist(), g.table(["a"], ["d"], values="predecessor").tolist())
print(g.distances("a")["vertex"], g.distances("a")["distance"].tolist())
print(g.table(["a"], nearest=1)["to"], g.matrix().labels, g.reach("a", max_hops=1))
print(g.stats(vertices=True)["reaches"].tolist(), g.arcs()["from"])
"""], env={**os.environ, "PYTHONPATH": os.path.dirname(SOURCE),
           "APSPD_URL": "http://" + d.addresses[0]}, capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        self.assertEqual(run.stdout.splitlines(), [
            "[[1.0, 7.0]] [['c']]", "['a', 'b', 'c', 'd'] [0.0, 1.0, 3.0, 7.0]",
            "['b'] ['a', 'b', 'c', 'd'] ['a', 'b']",
            "[3.0, 3.0, 3.0, 3.0] ['a', 'b', 'c', 'd']"])

    def test_progress(self):
        """A line that is written again on a terminal; nothing where nobody looks."""
        d = self.serve()
        for terminal in (True, False):
            out = io.StringIO()
            out.isatty = lambda: terminal
            with contextlib.redirect_stderr(out):
                self.connect(d).put(WORM, f"worm{terminal}", transform="hops")
            if not terminal:
                self.assertEqual(out.getvalue(), "")
                continue
            self.assertRegex(out.getvalue(), r"wormTrue: upload +\[#{24}\] 100 %")
            self.assertRegex(out.getvalue(), r"100 % *\n$")


if __name__ == "__main__":
    unittest.main()
