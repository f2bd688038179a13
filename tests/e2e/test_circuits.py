"""Circuits beside NumPy: all arcs and pairs by brute force, with distances from all_pairs.py
and SciPy's Bellman-Ford; walks of a number of arcs by powers of the matrix; ties=all; refusals."""
import contextlib
import csv
import functools
import io
import json
import math
import os
import random
import tempfile
import unittest
from fractions import Fraction

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from all_pairs import all_pairs
from harness import Case, Daemon, data
from real_graphs import read

JSON = {"Content-Type": "application/json"}
# pairs of types of larva; all hundred take two minutes
TYPES = int(os.environ.get("APSP_CIRCUIT_TYPES", 8))
TOLERANCE = 1e-12


class Graph:
    """A graph as arrays: vertices in the order of the upload, arcs by tail and head."""

    def __init__(self, arcs, length, negative=False):
        self.labels = list(dict.fromkeys(label for arc in arcs for label in arc[:2]))
        self.index = {label: i for i, label in enumerate(self.labels)}
        merged = {}
        for start, end, weight in arcs:
            if start != end:
                merged[self.index[start], self.index[end]] = weight
        n = len(self.labels)
        self.tails, self.heads = (np.array(ends) for ends in zip(*sorted(merged)))
        self.weights = np.array([merged[arc] for arc in sorted(merged)])
        self.lengths = np.array([length(w) for w in self.weights])
        # Bellman-Ford of SciPy keeps zeros of a sparse matrix that has them explicitly
        matrix = sparse.csr_matrix((self.lengths, (self.tails, self.heads)), shape=(n, n))
        self.distances = (csgraph.bellman_ford if negative else all_pairs)(matrix)
        self.steps = all_pairs(matrix, unweighted=True)
        self.reached = sparse.csr_matrix(
            (np.ones(len(self.tails), bool), (self.tails, self.heads)), shape=(n, n))

    @functools.cached_property
    def places(self):
        """The index of each arc."""
        return {arc: i for i, arc in enumerate(zip(self.tails.tolist(), self.heads.tolist()))}

    def walks(self, sources, n_arcs):
        """[k, s, v]: whether there is a walk of k arcs from each source to v."""
        now = np.zeros((len(sources), len(self.labels)), bool)
        now[np.arange(len(sources)), sources] = True
        found = [now]
        for _ in range(n_arcs):
            found.append((sparse.csr_matrix(found[-1]) @ self.reached).toarray() > 0)
        return np.array(found)

    def walks_back(self, targets, n_arcs):
        now = np.zeros((len(self.labels), len(targets)), bool)
        now[targets, np.arange(len(targets))] = True
        found = [now]
        for _ in range(n_arcs):
            found.append((self.reached @ sparse.csr_matrix(found[-1])).toarray() > 0)
        return np.array(found)

    def circuit(self, sources, targets, slack=None, hops=None, within=None, tolerance=TOLERANCE):
        """(pairs, pairs of each vertex, pairs of each arc), pair by pair over all arcs."""
        pairs, vertices = 0, np.zeros(len(self.labels), int)
        arcs = np.zeros(len(self.tails), int)
        exactly = hops is not None and not hops.startswith("..")
        # what arcs need of each target, side by side in memory
        if exactly:
            out, back = self.walks(sources, int(hops)), self.walks_back(targets, int(hops))
            after = [[np.ascontiguousarray(step[:, j])[self.heads] for step in back]
                     for j in range(len(targets))]
        else:
            d = self.distances if hops is None else self.steps
            length = self.lengths if hops is None else 1
            rest = [np.ascontiguousarray(d[:, t]) for t in targets]
            after = [one[self.heads] for one in rest]
        for i, s in enumerate(sources):
            before = [step[i][self.tails] for step in out] if exactly else \
                d[s][self.tails] + length
            for j, t in enumerate(targets):
                if s == t:
                    continue
                if exactly:
                    n = int(hops)
                    if not out[n, i, t]:
                        continue
                    used = np.zeros(len(self.tails), bool)
                    met = np.zeros(len(self.labels), bool)
                    for k in range(n + 1):
                        met |= out[k, i] & back[n - k, :, j]
                        if k < n:
                            used |= before[k] & after[j][n - 1 - k]
                else:
                    bound = (int(hops[2:]) if hops is not None else
                             within + abs(within) * tolerance if within is not None else
                             d[s, t] + abs(d[s, t]) * ((1 + slack) * (1 + tolerance) - 1))
                    if d[s, t] == np.inf or d[s, t] > bound:
                        continue
                    met = d[s] + rest[j] <= bound
                    used = before + after[j] <= bound
                pairs += 1
                vertices += met
                arcs += used
        return pairs, vertices, arcs


