"""Tables in bulk: matrices, tables of pairs, distances of a vertex, sets. Each
question is asked in several ways, and all answers must say the same as a path and as
Dijkstra (written below, apart from the daemon's)."""
import ast
import heapq
import http.client
import math
import struct
import unittest

from harness import Case, data

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


if __name__ == "__main__":
    unittest.main()
