"""The life of a graph over TCP and over a unix socket, from upload to delete."""
import os
import re
import stat
import subprocess
import threading
import unittest
import urllib.parse

from harness import Case, data, until, APSPD, SOURCE_ROOT

TRIANGLE = b"a,b,1\nb,c,1\na,c,5\n"
WRONG_SETTINGS = 78  # in systemd/apspd.service.in: no restart helps


def documented_algorithms():
    """The first column of the table of algorithms."""
    with open(os.path.join(SOURCE_ROOT, "compute", "plan", "README.md"), encoding="utf-8") as readme:
        section = readme.read().split("### Algorithms")[1].split("###")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.M)
    return set(re.findall(r"`([^`]+)`", " ".join(cells)))


class Life:
    """Mixed into two classes below, which differ in `listen` and `address`."""

    def test_life(self):
        with self.daemon(listen=self.listen()) as d:
            reply = self.assertStatus(
                d.upload("worm", data("celegans_newman.csv"), "?transform=inv"), 202)
            job = reply.json["job"]
            self.assertEqual(reply.headers["Location"], f"/v1/jobs/{job}")
            self.assertEqual(reply.json["vertices"], 297)
            self.assertEqual(reply.json["arcs"], 2345)
            self.assertEqual(reply.json["profile"], "default")
            self.assertIn(reply.json["state"], ("queued", "running"))
            ended = d.wait(job)
            self.assertEqual(ended["state"], "succeeded", ended)
            self.assertEqual(ended["progress"], 1)
            self.assertIsNone(ended["error"])

            before = self.assertStatus(d.path("worm", "1", "264"), 200)
            self.assertTrue(before.json["reachable"])
            self.assertEqual(before.json["revision"], reply.json["revision"])
            self.assertWalks(before.json)
            one_bit = "/v1/graphs/worm/reachable?from=1&to=264"
            self.assertTrue(d.ask("GET", one_bit).json["reachable"])
            self.assertStatus(d.ask("GET", "/v1/graphs/worm/path?from=1&to=264", headers={
                "If-None-Match": before.headers["ETag"]}), 304)
            jobs = len(d.jobs())

            d.restart()
            again = self.assertStatus(d.path("worm", "1", "264"), 200)
            self.assertEqual(again.json, before.json)
            self.assertEqual(again.headers["ETag"], before.headers["ETag"])
            self.assertTrue(d.ask("GET", one_bit).json["reachable"])
            self.assertEqual(len(d.jobs()), jobs, "nothing is computed again")

            same = d.upload("worm", data("celegans_newman.csv"), "?transform=inv")
            self.assertStatus(same, 200)
            self.assertEqual(len(d.jobs()), jobs, "the same bytes need no job")

            self.assertIn(d.ask("DELETE", "/v1/graphs/worm").status, (200, 204))
            self.assertStatus(d.path("worm", "1", "264"), 404)
            self.assertStatus(d.ask("GET", "/v1/graphs/worm"), 404)
            until("the table file to go", lambda: not d.table_files())
            d.restart()
            self.assertStatus(d.ask("GET", "/v1/graphs/worm"), 404)


class OverTcp(Life, Case):
    def listen(self):
        return ["127.0.0.1:0"]


class OverUnix(Life, Case):
    def listen(self):
        return ["unix:" + os.path.join(self.directory, "socket")]

    def test_mode(self):
        with self.daemon(listen=self.listen()) as d:
            path = os.path.join(self.directory, "socket")
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o660)
            self.assertEqual(d.addresses, ["unix:" + path])
        self.assertFalse(os.path.exists(path), "a stop removes the socket")

    def test_stale_socket_is_replaced(self):
        d = self.daemon(listen=self.listen()).start()
        d.kill()
        with d:
            self.assertStatus(d.ask("GET", "/healthz"), 200)


