"""Matrices, tables of pairs, distances of a vertex, sets: each question is asked in
several ways, and all answers must say the same as a path and as Dijkstra."""
import csv
import io
import itertools
import json
import math
import os
import random
import struct
import unittest
import urllib.parse

from dijkstra import dijkstra
from harness import Case
from npy_file import npy
from real_graphs import LENGTH


def narrow(value):
    """As float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


class Agree(Case):
    """Path = table cell = matrix cell = row = set, whatever the encoding."""

    # For more: COMPARISONS=100000 python3 tests/e2e/test_agreement.py
    COMPARISONS = int(os.environ.get("COMPARISONS", 4000))

    def graph(self, chance, n, unit=1):
        names = [chance.choice(("v{}", "a,{}", 'q"{}', "é {}")).format(v) for v in range(n)]
        arcs = {}
        for _ in range(int(n * chance.choice((1, 1.5, 3)))):
            u, v = chance.sample(names, 2)
            arcs[u, v] = chance.randrange(1, 9) * unit
        arcs[names[0], names[1]] = 3 * unit
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
        for asked in [[v] for v in values] + [values[::-1]]:  # the order here has no effect
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
                d, f"{place}/distances{want}&nearest=5&max_distance={urllib.parse.quote(repr(bound))}").json
            self.assertEqual(answer["vertices"],
                             [other for far, _, other in near if far <= bound][:5])
            rows = self.ask_json(d, f"{place}/distances{want}&reachable=true",
                                 headers={"Accept": "text/csv"}).body.decode()
            rows = list(csv.reader(io.StringIO(rows)))[1:]
            self.assertEqual([row[0] for row in rows],
                             [other for other in labels if self.truth[pair(other)]])
            for bounded in ("", f"&max_distance={urllib.parse.quote(repr(bound))}"):
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
            rows.setdefault(u, {})[v] = LENGTH[transform](w)
        for u in labels:
            right = dijkstra(rows, u)
            for v in labels:
                truth = self.truth[u, v]
                self.assertEqual(truth is not None, v in right)
                if truth:
                    self.assertAlmostEqual(truth[0], right[v], delta=1e-5 * right[v])

    def check_graph(self, d, chance, arcs, body, rule):
        """Put a graph, and compare all answers about it."""
        transform, precision = rule
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
                self.check_graph(d, chance, arcs, body, (transform, precision))
        print(f"{self.compared} comparisons", flush=True)

    def check_stats(self, d):
        """Statistics and groups have the distances of the paths."""
        far = [t[0] for (u, v), t in self.truth.items() if t and u != v]
        pairs = sum(u != v for u, v in self.truth)
        stats = self.ask_json(d, "/stats").json
        self.assertEqual(stats["diameter"], max(far))
        self.assertAlmostEqual(stats["characteristic_path_length"] / (sum(far) / len(far)), 1)
        self.assertAlmostEqual(
            stats["global_efficiency"] / (sum(1 / t for t in far) / pairs), 1)
        labels = list(dict.fromkeys(u for u, _ in self.truth))
        table = io.StringIO()
        csv.writer(table).writerows([("label", "kind"), *((v, "one") for v in labels)])
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", table.getvalue().encode(),
                                {"Content-Type": "text/csv"}), 200)
        group, = self.ask_json(d, "/groups", {"attribute": "kind"}).json["groups"]
        self.assertEqual(group["min"], min(far))
        self.assertAlmostEqual(group["mean"] / (sum(far) / len(far)), 1)

    def test_nearest_pair_of_groups(self):
        """float32 rounds 1, 1 + 2^-40 and 1 + 2^-41 to one number."""
        arcs = (("a1", "b1", 1 + 2**-40), ("a2", "b1", 1 + 2**-41), ("a2", "b2", 1),
                ("a3", "b1", 1), ("a3", "a1", 0.5), ("b2", "a1", 2.5), ("b1", "a2", 2.5))
        body = "".join(f"{u},{v},{w!r}\n" for u, v, w in arcs)
        # with many vertices, the sums of a few pairs are looked up one by one
        many = "".join(f"c{i},c{i + 1},1\n" for i in range(80))
        with self.daemon() as d:
            for tables, others in itertools.product(("all", "distance", "none"), ("", many)):
                d.put("g", (body + others).encode(), f"?transform=none&tables={tables}")
                self.assertStatus(d.ask(
                    "PUT", "/v1/graphs/g/attributes",
                    b"label,kind\n" + b"".join(b"%c%d,%c\n" % (kind, i, kind)
                                               for kind in b"ab" for i in (1, 2, 3)),
                    {"Content-Type": "text/csv"}), 200)
                for sources, least in ((["a1", "a2", "a3"], 1), (["a1"], 1 + 2**-40)):
                    found = {(row["from"], row["to"]): (row["min"], row["nearest"])
                             for row in self.ask_json(d, "/groups", {
                                 "attribute": "kind", "sources": sources + ["b1", "b2"],
                             }).json["groups"]}
                    self.assertEqual(found["a", "b"], (
                        least, ["a2", "b2"] if least == 1 else ["a1", "b1"]), tables)
                    # the first of two equal pairs
                    self.assertEqual(found["b", "a"], (2.5, ["b1", "a2"]), tables)

    def test_lengths_that_float32_does_not_hold(self):
        """The issue's graph, random ones, and lengths whose difference alone is too small."""
        chance = random.Random(22)
        self.compared = 0
        small = {("a", "b"): 1e-60, ("b", "c"): 2e-60, ("a", "c"): 5e-60}
        shrinks = {("a", "b"): 1e-30, ("b", "c"): -math.nextafter(1e-30, 0)}
        with self.daemon() as d:
            d.put("warm", b"a,b,1\n", "?transform=hops")
            for arcs in (small, shrinks, *(
                    self.graph(chance, n, unit)[0] for n, unit in
                    ((9, 1e-60), (12, 1.1e-39), (40, 1e-45), (12, 1e38), (33, 1e300)))):
                body = io.StringIO()
                csv.writer(body).writerows((u, v, repr(w)) for (u, v), w in arcs.items())
                self.check_graph(
                    d, chance, arcs, body.getvalue().encode(), ("none", "float32"))
                self.assertIn("distances as float64", d.jobs()[0]["plan"])
                self.assertEqual(
                    d.ask("GET", "/v1/graphs/g/matrices/distance").body[:40].count(b"<f8"), 1)
                if arcs is not shrinks:
                    self.check_stats(d)
        print(f"{self.compared} comparisons", flush=True)


if __name__ == "__main__":
    unittest.main()
