"""The receipt of an upload that replaces another: arcs gained, lost and changed, by sets and sums
made here."""
import math
import random
import unittest

from harness import Case, data
from real_graphs import read

CSV = {"Content-Type": "text/csv"}
MERGE = {"sum": math.fsum, "min": min, "max": max, "last": lambda weights: weights[-1],
         "error": math.fsum}


def csv_of(arcs):
    return "".join(f"{u},{v},{w!r}\n" for u, v, w in arcs).encode()


def merged(arcs, duplicates):
    found = {}
    for u, v, w in arcs:
        found.setdefault((u, v), []).append(w)
    return {pair: MERGE[duplicates](weights) for pair, weights in found.items()}


def counted(before, after, duplicates="sum"):
    old, new = merged(before, duplicates), merged(after, duplicates)
    return {"arcs_gained": len(new.keys() - old.keys()), "arcs_lost": len(old.keys() - new.keys()),
            "arcs_changed": sum(old[pair] != new[pair] for pair in old.keys() & new.keys())}


class Replacing(Case):
    def put(self, d, graph, arcs, query=""):
        reply = d.ask("PUT", f"/v1/graphs/{graph}{query}", csv_of(arcs), CSV)
        self.assertIn(reply.status, (200, 202), reply)
        if reply.json["job"]:
            d.wait(reply.json["job"])
        return reply.json

    def test_counts(self):
        chance = random.Random(3)
        with self.daemon() as d:
            for duplicates in MERGE:
                graph = f"g-{duplicates}"
                query = f"?transform=hops&tables=none&duplicates={duplicates}"
                shown = None
                for n_labels in (5, 9, 7, 30):
                    labels = [f"{n_labels % 2}v{i}" for i in range(n_labels)] + ["a", "b", "c"]
                    arcs = [(chance.choice(labels), chance.choice(labels),
                             chance.choice((0.1, 0.2, 0.3, 1, 1e16))) for _ in range(60)]
                    if duplicates == "error":
                        arcs = list({arc[:2]: arc for arc in arcs}.values())
                    receipt = self.put(d, graph, arcs, query)
                    if shown is None:
                        self.assertIsNone(receipt["changes"])
                    else:
                        self.assertEqual(receipt["changes"], {
                            "revision": shown["revision"],
                            **counted(before, arcs, duplicates)}, duplicates)
                    shown, before = d.ask("GET", f"/v1/graphs/{graph}").json, arcs
                    self.assertEqual(shown["revision"], receipt["revision"])
                # another order of the same arcs changes nothing, if sums are exact
                if duplicates == "sum":
                    chance.shuffle(arcs)
                    receipt = self.put(d, graph, arcs, query)
                    self.assertNotEqual(receipt["revision"], shown["revision"])
                    self.assertEqual(receipt["changes"], {
                        "revision": shown["revision"], "arcs_gained": 0, "arcs_lost": 0,
                        "arcs_changed": 0})

    def test_what_is_replaced(self):
        """The upload that answers, also while another one is pending; the same file again."""
        one, two = [("a", "b", 1), ("b", "c", 2)], [("a", "b", 1), ("c", "b", 2), ("b", "c", 3)]
        failing = [("a", "b", -1), ("b", "a", -1)]
        with self.daemon() as d:
            first = self.put(d, "g", one, "?transform=none")
            self.put(d, "g", failing)
            receipt = self.put(d, "g", two)
            self.assertEqual(receipt["changes"], {
                "revision": first["revision"], "arcs_gained": 1, "arcs_lost": 0,
                "arcs_changed": 1})
            again = self.put(d, "g", two)
            self.assertEqual(again["changes"], {
                "revision": receipt["revision"], "arcs_gained": 0, "arcs_lost": 0,
                "arcs_changed": 0})
            # rows that invalid=drop leaves out are not merged
            query = "?transform=inv&invalid=drop&duplicates=last&tables=none"
            changed = [(self.put(d, "drop", [("a", "b", w) for w in weights], query)["changes"]
                        or {}).get("arcs_changed") for weights in ((2, 0), (4, 5e-324), (4,))]
            self.assertEqual(changed, [None, 1, 0])
            # a graph that is made from a graph replaces, too
            d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\na,X\nb,X\nc,Y\n", CSV)
            derived = d.ask("PUT", "/v1/graphs/g?of=g&match=type:X").json
            self.assertEqual(derived["changes"], {
                "revision": receipt["revision"], "arcs_gained": 0, "arcs_lost": 2,
                "arcs_changed": 0})

    def test_larva(self):
        arcs = list(read("larva"))
        chance = random.Random(9)
        other = [(u, v, w + (chance.random() < 0.01)) for u, v, w in arcs
                 if chance.random() < 0.99]
        other += [(f"new{i}", other[i][1], 3.0) for i in range(50)]
        chance.shuffle(other)
        with self.daemon() as d:
            first = d.put("larva", data("larva_edges.csv"), "?transform=inv&tables=none")
            self.assertTrue(first)
            revision = d.ask("GET", "/v1/graphs/larva").json["revision"]
            receipt = self.put(d, "larva", other)
            self.assertEqual(receipt["changes"], {"revision": revision, **counted(arcs, other)})
            self.assertGreater(receipt["changes"]["arcs_changed"], 500)


if __name__ == "__main__":
    unittest.main()
