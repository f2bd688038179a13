"""Answers for real graphs over HTTP, compared with Dijkstra in float64, and with the
known counts of the data."""
import math
import random
import unittest

from dijkstra import dijkstra
from harness import Case, data
from real_graphs import GRAPHS, lengths

# An arc's length is rounded to a unit, at most 2^-17 of the shortest arc
# (compute/graph/README.md, Integers).
CLOSE = {"none": 0, "hops": 0, "inv": 1e-5}


def within(arcs, source, n_arcs):
    """The vertices within so many arcs of source, each with its fewest arcs."""
    found, level = {source: 0}, {source}
    for steps in range(1, n_arcs + 1):
        level = {end for vertex in level for end in arcs[vertex]} - set(found)
        found.update(dict.fromkeys(level, steps))
    return found


class Answers(Case):
    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(2023)

    def check(self, name, transform, duplicates="min", sources=4, targets=120):
        query = f"?transform={transform}&duplicates={duplicates}"
        arcs = lengths(name, transform, duplicates)
        vertices = list(arcs)
        _, kind, n, m = GRAPHS[name]
        with self.daemon() as d:
            reply = d.put(name, data(GRAPHS[name][0]), query, kind)
            self.assertEqual((reply["vertices"], reply["arcs"]), (n, m))
            self.assertEqual(len(vertices), n)
            for source in self.random.sample(vertices, sources):
                right = dijkstra(arcs, source)
                ends = self.random.sample(vertices, targets)
                reply = d.ask("POST", f"/v1/graphs/{name}/paths",
                              {"pairs": [[source, end] for end in ends]})
                self.assertStatus(reply, 200)
                for end, answer in zip(ends, reply.json["paths"], strict=True):
                    self.assertEqual((answer["from"], answer["to"]), (source, end))
                    self.assertEqual(answer["reachable"], end in right)
                    if end not in right:
                        self.assertIsNone(answer["distance"])
                        continue
                    self.assertWalks(answer, {
                        (a, b): arcs[a][b]
                        for a, b in zip(answer["path"], answer["path"][1:])})
                    self.assertTrue(
                        math.isclose(answer["distance"], right[end], abs_tol=0,
                                     rel_tol=CLOSE[transform]), (answer, right[end]))
                reach = d.ask("GET", f"/v1/graphs/{name}/vertices/{source}/reachable").json
                self.assertEqual(set(reach["vertices"]), set(right))
                self.assertEqual(reach["count"], len(right))
                reach = d.ask("GET", f"/v1/graphs/{name}/vertices/{source}/reachable"
                              "?max_hops=3").json
                self.assertEqual(dict(zip(reach["vertices"], reach["steps"], strict=True)),
                                 within(arcs, source, 3))

    def test_rome_none(self):
        self.check("rome99", "none")

    def test_rome_inv_min(self):
        self.check("rome99", "inv")

    def test_rome_hops(self):
        self.check("rome99", "hops")

    def test_larva_none(self):
        self.check("larva", "none")

    def test_larva_inv(self):
        self.check("larva", "inv", "sum")

    def test_larva_hops(self):
        self.check("larva", "hops")

    def test_celegans_none(self):
        self.check("celegans", "none", sources=20, targets=297)

    def test_celegans_inv(self):
        self.check("celegans", "inv", "sum", sources=20, targets=297)

    def test_celegans_hops(self):
        self.check("celegans", "hops", sources=20, targets=297)

    def test_algorithms_agree(self):
        """Each algorithm gives the same bytes as the reference."""
        pairs = [[str(a), str(b)] for a in range(1, 290, 13) for b in range(1, 290, 17)]
        with self.daemon() as d:
            for transform, algorithms in (
                    ("inv", ("fw", "blocked-fw", "bf-edges")),
                    ("hops", ("bf-edges", "bfs-levels"))):
                answers = []
                for algorithm in ("reference", *algorithms):
                    d.put("g", data("celegans_newman.csv"),
                          f"?transform={transform}&algorithm={algorithm}")
                    self.assertEqual(d.jobs()[0]["algorithm"], algorithm)
                    answers.append(
                        d.ask("POST", "/v1/graphs/g/paths", {"pairs": pairs}).json)
                    self.assertEqual(answers[0], answers[-1], algorithm)

    def test_small_device(self):
        """A matrix that does not fit the device is streamed."""
        n = 700  # few enough that all rows are in flight at once on every device
        ring = "".join(f"{v},{(v + 1) % n},1\n" for v in range(n)).encode()
        with self.daemon(args=["--device-memory", "4900K"]) as d:
            # refused by the daemon, or by the solver if it knows no device yet
            refused = d.upload("g", ring, "?algorithm=blocked-fw").json
            if "job" in refused:
                refused = d.wait(refused["job"])
                self.assertEqual(refused["state"], "failed")
            self.assertIn("which has 5.02 MB", str(refused))
            d.put("g", ring, "?algorithm=streamed-fw")
            self.assertEqual(d.jobs()[0]["algorithm"], "streamed-fw")
            for start, end in ((0, 699), (500, 499), (128, 127), (3, 3), (699, 0)):
                answer = d.path("g", str(start), str(end)).json
                self.assertEqual(answer["distance"], (end - start) % n)


if __name__ == "__main__":
    unittest.main()
