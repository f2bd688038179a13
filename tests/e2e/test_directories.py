"""Starts on prepared directories: what is not apspd's is never changed, and each
refusal is a sentence with a status that systemd does not try again."""
import ctypes
import hashlib
import os
import shutil
import socket
import sqlite3
import stat
import struct
import subprocess
import unittest

from harness import APSPD, DEADLINE_S, SOLVER, Case, until

MARKER = ".apspd-directory"
REFUSED = 78
APPLICATION = 0x61707370
TABLE = b"apsptab\n" + bytes(100)


def tree(top):
    """Every path below top: its kind, mode, owner, and content or target."""
    out = {}
    for folder, names, files in os.walk(top):
        for name in ["."] + names + files:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            what = [stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode), st.st_uid]
            if stat.S_ISLNK(st.st_mode):
                what.append(os.readlink(path))
            elif stat.S_ISREG(st.st_mode):
                with open(path, "rb") as file:
                    what.append(hashlib.sha256(file.read()).hexdigest())
            out[os.path.relpath(os.path.normpath(path), top)] = what
    return out


def write(*path, content=b"not yours\n"):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    return path


def obey_modes():
    """In the child: file modes bind it although it is root's (prctl(2))."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


class Directories(Case):
    def setUp(self):
        super().setUp()
        os.umask(0o022)
        self.state = os.path.join(self.directory, "state")
        self.cache = os.path.join(self.directory, "cache")
        self.other = os.path.join(self.directory, "other")
        for path in (self.state, self.cache, self.other):
            os.mkdir(path, 0o700)

    def run_apspd(self, deadline_s=DEADLINE_S):
        """Start apspd; stop it once it listens. Its status (0: it served) and log."""
        process = subprocess.Popen(
            [APSPD, "--state-dir", self.state, "--cache-dir", self.cache,
             "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "APSPD_SOLVER": SOLVER}, preexec_fn=obey_modes)
        with process:
            if process.stdout.readline():
                process.terminate()
            _, log = process.communicate(timeout=deadline_s)
        return process.returncode, log

    def assertRefused(self, *words):
        """The start is refused by a sentence with these words; nothing changes."""
        before = tree(self.directory)
        status, log = self.run_apspd()
        self.assertEqual(status, REFUSED, log)
        for word in words:
            self.assertIn(word, log)
        self.assertNotIn("…", log, "the sentence is whole")
        self.assertEqual(tree(self.directory), before)

    def assertServes(self, *foreign):
        """The start succeeds; the foreign paths are as they were."""
        before = tree(self.directory)
        status, log = self.run_apspd()
        self.assertEqual(status, 0, log)
        after = tree(self.directory)
        for path in foreign:
            path = os.path.relpath(path, self.directory)
            self.assertEqual(after.get(path), before[path], path)
        self.assertIn(f"state/{MARKER}", after)
        self.assertIn(f"cache/{MARKER}", after)
        return log

    # New and empty directories

    def test_absent(self):
        os.rmdir(self.state)
        os.rmdir(self.cache)
        self.assertServes()
        self.assertEqual(stat.S_IMODE(os.stat(self.state).st_mode), 0o700)
        self.assertEqual(self.run_apspd()[0], 0, "and again")

    def test_empty(self):
        self.assertServes()

    def test_own_disk(self):
        """The root of a file system of its own is empty but for lost+found."""
        os.mkdir(os.path.join(self.state, "lost+found"), 0o700)
        os.mkdir(os.path.join(self.cache, "lost+found"), 0o700)
        self.assertServes()

    def test_one_for_both(self):
        self.cache = self.state
        status, log = self.run_apspd()
        self.assertEqual(status, 0, log)
        self.assertEqual(self.run_apspd()[0], 0)

    def test_one_in_the_other(self):
        os.rmdir(self.cache)
        self.cache = os.path.join(self.state, "cache")
        os.mkdir(self.cache, 0o700)
        self.assertEqual(self.run_apspd()[0], 0)
        self.assertEqual(self.run_apspd()[0], 0)
        self.cache, self.state = self.other, os.path.join(self.other, "state")
        os.mkdir(self.state, 0o700)
        self.assertEqual(self.run_apspd()[0], 0)

    # Directories of others

    def test_foreign_state(self):
        write(self.state, "letter.txt")
        self.assertRefused("state", "letter.txt", "choose another", MARKER)

    def test_foreign_cache(self):
        write(self.cache, "letter.txt")
        self.assertRefused("cache", "letter.txt", MARKER)

    def test_foreign_jobs(self):
        write(self.cache, "jobs", "application.txt")
        self.assertRefused("'jobs'")

    def test_foreign_numbered_jobs(self):
        write(self.cache, "jobs", "7", "thesis.tex")
        self.assertRefused("'jobs'")

    def test_foreign_tables(self):
        write(self.cache, "tables", "7.apsp")
        self.assertRefused("'tables'")

    def test_foreign_hidden_file(self):
        write(self.cache, ".profile")
        self.assertRefused("'.profile'")

    def test_foreign_jobs_beside_our_database(self):
        self.cache = self.state
        self.assertEqual(self.run_apspd()[0], 0)
        os.unlink(os.path.join(self.state, MARKER))
        write(self.state, "jobs", "application.txt")
        self.assertRefused("'jobs'")

    def test_file_in_the_directory_s_place(self):
        os.rmdir(self.cache)
        write(self.cache)
        self.assertRefused("must be a directory")

    # Foreign files in directories of ours

    def test_foreign_among_ours(self):
        self.assertServes()
        foreign = [write(self.state, "letter.txt"),
                   write(self.cache, "letter.txt"),
                   write(self.cache, "jobs", "application.txt"),
                   write(self.cache, "jobs", "12"),
                   write(self.cache, "jobs", "12a", "graph"),
                   write(self.cache, "tables", "stray.apsp"),
                   write(self.cache, "tables", "012.apsp"),
                   write(self.cache, "tables", "12.apsp~")]
        os.symlink(write(self.other, "kept", content=TABLE),
                   os.path.join(self.cache, "tables", "13.apsp"))
        os.symlink(self.other, os.path.join(self.cache, "jobs", "13"))
        os.mkfifo(os.path.join(self.cache, "tables", "14.apsp"))
        os.mkfifo(os.path.join(self.cache, "jobs", "14"))
        os.mkdir(os.path.join(self.cache, "tables", "15.apsp"))
        foreign += [os.path.join(self.cache, name) for name in (
            "tables/13.apsp", "jobs/13", "tables/14.apsp", "jobs/14",
            "tables/15.apsp")] + [os.path.join(self.other, "kept")]
        ours = [write(self.cache, "tables", "16.apsp", content=TABLE),
                write(self.cache, "jobs", "16", "graph"),
                write(self.cache, "jobs", "16", "core", "of", "a", "driver")]
        self.assertServes(*foreign)
        for path in ours:
            self.assertFalse(os.path.exists(path), path)

    # What an apspd without markers left

    def test_without_marker(self):
        self.assertServes()
        for path in (self.state, self.cache):
            os.unlink(os.path.join(path, MARKER))
        write(self.cache, "tables", "3.apsp", content=TABLE)
        write(self.cache, "jobs", "4", "graph")
        write(self.cache, "jobs", "4", "tables")
        write(self.cache, "kernels", "0123", "kernel")
        write(self.cache, "pocl-kernels", "x")
        self.assertServes(os.path.join(self.cache, "kernels/0123/kernel"))
        self.assertFalse(os.path.exists(os.path.join(self.cache, "jobs", "4")))

    def test_without_marker_beside_a_copy(self):
        """Our database says whose the directory is."""
        self.assertServes()
        os.unlink(os.path.join(self.state, MARKER))
        self.assertServes(write(self.state, "apspd.sqlite.before", content=b"copy"))

    def test_marker_by_hand(self):
        """What the refusal advises is enough."""
        foreign = write(self.cache, "letter.txt")
        self.assertRefused(MARKER)
        write(self.cache, MARKER, content=b"")
        self.assertServes(foreign)

    # Modes, owners, links

    def test_mode_of_state(self):
        os.chmod(self.state, 0o777)
        self.assertRefused("state", "everybody may write", "0777")

    def test_mode_of_cache(self):
        os.chmod(self.cache, 0o1777)
        self.assertRefused("cache", "everybody may write", "1777")

    def test_mode_of_tables(self):
        self.assertServes()
        os.chmod(os.path.join(self.cache, "tables"), 0o777)
        self.assertRefused("tables", "everybody may write")

    @unittest.skipIf(os.geteuid(), "only root can give a directory away")
    def test_owner_of_state(self):
        os.chown(self.state, 12345, 12345)
        self.assertRefused("belongs to user 12345", "chown")

    @unittest.skipIf(os.geteuid(), "only root can give a directory away")
    def test_owner_of_jobs(self):
        self.assertServes()
        os.chown(os.path.join(self.cache, "jobs"), 12345, 12345)
        self.assertRefused("jobs", "belongs to user 12345")

    @unittest.skipIf(os.geteuid(), "only root can give a link away")
    def test_owner_of_a_link(self):
        os.rmdir(self.cache)
        os.symlink(self.other, self.cache)
        os.chown(self.cache, 12345, 12345, follow_symlinks=False)
        self.assertRefused("symbolic link of user 12345")

    def test_link_to_the_directory(self):
        """An administrator may move a directory and leave a link."""
        os.rmdir(self.cache)
        os.symlink(self.other, self.cache)
        status, log = self.run_apspd()
        self.assertEqual(status, 0, log)
        self.assertTrue(os.path.islink(self.cache))

    def test_link_as_tables(self):
        self.assertServes()
        shutil.rmtree(os.path.join(self.cache, "tables"))
        write(self.other, "5.apsp", content=TABLE)
        os.symlink(self.other, os.path.join(self.cache, "tables"))
        self.assertRefused("tables", "symbolic link")

    def test_link_as_jobs(self):
        self.assertServes()
        os.rmdir(os.path.join(self.cache, "jobs"))
        write(self.other, "5", "thesis.tex")
        os.symlink(self.other, os.path.join(self.cache, "jobs"))
        self.assertRefused("jobs", "symbolic link")

    def test_fifo_as_jobs(self):
        self.assertServes()
        os.rmdir(os.path.join(self.cache, "jobs"))
        os.mkfifo(os.path.join(self.cache, "jobs"))
        self.assertRefused("jobs", "must be a directory")

    # Databases

    def database(self, *statements):
        path = os.path.join(self.state, "apspd.sqlite")
        db = sqlite3.connect(path)
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()
        return path

    def test_link_as_database(self):
        kept = write(self.other, "kept.sqlite", content=b"")
        os.symlink(kept, os.path.join(self.state, "apspd.sqlite"))
        self.assertRefused("apspd.sqlite", "symbolic link")

    def test_fifo_as_database(self):
        os.mkfifo(os.path.join(self.state, "apspd.sqlite"))
        self.assertRefused("apspd.sqlite", "must be a file")

    def test_link_as_log(self):
        self.assertServes()
        os.symlink(write(self.other, "kept"),
                   os.path.join(self.state, "apspd.sqlite-wal"))
        self.assertRefused("apspd.sqlite-wal", "symbolic link")

    def test_newer_database(self):
        self.assertServes()
        path = os.path.join(self.state, "apspd.sqlite")
        db = sqlite3.connect(path)
        newer = db.execute("PRAGMA user_version").fetchone()[0] + 1
        db.execute(f"PRAGMA user_version = {newer}")
        db.close()
        self.assertRefused("newer apspd", f"format {newer}", "install that version")

    def test_foreign_database(self):
        for statements in (["CREATE TABLE t (x)"],
                           ["DROP TABLE t", "PRAGMA application_id = 7"],
                           ["PRAGMA journal_mode = WAL"]):
            self.database(*statements)
            self.assertRefused("database of another program", "move it away")

    def hot_journal(self):
        """A database of somebody whose program died in a transaction."""
        path = self.database("CREATE TABLE t (x)", "INSERT INTO t VALUES (zeroblob(90000))")
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        db.execute("UPDATE t SET x = randomblob(90000)")
        copies = {}
        for name in ("", "-journal"):
            with open(path + name, "rb") as file:
                copies[name] = file.read()
        db.close()
        for name, content in copies.items():
            write(path + name, content=content)
            os.chmod(path + name, 0o600)
        return path

    def test_foreign_database_with_a_journal(self):
        """SQLite would put its pages back, or drop it, as soon as it opens the file."""
        path = self.hot_journal()
        self.assertRefused("database of another program", "move it away")
        write(path + "-wal", content=b"x" * 100)
        os.chmod(path + "-wal", 0o600)
        self.assertRefused("database of another program", "move it away")
        os.unlink(path + "-wal")
        os.truncate(path, 0)
        self.assertRefused("database of another program", "move it away")

    def log_only(self, *statements):
        """A database whose program died, of which `statements` are in the log alone."""
        path = os.path.join(self.state, "apspd.sqlite")
        db = sqlite3.connect(path, isolation_level=None)
        self.assertEqual(db.execute("PRAGMA journal_mode = WAL").fetchone(), ("wal",))
        db.execute("PRAGMA wal_autocheckpoint = 0")
        for statement in statements:
            db.execute(statement)
        copies = {}
        for name in ("", "-wal"):
            with open(path + name, "rb") as file:
                copies[name] = file.read()
        db.close()
        for name, content in copies.items():
            os.chmod(write(path + name, content=content), 0o600)
        self.assertGreater(len(copies["-wal"]), 4096)
        return path

    def test_foreign_database_with_a_log(self):
        """SQLite would make a file beside it, and fold the log into it."""
        self.log_only("CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
        self.assertRefused("database of another program", "move it away")

    def test_foreign_database_in_its_log(self):
        """The file has one page without a table; what there is lies in the log."""
        path = self.log_only("PRAGMA user_version = 3")
        self.assertEqual(os.path.getsize(path), 4096)
        self.assertRefused("database of another program", "move it away")
        os.truncate(path + "-wal", 100)  # and nothing whole in that
        self.assertRefused("database of another program", "move it away")

    def test_foreign_database_begun_as_ours(self):
        """Its first page is as that of a new one of ours, but for what the log holds."""
        path = os.path.join(self.state, "apspd.sqlite")
        db = sqlite3.connect(path)
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        db.close()
        self.log_only("CREATE TABLE t (x)")
        self.assertRefused("database of another program", "move it away")

    def test_foreign_application_in_its_log(self):
        self.log_only("CREATE TABLE t (x)", "PRAGMA application_id = 7")
        self.assertRefused("database of another program", "move it away")

    def test_newer_database_in_its_log(self):
        self.assertServes()
        path = os.path.join(self.state, "apspd.sqlite")
        newer = sqlite3.connect(path).execute("PRAGMA user_version").fetchone()[0] + 1
        for name in ("-wal", "-shm"):
            if os.path.exists(path + name):
                os.unlink(path + name)
        self.log_only(f"PRAGMA user_version = {newer}")
        self.assertRefused("newer apspd", f"format {newer}")

    def test_ours_begun(self):
        """The power went at the first start, before there was a log, or while SQLite
        wrote into the first page that there will be one."""
        path = os.path.join(self.state, "apspd.sqlite")
        for has_journal in (False, True):
            db = sqlite3.connect(path)
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("PRAGMA journal_mode = WAL")
            db.close()
            os.chmod(path, 0o600)
            with open(path, "rb") as file:
                page = file.read()
            self.assertEqual(len(page), 4096)
            if has_journal:  # sqlite.org/fileformat2.html, section 3
                sums = sum(page[len(page) - 200:0:-200])
                head = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(
                    ">5I", 1, 0, 1, 512, len(page))
                write(path + "-journal", content=head.ljust(512, b"\0")
                      + struct.pack(">I", 1) + page + struct.pack(">I", sums))
                os.chmod(path + "-journal", 0o600)
            self.assertServes()
            shutil.rmtree(self.state)
            os.mkdir(self.state, 0o700)

    def test_ours_in_its_log(self):
        """The daemon died before the log was ever folded into the file."""
        path = os.path.join(self.state, "apspd.sqlite")
        for committed in (True, False):
            db = sqlite3.connect(path)
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("PRAGMA journal_mode = WAL")
            db.close()
            if committed:
                self.log_only(f"PRAGMA application_id = {APPLICATION}")
            else:
                os.chmod(write(path + "-wal", content=b"x" * 100), 0o600)
            self.assertServes()
            shutil.rmtree(self.state)
            os.mkdir(self.state, 0o700)

    def test_no_database(self):
        write(self.state, "apspd.sqlite", content=b"A letter to a friend. " * 9)
        self.assertRefused("not a database of apspd", "move it away")

    def test_truncated_database(self):
        self.assertServes()
        path = os.path.join(self.state, "apspd.sqlite")
        size = os.path.getsize(path)
        for part, words in ((size // 2, "cut short"), (4096, "cut short"),
                            (50, "not a database"), (0, "is empty")):
            os.truncate(path, part)
            self.assertRefused(words, "apspd.sqlite")

    def test_damaged_database(self):
        self.assertServes()
        path = os.path.join(self.state, "apspd.sqlite")
        with open(path, "r+b") as file:
            file.seek(100)
            file.write(b"\xff" * 500)
        self.assertRefused("is damaged", "put a copy in its place")

    def test_readonly_database(self):
        self.assertServes()
        path = os.path.join(self.state, "apspd.sqlite")
        os.chmod(path, 0o444)
        self.assertRefused("cannot be written")


class Unreadable(Case):
    def test_tables(self):
        """A directory of tables that cannot be read is told, and ends nothing."""
        with self.daemon(preexec=obey_modes) as d:
            d.put("tri", b"a,b,1\nb,c,1\n", "?transform=none")
            answer = d.path("tri", "a", "c").json
            tables = os.path.join(d.cache, "tables")
            files = d.table_files()
            d.stop()
            os.chmod(tables, 0)
            d.start()
            try:
                self.assertStatus(d.ask("GET", "/v1/graphs/tri"), 200)
                self.assertStatus(d.path("tri", "a", "c"), 503)
                until("the directory to be told", lambda: f"'{tables}': Permission denied" in
                      self.assertStatus(d.ask("GET", "/readyz"), 503).json["detail"])
                self.assertTrue(any(tables in line for line in d.log), d.log)
            finally:
                os.chmod(tables, 0o700)
            self.assertEqual(d.table_files(), files)
            until("the tables to be served again",
                  lambda: d.path("tri", "a", "c").status == 200)
            self.assertEqual(d.path("tri", "a", "c").json, answer)
            until("the devices to be known",
                  lambda: d.ask("GET", "/readyz").status == 200)
            self.assertEqual(len(d.jobs()), 1, "nothing is computed again")


class Tables(Case):
    """A file that cannot be opened is an error of its tables, not of the start."""

    def setUp(self):
        super().setUp()
        self.d = self.daemon(preexec=obey_modes).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.d.put("g", b"a,b,1\nb,c,1\n")
        self.d.put("h", b"a,b,2\nb,c,2\n")
        self.jobs = len(self.d.jobs())
        self.d.stop()
        self.path = self.d.table_files()[0]
        self.away = os.path.join(self.directory, "away")

    def ready(self):
        """What /readyz says once the devices are known."""
        return until("the daemon to be ready", lambda: (
            lambda reply: reply.status == 200 and reply.json)(
                self.d.ask("GET", "/readyz")))

    def assertWaits(self, words):
        self.d.start()
        reply = self.assertStatus(self.d.path("g", "a", "c"), 503, "not-ready")
        self.assertIn(words, reply.json["detail"])
        error = self.d.ask("GET", "/v1/graphs/g").json["profiles"]["default"]["error"]
        self.assertEqual(error["status"], 503)
        self.assertIn(words, error["detail"])
        self.assertEqual(self.d.path("h", "a", "c").json["distance"], 4)
        ready = self.ready()
        self.assertEqual(len(ready["troubles"]), 1, ready)
        self.assertIn(words, ready["troubles"][0])
        self.assertTrue(any(words in line for line in self.d.log), self.d.log)
        self.assertEqual(len(self.d.jobs()), self.jobs, "nothing is computed again")

    def assertReturns(self):
        until("the tables to be served", lambda: self.d.path("g", "a", "c").status == 200)
        self.assertEqual(self.d.path("g", "a", "c").json["distance"], 2)
        until("the trouble to end",
              lambda: not self.ready()["troubles"])
        self.assertEqual(len(self.d.jobs()), self.jobs)

    def replaced(self, make, words):
        os.rename(self.path, self.away)
        make()
        before = os.lstat(self.path)
        self.assertWaits(words)
        after = os.lstat(self.path)
        self.assertEqual((before.st_ino, before.st_mode), (after.st_ino, after.st_mode))
        (os.rmdir if stat.S_ISDIR(after.st_mode) else os.unlink)(self.path)
        os.rename(self.away, self.path)
        self.assertReturns()

    def test_fifo(self):
        self.replaced(lambda: os.mkfifo(self.path), "no file")

    def test_directory(self):
        self.replaced(lambda: os.mkdir(self.path), "no file")

    def test_link(self):
        self.replaced(lambda: os.symlink(self.away, self.path), "symbolic link")

    def test_socket(self):
        def make():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
                s.bind(self.path)
        self.replaced(make, "open the table file")

    def test_mode(self):
        os.chmod(self.path, 0)
        self.assertWaits("Permission denied")
        os.chmod(self.path, 0o600)
        self.assertReturns()


if __name__ == "__main__":
    unittest.main()
