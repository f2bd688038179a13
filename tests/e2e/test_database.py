"""Starts on prepared databases: one of another program, a newer or a damaged one is
refused and never changed, whether its content is in the file, its journal or its log."""
import os
import shutil
import sqlite3
import subprocess
import unittest

from harness import APSPD, Daemon
from prepared import Prepared, tree, write


class Database(Prepared):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.state, "apspd.sqlite")

    def database(self, *statements):
        db = sqlite3.connect(self.path)
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()

    def begun(self):
        """A new database of ours, before its first table."""
        self.database("PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL")

    def dies(self, db, beside):
        """Leave the database, and the file beside it, as they are while db is open."""
        kept = {}
        for name in (self.path, self.path + beside):
            with open(name, "rb") as file:
                kept[name] = file.read()
        db.close()
        for name, content in kept.items():
            os.chmod(write(name, content=content), 0o600)

    def test_link_as_database(self):
        kept = write(self.other, "kept.sqlite", content=b"")
        os.symlink(kept, self.path)
        self.assertRefused("apspd.sqlite", "symbolic link")

    def test_fifo_as_database(self):
        os.mkfifo(self.path)
        self.assertRefused("apspd.sqlite", "must be a file")

    def test_link_as_log(self):
        self.assertServes()
        os.symlink(write(self.other, "kept"), self.path + "-wal")
        self.assertRefused("apspd.sqlite-wal", "symbolic link")

    def assertNewer(self, version):
        """The daemon runs and says why it answers nothing; nothing changes."""
        tokens = os.path.join(self.directory, "tokens")
        made = subprocess.run([APSPD, "--tokens", tokens, "--new-token", "admin"],
                              capture_output=True, text=True, check=True)
        admin = {"Authorization": "Bearer " + made.stdout.strip()}
        before = tree(self.directory)
        with Daemon(self.directory, args=("--tokens", tokens)) as d:
            words = f"'{self.path}' was written by a newer apspd (format {version}, "
            self.assertTrue(any(words in line for line in d.log), d.log)
            for method, target in (
                    ("GET", "/readyz"), ("GET", "/v1/graphs"), ("GET", "/v1/info"),
                    ("GET", "/metrics"), ("GET", "/v1/jobs?wait=30"), ("PUT", "/v1/graphs/g"),
                    ("GET", "/v1/graphs/g/path?from=a&to=b"), ("DELETE", "/v1/graphs/g"),
                    ("POST", "/v1/graphs/g/paths")):
                body = b"a,b,1\n" if method in ("PUT", "POST") else None
                self.assertStatus(d.ask(method, target, body), 401)
                reply = self.assertStatus(d.ask(method, target, body, admin), 503, "newer-format")
                self.assertTrue(reply.json["detail"].startswith(words), reply)
            for target in ("/healthz", "/", "/problems/newer-format", "/v1/openapi.json",
                           "/apspd.py", "/apspd.R"):
                self.assertStatus(d.ask("GET", target), 200)
        self.assertEqual(tree(self.directory), before)

    def test_newer_database(self):
        self.assertServes()
        db = sqlite3.connect(self.path)
        newer = db.execute("PRAGMA user_version").fetchone()[0] + 1
        db.execute(f"PRAGMA user_version = {newer}")
        db.close()
        self.assertNewer(newer)
        db = sqlite3.connect(self.path)
        db.execute(f"PRAGMA user_version = {newer - 1}")
        db.close()
        self.assertServes()

    def test_foreign_database(self):
        for statements in (["CREATE TABLE t (x)"],
                           ["DROP TABLE t", "PRAGMA application_id = 7"],
                           ["PRAGMA journal_mode = WAL"]):
            self.database(*statements)
            self.assertRefused("database of another program", "move it away")

    def hot_journal(self):
        """A database of somebody whose program died in a transaction."""
        self.database("CREATE TABLE t (x)", "INSERT INTO t VALUES (zeroblob(90000))")
        db = sqlite3.connect(self.path, isolation_level=None)
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        db.execute("UPDATE t SET x = randomblob(90000)")
        self.dies(db, "-journal")

    def test_foreign_database_with_a_journal(self):
        """SQLite would put its pages back, or drop it, as soon as it opens the file."""
        self.hot_journal()
        self.assertRefused("database of another program", "move it away")
        os.chmod(write(self.path + "-wal", content=b"x" * 100), 0o600)
        self.assertRefused("database of another program", "move it away")
        os.unlink(self.path + "-wal")
        os.truncate(self.path, 0)
        self.assertRefused("database of another program", "move it away")

    def log_only(self, *statements):
        """A database whose program died, of which `statements` are in the log alone."""
        db = sqlite3.connect(self.path, isolation_level=None)
        self.assertEqual(db.execute("PRAGMA journal_mode = WAL").fetchone(), ("wal",))
        db.execute("PRAGMA wal_autocheckpoint = 0")
        for statement in statements:
            db.execute(statement)
        self.dies(db, "-wal")
        self.assertGreater(os.path.getsize(self.path + "-wal"), 4096)

    def test_foreign_database_with_a_log(self):
        """SQLite would make a file beside it, and fold the log into it."""
        self.log_only("CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
        self.assertRefused("database of another program", "move it away")

    def test_foreign_database_in_its_log(self):
        """The file has one page without a table; what there is lies in the log."""
        self.log_only("PRAGMA user_version = 3")
        self.assertEqual(os.path.getsize(self.path), 4096)
        self.assertRefused("database of another program", "move it away")
        os.truncate(self.path + "-wal", 100)  # and nothing whole in that
        self.assertRefused("database of another program", "move it away")

    def test_foreign_database_begun_as_ours(self):
        """Its first page is as that of a new one of ours, but for what the log holds."""
        self.begun()
        self.log_only("CREATE TABLE t (x)")
        self.assertRefused("database of another program", "move it away")

    def test_foreign_application_in_its_log(self):
        self.log_only("CREATE TABLE t (x)", "PRAGMA application_id = 7")
        self.assertRefused("database of another program", "move it away")

    def test_newer_database_in_its_log(self):
        self.assertServes()
        newer = sqlite3.connect(self.path).execute("PRAGMA user_version").fetchone()[0] + 1
        for name in ("-wal", "-shm"):
            if os.path.exists(self.path + name):
                os.unlink(self.path + name)
        self.log_only(f"PRAGMA user_version = {newer}")
        self.assertNewer(newer)

    def test_first_start_that_was_killed(self):
        """What it has left is replaced, and so is the log of a database that was removed."""
        for beside in ("-new", "-new-journal", "-wal", "-shm"):
            os.chmod(write(self.path + beside, content=b"x" * 5000), 0o600)
        self.assertServes()
        for beside in ("-new", "-new-journal"):
            self.assertFalse(os.path.exists(self.path + beside))

    def test_no_database(self):
        write(self.path, content=b"A letter to a friend. " * 9)
        self.assertRefused("not a database of apspd", "move it away")

    def test_truncated_database(self):
        self.assertServes()
        size = os.path.getsize(self.path)
        for part, words in ((size // 2, "cut short"), (4096, "cut short"),
                            (50, "not a database"), (0, "is empty")):
            os.truncate(self.path, part)
            self.assertRefused(words, "apspd.sqlite")

    def test_damaged_database(self):
        self.assertServes()
        with open(self.path, "r+b") as file:
            file.seek(100)
            file.write(b"\xff" * 500)
        self.assertRefused("is damaged", "put a copy in its place")

    def test_log_of_another_database(self):
        """A killed daemon leaves a log, and a copy made before lies over its database."""
        copies = [os.path.join(self.other, name) for name in ("vacuumed", "copied")]
        with Daemon(self.directory) as d:
            d.put("kept", b"a,b,3\n")
            with sqlite3.connect(self.path) as db:
                db.execute("VACUUM INTO ?", (copies[0],))
            db.close()
        shutil.copy(self.path, copies[1])
        d = Daemon(self.directory).start()
        self.addCleanup(lambda: d.process and d.kill())
        self.assertStatus(d.ask("DELETE", "/v1/graphs/kept"), 204)
        for i in range(20):
            d.put(f"g{i}", b"a,b,1\n")
        d.kill()
        shutil.copy(copies[0], self.path)
        self.assertRefused("apspd.sqlite' is a copy", "remove apspd.sqlite-wal and ")
        for copy in copies:
            for name in ("-wal", "-shm"):
                if os.path.exists(self.path + name):
                    os.unlink(self.path + name)
            shutil.copy(copy, self.path)
            with Daemon(self.directory) as d:
                self.assertEqual(
                    [one["name"] for one in d.ask("GET", "/v1/graphs").json["graphs"]], ["kept"])

    def test_damage_below_the_first_page(self):
        """The header is whole, so only the recovery of the store finds this."""
        self.assertServes()
        size = os.path.getsize(self.path)
        with open(self.path, "r+b") as file:
            file.seek(4096)
            file.write(bytes(size - 4096))
        self.assertRefused("is damaged", "put a copy in its place",
                           "remove the files apspd.sqlite-wal and apspd.sqlite-shm")

    def test_readonly_database(self):
        self.assertServes()
        os.chmod(self.path, 0o444)
        self.assertRefused("cannot be written")


if __name__ == "__main__":
    unittest.main()
