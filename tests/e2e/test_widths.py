"""Widest paths: every answer about widths, against Dijkstra's search with the least weight in
place of the sum, and against all paths one by one."""
import csv
import functools
import heapq
import io
import itertools
import json
import math
import operator
import random
import struct
import urllib.parse
import unittest

from harness import Case, data
from npy_file import npy

CSV = {"Accept": "text/csv"}
LINES = {"Accept": "application/x-ndjson"}


def widths_from(arcs, source, avoided=frozenset()):
    """{vertex: width} of the pairs that have a path; arcs: {u: {v: weight}}"""
    final, heap = {}, [(-math.inf, source)]
    while heap:
        width, vertex = heapq.heappop(heap)
        if vertex in final:
            continue
        final[vertex] = -width
        for end, weight in arcs.get(vertex, {}).items():
            if end not in final and not {end, (vertex, end)} & avoided:
                heapq.heappush(heap, (max(width, -weight), end))
    return final


def walks(arcs, order, start, end, width, n, avoided=frozenset()):
    """All walks of n arcs over arcs of at least the width, the best by the tie rule first."""
    found = [[end]]
    for _ in range(n):
        found = [[u, *walk] for walk in found for u in order
                 if arcs.get(u, {}).get(walk[0], 0) >= width
                 and not {u, (u, walk[0])} & avoided]
    return sorted((walk for walk in found if walk[0] == start),
                  key=lambda walk: [order.index(v) for v in reversed(walk)])


def widest_walk(arcs, order, start, end, n):
    """The best walk of exactly n arcs, and its width; None if there is none."""
    weights = {weight for row in arcs.values() for weight in row.values()}
    for width in sorted(weights, reverse=True):
        found = walks(arcs, order, start, end, width, n)
        if found:
            return found[0], width
    return None


def graph_csv(arcs):
    return "".join(f"{u},{v},{w!r}\n" for u, row in arcs.items() for v, w in row.items()).encode()


def order_of(arcs):
    return list(dict.fromkeys(v for u, row in arcs.items() for w in row for v in (u, w)))


def random_graph(seed, n, degree, weight):
    chance = random.Random(seed)
    arcs = {}
    for u in range(n):
        for v in chance.sample(range(n), min(degree, n)):
            if u != v and (v < n - 3 or u < 2):  # few arcs lead to the last vertices
                arcs.setdefault(f"n{u}", {})[f"n{v}"] = weight(chance)
    return arcs


GRAPHS = {
    "ties": random_graph(1, 30, 3, lambda chance: chance.randrange(1, 4)),
    "reals": random_graph(2, 26, 3, lambda chance: chance.random() + 0.01),
    "sparse": random_graph(3, 40, 1, lambda chance: chance.randrange(1, 99)),
    "far": random_graph(4, 24, 2, lambda chance: 2.0 ** chance.randrange(-40, 40)),
}


