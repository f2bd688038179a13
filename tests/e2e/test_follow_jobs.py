"""Replicas while jobs run, and after jobs have failed, at the writer or at the replica."""
import contextlib
import os
import unittest

import test_follow as follow
from harness import until, write_solver
from test_follow import CSV, OTHER, ROWS


class Jobs(follow.Following):
    def test_default_that_failed(self):
        """If the present `default` of a graph has failed at the writer, a replica answers by the
        earlier rule, as the writer does. Without tables of any rule, the graph counts as behind,
        and a new replica is not ready without it."""
        w = self.writer()
        w.put("g", b"a,b,-1\nb,a,0.5\n", "?transform=hops")
        reply = w.ask("PUT", "/v1/graphs/g/profiles/default?default_rule=replace",
                      {"transform": "none"})
        self.assertEqual(w.wait(reply.json["job"])["state"], "failed")
        self.assertEqual(w.path("g", "a", "b").status, 200)
        w.put("h", ROWS)
        w.ask("PUT", "/v1/graphs/h/attributes", b"label,type\na,KC\n", CSV)
        self.assertStatus(w.ask("PUT", "/v1/graphs/h/profiles/default?default_rule=replace&wait=30",
                                {"transform": "none", "without": ["type:KC"]}), 200)
        w.ask("PUT", "/v1/graphs/h/attributes", b"label,type\na,PN\n", CSV)
        f = self.follower("http://" + w.addresses[0])
        said = "graph 'h': the writer has no tables of its profile 'default'"
        until("the reason", lambda: said in "".join(f.log))
        until("the earlier rule", lambda: f.path("g", "a", "b").status == 200)
        self.assertEqual(f.path("g", "a", "b").json, w.path("g", "a", "b").json)
        self.assertStatus(f.ask("GET", "/readyz"), 503, "not-ready")
        until("only h to be behind", lambda: "\napspd_follow_graphs_behind 1\n" in
              f.ask("GET", "/metrics").body.decode())
        self.assertStatus(w.ask("PUT", "/v1/graphs/h/attributes", b"label,type\na,KC\n", CSV), 200)
        until("a ready replica", lambda: self.follow(f))
        self.same(w, f, "h")
        self.assertIsNone(self.follow(f)["error"])

    def test_jobs_that_fail(self):
        """A graph or a profile whose job fails at the replica counts as behind, and is tried again
        until the job succeeds."""
        solver, broken = (os.path.join(self.directory, name) for name in ("solver", "broken"))
        write_solver(solver, f"[ ! -e '{broken}' ] || kill -KILL $$")
        w = self.writer()
        w.put("g", ROWS)
        f = self.follower("http://" + w.addresses[0], solver=solver)
        self.same(w, f, "g")

        def another_upload():
            w.put("g", OTHER)

        def another_rule():
            reply = w.ask("PUT", "/v1/graphs/g/profiles/default?default_rule=replace",
                          {"transform": "inv"})
            self.assertEqual(w.wait(reply.json["job"])["state"], "succeeded")

        def another_profile():
            reply = w.ask("PUT", "/v1/graphs/g/profiles/hops", {"transform": "hops"})
            self.assertEqual(w.wait(reply.json["job"])["state"], "succeeded")
        for change, profiles in ((another_upload, ("default",)), (another_rule, ("default",)),
                                 (another_profile, ("default", "hops"))):
            with self.subTest(change.__name__):
                with open(broken, "w", encoding="ascii"):
                    pass
                change()
                until("the reason", lambda: "signal 9" in (self.follow(f)["error"] or ""))
                self.assertEqual(self.follow(f)["graphs_behind"], 1)
                os.remove(broken)
                self.same(w, f, "g", profiles)
                self.assertIsNone(self.follow(f)["error"])

    def slow_solver(self, name="slow"):
        """A solver, and a context in which its jobs do not end."""
        path, held = (os.path.join(self.directory, name + end) for end in ("", ".held"))
        write_solver(path, f"while [ -e '{held}' ]; do sleep 0.05; done")

        @contextlib.contextmanager
        def hold():
            with open(held, "w", encoding="ascii"):
                pass
            yield
            os.remove(held)
        return path, hold

    def test_taken_back(self):
        """While the replica computes another upload or another rule of `default`, the writer takes
        it back: then the replica does not answer from it either."""
        solver, hold = self.slow_solver()
        w = self.writer()
        w.put("g", ROWS, "?transform=none")
        f = self.follower("http://" + w.addresses[0], solver=solver)
        self.same(w, f, "g")
        for rows, rule in ((OTHER, "none"), (ROWS, "hops")):
            with self.subTest(rule), hold():
                w.put("g", rows, f"?transform={rule}")
                until("the upload", lambda: f.ask("GET", "/v1/graphs/g").json["pending"])
                w.put("g", ROWS, "?transform=none")
                until("its end", lambda: not f.ask("GET", "/v1/graphs/g").json["pending"])
                self.same(w, f, "g")

    def test_another_rule(self):
        """While the writer computes tables of another rule, it answers by the earlier rule, and so
        does the replica. Until the replica has the tables, errors about other graphs come and go."""
        (solver, hold), (own, hold_own) = self.slow_solver(), self.slow_solver("own")
        profiles = ("default", "p")
        w = self.writer(solver=solver)
        w.put("g", ROWS, "?transform=none")
        w.put("h", ROWS)
        self.assertStatus(w.ask("PUT", "/v1/graphs/g/profiles/p?wait=30", {"transform": "none"}),
                          200)
        server = self.between(w)
        f = self.follower(server.url, solver=own)
        self.same(w, f, "g", profiles)
        bundle = w.ask("GET", "/v1/graphs/g/bundle").body
        with hold_own():
            with hold():
                jobs = [w.ask("PUT", f"/v1/graphs/g/profiles/{name}?default_rule=replace",
                              {"transform": "inv"}).json["job"] for name in profiles]
                self.assertEqual(w.ask("GET", "/v1/graphs/g/bundle").body, bundle)
                # when the replica has the unit of h, it has seen the new rules of g
                self.assertStatus(w.ask("PATCH", "/v1/graphs/h", {"weight_unit": "synapses"}), 200)
                until("the unit", lambda: f.ask("GET", "/v1/graphs/h").json["weight_unit"])
                self.same(w, f, "g", profiles)
            for job in jobs:
                self.assertEqual(w.wait(job)["state"], "succeeded")
            until("the replica's job", lambda: any(one["state"] == "running" for one in f.jobs()))
            server.lie = lambda handler, *_: "/h/" in handler.path and not handler.answer(409, b"")
            self.assertStatus(w.ask("PATCH", "/v1/graphs/h", {"weight_unit": "contacts"}), 200)
            until("the error", lambda: self.follow(f)["error"])
            server.lie = None
            until("its end", lambda: not self.follow(f)["error"])
            self.assertEqual(self.follow(f)["graphs_behind"], 1)
        self.same(w, f, "g", profiles)


if __name__ == "__main__":
    unittest.main()
