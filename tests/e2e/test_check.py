"""apspd --check: a line for each thing, right or wrong, with what to do; whatever it
finds, it changes nothing."""
import http.server
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from graph_header import HEADER  # noqa: E402
from harness import APSPD, SOLVER, Case  # noqa: E402
from prepared import obey_modes, tree, write  # noqa: E402
from test_damage import can_mount  # noqa: E402

LINE = re.compile(r"(ok|note|wrong) +(options|tokens|address|state|cache|database|device"
                  r"|solve) +(\S.*)$")


class Check(Case):
    def setUp(self):
        super().setUp()
        os.umask(0o022)
        self.top = os.path.join(self.directory, "top")
        self.state = os.path.join(self.top, "state")
        self.cache = os.path.join(self.top, "cache")
        os.mkdir(self.top)

    def check(self, *args, env=None, listen="127.0.0.1:0", alone=True):
        """(status, {what: [(verdict, sentence)]}) of a run that changed nothing.

        Not alone: an apspd beside it may change its files meanwhile."""
        before = tree(self.top)
        run = subprocess.run(
            [APSPD, "--check", "--state-dir", self.state, "--cache-dir", self.cache,
             *(("--listen", listen) if listen else ()), *args],
            env={**os.environ, "APSPD_SOLVER": SOLVER, "TMPDIR": self.directory,
                 **(env or {})},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240,
            preexec_fn=obey_modes)
        after = tree(self.top)
        if alone:
            self.assertEqual(after, before, "it changed something")
        self.assertFalse([path for path in after if "check-" in path], "it left something")
        self.assertEqual(os.listdir(self.directory), ["top"], "it left something")
        self.assertNotRegex(run.stderr, "Sanitizer|runtime error")
        *lines, last = run.stdout.splitlines()
        found = {}
        for line in lines:
            parts = LINE.match(line)
            self.assertTrue(parts, line)
            found.setdefault(parts[2], []).append((parts[1], parts[3]))
        n = sum(verdict == "wrong" for what in found.values() for verdict, _ in what)
        self.assertEqual(last, {0: "All is right.", 1: "1 thing is wrong."}.get(
            n, f"{n} things are wrong."))
        self.assertEqual(run.returncode != 0, n > 0, run.stdout)
        return run.returncode, found

    def assertWrong(self, what, *words, status=78, device=True, **kwargs):
        """Only `what` is wrong, and the sentence has these words."""
        args = kwargs.pop("args", ())
        if device:  # what else is wrong needs no device, which takes seconds
            args = (*args, "--device", "none-such")
        got, found = self.check(*args, **kwargs)
        if device:
            self.assertEqual(found.pop("device")[0][0], "wrong")
        wrong = {key: lines for key, lines in found.items()
                 if any(verdict == "wrong" for verdict, _ in lines)}
        self.assertEqual(list(wrong), [what], found)
        sentence = next(text for verdict, text in wrong[what] if verdict == "wrong")
        for word in words:
            self.assertIn(word, sentence)
        self.assertEqual(got, status)
        return sentence

    def test_all_is_right(self):
        """Before the first start, after it, and beside the apspd that runs."""
        status, found = self.check()
        self.assertEqual(status, 0)
        self.assertEqual(set(found), {"options", "tokens", "address", "state", "cache",
                                      "device", "solve"})
        self.assertIn("every distance is right", found["solve"][0][1])
        self.assertIn("can be made", found["state"][0][1])

        d = self.daemon(directory=self.top).start()
        self.addCleanup(lambda: d.process and d.stop())
        d.put("tri", b"a,b,1\n")
        address = d.addresses[0]
        _, found = self.check("--device", "none-such", listen=address, alone=False)
        self.assertEqual(found["address"], [
            ("ok", f"apspd serves {address} already: apspd (process {d.pid})")])
        self.assertIn("used by the apspd that runs", found["state"][0][1])
        d.stop()
        _, found = self.check("--device", "none-such", listen=address)
        self.assertEqual(found["address"], [("ok", f"{address} is free")])
        self.assertRegex(found["database"][0][1], r"has format \d+ of \d+, 1 graph$")

    def test_options(self):
        for args, env, words in (
                (("--threads", "many"), {}, ("--threads", "'many'")),
                (("--tread", "1"), {}, ("'--tread'", "--help")),
                ((), {"APSPD_THREADS": "0"}, ("APSPD_THREADS", "from 1")),
                (("--allowed-host", "http://a"), {}, ("--allowed-host", "'http://a'")),
                (("--allowed-host", "a:99999"), {}, ("--allowed-host",)),
                (("--allowed-host", "[]"), {}, ("--allowed-host",)),
                (("--base-path", "lab"), {}, ("--base-path",)),
                (("--allowed-origin", "*"), {}, ("--allowed-origin",))):
            run = subprocess.run([APSPD, "--check", "--state-dir", self.state,
                                  "--cache-dir", self.cache, *args, "--device", "none-such"],
                                 env={**os.environ, "APSPD_SOLVER": SOLVER, **env},
                                 capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 78, run.stdout)
            line = next(x for x in run.stdout.splitlines() if x.startswith("wrong  options"))
            for word in words:
                self.assertIn(word, line)

    def test_mistyped_variable(self):
        _, found = self.check("--device", "none-such", env={"APSPD_THREDS": "3"})
        self.assertEqual([verdict for verdict, _ in found["options"]], ["note", "ok"])
        self.assertIn("APSPD_THREDS", found["options"][0][1])

    def test_tokens(self):
        path = os.path.join(self.top, "tokens")
        self.assertWrong("tokens", path, "--new-token admin", args=("--tokens", path))
        write(path, content=b"read not-a-digest\n")
        os.chmod(path, 0o600)
        self.assertWrong("tokens", "line 1", args=("--tokens", path))
        os.remove(path)
        subprocess.run([APSPD, "--tokens", path, "--new-token", "read"], check=True,
                       capture_output=True)
        os.chmod(path, 0o666)
        self.assertWrong("tokens", "chmod 600", args=("--tokens", path))
        os.chmod(path, 0o600)
        _, found = self.check("--tokens", path, "--device", "none-such",
                              listen="0.0.0.0:0")
        self.assertEqual(found["tokens"], [("ok", f"{path} has 1 token")])
        self.assertEqual(found["address"][0][0], "ok")

    def test_address_refused(self):
        self.assertWrong("address", "--new-token admin", listen="0.0.0.0:0")
        self.assertWrong("address", "not ADDRESS:PORT", listen="8080")
        self.assertWrong("address", "an address of this machine", status=1,
                         args=("--tokens", self.tokens()), listen="192.0.2.1:8080")

    def tokens(self):
        path = os.path.join(self.top, "tokens")
        subprocess.run([APSPD, "--tokens", path, "--new-token", "read"], check=True,
                       capture_output=True)
        return path

    def test_address_of_another_program(self):
        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        server.RequestHandlerClass.log_message = lambda *_: None
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.assertWrong("address", f"(process {os.getpid()})", "choose another --listen",
                         status=1, listen=f"127.0.0.1:{server.server_port}")

    def test_address_of_another_apspd(self):
        other = tempfile.mkdtemp(prefix="apspd-other-")
        self.addCleanup(shutil.rmtree, other)
        # one that wants tokens is known by its refusal
        for args in ((), ("--tokens", self.tokens())):
            with self.daemon(directory=other, args=args) as d:
                self.assertWrong("address", "with other directories",
                                 f"(process {d.pid})", status=1, listen=d.addresses[0])

    def test_directories_of_another_apspd(self):
        with self.daemon(directory=self.top):
            status, found = self.check("--device", "none-such", alone=False)
        self.assertEqual(status, 1)
        for what in ("state", "cache"):
            self.assertEqual(found[what][0][0], "wrong")
            self.assertIn("another apspd is using", found[what][0][1])

    def test_unix_sockets(self):
        def at(name):
            return f"unix:{os.path.join(self.top, name)}"
        self.assertWrong("address", "no socket can be made", status=1, listen=at("no/s"))
        write(self.top, "file")
        self.assertWrong("address", "is not a socket", status=1, listen=at("file"))
        self.assertWrong("address", "names", "twice", args=("--listen", at("s")), listen=at("s"))
        self.assertWrong("address", "no group 'none-such'",
                         args=("--socket-group", "none-such"), listen=at("s"))
        with socket.socket(socket.AF_UNIX) as left:  # by one that was killed
            left.bind(os.path.join(self.top, "left"))
        _, found = self.check("--device", "none-such", listen=at("left"))
        self.assertEqual(found["address"], [("ok", f"{at('left')} is free")])

    def test_directories(self):
        os.mkdir(self.state, 0o700)
        write(self.state, "letter.txt")
        self.assertWrong("state", "letter.txt", "choose another")
        shutil.rmtree(self.state)
        os.mkdir(self.cache, 0o777)
        os.chmod(self.cache, 0o777)
        self.assertWrong("cache", "chmod o-w")
        os.chmod(self.cache, 0o500)
        self.assertWrong("cache", "cannot be written", status=1)
        os.chmod(self.cache, 0o700)
        os.chmod(self.top, 0o500)
        self.addCleanup(os.chmod, self.top, 0o700)
        self.assertWrong("state", "no directory can be made", status=1)

    def test_database(self):
        with self.daemon(directory=self.top) as d:
            d.put("tri", b"a,b,1\n")
        path = os.path.join(self.state, "apspd.sqlite")
        with open(path, "rb") as file:
            good = file.read()

        def put(content):
            with open(path, "wb") as file:
                file.write(content)

        put(b"")
        self.assertWrong("database", "is empty")
        put(good[:4096] + bytes(len(good) - 4096))
        self.assertWrong("database", "is damaged", "put a copy")
        put(good[:3000])
        self.assertWrong("database", path)
        put(good)
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 999")
        db.close()
        self.assertWrong("database", "newer apspd", "999")
        put(good)
        os.chmod(path, 0o400)
        self.assertWrong("database", "cannot be written")
        os.remove(path)
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE theirs (x)")
        db.close()
        self.assertWrong("database", "another program")

    def test_full_disk(self):
        words = can_mount()
        if not words:
            self.skipTest("nothing can be mounted here")
        for filled, more in ((4000000, ""), (4170000, r"; apspd cannot start if .* \(33 kB\)")):
            run = subprocess.run(
                [*words, "sh", "-c", 'mount -t tmpfs -o size=4m none "$1" && '
                 'mkdir -m 700 "$1/state" && head -c $2 /dev/zero >"$1/filled" && shift 2 && '
                 'exec "$@"', "sh", self.top, str(filled),
                 APSPD, "--check", "--state-dir", self.state, "--cache-dir", self.cache,
                 "--listen", "127.0.0.1:0", "--device", "none-such"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)
            self.assertRegex(
                run.stdout, r"wrong +state +the disk of '.*/state' has \S+ kB free, and uploads "
                            rf"are refused below 262 kB: make room .* --state-dir{more}\n")
            self.assertEqual(run.returncode, 1, run)

    def test_follow_program(self):
        """Without apspd-follow beside it, the message names both causes."""
        alone = shutil.copy(APSPD, os.path.join(self.top, "apspd"))
        run = subprocess.run([alone, "--check", "--follow", "http://127.0.0.1:1", "--device",
                              "none-such"], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=240, env={**os.environ, "HOME": self.top})
        self.assertRegex(run.stdout, "wrong +follow +.*'ninja -C build' builds it if libcurl")

    def test_follow_url(self):
        alone = shutil.copy(APSPD, os.path.join(self.top, "apspd"))  # so no device is tried
        for url, good in (("http://", False), ("http://:80", False), ("http://h:99999", False),
                          ("http://h:80x/", False), ("http://[::1]8", False), ("http://[]", False),
                          ("https://h/", True), ("http://h:65535/x", True),
                          ("http://[::1]:8080", True)):
            run = subprocess.run([alone, "--check", "--follow", url], stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, timeout=240,
                                 env={**os.environ, "HOME": self.top})
            self.assertEqual("--follow is the address" in run.stdout, not good, run.stdout)

    def test_log_of_one_that_was_killed(self):
        d = self.daemon(directory=self.top).start()
        d.put("tri", b"a,b,1\n")
        d.kill()
        _, found = self.check("--device", "none-such")
        self.assertIn("1 graph, and a log that the start takes in", found["database"][0][1])

    def test_damage_beside_a_log(self):
        """The check reads the database with its log, as a start does."""
        path = os.path.join(self.state, "apspd.sqlite")
        with self.daemon(directory=self.top) as d:
            d.put("tri", b"a,b,1\n")
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA wal_autocheckpoint = 0")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute(f"PRAGMA user_version = {version}")  # the log has the first page
        with open(path, "rb") as file, open(path + "-wal", "rb") as log:
            kept, log = file.read(), log.read()
        self.assertGreater(len(log), 4096)
        db.close()
        write(path, content=kept[:4096] + bytes(len(kept) - 4096))
        write(path + "-wal", content=log)
        self.assertWrong("database", "is damaged", "apspd.sqlite-wal")

    def fake_solver(self, text):
        path = os.path.join(self.top, "solve")
        write(path, content=f"#!/bin/sh\n{text}\n".encode())
        os.chmod(path, 0o755)
        return {"APSPD_SOLVER": path}

    def test_solver(self):
        self.assertWrong("device", "APSPD_SOLVER", device=False,
                         env={"APSPD_SOLVER": "/nowhere/apsp-solve"})
        self.assertWrong("device", "no program 'none-such'", device=False,
                         args=("--solver-command", "none-such apsp-solve"))
        self.assertWrong("device", "none-such", "there is", "--device auto", status=1, device=False,
                         args=("--device", "none-such"))
        self.assertWrong("device", "status 3", status=1, device=False,
                         env=self.fake_solver("exit 3"))
        self.assertWrong("solve", "apsp-solve-mpi", status=1, device=False,
                         args=("--solver-command", "env OMPI_COMM_WORLD_SIZE=2 apsp-solve"))

    def test_wrong_answer(self):
        """A device that computes other lengths than were asked for is found out."""
        self.assertWrong(
            "solve", "wrong distances", "--device", status=1, device=False,
            env=self.fake_solver(
                f'''case " $* " in *" --devices "*) exec '{SOLVER}' "$@" ;; esac
for dir; do :; done
# 5 instead of 1 for the first arc's weight: little-endian doubles
printf '\\024\\100' | dd of="$dir/graph" bs=1 seek={HEADER.size + 8 + 6} conv=notrunc \\
    2>/dev/null
exec '{SOLVER}' "$@"'''))

    def test_solver_that_dies(self):
        self.assertWrong(
            "solve", "signal 9", status=1, device=False,
            env=self.fake_solver(f'''case " $* " in *" --devices "*) exec '{SOLVER}' "$@" ;;
esac
kill -KILL $$'''))


if __name__ == "__main__":
    unittest.main()