def counts(graph, answer):
    """The answer as Graph.circuit() gives it."""
    vertices, arcs = np.zeros(len(graph.labels), int), np.zeros(len(graph.tails), int)
    for vertex in answer["vertices"]:
        vertices[graph.index[vertex["vertex"]]] = vertex["pairs"]
    for arc in answer["arcs"]:
        i = graph.places[graph.index[arc["from"]], graph.index[arc["to"]]]
        assert arc["weight"] == graph.weights[i] and arc["length"] == graph.lengths[i]
        arcs[i] = arc["pairs"]
    return answer["pairs"], vertices, arcs


def layers(answer, sources):
    """Fewest arcs of the answer from any source, by breadth-first search."""
    found = {v["vertex"]: 0 for v in answer["vertices"] if v["vertex"] in sources}
    heads = {}
    for arc in answer["arcs"]:
        heads.setdefault(arc["from"], []).append(arc["to"])
    queue = list(found)
    for vertex in queue:
        for head in heads.get(vertex, []):
            if head not in found:
                found[head] = found[vertex] + 1
                queue.append(head)
    return found


class CircuitCase(Case):
    def ask(self, d, graph, body, query="", status=200, problem=None):
        # a connection of its own: NumPy may take longer than the daemon keeps a silent one
        with contextlib.closing(d.client()) as client:
            reply = client.ask("POST", f"/v1/graphs/{graph}/circuit{query}",
                               json.dumps(body).encode(), JSON)
        return self.assertStatus(reply, status, problem)


