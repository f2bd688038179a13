"""A graph has one revision that answers: it switches when the job of `default` has
succeeded, profiles that are still computed wait, and no question is answered from the
upload before. Who waits for a revision learns that it answers, or why it never will."""
import http.client
import json
import socket
import time
import unittest

import slow_profile
from harness import DEADLINE_S, Case, Gate, until
from openapi import Document

OLD, NEW, CYCLE = b"a,b,1\nb,c,1\n", b"a,b,5\nb,c,5\n", b"a,b,-1\nb,a,-1\n"
SLOW = {"measures": ["betweenness"]}
CSV = {"Content-Type": "text/csv"}

# One request for each route that reads a graph, but for GET of the graph itself.
READS = {
    "get_profile": ("GET", "/profiles/default", None),
    "list_arcs": ("GET", "/arcs", None),
    "get_bundle": ("GET", "/bundle", None),
    "post_estimate": ("POST", "/estimate", {}),
    "list_vertices": ("GET", "/vertices", None),
    "get_attributes": ("GET", "/attributes", None),
    "get_vertex": ("GET", "/vertices/a", None),
    "list_vertex_arcs": ("GET", "/vertices/a/arcs", None),
    "get_path": ("GET", "/path?from=a&to=c", None),
    "get_reachable": ("GET", "/reachable?from=a&to=c", None),
    "post_paths": ("POST", "/paths", {"pairs": [["a", "c"]]}),
    "post_table": ("POST", "/table", {"sources": ["a"]}),
    "post_reachable": ("POST", "/reachable", {"sources": ["a"]}),
    "post_groups": ("POST", "/groups", {"attribute": "type"}),
    "post_circuit": ("POST", "/circuit", {"sources": ["a"], "targets": ["c"]}),
    "post_compare": ("POST", "/compare", {"with": {"profile": "default"}}),
    "get_distances": ("GET", "/vertices/a/distances", None),
    "get_reach_set": ("GET", "/vertices/a/reachable", None),
    "get_matrix": ("GET", "/matrices/distance", None),
    "get_stats": ("GET", "/stats", None),
}
TABLELESS = {"get_profile", "list_arcs", "get_bundle", "post_estimate", "list_vertices",
             "get_attributes"}


# One request for each route that changes a graph, but for uploads; the last deletes the graph.
CHANGES = {
    "put_profile": ("PUT", "/profiles/hops", {"transform": "hops", "without": ["label:a"]}),
    "delete_profile": ("DELETE", "/profiles/slow", None),
    "put_attributes": ("PUT", "/attributes", b"label,type\na,x\n"),
    "delete_attributes": ("DELETE", "/attributes", None),
    "patch_graph": ("PATCH", "", {"weight_unit": "mm"}),
    "delete_graph": ("DELETE", "", None),
}


