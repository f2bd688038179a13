"""The Python client and the revision of a graph: an upload is answered from at once, and its
handle insists on it.

NumPy and pandas are Debian's, which tests/run.sh installs.
"""
import os
import pickle
import unittest
import unittest.mock

import slow_profile
from client_case import ClientCase, apspd


def arcs(k):
    return [("a", "b", k), ("b", "c", k)]


class ClientsRevision(ClientCase):
    def test_at_once(self):
        c = self.connect(slow_profile.serve(self))
        found = [c.put(arcs(k), "g", transform="none", algorithm="reference").path("a", "c").distance
                 for k in range(1, slow_profile.ROUNDS + 1)]
        self.assertEqual(found, [2 * k for k in range(1, slow_profile.ROUNDS + 1)])

    def test_insists(self):
        """No answer of a handle is about another upload than its own."""
        c = self.connect(self.serve())
        old = c.put(arcs(1), "g", transform="none")
        hops = old.put_profile("hops", transform="hops")
        old.set_attributes(b"label,type\na,X\n")
        new = c.put(arcs(2), "g", transform="none")
        file = os.path.join(self.directory, "out")
        for ask in (lambda g: g.path("a", "c"), lambda g: g.paths([("a", "c")]),
                    lambda g: g.reachable("a", "c"), lambda g: g.distances("a"),
                    lambda g: g.table(), lambda g: g.table(["a"], ["c"]),
                    lambda g: g.table(nearest=1), lambda g: g.matrix(), lambda g: g.vertices,
                    lambda g: g.reach("a"), lambda g: g.search("a"), lambda g: g.vertex("a"),
                    lambda g: g.arcs(), lambda g: g.attributes(), lambda g: g.groups("type"),
                    lambda g: g.stats(), lambda g: g.stats(vertices=True),
                    lambda g: g.compare("default"), lambda g: c.derive("part", g, match="type:"),
                    lambda g: g.put_profile("late", transform="hops").path("a", "c"),
                    lambda g: g.download("arcs", file), lambda g: g.download("distance", file)):
            for handle in old, hops, c.graph("g", revision=old.revision):
                with self.assertRaises(apspd.RevisionDiffers):
                    ask(handle)
            for handle in new, c.graph("g"), old.at(new.revision), new.profile("hops"):
                ask(handle)
        with self.assertRaises(apspd.RevisionDiffers) as caught:
            old.path("a", "c")
        was = c.graph("g").record()
        for change in (lambda g: g.set_attributes(b"label,type\na,Y\n"), lambda g: g.set_unit("mm"),
                       lambda g: g.put_profile("late", transform="inv"),
                       lambda g: g.delete_profile("late"), lambda g: g.delete()):
            with self.assertRaises(apspd.RevisionDiffers) as changed:
                change(old)
            self.assertEqual(changed.exception.body | {"request_id": 0},
                             caught.exception.body | {"request_id": 0})
            self.assertEqual(c.graph("g").record(), was)
        for error in caught.exception, pickle.loads(pickle.dumps(caught.exception)):
            self.assertEqual((error.asked, error.revision), (old.revision, new.revision))
            self.assertIsInstance(error, apspd.Conflict)
        new.set_unit("mm")
        new.delete_profile("late")
        new.delete()
        with self.assertRaises(apspd.NotFound):
            old.delete()

    def test_not_waited_for(self):
        """The question of an upload that was not waited for waits for its own answer."""
        c = self.connect(self.serve())
        self.assertEqual(c.put(arcs(1), "g", transform="none").path("a", "c").distance, 2)
        coming = c.put(arcs(2), "g", transform="none", wait=False)
        self.assertEqual(coming.path("a", "c").distance, 4)
        fails = c.put([("a", "b", -1), ("b", "a", -1)], "g", wait=False)
        with self.assertRaisesRegex(apspd.JobFailed, "cycle"):
            fails.path("a", "b")
        self.assertEqual(coming.path("a", "c").distance, 4)


    def test_one_rule(self):
        """All answers about a long list of pairs are by one rule, which may be replaced between
        two requests."""
        c = self.connect(self.serve())
        g = c.put(arcs(4), "g", transform="none")
        asked = []

        def ask(*args, **more):
            found = csv(*args, **more)
            asked.append(found)
            if len(asked) == 1:
                c.graph("g").put_profile("default", transform="hops", default_rule="replace")
            return found
        csv = c._csv
        with unittest.mock.patch.object(apspd, "_PAIRS", 1), \
                unittest.mock.patch.object(c, "_csv", ask):
            found = g.paths([("a", "b"), ("a", "c")], values="distance")
        self.assertEqual((found["distance"].tolist(), len(asked)), ([1, 2], 4))


if __name__ == "__main__":
    unittest.main()
