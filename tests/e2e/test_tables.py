"""Tables in bulk: matrices, tables of pairs, distances of a vertex, sets. Each
question is asked in several ways, and all answers must say the same as a path and as
Dijkstra (written below, apart from the daemon's)."""
import ast
import contextlib
import csv
import ctypes
import gzip
import heapq
import http.client
import io
import itertools
import json
import math
import os
import random
import struct
import unittest
import urllib.parse

from harness import BUILD_ROOT, Case, data

TYPES = {"f4": "f", "f8": "d", "i4": "i", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}


def npy(body):
    """(shape, elements) of a NumPy file."""
    assert body[:8] == b"\x93NUMPY\x01\x00", body[:80]
    assert len(body) >= 128
    header = ast.literal_eval(body[10:128].decode())
    assert header["fortran_order"] is False
    code = TYPES[header["descr"][1:]]
    count = math.prod(header["shape"])
    assert len(body) == 128 + count * struct.calcsize(code), (header, len(body))
    return header["shape"], struct.unpack_from(f"{count}{code}", body, 128)


def graph_csv(arcs):
    return "".join(f"{u},{v},{w}\n" for u, v, w in arcs).encode()


def narrow(value):
    """As float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


class Matrices(Case):
    ARCS = [("a", "b", 2), ("b", "c", 3), ("a", "c", 7), ("c", "d", 4), ("e", "a", 5)]
    ORDER = "abcde"  # of first appearance
    DISTANCE = {"aa": 0, "ab": 2, "ac": 5, "ad": 9, "bb": 0, "bc": 3, "bd": 7, "cc": 0,
                "cd": 4, "dd": 0, "ea": 5, "eb": 7, "ec": 10, "ed": 14, "ee": 0}
    HOPS = {"aa": 0, "ab": 1, "ac": 2, "ad": 3, "bb": 0, "bc": 1, "bd": 2, "cc": 0,
            "cd": 1, "dd": 0, "ea": 1, "eb": 2, "ec": 3, "ed": 4, "ee": 0}
    BEFORE = {"ab": "a", "ac": "b", "ad": "c", "bc": "b", "bd": "c", "cd": "c", "ea": "e",
              "eb": "a", "ec": "b", "ed": "c"}

    def matrix(self, d, name, query=""):
        reply = self.assertStatus(
            d.ask("GET", f"/v1/graphs/g/matrices/{name}{query}"), 200)
        self.assertEqual(reply.headers["Content-Type"], "application/x-npy")
        self.assertEqual(int(reply.headers["Content-Length"]), len(reply.body))
        return npy(reply.body)

    def expected(self, values, none):
        return tuple(values.get(u + v, none) for u in self.ORDER for v in self.ORDER)

    def test_values(self):
        reached = {pair: True for pair in self.DISTANCE}
        before = {pair: self.ORDER.index(v) for pair, v in self.BEFORE.items()}
        with self.daemon() as d:
            d.put("g", graph_csv(self.ARCS), "?transform=none")
            for name, values, none in (
                    ("distance", self.DISTANCE, math.inf), ("hops", self.HOPS, math.inf),
                    ("predecessor", before, -1), ("closure", reached, False)):
                shape, cells = self.matrix(d, name)
                self.assertEqual(shape, (5, 5), name)
                self.assertEqual(cells, self.expected(values, none), name)
            # as the file holds it
            reply = d.ask("GET", "/v1/graphs/g/matrices/distance?raw=1")
            scale, none = (int(reply.headers["Apsp-" + name])
                           for name in ("Scale", "No-Path"))
            shape, cells = npy(reply.body)
            self.assertEqual(cells, tuple(
                none if pair not in self.DISTANCE
                else self.DISTANCE[pair] * scale + self.HOPS[pair]
                for pair in (u + v for u in self.ORDER for v in self.ORDER)))
            self.assertEqual(self.matrix(d, "predecessor", "?raw=1")[1],
                             self.expected(before, 65535))
            shape, words = self.matrix(d, "closure", "?raw=1")
            self.assertEqual(shape, (5, 1))
            self.assertEqual(words, (0b01111, 0b01110, 0b01100, 0b01000, 0b11111))
            self.assertStatus(
                d.ask("GET", "/v1/graphs/g/matrices/hops?raw=1"), 400, "malformed-request")
            self.assertStatus(d.ask("GET", "/v1/graphs/g/matrices/labels"), 404)
            self.assertStatus(
                d.ask("GET", "/v1/graphs/g/matrices/hops?format=csv"), 400, "malformed-request")
            self.assertStatus(
                d.ask("GET", "/v1/graphs/g/matrices/hops", headers={"Accept": "text/csv"}),
                406)

    def check_ranges(self, d, target):
        whole = d.ask("GET", target)
        size, tag = len(whole.body), whole.headers["ETag"]
        self.assertEqual(whole.headers["Accept-Ranges"], "bytes")
        for text, begin, end in (
                ("0-9", 0, 10), ("100-199", 100, 200), (f"127-{size}", 127, size),
                ("128-", 128, size), ("-77", size - 77, size), ("3000-3000", 3000, 3001),
                (f"-{size + 5}", 0, size), ("100001-140000", 100001, 140001)):
            reply = self.assertStatus(
                d.ask("GET", target, headers={"Range": "bytes=" + text}), 206)
            self.assertEqual(reply.body, whole.body[begin:end], text)
            self.assertEqual(reply.headers["Content-Range"],
                             f"bytes {begin}-{end - 1}/{size}")
        for text in ("bytes=9-8", "bytes=a-b", "lines=1-2", "bytes=0-1,5-6", "bytes=1"):
            reply = self.assertStatus(d.ask("GET", target, headers={"Range": text}), 200)
            self.assertEqual(len(reply.body), size)
        for text in (f"bytes={size}-", "bytes=-0"):
            reply = self.assertStatus(d.ask("GET", target, headers={"Range": text}), 416,
                                      "range-not-satisfiable")
            self.assertEqual(reply.headers["Content-Range"], f"bytes */{size}")
        part = {"Range": "bytes=5-9"}
        self.assertStatus(d.ask("GET", target, headers={**part, "If-Range": tag}), 206)
        self.assertStatus(d.ask("GET", target, headers={**part, "If-Range": '"x"'}), 200)
        head = self.assertStatus(d.ask("HEAD", target), 200)
        self.assertEqual(head.headers["Content-Length"], str(size))
        self.assertStatus(d.ask("GET", target, headers={"If-None-Match": tag}), 304)

    def test_ranges(self):
        with self.daemon() as d:
            d.put("g", data("celegans_newman.csv"), "?transform=inv")
            for name in ("distance", "hops"):  # from the file; made
                self.check_ranges(d, f"/v1/graphs/g/matrices/{name}")

    def damaged(self, d, place):
        """The reply for a matrix whose table file has a wrong byte at place."""
        n = 1200
        ring = graph_csv((v, (v + 1) % n, 3) for v in range(n))
        d.put("g", ring, "?transform=inv")
        d.stop()
        with open(d.table_files()[0], "r+b") as file:
            file.seek(65536 + place)
            byte = file.read(1)
            file.seek(-1, 1)
            file.write(bytes([byte[0] ^ 1]))
        d.start()
        return d.ask("GET", "/v1/graphs/g/matrices/distance")

    def test_damage_at_the_beginning(self):
        with self.daemon() as d:
            self.assertStatus(self.damaged(d, 300000), 503, "damaged-table")

    def test_damage_in_the_middle(self):
        """What has begun ends in a reset: nobody takes a part for the whole."""
        with self.daemon() as d, self.assertRaises(
                (ConnectionResetError, http.client.IncompleteRead)):
            self.damaged(d, 5 << 20)


    def test_compressed(self):
        """What was asked for, however it is packed; and its ETags are told apart."""
        with self.daemon() as d:
            d.put("g", data("celegans_newman.csv"), "?transform=inv")
            target = "/v1/graphs/g/vertices/7/distances?values=distance,hops"
            plain = d.ask("GET", target)
            tags = {plain.headers["ETag"]}
            for coding in ("gzip", "zstd"):
                packed = self.assertStatus(
                    d.ask("GET", target, headers={"Accept-Encoding": "br, " + coding}), 200)
                self.assertEqual(packed.headers["Content-Encoding"], coding)
                self.assertLess(len(packed.body), len(plain.body))
                self.assertEqual(unpack(coding, packed.body), plain.body)
                tags.add(packed.headers["ETag"])
                self.assertStatus(d.ask("GET", target, headers={
                    "If-None-Match": packed.headers["ETag"]}), 304)
            self.assertEqual(len(tags), 3, tags)
            body = json.dumps({"sources": ["1", "2"]})
            for coding, format_ in itertools.product(("gzip", "zstd"), ("json", "csv", "npy")):
                target = f"/v1/graphs/g/table?format={format_}"
                plain = d.ask("POST", target, body)
                packed = d.ask("POST", target, body, {"Accept-Encoding": coding})
                told = packed.headers["Content-Encoding"]
                # a NumPy file is packed by zstd alone
                self.assertEqual(told, None if (coding, format_) == ("gzip", "npy") else coding)
                self.assertEqual(unpack(told, packed.body), plain.body)
            for refused in ("gzip;q=0, zstd;q=0", "identity", "br"):
                reply = d.ask("POST", target, body, {"Accept-Encoding": refused})
                self.assertNotIn("Content-Encoding", reply.headers)

    def test_first_row_before_the_last(self):
        """Rows are made as they are taken: a client that stops reading costs a block,
        and others are served meanwhile."""
        n = 2000
        with self.daemon() as d:
            d.put("g", graph_csv((v, (v + 1) % n, 1) for v in range(n)), "?transform=hops")
            with contextlib.ExitStack() as stack:
                before = memory(d.pid)
                for _ in range(8):  # 19 MB each
                    client = stack.enter_context(d.raw())
                    client.sendall(b"POST /v1/graphs/g/table?format=csv HTTP/1.1\r\n"
                                   b"Host: localhost\r\nContent-Length: 2\r\n\r\n{}")
                    self.assertTrue(client.recv(4096).startswith(b"HTTP/1.1 200"))
                self.assertStatus(d.ask("GET", "/v1/graphs/g/path?from=0&to=9"), 200)
                if "asan" not in BUILD_ROOT:  # which keeps what was freed
                    self.assertLess(memory(d.pid) - before, 32 << 20)

    def test_refusals(self):
        table = "/v1/graphs/g/table"
        with self.daemon() as d:
            d.put("g", graph_csv(self.ARCS), "?transform=none")
            for query, body, pointer, words in (
                    ("", b'{"sources":["a","zz"]}', "/sources/1", "'zz' is not in the graph"),
                    ("", b'{"targets":[1]}', "/targets/0", "no string"),
                    ("", b'{"targets":"a"}', "/targets", "list"),
                    ("", b'{"values":["hop"]}', "/values/0", "no value 'hop'"),
                    ("", b'{"values":[]}', "/values", "empty"),
                    ("", b'{"from":["a"]}', "/from", "'from' that is not known"),
                    ("", ('{"' + 70 * "é" + '":1}').encode(), "/" + 70 * "é", "not known"),
                    ("", b'{"sources":[],"sources":[]}', None, "twice"),
                    ("", b'[]', None, "not an object"),
                    ("", b'{"sources":["a"', None, "not JSON"),
                    ("?values=hops", b'{"values":["hops"]}', None, "query and in the body"),
                    ("?values=hops,hops", b"{}", None, "twice"),
                    ("?layout=tall", b"{}", None, "wide or long"),
                    ("?layout=wide&nearest=2", b"{}", None, "layout=long"),
                    ("?format=npy&nearest=2", b"{}", None, "exclude"),
                    ("?format=csv&layout=wide&values=hops,distance", b"{}", None, "one value"),
                    ("?nearest=0", b"{}", None, "nearest"),
                    ("?reachable=no", b"{}", None, "true or false"),
                    ("?reachable=false&nearest=1", b"{}", None, "exclude"),
                    ("?sources=a", b"{}", None, "sources")):
                reply = d.ask("POST", table + query, body)
                self.assertIn(reply.status, (400, 422), (query, body, reply))
                self.assertIn(words, reply.json["detail"], (query, body))
                self.assertEqual(reply.json.get("pointer"), pointer, (query, body))
            self.assertStatus(d.ask("POST", table, b""), 200)  # all pairs
            self.assertStatus(d.ask("GET", "/v1/graphs/g/vertices/zz/distances"), 404)
            self.assertStatus(d.ask("GET", "/v1/graphs/g/vertices/a/reachable?format=npy"), 400)


def memory(pid):
    """Bytes of a process that are no file's."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file
                    if line.startswith("RssAnon"))