class Revisions(Case):
    def setUp(self):
        super().setUp()
        self.gate = Gate(self.directory)
        self.addCleanup(self.gate.close)

    def gated(self):
        d = self.daemon(solver=self.gate.path).start()
        self.addCleanup(lambda: d.process and d.stop())
        return d

    def pass_gate(self, d, *jobs, end="succeeded"):
        """Let as many solvers through, one after the other."""
        for job in jobs:
            self.gate.open()
            self.assertEqual(d.wait(job)["state"], end)

    def served(self, d):
        """Graph g as OLD, with a second profile. Returns its revision."""
        sent = d.upload("g", OLD).json
        self.pass_gate(d, sent["job"])
        self.pass_gate(d, d.ask("PUT", "/v1/graphs/g/profiles/slow", SLOW).json["job"])
        return sent["revision"]

    def assertAnswers(self, d, distance, revision, profile="default"):
        answer = self.assertStatus(d.path("g", "a", "c", f"&profile={profile}"), 200).json
        self.assertEqual((answer["distance"], answer["revision"]), (distance, revision))

    def assertWaits(self, d, job, profile="slow"):
        reply = self.assertStatus(d.path("g", "a", "c", f"&profile={profile}"), 503, "not-ready")
        self.assertEqual(reply.json["job"], job)
        self.assertIn("Retry-After", reply.headers)
        return reply

    def ask_read(self, d, name, query="", headers=()):
        method, target, body = READS[name]
        target += ("&" if "?" in target else "?") + query if query else ""
        return d.ask(method, "/v1/graphs/g" + target, body, headers)

    def begin_wait(self, d, revision, profile="default", seconds=30):
        """A connection that waits for a profile of a revision of g."""
        connection = http.client.HTTPConnection(d.addresses[0], timeout=DEADLINE_S)
        self.addCleanup(connection.close)
        connection.request("GET", f"/v1/graphs/g?revision={revision}&profile={profile}"
                                  f"&wait={seconds}")
        return connection

    def assertWaitEnds(self, connection, status, problem=None, **members):
        reply = connection.getresponse()
        body = json.loads(reply.read())
        self.assertEqual(reply.status, status, body)
        if problem:
            self.assertEqual(body["type"], "/problems/" + problem)
        self.assertEqual({name: body[name] for name in members}, members)
        return body

    def test_default_answers_once_its_job_succeeded(self):
        d = self.gated()
        old = self.served(d)
        sent = self.assertStatus(d.upload("g", NEW), 202).json
        self.assertEqual(sent["jobs"], {"default": "3", "slow": "4"})
        self.assertEqual(sent["job"], "3")
        self.assertAnswers(d, 2, old)
        self.assertAnswers(d, 2, old, "slow")
        self.pass_gate(d, sent["job"])
        self.assertAnswers(d, 10, sent["revision"])
        self.assertWaits(d, sent["jobs"]["slow"])
        graph = d.ask("GET", "/v1/graphs/g").json
        self.assertEqual((graph["revision"], graph["pending"]), (sent["revision"], None))
        self.assertEqual([(one["name"], one["state"], one["job"]) for one in graph["profiles"]],
                         [("default", "ready", "3"), ("slow", "computing", "4")])
        until("the tables of the upload before to go", lambda: len(d.table_files()) == 1)
        self.gate.wait_held(4)
        d.kill()  # between the switch and the end of the profile's job
        d.start()
        self.assertAnswers(d, 10, sent["revision"])
        self.gate.wait_held(5)
        self.pass_gate(d, sent["jobs"]["slow"])
        self.assertAnswers(d, 10, sent["revision"], "slow")

    def test_no_read_answers_from_the_upload_before(self):
        """Every route: of the new upload, or 503 for a profile that is computed."""
        d = self.gated()
        self.served(d)
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes",
                                b"label,type\na,x\nb,y\nc,y\n", CSV), 200)
        sent = d.upload("g", NEW).json
        self.pass_gate(d, sent["job"])
        for name in READS:
            with self.subTest(name=name):
                reply = self.assertStatus(self.ask_read(d, name), 200)
                self.assertEqual(reply.headers["Apsp-Revision"], sent["revision"])
                if name in TABLELESS:
                    continue
                reply = self.assertStatus(self.ask_read(d, name, "profile=slow"), 503, "not-ready")
                self.assertEqual(reply.json["job"], sent["jobs"]["slow"])

    def test_every_read_insists_on_a_revision(self):
        with self.daemon() as d:
            revision = d.put("g", OLD)["revision"]
            d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\na,x\nb,y\nc,y\n", CSV)
            document = Document(d.ask("GET", "/v1/openapi.json").body)
            routes = {name for name, one in document.operations.items()
                      if one.scope == "read" and one.path.startswith("/v1/graphs/{graph}")}
            self.assertEqual(routes, set(READS) | {"get_graph"})
            other = "0" * 64
            for name in READS:
                with self.subTest(name=name):
                    reply = self.assertStatus(self.ask_read(d, name, f"revision={revision}"), 200)
                    self.assertEqual(reply.headers["Apsp-Revision"], revision)
                    tag = reply.headers["ETag"]
                    headers = {"If-None-Match": tag} if tag else {}
                    if tag and name != "get_profile":
                        self.assertStatus(
                            self.ask_read(d, name, f"revision={revision}", headers), 304)
                    reply = self.ask_read(d, name, f"revision={other}", headers)
                    self.assertStatus(reply, 412, "revision-differs")
                    self.assertEqual((reply.json["revision"], reply.json["asked"]),
                                     (revision, other))

    def test_every_change_insists_on_the_newest_upload(self):
        """A cancelled upload does not count, but another rule of `default` is tried with it."""
        d = self.gated()
        old = self.served(d)
        document = Document(d.ask("GET", "/v1/openapi.json").body)
        self.assertEqual({name for name, one in document.operations.items()
                          if one.scope != "read" and one.path.startswith("/v1/graphs/{graph}")},
                         set(CHANGES) | {"put_graph"})
        new = d.upload("g", b"x,y,5\n").json  # no change is about its vertices

        def ask(change, revision):
            method, target, body = change
            return d.ask(method, f"/v1/graphs/g{target}?revision={revision}", body,
                         CSV if isinstance(body, bytes) else ())

        def found():  # without the states of jobs
            graph = d.ask("GET", "/v1/graphs/g").json
            return (graph["weight_unit"], graph["attributes"],
                    [one["name"] for one in graph["profiles"]])

        def refuse(change, asked, revision):
            was = found()
            reply = self.assertStatus(ask(change, asked), 412, "revision-differs")
            self.assertEqual((reply.json["revision"], reply.json["asked"]), (revision, asked))
            self.assertEqual(found(), was)
        self.gate.wait_held(3)
        for change in CHANGES.values():
            refuse(change, old, new["revision"])
        self.assertStatus(ask(CHANGES["patch_graph"], new["revision"]), 200)
        d.ask("DELETE", f"/v1/jobs/{new['job']}")
        d.wait(new["job"], "cancelled")
        default = "PUT", "/profiles/default", {"transform": "none"}
        refuse(default, old, new["revision"])
        self.assertEqual(d.ask("GET", "/v1/graphs/g").headers["ETag"], f'"{old}"')
        for change in CHANGES.values():
            refuse(change, new["revision"], old)
            reply = ask(change, old)
            self.assertLess(reply.status, 300, reply.body)
            if change is CHANGES["put_attributes"]:
                self.assertEqual((reply.json["matched"], reply.json["unknown"]), (1, 0))
        self.assertStatus(ask(CHANGES["delete_graph"], old), 404, "unknown-graph")

    def test_waits_for_one_job_after_another(self):
        d = self.gated()
        self.served(d)
        before = self.assertStatus(d.ask(
            "GET", f"/v1/graphs/g?revision={'1' * 64}&wait=30"), 412, "revision-differs")
        self.assertNotIn("job", before.json)
        sent = d.upload("g", NEW).json
        revision, jobs = sent["revision"], sent["jobs"]
        # who asks about it meanwhile learns which job it waits for
        self.gate.wait_held(3)
        d.wait(sent["job"], "running")
        reply = self.assertStatus(
            d.path("g", "a", "c", f"&revision={revision}"), 412, "revision-differs")
        self.assertEqual((reply.json["job"], reply.json["job_state"]), (sent["job"], "running"))
        default = self.begin_wait(d, revision)
        slow = self.begin_wait(d, revision, "slow")
        began = time.monotonic()
        self.assertWaitEnds(self.begin_wait(d, revision, "slow", 1), 503, "not-ready",
                            job=jobs["slow"], job_state="queued")
        self.assertGreaterEqual(time.monotonic() - began, 1)
        self.pass_gate(d, sent["job"])
        self.assertWaitEnds(default, 200, revision=revision)
        self.assertWaitEnds(self.begin_wait(d, revision, seconds=0), 200, revision=revision)
        self.assertWaitEnds(self.begin_wait(d, revision, "slow", 0), 503, "not-ready")
        self.pass_gate(d, jobs["slow"])
        self.assertWaitEnds(slow, 200, revision=revision)
        self.assertWaitEnds(self.begin_wait(d, revision, "nobody"), 404, "unknown-profile")
        self.assertStatus(d.ask("GET", "/v1/graphs/g?wait=3"), 400)
        self.assertStatus(d.ask("GET", "/v1/graphs/g?profile=slow"), 400)

    def test_wait_ends_with_a_failed_job(self):
        d = self.gated()
        old = self.served(d)
        sent = d.upload("g", CYCLE).json
        self.gate.wait_held(3)
        waits = [self.begin_wait(d, sent["revision"], profile) for profile in ("default", "slow")]
        self.pass_gate(d, sent["job"], end="failed")
        for one in waits:
            body = self.assertWaitEnds(one, 409, "tables-failed", job=sent["job"],
                                       job_state="failed")
            self.assertIn("negative cycle", body["detail"])
        body = self.assertStatus(d.path("g", "a", "c", f"&revision={sent['revision']}"), 412,
                                 "revision-differs").json
        self.assertEqual((body["job"], body["job_state"]), (sent["job"], "failed"))
        self.assertEqual(d.job(sent["jobs"]["slow"])["state"], "cancelled")
        self.assertIn("default", d.job(sent["jobs"]["slow"])["error"]["detail"])
        for profile in ("default", "slow"):
            self.assertAnswers(d, 2, old, profile)
        pending = d.ask("GET", "/v1/graphs/g").json["pending"]
        self.assertEqual(pending["error"]["type"], "/problems/negative-cycle")
        self.assertEqual([one["state"] for one in pending["profiles"]], ["failed", "waiting"])
        # the same upload again asks for all that was not made
        again = self.assertStatus(d.upload("g", CYCLE), 202).json
        self.assertEqual(set(again["jobs"]), {"default", "slow"})
        self.pass_gate(d, again["job"], end="failed")

    def test_wait_ends_with_a_cancelled_job(self):
        d = self.gated()
        old = self.served(d)
        sent = d.upload("g", NEW).json
        self.gate.wait_held(3)
        wait = self.begin_wait(d, sent["revision"], "slow")
        d.ask("DELETE", f"/v1/jobs/{sent['job']}")
        self.assertWaitEnds(wait, 409, "tables-failed", job=sent["job"], job_state="cancelled")
        self.assertEqual(d.wait(sent["jobs"]["slow"])["state"], "cancelled")
        self.assertAnswers(d, 2, old, "slow")

    def test_wait_ends_with_a_newer_upload(self):
        """Also for a profile of the upload that answers: its job is given up."""
        d = self.gated()
        self.served(d)
        sent = d.upload("g", NEW).json
        self.gate.wait_held(3)
        wait = self.begin_wait(d, sent["revision"])
        newer = d.upload("g", b"a,c,7\n").json
        self.assertWaitEnds(wait, 412, "revision-differs", asked=sent["revision"])
        self.gate.wait_held(4)
        self.pass_gate(d, newer["job"])
        self.gate.wait_held(5)  # of newer's slow profile, which runs
        wait = self.begin_wait(d, newer["revision"], "slow")
        last = d.upload("g", OLD).json
        until("the profile's job to be given up",
              lambda: d.job(newer["jobs"]["slow"])["state"] == "cancelled")
        self.assertWaits(d, last["jobs"]["slow"])
        self.gate.wait_held(6)
        self.pass_gate(d, last["job"])
        self.assertWaitEnds(wait, 412, "revision-differs", asked=newer["revision"],
                            revision=last["revision"])
        self.pass_gate(d, last["jobs"]["slow"])

    def test_wait_ends_with_the_graph(self):
        d = self.gated()
        self.served(d)
        sent = d.upload("g", NEW).json
        self.gate.wait_held(3)
        wait = self.begin_wait(d, sent["revision"], "slow")
        self.assertStatus(d.ask("DELETE", "/v1/graphs/g"), 204)
        self.assertWaitEnds(wait, 404, "unknown-graph")

    def test_stop_ends_waits(self):
        d = self.gated()
        sent = d.upload("g", OLD).json
        self.gate.wait_held(1)
        wait = self.begin_wait(d, sent["revision"])
        until("the wait to begin", lambda: 'apspd_connections{state="waiting"} 1' in
              d.ask("GET", "/metrics").body.decode())
        d.stop()
        self.assertWaitEnds(wait, 503)

    def test_same_upload_again(self):
        d = self.gated()
        self.served(d)
        sent = d.upload("g", NEW).json
        self.pass_gate(d, sent["job"])
        again = self.assertStatus(d.upload("g", NEW), 200).json
        self.assertEqual((again["job"], again["jobs"]), (None, {"slow": sent["jobs"]["slow"]}))
        self.pass_gate(d, sent["jobs"]["slow"])
        self.assertEqual(d.upload("g", NEW).json["jobs"], {})

    def test_tables_that_are_there(self):
        """`default` of another graph's file switches at once; the profile is computed."""
        d = self.gated()
        self.served(d)
        twin = d.upload("twin", NEW).json
        self.pass_gate(d, twin["job"])
        sent = self.assertStatus(d.upload("g", NEW), 200).json
        self.assertEqual((sent["job"], list(sent["jobs"])), (None, ["slow"]))
        self.assertAnswers(d, 10, sent["revision"])
        self.assertWaits(d, sent["jobs"]["slow"])
        self.pass_gate(d, sent["jobs"]["slow"])
        self.assertAnswers(d, 10, sent["revision"], "slow")

    def test_profile_defined_anew(self):
        """Within a revision a profile answers by its old rule until its new tables are there."""
        d = self.gated()
        revision = self.served(d)
        sent = d.ask("PUT", "/v1/graphs/g/profiles/slow", {"transform": "inv"}).json
        self.assertEqual(sent["jobs"], {"slow": sent["job"]})
        self.gate.wait_held(3)
        wait = self.begin_wait(d, revision, "slow")
        self.assertAnswers(d, 2, revision, "slow")
        self.assertEqual(d.ask("GET", "/v1/graphs/g/profiles/slow").json["state"], "computing")
        self.pass_gate(d, sent["job"])
        self.assertWaitEnds(wait, 200)
        self.assertAnswers(d, 2, revision, "slow")  # 1/1 + 1/1
        self.assertEqual(d.path("g", "a", "c", "&profile=slow").json["transform"], "inv")

    def test_earlier_rule_without_its_tables(self):
        """New attributes remove the tables of the earlier rule while the job of a new rule runs.
        If this job is cancelled or fails, the earlier rule answers again, by the new
        attributes."""
        def attributes(left_out):
            reply = d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\nz,PN\n%b,PN\n" % left_out,
                          CSV)
            self.assertStatus(reply, 200)
        d = self.gated()
        arcs = b"a,b,1\nb,c,1\na,d,5\nd,c,5\na,z,-1\nz,a,-1\n"  # without z, no negative cycle
        revision = d.upload("g", arcs, "?transform=hops").json["revision"]
        self.pass_gate(d, d.jobs()[0]["id"])
        attributes(b"b")
        earlier = {"transform": "none", "without": ["type:PN"]}
        for name in ("default", "p"):
            def put(rule):
                return self.assertStatus(d.ask(
                    "PUT", f"/v1/graphs/g/profiles/{name}?default_rule=replace", rule), 202
                    ).json["job"]
            self.pass_gate(d, put(earlier))
            for end, rule in (("cancelled", {"transform": "hops", "without": ["label:c"]}),
                              ("failed", {"transform": "none"})):
                self.assertAnswers(d, 10, revision, name)
                held = len(self.gate.held)
                job = put(rule)
                self.gate.wait_held(held + 1)
                attributes(b"d")
                self.assertWaits(d, job, name)
                if end == "cancelled":
                    d.ask("DELETE", f"/v1/jobs/{job}")
                else:
                    self.gate.open()
                self.assertEqual(d.wait(job)["state"], end)
                again = d.ask("GET", f"/v1/graphs/g/profiles/{name}").json
                self.assertEqual({one: again[one] for one in earlier}, earlier)
                self.pass_gate(d, again["job"])
                self.assertAnswers(d, 2, revision, name)
                attributes(b"b")
                self.pass_gate(d, d.ask("GET", f"/v1/graphs/g/profiles/{name}").json["job"])
            if name == "default":
                self.pass_gate(d, put({"transform": "hops"}))


