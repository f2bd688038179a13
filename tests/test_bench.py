"""The benchmark solves a graph whose answers are known, and its table is right."""
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("APSP_BUILD_ROOT") or os.path.join(ROOT, "build")
BENCH = os.path.join(ROOT, "tests", "bench")
sys.path.insert(0, BENCH)

import compare  # noqa: E402
import table  # noqa: E402

CELEGANS = {"vertices": 297, "arcs": 2345, "pairs": 67644, "sum": 399585}


def solve_of(seconds=2.0, pairs=90):
    return {"seconds": seconds, "runs": [seconds], "distance_runs": [seconds / 2],
            "ceiling_runs": [4000.0], "vertices": 10, "arcs": 20, "pairs": pairs, "sum": 900.0,
            "table_bytes": 1000, "idle_bytes": 5000, "peak_bytes": 6500, "element": "u16",
            "device": "it", "start_s": 0.1, "stages": dict.fromkeys(table.STAGES, 0.25)}


class Numbers(unittest.TestCase):
    def test_derived(self):
        peers = {"a": {"seconds": 8.0, "pairs": 90, "sum": 900.001}, "b": {"estimated_s": 30.0},
                 "c": {"missing": "c is not installed"}}
        solve = compare.derive(solve_of(), peers)
        self.assertEqual(solve["ratios"]["a"],
                         {"tables": 4.0, "distances": 8.0, "estimated": False})
        self.assertTrue(solve["ratios"]["b"]["estimated"])
        self.assertNotIn("c", solve["ratios"])
        self.assertEqual(solve["relaxations_per_s"], 1000)
        self.assertEqual(solve["share"], 0.25)
        self.assertEqual(solve["peak_over_tables"], 1.5)
        self.assertNotIn("wrong", solve)

    def test_wrong_answers_are_told(self):
        for pairs, total in ((89, 900), (90, 901)):
            peer = {"seconds": 1, "pairs": pairs, "sum": total}
            solve = compare.derive(solve_of(), {"a": peer})
            self.assertIn("wrong", solve)
            result = {"graphs": {"g": {"solves": {"fw": solve}}}}
            self.assertEqual(len(compare.wrong_rows(result)), 1)

    def test_nothing_is_dropped(self):
        solves = {"": compare.derive(solve_of(4.0), {}), "fw": {"estimated_s": 77.0},
                  "bf": {"refused": "not for it"}, "xx": {"failed": "stopped after 9 s"},
                  "blocked-fw": compare.derive(solve_of(2.0), {}),
                  "reference": compare.derive(solve_of(3.0), {})}
        peers = {"a": {"missing": "a is not installed"}, "b": {"estimated_s": 1234.5}}
        result = {"graphs": {"g": {"word": "w", "peers": peers, "solves": solves}},
                  "left_out": ["h"], "peer_limit_s": 20, "date": "now", "processors": 2,
                  "peers": {"scipy": None}}
        text = table.text(result, dict.fromkeys(peers, "x"))
        for words in ("skipped: estimated 77.0 s", "refused: not for it", "a is not installed",
                      "failed: stopped after 9 s", "skipped: estimated 1234 s", "h: not with",
                      "choice takes 2.00 of the best, blocked-fw",
                      "scipy is not installed"):
            self.assertIn(words, text)


