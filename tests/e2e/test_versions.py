"""Databases and tables as earlier versions left them: they open, are brought to the
present format, and answer as they did (tests/data/versions)."""
import contextlib
import glob
import gzip
import os
import re
import shutil
import sqlite3
import tempfile
import unittest

from harness import DATA, SOURCE_ROOT, Case, Gate

VERSIONS = os.path.join(DATA, "versions")

# What the version that made the files answered.
KNOWN = {
    ("g", "default", "a", "c"): (7, ["a", "c"], [7]),
    ("g", "strong", "a", "c"): (1 / 27, ["a", "c"], [27]),
    ("tri", "default", "x", "z"): (2.0794415416798357, ["x", "y", "z"], [0.5, 0.25]),
}
# From format 7 on, there is also a graph that was made from `g`; from 8 on, `g` has a unit.
DERIVED = ("types", "default", "KC", "sens"), (4, ["KC", "sens"], [4])
REVISION = "f00b7b87dbe0a3bef78cac63800b9b041adcf6b224eae149080ddffaa557afda"
TABLE = "9ad42d42727e302ccc43b81ebc75b639"
# The columns that each version added, with what they say of rows before it.
ADDED = {
    2: [("jobs", "plan", "")],
    3: [("generations", "weights", 0)],
    4: [("generations", "attributes", None)],
    5: [("jobs", "stages", "")],
    6: [("jobs", "proof_seed", 0)],
    7: [("generations", "origin_graph", "")],
    8: [("generations", "weight_unit", "")],
}


def unpack(name, path):
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    with gzip.open(os.path.join(VERSIONS, name)) as packed, open(path, "wb") as file:
        shutil.copyfileobj(packed, file)


class Versions(Case):
    def start(self, version, tables):
        d = self.daemon()
        database = os.path.join(d.state, "apspd.sqlite")
        unpack(f"apspd-{version}.sqlite.gz", database)
        found = sqlite3.connect(database)
        self.assertEqual(found.execute("PRAGMA user_version").fetchone()[0], version)
        found.close()
        for name in os.listdir(VERSIONS) if tables else []:
            if name.endswith(".apsp.gz"):
                unpack(name, os.path.join(d.cache, "tables", name[:-len(".gz")]))
        self.addCleanup(lambda: d.process and d.stop())
        return d.start()

    def assertAnswers(self, d, version=1):
        known = [*KNOWN.items(), DERIVED] if version >= 7 else KNOWN.items()
        for (graph, profile, start, end), (distance, path, weights) in known:
            answer = self.assertStatus(
                d.path(graph, start, end, f"&profile={profile}"), 200).json
            self.assertAlmostEqual(answer["distance"], distance, delta=1e-12)
            self.assertEqual(answer["path"], path)
            self.assertEqual([arc["weight"] for arc in answer["arcs"]], weights)
        graph = d.ask("GET", "/v1/graphs/g").json
        self.assertEqual((graph["revision"], graph["vertices"], graph["arcs"],
                          graph["format"]), (REVISION, 3, 5, "csv"))
        self.assertEqual(graph["weight_unit"], "mm" if version >= 8 else None)
        if version >= 7:
            self.assertEqual(d.ask("GET", "/v1/graphs/types").json["derived_from"],
                             {"graph": "g", "revision": REVISION, "by": "type"})
        strong = graph["profiles"][1]
        self.assertEqual((strong["transform"], strong["min_weight"]), ("inv", 5))
        bad = d.job(4)
        self.assertEqual((bad["graph"], bad["state"]), ("bad", "failed"))
        self.assertEqual(bad["error"]["cycle"], ["a", "b"])

    def rows(self, path, table, column):
        """By id; none where there is no such column."""
        with contextlib.closing(sqlite3.connect(path)) as database:
            names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            if column not in names:
                return {}
            return dict(database.execute(f"SELECT id, {column} FROM {table}"))

    def old_rows(self, version):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "old.sqlite")
            unpack(f"apspd-{version}.sqlite.gz", path)
            return {table: self.rows(path, table, "id") for table in ("jobs", "generations")}

    def assertAdded(self, version, path):
        """Rows of an earlier version say nothing in the columns that came later."""
        old = self.old_rows(version)
        for added, columns in ADDED.items():
            for table, column, value in columns if added > version else []:
                now = self.rows(path, table, column)
                told = {row: now[row] for row in old[table] if row in now}
                self.assertTrue(told)
                self.assertEqual(set(told.values()), {value}, (table, column))

    def test_databases(self):
        """Without the cache, the tables of every graph are computed again."""
        versions = sorted(int(re.search(r"-(\d+)\.", path).group(1))
                          for path in glob.glob(os.path.join(VERSIONS, "*.sqlite.gz")))
        migrations = glob.glob(os.path.join(SOURCE_ROOT, "storage/database/migrations/*.sql"))
        self.assertEqual(versions, list(range(1, len(migrations) + 1)))
        for version in versions:
            with self.subTest(version=version):
                d = self.start(version, tables=False)
                for job in d.jobs():
                    if job["state"] in ("queued", "running"):
                        self.assertEqual(d.wait(job["id"])["state"], "succeeded")
                self.assertEqual(len(d.jobs()), 9 if version >= 7 else 7,
                                 "one more for each table")
                self.assertAnswers(d, version)
                d.restart()
                self.assertAnswers(d, version)
                chosen = d.ask("GET", "/v1/graphs/g/vertices?match=type:KC")
                if version >= 4:  # attributes came with it
                    self.assertEqual(chosen.json["vertices"], ["a", "c"])
                else:
                    self.assertEqual(chosen.status, 400)
                d.stop()
                self.assertAdded(version, os.path.join(d.state, "apspd.sqlite"))
                shutil.rmtree(d.state)
                shutil.rmtree(d.cache)

    def test_tables(self):
        """Tables are served as they are, and nothing is computed."""
        d = self.start(3, tables=True)
        self.assertAnswers(d)
        self.assertEqual(len(d.jobs()), 4)
        graph = d.ask("GET", "/v1/graphs/g").json
        self.assertEqual(graph["profiles"][0]["table"], TABLE)
        # statistics came with the second version of table files
        refused = self.assertStatus(d.ask("GET", "/v1/graphs/g/stats"), 409)
        self.assertEqual(
            refused.json["detail"],
            "an earlier apspd made these tables, without statistics; DELETE the profile (or the "
            "graph) and PUT it again, and the tables are computed with them")
        vertex = self.assertStatus(d.ask("GET", "/v1/graphs/g/vertices/a"), 200)
        self.assertEqual(vertex.json["measures"], {})


