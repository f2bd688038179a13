"""Graphs made from stored graphs: sums between the values of an attribute, and parts. The oracle
makes the same graph here, with exact sums by math.fsum, and uploads it: both have one revision,
which is a hash of labels and arcs in their order."""
import csv
import io
import json
import math
import random
import threading
import unittest

from harness import Case, data
from real_graphs import read

JSON, CSV = {"Content-Type": "application/json"}, {"Content-Type": "text/csv"}
ARCS = [("a", "b", 1), ("b", "c", 2), ("c", "a", 4), ("a", "d", 8), ("b", "b", 16), ("d", "a", 32),
        ("a", "c", 64), ("e", "a", 128), ("a", "b", 256)]
ATTRIBUTES = "label,type,side\na,KC,L\nb,KC,R\nc,PN,L\nd,,L\ne,MB,R\nz,XX,R\n"


def csv_of(arcs):
    return "".join(f"{u},{v},{w!r}\n" for u, v, w in arcs).encode()


def by_value(vertices, arcs, values):
    """The graph of the values: vertices and arcs in order of appearance."""
    sums = {}
    for u, v, w in arcs:
        if values.get(u) and values.get(v):
            sums.setdefault((values[u], values[v]), []).append(w)
    return (list(dict.fromkeys(values[v] for v in vertices if values.get(v))),
            [[u, v, math.fsum(weights)] for (u, v), weights in sums.items()])


def part(vertices, arcs, chosen):
    return ([v for v in vertices if v in chosen],
            [[u, v, w] for u, v, w in arcs if u in chosen and v in chosen])


