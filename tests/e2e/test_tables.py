"""Tables in bulk: matrices, tables of pairs, what is compressed, cut and refused."""
import contextlib
import ctypes
import gzip
import http.client
import itertools
import json
import math
import unittest

from harness import BUILD_ROOT, Case, data
from npy_file import npy


def graph_csv(arcs):
    return "".join(f"{u},{v},{w}\n" for u, v, w in arcs).encode()


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
            d.put("hops", graph_csv(self.ARCS), "?transform=hops")
            for name in ("distance", "hops"):
                reply = d.ask("GET", f"/v1/graphs/hops/matrices/{name}?raw=1")
                none = int(reply.headers["Apsp-No-Path"])
                self.assertNotIn("Apsp-Scale", reply.headers)
                self.assertEqual(npy(reply.body)[1], self.expected(
                    {**self.HOPS, "ac": 1, "ad": 2, "ec": 2, "ed": 3}, none))
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
        self.assertStatus(d.ask("GET", target, headers={**part, "If-Match": f'"x", {tag}'}), 206)
        for coding in "gzip", "zstd":  # its bytes are not continued by those of the plain form
            reply = self.assertStatus(d.ask("GET", target, headers={
                **part, "Accept-Encoding": coding, "If-Match": f'{tag[:-1]}-{coding}"'}), 200)
            self.assertNotIn("Content-Range", reply.headers)
            self.assertNotIn("Content-Encoding", reply.headers)
            self.assertEqual(reply.body, whole.body)
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
                for more in ({}, {"Accept-Encoding": coding}):
                    same = self.assertStatus(d.ask("GET", target, headers={
                        "If-None-Match": packed.headers["ETag"], **more}), 304)
                    self.assertEqual(same.headers["ETag"], packed.headers["ETag"])
                both = f"{plain.headers['ETag']}, {packed.headers['ETag']}"
                for more, tag in (({}, plain), ({"Accept-Encoding": coding}, packed)):
                    same = self.assertStatus(d.ask("GET", target, headers={
                        "If-None-Match": both, **more}), 304)
                    self.assertEqual(same.headers["ETag"], tag.headers["ETag"])
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

    def test_nearest_leaves_out_its_source(self):
        """However often a list has it; what else it has twice is told twice."""
        with self.daemon() as d:
            d.put("g", graph_csv(self.ARCS), "?transform=none")
            told = d.ask("POST", "/v1/graphs/g/table?nearest=2&format=csv",
                         {"sources": ["a"], "targets": ["a", "b", "a", "b"]})
            self.assertEqual([line.split(",")[:2] for line in told.body.decode().split()[1:]],
                             [["a", "b"], ["a", "b"]])

    def test_equally_near(self):
        """The order of a list, or else of the upload, decides; the contract says so."""
        with self.daemon() as d:
            d.put("g", b"s,y,1\ns,x,1\ns,z,1\n", "?transform=none")
            for targets, first in ((["z", "x", "y"], "z"), (["x", "y"], "x"), (None, "y"),
                                   ({"match": ["label:z", "label:y", "label:x"]}, "y")):
                body = {"sources": ["s"], **({"targets": targets} if targets else {})}
                told = d.ask("POST", "/v1/graphs/g/table?nearest=1&layout=long", body)
                self.assertEqual([row["to"] for row in told.json["pairs"]], [first])
            nearest = next(one for one in json.loads(d.ask("GET", "/v1/openapi.json").body)[
                "paths"]["/v1/graphs/{graph}/table"]["post"]["parameters"]
                if one.get("name") == "nearest")
            self.assertIn("earlier in the upload", nearest["description"])


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


if __name__ == "__main__":
    unittest.main()
