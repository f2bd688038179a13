"""The README's own lines for backups and moves, run by a shell."""
import os
import re
import shutil
import subprocess
import unittest

from harness import DATA, Case, Daemon, SOURCE_ROOT, until


class Recipes(Case):
    def setUp(self):
        super().setUp()
        self.backup = os.path.join(self.directory, "backup")
        os.mkdir(self.backup)

    def recipe(self, words, refused=0, **addresses):
        """Run the one line of the section that has these words. So many requests are refused.

        addresses: by the name of a machine, its daemon or its state directory.
        """
        with open(os.path.join(SOURCE_ROOT, "README.md"), encoding="utf-8") as file:
            section = file.read().split("## Bundles and backups\n")[1].split("\n## ")[0]
        lines = [line[4:] for line in section.splitlines()
                 if line.startswith("    ") and words in line]
        self.assertEqual(len(lines), 1, words)
        line = lines[0].replace("/backup", self.backup).replace("sudo ", "")
        line = re.sub(r'ssh (\w+) "(.*?)"',
                      lambda found: f"{{ {found[2].replace('localhost', found[1])}; }}", line)
        for name, place in addresses.items():
            old = {"state": r"/var/lib/(private/)?apspd"}.get(name, name + ":8080")
            new = place if isinstance(place, str) else place.addresses[0]
            line, n = re.subn(old, new, line)
            self.assertGreater(n, 0, line)
        run = subprocess.run(["sh", "-euc", line], capture_output=True, text=True, timeout=120,
                             stdin=subprocess.DEVNULL, cwd=self.backup)
        self.assertEqual(run.returncode, 0, run)
        self.assertEqual(run.stdout.count('"status":'), refused, run.stdout)

    def serve(self, name=""):
        """A daemon on directories of its own, as on another machine."""
        directory = os.path.join(self.directory, name)
        os.makedirs(directory, exist_ok=True)
        d = Daemon(directory)
        self.addCleanup(lambda: d.process and d.stop())
        return d.start()

    def fill(self, d):
        """Two graphs, one with attributes and a second profile."""
        d.put("g", b"a,b,3\nb,c,4\n")
        d.put("other.graph~1", b"x,y,2\n", "?transform=inv")
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\na,KC\n",
                                {"Content-Type": "text/csv"}), 200)
        reply = self.assertStatus(
            d.ask("PUT", "/v1/graphs/g/profiles/hops", {"transform": "hops"}), 202)
        self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")

    def assertFilled(self, d):
        self.assertEqual([one["name"] for one in d.ask("GET", "/v1/graphs").json["graphs"]],
                         ["g", "other.graph~1"])
        for graph, profile, start, end, distance in (
                ("g", "default", "a", "c", 7), ("g", "hops", "a", "c", 2),
                ("other.graph~1", "default", "x", "y", 0.5)):
            def ask():
                return d.path(graph, start, end, f"&profile={profile}")
            until("its tables", lambda: ask().status != 503)
            self.assertEqual(self.assertStatus(ask(), 200).json["distance"], distance)
        self.assertEqual(d.ask("GET", "/v1/graphs/g/vertices?match=type:KC").json["vertices"],
                         ["a"])

    def lose(self, d):
        d.stop()
        shutil.rmtree(d.state)
        shutil.rmtree(os.path.join(d.cache, "tables"))

    def test_lines(self):
        """A daemon is backed up, loses its directories twice, and moves."""
        d = self.serve("one")
        self.fill(d)
        self.recipe("bundle?tables=none\"; done", localhost=d)
        self.assertEqual(sorted(os.listdir(self.backup)), ["g.tar", "other.graph~1.tar"])
        self.recipe("VACUUM INTO", state=d.state)
        n_jobs = len(d.jobs())
        d.put("g", b"a,b,3\nb,c,5\n")  # is in neither

        self.lose(d)
        d.start()
        self.recipe("for f in", localhost=d)
        self.assertFilled(d)
        # a graph that exists is kept
        d.put("g", b"a,b,3\nb,c,5\n")
        self.recipe("for f in", refused=2, localhost=d)
        self.assertEqual(d.path("g", "a", "c").json["distance"], 8)
        d.put("g", b"a,b,3\nb,c,4\n")

        self.lose(d)
        self.recipe("install -D", state=d.state)
        d.start()
        self.assertFilled(d)
        self.assertEqual(len(d.jobs()), 2 * n_jobs, "those of the copy, and one for each table")

        # a daemon that is killed leaves a log, which must not get into the copy
        self.assertStatus(d.ask("DELETE", "/v1/graphs/other.graph~1"), 204)
        d.put("g", b"a,b,3\nb,c,5\n")
        d.kill()
        self.assertGreater(os.path.getsize(os.path.join(d.state, "apspd.sqlite-wal")), 0)
        self.recipe("install -D", state=d.state)
        d.start()
        self.assertFilled(d)

        d.stop()
        os.mkdir(os.path.join(self.directory, "two"))
        subprocess.run(["cp", "-a", d.state, d.cache, os.path.join(self.directory, "two")],
                       check=True)
        two = self.serve("two")
        self.assertFilled(two)
        self.assertEqual(len(two.jobs()), 2 * n_jobs, "nothing is computed")

        d.start()
        d.put("larva", b"a,b,3\nb,c,4\nc,d,1\n")
        self.recipe("ssh one", one=d, localhost=two)
        until("its tables", lambda: two.path("larva", "a", "d").status == 200)
        self.assertEqual(two.path("larva", "a", "d").json["distance"], 8)

    def test_cited(self):
        """A question with the ETag of its answer gets this answer, or 412."""
        d, reader = self.serve("author"), self.serve("reader")
        self.fill(d)
        question = "/v1/graphs/g/path?from=a&to=c&profile=hops"
        first = self.assertStatus(d.ask("GET", question), 200)
        cited = {"If-Match": first.headers["ETag"]}
        self.assertEqual(d.ask("GET", question, headers=cited).json, first.json)
        bundle = d.ask("GET", "/v1/graphs/g/bundle").body
        reply = self.assertStatus(reader.ask("PUT", "/v1/graphs/g?prove=all", bundle,
                                             {"Content-Type": "application/x-tar"}), 202)
        for job in reply.json["jobs"].values():
            reader.wait(job)
        self.assertEqual(reader.ask("GET", question, headers=cited).json, first.json)
        d.wait(d.ask("PUT", "/v1/graphs/g/profiles/hops", {"transform": "inv"}).json["job"])
        self.assertEqual(d.path("g", "a", "c", "&profile=hops").json["revision"],
                         first.json["revision"])
        self.assertStatus(d.ask("GET", question, headers=cited), 412)
        reader.put("g", b"a,b,3\nb,c,5\n")
        until("its tables", lambda: reader.path("g", "a", "c", "&profile=hops").status != 503)
        self.assertStatus(reader.ask("GET", question, headers=cited), 412)

    def test_computed_elsewhere(self):
        """A laptop proves and serves the tables that a server has computed."""
        gpu, laptop = self.serve("gpu"), self.serve("laptop")
        shutil.copy(os.path.join(DATA, "larva_edges.csv"), os.path.join(self.backup, "edges.csv"))
        self.recipe("ssh gpu \"curl", gpu=gpu)
        self.recipe("ssh gpu \"until", gpu=gpu)
        self.recipe("larva.tar 'localhost", localhost=laptop)
        job, = laptop.jobs()
        record = laptop.wait(job["id"])
        self.assertEqual((record["state"], record["algorithm"]), ("succeeded", "prove"), record)
        self.assertEqual(*(d.path("larva", "29", "8835968").json for d in (gpu, laptop)))


if __name__ == "__main__":
    unittest.main()
