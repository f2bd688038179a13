"""Statistics against their definitions (Rubinov & Sporns 2010; Brain Connectivity
Toolbox, charpath.m, efficiency), by a Dijkstra from every vertex, and for the larva
against known sums (tests/data/README.md)."""
import csv
import json
import math
import struct
import unittest
from bisect import bisect_left

from dijkstra import dijkstra
from harness import Case, data
from real_graphs import GRAPHS, lengths

# larva: pairs with a path, sum of distances, largest, strong components
LARVA = {
    "none": ("duplicates=min", 8497351, 33402304, 39),
    "hops": ("duplicates=min", 8497351, 28276102, 15),
    "inv": ("", 8497351, 7773234.6281, 9.915112433862433),
}
UNREACHABLE = "a,b,1\nb,c,2\nc,a,4\nc,d,8\ne,f,3\n"


def close(a, b, tolerance=1e-9):
    return a == b or (a is not None and b is not None and
                      abs(a - b) <= tolerance * max(abs(a), abs(b)))


def expected(arcs):
    """The distances of all pairs by vertex, the same in ascending order, and the graph's
    statistics by their definitions."""
    rows = {v: dijkstra(arcs, v) for v in arcs}
    for v, row in rows.items():
        del row[v]
    all_distances = sorted(d for row in rows.values() for d in row.values())
    n = len(arcs)
    farthest = [max(row.values()) for row in rows.values() if row]
    whole = {
        "vertices": n, "pairs": n * (n - 1), "reachable_pairs": len(all_distances),
        "unreachable_pairs": n * (n - 1) - len(all_distances),
        "reachable_fraction": len(all_distances) / (n * (n - 1)),
        "characteristic_path_length": math.fsum(all_distances) / len(all_distances),
        "global_efficiency": math.fsum(1 / d for d in all_distances) / (n * (n - 1)),
        "radius": min(farthest), "diameter": max(farthest),
    }
    return rows, all_distances, whole


def share(a, b):
    return a / b if b else None


def vertex(rows, v):
    out = list(rows[v].values())
    into = [row[v] for row in rows.values() if v in row]
    answer = {}
    for way, distances in (("out", out), ("in", into)):
        answer["reaches" if way == "out" else "reached_by"] = len(distances)
        answer["eccentricity_" + way] = max(distances, default=None)
        answer["closeness_" + way] = share(len(distances), math.fsum(distances))
        answer["efficiency_" + way] = math.fsum(1 / d for d in distances) / (len(rows) - 1)
    return answer


def strong(rows):
    """{vertex: the set of its strong component}."""
    return {v: frozenset([v] + [u for u in row if v in rows[u]]) for v, row in rows.items()}


def sizes(components):
    counts = {}
    for component in set(components):
        counts[len(component)] = counts.get(len(component), 0) + 1
    return [[size, counts[size]] for size in sorted(counts, reverse=True)]


def betweenness(arcs):
    """Brandes 2001 over whole numbers, whose sums are exact."""
    total = dict.fromkeys(arcs, 0)
    for source in arcs:
        distances = dijkstra(arcs, source)
        order = sorted(distances, key=distances.get)
        paths = dict.fromkeys(order, 0)
        before = {v: [] for v in order}
        paths[source] = 1
        for v in order:
            for u, length in arcs[v].items():
                if distances[v] + length == distances[u]:
                    before[u].append(v)
                    paths[u] += paths[v]
        shares = dict.fromkeys(order, 0.0)
        for v in reversed(order):
            for u in before[v]:
                shares[u] += paths[u] / paths[v] * (1 + shares[v])
            if v != source:
                total[v] += shares[v]
    return total


