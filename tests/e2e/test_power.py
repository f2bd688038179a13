"""The power goes: the daemon is killed and what was not synced is lost, or half of it.

The daemon syncs to `kept_disk.c`, which keeps each file as it was when it was last
synced. From that, and from what the kernel still had, a test builds directories as a
disk may have them then, and starts a daemon there. What was acknowledged as stored
must be there, and tables answer rightly or not yet. APSP_POWER_CUTS=N tries N moments
in place of a few.
"""
import ctypes
import functools
import http.client
import os
import random
import shutil
import signal
import struct
import unittest

from harness import BUILD_ROOT, Case, Daemon, data, until

DISK = os.path.join(BUILD_ROOT, "tests", "libkept_disk.so")
PAGE = 4096
BLOCK = 65536  # daemon/job/table_file.h
CUTS = int(os.environ.get("APSP_POWER_CUTS", "0"))
LIBC = ctypes.CDLL(None, use_errno=True)


def kept_name(path):
    """What kept_disk.c calls its copy of a file: inode and time of birth."""
    out = ctypes.create_string_buffer(256)
    if LIBC.statx(-100, os.fsencode(path), 0x100, 0x900, out) != 0:
        raise OSError(ctypes.get_errno(), path)
    inode, = struct.unpack_from("=Q", out, 32)
    second, nanosecond = struct.unpack_from("=qI", out, 80)
    return f"{inode}-{second}-{nanosecond}"


