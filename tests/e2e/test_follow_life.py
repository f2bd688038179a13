"""The whole life of a replica in one test, for the build under the sanitizers.

test_follow.py has the cases one by one, with bounds of time and memory that only hold in the
plain build.
"""
import json
import os
import unittest

import test_follow as follow
from harness import until


class Life(follow.Following):
    def test_life(self):
        """Fetch, changes, a broken transfer, wrong tables, deletions, and an end."""
        w = self.writer()
        w.put("g", follow.ROWS)
        server = self.between(w)
        token_file = os.path.join(self.directory, "token")
        with open(token_file, "w", encoding="ascii") as file:
            file.write("any\n")
        f = self.follower(server.url, ("--follow-token", token_file))
        self.same(w, f, "g")
        first = self.child(f)
        self.assertEqual(len(first), 1)

        # changes of the same upload, and another one, whose transfer breaks off twice
        reply = w.ask("PUT", "/v1/graphs/g/profiles/wide", {"path": "widest"})
        self.assertEqual(w.wait(reply.json["job"])["state"], "succeeded")
        self.assertStatus(w.ask("PUT", "/v1/graphs/g/attributes", b"label,type\na,KC\n",
                                follow.CSV), 200)
        cuts = []

        def cut(handler, reply, body):
            if "/bundle" not in handler.path or reply.status not in (200, 206) or len(cuts) == 2:
                return False
            cuts.append(len(body))
            handler.answer(reply.status, body, reply.headers, sent=len(body) // 2)
            return True
        server.lie = cut
        w.put("g", follow.OTHER)
        self.same(w, f, "g")
        self.assertEqual(len(cuts), 2)

        # lists and bundles that are none, and tables that fail their proof
        def nonsense(handler, reply, body):
            handler.answer(200, json.dumps({"next": None, "graphs": [{"name": "../g"}]}).encode()
                           if "/bundle" not in handler.path else b"x" * 3000, {"ETag": '"lie"'})
            return True
        server.lie = nonsense
        w.put("h", follow.ROWS)
        until("an error", lambda: (self.follow(f) or {"error": None})["error"])
        server.lie = None
        self.same(w, f, "h")
        refused = follow.Refused()
        refused.lie(server, "default")
        w.put("i", follow.ROWS + b"e,a,2\n")
        self.same(w, f, "i")
        self.assertEqual(self.follow(f)["tables_refused"], 1)

        # what is gone goes
        server.lie = None
        self.assertStatus(w.ask("DELETE", "/v1/graphs/g/profiles/wide"), 204)
        self.assertStatus(w.ask("DELETE", "/v1/graphs/g/attributes"), 204)
        self.assertStatus(w.ask("DELETE", "/v1/graphs/h"), 204)
        until("the graph to go", lambda: f.ask("GET", "/v1/graphs/h").status == 404)
        until("the profile to go",
              lambda: f.ask("GET", "/v1/graphs/g/profiles/wide").status == 404)
        self.same(w, f, "g")
        w.stop()
        until("the writer to be missed", lambda: not self.follow(f)["reachable"])

        # a sanitizer would have ended the child, and the daemon would have started another
        self.assertEqual(self.child(f), first)
        f.stop()
        log = "".join(f.log)
        self.assertNotIn("it is started again", log)
        self.assertNotIn("runtime error", log)
        self.assertNotIn("Sanitizer", log)


if __name__ == "__main__":
    unittest.main()