class Programs(unittest.TestCase):
    """What run.sh runs."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def compare(self, *options):
        path = os.path.join(self.directory.name, "out.json")
        done = subprocess.run(
            [sys.executable, os.path.join(BENCH, "compare.py"), "--build", BUILD, "--quick",
             "--device", os.environ.get("APSPD_DEVICE", "auto"), "--json", path, *options],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as f:
            return done.stdout, json.load(f)

    def test_celegans(self):
        text, result = self.compare("--graph", "celegans", "--algorithm", "blocked-fw",
                                    "--algorithm", "reference")
        found = result["graphs"]["celegans"]
        self.assertEqual(list(found["solves"]), ["blocked-fw", "reference"])
        self.assertEqual(list(found["peers"]), list(compare.PEERS))
        for name, peer in found["peers"].items():
            self.assertTrue("missing" in peer or peer["sum"] == CELEGANS["sum"], (name, peer))
        for name, solve in found["solves"].items():
            self.assertEqual({key: solve[key] for key in CELEGANS}, CELEGANS)
            # the tables, mapped or not, are in neither
            self.assertGreaterEqual(solve["peak_bytes"], solve["idle_bytes"])
            self.assertEqual(list(solve["stages"]), list(table.STAGES))
            self.assertGreater(solve["stages"]["distance"], 0)
            self.assertLessEqual(sum(solve["stages"].values()), 60)
            self.assertGreater(solve["table_bytes"], 297 * 297)
            self.assertGreater(solve["peak_bytes"], 0)
            self.assertGreater(min(solve["ceiling_runs"]), 1e6)
            self.assertIn(name, text)

    def test_hops(self):
        _, result = self.compare("--graph", "sparse:200:5@hops", "--algorithm", "bfs-levels")
        found = result["graphs"]["sparse:200:5@hops"]
        self.assertEqual(found["solves"]["bfs-levels"]["vertices"], 200)
        self.assertGreater(found["solves"]["bfs-levels"]["sum"], 0)
        for name, peer in found["peers"].items():
            self.assertTrue("missing" in peer or peer["pairs"] > 0, (name, peer))

    def test_limit(self):
        """A solve past its limit is stopped, and its time is estimated."""
        done = subprocess.run([os.path.join(BUILD, "tests", "bench", "bench_solve"), "auto",
                               "reference", self.graph("sparse:4000:20"), "1", "0",
                               self.directory.name],
                              capture_output=True, text=True, check=True)
        solve = json.loads(done.stdout)
        if "seconds" not in solve:  # a second is enough for a fast machine
            self.assertGreater(solve["estimated_s"], 1)
            self.assertIn("skipped: estimated", table.why_not(solve))

    def graph(self, word):
        path = os.path.join(self.directory.name, "graph")
        subprocess.run([os.path.join(BUILD, "tests", "bench", "make_graph"), word, path],
                       check=True)
        return path

    def arcs(self, word):
        """The vertices' number and the arcs (tail, head, weight) of a graph file."""
        with open(self.graph(word), "rb") as file:
            data = file.read()
        n, m, labels = struct.unpack_from("=QQQ", data, 8)
        begin = len(data) - labels - 8 * (n + 1) - 16 * m
        return n, list(struct.iter_unpack("=IId", data[begin:begin + 16 * m]))

    def test_lift(self):
        """Each copy of a vertex has its arcs, to one copy each of their heads."""
        copies, path = 5, os.path.join(ROOT, "tests", "data", "celegans_newman.csv")
        n, arcs = self.arcs(path)
        lifted_n, lifted = self.arcs(f"lift:{copies}:{path}")
        self.assertEqual(lifted_n, copies * n)
        self.assertEqual(len(lifted), copies * len(arcs))
        crossing = 0
        for e, arc in enumerate(arcs):
            of_arc = lifted[e * copies:(e + 1) * copies]
            self.assertEqual([(u % n, v % n, w) for u, v, w in of_arc], [arc] * copies)
            for end in (0, 1):
                self.assertEqual(sorted(a[end] // n for a in of_arc), list(range(copies)))
            crossing += sum(u // n != v // n for u, v, _ in of_arc)
        self.assertAlmostEqual(crossing / len(lifted), 1 - 1 / copies, delta=0.03)

    def test_compiling_is_not_solving(self):
        """A limit that compiling alone takes stops no solve that is fast."""
        cache = os.path.join(self.directory.name, "cache")
        os.mkdir(cache)
        done = subprocess.run(
            [os.path.join(BUILD, "tests", "bench", "bench_solve"), "auto", "blocked-fw",
             self.graph(os.path.join(ROOT, "tests", "data", "celegans_newman.csv")), "1", "0",
             cache], env={**os.environ, "POCL_CACHE_DIR": cache}, capture_output=True,
            text=True, check=True)
        self.assertIn("seconds", json.loads(done.stdout), done.stdout)

    @staticmethod
    def scratch_of(graph):
        for link in glob.glob("/dev/shm/apsp-bench-*/graph") + glob.glob("/tmp/apsp-bench-*/graph"):
            try:
                if os.readlink(link) == os.path.realpath(graph):
                    return os.path.dirname(link)
            except FileNotFoundError:  # another's, which has ended
                pass
        return None

    def test_nothing_is_left(self):
        """A solve that is ended takes its scratch directory along."""
        graph, scratch = self.graph("sparse:4000:20"), None
        program = subprocess.Popen(
            [os.path.join(BUILD, "tests", "bench", "bench_solve"), "auto", "reference", graph,
             "1", "600", self.directory.name], stdout=subprocess.DEVNULL)
        with program:
            while program.poll() is None and not (scratch := self.scratch_of(graph)):
                time.sleep(0.01)
            program.terminate()
        self.assertTrue(scratch)
        self.assertFalse(os.path.exists(scratch))

    @staticmethod
    def fields(header, name):
        struct = re.search(rf"struct {name} \{{(.*?)\n\}};", header, re.S).group(1)
        return set(re.findall(r"(\w+)[;,]", struct))

    def test_tune(self):
        """Without time to search, search_tuning prints the whole row in use."""
        with open(os.path.join(ROOT, "compute", "plan", "tuning.h"), encoding="utf-8") as f:
            header = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        fields = self.fields(header, "apsp_tuning") - {"bits"} | {
            "bits." + field for field in self.fields(header, "apsp_bits_tuning")}
        done = subprocess.run([os.path.join(BUILD, "tests", "bench", "search_tuning"), "0"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(sorted(re.findall(r"^\t\t\.(\S+) = \S", done.stdout, re.M)),
                         sorted(fields))

    def test_refusals(self):
        done = subprocess.run(
            [sys.executable, os.path.join(BENCH, "compare.py"), "--build", BUILD, "--algorithm",
             "none"], capture_output=True, text=True, check=False)
        self.assertIn("no algorithm is named 'none'; there are blocked-fw", done.stderr)
        done = subprocess.run(
            [sys.executable, os.path.join(BENCH, "compare.py"), "--build", BUILD, "--graph",
             "/nowhere", "--algorithm", "fw"], capture_output=True, text=True, check=False)
        self.assertIn("'/nowhere' is no graph", done.stderr)


class Scale(unittest.TestCase):
    def test_the_page_has_the_tables(self):
        printed = subprocess.run([sys.executable, os.path.join(BENCH, "scale.py")], check=True,
                                 capture_output=True, text=True).stdout.splitlines()
        with open(os.path.join(BENCH, "scale.md"), encoding="utf-8") as page:
            rows = [line for line in page.read().splitlines() if re.match(r"\| [\d,]+ \|", line)]
        self.assertEqual(rows, [line for line in printed if line.startswith("|")])


if __name__ == "__main__":
    unittest.main()
