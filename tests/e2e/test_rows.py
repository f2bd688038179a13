"""Graphs without tables: `tables=none` answers as `tables=all`, byte for byte, and refuses what
needs all pairs."""
import concurrent.futures
import contextlib
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from harness import SOLVER, Case, data, until
from test_kept import GRAPHS, csv_of, questions, random_arcs

JSON = {"Content-Type": "application/json"}
CSV = {"Content-Type": "text/csv"}
# What needs all pairs, so that it is refused.
ALL_PAIRS = re.compile(r"^/(matrices|stats)")
REALS = csv_of(random_arcs(8, 700, 3, lambda c: c.random() + 0.01))


def solvers(daemon, rows=True):
    """The process ids of the daemon's processes that compute rows, or that solve jobs."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        if parent == daemon.process.pid and (b"--rows" in words) == rows:
            found.append(int(pid))
    return found


def metric(d, name):
    return float(re.search(rf"^{name} (\S+)$", d.ask("GET", "/metrics").body.decode(), re.M)[1])


class Rows(Case):
    def answer(self, d, graph, method, target, body):
        text = json.dumps(body).encode() if body is not None else None
        return d.ask(method, f"/v1/graphs/{graph}{target}", text, JSON)

    def remedy(self, d, reply):
        """The remedy on the page of the problem."""
        case, = d.ask("GET", reply.json["type"]).json["cases"]
        return case["remedy"]

    def slow_reader(self, d, method, target, body=b""):
        """A connection that asks and reads only the first bytes of the answer."""
        host, port = d.addresses[0].rsplit(":", 1)
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((host, int(port)))
        connection.settimeout(30)
        connection.sendall(f"{method} /v1/graphs/g{target} HTTP/1.1\r\nHost: localhost\r\n"
                           f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self.assertEqual(connection.recv(12), b"HTTP/1.1 200")
        return connection

    def test_same_answers(self):
        with self.daemon() as d:
            for name, (body, query) in GRAPHS.items():
                for tables in ("all", "none"):
                    d.put(f"{name}-{tables}", body, f"?{query}&tables={tables}")
                    listed = d.ask("GET", f"/v1/graphs/{name}-{tables}/vertices?limit=10000").json
                    rows = "".join(f"{v},k{i % 7}\n" for i, v in enumerate(listed["vertices"]))
                    self.assertStatus(d.ask(
                        "PUT", f"/v1/graphs/{name}-{tables}/attributes",
                        b"label,kind\n" + rows.encode(), CSV), 200)
                profile = d.ask("GET", f"/v1/graphs/{name}-none/profiles/default").json
                self.assertEqual((profile["tables"], profile["holds"]), ("none", "none"))
                good, refused = 0, 0
                for method, target, asked in questions(listed["vertices"]):
                    one = self.answer(d, f"{name}-all", method, target, asked)
                    other = self.answer(d, f"{name}-none", method, target, asked)
                    if ALL_PAIRS.search(target):
                        self.assertStatus(other, 409)
                        self.assertIn("tables=none", other.json["detail"], target)
                        self.assertIn("tables=all", self.remedy(d, other))
                        refused += 1
                        continue
                    self.assertEqual((other.status, other.body.replace(b"-none", b"-all")),
                                     (200, one.body), (name, target))
                    good += 1
                self.assertGreater(good, 40, name)
                self.assertEqual(refused, 5, name)

    def test_columns(self):
        """The paths from all vertices to one, in larger graphs."""
        larva = data("larva_edges.csv")
        graphs = {"rome": (data("rome99.gr"), "transform=none&format=gr"),
                  "larva": (larva, "transform=none"), "larva-inv": (larva, "transform=inv")}
        with self.daemon() as d:
            for name, (body, query) in graphs.items():
                for tables in ("all", "none"):
                    d.put(f"{name}-{tables}", body, f"?{query}&tables={tables}")
                labels = d.ask("GET", f"/v1/graphs/{name}-none/vertices?limit=10000").json[
                    "vertices"]
                for v in labels[:40:7] + labels[::700]:
                    target = (f"/vertices/{v}/distances?direction=in"
                              "&values=distance,hops,predecessor,reachable&format=csv")
                    self.assertEqual(
                        self.answer(d, f"{name}-none", "GET", target, None).body,
                        self.answer(d, f"{name}-all", "GET", target, None).body, target)
                few = {"targets": labels[1:9], "values": ["distance", "predecessor"]}
                rows = metric(d, "apspd_rows_computed_total")
                self.assertEqual(self.answer(d, f"{name}-none", "POST", "/table", few).body,
                                 self.answer(d, f"{name}-all", "POST", "/table", few).body)
                self.assertLessEqual(metric(d, "apspd_rows_computed_total"), rows + 8)

    def test_circuits(self):
        """The same circuits as from tables, from rows of the sources and columns of the
        targets; and the limit of rows, which walks of a number of arcs do not need."""
        larva = data("larva_edges.csv")
        graphs = {**GRAPHS, "rome": (data("rome99.gr"), "transform=none&format=gr"),
                  "larva": (larva, "transform=inv")}
        with self.daemon(args=("--row-cache", "2M")) as d:
            for name, (body, query) in graphs.items():
                for tables in ("all", "none"):
                    d.put(f"{name}-{tables}", body, f"?{query}&tables={tables}")
                labels = d.ask("GET", f"/v1/graphs/{name}-none/vertices?limit=10000").json[
                    "vertices"]
                sets = {"sources": labels[:40:9], "targets": labels[1:60:11]}
                rows = metric(d, "apspd_rows_computed_total")
                for bound in ({}, {"slack": 0.2}, {"within": 5}, {"hops": "..3"}, {"hops": "3"},
                              {"slack": 9, "max_arcs": 3}):
                    one, other = (self.answer(d, f"{name}-{tables}", "POST", "/circuit",
                                              {**sets, **bound}) for tables in ("all", "none"))
                    if one.status != 200:  # a share of a negative length
                        self.assertEqual((name, one.status, one.json["detail"]),
                                         (name, other.status, other.json["detail"]))
                        continue
                    self.assertStatus(other, 200)
                    one, other = one.json, other.json
                    for member in ("graph", "rule"):
                        self.assertNotEqual(one.pop(member), other.pop(member))
                    self.assertEqual(one, other, (name, bound))
                self.assertLessEqual(metric(d, "apspd_rows_computed_total"),
                                     rows + len(sets["sources"]) + len(sets["targets"]))
            # the rows of all vertices are more than half of the cache
            reply = self.answer(d, "larva-none", "POST", "/circuit", {"targets": labels[:1]})
            self.assertStatus(reply, 413)
            self.assertStatus(self.answer(d, "larva-none", "POST", "/circuit", {
                "targets": labels[:1], "hops": "..2"}), 200)

    def test_large_sums(self):
        """Distances of more than 2^52 are added from the source on."""
        body = "".join(f"{v},{v + 1},{2**47 - 1 - v % 3}\n" for v in range(40)).encode()
        with self.daemon() as d:
            d.put("g", body, "?transform=none&tables=none")
            column = d.ask("GET", "/v1/graphs/g/vertices/40/distances?direction=in").json
            self.assertEqual(column["count"], 41)
            self.assertGreater(max(column["distance"]), 2**52)
            for v, distance in zip(column["vertices"], column["distance"]):
                path = d.ask("GET", f"/v1/graphs/g/path?from={v}&to=40").json
                self.assertEqual(path["distance"], distance, v)

    def test_almost_too_large(self):
        """Tables hold float32, because all distances fit. Without tables, nobody knows that they
        fit. Only `groups`, which compares rounded distances, may answer differently."""
        body = b"a,b,1.1e38\na,c,1.3e38\nd,b,0.9e38\nd,c,1.7e38\ne,f,1.01e38\n"
        with self.daemon() as d:
            for tables, element in (("all", "f32"), ("none", "f64")):
                d.put(tables, body, f"?transform=none&tables={tables}")
                self.assertStatus(d.ask("PUT", f"/v1/graphs/{tables}/attributes",
                                        b"label,k\na,x\nd,x\nb,y\nc,y\n", CSV), 200)
                profile = d.ask("GET", f"/v1/graphs/{tables}/profiles/default").json
                self.assertEqual(profile["element"], element)
            for method, target, asked in questions(["a", "b", "c", "d", "e", "f"]):
                if ALL_PAIRS.search(target) or "/groups" in target:
                    continue
                one, other = (self.answer(d, tables, method, target, asked)
                              for tables in ("all", "none"))
                self.assertEqual((one.status, one.body), (other.status, other.body), target)
            one, other = (self.answer(d, tables, "POST", "/groups", {"attribute": "k"}).json
                          for tables in ("all", "none"))
            for with_tables, without in zip(one["groups"], other["groups"]):
                self.assertEqual(with_tables["nearest"], without["nearest"])
                if without["mean"] is not None:
                    self.assertEqual(without["mean"], 1.25e38)
                    self.assertAlmostEqual(with_tables["mean"] / without["mean"], 1, 6)
            # past float64, a distance would look like no path
            for tables in ("all", "none"):
                reply = d.ask("PUT", f"/v1/graphs/h?transform=none&tables={tables}&wait=30",
                              b"a,b,1e308\nb,c,1e308\n", CSV)
                self.assertStatus(reply, 409)
                self.assertIn("scale the weights down", reply.json["detail"])

    def test_chosen(self):
        """Without a word rows are computed on demand if even the least tables have no room."""
        body = csv_of(random_arcs(10, 2000, 3, lambda c: c.random() + 0.01))
        with self.daemon(args=("--cache-limit", "3M")) as d:
            d.put("g", body, "?transform=none")
            profile = d.ask("GET", "/v1/graphs/g/profiles/default").json
            self.assertEqual((profile["tables"], profile["holds"]), (None, "none"))
            job = d.ask("GET", f"/v1/jobs/{profile['job']}").json
            self.assertIn("tables=none; the smallest tables would need ", job["plan"])
            refused = d.ask("PUT", "/v1/graphs/h?transform=none&tables=distance", body, CSV)
            self.assertStatus(refused, 507)
            refused = d.ask("GET", "/v1/graphs/g/stats")
            self.assertStatus(refused, 409, "tables-failed")
            self.assertIn("a larger --cache-limit, then PUT ", refused.json["detail"])
            self.assertTrue(refused.json["detail"].endswith(" with tables=distance"), refused)
        with self.daemon(args=("--cache-limit", "100M")) as d:
            d.put("g", body, "?transform=none&tables=distance")
            self.assertStatus(d.ask("GET", "/v1/graphs/g/stats"), 200)

    def test_refused_rules(self):
        with self.daemon() as d:
            for query in ("algorithm=blocked-fw", "measures=betweenness"):
                reply = d.ask("PUT", f"/v1/graphs/g?transform=none&tables=none&{query}", REALS,
                              CSV)
                self.assertStatus(reply, 400)
                self.assertIn("tables=none", reply.json["detail"])

    def test_tables_would_not_help(self):
        """A question about the other kind of paths is refused for this reason, because tables
        would not answer it."""
        with self.daemon() as d:
            d.put("g", b"a,b,1\n", "?transform=none&tables=none")
            d.put("wide", b"a,b,1\n", "?path=widest")
            for reply in (d.ask("GET", "/v1/graphs/g/matrices/width"),
                          self.answer(d, "g", "POST", "/compare", {"with": {"graph": "wide"}})):
                self.assertStatus(reply, 400)
                self.assertIn("path=widest", reply.json["detail"])

    def test_once(self):
        """A row is computed once, however many clients ask for it."""
        with self.daemon() as d:
            d.put("g", REALS, "?transform=none&tables=none")
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]

            def ask(i):
                client = d.client()
                reply = client.ask(
                    "GET", f"/v1/graphs/g/path?from={labels[i % 9]}&to={labels[i]}")
                client.close()
                return reply
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                for reply in pool.map(ask, range(200)):
                    self.assertStatus(reply, 200)
            self.assertLessEqual(metric(d, "apspd_rows_computed_total"), 9)
            self.assertGreater(metric(d, "apspd_rows_reused_total"), 100)
            self.assertEqual(metric(d, "apspd_rows_wanted"), 0)

    def test_room(self):
        """Rows stay within --row-cache, and a question that needs more is refused."""
        with self.daemon(args=("--row-cache", "60K")) as d:
            d.put("g", REALS, "?transform=none&tables=none")
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
            for i in range(60):  # a row has some 1,500 bytes
                self.assertStatus(d.ask(
                    "GET", f"/v1/graphs/g/vertices/{labels[i]}/distances"), 200)
                self.assertLessEqual(metric(d, "apspd_row_bytes"), 61440)
            self.assertEqual(metric(d, "apspd_rows_computed_total"), 60)
            pairs = {"pairs": [[v, labels[0]] for v in labels[:30]]}
            reply = self.answer(d, "g", "POST", "/paths", pairs)
            self.assertStatus(reply, 413)
            self.assertIn("--row-cache", reply.json["detail"])
            self.assertIn("--row-cache", self.remedy(d, reply))
            pairs = {"pairs": [[v, labels[0]] for v in labels[:10]] * 9}
            self.assertStatus(self.answer(d, "g", "POST", "/paths", pairs), 200)

    def test_no_row(self):
        """Questions about numbers of arcs need no row, nor does one that is refused."""
        with self.daemon() as d:
            d.put("g", b"a,b,1\nb,a,1\nb,c,1\nc,b,2\nc,d,1\nd,c,1\ne,f,1\n",
                  "?transform=none&tables=none")
            get = "/v1/graphs/g/"
            found = d.ask("GET", get + "path?from=a&to=d&hops=..3").json
            self.assertEqual((found["path"], found["limited_by"]), (["a", "b", "c", "d"], []))
            found = d.ask("GET", get + "path?from=a&to=d&hops=..2").json
            self.assertEqual((found["reachable"], found["limited_by"]), (False, ["hops"]))
            for v, direction, right in (("b", "out", ["a", "b", "c"]), ("f", "in", ["e", "f"])):
                reply = d.ask("GET", get + f"vertices/{v}/reachable?max_hops=1"
                                           f"&direction={direction}")
                self.assertEqual(reply.json["vertices"], right)
            for query, status in (("match=x:1", 400), ("max_hops=x", 400)):
                self.assertStatus(
                    d.ask("GET", get + f"vertices/a/reachable?{query}"), status)
            known = d.ask("GET", get + "path?from=a&to=d&hops=3").headers["ETag"]
            for target in ("vertices/a/reachable", "path?from=a&to=d&k=2",
                           "path?from=a&to=d&ties=all", "path?from=a&to=d&avoid=c"):
                self.assertStatus(d.ask("GET", get + target, None,
                                        {"If-None-Match": known}), 304)
            self.assertEqual(metric(d, "apspd_rows_computed_total"), 0)
            self.assertStatus(d.ask("GET", get + "vertices/a/reachable"), 200)
            self.assertEqual(metric(d, "apspd_rows_computed_total"), 1)

    def test_lines(self):
        """The process that computes rows refuses a line that its worker would not write."""
        with self.daemon() as d:
            d.put("g", b"a,b,1\nb,c,1\nc,d,1\n", "?transform=none&tables=none")
            table, = d.table_files()
            memory = os.memfd_create("rows")
            self.addCleanup(os.close, memory)
            os.truncate(memory, 4096)
            for vertices, right in (("0,1,2", True), ("3", True), ("0;1", False),
                                    ("0,1x", False), ("0,", False), (",0", False),
                                    ("-1", False), ("4", False),
                                    (",".join(["0"] * 65), False)):
                with subprocess.Popen(
                        [SOLVER, "--cache-dir", d.cache, "--rows", table], text=True,
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False,
                        preexec_fn=lambda: os.dup2(memory, 3)) as run:
                    self.assertEqual(run.stdout.readline(), "done\n")
                    run.stdin.write(f"demand 0 vertices {vertices}\n")
                    run.stdin.flush()
                    events = []
                    while not events or events[-1] == "row":
                        events.append(run.stdout.readline().split(" ")[0].strip())
                    run.stdin.close()
                self.assertEqual(events, ["row"] * len(vertices.split(",")) + ["done"]
                                 if right else ["error"], vertices)

    def test_limits_first(self):
        """Groups with too many pairs are refused before rows are computed."""
        with self.daemon() as d:
            d.put("g", REALS, "?transform=none&tables=none")
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
            self.assertStatus(d.ask(
                "PUT", "/v1/graphs/g/attributes", b"label,own,few\n" + "".join(
                    f"{v},x{v},y{i % 3}\n" for i, v in enumerate(labels)).encode(), CSV), 200)
            reply = self.answer(d, "g", "POST", "/groups", {"attribute": "own"})
            self.assertStatus(reply, 400)
            self.assertIn("pairs that an answer may have", reply.json["detail"])
            self.assertEqual(metric(d, "apspd_rows_computed_total"), 0)
            reply = self.answer(d, "g", "POST", "/groups", {"attribute": "few"})
            self.assertEqual(len(reply.json["groups"]), 9)
            self.assertEqual(metric(d, "apspd_rows_computed_total"), len(labels))

    def test_search_memory(self):
        """A search that has no memory is refused before its row is computed."""
        for option, size, status in (("--answer-memory", "40K", 422),
                                     ("--arc-memory", "40K", 507)):
            with self.daemon(args=(option, size)) as d:
                d.put("g", REALS, "?transform=none&tables=none")
                labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
                for query in ("k=2", "ties=all", f"avoid={labels[5]}"):
                    reply = d.ask("GET", f"/v1/graphs/g/path?from={labels[0]}&to={labels[9]}"
                                         f"&{query}")
                    self.assertStatus(reply, status)
                    self.assertIn(option, reply.json["detail"])
                self.assertEqual(metric(d, "apspd_rows_computed_total"), 0)
                info = d.ask("GET", "/v1/info").json
                self.assertEqual(info["limits"]["upload_memory_bytes"],
                                 min(info["uploads"]["max_memory_bytes"] // 4 * 3, 16 << 30))
                self.assertIn(40960, (info["answers"]["max_memory_bytes"],
                                      info["searches"]["max_arcs_bytes"]))

    def test_slow_clients(self):
        """Clients that do not read their answers give up their rows if others need the room."""
        with self.daemon(args=("--row-cache", "100K")) as d:
            d.put("g", REALS, "?transform=none&tables=none")
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]

            def asked(first):
                return json.dumps({"sources": labels[first:first + 30], "values": [
                    "distance", "hops", "predecessor", "reachable"]}).encode()
            for first in (0, 30):  # together they hold more than the room leaves a third
                self.slow_reader(d, "POST", "/table?layout=long", asked(first))
            reply = d.ask("POST", "/v1/graphs/g/table?layout=long", asked(60))
            self.assertStatus(reply, 200)
            self.assertEqual(len(reply.json["pairs"]), 30 * len(labels))
            self.assertLessEqual(metric(d, "apspd_row_bytes"), 102400)

    def test_one_vertex_holds_nothing(self):
        """An answer about one vertex holds no row while it is read."""
        body = csv_of(random_arcs(11, 30000, 3, lambda c: c.random() + 0.01))
        with self.daemon(args=("--row-cache", "300K")) as d:  # a row has some 34,000 bytes
            d.put("g", body, "?transform=none&tables=none")
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
            values = "distance,hops,predecessor,reachable"
            readers = [self.slow_reader(
                d, "GET", f"/vertices/{v}/distances?values={values}&format=csv")
                for v in labels[:12]]
            self.assertStatus(d.ask("GET", f"/v1/graphs/g/path?from={labels[20]}&to=0"), 200)
            for reader in readers:  # each of them gets the whole answer
                with reader.makefile("rb") as file:
                    while (line := file.readline()) != b"0\r\n":
                        self.assertTrue(line)

    def test_killed(self):
        """A process that dies is started again, and no question fails."""
        with self.daemon() as d:
            d.put("g", REALS, "?transform=none&tables=none")
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
            for i in range(5):
                self.assertStatus(d.ask(
                    "GET", f"/v1/graphs/g/vertices/{labels[i]}/distances"), 200)
                pids = solvers(d)
                self.assertEqual(len(pids), 1)
                os.kill(pids[0], signal.SIGKILL)
            pid = solvers(d)
        self.assertLessEqual(len(pid), 1)
        for left in pid:
            self.assertFalse(os.path.exists(f"/proc/{left}"))

    def test_damage(self):
        """A file that is damaged or removed is made again."""
        def damage(table):
            with open(table, "r+b") as file:
                file.seek(70000)
                file.write(b"damage")
        def files(d):
            found = {}
            for path in d.table_files():
                with contextlib.suppress(FileNotFoundError):
                    found[path] = os.stat(path).st_mtime_ns
            return found
        with self.daemon() as d:
            d.put("g", REALS, "?transform=none&tables=none")
            vertices = itertools.cycle(range(700))

            for spoil in (damage, os.remove):
                table, = d.table_files()
                spoil(table)
                spoilt = files(d)

                def is_made_again():
                    path = f"/v1/graphs/g/vertices/{next(vertices)}/distances"
                    status = d.ask("GET", path).status
                    self.assertIn(status, (200, 503))
                    return status == 200 and files(d) not in ({}, spoilt)
                until("the file is made again", is_made_again)

    def test_deleted(self):
        """A graph that is deleted takes its rows with it."""
        with self.daemon() as d:
            for _ in range(3):
                d.put("g", REALS, "?transform=none&tables=none")
                labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
                self.assertStatus(d.ask(
                    "GET", f"/v1/graphs/g/vertices/{labels[0]}/distances"), 200)
                self.assertGreater(metric(d, "apspd_row_bytes"), 0)
                self.assertStatus(d.ask("DELETE", "/v1/graphs/g"), 204)
                until = time.monotonic() + 20
                while metric(d, "apspd_row_bytes") and time.monotonic() < until:
                    time.sleep(0.05)
                self.assertEqual(metric(d, "apspd_row_bytes"), 0)

    def test_removed_meanwhile(self):
        """A question whose tables are removed while it waits for rows says what happened."""
        pairs = json.dumps({"sources": ["1", "2"], "targets": ["3", "4"]}).encode()
        changes = (
            ("?profile=p", "DELETE", "/v1/graphs/g/profiles/p", None, 404),
            ("", "DELETE", "/v1/graphs/g", None, 404),
            ("", "PUT", "/v1/graphs/g?transform=none&tables=none", b"a,b,1\n", 503))
        with self.daemon() as d, concurrent.futures.ThreadPoolExecutor() as pool:
            def files():
                return set(os.listdir(os.path.join(d.cache, "tables")))

            def ask(*question):
                with contextlib.closing(d.client()) as client:
                    return client.ask(*question)

            def distances(v):
                return f"/v1/graphs/busy/vertices/{v}/distances"
            d.put("busy", REALS + b"x,y,1\n", "?transform=none&tables=none")
            for i, (query, method, target, body, status) in enumerate(changes):
                d.put("g", REALS, "?transform=none&tables=none")
                before = files()
                self.assertStatus(d.ask("PUT", "/v1/graphs/g/profiles/p?wait=20",
                                        b'{"transform":"inv","tables":"none"}', JSON), 200)
                of_p = files() - before
                self.assertStatus(d.ask("GET", distances(2 * i)), 200)
                pid, = solvers(d)
                os.kill(pid, signal.SIGSTOP)
                first = pool.submit(ask, "GET", distances(2 * i + 1))
                until("one row is wanted", lambda: metric(d, "apspd_rows_wanted") == 1)
                second = pool.submit(
                    ask, "POST", f"/v1/graphs/g/circuit{query}", pairs, JSON)
                until("both want rows", lambda: metric(d, "apspd_rows_wanted") > 1)
                self.assertLess(d.ask(method, target, body, CSV).status, 300)
                until("the file is removed", lambda: not of_p & files())
                os.kill(pid, signal.SIGCONT)
                self.assertStatus(first.result(), 200)
                self.assertStatus(second.result(), status)

    def test_new_job_meanwhile(self):
        """If new attributes remove the tables while a question waits for rows, it names the job
        of the new tables."""
        def attributes(left_out):
            return b"label,type\n1,KC\n%d,PN\n" % left_out
        pairs = json.dumps({"sources": ["1"], "targets": ["3"]}).encode()
        with self.daemon() as d, concurrent.futures.ThreadPoolExecutor() as pool:
            def ask(*question):
                with contextlib.closing(d.client()) as client:
                    return client.ask(*question)
            d.put("g", REALS, "?transform=none&tables=none")
            self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", attributes(5), CSV), 200)
            self.assertStatus(d.ask(
                "PUT", "/v1/graphs/g/profiles/p?wait=20",
                b'{"transform":"none","tables":"none","without":["type:PN"]}', JSON), 200)
            self.assertStatus(d.ask("GET", "/v1/graphs/g/vertices/3/distances"), 200)
            of_jobs, of_rows = solvers(d, rows=False), solvers(d)
            for pid in of_jobs + of_rows:
                os.kill(pid, signal.SIGSTOP)
            try:
                asked = pool.submit(ask, "POST", "/v1/graphs/g/circuit?profile=p", pairs, JSON)
                until("rows are wanted", lambda: metric(d, "apspd_rows_wanted") > 0)
                self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", attributes(7), CSV), 200)
                job = d.ask("GET", "/v1/graphs/g/profiles/p").json["job"]
                for pid in of_rows:
                    os.kill(pid, signal.SIGCONT)
                reply = self.assertStatus(asked.result(), 503, "not-ready")
            finally:
                for pid in of_jobs + of_rows:
                    with contextlib.suppress(ProcessLookupError):  # rows had a new solver
                        os.kill(pid, signal.SIGCONT)
            self.assertEqual((reply.json.get("job"), reply.json.get("job_url")),
                             (job, f"/v1/jobs/{job}"))
            self.assertEqual(d.wait(job)["state"], "succeeded")

    def test_stop(self):
        """A daemon that stops answers a question whose rows it does not compute any more."""
        def ask():
            with contextlib.closing(d.client()) as client:
                return client.ask("POST", "/v1/graphs/g/table", {})
        with self.daemon() as d, concurrent.futures.ThreadPoolExecutor() as pool:
            d.put("g", REALS, "?transform=none&tables=none")
            self.assertStatus(d.ask("GET", "/v1/graphs/g/vertices/1/distances"), 200)
            pid, = solvers(d)
            os.kill(pid, signal.SIGSTOP)
            try:
                asked = pool.submit(ask)
                until("rows are wanted", lambda: metric(d, "apspd_rows_wanted") > 64)
                stopped = pool.submit(d.stop)
                self.assertStatus(asked.result(), 503, "stopping")
            finally:
                os.kill(pid, signal.SIGCONT)
            stopped.result()

    def test_file_is_let_go(self):
        """The process of rows does not keep the disk space of a file that was removed."""
        def is_gone(pid):
            try:
                with open(f"/proc/{pid}/maps", encoding="ascii") as file:
                    return ".apsp" not in file.read()
            except OSError:
                return True
        with self.daemon() as d:
            for replaced in (True, False):
                d.put("g", REALS, "?transform=none&tables=none")
                labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
                self.assertStatus(d.ask(
                    "GET", f"/v1/graphs/g/vertices/{labels[0]}/distances"), 200)
                pid, = solvers(d)
                self.assertFalse(is_gone(pid))
                if replaced:
                    d.put("g", REALS + b"x,y,1\n", "?transform=none&tables=none")
                else:
                    self.assertStatus(d.ask("DELETE", "/v1/graphs/g"), 204)
                until("the file is let go", lambda: is_gone(pid))


if __name__ == "__main__":
    unittest.main()
