"""Statistics against their definitions (Rubinov & Sporns 2010; Brain Connectivity
Toolbox, charpath.m, efficiency), by a Dijkstra from every vertex, and for the larva
against known sums (tests/data/README.md)."""
import csv
import math
import struct
import unittest

from harness import Case, data
from test_answers import GRAPHS, dijkstra, lengths

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
    """The distances of all pairs, and what is defined by them."""
    rows = {v: dijkstra(arcs, v) for v in arcs}
    for v, row in rows.items():
        del row[v]
    all_distances = [d for row in rows.values() for d in row.values()]
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
            near = sum(close(x, low) or close(x, low + width) for x in distances)
            exact = sum(low <= x < low + width for x in distances)
            self.assertLessEqual(abs(count - exact), near if "inv" in transform else 0)
        self.assertEqual(sum(histogram["counts"]), len(distances))
        self.assertEqual(sum(got["hop_histogram"]["counts"]), len(distances))
        answer = d.ask("GET", f"/v1/graphs/{graph}/stats?vertices=1").json
        self.assertEqual([row["vertex"] for row in answer["vertices"]],
                         d.ask("GET", f"/v1/graphs/{graph}/vertices?limit=10000")
                         .json["vertices"])
        table = d.ask("GET", f"/v1/graphs/{graph}/stats?format=csv").body.decode()
        table = list(csv.DictReader(table.splitlines()))
        array = d.ask("GET", f"/v1/graphs/{graph}/stats?format=npy").body
        shape = f"'shape': ({len(rows)},{len(answer['vertices'][0]) - 1})"
        self.assertIn(shape.encode(), array[:128])
        numbers = struct.iter_unpack(f"={len(answer['vertices'][0]) - 1}d", array[128:])
        for row, line, reals in zip(answer["vertices"], table, numbers, strict=True):
            self.assertEqual(list(row), list(line))
            for (name, value), text, real in zip(list(row.items())[1:],
                                                 list(line.values())[1:], reals, strict=True):
                if "component" in name:
                    self.assertEqual((text, value), (value, answer["vertices"][int(real)]
                                                     ["vertex"]))
                elif value is None:
                    self.assertTrue(text == "" and math.isnan(real))
                else:
                    self.assertEqual((float(text), real), (value, value))
        for row in answer["vertices"]:
            v = row["vertex"]
            for name, value in vertex(rows, v).items():
                self.assertTrue(close(row[name], value), (graph, v, name, row[name], value))
            self.assertIn(row["strong_component"], components[v])
        self.assertEqual(len({row["strong_component"] for row in answer["vertices"]}),
                         len(set(components.values())))

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

    def test_refusals(self):
        with self.daemon() as d:
            d.put("parts", UNREACHABLE.encode(), "?transform=none")
            for query in ("bins=0", "bins=2047", "vertices=2", "bin=3"):
                self.assertStatus(d.ask("GET", "/v1/graphs/parts/stats?" + query), 400)


if __name__ == "__main__":
    unittest.main()