def unpack(coding, body):
    if coding == "gzip":
        return gzip.decompress(body)
    if coding == "zstd":
        zstd = ctypes.CDLL("libzstd.so.1")
        zstd.ZSTD_decompress.restype = ctypes.c_size_t
        out = ctypes.create_string_buffer(1 << 24)
        size = zstd.ZSTD_decompress(out, ctypes.c_size_t(len(out)), body,
                                    ctypes.c_size_t(len(body)))
        assert size <= len(out), "not zstd"
        return out.raw[:size]
    return body


def dijkstra(arcs, source):
    """{vertex: distance}; arcs: {u: {v: length}}"""
    final, heap = {}, [(0.0, source)]
    while heap:
        distance, vertex = heapq.heappop(heap)
        if vertex in final:
            continue
        final[vertex] = distance
        for end, length in arcs.get(vertex, {}).items():
            if end not in final:
                heapq.heappush(heap, (distance + length, end))
    return final


class Agree(Case):
    """Path = table cell = matrix cell = row = set, whatever the encoding."""

    LENGTH = {"none": lambda w: w, "hops": lambda w: 1, "inv": lambda w: 1 / w}
    # For more: COMPARISONS=100000 python3 tests/e2e/test_tables.py Agree
    COMPARISONS = int(os.environ.get("COMPARISONS", 4000))

    def graph(self, chance, n):
        names = [chance.choice(("v{}", "a,{}", 'q"{}', "é {}")).format(v) for v in range(n)]
        arcs = {}
        for _ in range(int(n * chance.choice((1, 1.5, 3)))):
            u, v = chance.sample(names, 2)
            arcs[u, v] = chance.randrange(1, 9)
        arcs[names[0], names[1]] = 3
        out = io.StringIO()
        csv.writer(out).writerows((u, v, w) for (u, v), w in arcs.items())
        return arcs, out.getvalue().encode()

    def ask_json(self, d, target, body=None, headers=()):
        reply = d.ask("POST" if body is not None else "GET", "/v1/graphs/g" + target, body,
                      headers)
        return self.assertStatus(reply, 200)

    def paths(self, d, query, labels):
        """{(u, v): (distance, hops, predecessor) or None}"""
        pairs = [[u, v] for u in labels for v in labels]
        found = {}
        for at in range(0, len(pairs), 1000):
            answers = self.ask_json(d, "/paths" + query, {"pairs": pairs[at:at + 1000]})
            for answer in answers.json["paths"]:
                pair = answer["from"], answer["to"]
                found[pair] = (answer["distance"], answer["hops"],
                               answer["path"][-2] if answer["hops"] else None) \
                    if answer["reachable"] else None
        return found

    def check(self, pair, value, answer, how):
        """One comparison: answer is None where there is no path."""
        truth = self.truth[pair]
        index = {"distance": 0, "hops": 1, "predecessor": 2}.get(value)
        right = truth is not None if index is None else truth and truth[index]
        self.assertEqual(answer, right, (how, pair, value))
        self.compared += 1

    def check_wide(self, d, query, sources, targets, values):
        body = {"sources": sources, "targets": targets, "values": values}
        answer = self.ask_json(d, "/table" + query, body).json
        self.assertEqual((answer["sources"], answer["targets"]), (sources, targets))
        lines = self.ask_json(d, "/table" + query, body,
                              {"Accept": "application/x-ndjson"}).body.splitlines()
        self.assertEqual(len(lines), len(sources))
        for i, u in enumerate(sources):
            line = json.loads(lines[i])
            self.assertEqual(line["from"], u)
            for value in values:
                self.assertEqual(len(answer[value][i]), len(targets))
                for j, v in enumerate(targets):
                    self.check((u, v), value, answer[value][i][j], "json")
                    self.check((u, v), value, line[value][j], "ndjson")

    def cell(self, value, text):
        """A cell of CSV as JSON has it."""
        if value == "predecessor":
            return text or None
        if value == "reachable":
            return text == "1"
        return None if text == "inf" else float(text)

    def check_csv(self, d, query, sources, targets, values):
        headers = {"Accept": "text/csv"}
        body = {"sources": sources, "targets": targets}
        for value in values:
            rows = list(csv.reader(io.StringIO(self.ask_json(
                d, "/table" + query, {**body, "values": [value]}, headers).body.decode())))
            self.assertEqual(rows[0] or [""], ["", *targets])
            for u, row in zip(sources, rows[1:], strict=True):
                self.assertEqual(row[0], u)
                for v, text in zip(targets, row[1:], strict=True):
                    self.check((u, v), value, self.cell(value, text), "csv")
        rows = list(csv.reader(io.StringIO(self.ask_json(
            d, f"/table{query}&layout=long", {**body, "values": values},
            headers).body.decode())))
        self.assertEqual(rows[0], ["from", "to", *[v for v in (
            "distance", "hops", "predecessor", "reachable") if v in values]])
        self.assertEqual([tuple(row[:2]) for row in rows[1:]],
                         [(u, v) for u in sources for v in targets])
        for row in rows[1:]:
            for value, text in zip(rows[0][2:], row[2:], strict=True):
                self.check((row[0], row[1]), value, self.cell(value, text), "long csv")

    def as_answer(self, value, cell, labels):
        if value == "reachable":
            return bool(cell)
        if value == "predecessor":
            return None if cell == -1 else labels[int(cell)]
        return None if cell == math.inf else cell

    def check_npy(self, d, query, sources, targets, values, labels):
        headers = {"Accept": "application/x-npy"}
        body = {"sources": sources, "targets": targets}
        for asked in [[v] for v in values] + [values]:
            shape, cells = npy(self.ask_json(
                d, "/table" + query, {**body, "values": asked}, headers).body)
            asked = [v for v in ("distance", "hops", "predecessor", "reachable")
                     if v in asked]
            self.assertEqual(shape[-2:], (len(sources), len(targets)))
            places = itertools.product(asked, sources, targets)
            for (value, u, v), cell in zip(places, cells, strict=True):
                self.check((u, v), value, self.as_answer(value, cell, labels), "npy")

    def check_matrices(self, d, query, labels):
        for name, value in (("distance", "distance"), ("hops", "hops"),
                            ("predecessor", "predecessor"), ("closure", "reachable")):
            _, cells = npy(self.ask_json(d, f"/matrices/{name}{query}").body)
            narrowed = name == "distance" and any(
                c != t[0] for c, t in zip(cells, self.truth.values()) if t)
            for pair, cell in zip(self.truth, cells, strict=True):
                truth = self.truth[pair]
                if narrowed and truth:  # the file holds the sum as float32
                    self.assertEqual(cell, narrow(truth[0]), pair)
                    cell = truth[0]
                self.check(pair, value, self.as_answer(value, cell, labels), "matrix")

    def check_vertex(self, d, query, vertex, labels, values):
        place = "/vertices/" + urllib.parse.quote(vertex, safe="")
        for direction in ("out", "in"):
            def pair(other):
                return (vertex, other) if direction == "out" else (other, vertex)
            want = f"{query}&direction={direction}&values={','.join(values)}"
            answer = self.ask_json(d, f"{place}/distances{want}").json
            self.assertEqual(answer["vertices"], labels)
            for value in values:
                for other, got in zip(labels, answer[value], strict=True):
                    self.check(pair(other), value, got, "row " + direction)
            near = sorted((truth[0], index, other) for index, other in enumerate(labels)
                          if (truth := self.truth[pair(other)]) and other != vertex)
            bound = near[len(near) // 2][0] if near else 1
            answer = self.ask_json(
                d, f"{place}/distances{want}&nearest=5&max_distance={bound!r}").json
            self.assertEqual(answer["vertices"],
                             [other for far, _, other in near if far <= bound][:5])
            rows = self.ask_json(d, f"{place}/distances{want}&reachable=true",
                                 headers={"Accept": "text/csv"}).body.decode()
            rows = list(csv.reader(io.StringIO(rows)))[1:]
            self.assertEqual([row[0] for row in rows],
                             [other for other in labels if self.truth[pair(other)]])
            for bounded in ("", f"&max_distance={bound!r}"):
                told = self.ask_json(
                    d, f"{place}/reachable{query}&direction={direction}{bounded}").json
                self.assertEqual(told["vertices"], [
                    other for other in labels if (truth := self.truth[pair(other)])
                    and (not bounded or truth[0] <= bound)])
                for value in values:
                    answer = self.ask_json(
                        d, f"{place}/reachable{want}{bounded}").json
                    self.assertEqual(answer["vertices"], told["vertices"])
                    for other, got in zip(answer["vertices"], answer[value], strict=True):
                        self.check(pair(other), value, got, "set " + direction)
                rows = self.ask_json(
                    d, f"{place}/reachable{query}&direction={direction}{bounded}&format=csv")
                rows = list(csv.reader(io.StringIO(rows.body.decode())))
                self.assertEqual(rows, [["vertex"]] + [[v] for v in told["vertices"]])
                self.compared += len(labels)

    def check_filters(self, d, query, labels):
        def ask(what):
            body = self.ask_json(d, f"/table{query}&format=csv&{what}", {}).body.decode()
            return [tuple(row) for row in csv.reader(io.StringIO(body))][1:]
        self.assertEqual(ask("reachable=false"),
                         [pair for pair, truth in self.truth.items() if truth is None])
        self.assertEqual([row[:2] for row in ask("reachable=true")],
                         [pair for pair, truth in self.truth.items() if truth])
        nearest = [row[:2] for row in ask("nearest=3")]
        self.assertEqual(nearest, [(u, v) for u in labels for _, _, v in sorted(
            (self.truth[u, v][0], i, v) for i, v in enumerate(labels)
            if u != v and self.truth[u, v])[:3]])
        self.compared += 3 * len(self.truth)

    def check_dijkstra(self, arcs, transform, labels):
        rows = {}
        for (u, v), w in arcs.items():
            rows.setdefault(u, {})[v] = self.LENGTH[transform](w)
        for u in labels:
            right = dijkstra(rows, u)
            for v in labels:
                truth = self.truth[u, v]
                self.assertEqual(truth is not None, v in right)
                if truth:
                    self.assertAlmostEqual(truth[0], right[v], delta=1e-5 * right[v])

    def test_agree(self):
        chance = random.Random(2025)
        self.compared = 0
        with self.daemon() as d:
            d.put("warm", b"a,b,1\n", "?transform=hops")
            # from 32 vertices on, a single target is looked up alone
            kinds = itertools.cycle(((33, "inv", "float32"), (9, "none", "float32"),
                                     (2, "hops", "float32"), (12, "inv", "float64")))
            for count, (n, transform, precision) in enumerate(kinds):
                if count >= 4 and self.compared >= self.COMPARISONS:
                    break
                arcs, body = self.graph(chance, n)
                d.put("g", body, f"?transform={transform}&precision={precision}")
                labels = self.ask_json(d, "/vertices?limit=10000").json["vertices"]
                query = "?profile=default"
                self.truth = self.paths(d, query, labels)
                self.check_dijkstra(arcs, transform, labels)
                sources = chance.choices(labels, k=chance.randrange(0, 6))
                targets = chance.choices(labels, k=chance.choice((0, 1, 12)))
                values = ["distance", "hops", *chance.sample(
                    ("predecessor", "reachable"), chance.randrange(0, 3))]
                chance.shuffle(values)
                for rows, columns in ((sources, targets), (labels, labels)):
                    self.check_wide(d, query, rows, columns, values)
                    self.check_csv(d, query, rows, columns, values)
                    self.check_npy(d, query, rows, columns, values, labels)
                self.check_matrices(d, query, labels)
                self.check_filters(d, query, labels)
                self.check_vertex(d, query, chance.choice(labels), labels, values)
        print(f"{self.compared} comparisons", flush=True)


if __name__ == "__main__":
    unittest.main()