class Pending(Case):
    """Uploads that were pending when a graph still waited for the jobs of all profiles.

    In `half` and `first` the job of `default` has succeeded and that of `slow` ran; in
    `failed` that of `default` has failed.
    """

    def unpack_pending(self, name, d):
        unpack(f"pending/{name}.sqlite.gz", os.path.join(d.state, "apspd.sqlite"))
        for path in glob.glob(os.path.join(VERSIONS, "pending", f"{name}-*.apsp.gz")):
            table = os.path.basename(path)[len(name) + 1:-len(".gz")]
            unpack(f"pending/{os.path.basename(path)}", os.path.join(d.cache, "tables", table))

    def start(self, name):
        d = self.daemon()
        self.unpack_pending(name, d)
        self.addCleanup(lambda: d.process and d.stop())
        return d.start()

    def assertDistances(self, d, distance):
        for profile in ("default", "slow"):
            answer = self.assertStatus(d.path("g", "a", "c", f"&profile={profile}"), 200).json
            self.assertEqual(answer["distance"], distance)

    def test_half_way(self):
        """It switches at once, and the profile is computed on."""
        for name, job in (("half", 4), ("first", 2)):
            with self.subTest(name=name):
                d = self.start(name)
                self.assertEqual(d.path("g", "a", "c").json["distance"], 10)
                self.assertEqual(d.wait(job)["state"], "succeeded")
                self.assertDistances(d, 10)
                self.assertEqual(len(d.table_files()), 2)
                self.assertEqual(len(d.jobs()), job)
                d.stop()
                shutil.rmtree(d.state)
                shutil.rmtree(d.cache)

    def test_damaged(self):
        """The upload before goes on answering while the tables of `default` are made again."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        d = self.daemon(solver=gate.path)
        self.unpack_pending("half", d)
        os.truncate(os.path.join(d.cache, "tables", "3.apsp"), 100)
        self.addCleanup(lambda: d.process and d.stop())
        d.start()
        self.assertDistances(d, 2)
        pending = d.ask("GET", "/v1/graphs/g").json["pending"]
        self.assertEqual([one["job"] for one in pending["profiles"]], ["5", "4"])
        for job in ("4", "5"):
            gate.open()
            self.assertEqual(d.wait(job)["state"], "succeeded")
        self.assertDistances(d, 10)

    def test_failed(self):
        """The upload before answers, and the other profile's job is not run."""
        d = self.start("failed")
        ended = d.wait(4)
        self.assertEqual((ended["state"], ended["tries"]), ("cancelled", 1))
        self.assertDistances(d, 2)
        graph = d.ask("GET", "/v1/graphs/g").json
        self.assertEqual(graph["pending"]["error"]["type"], "/problems/negative-cycle")


if __name__ == "__main__":
    unittest.main()