class Answers(Case):
    """What an answer means (storage/tables/README.md), on a very small graph."""

    def setUp(self):
        super().setUp()
        self.d = self.daemon().start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.d.put("tri", TRIANGLE + b"x,x,1\n")

    def test_path(self):
        answer = self.d.path("tri", "a", "c").json
        self.assertEqual(
            {key: answer[key] for key in ("from", "to", "reachable", "distance", "hops",
                                          "path", "arcs", "profile")},
            {"from": "a", "to": "c", "reachable": True, "distance": 2, "hops": 2,
             "path": ["a", "b", "c"], "profile": "default",
             "arcs": [{"weight": 1, "length": 1}, {"weight": 1, "length": 1}]})

    def test_no_path_is_an_answer(self):
        reply = self.assertStatus(self.d.path("tri", "c", "a"), 200)
        self.assertFalse(reply.json["reachable"])
        for key in ("distance", "hops", "path", "arcs"):
            self.assertIsNone(reply.json[key])

    def test_to_itself(self):
        answer = self.d.path("tri", "c", "c").json
        self.assertEqual((answer["reachable"], answer["distance"], answer["hops"],
                          answer["path"], answer["arcs"]), (True, 0, 0, ["c"], []))

    def test_unknown_vertex(self):
        reply = self.assertStatus(self.d.path("tri", "a", "d"), 404, "unknown-vertex")
        self.assertIn("'d'", reply.json["detail"])
        reply = self.d.ask("POST", "/v1/graphs/tri/paths",
                           {"pairs": [["a", "c"], ["a", "d"], ["c", "a"]]})
        self.assertStatus(reply, 200)
        good, bad, none = reply.json["paths"]
        self.assertEqual(good["path"], ["a", "b", "c"])
        self.assertEqual(bad["status"], 422)
        self.assertEqual(bad["pointer"], "/pairs/1/1")
        self.assertFalse(none["reachable"])

    def test_ndjson(self):
        reply = self.d.ask("POST", "/v1/graphs/tri/paths", {"pairs": [["a", "c"]] * 3},
                           {"Accept": "application/x-ndjson"})
        self.assertStatus(reply, 200)
        self.assertEqual(reply.headers.get_content_type(), "application/x-ndjson")
        self.assertEqual(len(reply.body.splitlines()), 3)

    def test_reach_sets(self):
        reach = "/v1/graphs/tri/vertices/{}/reachable?direction={}"
        for vertex, direction, expected in (
                ("a", "out", {"a", "b", "c"}), ("c", "out", {"c"}),
                ("c", "in", {"a", "b", "c"}), ("x", "in", {"x"})):
            reply = self.d.ask("GET", reach.format(vertex, direction))
            self.assertStatus(reply, 200)
            self.assertEqual(set(reply.json["vertices"]), expected)
            self.assertEqual(reply.json["count"], len(expected))
        reply = self.d.ask("GET", reach.format("a", "out") + "&max_distance=1")
        self.assertEqual(set(reply.json["vertices"]), {"a", "b"})

    def test_profile(self):
        where = "/v1/graphs/tri/profiles/hops"
        reply = self.d.ask("PUT", where, {"transform": "hops"})
        self.assertIn(reply.status, (201, 202), reply)
        self.assertEqual(self.d.wait(reply.json["job"])["state"], "succeeded")
        self.assertEqual(self.d.path("tri", "a", "c", "&profile=hops").json["hops"], 1)
        self.assertEqual(self.d.path("tri", "a", "c").json["hops"], 2)
        self.assertStatus(self.d.ask("GET", where), 200)
        self.assertIn(self.d.ask("DELETE", where).status, (200, 204))
        self.assertStatus(self.d.path("tri", "a", "c", "&profile=hops"), 404)

    def test_preconditions(self):
        self.assertStatus(self.d.upload("tri", b"a,b,1\n", headers={
            "If-None-Match": "*"}), 412)
        self.assertStatus(self.d.upload("tri", b"a,b,1\n", headers={
            "If-Match": '"' + "0" * 64 + '"'}), 412)
        tag = self.d.ask("GET", "/v1/graphs/tri").headers["ETag"]
        self.assertStatus(self.d.upload("tri", b"a,b,1\n", headers={
            "If-Match": tag}), 202)

    def test_labels_are_text(self):
        """Ids past 2^53, slashes, percent signs and spaces survive."""
        names = ["9007199254740993", "9007199254740992", "a/b", "100%", "é x"]
        rows = "".join(f"{a},{b},1\n" for a, b in zip(names, names[1:]))
        self.d.put("odd", rows.encode())
        self.assertEqual(self.d.path("odd", names[0], names[-1]).json["path"], names)
        for name in names:
            reply = self.d.ask("GET", "/v1/graphs/odd/vertices/"
                               f"{urllib.parse.quote(name, safe='')}/reachable")
            self.assertIn(name, reply.json["vertices"])

    def test_service_resources(self):
        info = self.assertStatus(self.d.ask("GET", "/v1/info"), 200).json
        self.assertEqual(set(info["algorithms"]), documented_algorithms())
        self.assertEqual(set(info["transforms"]),
                         {"none", "hops", "inv", "log", "lognorm"})
        self.assertTrue(self.d.ask("GET", "/v1/devices").json["devices"])
        self.assertStatus(self.d.ask("GET", "/healthz"), 200)
        self.assertStatus(self.d.ask("GET", "/readyz"), 200)
        self.assertStatus(self.d.ask("GET", "/nowhere"), 404)
        reply = self.assertStatus(self.d.ask("POST", "/v1/graphs/tri"), 405)
        self.assertIn("PUT", reply.headers["Allow"])


