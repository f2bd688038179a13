"""Sets of vertices in bodies: lists of labels, and choices by attributes. A choice has the
answer of the list of labels that pandas' way of choosing gives."""
import csv
import io
import json
import unittest

from harness import Case, data

ARCS = b"a,b,1\nb,c,2\nc,d,4\nd,a,8\ne,a,16\nb,e,1\n"
ATTRIBUTES = b"label,type,side\na,PN,left\nb,PN,right\nc,KC,left\nd,KC,\ne,,right\n"
JSON = {"Content-Type": "application/json"}
# conditions, and the vertices that they choose
CHOICES = [
    (["type:PN"], "ab"), (["type:PN", "type:KC"], "abcd"), (["type:KC", "side:left"], "c"),
    (["side:"], "d"), (["type:", "side:right"], "e"), (["type:KC", "side:right"], ""),
    (["side:right", "type:PN", "side:left"], "ab"),
    (["label:b", "label:c", "type:KC"], "c"),
]


class VertexSets(Case):
    def serve(self):
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("g", ARCS)
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", ATTRIBUTES,
                                {"Content-Type": "text/csv"}), 200)
        return d

    def ask(self, d, target, body, status=200, graph="g"):
        reply = d.ask("POST", f"/v1/graphs/{graph}/{target}", json.dumps(body).encode(), JSON)
        return self.assertStatus(reply, status)

    def test_table(self):
        d = self.serve()
        for conditions, chosen in CHOICES:
            choice, labels = {"match": conditions}, list(chosen)
            for query in ("", "?format=csv", "?format=ndjson&layout=long&values=distance,hops",
                          "?nearest=2"):
                for by, of in (({"sources": choice}, {"sources": labels}),
                               ({"targets": choice}, {"targets": labels}),
                               ({"sources": ["e"], "targets": choice},
                                {"sources": ["e"], "targets": labels}),
                               ({"sources": choice, "targets": choice},
                                {"sources": labels, "targets": labels})):
                    self.assertEqual(self.ask(d, "table" + query, by).body,
                                     self.ask(d, "table" + query, of).body, (by, query))
        # a list keeps its order and its repetitions, and match= of the query chooses in it
        table = self.ask(d, "table?match=type:PN", {"sources": ["d", "a", "d"],
                                                    "targets": ["c", "b", "a", "b"]}).json
        self.assertEqual((table["sources"], table["targets"]), (list("dad"), list("bab")))

    def test_empty_lists(self):
        """Every question has the same answer with and without tables."""
        d = self.serve()
        for graph in ("distance", "none"):
            d.put(graph, ARCS, f"?tables={graph}")
            self.assertStatus(d.ask("PUT", f"/v1/graphs/{graph}/attributes", ATTRIBUTES,
                                    {"Content-Type": "text/csv"}), 200)
        questions = [("paths", {}), ("groups", {"attribute": "type"})] + [
            ("table" + query, {}) for query in (
                "", "?values=hops,predecessor", "?values=reachable", "?nearest=2", "?format=csv",
                "?format=csv&layout=long", "?format=npy")]
        for lists in ({"targets": []}, {"sources": ["a", "c"], "targets": []}, {"sources": []},
                      {"sources": [], "targets": ["a"]}, {"sources": [], "targets": []}):
            for target, body in questions:
                want = self.ask(d, target, {**body, **lists}).body
                for graph in ("distance", "none"):
                    self.assertEqual(self.ask(d, target, {**body, **lists}, graph=graph).body,
                                     want, (graph, target, lists))
            table = self.ask(d, "table", lists, graph="none").json
            self.assertEqual(table["distance"], [[] for _ in lists.get("sources", "abcde")])
            self.assertEqual(self.ask(d, "circuit", lists, graph="none").json["pairs"], 0)
        self.assertEqual(self.ask(d, "reachable", {"sources": []}, graph="none").json["count"], 0)

    def test_paths(self):
        """Each source with each target, in the order of the sets, as a list of these pairs."""
        d = self.serve()
        for conditions, chosen in CHOICES:
            choice = {"match": conditions}
            for query in ("", "?format=csv", "?format=ndjson&values=distance,path"):
                for sets, pairs in (
                        ({"sources": choice, "targets": ["e", "a"]},
                         [[s, t] for s in chosen for t in "ea"]),
                        ({"sources": ["e", "a", "e"], "targets": choice},
                         [[s, t] for s in "eae" for t in chosen]),
                        ({"sources": choice}, [[s, t] for s in chosen for t in "abcde"]),
                        ({"targets": choice}, [[s, t] for s in "abcde" for t in chosen])):
                    self.assertEqual(self.ask(d, "paths" + query, sets).body,
                                     self.ask(d, "paths" + query, {"pairs": pairs}).body, sets)
        for body, words in (({"pairs": [], "sources": ["a"]}, "either pairs, or"),
                            ({}, "pairs is missing")):
            reply = self.ask(d, "paths", body, 400)
            self.assertIn(words, reply.json["detail"])
            self.assertEqual(reply.json["pointer"], "/pairs")

    def test_groups(self):
        """The pairs from a set to a set, grouped by hand from the distances of the pairs."""
        d = self.serve()
        types = dict(zip("abcde", ["PN", "PN", "KC", "KC", ""]))
        for conditions, chosen in CHOICES:
            choice = {"match": conditions}
            for sets, sources, targets in (
                    ({"sources": choice}, chosen, "abcde"),
                    ({"targets": choice}, "abcde", chosen),
                    ({"sources": choice, "targets": ["c", "a", "c"]}, chosen, "ac")):
                groups = {(row["from"], row["to"]): row for row in self.ask(
                    d, "groups", {"attribute": "type", **sets}).json["groups"]}
                self.assertEqual(len(groups), 4)
                for (start, end), row in groups.items():
                    pairs = [(s, t) for s in sources for t in targets
                             if s != t and types[s] == start and types[t] == end]
                    lengths = [d.path("g", s, t).json["distance"] for s, t in pairs]
                    self.assertEqual(row["pairs"], len(pairs), (sets, start, end))
                    lengths = [length for length in lengths if length is not None]
                    self.assertEqual(row["reachable"], len(lengths))
                    self.assertEqual(row["min"], min(lengths, default=None))
                    self.assertEqual(row["mean"], sum(lengths) / len(lengths) if lengths else None)
        both = self.ask(d, "groups?match=side:left", {"attribute": "type"}).json["groups"]
        sets = {name: {"match": ["side:left"]} for name in ("sources", "targets")}
        self.assertEqual(self.ask(d, "groups", {"attribute": "type", **sets}).json["groups"], both)
        # match= of the query chooses in lists of labels
        sets = {name: list(types) for name in sets}
        self.assertEqual(self.ask(d, "groups?match=side:left", {
            "attribute": "type", **sets}).json["groups"], both)

    def test_groups_csv(self):
        d = self.serve()
        d.put("h", b"a,b,1\nb,c,2\nd,c,3\n")
        d.ask("PUT", "/v1/graphs/h/attributes", b'label,type\na,"P, N"\nb,KC\nc,KC\nd,"P, N"\n',
              {"Content-Type": "text/csv"})
        reply = d.ask("POST", "/v1/graphs/h/groups", {"attribute": "type"}, {"Accept": "text/csv"})
        rows = list(csv.DictReader(io.StringIO(reply.body.decode())))
        wanted = self.ask(d, "groups", {"attribute": "type"}, graph="h").json["groups"]
        self.assertEqual(len(rows), 4)
        for row, want in zip(rows, wanted, strict=True):
            nearest = want.pop("nearest") or ["", ""]
            want = {**want, "nearest_from": nearest[0], "nearest_to": nearest[1]}
            self.assertEqual(list(row), list(want))
            for name, value in want.items():
                cell = row[name] if isinstance(value, str) or row[name] == "" else float(row[name])
                self.assertEqual(cell, "" if value is None else value, (name, row))

    def test_groups_refused(self):
        d = self.serve()
        choice = {"match": ["side:left"]}
        for body, query, pointer, words in (
                ({"sources": choice}, "", "/attribute", "'attribute' is missing"),
                ({"attribute": 7}, "", "/attribute", "'attribute' is no string"),
                ({"attribute": "type", "sources": "side"}, "", None, "expected either"),
                ({"sources": "type", "targets": choice}, "", "/targets", "is a set of vertices"),
                ({"sources": "type"}, "", "/targets", "'targets' is missing"),
                ({"attribute": "type", "targets": choice}, "?match=type:PN", "/targets",
                 "put all conditions into the body")):
            reply = self.ask(d, "groups" + query, body, 400)
            self.assertIn(words, reply.json["detail"])
            self.assertEqual(reply.json.get("pointer"), pointer, body)

    def reached(self, d, graph, body, **kwargs):
        answer = self.ask(d, "reachable", body, graph=graph, **kwargs).json
        self.assertEqual(answer["count"], len(answer["vertices"]))
        return answer

    def test_reachable(self):
        """Steps by a search here, from all vertices of the set at once."""
        d = self.serve()
        arcs = [line.split(",")[:2] for line in ARCS.decode().split()]
        for conditions, chosen in CHOICES:
            for direction in ("out", "in"):
                ways = arcs if direction == "out" else [arc[::-1] for arc in arcs]
                for max_hops in (None, 0, 1, 2, 7):
                    for among in ("abcde", "ce"):
                        steps, level = {}, list(chosen)
                        for n in range(len("abcde") + 1):
                            steps.update((v, n) for v in level if v not in steps)
                            level = [t for s, t in ways if s in level and t not in steps]
                        want = [{"vertex": v, "steps": n} for v, n in sorted(steps.items())
                                if v in among and (max_hops is None or n <= max_hops)]
                        ends = ("sources", "targets")[::1 if direction == "out" else -1]
                        body = {ends[0]: {"match": conditions}, "direction": direction}
                        if among != "abcde":
                            body[ends[1]] = list(among)
                        if max_hops is not None:
                            body["max_hops"] = max_hops
                        answer = self.reached(d, "g", body)
                        self.assertEqual(answer["vertices"], want, body)
                        self.assertEqual((answer["direction"], answer["set"]),
                                         (direction, len(chosen)))

    def test_reachable_of_larva(self):
        """As the reach sets and the distances of each vertex of the set, bit for bit, with and
        without tables."""
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        answers = {}
        for name, tables in (("all", "all"), ("none", "none")):
            d.put(name, data("larva_edges.csv"), f"?transform=inv&tables={tables}")
            graph = f"/v1/graphs/{name}/vertices/"
            labels = d.ask("GET", graph[:-1] + "?limit=10000").json["vertices"]
            chosen = [labels[i] for i in (2000, 17, 900, 17, 3, 2999)]
            for direction, member in (("out", "sources"), ("in", "targets")):
                for limits in ({"max_hops": 2}, {"max_hops": 3, "max_distance": 0.0625},
                               {"max_distance": 0.1}, {"values": ["distance"]}):
                    answer = self.reached(d, name, {
                        member: chosen, "direction": direction, **limits})
                    self.assertEqual(answer["set"], 5)
                    found = {row.pop("vertex"): row for row in answer["vertices"]}
                    answers.setdefault((direction, str(limits)), []).append(found)
                    if tables == "none":
                        continue
                    query = "".join(f"&{option}={value}" for option, value in limits.items()
                                    if option != "values")
                    want = {}
                    for v in dict.fromkeys(chosen):
                        one = d.ask("GET", f"{graph}{v}/reachable?direction={direction}"
                                    f"&values=distance{query}").json
                        for u, distance in zip(one["vertices"], one["distance"]):
                            best = want.setdefault(u, {"distance": distance, "nearest": v})
                            if distance < best["distance"]:
                                best.update(distance=distance, nearest=v)
                        if "max_hops" in limits and len(limits) == 1:
                            for u, n in zip(one["vertices"], one["steps"]):
                                want[u]["steps"] = min(n, want[u].get("steps", n))
                    self.assertTrue(want)
                    if len(limits) == 2:  # each bound holds for some vertex of the set
                        self.assertLessEqual(want.keys(), found.keys())
                        continue
                    self.assertEqual(list(found), [v for v in labels if v in want])
                    for u, row in found.items():
                        self.assertEqual(row, {name: want[u].get(name, row[name])
                                               for name in row})
        for question, (with_tables, without) in answers.items():
            self.assertEqual(with_tables, without, question)

    def test_reachable_csv(self):
        d = self.serve()
        body = {"sources": ["b", "d"], "max_hops": 1}
        self.assertEqual(self.ask(d, "reachable?format=csv", body).body,
                         b"vertex,steps\na,1\nb,0\nc,1\nd,0\ne,1\n")
        self.assertEqual(self.ask(d, "reachable?format=csv", {**body, "max_distance": 2}).body,
                         b"vertex,steps,distance,nearest\nb,0,0,b\nc,1,2,b\nd,0,0,d\ne,1,1,b\n")
        lines = self.ask(d, "reachable?format=ndjson", body).body.splitlines()
        self.assertEqual(json.loads(lines[0]), {"vertex": "a", "steps": 1})

    def test_reachable_refused(self):
        d = self.serve()
        for body, pointer, words in (
                ({}, "/sources", "sources is missing"),
                ({"targets": ["a"]}, "/sources", '"direction":"in"'),
                ({"sources": ["a"], "direction": "in"}, "/targets", "targets is missing"),
                ({"sources": ["a"], "direction": "up"}, "/direction", "'up'; expected"),
                ({"sources": ["a"], "direction": ["in"]}, "/direction", "is a list; expected"),
                ({"sources": ["a"], "max_hops": "2"}, "/max_hops", "expected a number"),
                ({"sources": ["a"], "max_hops": 1.5}, "/max_hops", "a whole number"),
                ({"sources": ["a"], "max_hops": -1}, "/max_hops", "a whole number"),
                ({"sources": ["a"], "max_hops": 2 ** 32 - 1}, "/max_hops", "a whole number"),
                ({"sources": ["a"], "max_distance": None}, "/max_distance", "expected a number"),
                ({"sources": ["a"], "max_distance": 10 ** 400}, "/max_distance", "64-bit"),
                ({"sources": ["a"], "values": ["hops"]}, "/values", "'hops'"),
                ({"sources": ["a"], "values": []}, "/values", "is empty"),
                ({"sources": ["a"], "values": ["distance"] * 2}, "/values", "expected the list"),
                ({"sources": ["a"], "hops": 2}, "/hops", "not known")):
            reply = self.ask(d, "reachable", body, 400)
            self.assertIn(words, reply.json["detail"])
            self.assertEqual(reply.json["pointer"], pointer, body)
        reply = d.ask("GET", "/v1/graphs/g/vertices/a/distances?max_distance=1e-400")
        self.assertIn("finite decimal number of 64-bit", reply.json["detail"])
        self.assertIn("'match'", self.ask(d, "reachable?match=type:PN", {"sources": ["a"]},
                                          400).json["detail"])

    def test_too_many_pairs(self):
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("larva", data("larva_edges.csv"), "?transform=inv&tables=none")
        labels = d.ask("GET", "/v1/graphs/larva/vertices?limit=10000").json["vertices"]
        reply = self.ask(d, "paths", {"sources": labels[:34]}, 413, graph="larva")
        self.assertIn("34 sources and 3013 targets make 102442 pairs", reply.json["detail"])

    def test_refusals(self):
        """Each refusal has a pointer to the wrong item, for every question with sets."""
        d = self.serve()
        cases = [
            ({"match": ["type:PX"]}, 400, "/match/0", "no vertex has the type 'PX'"),
            ({"match": ["side:left", "kind:PN"]}, 400, "/match/1", "expected one of: type, side"),
            ({"match": ["side:left", "PN"]}, 400, "/match/1", "expected name:value"),
            ({"match": [7]}, 400, "/match/0", "is no string"),
            ({"match": [["type:PN"]]}, 400, "/match/0", "is no string"),
            ({"match": "type:PN"}, 400, "", "a 'match' that is not a list"),
            ({"match": {"type": "PN"}}, 400, "", "a 'match' that is not a list"),
            ({"match": []}, 400, "", "has no condition"),
            ({"match": ["type:PN"] * 33}, 400, "/match/32", "more than 32 conditions"),
            ({}, 400, "", "has no condition"),
            ({"type": "PN"}, 400, "", "a member that is not 'match'"),
            ({"match": ["type:PN"], "side": 1}, 400, "", "a member that is not 'match'"),
            (7, 400, "", "neither a list nor an object"),
            (None, 400, "", "neither a list nor an object"),
            (["a", 7], 400, "/1", "is no string"),
            (["a", "b", "x"], 422, "/2", "'x' is not in the graph"),
        ]
        for target, other, members in QUESTIONS:
            for member in members:
                for value, status, place, words in cases:
                    reply = self.ask(d, target, {**other, member: value}, status)
                    self.assertIn(words, reply.json["detail"], (target, member, value))
                    self.assertEqual(reply.json["pointer"], f"/{member}{place}")
        reply = self.ask(d, "table", {"sources": {"match": ["side:leftt"]}}, 400)
        self.assertEqual(reply.json["suggestions"], ["left"])
        self.assertEqual(reply.json["pointer"], "/sources/match/0")
        twice = b'{"sources":{"match":["type:PN"],"match":["type:KC"]}}'
        reply = self.assertStatus(d.ask("POST", "/v1/graphs/g/table", twice, JSON), 400)
        self.assertIn("'match' twice", reply.json["detail"])
        reply = self.ask(d, "table?match=side:left", {"targets": {"match": ["type:PN"]}}, 400)
        self.assertEqual(reply.json["pointer"], "/targets")
        d.put("h", ARCS)
        reply = self.ask(d, "table", {"sources": {"match": ["type:PN"]}}, 400, graph="h")
        self.assertIn("have no attributes", reply.json["detail"])

    def test_texts(self):
        """A text with a NUL or with bytes that are not UTF-8 is refused, wherever it is."""
        d = self.serve()
        sets = [b'{"sources":["a%s"]}', b'{"targets":{"match":["type:%sxxxxxxxxxxxxxxxx"]}}',
                b'{"sources":{"match%s":["type:PN"]}}', b'{"sources%s":["a"]}']
        pairs = [b'{"pairs":[["a","b"],["a","a%s"]]}', b'{"pairs":[["x%s","a"]]}']
        for target, bodies in (
                ("table", [*sets, b'{"values":["hops%s"]}']), ("paths", [*sets, *pairs]),
                ("paths?values=hops", pairs), ("paths?format=csv", pairs),
                ("paths?format=ndjson", pairs), ("groups", [*sets, b'{"attribute":"type%s"}']),
                ("reachable", [*sets, b'{"direction":"out%s"}']),
                ("circuit", [*sets, b'{"by":"type%s"}']), ("compare", [b'{"with":"g%s"}'])):
            for body in bodies:
                for text in (b"\\u0000", b"\xff", b"\xed\xa0\x80"):
                    reply = self.assertStatus(
                        d.ask("POST", "/v1/graphs/g/" + target, body % text, JSON), 400)
                    self.assertIn("the body is not JSON: ", reply.json["detail"])
                    if target != "compare":  # its body is parsed by jansson, which has other words
                        self.assertIn("is not UTF-8 text without NUL", reply.json["detail"])
        reply = d.ask("POST", "/v1/graphs/g/table", b'{"sources":[\n"a\\u0000b"]}', JSON)
        self.assertEqual(reply.json["detail"], "the body is not JSON: line 2, column 1: 'a?b' is "
                                               "not UTF-8 text without NUL")

    def test_pieces(self):
        """A set is the same however its body is cut into pieces."""
        d = self.serve()
        body = json.dumps({"sources": {"match": ["type:PN", "side:left"]}}).encode()
        whole = self.assertStatus(d.ask("POST", "/v1/graphs/g/table", body, JSON), 200)
        for cut in range(1, len(body)):
            chunks = iter([body[:cut], body[cut:]])
            reply = d.ask("POST", "/v1/graphs/g/table", chunks, JSON)
            self.assertEqual(reply.body, whole.body)


# the questions with sets: what comes after the graph, other members of the body, the sets' names
QUESTIONS = [
    ("table", {}, ("sources", "targets")),
    ("paths", {}, ("sources", "targets")),
    ("groups", {"attribute": "type"}, ("sources", "targets")),
    ("reachable", {}, ("sources", "targets")),
]

if __name__ == "__main__":
    unittest.main()
