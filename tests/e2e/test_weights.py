"""Rules with shares, computed again with pandas, NumPy and SciPy from the uploaded arcs:
all pairs of larva and of three random graphs."""
import io
import math
import os
import unittest
import urllib.parse

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from harness import Case, DATA

LARVA = os.path.join(DATA, "larva_edges.csv")
LENGTH = {"none": lambda share, most: share,
          "inv": lambda share, most: 1 / share,
          "log": lambda share, most: -np.log(share),
          "lognorm": lambda share, most: -np.log(share / most)}


def random_graph(seed, n=150, m=1400):
    """Arcs with duplicates, self-loops and weights that are not whole."""
    chance = np.random.default_rng(seed)
    return pd.DataFrame({"pre": chance.integers(0, n, m).astype(str),
                         "post": chance.integers(0, n, m).astype(str),
                         "weight": chance.lognormal(0, 1.5, m).round(seed)})\
        .query("weight > 0")


def larva():
    return pd.read_csv(LARVA, names=["pre", "post", "weight"],
                       dtype={"pre": str, "post": str})


def merged_shares(arcs, rule):
    """The merged arcs with their shares, before anything is dropped."""
    merged = arcs.groupby(["pre", "post"], sort=False, as_index=False)["weight"].sum()
    if "normalise" in rule:
        end = {"input": "post", "output": "pre"}[rule["normalise"]]
        merged["share"] = merged.weight / merged.groupby(end).weight.transform(math.fsum)
    else:
        merged["share"] = merged.weight
    return merged


def kept_arcs(arcs, rule):
    """The arcs that the rule leaves, with their lengths."""
    merged = merged_shares(arcs, rule)
    most = merged.share.max()
    kept = merged[(merged.weight >= rule.get("min_weight", 0))
                  & (merged.share >= rule.get("min_share", 0))
                  & (merged.pre != merged.post)]
    return kept.assign(length=LENGTH[rule["transform"]](kept.share, most))


def distances(kept, labels):
    """All pairs by SciPy. A length of 0 would be no arc there."""
    at = pd.Series(range(len(labels)), index=labels)
    lengths = np.maximum(kept.length.to_numpy(), 1e-300)
    arcs = csr_matrix((lengths, (at[kept.pre], at[kept.post])), shape=(len(labels),) * 2)
    return dijkstra(arcs)


