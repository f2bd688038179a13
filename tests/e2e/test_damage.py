"""Damaged table files and full disks: every answer is right or refused, the
tables are computed again, the daemon goes on."""
import http.client
import os
import resource
import shutil
import signal
import struct
import subprocess
import unittest

from harness import Case, data, until

BLOCK = 65536  # daemon/job/table_file.h


class Damage(Case):
    def setUp(self):
        super().setUp()
        self.d = self.daemon().start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.serve("worm", "celegans_newman.csv",
                   [(str(a), str(b)) for a in range(1, 290, 24) for b in range(1, 290, 24)])

    def serve(self, graph, file, pairs):
        """Upload it and learn the right answers."""
        self.graph, self.pairs = graph, pairs
        self.d.put(graph, data(file))
        self.right = [reply.json for reply in self.ask_all()]

    def ask_all(self):
        """A path needs tables that agree, which alone finds much damage; a reach set
        is read from bits alone, so it is asked for first."""
        vertex = self.pairs[-1][0]
        return [self.d.ask("GET", f"/v1/graphs/{self.graph}/vertices/{vertex}/reachable"
                                  f"?direction={direction}") for direction in ("out", "in")
                ] + [self.d.path(self.graph, *pair) for pair in self.pairs]

    def assertHeals(self, jobs):
        """No wrong answer meanwhile; the right ones in the end, after one more job."""
        def healed():
            replies = self.ask_all()
            for reply, right in zip(replies, self.right):
                if reply.status == 200:
                    self.assertEqual(reply.json, right)
                else:
                    self.assertStatus(reply, 503)
            newest = self.d.jobs()
            return len(newest) > jobs and newest[0]["state"] == "succeeded" and all(
                reply.status == 200 for reply in replies)
        until("the tables to be computed again", healed)
        self.assertEqual(len(self.d.jobs()), jobs + 1)

    def assertReported(self):
        until("the log to tell of damage", lambda: any(
            "tables found damaged" in line for line in self.d.log))

    def test_cut_while_served(self):
        jobs = len(self.d.jobs())
        os.truncate(self.d.table_files()[0], BLOCK)
        self.assertHeals(jobs)
        self.assertReported()

    def test_emptied_while_served(self):
        jobs = len(self.d.jobs())
        os.truncate(self.d.table_files()[0], 0)
        self.assertHeals(jobs)

    def flip(self, path, part=0.0):
        """Flip a bit of every byte from that part of the file on. Every cell is then
        wrong, so a cell that is served unchecked is seen."""
        size = os.path.getsize(path)
        first = max(1, int(part * size) // BLOCK)
        with open(path, "r+b") as file:
            file.seek(first * BLOCK)
            content = file.read()
            file.seek(first * BLOCK)
            file.write(content.translate(bytes(byte ^ 4 for byte in range(256))))

    def test_flipped_while_served(self):
        """A block is checked when it is first touched; the scrub starts at the front.
        So the damage is in the second half of a large file, just opened."""
        names = [line.split(",")[0] for line in
                 data("larva_edges.csv").decode().splitlines()[::4000]]
        self.d.ask("DELETE", "/v1/graphs/worm")
        until("its table file to go", lambda: not self.d.table_files())
        self.serve("larva", "larva_edges.csv", [(a, b) for a in names for b in names[::3]])
        self.d.restart()
        jobs = len(self.d.jobs())
        self.flip(self.d.table_files()[0], 0.5)
        self.assertHeals(jobs)
        self.assertReported()

    def test_flipped_while_stopped(self):
        jobs = len(self.d.jobs())
        path = self.d.table_files()[0]
        self.d.stop()
        self.flip(path)
        self.d.start()
        self.assertHeals(jobs)

    def test_header_damaged_while_stopped(self):
        jobs = len(self.d.jobs())
        path = self.d.table_files()[0]
        self.d.stop()
        with open(path, "r+b") as file:
            file.seek(12)
            file.write(b"\xff")
        self.d.start()
        self.assertHeals(jobs)

    def test_cut_while_stopped(self):
        jobs = len(self.d.jobs())
        path = self.d.table_files()[0]
        self.d.stop()
        os.truncate(path, os.path.getsize(path) // 2)
        self.d.start()
        self.assertHeals(jobs)

    def test_cache_lost(self):
        """Tables are derived: without the cache every graph is still there."""
        jobs = len(self.d.jobs())
        self.d.stop()
        shutil.rmtree(self.d.cache)
        self.d.start()
        self.assertHeals(jobs)

    def test_cache_lost_while_no_device_fits(self):
        self.d.stop()
        shutil.rmtree(os.path.join(self.d.cache, "tables"))
        with self.daemon(args=("--device", "no such device")) as d:
            job = d.path(self.graph, *self.pairs[0]).json["job"]
            self.assertEqual(d.wait(job)["error"]["type"], "/problems/device-failed")
        self.d.start()
        self.assertHeals(jobs=2)

    def test_stray_files_go(self):
        """Tables without a row go; what is not named as tables are is not ours."""
        folder = os.path.dirname(self.d.table_files()[0])
        paths = {name: os.path.join(folder, name) for name in (
            "4242.apsp", "stray.apsp", "007.apsp", "7.apsp.bak", "-7.apsp")}
        self.d.stop()
        for path in paths.values():
            with open(path, "wb") as file:
                file.write(b"nobody's")
        self.d.start()
        self.assertEqual([name for name, path in paths.items() if os.path.exists(path)],
                         ["stray.apsp", "007.apsp", "7.apsp.bak", "-7.apsp"])
        self.assertEqual([reply.json for reply in self.ask_all()], self.right)

    def test_arcs_changed_while_stopped(self):
        """A changed arc in the database is in no new table and in no bundle, also if the
        transfer of the bundle is resumed; the tables that exist answer on."""
        arcs = [f"{i},{i + 1},1000003\n".encode() for i in range(3)]
        # more arcs than one read of the database has
        arcs += [f"{i // 70 + 10},{i % 70 + 10},9\n".encode() for i in range(4900)]
        self.d.put("g", b"".join(arcs))
        kept = self.d.table_files()
        self.d.stop()
        path = os.path.join(self.d.state, "apspd.sqlite")
        with open(path, "rb") as file:
            content = file.read()
        right, wrong = (struct.pack("<d", weight) for weight in (1000003, 1000007))
        self.assertEqual(content.count(right), 3)
        with open(path, "wb") as file:
            file.write(content.replace(right, wrong, 1))
        self.d.start()
        self.assertEqual(self.d.path("g", "0", "3").json["distance"], 3000009)
        for target in ("bundle?tables=none", "arcs", "arcs?format=npy"):
            client = self.d.client()
            with self.assertRaises((http.client.IncompleteRead, ConnectionResetError)):
                client.ask("GET", f"/v1/graphs/g/{target}")
            client.close()
        until("the log to say why", lambda: any(
            "cut off: graph 'g' has changed in the database" in line for line in self.d.log))
        for method, target in (("PUT", "new?of=g&match=label:1"),
                               ("GET", "g/bundle?tables=none")):
            reply = self.d.ask(method, f"/v1/graphs/{target}", None, {"Range": "bytes=-9000"})
            self.assertStatus(reply, 409, "unreadable-row")
            self.assertIn("graph 'g' has changed in the database", reply.json["detail"])
        self.d.stop()
        for path in kept:
            os.unlink(path)
        self.d.start()
        job = until("the job to fail", lambda: [
            job for job in self.d.jobs() if job["graph"] == "g" and job["state"] == "failed"])
        self.assertTrue(job[0]["error"]["type"].endswith("unreadable-row"), job)
        self.assertStatus(self.d.path("g", "0", "3"), 409, "tables-failed")
        until("the daemon to be ready", lambda: self.d.ask("GET", "/readyz").status == 200)
        self.assertRegex(self.d.ask("GET", "/readyz").json["troubles"][0],
                         "^the tables of 'g' .* cannot be computed: .*upload it again")
        self.d.put("g", b"".join(arcs))
        self.assertEqual(self.d.path("g", "0", "3").json["distance"], 3000009)
        self.assertStatus(self.d.ask("GET", "/v1/graphs/g/bundle"), 200)

    def test_not_our_database(self):
        self.d.stop()
        with open(os.path.join(self.d.state, "apspd.sqlite"), "r+b") as file:
            file.write(b"This is no database. " * 10)
        with self.assertRaisesRegex(AssertionError, "apspd ended with 78"):
            self.d.start()
        self.d.process = None


class Removed(Case):
    """The database goes while it is served: SQLite would go on in the removed file,
    and what it commits there is gone at the next start."""

    def setUp(self):
        super().setUp()
        self.d = self.daemon().start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.d.put("g", b"a,b,1\nb,c,1\n")
        until("the daemon to be ready",
              lambda: self.d.ask("GET", "/readyz").status == 200)

    def assertRefuses(self):
        reply = self.assertStatus(self.d.ask("GET", "/readyz"), 503)
        self.assertIn("removed or replaced", reply.json["detail"])
        for reply in (self.d.upload("h", b"a,b,2\n"),
                      self.d.ask("PUT", "/v1/graphs/g/profiles/p", {"transform": "hops"}),
                      self.d.ask("DELETE", "/v1/graphs/g")):
            self.assertIn(reply.status, (500, 503), reply)
        self.assertEqual(self.d.path("g", "a", "c").json["distance"], 2)

    def test_database(self):
        database = os.path.join(self.d.state, "apspd.sqlite")
        os.rename(database, database + ".away")
        self.assertRefuses()
        with open(database, "wb"):
            pass
        self.assertRefuses()
        os.rename(database + ".away", database)
        self.d.put("h", b"a,b,2\n")
        self.d.restart()
        self.assertEqual(self.d.path("h", "a", "b").json["distance"], 2)

    def test_directory(self):
        shutil.rmtree(self.d.state)
        self.assertRefuses()


def can_mount():
    """The words before a command that give it a mount namespace of its own."""
    for words in (["unshare", "-m"], ["unshare", "-Urm"]):
        try:
            subprocess.run([*words, "sh", "-c", "mount -t tmpfs none /mnt"], check=True,
                           capture_output=True, timeout=60)
            return words
        except (OSError, subprocess.SubprocessError):
            pass
    return None


class Full(Case):
    """A directory on a disk of a few MB or, where nothing can be mounted, a limit
    on the size of files (which is another error, so the status differs)."""

    def full(self, which, megabytes):
        words = can_mount()
        for name in ("state", "cache"):
            os.mkdir(os.path.join(self.directory, name))
        if not words:
            size = megabytes << 20

            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            return self.daemon(preexec=limit), (500, 503, 507)
        mount = (f'mount -t tmpfs -o size={megabytes}m,mode=0700 none "$1" && shift && exec "$@"')
        return self.daemon(prefix=[*words, "sh", "-c", mount, "mount",
                                   os.path.join(self.directory, which)]), (507,)

    def test_state_full(self):
        small = b"a,b,1\nb,c,1\n"
        daemon, statuses = self.full("state", 4)
        with daemon as d:
            d.put("g", small)
            # 400,000 arcs of 16 bytes do not fit.
            large = b"".join(b"%d,%d,1\n" % (i % 700, i % 691) for i in range(400000))
            reply = d.upload("h", large)
            self.assertIn(reply.status, statuses, reply)
            if statuses == (507,):
                self.assertStatus(reply, 507, "state-full")
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)
            self.assertEqual(d.ask("GET", "/v1/graphs/h").status, 404)
            d.put("i", small.replace(b"1", b"3"))
            self.assertEqual(d.path("i", "a", "c").json["distance"], 6)

    def test_cache_full(self):
        """Two MB of tables do not fit beside the compiled kernels; small ones do."""
        daemon, _ = self.full("cache", 4)
        # The kernels have a directory of their own, or they would fill this one.
        daemon.env.setdefault("POCL_CACHE_DIR", os.path.join(self.directory, "kernels"))
        with daemon as d:
            d.put("g", b"a,b,1\nb,c,1\n")
            reply = d.upload("h", b"".join(b"%d,%d,1\n" % (i, (i + 1) % 1500)
                                           for i in range(1500)), "?tables=all")
            if reply.status == 202:
                ended = d.wait(reply.json["job"])
                self.assertEqual(ended["state"], "failed")
                self.assertEqual(ended["error"]["status"], 507, ended)
            else:
                self.assertStatus(reply, 507)
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)
            d.put("i", b"a,b,3\nb,c,3\n")
            self.assertEqual(d.path("i", "a", "c").json["distance"], 6)


if __name__ == "__main__":
    unittest.main()