class Derived(Case):
    def serve(self, arcs=ARCS, query="?transform=inv", attributes=ATTRIBUTES):
        d = self.daemon()
        d.start()
        self.addCleanup(lambda: d.process and d.stop())
        d.put("g", csv_of(arcs), query)
        if attributes:
            self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", attributes.encode(), CSV), 200)
        return d

    def derive(self, d, graph, query, status=202):
        return self.assertStatus(d.ask("PUT", f"/v1/graphs/{graph}?{query}"), status)

    def made(self, d, graph, query, status=202):
        """The receipt, once the graph answers."""
        receipt = self.derive(d, graph, query, status).json
        if receipt["job"]:
            self.assertEqual(d.wait(receipt["job"])["state"], "succeeded")
        return receipt

    def uploaded(self, d, graph, vertices, arcs, query="?transform=inv"):
        body = json.dumps({"vertices": vertices, "arcs": arcs}).encode()
        reply = d.ask("PUT", f"/v1/graphs/{graph}{query}", body, JSON)
        self.assertIn(reply.status, (200, 202), reply)
        return reply.json["revision"]

    def attributes(self, d, graph):
        return d.ask("GET", f"/v1/graphs/{graph}/attributes").body.decode()

    def test_small(self):
        d = self.serve()
        vertices = list("abcde")
        receipt = self.made(d, "types", "of=g&by=type")
        values = dict(zip("abce", ["KC", "KC", "PN", "MB"]))
        graph = by_value(vertices, ARCS, values)
        self.assertEqual(graph[1], [["KC", "KC", 273], ["KC", "PN", 66], ["PN", "KC", 4],
                                    ["MB", "KC", 128]])
        self.assertEqual(receipt["revision"], self.uploaded(d, "same", *graph))
        self.assertEqual(receipt["derived"], {"arcs_used": 7, "vertices_left_out": 1,
                                              "arcs_left_out": 2})
        self.assertEqual((receipt["vertices"], receipt["arcs"], receipt["loops"], receipt["rows"],
                          receipt["transform"]), (3, 4, 1, 4, "inv"))
        origin = d.ask("GET", "/v1/graphs/g").json["revision"]
        known = {"graph": "g", "revision": origin, "by": "type"}
        self.assertEqual(receipt["derived_from"], known)
        self.assertEqual(d.ask("GET", "/v1/graphs/types").json["derived_from"], known)
        self.assertIsNone(d.ask("GET", "/v1/graphs/g").json["derived_from"])
        self.assertEqual(d.path("types", "MB", "PN").json["distance"], 1 / 128 + 1 / 66)

        receipt = self.made(d, "left", "of=g&match=side:L&match=side:")
        self.assertEqual(receipt["revision"],
                         self.uploaded(d, "same", *part(vertices, ARCS, "acd")))
        self.assertEqual(receipt["derived_from"], {"graph": "g", "revision": origin,
                                                   "match": ["side:L", "side:"]})
        self.assertEqual(receipt["derived"], {"arcs_used": 4, "vertices_left_out": 2,
                                              "arcs_left_out": 5})
        self.assertEqual(self.attributes(d, "left"), "label,type,side\na,KC,L\nc,PN,L\nd,,L\n")
        chosen = d.ask("GET", "/v1/graphs/left/vertices?match=type:KC").json["vertices"]
        self.assertEqual(chosen, ["a"])
        # what was left out has no value there
        self.assertStatus(d.ask("GET", "/v1/graphs/left/vertices?match=type:MB"), 400)

    def test_larva(self):
        """The larva by three attributes, and parts of it."""
        arcs = list(read("larva"))
        vertices = list(dict.fromkeys(v for u, v2, _ in arcs for v in (u, v2)))
        chance = random.Random(26)
        columns = {"type": [chance.choice(["", *"ABCDEFGHIJ"]) for _ in vertices],
                   "name": [f"n{i // 2}" for i in range(len(vertices))],
                   "side": [chance.choice("LR") for _ in vertices]}
        text = "label," + ",".join(columns) + "\n" + "".join(
            ",".join(row) + "\n" for row in zip(vertices, *columns.values()))
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("larva", data("larva_edges.csv"), "?transform=inv&tables=none")
        d.ask("PUT", "/v1/graphs/larva/attributes", text.encode(), CSV)
        for name, column in columns.items():
            values = dict(zip(vertices, column))
            graph = by_value(vertices, arcs, values)
            receipt = self.made(d, name, f"of=larva&by={name}&tables=none")
            self.assertEqual(receipt["revision"],
                             self.uploaded(d, "same", *graph, "?transform=inv&tables=none"), name)
            left_out = sum(not value for value in column)
            used = sum(bool(values[u] and values[v]) for u, v, _ in arcs)
            self.assertEqual(receipt["derived"], {
                "arcs_used": used, "vertices_left_out": left_out,
                "arcs_left_out": len(arcs) - used})
        for conditions in (["side:L"], ["type:A", "type:", "side:R"]):
            chosen = {v for v, kind, side in zip(vertices, columns["type"], columns["side"])
                      if (side == "L" if len(conditions) == 1 else kind in ("A", "") and side == "R")}
            query = "".join(f"&match={condition}" for condition in conditions)
            receipt = self.made(d, "part", f"of=larva{query}&tables=none&default_rule=replace")
            self.assertEqual(receipt["revision"], self.uploaded(
                d, "same", *part(vertices, arcs, chosen), "?transform=inv&tables=none"))
            rows = list(csv.reader(io.StringIO(self.attributes(d, "part"))))[1:]
            self.assertEqual([row[0] for row in rows], [v for v in vertices if v in chosen])

    def test_exact_sums(self):
        """Weights of any sign and size: each sum is exact and rounded once, in every order."""
        chance = random.Random(7)
        labels = [f"v{i}" for i in range(40)]
        values = {v: f"t{i % 3}" for i, v in enumerate(labels)}
        d = self.serve()
        for spread in (0, 40, 300):
            arcs = [(chance.choice(labels), chance.choice(labels),
                     chance.choice((1, -1)) * chance.random() * 2.0 ** chance.randint(-spread, spread))
                    for _ in range(3000)]
            arcs += [(v, v, 1e-300) for v in labels]  # every vertex has an arc
            text = "label,type\n" + "".join(f"{v},{values[v]}\n" for v in labels)
            plain = 0
            for turn in range(2):
                chance.shuffle(arcs)
                vertices = list(dict.fromkeys(v for u, v2, _ in arcs for v in (u, v2)))
                wanted = by_value(vertices, arcs, values)
                for u, v, total in wanted[1]:
                    plain += total != sum(w for x, y, w in arcs
                                          if (values[x], values[y]) == (u, v))
                d.put("g", csv_of(arcs), "?transform=hops&tables=none")
                d.ask("PUT", "/v1/graphs/g/attributes", text.encode(), CSV)
                receipt = self.derive(d, f"t{spread}{turn}", "of=g&by=type&transform=none").json
                self.assertEqual(receipt["revision"], self.uploaded(
                    d, "same", *wanted, "?transform=none&tables=none"), spread)
            self.assertGreater(plain, 0, "a plain sum would do, so the test proves little")

    def test_rules(self):
        """A new graph has its origin's rule, of which sums keep the transform and the path."""
        d = self.serve(query="?transform=inv&min_weight=3")
        rule = ("transform", "min_weight")

        def of(graph):
            profile = d.ask("GET", f"/v1/graphs/{graph}/profiles/default").json
            return tuple(profile[name] for name in rule)
        self.made(d, "part", "of=g&match=side:L")
        self.assertEqual(of("part"), ("inv", 3))
        self.made(d, "types", "of=g&by=type")
        self.assertEqual(of("types"), ("inv", None))
        d.put("wide", csv_of(ARCS), "?path=widest&min_weight=3")
        d.ask("PUT", "/v1/graphs/wide/attributes", ATTRIBUTES.encode(), CSV)
        self.made(d, "widths", "of=wide&by=type")
        widths = d.ask("GET", "/v1/graphs/widths/profiles/default").json
        self.assertEqual((widths["path"], widths["min_weight"]), ("widest", None))
        reply = self.assertStatus(d.ask("PUT", "/v1/graphs/wide/profiles/thr", {"min_weight": 9}),
                                  202)
        self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
        self.assertEqual(d.ask("GET", "/v1/graphs/wide/profiles/thr").json["path"], "widest")
        self.made(d, "said", "of=g&by=type&transform=hops&min_weight=5")
        self.assertEqual(of("said"), ("hops", 5))
        # a stored graph keeps its own, and another one needs consent
        self.made(d, "said", "of=g&by=side")
        self.assertEqual(of("said"), ("hops", 5))
        self.derive(d, "said", "of=g&by=side&transform=inv", 409)
        self.made(d, "said", "of=g&by=side&transform=inv&default_rule=replace")
        self.assertEqual(of("said"), ("inv", None))
        refused = self.derive(d, "logs", "of=g&by=type&transform=log", 422).json["detail"]
        self.assertIn("the arc from 'KC' to 'KC': the weight is 273", refused)
        self.assertNotIn("line", refused)

    def test_origin(self):
        """The graph does not follow its origin, and needs it no more; a restart changes nothing."""
        d = self.serve()
        receipt = self.made(d, "left", "of=g&match=side:L")
        record = d.ask("GET", "/v1/graphs/left").json
        attributes = self.attributes(d, "left")
        d.put("g", csv_of(ARCS[:5]))
        self.assertEqual(d.ask("GET", "/v1/graphs/left").json, record)
        self.assertStatus(d.ask("DELETE", "/v1/graphs/g/attributes"), 204)
        self.assertStatus(d.ask("DELETE", "/v1/graphs/g"), 204)
        for stamp in (record["stamp"], None):  # a new one after a restart
            now = d.ask("GET", "/v1/graphs/left").json
            self.assertEqual({**now, "stamp": stamp or now["stamp"]},
                             {**record, "stamp": now["stamp"]})
            self.assertEqual(self.attributes(d, "left"), attributes)
            self.assertEqual(record["derived_from"], receipt["derived_from"])
            self.assertEqual(d.path("left", "c", "d").json["path"], ["c", "a", "d"])
            d.restart()
        self.derive(d, "left", "of=g&match=side:L", 404)

    def test_again(self):
        """The record names the origin of the newest PUT, also if the arcs are the same."""
        d = self.serve()
        first = self.made(d, "left", "of=g&match=side:L")
        again = self.made(d, "left", "of=g&match=side:L", 200)
        self.assertEqual((again["job"], again["derived_from"]), (None, first["derived_from"]))
        self.made(d, "left", "of=g&match=side:L&match=type:KC&match=type:PN&match=type:", 200)
        self.assertEqual(len(d.ask("GET", "/v1/graphs/left").json["derived_from"]["match"]), 4)
        # new attributes of the origin come along
        d.ask("PUT", "/v1/graphs/g/attributes", b"label,side\na,L\nc,L\nd,L\n", CSV)
        self.made(d, "left", "of=g&match=side:L", 200)
        self.assertEqual(self.attributes(d, "left"), "label,side\na,L\nc,L\nd,L\n")
        # a file with the same arcs is an upload
        vertices, arcs = part("abcde", ARCS, "acd")
        self.assertEqual(self.uploaded(d, "left", vertices, arcs, ""), first["revision"])
        self.assertIsNone(d.ask("GET", "/v1/graphs/left").json["derived_from"])
        # a graph may be made from itself
        self.made(d, "g", "of=g&match=side:L", 200)  # the tables of `left` are its tables, too
        self.assertEqual(d.ask("GET", "/v1/graphs/g").json["derived_from"]["graph"], "g")

    def test_again_with_other_attributes(self):
        """If the origin's new attributes change a rule's choice, its tables are made anew."""
        d = self.serve()
        self.made(d, "left", "of=g&match=side:L")
        reply = d.ask("PUT", "/v1/graphs/left/profiles/p", {"without": ["type:PN"]}).json
        self.assertEqual(d.wait(reply["job"])["state"], "succeeded")
        self.assertIsNone(d.path("left", "a", "c", "&profile=p").json["distance"])
        for types, distance in ("PN KC KC", None), ("KC KC KC", 409), ("KC KC PN", 1 / 64):
            d.ask("PUT", "/v1/graphs/g/attributes", "".join([
                "label,side,type\n", *map("{},L,{}\n".format, "acd", types.split())]).encode(), CSV)
            jobs = self.made(d, "left", "of=g&match=side:L", 200)["jobs"]
            state = d.wait(jobs["p"])["state"]
            reply = d.path("left", "a", "c", "&profile=p")
            if distance == 409:
                self.assertStatus(reply, 409, "tables-failed")
                self.assertIn("without=type:PN chooses nobody", reply.json["detail"])
            else:
                self.assertEqual((state, reply.json["distance"]), ("succeeded", distance))

    def test_refusals(self):
        d = self.serve()
        d.put("bare", csv_of(ARCS), "?transform=inv")
        for query, status, words in (
                ("of=nobody&by=type", 404, "there is no graph 'nobody'"),
                ("of=g", 400, "of has neither by nor match"),
                ("of=g&by=type&match=side:L", 400, "of has both by and match"),
                ("by=type", 400, "by chooses from a stored graph"),
                ("match=side:L", 400, "match chooses from a stored graph"),
                ("of=g&by=kind", 400, "expected one of: type, side"),
                ("revision=x", 400, "revision chooses from a stored graph"),
                ("of=g&by=type&revision=x", 412, "x"),
                ("of=g&match=kind:x", 400, "expected one of: type, side"),
                ("of=g&match=type:XY", 400, "no vertex has the type 'XY'"),
                ("of=g&match=type", 400, "expected name:value"),
                ("of=g&match=type:PN&match=side:R", 422, "no vertex of 'g' matches"),
                ("of=bare&by=type", 400, "have no attributes"),
                ("of=g&by=type&format=csv", 400, "format describes a file"),
                ("of=g&by=type&undirected=true", 400, "undirected describes a file"),
                ("of=g&by=type&prove=all", 400, "prove describes a file"),
                ("of=g&by=type&tables=recompute", 400, "tables is 'recompute'"),
                ("of=g&match=label:x", 400, "no vertex has the label 'x'"),
                ("of=g&by=type&min_weight=x", 400, "min_weight"),
                ("of=g&by=type&by=side", 400, "")):
            reply = self.derive(d, "new", query, status)
            self.assertIn(words, reply.json["detail"], query)
        for body in (b"a,b,1\n", b" "):
            reply = self.assertStatus(d.ask("PUT", "/v1/graphs/new?of=g&by=type", body, CSV), 400)
            self.assertIn("the body is not empty", reply.json["detail"])
        self.assertStatus(d.ask("PUT", "/v1/graphs/new?of=g&by=type", b"", CSV), 202)
        self.assertStatus(d.ask("GET", "/v1/graphs/bare/path?from=a&to=b"), 200)
        reply = self.assertStatus(d.ask("PUT", "/v1/graphs/n2?of=g&by=type", None,
                                        {"If-Match": '"x"'}), 412)

    def test_replaced_meanwhile(self):
        """While the origin is replaced again and again, each answer is of one of its uploads."""
        other = [(v, u, w) for u, v, w in ARCS]
        d = self.serve()
        wanted = {self.uploaded(d, name, *by_value(list(dict.fromkeys(
            x for u, v, _ in arcs for x in (u, v))), arcs,
            dict(zip("abce", ["KC", "KC", "PN", "MB"])))): arcs
            for name, arcs in (("w1", ARCS), ("w2", other))}
        self.assertEqual(len(wanted), 2)
        ended = threading.Event()

        def replace():
            client = d.client()
            while not ended.is_set():
                for arcs in (other, ARCS):
                    client.ask("PUT", "/v1/graphs/g", csv_of(arcs), CSV)
            client.close()
        thread = threading.Thread(target=replace)
        thread.start()
        try:
            seen = set()
            for i in range(60):
                reply = d.ask("PUT", f"/v1/graphs/t{i % 3}?of=g&by=type")
                self.assertIn(reply.status, (200, 202, 503), reply)
                if reply.status != 503:
                    self.assertIn(reply.json["revision"], wanted)
                    seen.add(reply.json["revision"])
            self.assertTrue(seen)
        finally:
            ended.set()
            thread.join()


if __name__ == "__main__":
    unittest.main()
