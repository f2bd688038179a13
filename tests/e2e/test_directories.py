"""Starts on prepared directories: what is not apspd's is never changed, and each
refusal is a sentence with a status that systemd does not try again."""
import os
import shutil
import socket
import stat
import unittest

from harness import Case, until
from prepared import MARKER, Prepared, obey_modes, write

TABLE = b"apsptab\n" + bytes(100)


class Directories(Prepared):
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

    def test_foreign_received_beside_our_database(self):
        self.cache = self.state
        self.assertEqual(self.run_apspd()[0], 0)
        os.unlink(os.path.join(self.state, MARKER))
        write(self.state, "received", "upload-of-my-photos")
        self.assertRefused("'received'")

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

    def test_without_marker_beside_received_tables(self):
        self.assertServes()
        os.unlink(os.path.join(self.cache, MARKER))
        begun = write(self.cache, "received", "upload-Ab12Cd")
        self.assertServes()
        self.assertFalse(os.path.exists(begun))

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

    def test_link_as_received(self):
        self.assertServes()
        write(self.other, "upload-of-my-photos")
        os.symlink(self.other, os.path.join(self.cache, "received"))
        self.assertRefused("received", "symbolic link")

    def test_fifo_as_jobs(self):
        self.assertServes()
        os.rmdir(os.path.join(self.cache, "jobs"))
        os.mkfifo(os.path.join(self.cache, "jobs"))
        self.assertRefused("jobs", "must be a directory")


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
        error = self.d.ask("GET", "/v1/graphs/g").json["profiles"][0]["error"]
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
        self.replaced(lambda: os.mkfifo(self.path), "not a plain file")

    def test_directory(self):
        self.replaced(lambda: os.mkdir(self.path), "not a plain file")

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
