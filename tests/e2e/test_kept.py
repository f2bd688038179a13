"""Files that hold one of the two tables: `tables=distance` answers as `tables=all`, byte for byte."""
import json
import random
import unittest

from harness import Case, data
from npy_file import npy

JSON = {"Content-Type": "application/json"}


def csv_of(arcs):
    return "".join(f"{u},{v},{w}\n" for u, v, w in arcs).encode()


def random_arcs(seed, n, degree, weight):
    chance = random.Random(seed)
    found = {}
    for u in range(n):
        for _ in range(degree):
            v = chance.randrange(n)
            if u != v:
                found[u, v] = weight(chance)
    return [(u, v, w) for (u, v), w in found.items()]


def tilted(arcs, n):
    """Some lengths become negative, and no cycle's sum changes."""
    heights = [random.Random(7 + v).randrange(40) for v in range(n)]
    return [(u, v, w + heights[u] - heights[v]) for u, v, w in arcs]


WHOLE = random_arcs(1, 120, 3, lambda c: c.randrange(1, 9))
REAL = random_arcs(2, 120, 3, lambda c: 0.1 + c.random())
GRAPHS = {
    # name: body, query; small graphs, whose predecessors are indices, and larger ones, whose
    # predecessors are ranks; each element of V and of path sums
    "whole": (csv_of(WHOLE), "transform=none"),
    "wide": (csv_of(random_arcs(3, 120, 3, lambda c: c.randrange(1, 400000))), "transform=none"),
    "wider": (csv_of(random_arcs(4, 120, 3, lambda c: c.randrange(10**8, 10**9))),
              "transform=none"),
    "ones": (csv_of(WHOLE), "transform=hops"),
    "zeros": (csv_of(random_arcs(5, 120, 3, lambda c: c.randrange(3))), "transform=none"),
    "negative": (csv_of(tilted(WHOLE, 120)), "transform=none"),
    "negative-reals": (csv_of(tilted(REAL, 120)), "transform=none"),
    "reals": (csv_of(REAL), "transform=none"),
    "reals64": (csv_of(REAL), "transform=none&precision=float64"),
    "apart": (b"a,b,2\nc,d,3\ne,e,1\n", "transform=none"),
    "ranked": (csv_of(random_arcs(6, 700, 3, lambda c: c.randrange(1, 9))), "transform=none"),
    "ranked-ones": (csv_of(random_arcs(7, 700, 3, lambda c: 1)), "transform=hops"),
    "ranked-reals": (csv_of(random_arcs(8, 700, 3, lambda c: c.random() + 0.01)),
                     "transform=none"),
    "ranked-inverse": (csv_of(random_arcs(9, 700, 4, lambda c: c.randrange(1, 90))),
                       "transform=inv&precision=float64"),
    "celegans": (data("celegans_newman.csv"), "transform=inv"),
}


def questions(labels):
    """(method, target, body) of every endpoint that reads tables."""
    chance = random.Random(len(labels))
    some = [chance.choice(labels) for _ in range(12)]
    pairs = [[chance.choice(labels), chance.choice(labels)] for _ in range(300)]
    for u, v in pairs[:6]:
        for more in ("", "&k=4", "&ties=all", "&hops=2"):
            yield "GET", f"/path?from={u}&to={v}{more}", None
        yield "GET", f"/reachable?from={u}&to={v}", None
    yield "POST", "/paths", {"pairs": pairs}
    yield "POST", "/paths?format=csv", {"pairs": pairs}
    for v in some[:3]:
        for query in ("", "?direction=in"):
            yield "GET", f"/vertices/{v}/distances{query}", None
        for direction in ("in", "out"):
            for bound in ("", "&max_distance=1.5", "&max_distance=4"):
                yield "GET", f"/vertices/{v}/reachable?direction={direction}{bound}", None
        yield "GET", f"/vertices/{v}", None
    for kind in ("json", "csv", "ndjson", "npy"):
        yield "POST", f"/table?format={kind}", {
            "sources": some, "targets": some[::-1] + labels[:30],
            "values": ["distance"] if kind == "npy" else
            ["distance", "hops", "predecessor", "reachable"]}
    yield "POST", "/table", {"sources": some[:4], "values": ["predecessor"]}
    yield "POST", "/table", {"sources": some[:4], "targets": some[:2]}  # looked up alone
    for v in some[3:6]:  # columns
        yield "GET", (f"/vertices/{v}/distances?direction=in&format=csv"
                      "&values=distance,hops,predecessor,reachable"), None
        yield "GET", f"/vertices/{v}/reachable?direction=in&values=predecessor,distance", None
        yield "GET", f"/vertices/{v}/distances?direction=in&nearest=9&max_distance=3", None
    yield "POST", "/table", {"targets": some[:2], "values": ["hops", "predecessor", "distance"]}
    yield "POST", "/table?format=npy", {"targets": some[:1] * 2}
    yield "POST", "/table?layout=long&format=csv&reachable=true&nearest=1", {"targets": some[:2]}
    for matrix in ("distance", "hops", "predecessor", "closure"):
        yield "GET", f"/matrices/{matrix}", None
    yield "GET", "/stats?vertices=1", None
    yield "POST", "/groups", {"attribute": "kind"}


