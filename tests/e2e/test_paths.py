"""More of a path over HTTP: all shortest ones, the k shortest, those that avoid
something or have so many arcs; on real graphs against searches written below."""
import collections
import heapq
import itertools
import random
import unittest
import urllib.parse
from fractions import Fraction

from harness import Case, data

# Two ways of length 3 to d, a third of 4; two of them over b. Nothing leads to z.
SMALL = (b"pre,post,weight\n"
         b"a,b,1\na,c,2\nb,d,2\nc,d,1\na,d,4\nd,a,7\nb,c,5\nb,x>y,1\nx>y,d,9\nz,a,1\n")


def read(name):
    """{from: {to: weight}} of an edge list, duplicates added, without loops."""
    arcs = collections.defaultdict(dict)
    for line in data(name).decode().splitlines()[1:]:
        start, end, weight = line.split(",")
        arcs[start][end] = arcs[start].get(end, 0) + float(weight)
        arcs[end]  # a vertex, too
    return {v: {u: w for u, w in row.items() if u != v} for v, row in arcs.items()}


def dijkstra(lengths, source):
    """{vertex: (distance, number of shortest paths)} in exact fractions."""
    final, counts, heap = {}, {source: 1}, [(Fraction(0), source)]
    best = {source: Fraction(0)}
    while heap:
        distance, vertex = heapq.heappop(heap)
        if vertex in final:
            continue
        final[vertex] = distance
        for end, length in lengths[vertex].items():
            reached = distance + length
            if end not in best or reached < best[end]:
                best[end], counts[end] = reached, 0
                heapq.heappush(heap, (reached, end))
            if reached == best[end]:
                counts[end] += counts[vertex]
    return {vertex: (distance, counts[vertex]) for vertex, distance in final.items()}


def within(lengths, source, end, most):
    """The least length of walks of exactly 0, 1, … most arcs, or None."""
    layer, found = {source: Fraction(0)}, []
    for _ in range(most + 1):
        found.append(layer.get(end))
        longer = {}
        for vertex, distance in layer.items():
            for head, length in lengths[vertex].items():
                if head not in longer or distance + length < longer[head]:
                    longer[head] = distance + length
        layer = longer
    return found


