"""A graph has one revision that answers: it switches when the job of `default` has
succeeded, profiles that are still computed wait, and no question is answered from the
upload before."""
import unittest

from harness import Case, Gate

OLD, NEW = b"a,b,1\nb,c,1\n", b"a,b,5\nb,c,5\n"


class Revisions(Case):
    def setUp(self):
        super().setUp()
        self.gate = Gate(self.directory)
        self.addCleanup(self.gate.close)

    def pass_gate(self, d, *jobs):
        """Let as many solvers through, one after the other."""
        for job in jobs:
            self.gate.open()
            self.assertEqual(d.wait(job)["state"], "succeeded")

    def served(self, d):
        """Graph g as OLD, with a second profile."""
        self.pass_gate(d, d.upload("g", OLD).json["job"])
        slow = d.ask("PUT", "/v1/graphs/g/profiles/slow", {"measures": ["betweenness"]}).json
        self.pass_gate(d, slow["job"])

    def test_default_answers_once_its_job_succeeded(self):
        with self.daemon(solver=self.gate.path) as d:
            self.served(d)
            sent = self.assertStatus(d.upload("g", NEW), 202).json
            self.pass_gate(d, sent["job"])
            answer = self.assertStatus(d.path("g", "a", "c"), 200).json
            self.assertEqual((answer["distance"], answer["revision"]), (10, sent["revision"]))


if __name__ == "__main__":
    unittest.main()