class Weights(Case):
    def compare(self, d, graph, arcs, rule):
        """All pairs of the profile beside SciPy; returns the distances."""
        labels = d.ask("GET", f"/v1/graphs/{graph}/vertices?limit=10000").json["vertices"]
        reply = d.ask("GET", f"/v1/graphs/{graph}/matrices/distance?profile=p",
                      headers={"Accept": "application/x-npy"})
        self.assertStatus(reply, 200)
        found = np.load(io.BytesIO(reply.body))
        right = distances(kept_arcs(arcs, rule), labels)
        # a length is rounded to a unit of at most 2^-17 of the shortest arc, and a
        # stored distance to float32
        np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-12)
        return right

    def profile(self, d, graph, rule):
        reply = d.ask("PUT", f"/v1/graphs/{graph}/profiles/p", rule)
        self.assertIn(reply.status, (200, 202), reply)
        ended = d.wait(reply.json["job"])
        self.assertEqual(ended["state"], "succeeded", ended)

    def upload(self, d, graph, arcs, query="?transform=hops"):
        return d.put(graph, arcs.to_csv(index=False).encode(), query)

    def check(self, arcs, rules):
        with self.daemon() as d:
            self.upload(d, "g", arcs)
            seen = []
            for rule in rules:
                self.profile(d, "g", rule)
                seen.append(self.compare(d, "g", arcs, rule))
            # otherwise an option that changes nothing would pass
            for one, other in zip(seen, seen[1:]):
                self.assertFalse(np.array_equal(one, other))

    def test_larva(self):
        self.check(larva(), [
            {"transform": "log", "normalise": "input"},
            {"transform": "log", "normalise": "input", "min_weight": 5},
            {"transform": "inv", "normalise": "output", "min_share": 0.01}])

    def test_random(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                self.check(random_graph(seed), [
                    {"transform": transform, "normalise": normalise, **more}
                    for transform in ("log", "inv", "lognorm", "none")
                    for normalise in ("input", "output")
                    for more in ({"duplicates": "sum"},
                                 {"duplicates": "sum", "min_weight": 2, "min_share": 0.05})])

    def test_everywhere(self):
        """The upload's query, rows on demand, arcs and paths know the same lengths."""
        arcs = random_graph(1)
        rule = {"transform": "log", "normalise": "input", "min_share": 0.02}
        kept = kept_arcs(arcs, rule).set_index(["pre", "post"])
        with self.daemon() as d:
            self.upload(d, "g", arcs, "?" + urllib.parse.urlencode(rule))
            told = d.ask("GET", "/v1/graphs/g/profiles/default").json
            self.assertEqual((told["normalise"], told["min_share"]), ("input", 0.02))
            self.profile(d, "g", {**rule, "tables": "none"})
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
            right = distances(kept.reset_index(), labels)
            for v, label in enumerate(labels[:20]):
                for direction in ("out", "in"):
                    rows = d.ask("GET", f"/v1/graphs/g/vertices/{label}/arcs"
                                 f"?direction={direction}").json["arcs"]
                    near = kept[kept.index.get_level_values(int(direction == "in")) == label]
                    self.assertEqual(len(rows), len(near))
                    for row in rows:
                        mine = near.loc[(row["from"], row["to"])]
                        self.assertEqual(row["weight"], mine.weight)
                        self.assertTrue(math.isclose(row["length"], mine.length,
                                                     rel_tol=1e-15, abs_tol=1e-15))
                for target in labels[:40]:
                    answers = [d.path("g", label, target, query).json["distance"]
                               for query in ("", "&profile=p", "&hops=..1000")]
                    self.assertEqual(answers[0], answers[1])
                    goal = right[v, labels.index(target)]
                    if math.isinf(goal):
                        self.assertEqual(answers[0], None)
                    else:
                        np.testing.assert_allclose(answers[0], goal, rtol=1e-5, atol=1e-12)

    def test_refusals(self):
        with self.daemon() as d:
            for query, part in (
                    ("normalise=both", "normalise is 'both', expected none, input or output"),
                    ("min_share=0.1", "min_share needs shares: add normalise=input"),
                    ("normalise=input&min_share=5", "expected a share from 0 to 1")):
                refused = d.upload("g", b"a,b,1\n", "?transform=inv&" + query)
                self.assertEqual(refused.status, 400, refused)
                self.assertIn(part, refused.json["detail"])
            refused = d.upload("g", b"a,b,1\nb,c,-2\n", "?transform=none&normalise=input")
            self.assertEqual(refused.status, 422, refused)
            self.assertIn("but normalise needs a weight of 0 or more",
                          refused.json["detail"])
            d.put("g", b"a,b,1\nb,c,-2\n", "?transform=none")
            refused = d.ask("PUT", "/v1/graphs/g/profiles/p",
                            {"transform": "none", "normalise": "output"})
            self.assertEqual(refused.status, 422, refused)
            self.assertIn("a weight of the graph is below 0", refused.json["detail"])
            d.put("g", b"a,b,1\nb,c,-2\n", "?transform=inv&normalise=input&invalid=drop")
            self.assertEqual(d.path("g", "a", "b").json["distance"], 1)
            self.assertFalse(d.path("g", "b", "c").json["reachable"])
            # the rule of default cannot be changed by mistake
            refused = d.upload("g", b"a,b,1\n", "?transform=inv&invalid=drop")
            self.assertEqual(refused.status, 409, refused)
            self.assertIn("normalise=input", refused.json["detail"])


if __name__ == "__main__":
    unittest.main()