class Paths(Case):
    def more(self, d, graph, start, end, query, status=200):
        reply = d.path(graph, start, end, "&" + query)
        self.assertStatus(reply, status)
        return reply.json

    def test_long_path_is_whole(self):
        """One path is answered at once, so that who reads it slowly keeps no search."""
        names = [f"{i:03}" + "x" * 500 for i in range(100)]
        rows = [f"{u},{v},1" for u, v in zip(names, names[1:])] + [f"{names[0]},{names[-1]},1"]
        with self.daemon() as d:
            d.put("long", "\n".join(["from,to,weight", *rows]) + "\n", "?transform=none")
            reply = d.path("long", names[0], names[-1],
                           f"&avoid={names[0]}%3E{names[-1]}")
            self.assertStatus(reply, 200)
            self.assertEqual(reply.json["path"], names)
            self.assertGreater(len(reply.body), 32768)
            self.assertEqual(reply.headers["Content-Length"], str(len(reply.body)))

    def test_small(self):
        with self.daemon() as d:
            d.put("g", SMALL, "?transform=none")
            found = self.more(d, "g", "a", "d", "ties=all")
            self.assertEqual((found["count"], found["distance"], found["hops"]), (2, 3, 2))
            self.assertEqual((found["tolerance"], found["cyclic"]), (0, False))
            self.assertEqual(
                [(v["vertex"], v["layer"], v["distance"]) for v in found["vertices"]],
                [("a", 0, 0), ("b", 1, 1), ("c", 1, 2), ("d", 2, 3)])
            self.assertEqual(
                {(a["from"], a["to"], a["weight"], a["length"]) for a in found["arcs"]},
                {("a", "b", 1, 1), ("a", "c", 2, 2), ("b", "d", 2, 2), ("c", "d", 1, 1)})
            self.assertFalse(found["truncated"])
            cut = self.more(d, "g", "a", "d", "ties=all&max_arcs=2")
            self.assertEqual((len(cut["arcs"]), cut["n_arcs"], cut["count"],
                              cut["truncated"]), (2, 4, 2, True))

            found = self.more(d, "g", "a", "d", "k=9")
            self.assertEqual(
                [(p["path"], p["distance"], p["weight"], p["hops"]) for p in found["paths"]],
                [(["a", "b", "d"], 3, 3, 2), (["a", "c", "d"], 3, 3, 2),
                 (["a", "d"], 4, 4, 1), (["a", "b", "c", "d"], 7, 7, 3),
                 (["a", "b", "x>y", "d"], 11, 11, 3)])
            self.assertEqual((found["k"], found["count"]), (9, 5))
            self.assertGreater(found["work"]["arcs"], 0)

            for query, path in (
                    ("avoid=c", ["a", "b", "d"]),
                    ("avoid=b", ["a", "c", "d"]),
                    ("avoid=b&avoid=c", ["a", "d"]),
                    ("avoid=a>d&avoid=b>d&avoid=c>d", ["a", "b", "x>y", "d"]),
                    ("avoid=a>d&avoid=b>d&avoid=c>d&avoid=x>y", None),
                    ("avoid=a>d&avoid=b>d&avoid=c>d&avoid=b>x>y", None),
                    ("hops=..1", ["a", "d"]), ("hops=1", ["a", "d"]),
                    ("hops=..2", ["a", "b", "d"]), ("hops=..9", ["a", "b", "d"]),
                    ("hops=3", ["a", "b", "c", "d"]),
                    ("hops=4", ["a", "b", "d", "a", "d"]),
                    ("hops=..2&avoid=b", ["a", "c", "d"]), ("hops=0", None)):
                query = query.replace(">", "%3E")
                found = self.more(d, "g", "a", "d", query)
                self.assertEqual(found["path"], path, query)
                self.assertEqual(found["reachable"], path is not None)
                self.assertEqual(found["limited_by"], [] if path else
                                 sorted({part.split("=")[0] for part in query.split("&")}))
                if "hops=" in query and path:
                    self.assertEqual(found["repeats"], len(set(path)) < len(path))
            info = d.ask("GET", "/v1/info").json
            self.assertEqual((info["answers"]["under_way"],
                              info["answers"]["memory_bytes"]), (0, 0))
            self.assertGreater(info["searches"]["arcs_bytes"], 0)
            self.assertGreater(info["limits"]["answer_bytes"], 1 << 20)
            # the table's own path has nothing to be avoided: no arc was looked at
            self.assertEqual(self.more(d, "g", "a", "d", "avoid=c")["work"]["arcs"], 0)
            self.assertEqual(self.more(d, "g", "a", "a", "hops=2")["path"], ["a", "d", "a"])
            self.assertEqual(self.more(d, "g", "a", "a", "k=5")["count"], 1)
            self.assertEqual(self.more(d, "g", "x>y", "x>y", "ties=all")["count"], 1)

    def test_walks_use_no_self_loop(self):
        """A profile's arcs have none; the contract says so of walks and circuits."""
        with self.daemon() as d:
            d.put("loops", b"a,a,1\na,b,2\nb,b,1\n", "?transform=none")
            self.assertEqual(self.more(d, "loops", "a", "b", "hops=1")["path"], ["a", "b"])
            for start, end, arcs in (("a", "a", 1), ("a", "b", 2), ("a", "b", 3)):
                found = self.more(d, "loops", start, end, f"hops={arcs}")
                self.assertEqual((found["path"], found["limited_by"]), (None, ["hops"]))
                circuit = self.assertStatus(d.ask("POST", "/v1/graphs/loops/circuit", {
                    "sources": [start], "targets": [end], "hops": arcs}), 200).json
                self.assertEqual((circuit["pairs"], circuit["n_arcs"]), (0, 0))
            document = d.ask("GET", "/v1/openapi.json").json["paths"]
            self.assertIn("self-loop", next(
                one["description"] for one in document["/v1/graphs/{graph}/path"]["get"][
                    "parameters"] if one.get("name") == "hops"))
            self.assertIn("self-loop", str(
                document["/v1/graphs/{graph}/circuit"]["post"]["requestBody"]))

    def test_arcs_of_odd_labels(self):
        """Each > of avoid= may be between the ends of an arc. It names the only arc there is."""
        arcs = "a,x,5\nx,b>c,1\na>b,c,1\na,a>b,1\nc,z,1\na,z,9\nb>c,z,1\n"
        with self.daemon() as d:
            for name, text in (("one", arcs), ("none", arcs.replace("a>b,c,1\n", "")),
                               ("two", arcs + "a,b>c,9\n")):
                d.put(name, f"from,to,weight\n{text}".encode(), "?transform=none")
            self.assertEqual(self.more(d, "one", "a", "z", "avoid=x")["path"],
                             ["a", "a>b", "c", "z"])
            self.assertEqual(self.more(d, "one", "a", "z", "avoid=a%3Eb%3Ec")["path"],
                             ["a", "x", "b>c", "z"])
            d.put("both", b"a,b,1\nb,z,1\na,a>b,1\na>b,z,2\na,z,9\n", "?transform=none")
            for query, path in (
                    ("avoid=a%3Eb", ["a", "b", "z"]), ("avoid_arc=a%3Eb", ["a", "a>b", "z"]),
                    ("avoid_arc=a%3Eb&avoid_arc=a%3Ea%3Eb", ["a", "z"]),
                    ("avoid_arc=a%3Eb&avoid=a%3Eb", ["a", "z"])):
                found = self.more(d, "both", "a", "z", query)
                self.assertEqual((found["kind"], found["path"]), ("avoid", path), query)
            found = self.more(d, "one", "a", "z", "avoid_arc=a%3Eb", 422)
            self.assertIn("avoid_arc has 'a>b', expected two vertices", found["detail"])
            found = self.more(d, "two", "a", "z", "avoid_arc=a%3Eb%3Ec", 400)
            self.assertIn("avoid_arc has 'a>b>c', which names 2 arcs", found["detail"])
            found = self.more(d, "none", "a", "z", "avoid=a%3Eb%3Ec", 422)
            self.assertIn("no arc from the one", found["detail"])
            found = self.more(d, "two", "a", "z", "avoid=a%3Eb%3Ec", 400)
            self.assertIn("names 2 arcs", found["detail"])

    def test_limited(self):
        """An answer without a path says whether an option keeps out the paths there are."""
        with self.daemon() as d:
            d.put("g", SMALL, "?transform=none")
            for start, end, query, kind, limits in (
                    ("b", "c", "hops=..0", "hops", ["hops"]),
                    ("b", "b", "hops=1", "hops", ["hops"]),
                    ("b", "c", "hops=..1&avoid=a", "hops", []),
                    ("x>y", "c", "hops=..1", "hops", ["hops"]),
                    ("x>y", "c", "hops=..9&avoid=d", "hops", ["avoid", "hops"]),
                    ("x>y", "c", "avoid=d", "avoid", ["avoid"]),
                    ("x>y", "c", "ties=all&avoid=d", "ties", ["avoid"]),
                    ("x>y", "c", "k=3&avoid=d", "k", ["avoid"]),
                    ("x>y", "c", "k=3", "k", []),
                    ("a", "z", "hops=..9", "hops", []), ("a", "z", "avoid=b", "avoid", []),
                    ("a", "z", "ties=all", "ties", []), ("a", "z", "k=2", "k", [])):
                found = self.more(d, "g", start, end, query)
                self.assertEqual((found["kind"], found["limited_by"]), (kind, limits), query)
                if limits or end == "z":
                    self.assertFalse(found["reachable"])
            self.assertEqual(d.path("g", "a", "z").json["kind"], "path")

    def test_refusals(self):
        with self.daemon() as d:
            d.put("g", SMALL, "?transform=none")
            for query, status, part in (
                    ("ties=some", 400, "expected all"),
                    ("k=0", 400, "from 1 to 1000"), ("k=1001", 400, "from 1 to 1000"),
                    ("k=2&ties=all", 400, "different questions"),
                    ("k=2&hops=3", 400, "different questions"),
                    ("hops=x", 400, "hops is 'x'"), ("hops=..", 400, "exactly so many"),
                    ("hops=100001", 400, "100000"), ("hops=-1", 400, "hops"),
                    ("tolerance=0.1", 400, "ties=all"), ("max_arcs=1", 400, "ties=all"),
                    ("ties=all&tolerance=2", 400, "from 0 to 1"),
                    ("avoid=a", 400, "where the path begins"),
                    ("avoid=d", 400, "where the path ends"),
                    ("avoid=q", 422, "neither a vertex"),
                    ("avoid=a%3Eq", 422, "neither a vertex"),
                    ("avoid=d%3Ec", 422, "no arc from the one"),
                    ("k=3&transform=hops", 400, "no option")):
                found = self.more(d, "g", "a", "d", query, status)
                self.assertIn(part, found["detail"], query)
            found = self.more(d, "g", "a", "q", "k=2", 404)
            self.assertIn("'q'", found["detail"])

    def test_zero_cycle(self):
        """Walks round a cycle of length 0 are as short: they are not counted."""
        with self.daemon() as d:
            d.put("g", b"pre,post,weight\na,b,1\nb,c,0\nc,b,0\nc,d,1\nb,d,1\n",
                  "?transform=none")
            found = self.more(d, "g", "a", "d", "ties=all")
            self.assertEqual((found["count"], found["cyclic"], found["n_arcs"]),
                             (None, True, 5))
            self.assertEqual({v["vertex"] for v in found["vertices"]}, set("abcd"))
            self.assertEqual(len(found["arcs"]), 5)

    def test_tolerance(self):
        """The arcs of all walks within the tolerance: paths of these arcs may be longer than it
        allows, and the arcs may form cycles."""
        with self.daemon() as d:
            d.put("g", b"pre,post,weight\ns,a,1\ns,b,1.25\na,m,1\nb,m,1.25\nm,c,1\nm,d,1.25\n"
                       b"c,t,1\nd,t,1.25\n", "?transform=none")
            for tolerance, count, n_arcs in ((0, 1, 4), (0.1, 1, 4), (0.125, 4, 8), (0.2, 4, 8)):
                found = self.more(d, "g", "s", "t", f"ties=all&tolerance={tolerance}")
                self.assertEqual((found["distance"], found["count"], found["n_arcs"],
                                  found["cyclic"]), (4, count, n_arcs, False))
            longest = self.more(d, "g", "s", "t", "k=9")["paths"][3]
            self.assertGreater(longest["distance"], 4 * 1.2)
            d.put("c", b"pre,post,weight\ns,u,10.5\nu,t,10\nu,v,0.1\nv,u,0.1\n",
                  "?transform=none")
            for tolerance, count, layer in ((0, 1, 1), (0.05, None, None)):
                found = self.more(d, "c", "s", "t", f"ties=all&tolerance={tolerance}")
                self.assertEqual((found["count"], found["cyclic"]), (count, count is None))
                self.assertEqual(found["vertices"][1]["layer"], layer)

    def check_real(self, transform, length, pairs):
        weights = read("celegans_newman.csv")
        lengths = {v: {u: Fraction(length(w)) for u, w in row.items()}
                   for v, row in weights.items()}
        rng = random.Random(11)
        with self.daemon() as d:
            d.put("g", data("celegans_newman.csv"),
                  f"?transform={transform}&duplicates=sum")
            for _ in range(pairs):
                start, end = rng.sample(sorted(lengths), 2)
                right = dijkstra(lengths, start)
                if end not in right:
                    found = self.more(d, "g", start, end, "k=3")
                    self.assertEqual((found["reachable"], found["paths"]), (False, []))
                    continue
                self.check_pair(d, lengths, start, end, right[end])

    def check_pair(self, d, lengths, start, end, right):
        distance, count = right
        found = self.more(d, "g", start, end, "ties=all&tolerance=0")
        self.assertEqual((Fraction(found["distance"]), found["count"]),
                         (Fraction(float(distance)), count))

        paths = self.more(d, "g", start, end, "k=12")["paths"]
        sums = [sum(lengths[a][b] for a, b in itertools.pairwise(p["path"])) for p in paths]
        self.assertEqual(sums, sorted(sums))
        self.assertEqual(sums[0], distance)
        self.assertEqual(sum(s == distance for s in sums), min(count, 12))
        self.assertEqual(len({tuple(p["path"]) for p in paths}), 12)
        self.assertTrue(all(len(set(p["path"])) == p["hops"] + 1 for p in paths))

        inner = [p["path"][1] for p in paths[:3] if p["hops"] > 1]
        rest = {v: {u: w for u, w in row.items() if u not in inner}
                for v, row in lengths.items() if v not in inner}
        right = dijkstra(rest, start).get(end)
        if inner:
            found = self.more(d, "g", start, end, "&".join(
                f"avoid={urllib.parse.quote(v)}" for v in inner))
            self.assertEqual(found["reachable"], right is not None)
            if right:
                self.assertAlmostEqual(found["distance"], float(right[0]), delta=1e-12)

        exact = within(lengths, start, end, 4)
        for arcs, right in enumerate(exact):
            found = self.more(d, "g", start, end, f"hops={arcs}")
            self.assertEqual(found["reachable"], right is not None)
            if right is not None:
                self.assertAlmostEqual(found["distance"], float(right), delta=1e-12)
                self.assertEqual(found["hops"], arcs)
            least = min((r for r in exact[:arcs + 1] if r is not None), default=None)
            found = self.more(d, "g", start, end, f"hops=..{arcs}")
            self.assertEqual(found["reachable"], least is not None)
            if least is not None:
                self.assertAlmostEqual(found["distance"], float(least), delta=1e-12)

    def test_celegans_hops(self):
        self.check_real("hops", lambda w: 1, 8)

    def test_celegans_none(self):
        self.check_real("none", lambda w: w, 8)

    def test_celegans_inv(self):
        self.check_real("inv", lambda w: 1 / w, 12)


if __name__ == "__main__":
    unittest.main()