class Kept(Case):
    def answers(self, d, graph, labels):
        for method, target, body in questions(labels):
            text = json.dumps(body).encode() if body is not None else None
            reply = d.ask(method, f"/v1/graphs/{graph}{target}", text, JSON)
            yield target, body, reply.status, \
                reply.body.replace(graph.encode(), b"the graph")

    def labels(self, d, graph):
        listed = d.ask("GET", f"/v1/graphs/{graph}/vertices?limit=10000").json["vertices"]
        return listed

    def test_same_answers(self):
        held = {}
        with self.daemon() as d:
            for name, (body, query) in GRAPHS.items():
                for tables in ("all", "distance"):
                    graph = f"{name}-{tables}"
                    d.put(graph, body, f"?{query}&tables={tables}")
                    labels = self.labels(d, graph)
                    rows = "".join(f"{v},k{i % 7}\n" for i, v in enumerate(labels))
                    self.assertStatus(d.ask(
                        "PUT", f"/v1/graphs/{graph}/attributes", b"label,kind\n" + rows.encode(),
                        {"Content-Type": "text/csv"}), 200)
                    profile = d.ask("GET", f"/v1/graphs/{graph}/profiles/default").json
                    self.assertEqual((profile["tables"], profile["holds"]), (tables, tables))
                    held[name] = profile["element"]
                good = 0
                for one, other in zip(self.answers(d, f"{name}-all", labels),
                                      self.answers(d, f"{name}-distance", labels)):
                    self.assertEqual(one[2:3], (200,), one)
                    self.assertEqual(one, other, name)
                    good += 1
                self.assertGreater(good, 60, name)
        self.assertEqual(set(held.values()), {"u16", "i32", "f32", "f64"})

    def test_raw(self):
        """What the file does not hold is computed, but not as a file's cells."""
        with self.daemon() as d:
            for name, there, not_there in (("whole", "distance", "predecessor"),
                                           ("ranked", "predecessor", "distance"),
                                           ("ranked-reals", "predecessor", "distance")):
                body, query = GRAPHS[name]
                d.put("g", body, f"?{query}&tables=distance")
                target = "/v1/graphs/g/matrices/"
                self.assertStatus(d.ask("GET", f"{target}{there}?raw=1"), 200)
                refused = self.assertStatus(d.ask("GET", f"{target}{not_there}?raw=1"), 400)
                self.assertIn("tables=distance", refused.json["detail"])
                self.assertStatus(d.ask("GET", f"{target}{not_there}"), 200)

    def test_ranks(self):
        """Ranks lead to predecessors along the arcs by head."""
        body, query = GRAPHS["ranked"]
        with self.daemon() as d:
            d.put("g", body, f"?{query}")
            labels = self.labels(d, "g")
            index = {v: i for i, v in enumerate(labels)}
            tails = [[] for _ in labels]
            for line in body.decode().split():
                u, v, _ = line.split(",")
                tails[index[v]].append(index[u])
            target = "/v1/graphs/g/matrices/predecessor"
            raw = self.assertStatus(d.ask("GET", target + "?raw=1"), 200)
            self.assertEqual(raw.headers["Apsp-Predecessor"], "rank")
            (n, _), ranks = npy(raw.body)
            _, before = npy(d.ask("GET", target).body)
            self.assertEqual(n, len(labels))
            lists = [sorted(list_) for list_ in tails]
            self.assertEqual(before, tuple(
                -1 if rank == 255 else lists[at % n][rank] for at, rank in enumerate(ranks)))
            d.put("small", csv_of(WHOLE), "?transform=none")
            raw = d.ask("GET", "/v1/graphs/small/matrices/predecessor?raw=1")
            self.assertEqual(raw.headers["Apsp-Predecessor"], "index")

    def test_room(self):
        """Without a word the file holds all tables, or fewer if the cache has no room."""
        body, query = GRAPHS["ranked-reals"]
        with self.daemon() as d:
            d.put("g", body, f"?{query}")
            profile = d.ask("GET", "/v1/graphs/g/profiles/default").json
            self.assertEqual((profile["tables"], profile["holds"]), (None, "all"))
            d.ask("DELETE", "/v1/graphs/g")
        with self.daemon(args=("--cache-limit", "2M")) as d:
            d.put("g", body + b"1,2,0.3\n", f"?{query}")
            profile = d.ask("GET", "/v1/graphs/g/profiles/default").json
            self.assertEqual((profile["tables"], profile["holds"]), (None, "distance"))
            job = d.ask("GET", f"/v1/jobs/{profile['job']}").json
            self.assertIn("; tables=distance, since all tables need ", job["plan"])
            refused = d.ask("PUT", f"/v1/graphs/h?{query}&tables=all", body,
                            {"Content-Type": "text/csv"})
            self.assertStatus(refused, 507)

    def test_betweenness(self):
        """It reads distances from the file, so real ones are kept for it."""
        body, query = GRAPHS["reals"]
        with self.daemon() as d:
            d.put("g", body, f"?{query}&measures=betweenness")
            self.assertEqual(d.ask("GET", "/v1/graphs/g/profiles/default").json["holds"], "all")
            reply = d.ask("PUT", f"/v1/graphs/h?{query}&measures=betweenness&tables=distance",
                          body, {"Content-Type": "text/csv"})
            job = d.wait(reply.json["job"], "failed")
            self.assertIn("leave out tables=distance", job["error"]["detail"])
            body, query = GRAPHS["whole"]
            d.put("i", body, f"?{query}&measures=betweenness&tables=distance")


if __name__ == "__main__":
    unittest.main()
