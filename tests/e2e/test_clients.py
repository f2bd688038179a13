"""The Python client, as the daemon serves it, against the daemon.

NumPy and pandas are Debian's, which tests/run.sh installs; without pandas the client is
tried in a process that cannot import it.
"""
import ast
import contextlib
import importlib.util
import io
import os
import pickle
import re
import socket
import ssl
import subprocess
import sys
import threading
import tracemalloc
import unittest
import warnings

import numpy as np
import pandas as pd

from harness import (APSPD, Case, Cutter, DATA, Gate, LOST_AND_NOT_FOUND, SOURCE_ROOT, STRANGE,
                     Script, data, until)

SOURCE = os.path.join(SOURCE_ROOT, "api", "clients", "apspd.py")
LARVA = os.path.join(DATA, "larva_edges.csv")
WORM = os.path.join(DATA, "celegans_newman.csv")
RING = [("a", "b", 1), ("b", "c", 2), ("c", "d", 4), ("d", "a", 8)]


def load(path):
    spec = importlib.util.spec_from_file_location("apspd", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["apspd"] = module
    spec.loader.exec_module(module)
    return module


def data_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


apspd = load(SOURCE)


class FakeMatrix:
    """What the client uses of a SciPy sparse matrix: cells of one place add up."""

    def __init__(self, n, cells):
        self.shape = n, n
        self._cells = cells

    def tocsr(self):
        return self

    def tocoo(self):
        self.row, self.col, self.data = map(np.array, zip(*self._cells))
        return self


class FakeNetwork:
    """What the client uses of a networkx graph."""

    def __init__(self, nodes, edges, directed):
        self.nodes = nodes
        self._edges = edges
        self._directed = directed

    def is_directed(self):
        return self._directed

    def edges(self, data):
        return [(u, v, {"weight": w}) for u, v, w in self._edges] if data else None


class Clients(Case):
    def setUp(self):
        super().setUp()
        # connections of clients that nobody closes end with them
        warnings.simplefilter("ignore", ResourceWarning)

    def serve(self, **more):
        d = self.daemon(**more).start()
        self.addCleanup(lambda: d.process and d.stop())
        return d

    def connect(self, d, **more):
        c = apspd.connect("http://" + d.addresses[0], **more)
        self.addCleanup(c.close)
        return c

    def arcs(self, graph):
        return [tuple(row) for row in graph.arcs().itertuples(index=False)]

    def test_served(self):
        """curl -O gets the file of the tree; browsers and caches are served, too."""
        d = self.serve()
        got = subprocess.run(["curl", "-sS", "-O", f"http://{d.addresses[0]}/apspd.py"],
                             cwd=self.directory, check=True, capture_output=True)
        self.assertEqual(got.stderr, b"")
        with open(os.path.join(self.directory, "apspd.py"), "rb") as file, \
                open(SOURCE, "rb") as source:
            self.assertEqual(file.read(), source.read())
        self.assertTrue(load(os.path.join(self.directory, "apspd.py")).__doc__)
        ast.parse(data_of(SOURCE), feature_version=(3, 9))
        reply = d.ask("GET", "/apspd.py", headers={"Accept-Encoding": "gzip"})
        self.assertEqual(reply.headers["Content-Encoding"], "gzip")
        self.assertEqual(reply.headers.get_content_type(), "text/x-python")
        self.assertStatus(d.ask("GET", "/apspd.py", headers={
            "Accept-Encoding": "gzip", "If-None-Match": reply.headers["ETag"]}), 304)
        self.assertIn("apspd.py", [link["href"] for link in d.ask("GET", "/").json["links"]])
        self.assertStatus(d.ask("GET", "/apspd.py?x=1"), 400)

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
                ("sparse", FakeMatrix(4, cells + [(3, 0, 0)]), {"labels": labels}),
                ("network", FakeNetwork(labels, rows, True), {})):
            graph = c.put(what, "g", transform="none", **more)
            self.assertEqual(sorted(self.arcs(graph)), sorted(rows), kind)
            if kind in ("matrix frame", "array", "sparse", "network"):
                self.assertEqual(graph.vertices, labels, kind)
        with self.assertRaises(IsADirectoryError):
            c.put(self.directory, "x")
        # many rows, in pieces; and what makes the daemon's own numbers
        many = [(f"v{i % 500}", f"w{i // 500}", 1 + i % 9) for i in range(45_001)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", apspd.UploadWarning)
            for what in (many, pd.DataFrame(many, columns=["from", "to", "weight"])):
                graph = c.put(what, "many", transform="hops", wait=False)
                self.assertEqual(graph.receipt.rows, len(many))
                self.assertEqual(graph.receipt.vertices, 591)
                c.cancel(graph.receipt.job)
        for array, want in (
                (np.array([[0, 300], [0, 0]]), [("0", "1", 300)]),
                (np.array([[0, -1], [0, 0]]), [("0", "1", -1)]),
                (np.array([[0, 0.1], [np.inf, 0]]), [("0", "1", 0.1)]),
                (np.array([[0, 1], [0, 0]], bool), [("0", "1", 1)]),
                (np.array([[1, 7205759406000000, 3], [2, 1, 4]]),
                 [("1", "7205759406000000", 3), ("2", "1", 4)]),
                (np.array([[1.0, 2.0, 0.5], [2.0, 1.0, 4]]), [("1", "2", 0.5), ("2", "1", 4)])):
            with warnings.catch_warnings():  # of arrays so small
                warnings.simplefilter("ignore", apspd.UploadWarning)
                graph = c.put(array, "n", transform="none")
            self.assertEqual(self.arcs(graph), want)
        # without names a frame is an edge list, and no row of it a header
        bare = pd.DataFrame([(1, 2, 5), (2, 3, 6), (3, 1, 7), (1, 3, 8)])
        self.assertEqual(self.arcs(c.put(bare, "n", transform="none")),
                         [("1", "2", 5), ("2", "3", 6), ("3", "1", 7), ("1", "3", 8)])
        with self.assertWarnsRegex(apspd.UploadWarning, r"\(3, 3\) is read as a matrix"):
            c.put(bare.iloc[:3].to_numpy(), "n", transform="none")
        labelled = c.put([("a", "b", 2)], "n", transform="none", labels=np.array(["b", "a"]))
        self.assertEqual(labelled.vertices, ["b", "a"])
        listed = c.put(np.array([[0, 1, 5], [1, 2, 6], [2, 0, 7], [0, 2, 8]]), "n",
                       transform="none", labels=["2", "1", "0"])
        self.assertEqual(listed.vertices, ["2", "1", "0"])
        network = FakeNetwork(["a", "b"], [("a", "b", 2)], False)
        for what, said, words in (
                (bare, {"labels": ["p"]}, "DataFrame has its own"),
                (network, {"labels": ["p"]}, "FakeNetwork has its own"),
                (b"a,b,1\n", {"labels": ["p"]}, "bytes has its own"),
                (bare, {"weight": "n"}, "say weight_column")):
            with self.assertRaisesRegex(ValueError, words):
                c.put(what, "x", transform="none", **said)
        both = c.put(FakeNetwork(["a", "b"], [("a", "b", 2)], False), "u", transform="none")
        self.assertEqual(both.path("b", "a").distance, 2)
        for what, words in ((np.zeros((2, 5)), "neither square"), (object(), "no graph"),
                            (bare.iloc[:3], "a matrix or an edge list"),
                            (np.array([[2.0**53, 1, 1], [1, 2, 3]]), "were rounded"),
                            ([("a", "b", np.inf)], "infinite"),
                            (FakeMatrix(2, [(0, 1, 1)]), "3 labels")):
            with self.assertRaisesRegex((ValueError, TypeError), words):
                c.put(what, "x", transform="none", labels=["p", "q", "r"]
                      if isinstance(what, FakeMatrix) else None)
        self.assertNotIn("x", [graph.name for graph in c.graphs()])

    def test_answers(self):
        """What the client says is what the daemon says, on a real graph."""
        d = self.serve()
        c = self.connect(d)
        g = c.put(LARVA, "larva", transform="inv")
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
        self.assertEqual(g.path("29", "8835968", hops="..2").hops, 2)

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

        sources, targets = ["29", "8509987"], ["8835968", "37365", "29"]
        table = g.table(sources, targets)
        self.assertEqual((list(table.index), list(table.columns)), (sources, targets))
        pairs = [(u, v) for u in sources for v in targets]
        paths = g.paths(pairs)
        self.assertEqual(g.paths(pd.DataFrame(pairs)), paths)
        for (u, v), answer in zip(pairs, paths):
            distance = answer.distance if answer.reachable else np.inf
            self.assertEqual(table.loc[u, v], distance)
        self.assertEqual(g.table(["29"], targets, values="predecessor").values.tolist(),
                         [["8509987", None, None]])
        self.assertEqual(g.table(["29"], targets, values="reachable").values.tolist(),
                         [[True, False, True]])
        long = g.table(sources, targets, values=["distance", "hops", "predecessor", "reachable"])
        self.assertEqual(list(zip(long["from"], long["to"])), pairs)
        self.assertEqual(long["distance"].tolist(), table.values.ravel().tolist())
        self.assertEqual(long["reachable"].tolist(), [p.reachable for p in paths])

        row = g.distances("29")
        self.assertEqual(row.index.tolist(), labels)
        self.assertEqual(row["8835968"], table.loc["29", "8835968"])
        self.assertEqual(g.distances("8835968", direction="in")["29"], row["8835968"])
        self.assertEqual(g.distances("29", nearest=5).index.tolist(),
                         g.table(["29"], nearest=5)["to"].tolist())
        reach = g.reach("29", max_hops=2)
        self.assertEqual(len(reach), d.ask(
            "GET", "/v1/graphs/larva/vertices/29/reachable?max_hops=2").json["count"])
        self.assertEqual(g.reach("29", max_hops=2, values="hops").index.tolist(), reach)

        stats = g.stats(vertices=True)
        self.assertEqual(stats.index.tolist(), labels)
        self.assertEqual(stats.loc["29", "strong_component"], "29")
        self.assertEqual(g.stats().reachable_pairs, int(stats["reaches"].sum()))
        self.assertEqual(g.vertex("29").out_degree, (g.arcs()["from"] == "29").sum())
        self.assertIn("8835968", g.search("88359"))

        hops = g.put_profile("hops", transform="hops")
        self.assertEqual(hops.path("29", "8835968").profile, "hops")
        self.assertEqual(hops.table(["29"], ["8835968"]).iat[0, 0],
                         hops.path("29", "8835968").hops)
        self.assertEqual(g.profile("hops").stats().transform, "hops")
        self.assertGreater(g.estimate(transform="hops").seconds, 0)
        self.assertGreater(c.estimate(vertices=100, arcs=500, transform="hops").disk_bytes, 0)
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

    def test_attributes(self):
        c = self.connect(self.serve())
        g = c.put(RING, "ring", transform="none")
        known = pd.DataFrame({"type": ["007", "KC", ""], "side": ["L", "R", "R"]},
                             index=["a", "b", "d"])
        self.assertEqual(g.set_attributes(known).matched, 3)
        self.assertEqual(g.attributes().loc["a"].tolist(), ["007", "L"])
        self.assertEqual(g.set_attributes(b"label,type\na,X\nb,Y\nc,Y\n").matched, 3)
        self.assertEqual(g.search(match={"type": ["X", "Y"]}), ["a", "b", "c"])
        self.assertEqual(g.table(["d"], match="type:Y").to_dict(), {"b": {"d": 9}, "c": {"d": 11}})
        self.assertEqual(g.reach("a", max_hops=2, match={"type": "Y"}), ["b", "c"])
        groups = g.groups("type").set_index(["from", "to"])
        self.assertEqual(groups.loc[("X", "Y"), "min"], 1)
        self.assertEqual(g.groups("type", "type").equals(g.groups("type")), True)

    def test_problems(self):
        """Each refusal is an exception of its kind that tells place and remedy."""
        c = self.connect(self.serve())
        for data_, options, kind, words in (
                (b"a,b,1\nb,c,heavy\n", {"transform": "inv"}, apspd.BadData,
                 r"line 2, column 5.*'heavy'"),
                (b"a,b,1\n", {}, apspd.BadData, "transform=none"),
                (b"\x89HDF\r\n\x1a\n" + bytes(100), {"transform": "inv"}, apspd.BadData, "HDF5|csv"),
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
        for url in ("ftp://x", "http://", "http://user:secret@x"):
            with self.assertRaises(ValueError) as refused:
                apspd.connect(url)
            self.assertNotIn("secret", str(refused.exception))

    def test_access(self):
        """Tokens by argument and environment, a prefix, a unix socket."""
        tokens = os.path.join(self.directory, "tokens")
        token = {scope: subprocess.run(
            [APSPD, "--tokens", tokens, "--new-token", scope], capture_output=True,
            text=True, check=True).stdout.strip() for scope in ("read", "admin")}
        where = os.path.join(self.directory, "socket")
        d = self.serve(listen=("127.0.0.1:0", f"unix:{where}"),
                       args=("--tokens", tokens, "--base-path", "/lab/paths"))
        url = f"http://{d.addresses[0]}/lab/paths/"
        c = apspd.connect(url, token["admin"])
        g = c.put(RING, "ring", transform="none")
        self.assertEqual(g.path("a", "d").distance, 7)
        reader = apspd.connect(f"unix:{where}", token["read"])
        self.assertEqual(reader.graph("ring").path("a", "d").distance, 7)
        with self.assertRaisesRegex(apspd.AccessDenied, "403"):
            reader.put(RING, "ring", transform="none")
        with self.assertRaisesRegex(apspd.AccessDenied, "401"):
            apspd.connect(url).graphs()
        # an upload that is refused by its head, while its bytes are being sent
        with self.assertRaisesRegex(apspd.AccessDenied, "401"):
            apspd.connect(url, "apspd_" + "x" * 43).put(bytes(30_000_000), "big")
        said = subprocess.run(
            [sys.executable, "-c", "import apspd\n"
             "print(apspd.graph('ring').path('a', 'd').distance, apspd.graphs()[0].name)\n"
             "print(repr(apspd.graph('ring')), vars(apspd.graph('ring')))\n"
             "apspd.graph('none').stats()"],
            env={**os.environ, "PYTHONPATH": os.path.dirname(SOURCE), "APSPD_URL": url,
                 "APSPD_TOKEN": token["admin"] + "\n"}, capture_output=True, text=True)
        self.assertIn("7 ring", said.stdout)
        self.assertIn("NotFound", said.stderr)
        self.assertNotIn(token["admin"], said.stdout + said.stderr)
        with self.assertRaises(ValueError) as refused:
            apspd.connect(url, token["admin"] + "\r\nX: y")
        self.assertNotIn(token["admin"], str(refused.exception))
        g.delete()

    def test_jobs(self):
        """Tables that are computed meanwhile; a cancelled job; a daemon that starts again."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        d = self.serve(solver=gate.path)
        c = self.connect(d)
        asked = []
        send = c._link.send
        c._link.send = lambda *request: (asked.append(request[1]), send(*request))[1]
        g = c.put(RING, "ring", transform="none", wait=False)
        gate.wait_held(1)
        with self.assertRaises(apspd.NotReady):
            self.connect(d, patience=0).graph("ring").path("a", "d")
        # longer than patience, which is for daemons, not for tables
        found, waits = [], threading.Event()
        short = self.connect(d, patience=0.5)
        wait = short.wait
        short.wait = lambda *args, **more: (waits.set(), wait(*args, **more))[1]
        asker = threading.Thread(
            target=lambda: found.append(short.graph("ring").path("a", "d").distance))
        asker.start()
        until("the question to wait", lambda: waits.is_set() or not asker.is_alive())
        gate.open()
        asker.join(60)
        self.assertEqual(found, [7])

        seen = []
        failed = []

        def upload():
            try:
                c.put(WORM, "worm", transform="hops",
                      progress=lambda phase, share, left: seen.append((phase, share)))
            except apspd.Error as error:
                failed.append(error)
        uploader = threading.Thread(target=upload)
        uploader.start()
        gate.wait_held(2)
        job = until("the job", lambda: c.jobs(state="running"))[0]
        until("the bar's question", lambda: f"/v1/jobs/{job.id}?wait=5&progress=1" in asked)
        c.cancel(job.id)
        uploader.join(60)
        self.assertIsInstance(failed[0], apspd.JobCancelled)
        self.assertEqual(failed[0].job.id, job.id)
        self.assertEqual(pickle.loads(pickle.dumps(failed[0])).job, failed[0].job)
        self.assertEqual(seen[0][0], "upload")
        sent = [share for phase, share in seen if phase == "upload"]
        self.assertEqual((sorted(sent), sent[-1]), (sent, 1))
        self.assertNotEqual(seen[-1][0], "upload")

        # a daemon that ends under the upload's wait, and starts again at its address
        d.command[d.command.index("--listen") + 1] = d.addresses[0]
        failed.clear()
        uploader = threading.Thread(target=upload)
        uploader.start()
        gate.wait_held(3)
        d.kill()
        d.start()
        gate.wait_held(4)
        gate.open()
        uploader.join(60)
        self.assertFalse(uploader.is_alive())
        self.assertEqual(failed, [])
        self.assertEqual(c.graph("worm").record().profiles["default"].state, "succeeded")
        # this thread's kept connection was to the daemon before; so is a new thread's none
        self.assertEqual(c.graph("ring").path("a", "d").distance, 7)

    def test_broken_downloads(self):
        """Answers that break off are gone on with, in bounded memory."""
        d = self.serve()
        self.connect(d).put(LARVA, "larva", transform="inv")
        want = d.ask("GET", "/v1/graphs/larva/matrices/distance").body
        cutter = Cutter(d.addresses[0], [10_000_000, 5_000_000])
        self.addCleanup(cutter.close)
        g = apspd.connect(cutter.url).graph("larva")
        out = os.path.join(self.directory, "larva.npy")
        shares = []
        tracemalloc.start()
        g.download("distance", out, progress=lambda phase, share, left: shares.append(share))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        with open(out, "rb") as file:
            self.assertEqual(file.read(), want)
        asked = b"".join(cutter.requests)
        self.assertEqual(len(re.findall(rb"Range: bytes=[1-9]\d*-\r\n", asked)), 2)
        self.assertLess(peak, 4_000_000)  # of 36 MB
        self.assertEqual((shares[-1], sorted(shares)), (1, shares))
        self.assertEqual([name for name in os.listdir(self.directory) if "part" in name], [])

        cutter = Cutter(d.addresses[0], [20_000_000])
        self.addCleanup(cutter.close)
        larva = apspd.connect(cutter.url).graph("larva")
        self.assertEqual(larva.table(["29"], ["37365"]).iat[0, 0], np.inf)
        self.assertNotIn(b"/vertices", b"".join(cutter.requests))  # it needs no labels
        values, labels = larva.matrix("distance")
        self.assertEqual(values.tobytes(), want[128:])
        cutter = Cutter(d.addresses[0], [3000, 3000, 3000])
        self.addCleanup(cutter.close)
        with self.assertRaisesRegex(apspd.Unreachable, "broke off"):
            apspd.connect(cutter.url).graph("larva").vertices
        with self.assertRaises(apspd.NotFound):
            self.connect(d).graph("none").download("arcs", out)
        with open(out, "rb") as file:
            self.assertEqual(len(file.read()), len(want))  # the older file stays
        self.assertEqual([name for name in os.listdir(self.directory) if "part" in name], [])
        g.download("arcs", out, format="mtx")
        with open(out, "rb") as file:
            self.assertTrue(file.read().startswith(b"%%MatrixMarket"))

    def test_lost_answers(self):
        """What is sent again after its answer was lost may find its own work done."""
        d = self.serve()
        cutter = Cutter(d.addresses[0], [None, 0, None, None, 0, None, 0])
        self.addCleanup(cutter.close)
        c = apspd.connect(cutter.url)
        c.info()
        with self.assertRaisesRegex(apspd.Conflict, "answer to an earlier try was lost"):
            c.put(RING, "ring", transform="none", only_if="new")
        g = c.graph("ring")
        g.put_profile("hops", transform="hops")
        g.delete_profile("hops")
        self.assertEqual(list(g.record().profiles), ["default"])
        g.delete()
        self.assertEqual(c.graphs(), [])
        self.assertEqual(len(re.findall(rb"DELETE /", b"".join(cutter.requests))), 4)
        with self.assertRaises(apspd.NotFound) as refused:
            g.delete()
        self.assertNotIn("lost", str(refused.exception))
        with self.assertRaises(apspd.NotFound):  # though an idle connection has ended
            c._link.open()[0].sock.shutdown(socket.SHUT_RDWR)
            g.delete()

    def test_lost_answers_and_other_refusals(self):
        """Only an unknown graph or profile says that a DELETE has done its work before."""
        cutter = Cutter(self.serve().addresses[0], [None, 0])
        self.addCleanup(cutter.close)
        proxy = Script(*LOST_AND_NOT_FOUND)
        self.addCleanup(proxy.close)
        c = apspd.connect(cutter.url)
        c.info()
        with self.assertRaises(apspd.NotFound) as refused:
            c.cancel("999")
        self.assertEqual(refused.exception.type, "unknown-job")
        self.assertEqual(len(re.findall(rb"DELETE /", b"".join(cutter.requests))), 2)
        c = apspd.connect(proxy.url)
        c.info()
        with self.assertRaisesRegex(apspd.NotFound, "no such site"):
            c.graph("ring").delete()

    def test_strange_servers(self):
        """A proxy without its daemon is waited for; redirects and other programs are told."""
        server = Script(*STRANGE)
        self.addCleanup(server.close)
        url = server.url
        c = apspd.connect(url)
        self.assertEqual(c.info(), {})
        self.assertEqual(c.info().a, 1)
        with self.assertRaisesRegex(apspd.BadRequest, "redirects to https://lab.example/"):
            c.info()
        with self.assertRaisesRegex(apspd.Unreachable, "no apspd"):
            c.info()
        with self.assertRaisesRegex(apspd.ServerFailed, "bad gateway"):
            apspd.connect(url).info()  # which has never met a daemon there

    def test_https(self):
        """By a proxy of another name for the daemon; a certificate that nobody trusts."""
        key, certificate = (os.path.join(self.directory, name) for name in ("key", "crt"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        d = self.serve(args=("--base-path", "/lab"))
        proxy = Cutter(d.addresses[0], [], context)
        self.addCleanup(proxy.close)
        self.connect(d).put(RING, "ring", transform="none")
        for trusted, words in ((certificate, "7"), ("/dev/null", "CERTIFICATE_VERIFY_FAILED")):
            run = subprocess.run(
                [sys.executable, "-c",
                 "import apspd; print(apspd.graph('ring').path('a', 'd').distance)"],
                env={**os.environ, "PYTHONPATH": os.path.dirname(SOURCE), "SSL_CERT_FILE": trusted,
                     "APSPD_URL": proxy.url.replace("http://127.0.0.1", "https://localhost")
                     + "/lab"}, capture_output=True, text=True)
            self.assertIn(words, run.stdout + run.stderr)

    def test_threads(self):
        c = self.connect(self.serve())
        g = c.put(RING, "ring", transform="none")
        found, drops = [], []
        drop = c._link.drop
        c._link.drop = lambda: (drops.append(True), drop())

        def ask():
            for _ in range(50):
                found.append(g.path("a", "d").distance + g.path("b", "a").distance)
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(found, [21] * 400)
        self.assertEqual(drops, [])  # each thread kept a connection of its own

    def test_refused_early(self):
        """A server that answers and closes before it has read the upload is understood."""
        body = '{"type":"/problems/too-large","title":"Too large","detail":"at most 1 byte"}'
        server = Script("413 Too large\r\nConnection: close\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}")
        self.addCleanup(server.close)
        c = apspd.connect(server.url, patience=0)
        with self.assertRaisesRegex(apspd.TooLarge, "at most 1 byte"):
            c.put(bytes(100_000_000), "big", transform="none")

    def test_replaced_meanwhile(self):
        """Labels and cells of one answer are of one upload."""
        c = self.connect(self.serve())
        c.put([("a", "b", 1)], "g", transform="none")
        g = c.graph("g")
        whole, asked = g._array, []

        def replaced_first(*args):
            array = whole(*args)
            if not asked:
                c.put([("x", "y", 1), ("y", "z", 1)], "g", transform="none")
            asked.append(array.shape)
            return array
        g._array = replaced_first
        values, labels = g.matrix("distance")
        self.assertEqual((labels, values.shape, asked),
                         (["x", "y", "z"], (3, 3), [(2, 2), (3, 3)]))

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
