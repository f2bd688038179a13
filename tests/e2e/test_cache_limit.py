"""--cache-limit: what would pass it is refused, with what could be deleted."""
import os
import unittest

from harness import Case, until


ALL = "?transform=none&tables=all"  # with fewer tables, most would have room


def ring(n, weight=1):
    return b"".join(b"%d,%d,%d\n" % (v, (v + 1) % n, weight) for v in range(n))


class CacheLimit(Case):
    def cache(self, d):
        """What /v1/info tells, once no job's own files are there any more."""
        until("the jobs' files to go", lambda: not os.listdir(os.path.join(d.cache, "jobs")))
        return self.assertStatus(d.ask("GET", "/v1/info"), 200).json["cache"]

    def limited(self, limit):
        """A daemon on the same directories, which may hold so many bytes."""
        return self.daemon(args=("--cache-limit", str(limit)))

    def refused(self, reply):
        self.assertStatus(reply, 507, "no-space")
        self.assertIn("--cache-limit", reply.json["detail"])
        return reply.json["deletable"]

    def sizes(self, *graphs):
        """What the tables of each graph take on disk, and that it is told."""
        sizes = []
        with self.daemon() as d:
            for name, body in graphs:
                d.put(name, body, ALL)
                files = sum(os.stat(path).st_blocks * 512 for path in d.table_files())
                sizes.append(files - sum(sizes))
                self.assertEqual(self.cache(d)["used_bytes"], files)
        return sizes

    def test_default(self):
        """Four fifths of what is free at the start, beside the tables there."""
        with self.daemon() as d:
            first = self.cache(d)
            self.assertEqual(first["used_bytes"], 0)
            d.put("g", ring(300), ALL)
            held = self.cache(d)
            self.assertEqual(held["limit_bytes"], first["limit_bytes"])
            self.assertGreater(held["used_bytes"], 300 * 300 * 6)
            ready = self.assertStatus(d.ask("GET", "/readyz"), 200).json
            self.assertEqual({**ready["cache"], "left_bytes": 0},
                             {**held, "left_bytes": 0})

    def test_refused(self):
        small, large, wide = self.sizes(
            ("small", ring(200)), ("large", ring(500)), ("wide", ring(300)))
        # Room for all that is there, and not for the rest of a block.
        with self.limited(small + large + wide + 60000) as d:
            self.assertEqual(self.cache(d)["used_bytes"], small + large + wide)
            found = self.refused(d.upload("more", ring(201), ALL))
            self.assertEqual([row["graph"] for row in found], ["large", "wide", "small"])
            self.assertEqual([row["delete"] for row in found],
                             ["/v1/graphs/large", "/v1/graphs/wide", "/v1/graphs/small"])
            self.assertLessEqual(found[0]["bytes"], large)
            self.assertGreater(found[0]["bytes"], large - 65536)
            profile = "/v1/graphs/wide/profiles/p"
            rule = b'{"transform":"inv"}'
            self.assertEqual(self.refused(d.ask("PUT", profile, rule)), found)
            until("the device", lambda: d.ask("GET", "/readyz").status == 200)
            reply = d.ask("POST", "/v1/graphs/wide/estimate", rule)
            self.assertStatus(reply, 507, "no-space")
            self.assertEqual(reply.json["deletable"], found)
            # No deletion makes room for tables that are larger than the limit.
            for reply in (d.upload("huge", ring(5000), ALL), d.ask(
                    "POST", "/v1/estimate", {"vertices": 5000, "arcs": 5000, "transform": "none",
                                             "tables": "all"})):
                self.assertStatus(reply, 507, "no-space")
                self.assertNotIn("deletable", reply.json)
                self.assertNotIn("delete tables", reply.json["detail"])
            # What is there already is answered as ever.
            self.assertStatus(d.upload("large", ring(500), ALL), 200)
            # The deletion that it names makes the room.
            self.assertStatus(d.ask("DELETE", found[0]["delete"]), 204)
            self.assertEqual(self.cache(d)["used_bytes"], small + wide)
            reply = d.ask("PUT", profile, rule)
            self.assertStatus(reply, 202)
            self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
            found = self.refused(d.upload("more", ring(600), ALL))
            self.assertEqual(found[0]["delete"], "/v1/graphs/wide")
            self.assertEqual(found[1]["delete"], profile)
            self.assertGreater(found[0]["bytes"], found[1]["bytes"])

    def test_shared(self):
        """Tables of two graphs: no single deletion frees them."""
        small, = self.sizes(("one", ring(200)))
        with self.limited(small + 60000) as d:
            d.put("two", ring(200), ALL)
            self.assertEqual(self.refused(d.upload("more", ring(210), ALL)), [])
            self.assertStatus(d.ask("DELETE", "/v1/graphs/one"), 204)
            found = self.refused(d.upload("more", ring(210), ALL))
            self.assertEqual([row["graph"] for row in found], ["two"])

    def test_wider(self):
        """Tables that turn out wider than their weights told end their job."""
        narrow, wide = self.sizes(("narrow", ring(400)), ("wide", ring(400, 1000)))
        self.assertGreater(wide, narrow + 300000)
        with self.limited(narrow + wide + 65536) as d:  # and the arcs
            self.assertStatus(d.ask("DELETE", "/v1/graphs/wide"), 204)
            d.put("wide", ring(400, 1000), ALL)
        with self.limited(2 * narrow + 200000) as d:
            self.assertStatus(d.ask("DELETE", "/v1/graphs/wide"), 204)
            reply = d.upload("wide", ring(400, 1000), ALL)
            self.assertStatus(reply, 202)
            ended = d.wait(reply.json["job"])
            self.assertEqual(ended["state"], "failed")
            self.assertEqual(ended["error"]["status"], 507, ended)
            self.assertIn("--cache-limit", ended["error"]["detail"])
            self.assertEqual([row["graph"] for row in ended["error"]["deletable"]],
                             ["narrow"])
            self.assertEqual(self.cache(d)["used_bytes"], narrow)

    def test_lowered(self):
        """Lost tables are not made past a lower limit; a start with more room makes them."""
        small, large = self.sizes(("small", ring(200)), ("large", ring(500)))
        with self.limited(small) as d:
            self.assertEqual(self.cache(d)["left_bytes"], 0)
            self.assertEqual(d.path("large", 0, 499).json["distance"], 499)
        os.unlink(max(d.table_files(), key=os.path.getsize))
        with self.limited(small + large - 65536) as d:
            reply = d.path("large", 0, 499)
            job = reply.json["job"]
            ended = d.wait(job)
            self.assertEqual((ended["state"], ended["phase"]), ("failed", None), ended)
            self.assertEqual(ended["error"]["type"], "/problems/no-space")
            self.assertEqual([row["graph"] for row in ended["error"]["deletable"]],
                             ["small"])
            self.assertStatus(d.path("large", 0, 499), 409)
            self.assertEqual(d.path("small", 0, 199).json["distance"], 199)
        with self.limited(small + large + 65536) as d:
            self.assertEqual(d.wait(int(job) + 1)["state"], "succeeded")
            self.assertEqual(d.path("large", 0, 499).json["distance"], 499)


if __name__ == "__main__":
    unittest.main()