class Stats(Case):
    def compare(self, d, graph, arcs, transform=""):
        rows, distances, whole = expected(arcs)
        reply = d.ask("GET", f"/v1/graphs/{graph}/stats?bins=7")
        self.assertStatus(reply, 200)
        got = reply.json
        for name, value in whole.items():
            self.assertTrue(close(got[name], value), (graph, name, got[name], value))
        components = strong(rows)
        self.assertEqual(got["strong_components"]["sizes"], sizes(components.values()))
        self.assertEqual(got["strong_components"]["count"], len(set(components.values())))
        histogram = got["distance_histogram"]
        self.assertLessEqual(len(histogram["counts"]), 7)
        begin, width = histogram["from"], histogram["width"]
        for k, count in enumerate(histogram["counts"]):
            low = begin + k * width
            # sums of reals may round to either side of a border
            exact = bisect_left(distances, low + width) - bisect_left(distances, low)
            if "inv" in transform and count != exact:
                near = sum(close(x, low) or close(x, low + width) for x in distances)
                self.assertLessEqual(abs(count - exact), near)
            else:
                self.assertEqual(count, exact)
        self.assertEqual(sum(histogram["counts"]), len(distances))
        self.assertEqual(sum(got["hop_histogram"]["counts"]), len(distances))
        answer = d.ask("GET", f"/v1/graphs/{graph}/stats?vertices=1").json
        self.check_rows(d, graph, answer["vertices"])
        for row in answer["vertices"]:
            v = row["vertex"]
            for name, value in vertex(rows, v).items():
                self.assertTrue(close(row[name], value), (graph, v, name, row[name], value))
            self.assertIn(row["strong_component"], components[v])
        self.assertEqual(len({row["strong_component"] for row in answer["vertices"]}),
                         len(set(components.values())))

    def check_rows(self, d, graph, vertices):
        """CSV and .npy tell what JSON has told."""
        self.assertEqual([row["vertex"] for row in vertices],
                         d.ask("GET", f"/v1/graphs/{graph}/vertices?limit=10000")
                         .json["vertices"])
        table = d.ask("GET", f"/v1/graphs/{graph}/stats?format=csv").body.decode()
        table = list(csv.DictReader(table.splitlines()))
        array = d.ask("GET", f"/v1/graphs/{graph}/stats?format=npy").body
        shape = f"'shape': ({len(vertices)},{len(vertices[0]) - 1})"
        self.assertIn(shape.encode(), array[:128])
        numbers = struct.iter_unpack(f"={len(vertices[0]) - 1}d", array[128:])
        for row, line, reals in zip(vertices, table, numbers, strict=True):
            self.assertEqual(list(row), list(line))
            for (name, value), text, real in zip(list(row.items())[1:],
                                                 list(line.values())[1:], reals, strict=True):
                if "component" in name:
                    self.assertEqual((text, value), (value, vertices[int(real)]["vertex"]))
                elif value is None:
                    self.assertTrue(text == "" and math.isnan(real))
                else:
                    self.assertEqual((float(text), real), (value, value))

    def test_definitions(self):
        with self.daemon() as d:
            for transform in ("inv", "hops", "none"):
                query = f"?transform={transform}&duplicates=min&precision=float64"
                d.put("celegans", data(GRAPHS["celegans"][0]), query)
                self.compare(d, "celegans", lengths("celegans", transform, "min"), transform)
            d.put("parts", UNREACHABLE.encode(), "?transform=none")
            arcs = {v: {} for v in "abcdef"}
            for line in UNREACHABLE.split():
                start, end, weight = line.split(",")
                arcs[start][end] = float(weight)
            self.compare(d, "parts", arcs)
            got = d.ask("GET", "/v1/graphs/parts/stats").json
            self.assertEqual(got["unreachable_pairs"], 20)
            self.assertEqual(got["weak_components"]["sizes"], [[4, 1], [2, 1]])
            self.assertEqual(got["hop_histogram"],
                             {"from": 1, "width": 1, "counts": [5, 4, 1]})

    def test_no_pairs(self):
        """Without a path, a histogram has no bins: as the contract says, from 0, of width 1."""
        with self.daemon() as d:
            for query in ("transform=none", "transform=hops", "transform=inv&min_weight=2"):
                d.put("loops", b"a,a,.5\nb,b,.7\n", "?" + query)
                answer = d.ask("GET", "/v1/graphs/loops/stats").json
                for name in ("distance_histogram", "hop_histogram"):
                    self.assertEqual(answer[name], {"from": 0, "width": 1, "counts": []}, query)

    def test_distances_of_0(self):
        """1/d of a distance of 0 defines nothing, in any format."""
        with self.daemon() as d:
            d.put("zero", b"a,b,0\nb,c,2\n", "?transform=none")
            answer = d.ask("GET", "/v1/graphs/zero/stats?vertices=1").json["vertices"]
            self.assertEqual([row["efficiency_out"] for row in answer], [None, 0.25, 0])
            self.assertEqual([row["efficiency_in"] for row in answer], [0, None, 0.5])
            self.check_rows(d, "zero", answer)

    def test_sums_above_the_largest_double(self):
        """A mean whose sum is infinite is undefined, although the mean itself would not be."""
        with self.daemon() as d:
            d.put("vast", b"a,b,1e308\nb,c,7e307\n", "?transform=none")
            answer = d.ask("GET", "/v1/graphs/vast/stats?vertices=1").json["vertices"]
            self.assertEqual([row["closeness_out"] for row in answer], [None, 1 / 7e307, None])
            self.assertEqual([row["closeness_in"] for row in answer], [None, 1e-308, None])
            self.check_rows(d, "vast", answer)
            for bins, width in ((1, None), (2, 2.0**1023)):
                histogram = d.ask("GET", f"/v1/graphs/vast/stats?bins={bins}").json[
                    "distance_histogram"]
                self.assertEqual((histogram["from"], histogram["width"]), (0, width))

    def test_negative_means(self):
        """Closeness is 1 / the mean distance, also below 0; a mean of 0 defines nothing."""
        with self.daemon() as d:
            d.put("signs", b"s,a,-4\na,t,-4\ns,b,-1\nb,u,1\n", "?transform=none")
            answer = d.ask("GET", "/v1/graphs/signs/stats?vertices=1").json["vertices"]
            self.assertEqual([(row["vertex"], row["closeness_out"], row["closeness_in"])
                              for row in answer],
                             [("s", -4 / 13, None), ("a", -0.25, -0.25), ("t", None, -1 / 6),
                              ("b", 1, -1), ("u", None, 2)])
            self.check_rows(d, "signs", answer)
            d.put("zero", b"s,a,-1\ns,b,1\n", "?transform=none")
            answer = d.ask("GET", "/v1/graphs/zero/stats?vertices=1").json["vertices"]
            self.assertEqual([row["closeness_out"] for row in answer], [None] * 3)

    def test_few_bins_on_both_sides_of_zero(self):
        """A bin of a power of two never has distances below 0 and above."""
        with self.daemon() as d:
            d.put("signs", b"a,b,-3\nb,c,5\n", "?transform=none")
            for bins, counts in ((1, [3]), (2, [1, 2])):
                reply = self.assertStatus(
                    d.ask("GET", f"/v1/graphs/signs/stats?bins={bins}"), 200)
                histogram = reply.json["distance_histogram"]
                self.assertEqual(histogram["counts"], counts)
                self.assertLessEqual(histogram["from"], -3)
                self.assertGreater(histogram["from"] + bins * histogram["width"], 5)
                self.assertEqual(math.frexp(histogram["width"])[0], 0.5)

    def test_larva(self):
        with self.daemon() as d:
            for transform, (merge, pairs, total, largest) in LARVA.items():
                d.put("larva", data(GRAPHS["larva"][0]), f"?transform={transform}&{merge}")
                reply = d.ask("GET", "/v1/graphs/larva/stats")
                got = reply.json
                self.assertEqual(got["reachable_pairs"], pairs)
                self.assertEqual(got["strong_components"]["count"], 177)
                self.assertTrue(close(got["characteristic_path_length"], total / pairs, 1e-6),
                                (transform, got["characteristic_path_length"], total / pairs))
                self.assertTrue(close(got["diameter"], largest, 1e-6))
                again = d.ask("GET", "/v1/graphs/larva/stats",
                              headers=[("If-None-Match", reply.headers["ETag"])])
                self.assertEqual(again.status, 304)
            self.assertTrue(close(got["global_efficiency"], 1.656551690, 1e-6))

    def test_betweenness(self):
        with self.daemon() as d:
            for transform in ("inv", "hops", "none"):
                query = (f"?transform={transform}&duplicates=min&precision=float64"
                         "&measures=betweenness")
                d.put("celegans", data(GRAPHS["celegans"][0]), query)
                weights = lengths("celegans", "none", "min")
                # 1 / weight, multiplied by what makes all of them whole numbers
                unit = math.lcm(*(int(w) for row in weights.values() for w in row.values()))
                expected = betweenness(
                    {v: {u: unit // int(w) if transform == "inv" else
                         1 if transform == "hops" else int(w) for u, w in row.items()}
                     for v, row in weights.items()})
                self.check_betweenness(d, "celegans", expected)
                # the distances' own statistics stay what they are
                self.compare(d, "celegans", lengths("celegans", transform, "min"), transform)
            d.put("parts", UNREACHABLE.encode(), "?transform=none&measures=betweenness")
            self.check_betweenness(d, "parts", dict(a=1, b=2, c=3, d=0, e=0, f=0))
            # an arc of length 0 is followed, a cycle of length 0 is not
            ties = b"a,b,0\na,c,1\nb,d,1\nc,d,0\nd,e,1\n"
            d.put("zeros", ties, "?transform=none&measures=betweenness")
            self.check_betweenness(d, "zeros", dict(a=0, b=1, c=1, d=3, e=0))
            d.put("zeros", ties + b"e,d,-1\n", "?transform=none&measures=betweenness")
            self.check_betweenness(d, "zeros", dict.fromkeys("abcde"))

    def check_betweenness(self, d, graph, expected):
        n = len(expected)
        for row in d.ask("GET", f"/v1/graphs/{graph}/stats?vertices=1").json["vertices"]:
            value = expected[row["vertex"]]
            self.assertTrue(close(row["betweenness"], value and float(value)),
                            (graph, row, value))
            self.assertTrue(close(row["betweenness_normalized"],
                                  value and float(value) / ((n - 1) * (n - 2))), (graph, row))
            of_one = self.assertStatus(
                d.ask("GET", f"/v1/graphs/{graph}/vertices/{row['vertex']}"), 200).json
            self.assertEqual(of_one["measures"], {
                name: row[name] for name in ("betweenness", "betweenness_normalized")})
        got = d.ask("GET", f"/v1/graphs/{graph}/stats").json["betweenness"]
        if None in expected.values():
            self.assertIsNone(got["mean"])
            self.assertIn("cycle has length 0", got["undefined"])
            return
        self.assertTrue(close(got["mean"], float(sum(expected.values()) / n)))
        self.assertTrue(close(got["max"], float(max(expected.values()))))
        self.assertTrue(close(float(expected[got["max_vertex"]]), got["max"]))

    def test_measures(self):
        """What asks for betweenness, and what takes that back."""
        with self.daemon() as d:
            d.put("parts", UNREACHABLE.encode(), "?transform=none")
            plain = d.ask("GET", "/v1/graphs/parts/stats").json
            self.assertIsNone(plain["betweenness"])
            rule = d.ask("GET", "/v1/graphs/parts").json["profiles"][0]
            self.assertIsNone(rule["measures"])
            for body, asks in (({"measures": ["betweenness"]}, True), ({"measures": []}, False),
                               ({"measures": "betweenness"}, True), ({}, False)):
                reply = d.ask("PUT", "/v1/graphs/parts/profiles/p",
                              json.dumps({"transform": "none", **body}).encode(),
                              [("Content-Type", "application/json")])
                if reply.json.get("job"):
                    d.wait(reply.json["job"])
                rule = d.ask("GET", "/v1/graphs/parts").json["profiles"][1]
                self.assertEqual(rule["measures"], ["betweenness"] if asks else None)
                got = d.ask("GET", "/v1/graphs/parts/stats?profile=p").json
                self.assertEqual(got.pop("betweenness") is not None, asks)
                self.assertEqual((got["radius"], got["hop_histogram"]),
                                 (plain["radius"], plain["hop_histogram"]))
                header = d.ask("GET", "/v1/graphs/parts/stats?profile=p&format=csv").body
                self.assertEqual(b"betweenness" in header, asks)
            for value in ("closeness", ["betweenness", "x"], 3, [1], {"betweenness": True}):
                reply = d.ask("PUT", "/v1/graphs/parts/profiles/p",
                              json.dumps({"transform": "none", "measures": value}).encode(),
                              [("Content-Type", "application/json")])
                self.assertStatus(reply, 400)
                self.assertIn("betweenness", reply.json["detail"])
            # an upload keeps what the graph's rule asks for, until it says none
            d.put("parts", UNREACHABLE.encode(), "?transform=none&measures=betweenness")
            for query, asks in (("", True), ("&measures=none", False)):
                reply = d.ask("PUT", "/v1/graphs/parts?format=csv" + query,
                              UNREACHABLE.encode() + b"f,a,1\n")
                if reply.json.get("job"):  # else p has tables of this rule already
                    d.wait(reply.json["job"])
                got = d.ask("GET", "/v1/graphs/parts/stats").json
                self.assertEqual(got["betweenness"] is not None, asks)

    def test_betweenness_larva(self):
        """The sum over all vertices is that of the paths' inner vertices: under hops that
        of distances less one a pair. Real lengths tie as tests/bench/betweenness.py says."""
        _, pairs, total, _ = LARVA["hops"]
        with self.daemon() as d:
            d.put("larva", data(GRAPHS["larva"][0]), "?transform=hops&measures=betweenness")
            table = d.ask("GET", "/v1/graphs/larva/stats?format=csv").body.decode()
            values = [float(row["betweenness"]) for row in csv.DictReader(table.splitlines())]
            self.assertTrue(close(math.fsum(values), total - pairs))

    def test_rows_in_order(self):
        """Rows have the attributes of their vertices, and are sorted by any column of numbers."""
        with self.daemon() as d:
            d.put("parts", UNREACHABLE.encode(), "?transform=none&measures=betweenness")
            place = "/v1/graphs/parts/stats?vertices=1"
            plain = d.ask("GET", place).json["vertices"]
            tag = d.ask("GET", place).headers["ETag"]
            self.assertNotIn("attributes", plain[0])
            text = b"label,type,reaches,attribute_reaches\na,KC,1,2\nb,\"P,N\",,\n"
            self.assertStatus(d.ask("PUT", "/v1/graphs/parts/attributes", text,
                                    {"Content-Type": "text/csv"}), 200)
            answer = d.ask("GET", place)
            self.assertNotEqual(answer.headers["ETag"], tag)
            held = {"a": {"type": "KC", "reaches": "1", "attribute_reaches": "2"}, "b": {"type": "P,N"}}
            named = [{**row, "attributes": held.get(row["vertex"], {})} for row in plain]
            self.assertEqual(answer.json["vertices"], named)
            for column in set(plain[0]) - {"vertex", "strong_component", "weak_component"}:
                right = sorted(named, key=lambda row: (row[column] is None, -(row[column] or 0)))
                sort = f"{place}&sort={column}"
                self.assertEqual(d.ask("GET", sort).json["vertices"], right, column)
                lines = list(csv.DictReader(
                    d.ask("GET", sort + "&limit=2&format=csv").body.decode().splitlines()))
                self.assertEqual([line["vertex"] for line in lines],
                                 [row["vertex"] for row in right[:2]])
                for line in lines:
                    mine = held.get(line["vertex"], {})
                    self.assertEqual(list(line.items())[-3:], [
                        ("type", mine.get("type", "")),
                        ("attribute_reaches", mine.get("reaches", "")),
                        ("attribute_attribute_reaches", mine.get("attribute_reaches", ""))])
            for query, part in (("vertices=1&sort=type", "expected one of reaches, reached_by"),
                                ("sort=reaches", "add vertices=1"), ("limit=3", "add vertices=1"),
                                ("vertices=1&sort=weak_component", "expected one of"),
                                ("format=npy&sort=reaches", "index order")):
                refused = self.assertStatus(d.ask("GET", "/v1/graphs/parts/stats?" + query), 400)
                self.assertIn(part, refused.json["detail"])
            d.put("plain", UNREACHABLE.encode(), "?transform=none")
            refused = d.ask("GET", "/v1/graphs/plain/stats?vertices=1&sort=betweenness")
            self.assertStatus(refused, 400)
            self.assertIn("measures=betweenness", refused.json["detail"])

    def test_refusals(self):
        with self.daemon() as d:
            d.put("parts", UNREACHABLE.encode(), "?transform=none")
            for query in ("bins=0", "bins=2047", "vertices=2", "bin=3",
                          "vertices=1&bins=3", "format=csv&bins=3", "format=npy&bins=3"):
                self.assertStatus(d.ask("GET", "/v1/graphs/parts/stats?" + query), 400)


if __name__ == "__main__":
    unittest.main()