class Widths(Case):
    def path_check(self, arcs, order, answer, width, avoided=frozenset()):
        """The answer's arcs exist, none is narrower, and no path is better."""
        path = answer["path"]
        self.assertEqual(answer["hops"], len(path) - 1)
        weights = [arcs[u][v] for u, v in zip(path, path[1:])]
        self.assertEqual([arc["weight"] for arc in answer["arcs"]], weights)
        self.assertEqual([arc["width"] for arc in answer["arcs"]], weights)
        self.assertEqual(set().union(*answer["arcs"]), {"weight", "width"} if weights else set())
        self.assertEqual(answer["weight"], functools.reduce(operator.add, weights, 0))
        self.assertEqual(min(weights, default=math.inf), width)
        self.assertEqual(answer["width"], width if weights else None)
        self.assertNotIn("distance", answer)
        for n in range(len(path)):
            best = walks(arcs, order, path[0], path[-1], width, n, avoided)
            self.assertEqual(best[:1], [path] if n == len(path) - 1 else [])

    def none_check(self, answer):
        self.assertFalse(answer["reachable"])
        for name in ("width", "hops", "weight", "path", "arcs"):
            self.assertIsNone(answer[name])

    def put(self, d, name, query=""):
        d.put(name, graph_csv(GRAPHS[name]), "?transform=none&path=widest" + query)
        return GRAPHS[name], order_of(GRAPHS[name])

    def ask(self, d, target, **more):
        return self.assertStatus(d.ask("GET", "/v1/graphs/" + target, **more), 200).json

    def test_each_path(self):
        with self.daemon() as d:
            for name in GRAPHS:
                arcs, order = self.put(d, name)
                for u in order:
                    right = widths_from(arcs, u)
                    for v in order:
                        answer = self.ask(d, f"{name}/path?from={u}&to={v}")
                        self.assertEqual(answer["kind"], "path")
                        self.assertEqual(answer["reachable"], v in right)
                        if v in right:
                            self.path_check(arcs, order, answer, right[v])
                        else:
                            self.none_check(answer)

    def test_batches(self):
        """The same paths, in each format and with each choice of values."""
        with self.daemon() as d:
            for name in GRAPHS:
                _, order = self.put(d, name)
                pairs = list(itertools.product(order[:9], order))
                one = [self.ask(d, f"{name}/path?from={u}&to={v}") for u, v in pairs]
                target, body = f"/v1/graphs/{name}/paths", {"pairs": pairs}
                self.assertEqual(self.assertStatus(
                    d.ask("POST", target, body), 200).json["paths"], one)
                lines = self.assertStatus(d.ask("POST", target, body, LINES), 200).body
                self.assertEqual([json.loads(line) for line in lines.splitlines()], one)
                rows = self.assertStatus(
                    d.ask("POST", target + "?values=width,path", body), 200).json["paths"]
                self.assertEqual(rows, [{key: row[key] for key in ("from", "to", "width", "path")}
                                        for row in one])
                alone = self.assertStatus(
                    d.ask("POST", target + "?values=width", body), 200).json["paths"]
                self.assertEqual([row["width"] for row in alone], [row["width"] for row in one])
                text = self.assertStatus(d.ask("POST", target, body, CSV), 200).body.decode()
                head, *cells = csv.reader(io.StringIO(text))
                self.assertEqual(head, ["from", "to", "width", "hops", "path", "problem"])
                for row, answer in zip(cells, one):
                    self.assertEqual(row[:2], [answer["from"], answer["to"]])
                    self.assertEqual(float(row[2]), 0 if not answer["reachable"] else
                                     answer["width"] or math.inf)
                    self.assertEqual(float(row[3]), math.inf if not answer["reachable"]
                                     else answer["hops"])
                    self.assertEqual(json.loads(row[4] or "null"), answer["path"])
                    self.assertEqual(row[5], "")

    def test_tables(self):
        """Matrix, tables, rows and columns; a comparison with a threshold is right."""
        with self.daemon() as d:
            for name in GRAPHS:
                arcs, order = self.put(d, name)
                right = {u: widths_from(arcs, u) for u in order}
                cells = [right[u].get(v, 0) for u in order for v in order]
                reply = self.assertStatus(
                    d.ask("GET", f"/v1/graphs/{name}/matrices/width"), 200)
                shape, found = npy(reply.body)
                self.assertEqual((shape, list(found)), ((len(order),) * 2, cells))
                single = all(w == npy_single(w) for row in arcs.values() for w in row.values())
                self.assertEqual(len(reply.body), 128 + len(cells) * (4 if single else 8))
                shape, found = npy(d.ask("POST", f"/v1/graphs/{name}/table?format=npy", {}).body)
                self.assertEqual(list(found), cells)
                texts = d.ask("POST", f"/v1/graphs/{name}/table", {}, CSV).body.decode()
                rows = list(csv.reader(io.StringIO(texts)))
                self.assertEqual([float(x) for row in rows[1:] for x in row[1:]], cells)
                wide = self.assertStatus(
                    d.ask("POST", f"/v1/graphs/{name}/table?values=width,reachable", {}),
                    200).json
                self.assertEqual([x for row in wide["width"] for x in row],
                                 [x if 0 < x < math.inf else None for x in cells])
                self.assertEqual([x for row in wide["reachable"] for x in row],
                                 [x > 0 for x in cells])
                shape, closure = npy(d.ask("GET", f"/v1/graphs/{name}/matrices/closure").body)
                self.assertEqual(list(closure), [x > 0 for x in cells])
                for direction, of in (("out", lambda u, v: right[u].get(v, 0)),
                                      ("in", lambda u, v: right[v].get(u, 0))):
                    for u in order[::5]:
                        reply = d.ask("GET", f"/v1/graphs/{name}/vertices/{u}/distances"
                                             f"?direction={direction}&format=npy")
                        self.assertEqual(list(npy(reply.body)[1]), [of(u, v) for v in order])

    def test_thresholds(self):
        with self.daemon() as d:
            for name in GRAPHS:
                arcs, order = self.put(d, name)
                weights = sorted({w for row in arcs.values() for w in row.values()})
                middle = weights[len(weights) // 2]
                for least in (0, weights[0], middle, math.nextafter(middle, math.inf), 1e300):
                    self.threshold_check(d, name, arcs, order, least)

    def threshold_check(self, d, name, arcs, order, least):
        right = {u: widths_from(arcs, u) for u in order}
        u = order[1]
        far = [v for v in order if v in right[u] and right[u][v] >= least]
        near = [v for v in order if u in right[v] and right[v][u] >= least]
        query = "min_width=" + urllib.parse.quote(repr(least), safe="")
        self.assertEqual(self.ask(d, f"{name}/vertices/{u}/reachable?{query}")["vertices"], far)
        self.assertEqual(self.ask(
            d, f"{name}/vertices/{u}/reachable?direction=in&{query}&values=width"
            )["vertices"], near)
        self.assertEqual(self.ask(d, f"{name}/vertices/{u}/distances?{query}")["vertices"], far)
        rows = self.assertStatus(
            d.ask("POST", f"/v1/graphs/{name}/table?{query}", {}), 200).json["pairs"]
        self.assertEqual([(row["from"], row["to"]) for row in rows],
                         [(v, w) for v in order for w in order
                          if w in right[v] and right[v][w] >= least])
        for v in order[::3]:
            self.assertEqual(
                self.ask(d, f"{name}/reachable?from={u}&to={v}&{query}")["reachable"], v in far)
        rows = self.ask(d, f"{name}/vertices/{u}/distances?nearest=4&{query}")
        best = sorted((v for v in far if v != u),
                      key=lambda v: (-right[u][v], order.index(v)))[:4]
        self.assertEqual(rows["vertices"], best)
        self.assertEqual(rows["width"], [right[u][v] for v in best])

    def test_sets(self):
        """What a set reaches, with the widest pair of each vertex."""
        with self.daemon() as d:
            for name in GRAPHS:
                arcs, order = self.put(d, name)
                right = {u: widths_from(arcs, u) for u in order}
                for direction, of in (("out", lambda u, v: right[u].get(v, 0)),
                                      ("in", lambda u, v: right[v].get(u, 0))):
                    self.set_check(d, name, order, direction, of)

    def set_check(self, d, name, order, direction, of):
        chosen = order[2:5]
        every = sorted({of(u, v) for u in chosen for v in order})
        for bound in (None, every[len(every) // 2]):
            body = {"sources" if direction == "out" else "targets": chosen,
                    "direction": direction, "values": ["width"]}
            if bound is not None:
                body["min_width"] = bound
            rows = self.assertStatus(
                d.ask("POST", f"/v1/graphs/{name}/reachable", body), 200).json["vertices"]
            best = {v: max(of(u, v) for u in chosen) for v in order}
            self.assertEqual([row["vertex"] for row in rows],
                             [v for v in order if best[v] > 0 and best[v] >= (bound or 0)])
            for row in rows:
                v = row["vertex"]
                self.assertEqual(row["width"], best[v] if v not in chosen else None)
                self.assertEqual(row["widest"],
                                 next(u for u in chosen if of(u, v) == best[v]))

    def test_avoid(self):
        with self.daemon() as d:
            for name in GRAPHS:
                arcs, order = self.put(d, name)
                chance = random.Random(name)
                for _ in range(150):
                    u, v, out = chance.sample(order, 3)
                    tail = chance.choice(list(arcs))
                    arc = tail, chance.choice(list(arcs[tail]))
                    answer = self.ask(d, f"{name}/path?from={u}&to={v}&avoid={out}"
                                         f"&avoid={arc[0]}%3E{arc[1]}")
                    self.assertEqual(answer["kind"], "avoid")
                    avoided = {out, arc}
                    width = widths_from(arcs, u, avoided).get(v)
                    if width:
                        self.path_check(arcs, order, answer, width, avoided)
                        self.assertEqual(answer["limited_by"], [])
                    else:
                        self.none_check(answer)
                        self.assertEqual(answer["limited_by"],
                                         ["avoid"] if v in widths_from(arcs, u) else [])

    def test_hops(self):
        with self.daemon() as d:
            for name in GRAPHS:
                arcs, order = self.put(d, name)
                chance = random.Random(name)
                for _ in range(60):
                    u, v = chance.choice(order), chance.choice(order)
                    found = [widest_walk(arcs, order, u, v, n) for n in range(1, 5)]
                    if u == v:
                        found.insert(0, ([u], math.inf))
                    else:
                        found.insert(0, None)
                    for n, right in enumerate(found):
                        answer = self.ask(d, f"{name}/path?from={u}&to={v}&hops={n}")
                        self.walk_check(answer, right)
                    # the widest, and of several the first
                    right = max((one for one in found if one), key=lambda one: one[1],
                                default=None)
                    answer = self.ask(d, f"{name}/path?from={u}&to={v}&hops=..4")
                    self.walk_check(answer, right)

    def walk_check(self, answer, right):
        self.assertEqual(answer["kind"], "hops")
        if not right:
            self.none_check(answer)
            return
        walk, width = right
        self.assertEqual(answer["path"], walk)
        self.assertEqual(answer["width"], width if len(walk) > 1 else None)
        self.assertEqual(answer["repeats"], len(set(walk)) < len(walk))

    def test_statistics(self):
        with self.daemon() as d:
            for name in GRAPHS:
                arcs, order = self.put(d, name)
                right = [w for u in order for v, w in widths_from(arcs, u).items() if v != u]
                stats = self.ask(d, f"{name}/stats")
                self.assertEqual(stats["reachable_pairs"], len(right))
                self.assertEqual((stats["widest"], stats["narrowest"]), (max(right), min(right)))
                self.assertNotIn("distance_histogram", stats)
                for bins in (100, 3, 1):
                    histogram = self.ask(d, f"{name}/stats?bins={bins}")["width_histogram"]
                    self.assertLessEqual(len(histogram["widths"]), bins)
                    self.assertEqual(histogram["widths"], sorted(histogram["widths"]))
                    self.assertEqual(histogram["widths"][0], min(right))
                    self.assertEqual(histogram["pairs"],
                                     [sum(w >= least for w in right)
                                      for least in histogram["widths"]])
                rows = self.ask(d, f"{name}/stats?vertices=1")["vertices"]
                self.assertEqual(list(rows[0]), ["vertex", "reaches", "reached_by",
                                                 "strong_component", "weak_component"])
                self.assertEqual([row["reaches"] for row in rows],
                                 [len(widths_from(arcs, u)) - 1 for u in order])

    def test_groups(self):
        with self.daemon() as d:
            arcs, order = self.put(d, "ties")
            kind = {v: "abc"[at % 3] for at, v in enumerate(order)}
            self.assertStatus(d.ask(
                "PUT", "/v1/graphs/ties/attributes",
                ("vertex,type\n" + "".join(f"{v},{t}\n" for v, t in kind.items())).encode(),
                {"Content-Type": "text/csv"}), 200)
            target, body = "/v1/graphs/ties/groups", {"attribute": "type"}
            rows = self.assertStatus(d.ask("POST", target, body), 200).json["groups"]
            text = self.assertStatus(d.ask("POST", target, body, CSV), 200).body.decode()
            cells = list(csv.DictReader(io.StringIO(text)))
            right = {u: widths_from(arcs, u) for u in order}
            for row, line in zip(rows, cells, strict=True):
                found = {(u, v): right[u][v] for u in order for v in order
                         if u != v and kind[u] == row["from"] and kind[v] == row["to"]
                         and v in right[u]}
                self.assertEqual(row["reachable"], len(found))
                self.assertEqual(row["max"], max(found.values()))
                self.assertAlmostEqual(row["mean"], sum(found.values()) / len(found), places=12)
                self.assertEqual(tuple(row["widest"]), next(
                    pair for pair, w in found.items() if w == row["max"]))
                self.assertEqual([line["widest_from"], line["widest_to"]], row["widest"])
                self.assertEqual(float(line["max"]), row["max"])

    def test_refusals(self):
        """What one kind of paths has and the other lacks is refused with a sentence."""
        with self.daemon() as d:
            self.put(d, "ties")
            d.put("short", graph_csv(GRAPHS["ties"]), "?transform=none")
            one, two = order_of(GRAPHS["ties"])[:2]
            pair = f"from={one}&to={two}"
            shortest, widest = (f"paths; ask a profile with path={kind}"
                                for kind in ("shortest", "widest"))
            for target in ("matrices/distance", "matrices/hops", "matrices/predecessor",
                           f"path?{pair}&ties=all", f"path?{pair}&k=3",
                           f"vertices/{one}/distances?values=distance",
                           f"vertices/{one}/distances?values=hops",
                           f"vertices/{one}/distances?max_distance=4",
                           f"vertices/{one}/reachable?max_distance=4",
                           f"vertices/{one}/reachable?values=predecessor",
                           f"vertices/{one}/distances?values=width,predecessor",
                           f"vertices/{one}/reachable?values=width,distance"):
                self.refused(d.ask("GET", "/v1/graphs/ties/" + target), shortest)
            for target in ("table?values=hops", "table?values=width,distance",
                           "table?max_distance=1", "paths?values=distance",
                           "paths?values=width,distance"):
                body = {"pairs": [[one, two]]} if "paths" in target else {}
                self.refused(d.ask("POST", "/v1/graphs/ties/" + target, body), shortest)
            self.refused(d.ask("GET", "/v1/graphs/ties/matrices/width?raw=1"), "ranks")
            for target in ("matrices/width", f"reachable?{pair}&min_width=1",
                           f"vertices/{one}/distances?values=width",
                           f"vertices/{one}/distances?min_width=4",
                           f"vertices/{one}/reachable?min_width=4"):
                self.refused(d.ask("GET", "/v1/graphs/short/" + target), widest)
            for target in ("table?values=width", "table?min_width=1", "paths?values=width"):
                body = {"pairs": [[one, two]]} if "paths" in target else {}
                self.refused(d.ask("POST", "/v1/graphs/short/" + target, body), widest)

    def refused(self, reply, text):
        self.assertStatus(reply, 400, "malformed-request")
        self.assertIn(text, reply.json["detail"])

    def test_shares(self):
        """With normalise, the width of an arc is its share of its head's input."""
        with self.daemon() as d:
            for name in ("ties", "sparse"):
                counts, order = self.put(d, name, "&normalise=input")
                totals = {}
                for row in counts.values():
                    for v, weight in row.items():
                        totals[v] = totals.get(v, 0) + weight
                arcs = {u: {v: w / totals[v] for v, w in row.items()} for u, row in counts.items()}
                for u in order[:12]:
                    right = widths_from(arcs, u)
                    for v in order:
                        answer = self.ask(d, f"{name}/path?from={u}&to={v}")
                        self.assertEqual(answer["reachable"], v in right)
                        if v not in right or u == v:
                            continue
                        path = answer["path"]
                        pairs = list(zip(path, path[1:]))
                        self.assertEqual([arc["width"] for arc in answer["arcs"]],
                                         [arcs[x][y] for x, y in pairs])
                        self.assertEqual([arc["weight"] for arc in answer["arcs"]],
                                         [counts[x][y] for x, y in pairs])
                        self.assertEqual(answer["width"], right[v])
                        self.assertEqual(walks(arcs, order, u, v, right[v], len(pairs))[0], path)
                    rows = self.ask(d, f"{name}/vertices/{u}/arcs")["arcs"]
                    self.assertEqual({row["to"]: row["width"] for row in rows}, arcs.get(u, {}))
                    widest = self.ask(d, f"{name}/vertices/{u}/arcs?sort=width")["arcs"]
                    self.assertEqual(widest, sorted(rows, key=lambda row: -row["width"]))

    def test_beside_shortest(self):
        """A profile of widest paths of a graph with lengths, and of a real one."""
        with self.daemon() as d:
            d.put("worm", data("celegans_newman.csv"), "?transform=inv")
            reply = d.ask("PUT", "/v1/graphs/worm/profiles/weakest",
                          {"transform": "none", "path": "widest"})
            d.wait(self.assertStatus(reply, 202).json["job"])
            arcs = {}
            text = d.ask("GET", "/v1/graphs/worm/arcs", None, CSV).body.decode()
            for row in csv.DictReader(io.StringIO(text)):
                of = arcs.setdefault(row["from"], {})
                of[row["to"]] = of.get(row["to"], 0) + float(row["weight"])
            order = self.ask(d, "worm/vertices?limit=1000")["vertices"]
            _, cells = npy(d.ask("GET", "/v1/graphs/worm/matrices/width?profile=weakest").body)
            for at, u in enumerate(order):
                right = widths_from(arcs, u)
                self.assertEqual(list(cells[at * len(order):(at + 1) * len(order)]),
                                 [right.get(v, 0) for v in order])
            profile = self.ask(d, "worm/profiles/weakest")
            self.assertEqual((profile["path"], profile["duplicates"]), ("widest", "sum"))


def npy_single(x):
    """The nearest float32."""
    return struct.unpack("f", struct.pack("f", x))[0]


if __name__ == "__main__":
    unittest.main()