class Larva(CircuitCase):
    """Questions about one graph, whose tables are computed once."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        where = tempfile.TemporaryDirectory(prefix="apspd-e2e-")
        cls.addClassCleanup(where.cleanup)
        cls.d = Daemon(where.name).start()
        cls.addClassCleanup(cls.d.stop)
        cls.d.put("larva", data("larva_edges.csv"), "?transform=inv")
        cls.annotated = cls.d.ask("PUT", "/v1/graphs/larva/attributes",
                                  data("larva_vertices.csv"), {"Content-Type": "text/csv"})
        cls.graph = Graph(list(read("larva")), lambda w: 1 / w)
        cls.rows = {row["id"]: row for row in csv.DictReader(
            io.StringIO(data("larva_vertices.csv").decode()))}

    def setUp(self):
        super().setUp()
        self.assertStatus(self.annotated, 200)

    def assertCircuit(self, graph, answer, right):
        pairs, vertices, arcs = counts(graph, answer)
        self.assertEqual(pairs, right[0])
        np.testing.assert_array_equal(vertices, right[1])
        np.testing.assert_array_equal(arcs, right[2])
        for vertex in answer["vertices"]:
            self.assertEqual(vertex["share"], vertex["pairs"] / pairs)

    def test_larva(self):
        """Pairs of types, drawn at random, with each kind of bound."""
        d, graph, rows = self.d, self.graph, self.rows
        members = {}
        for label, row in rows.items():
            members.setdefault(row["type"], []).append(graph.index[label])
        # a type of 800 neurons would take minutes here
        names = sorted(name for name in members if len(members[name]) <= 60)
        draw = random.Random(26)
        for _ in range(TYPES):
            start, end = draw.choice(names), draw.choice(names)
            for bound in ({}, {"slack": 0.1}, {"slack": 0.5}, {"hops": "4"}, {"hops": "..3"},
                          {"within": 0.25}):
                with self.subTest(start=start, end=end, **bound):
                    body = {"sources": {"match": [f"type:{start}"]},
                            "targets": {"match": [f"type:{end}"]}, "max_arcs": 100000, **bound}
                    right = graph.circuit(members[start], members[end],
                                          **(bound or {"slack": 0}))
                    answer = self.ask(d, "larva", body).json
                    n = int((right[2] > 0).sum())
                    self.assertEqual(answer["n_arcs"], n)
                    self.assertEqual(answer["truncated"], n > 100000)
                    if n > 100000:
                        continue
                    self.assertCircuit(graph, answer, right)
                    found = layers(answer, {graph.labels[s] for s in members[start]})
                    self.assertEqual({v["vertex"]: v["layer"] for v in answer["vertices"]}, found)
                    self.assertEqual(answer["pairs"] + answer["skipped"],
                                     len(members[start]) * len(members[end]))

    def test_rolled_up(self):
        """Values of an attribute: pairs that use any of the arcs between two values."""
        d, graph, rows = self.d, self.graph, self.rows
        sources = [graph.index[v] for v, row in rows.items() if row["type"] == "tPN"]
        targets = [graph.index[v] for v, row in rows.items() if row["type"] == "MBIN"]
        body = {"sources": {"match": ["type:tPN"]}, "targets": {"match": ["type:MBIN"]},
                "slack": 0.2, "by": "side"}
        answer = self.ask(d, "larva", body).json
        side = [rows[label]["side"] for label in graph.labels]
        arcs, vertices, members = {}, {}, {}
        for s in sources:
            for t in targets:
                if s == t:
                    continue
                _, met, used = graph.circuit([s], [t], slack=0.2)
                sides = {(side[graph.tails[a]], side[graph.heads[a]]) for a in np.flatnonzero(used)}
                for pair in sides:
                    arcs[pair] = arcs.get(pair, 0) + 1
                for value in {side[v] for v in np.flatnonzero(met)}:
                    vertices[value] = vertices.get(value, 0) + 1
                for a in np.flatnonzero(used):
                    members.setdefault((side[graph.tails[a]], side[graph.heads[a]]), set()).add(a)
        self.assertEqual({(a["from"], a["to"]): a["pairs"] for a in answer["arcs"]}, arcs)
        self.assertEqual({v["vertex"]: v["pairs"] for v in answer["vertices"]}, vertices)
        for arc in answer["arcs"]:
            chosen = sorted(members[arc["from"], arc["to"]])
            self.assertEqual(arc["arcs"], len(chosen))
            self.assertEqual(arc["weight"], graph.weights[chosen].sum())
            self.assertEqual(arc["length"], graph.lengths[chosen].min())

    def test_formats(self):
        """CSV has what JSON has, the question of the answer asks the same, sets are sets."""
        d, rows = self.d, self.rows
        body = {"sources": {"match": ["type:tPN"]}, "targets": {"match": ["type:APL", "side:L"]},
                "slack": 0.3}
        answer = self.ask(d, "larva", body).json
        self.assertEqual(self.ask(d, "larva", answer["question"]).json, answer)
        one = self.ask(d, "larva", {**body, "targets": {"match": ["label:15571194"]}}).json
        self.assertEqual(one["arcs"], answer["arcs"])
        self.assertEqual(self.ask(d, "larva", one["question"]).json, one)
        for end in ("sources", "targets"):
            conditions = body[end]["match"]
            labels = [label for label, row in rows.items()
                      if all(row[c.split(":")[0]] == c.split(":")[1] for c in conditions)]
            listed = self.ask(d, "larva", {**body, end: labels + labels[:1]}).json
            self.assertEqual(listed["arcs"], answer["arcs"])
        reply = self.ask(d, "larva", body, "?format=csv")
        self.assertEqual(reply.headers["Apsp-Revision"], answer["revision"])
        self.assertEqual(json.loads(reply.headers["Apsp-Question"]),
                         {name: answer[name] for name in ("graph", "profile", "rule", "question")})
        self.assertIn('"slack":0.3,', reply.headers["Apsp-Question"])  # the fewest digits
        arcs = list(csv.DictReader(io.StringIO(reply.body.decode())))
        self.assertEqual([(a["from"], a["to"], float(a["weight"]), float(a["length"]),
                           int(a["pairs"])) for a in arcs],
                         [tuple(a[k] for k in ("from", "to", "weight", "length", "pairs"))
                          for a in answer["arcs"]])
        reply = self.ask(d, "larva", body, "?format=csv&part=vertices")
        vertices = list(csv.DictReader(io.StringIO(reply.body.decode())))
        self.assertEqual(len(vertices), len(answer["vertices"]))
        for row, vertex in zip(vertices, answer["vertices"]):
            self.assertEqual((row["vertex"], int(row["layer"]), int(row["pairs"]),
                              float(row["share"])),
                             tuple(vertex[k] for k in ("vertex", "layer", "pairs", "share")))
            self.assertEqual({k: row[k] for k in ("name", "type", "group", "side") if row[k]},
                             vertex["attributes"])

    def test_too_many_arcs(self):
        """The bound that fits is the largest of three digits."""
        d = self.d
        sets = {"sources": {"match": ["type:tPN"]}, "targets": {"match": ["type:MBIN"]}}
        for bound, last, format_ in (({"slack": 0.1}, 0.001, float), ({"within": 0.2}, 0.001, float),
                                     ({"hops": "..4"}, 1, lambda n: f"..{n}")):
            name = next(iter(bound))
            whole = self.ask(d, "larva", {**sets, **bound, "max_arcs": 100000}).json
            body = {**sets, **bound, "max_arcs": len(whole["arcs"]) // 2}
            answer = self.ask(d, "larva", body).json
            self.assertEqual((answer["truncated"], answer["vertices"], answer["arcs"]),
                             (True, [], []))
            self.assertEqual(answer["n_arcs"], len(whole["arcs"]))
            fits = self.ask(d, "larva", {**body, name: format_(answer["fits"])}).json
            self.assertFalse(fits["truncated"])
            above = round(answer["fits"] + last, 6)
            self.assertTrue(self.ask(d, "larva", {**body, name: format_(above)}).json["truncated"])
            reply = self.ask(d, "larva", body, "?format=csv", 422, "search-limit")
            self.assertIn(f"{answer['n_arcs']} arcs", reply.json["detail"])
            self.assertIn(f"{answer['fits']:g}", reply.json["detail"])
        answer = self.ask(d, "larva", {**sets, "max_arcs": 3}).json
        self.assertEqual((answer["truncated"], answer["fits"]), (True, None))

    def test_too_many_steps(self):
        """3013² pairs with 3013 vertices each are more steps than one circuit may take."""
        reply = self.ask(self.d, "larva", {}, status=422, problem="search-limit")
        self.assertIn("circuit_steps", reply.json["detail"])


class Circuits(CircuitCase):
    def serve(self):
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        return d

    def test_bounds_that_fit(self):
        """Each of three digits, also below 0, and for lengths of any size."""
        d = self.serve()

        def fits(graph, middles, bound, max_arcs):
            arcs = "".join(f"s,v{i},{first!r}\nv{i},t,{second!r}\n"
                           for i, (first, second) in enumerate(middles))
            d.put(graph, arcs.encode(), "?transform=none&precision=float64")
            body = {"sources": ["s"], "targets": ["t"], "max_arcs": max_arcs, **bound}
            answer = self.ask(d, graph, body).json
            self.assertTrue(answer["truncated"])
            return answer["fits"]
        for size in (1e-250, 1e-7, 1, 1e7, 1e25, 1e250):
            ways = [(6.25 * size, 6.25 * size), (25 * size, 25.5 * size)]
            for middles, max_arcs, want in ((ways, 2, 50.4), (ways, 1, 12.4),
                                            ([(-b, -a) for a, b in ways], 2, -12.6)):
                want = float(f"{want * 10:.0f}e{round(math.log10(size)) - 1}")
                bounds = (60, 0, -3) if want < 0 else (60, 51)
                for bound in bounds:
                    with self.subTest(size=size, bound=bound, max_arcs=max_arcs):
                        self.assertEqual(
                            fits("g", middles, {"within": bound * size}, max_arcs), want)
        self.assertEqual(fits("g", [(6e6, 6.3e6), (2e7, 30000001)], {"within": 6e7}, 2), 5e7)
        self.assertEqual(fits("g", [(1, 1), (0.03, 0.05), (0.01, 0.0625)], {"within": 2}, 2),
                         0.0799)
        self.assertEqual(fits("g", [(1, 1), (1, 1.25)], {"slack": 0.5}, 2), 0.124)
        self.assertIsNone(fits("g", [(1, 1), (1, 1)], {"slack": 0.5}, 2))
        d.put("signs", b"s,a,-5\na,t,-5\ns,b,-4\nb,t,-4\ns,c,-1\nc,t,-1\n", "?transform=none")
        body = {"sources": ["s"], "targets": ["t"], "max_arcs": 4, "within": -2}
        reply = self.ask(d, "signs", body, "?format=csv", 422, "search-limit")
        self.assertIn('"within":-2.01 fits', reply.json["detail"])
        self.assertEqual(len(self.ask(d, "signs", {**body, "within": -2.01}).json["arcs"]), 4)

    def test_on_the_bound(self):
        """A walk whose exact length is the bound is within it, and no walk beyond it is, also if
        the bound as a double says otherwise. Ties with a tolerance have the same bound."""
        d = self.serve()
        third = 0.3333333333333333
        for longer, shorter, slack in (((2 / 3, 1 / 6, 1 / 6, 2 / 3), (1 / 6, 2 / 3), 1),
                                       ((.3, .1, .2), (.3, .1), .5), ((2, 2), (3,), third),
                                       ((2, 2), (3,), math.nextafter(third, 1))):
            body, n_arcs = "", len(shorter)
            if sum(map(Fraction, longer)) <= sum(map(Fraction, shorter)) * (1 + Fraction(slack)):
                n_arcs += len(longer)
            for name, walk in (("a", longer), ("b", shorter)):
                stops = ["s", *(f"{name}{k}" for k in range(1, len(walk))), "t"]
                body += "".join(f"{u},{v},{w!r}\n" for u, v, w in zip(stops, stops[1:], walk))
            d.put("g", body.encode(), "?transform=none")
            ties = d.ask("GET", f"/v1/graphs/g/path?from=s&to=t&ties=all&tolerance={slack!r}").json
            answer = self.ask(d, "g", {"sources": ["s"], "targets": ["t"], "slack": slack,
                                       "tolerance": 0}).json
            self.assertEqual((len(ties["arcs"]), len(answer["arcs"])), (n_arcs, n_arcs), longer)

    def test_ties(self):
        """Without slack, the arcs of a pair are those of all its shortest paths."""
        d = self.serve()
        draw = random.Random(3)
        kinds = {"none": "&transform=none", "hops": "&transform=hops", "inv": "&transform=inv",
                 "log": "&transform=log"}
        for kind, query in {**kinds, "zero": "&transform=none", "negative": "&transform=none"}.items():
            n, arcs = 14, []
            potential = [draw.randrange(5) for _ in range(n)]
            for start in range(n):
                for end in draw.sample(range(n), 5):
                    weight = draw.choice([1, 2, 3, 6])
                    if kind == "log":
                        weight = draw.choice([0.25, 0.5, 1 / 3, 1 / 9])
                    elif kind == "zero":
                        # no cycle of length 0: it would come back to an end of the pair
                        weight = draw.randrange(3) if start < end else 1 + draw.randrange(2)
                    elif kind == "negative":
                        weight += potential[end] - potential[start]
                    if start != end:
                        arcs.append(f"v{start},v{end},{weight!r}")
            d.put(kind, ("\n".join(arcs) + "\n").encode(), "?duplicates=min" + query)
            n_arcs = 0
            for start in range(n):
                end = draw.randrange(n)
                ends = f"v{start}", f"v{end}"
                ties = d.ask("GET", f"/v1/graphs/{kind}/path?from={ends[0]}&to={ends[1]}&ties=all")
                right = {(arc["from"], arc["to"]) for arc in ties.json["arcs"] or []}
                answer = self.ask(d, kind, {"sources": [ends[0]], "targets": [ends[1]]}).json
                found = {(arc["from"], arc["to"]) for arc in answer["arcs"]}
                self.assertEqual(found, right, (kind, ends))
                n_arcs += len(found)
            self.assertGreater(n_arcs, n)

    def test_left_out(self):
        """A rule leaves vertices out: no arc of theirs, and their pairs are skipped."""
        d = self.serve()
        d.put("g", b"a,x,1\nx,b,1\na,y,2\ny,b,2\n", "?transform=none")
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\nx,KC\n",
                                {"Content-Type": "text/csv"}), 200)
        self.assertNotIn("left_out", self.ask(d, "g", {}).json)
        d.put("g", b"a,x,1\nx,b,1\na,y,2\ny,b,2\n",
              "?transform=none&without=type:KC")
        answer = self.ask(d, "g", {"sources": ["a", "x"], "targets": ["b"]}).json
        self.assertEqual((answer["left_out"], answer["pairs"], answer["skipped"]), (1, 1, 1))
        self.assertEqual([(arc["from"], arc["to"]) for arc in answer["arcs"]],
                         [("a", "y"), ("y", "b")])
        self.assertIn("without", answer["rule"])

    def test_refusals(self):
        d = self.serve()
        d.put("g", b"a,b,1\nb,c,-1\nc,d,2\n", "?transform=none")
        for body, words, pointer in (
                ({"slack": -1}, "slack is '-1'; expected a number from 0", "/slack"),
                ({"slack": "1"}, "slack is '1'; expected a number", "/slack"),
                ({"slack": []}, "slack is a list; expected a number", "/slack"),
                ({"within": None}, "within is 'null'", "/within"),
                ({"hops": 4.5}, "hops is '4.5'; expected 4 for walks", "/hops"),
                ({"hops": -4}, "hops is '-4'; expected 4 for walks", "/hops"),
                ({"hops": "63"}, "hops is '63'; expected at most 62 for walks of exactly so many "
                                 "arcs, because a word of 64 bits", "/hops"),
                ({"hops": ".."}, "hops is '..'", "/hops"),
                ({"hops": "..100001"}, "up to 100000", "/hops"),
                ({"tolerance": 2}, "tolerance is '2'; expected a share", "/tolerance"),
                ({"max_arcs": 100001}, "from 0 to 100000", "/max_arcs"),
                ({"max_arcs": 1.5}, "a whole number", "/max_arcs"),
                ({"by": "type"}, "have no attributes", "/by"),
                ({"by": 1}, "by is '1'; expected the name of an attribute", "/by"),
                ({"sources": "a"}, "sources", "/sources"),
                ({"slack": 0, "within": 1}, "give one of them", None),
                ({"hops": "2", "tolerance": 0}, "leave one of them out", None),
                ({"slack": 0.1}, "negative lengths", None),
                ({"slacks": 1}, "'slacks' that is not known; expected sources", "/slacks"),
                ({"format": "dot"}, "'format', which belongs in the query: ?format=VALUE",
                 "/format")):
            reply = self.ask(d, "g", body, status=400, problem="malformed-request")
            self.assertIn(words, reply.json["detail"], body)
            if pointer:
                self.assertEqual(reply.json["pointer"], pointer)
        self.ask(d, "g", {"sources": ["x"]}, status=422, problem="unknown-vertex")
        self.ask(d, "g", {}, "?part=vertices", 400, "malformed-request")
        self.assertEqual(self.ask(d, "g", {"sources": []}).json["pairs"], 0)
        for hops in (2, 2.0):
            self.assertEqual(self.ask(d, "g", {"hops": hops}).json,
                             self.ask(d, "g", {"hops": "2"}).json)
        # all pairs: ab, ac, ad, bc, bd, cd
        self.assertEqual(self.ask(d, "g", {}).json["pairs"], 6)
        d.put("wide", b"a,b,1\n", "?path=widest")
        reply = self.ask(d, "wide", {}, status=400, problem="malformed-request")
        self.assertIn("path=shortest", reply.json["detail"])
        d.put("g", b"a,b,1e308\na,c,1e308\n", "?transform=none")
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", b"label,t\na,A\nb,B\nc,B\n",
                                {"Content-Type": "text/csv"}), 200)
        self.ask(d, "g", {"by": "t"}, status=422, problem="bad-data")


if __name__ == "__main__":
    unittest.main()
