"""The graph itself over HTTP, on the larva's brain with its neurons' groups: pages of
vertices, one vertex, its arcs, what attributes choose, and distances between groups."""
import csv
import io
import math
import unittest

from harness import Case, data

# From an independent program, under transform=inv (tests/data/README.md).
GROUPS = {
    # from, to: ordered pairs of different vertices, those with a path, least, mean
    ("sensories", "KCs"): (65943, 64107, 0.0311306340718, 0.878879353620),
    ("KCs", "MBONs"): (7344, 7344, 0.0158730158730, 0.296224695042),
    ("MBONs", "dVNCs"): (8736, 8736, 0.05, 0.428178605799),
    ("KCs", "KCs"): (23256, 23256, 0.0153846153846, 0.398533687978),
    ("unk", "unk"): (158802, 138736, 0.0526315789474, 0.898036885090),
}
# Lengths are rounded to units when paths are chosen, and distances to float32.
CLOSE = 1e-5


class Vertices(Case):
    def test_larva(self):
        neurons = list(csv.DictReader(io.StringIO(
            data("larva_vertices.csv").decode())))
        out, into = {}, {}
        for line in data("larva_edges.csv").decode().splitlines():
            start, end, weight = line.split(",")
            if start != end:
                out.setdefault(start, {})[end] = float(weight)
                into.setdefault(end, {})[start] = float(weight)
        with self.daemon() as d:
            d.put("larva", data("larva_edges.csv"), "?transform=inv")
            reply = self.assertStatus(
                d.ask("PUT", "/v1/graphs/larva/attributes", data("larva_vertices.csv"),
                      {"Content-Type": "text/csv"}), 200).json
            self.assertEqual((reply["matched"], reply["unknown"]), (3013, 0))
            self.assertEqual(d.ask("GET", "/v1/graphs/larva").json["attributes"],
                             ["name", "type", "group", "side"])
            self.check_pages(d, neurons)
            self.check_chosen(d, neurons)
            self.check_vertex(d, neurons[0], out, into)
            self.check_groups(d, neurons)

    def check_pages(self, d, neurons):
        found, cursor = [], 0
        while cursor is not None:
            page = self.assertStatus(
                d.ask("GET", "/v1/graphs/larva/vertices?limit=1000"
                      f"&cursor={cursor}"), 200).json
            found += page["vertices"]
            cursor = page["next"]
        self.assertEqual(len(found), 3013)
        self.assertEqual(set(found), {neuron["id"] for neuron in neurons})

    def check_chosen(self, d, neurons):
        right = {neuron["id"] for neuron in neurons
                 if neuron["group"] == "KCs" and neuron["side"] in "LR"}
        chosen = d.ask("GET", "/v1/graphs/larva/vertices?limit=1000&match=group:KCs"
                       "&match=side:L&match=side:R").json
        self.assertEqual(set(chosen["vertices"]), right)
        all_out = d.ask("GET", "/v1/graphs/larva/vertices/29/reachable").json
        some = d.ask("GET", "/v1/graphs/larva/vertices/29/reachable"
                     "?match=group:KCs").json
        kcs = {neuron["id"] for neuron in neurons if neuron["group"] == "KCs"}
        self.assertEqual(set(some["vertices"]), kcs & set(all_out["vertices"]))

    def check_vertex(self, d, neuron, out, into):
        v = neuron["id"]
        shown = self.assertStatus(
            d.ask("GET", f"/v1/graphs/larva/vertices/{v}"), 200).json
        self.assertEqual(shown["attributes"],
                         {name: text for name, text in neuron.items() if name != "id"})
        self.assertEqual((shown["out_degree"], shown["in_degree"]),
                         (len(out[v]), len(into[v])))
        self.assertAlmostEqual(shown["out_strength"], sum(out[v].values()))
        self.assertAlmostEqual(shown["in_strength"], sum(into[v].values()))
        sets = {way: set(d.ask("GET", f"/v1/graphs/larva/vertices/{v}/reachable"
                               f"?direction={way}").json["vertices"])
                for way in ("out", "in")}
        others = len(sets["out"]) - 1, len(sets["in"]) - 1
        self.assertEqual((shown["reaches"], shown["reached_by"]), others)
        row = d.ask("GET", "/v1/graphs/larva/stats?vertices=1").json["vertices"][
            shown["index"]]
        self.assertEqual((row["vertex"], row["reaches"], row["reached_by"]), (v, *others))
        self.assertEqual(shown["component"]["size"], len(sets["out"] & sets["in"]))
        self.assertIn(shown["component"]["first"], sets["out"] & sets["in"])
        for way, right, end in (("out", out, "to"), ("in", into, "from")):
            arcs = d.ask("GET", f"/v1/graphs/larva/vertices/{v}/arcs"
                         f"?direction={way}").json["arcs"]
            self.assertEqual({arc[end]: arc["weight"] for arc in arcs}, right[v])
            for arc in arcs:
                self.assertTrue(math.isclose(arc["length"], 1 / arc["weight"]))

    def check_groups(self, d, neurons):
        reply = self.assertStatus(
            d.ask("POST", "/v1/graphs/larva/groups", {"attribute": "group"}), 200).json
        found = {(row["from"], row["to"]): row for row in reply["groups"]}
        names = {neuron["group"] for neuron in neurons}
        self.assertEqual(len(found), len(reply["groups"]))
        self.assertEqual(set(found), {(a, b) for a in names for b in names})
        for pair, (pairs, reachable, least, mean) in GROUPS.items():
            row = found[pair]
            self.assertEqual((row["pairs"], row["reachable"]), (pairs, reachable))
            self.assertTrue(math.isclose(row["share"], reachable / pairs))
            self.assertTrue(math.isclose(row["min"], least, rel_tol=1e-11), row)
            self.assertTrue(math.isclose(row["mean"], mean, rel_tol=CLOSE), row)
            path = d.path("larva", *row["nearest"]).json
            self.assertEqual(path["distance"], row["min"])
        self.assertEqual(sum(row["reachable"] for row in found.values()), 8497351)


if __name__ == "__main__":
    unittest.main()