class Overwrite(Case):
    def test_under_load(self):
        """Readers see an old revision or a new one, whole, and never an error."""
        known = {}  # revision: distance from a to c; filled before it is served
        with self.daemon() as d:
            stop, wrong, seen = threading.Event(), [], set()

            def version(i):
                return f"a,b,{i}\nb,c,{i}\na,c,{5 * i}\n".encode()

            def read():
                client = d.client()
                while not stop.is_set() and not wrong:
                    reply = client.ask("GET", "/v1/graphs/g/path?from=a&to=c")
                    answer = reply.json
                    if reply.status != 200:
                        wrong.append(answer)
                    else:
                        got.append((answer["revision"], answer["distance"],
                                    sum(arc["length"] for arc in answer["arcs"])))
                client.close()

            got = []
            reply = d.put("g", version(1))
            known[reply["revision"]] = 2
            threads = [threading.Thread(target=read) for _ in range(4)]
            for thread in threads:
                thread.start()
            try:
                for i in range(2, 7):
                    reply = d.put("g", version(i))
                    known[reply["revision"]] = 2 * i
                    until("a reader to see it", lambda: any(
                        g[0] == reply["revision"] for g in got[-8:]))
            finally:
                stop.set()
                for thread in threads:
                    thread.join()
            self.assertEqual(wrong, [])
            for revision, distance, total in got:
                seen.add(revision)
                self.assertEqual((distance, total), (known[revision],) * 2)
            self.assertEqual(seen, set(known))


class Command(Case):
    def run_apspd(self, *args, env=None):
        return subprocess.run([APSPD, *args], env={**os.environ, **(env or {})},
                              capture_output=True, text=True, timeout=60, check=False)

    def test_version_and_help(self):
        self.assertEqual(self.run_apspd("--version").returncode, 0)
        usage = self.run_apspd("--help")
        self.assertEqual(usage.returncode, 0)
        for option in ("--listen", "--state-dir", "--cache-dir", "--device",
                       "--allowed-host", "--threads", "--log-level"):
            self.assertIn(option, usage.stdout)

    def test_bad_options_are_sentences(self):
        for args in (["--nonsense"], ["--listen", "nowhere"],
                     ["--listen", "127.0.0.1:8", "--listen", "localhost:8"], ["--threads", "0"],
                     ["--threads", "many"], ["--log-level", "loud"], ["stray"]):
            ended = self.run_apspd("--state-dir", self.directory + "/s", "--cache-dir",
                                   self.directory + "/c", *args)
            self.assertEqual(ended.returncode, WRONG_SETTINGS, args)
            self.assertTrue(ended.stderr.strip(), args)

    def test_not_loopback(self):
        ended = self.run_apspd("--listen", "0.0.0.0:0", "--state-dir",
                               self.directory + "/s", "--cache-dir", self.directory + "/c")
        self.assertEqual(ended.returncode, WRONG_SETTINGS)
        self.assertIn("without tokens", ended.stderr)

    def test_nobody_reads_stdout(self):
        reader, writer = os.pipe()
        path = os.path.join(self.directory, "socket")
        with open(reader, "rb"), open(writer, "wb", buffering=0) as out:
            os.set_blocking(writer, False)
            while out.write(b"x" * 4096):
                pass
            os.set_blocking(writer, True)
            with subprocess.Popen(
                    [APSPD, "--state-dir", self.directory + "/s", "--cache-dir",
                     self.directory + "/c", "--listen", "unix:" + path],
                    stdout=out, stderr=subprocess.DEVNULL) as process:
                until("the socket", lambda: os.path.exists(path))
                process.terminate()
                try:
                    self.assertEqual(process.wait(15), 0)
                finally:
                    process.kill()

    def test_second_daemon(self):
        """A second daemon on either directory ends with a sentence, and harms nothing."""
        with self.daemon() as d:
            d.put("tri", TRIANGLE)
            for state, cache in ((d.state, self.directory + "/c2"),
                                 (self.directory + "/s2", d.cache)):
                ended = self.run_apspd("--state-dir", state, "--cache-dir", cache,
                                       "--listen", "127.0.0.1:0")
                self.assertEqual(ended.returncode, 1, "systemd tries again")
                self.assertRegex(ended.stderr, r"apspd|daemon")
            self.assertEqual(d.path("tri", "a", "c").json["distance"], 2)

    def test_environment(self):
        with self.daemon(listen=[], env={"APSPD_LISTEN": "127.0.0.1:0"}) as d:
            self.assertTrue(d.addresses[0].startswith("127.0.0.1:"))
            self.assertNotEqual(d.addresses[0], "127.0.0.1:0")

    def test_several_listeners(self):
        path = "unix:" + os.path.join(self.directory, "socket")
        with self.daemon(listen=["127.0.0.1:0", path, "[::1]:0"]) as d:
            self.assertEqual(len(d.addresses), 3)
            for address in d.addresses:
                client = d.client(address)
                self.assertEqual(client.ask("GET", "/healthz").status, 200)
                client.close()


if __name__ == "__main__":
    unittest.main()