class Image:
    """A directory as a disk may have it: `pick()` says of each page and name that was
    not synced whether it got there."""

    def __init__(self, disk, pick):
        self.disk, self.pick = disk, pick

    def synced(self, name):
        try:
            with open(os.path.join(self.disk, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def bytes_of(self, name, path):
        """path: the file, or None where it is gone."""
        old = self.synced(name)
        if path is None:
            return old or b""
        with open(path, "rb") as file:
            new = file.read()
        if old == new:
            return new
        old = old or b""
        kept = bytearray(new if self.pick(path, None) else old)
        old = old.ljust(len(kept), b"\0")
        new = new.ljust(len(kept), b"\0")
        for at in range(0, len(kept), PAGE):
            kept[at:at + PAGE] = (new if self.pick(path, at) else old)[
                at:min(at + PAGE, len(kept))]
        return bytes(kept)

    def entries_of(self, directory):
        """name: (the copy's name, path or None)."""
        there = {name: (kept_name(os.path.join(directory, name)),
                        os.path.join(directory, name)) for name in os.listdir(directory)}
        gone = {copy: (copy, path) for copy, path in there.values()}
        synced = (self.synced(kept_name(directory)) or b"").decode().splitlines()
        synced = {name: gone.get(copy, (copy, None))
                  for copy, name in (line.split(" ", 1) for line in synced)}
        return {name: entry for name in sorted({*there, *synced})
                for entry in [there.get(name) if self.pick(os.path.join(directory, name), None)
                              else synced.get(name)] if entry}

    def build(self, directory, out):
        os.mkdir(out, 0o700)
        for name, (copy, path) in self.entries_of(directory).items():
            to = os.path.join(out, name)
            if path and os.path.islink(path):  # the harness' own
                os.symlink(os.readlink(path), to)
            elif path and os.path.isdir(path):
                self.build(path, to)
            else:
                with open(to, "wb", opener=functools.partial(os.open, mode=0o600)) as file:
                    file.write(self.bytes_of(copy, path))


def nothing(_path, _at):
    return False


def all_but_tables(path, at):
    """Names and sizes got there, and the database, but no page of the tables."""
    return at is None or not path.endswith(".apsp")


def not_all_of_tables(path, at):
    """A page of each block of the tables did not; what is checked first is whole."""
    return all_but_tables(path, at) or at % BLOCK != BLOCK // 2


def at_random(seed):
    picks = random.Random(seed)
    return lambda _path, _at: picks.random() < 0.5


class Power(Case):
    PAIRS = [(str(a), str(b)) for a in range(1, 290, 24) for b in range(1, 290, 24)]

    def setUp(self):
        super().setUp()
        self.disk = os.path.join(self.directory, "disk")
        self.images = 0

    def start(self, **env):
        """A daemon over a new disk."""
        shutil.rmtree(self.disk, ignore_errors=True)
        os.mkdir(self.disk)
        self.d = self.daemon(env={"APSP_DISK": self.disk, **env})
        self.d.env["LD_PRELOAD"] = DISK
        self.addCleanup(lambda: self.d.process and self.d.kill())
        return self.d

    def image(self, pick):
        """A daemon over what the disk has, not yet started."""
        self.images += 1
        where = os.path.join(self.directory, f"image{self.images}")
        os.mkdir(where)
        for name in ("state", "cache"):
            Image(self.disk, pick).build(os.path.join(self.d.directory, name),
                                         os.path.join(where, name))
        return Daemon(where)

    def answers(self, d, graph="worm"):
        return [d.path(graph, *pair) for pair in self.PAIRS]

    def assertHeals(self, d, right, graph="worm"):
        """Never wrong, and right in the end."""
        def healed():
            replies = self.answers(d, graph)
            for reply, expected in zip(replies, right):
                if reply.status == 200:
                    self.assertEqual(reply.json, expected)
                else:
                    self.assertStatus(reply, 503)
            return all(reply.status == 200 for reply in replies)
        until("the tables to answer", healed)


class Held(Power):
    """Between tables that answer and tables that are durable."""

    def test_tables_not_durable(self):
        d = self.start(APSP_DISK_HOLDS=".apsp").start()
        d.put("worm", data("celegans_newman.csv"))
        right = [reply.json for reply in self.answers(d)]
        d.kill()
        # where the job's record got there before the tables that it tells of, these
        # are found damaged, and a second job makes them
        for what, pick, jobs in [("nothing", nothing, {1, 2}),
                                 ("all but tables", all_but_tables, {2}),
                                 ("not all of tables", not_all_of_tables, {2}),
                                 *((f"seed {seed}", at_random(seed), {1, 2})
                                   for seed in range(CUTS))]:
            with self.subTest(what), self.image(pick) as again:
                self.assertHeals(again, right)
                self.assertIn(len(again.jobs()), jobs)


class Cut(Power):
    """Before a sync, while graphs come, are replaced and go."""

    STEPS = [("worm", data("celegans_newman.csv")), ("a", b"x,y,1\ny,z,2\n"),
             ("a", b"x,y,3\n"), ("b", b"x,y,1\n"), ("b", None)]

    def step(self, d, graph, body):
        """One step, until it is acknowledged and its job has ended."""
        if body is None:
            self.assertStatus(d.ask("DELETE", f"/v1/graphs/{graph}"), 204)
            return
        reply = self.assertStatus(d.upload(graph, body), 202)
        self.revisions.append(reply.json["revision"])
        d.wait(reply.json["job"])

    def setUp(self):
        super().setUp()
        d = self.start().start()
        self.revisions = []
        for graph, body in self.STEPS:
            self.step(d, graph, body)
        self.expected = [*self.revisions, None]
        self.right = [reply.json for reply in self.answers(d)]
        d.kill()

    def state_after(self, n_steps):
        """Each graph's revision."""
        return {graph: revision for (graph, _), revision in
                zip(self.STEPS[:n_steps], self.expected)}

    def cut_at(self, sync):
        """How many steps were acknowledged before that sync, where the power goes."""
        shutil.rmtree(self.d.state)
        shutil.rmtree(self.d.cache)
        self.revisions = []
        n_deleted = 0
        failed = None
        d = self.start(APSP_DISK_CUT=str(sync))
        try:
            d.start()
            for graph, body in self.STEPS:
                self.step(d, graph, body)
                n_deleted += body is None
        except (AssertionError, OSError, http.client.HTTPException) as error:
            failed = error
        if failed or not CUTS:  # of many moments some are after the last sync
            self.assertEqual(d.process.wait(60), -signal.SIGKILL, failed)
        d.kill()
        return len(self.revisions) + n_deleted

    def check(self, d, n_steps):
        there = {graph["name"]: (graph["pending"] or graph)["revision"]
                 for graph in d.ask("GET", "/v1/graphs").json["graphs"]}
        now, after = self.state_after(n_steps), self.state_after(n_steps + 1)
        for graph in "worm", "a", "b":
            self.assertIn(there.get(graph), [now.get(graph), after.get(graph)], graph)
        if "worm" in there:
            self.assertHeals(d, self.right)

    def test_syncs(self):
        for sync in range(1, CUTS + 1) if CUTS else (6, 23, 34):
            n_steps = self.cut_at(sync)
            for pick in nothing, at_random(sync):
                with self.subTest(sync=sync, n_steps=n_steps, pick=pick.__name__), \
                        self.image(pick) as again:
                    self.check(again, n_steps)


if __name__ == "__main__":
    unittest.main()
