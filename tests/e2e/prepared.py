"""Directories that a test prepares before apspd starts on them."""
import ctypes
import hashlib
import os
import stat
import subprocess

from harness import APSPD, DEADLINE_S, SOLVER, Case

MARKER = ".apspd-directory"
REFUSED = 78


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


class Prepared(Case):
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