class Rounds(Case):
    """Put, wait for `job`, ask at once, with four profiles of which one takes a minute.

    `APSP_REVISION_ROUNDS=1000` makes as many.
    """

    def exchange(self, d, request):
        """The answer's status and body, on a connection of its own."""
        with d.raw() as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(body)

    def get(self, d, target):
        return self.exchange(d, b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                             % target.encode())

    def put(self, d, body):
        return self.exchange(
            d, b"PUT /v1/graphs/g?transform=none HTTP/1.1\r\nHost: localhost\r\n"
            b"Connection: close\r\nContent-Type: text/csv\r\nContent-Length: %d\r\n\r\n%s"
            % (len(body), body))

    def test_new_numbers(self):
        with self.daemon(solver=slow_profile.solver(self.directory)) as d:
            d.put("g", OLD)
            for name, rule in {"hops": {"transform": "hops"}, "inv": {"transform": "inv"},
                               "slow": SLOW}.items():
                self.assertStatus(d.ask("PUT", f"/v1/graphs/g/profiles/{name}", rule), 202)
            new = 0
            for i in range(slow_profile.ROUNDS):
                weight = i % 4000 + 2
                status, sent = self.put(d, b"a,b,%d\nb,c,1\n" % weight)
                self.assertEqual((status, set(sent["jobs"])),
                                 (202, {"default", "hops", "inv", "slow"}))
                status, job = 202, {"state": "queued"}
                while job["state"] in ("queued", "running"):
                    status, job = self.get(d, f"/v1/jobs/{sent['job']}?wait=30")
                self.assertEqual((status, job["state"]), (200, "succeeded"))
                status, answer = self.get(d, "/v1/graphs/g/path?from=a&to=c")
                self.assertEqual((status, answer["revision"]), (200, sent["revision"]))
                new += answer["distance"] == weight + 1
                for profile in ("hops", "slow"):
                    status, answer = self.get(
                        d, f"/v1/graphs/g/path?from=a&to=c&profile={profile}")
                    self.assertIn(status, (200, 503))
                    if status == 200:
                        self.assertEqual(answer["revision"], sent["revision"])
            self.assertEqual(new, slow_profile.ROUNDS)


if __name__ == "__main__":
    unittest.main()
