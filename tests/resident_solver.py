"""A solver that stays between jobs: apsp-solve, or a group of apsp-solve-mpi."""
import os
import shutil
import subprocess
import tempfile

BUILD = os.environ["APSP_BUILD_ROOT"]
ALONE = [os.path.join(BUILD, "daemon", "apsp-solve")]
GROUP = os.path.join(BUILD, "daemon", "apsp-solve-mpi")
# mpirun refuses to work for root, and more processes than processors, unless told
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LAUNCHER = ["mpirun", "--bind-to", "none", "--oversubscribe"]


def launched(n):
    """The command of a group of n processes."""
    return [*LAUNCHER, "-n", str(n), GROUP]


class Solver:
    """Its jobs are directories below `where`, one after another."""

    def __init__(self, command, where, device, cache, cpus=None):
        self.where = tempfile.mkdtemp(dir=where)
        self.command = [*command, "--device", device, "--cache-dir", cache,
                        "--proof-seed", "5", "--stay", "1000"]
        self.cpus, self.process, self.job, self.log = cpus, None, None, None

    def clear(self):
        """Remove the last job and its tables."""
        if self.job:
            shutil.rmtree(self.job)
            self.job = None

    def start(self, graph):
        """Start the job of a graph file."""
        self.job = tempfile.mkdtemp(dir=self.where)
        os.link(graph, os.path.join(self.job, "graph"))
        if self.process:
            self.process.stdin.write(f"room 0 dir {self.job}\n")
            self.process.stdin.flush()
            return
        confine = (lambda: os.sched_setaffinity(0, self.cpus)) if self.cpus else None
        self.log = open(os.path.join(self.where, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [*self.command, self.job], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log, text=True, preexec_fn=confine, env={**os.environ, **AS_ROOT})

    def read(self, word):
        """The first line that begins with the word."""
        for line in self.process.stdout:
            assert not line.startswith("error"), line
            if line.startswith(word):
                return line
        self.log.seek(0)
        raise AssertionError(f"the solver has ended: {self.log.read()}")

    def tables(self):
        """The path of the last job's tables."""
        return os.path.join(self.job, "tables")

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.where)
