"""systemd/nginx-replicas.conf and apspd-replica@.service as they are, but for addresses and
directories: one writer and two replicas, and a hundred clients, while graphs change and
processes are killed.
"""
import collections
import contextlib
import http.client
import http.server
import json
import os
import pwd
import re
import shlex
import subprocess
import threading
import time
import unittest

from harness import APSPD, DEADLINE_S, SOURCE_ROOT, Case, Daemon, held_port, until
from nginx_site import answers, program

UNIT = os.path.join(SOURCE_ROOT, "systemd", "apspd-replica@.service")
CONF = os.path.join(SOURCE_ROOT, "systemd", "nginx-replicas.conf")
CLIENTS = 100


class Stub(http.server.ThreadingHTTPServer):
    """Answers every request with one status, and notes the requests."""

    daemon_threads = True

    def __init__(self, status):
        super().__init__(("127.0.0.1", 0), Answer)
        self.status, self.asked = status, []
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Answer(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        if "Transfer-Encoding" in self.headers:
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.asked.append((self.command, len(body)))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"{}")

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET


class Site(Case):
    """nginx with the site's file in front of a writer and two replicas."""

    def start_nginx(self, ports):
        """`ports` has the ports of the writer and of the replicas."""
        self.port = held_port(self)
        with open(CONF, encoding="utf-8") as file:
            conf = file.read()
        for old, new, times in (("127.0.0.1:8080", f"127.0.0.1:{ports[0]}", 2),
                                ("127.0.0.1:8081", f"127.0.0.1:{ports[1]}", 1),
                                ("127.0.0.1:8082", f"127.0.0.1:{ports[2]}", 1),
                                ("\tlisten [::]:80;\n", "", 1),
                                ("listen 80;", f"listen 127.0.0.1:{self.port};", 1)):
            self.assertEqual(conf.count(old), times, old)
            conf = conf.replace(old, new)
        user = f"user {pwd.getpwuid(0).pw_name};\n" if os.geteuid() == 0 else ""
        places = "".join(f"{kind}_temp_path {self.directory}/{kind};\n" for kind in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{self.directory}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(f"{user}worker_processes 1;\npid {self.directory}/pid;\n"
                       f"events {{}}\nhttp {{\naccess_log off;\n{places}{conf}}}\n")
        nginx = subprocess.Popen(
            [program("nginx"), "-p", self.directory, "-c", f"{self.directory}/nginx.conf",
             "-e", f"{self.directory}/error", "-g", "daemon off;"], stderr=subprocess.PIPE)

        def stop():
            nginx.terminate()
            nginx.communicate(timeout=DEADLINE_S)
        self.addCleanup(stop)
        until("nginx to listen", lambda: nginx.poll() is not None or answers(self.port))
        self.assertIsNone(nginx.poll(), nginx.stderr)

    def ask(self, method, target, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        with contextlib.closing(connection):
            connection.request(method, target, body,
                               {"Content-Type": "text/csv"} if body else {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()


class NotReady(Site):
    """Servers of the test stand in for the writer and the replicas."""

    def servers(self, *statuses):
        """A writer and two replicas that answer with these statuses; None: there is none."""
        found = [Stub(status or 200) for status in statuses]
        for one, status in zip(found, statuses):
            (self.addCleanup(one.close) if status else one.close())
        self.start_nginx([one.server_address[1] for one in found])
        return found

    def test_questions(self):
        """The next server answers if a replica has no graph or no tables; the last answer comes
        as it is, however often it is asked."""
        for statuses, wanted in (((200, 404, 404), 200), ((200, 503, 503), 200),
                                 ((200, 404, 503), 200), ((200, None, 404), 200),
                                 ((404, 404, 404), 404), ((404, 503, 404), 404),
                                 ((503, 503, 503), 503), ((404, None, 404), 404),
                                 ((404, None, None), 404), ((503, 404, None), 503),
                                 ((None, 200, None), 200), ((409, 200, 200), 200),
                                 ((None, 404, 404), 404), ((None, None, 503), 503),
                                 ((None, None, None), 502)):
            with self.subTest(statuses):
                self.servers(*statuses)
                for method, body in (("GET", None), ("HEAD", None), ("POST", "{}")):
                    for _ in range(6):
                        self.assertEqual(self.ask(method, "/v1/graphs/g", body)[0], wanted)

    def test_once(self):
        """Changes are sent to the writer only, and once."""
        writer, *replicas = self.servers(404, 404, 404)
        for method, body in (("PUT", "a,b,1\n"), ("PUT", "a,b,1\n" * 100000), ("DELETE", None)):
            self.assertEqual(self.ask(method, "/v1/graphs/g", body)[0], 404)
            self.assertEqual(writer.asked, [(method, len(body or ""))])
            del writer.asked[:]
        self.assertEqual([one.asked for one in replicas], [[], []])
        # a question goes to each server with its whole body
        self.assertEqual(self.ask("POST", "/v1/graphs/g/paths", "a,b\n" * 100000)[0], 404)
        self.assertEqual([one.asked for one in (writer, *replicas)], 3 * [[("POST", 400000)]])
        # jobs are the writer's
        self.assertEqual(self.ask("GET", "/v1/jobs/1")[0], 404)
        self.assertEqual([len(one.asked) for one in (writer, *replicas)], [2, 1, 1])


class Replicas(Site):
    def replica(self, number):
        """A daemon that the unit's command starts."""
        with open(UNIT, encoding="utf-8") as file:
            (command,) = re.findall(r"^ExecStart=(.*)$", file.read(), re.M)
        words = shlex.split(command.replace("%i", str(number)))
        self.assertEqual(words[0], "/usr/bin/apspd")
        self.assertEqual(words[1:3], ["--listen", f"127.0.0.1:808{number}"])
        self.assertEqual(words[3:], ["--follow", "http://127.0.0.1:8080"])
        d = Daemon(os.path.join(self.directory, f"replica-{number}"),
                   args=["--follow", "http://" + self.writer.addresses[0]])
        self.assertEqual(d.command[0], APSPD)
        os.mkdir(d.directory)
        return self.enterContext(d)

    def upload(self, graph, k):
        """Upload a graph in which a is 2k from c, and wait for its job at the writer."""
        status, headers, body = self.ask(
            "PUT", f"/v1/graphs/{graph}?transform=none", f"a,b,{k}\nb,c,{k}\n")
        self.assertIn(status, (200, 202), body)
        self.lengths[json.loads(body)["revision"]] = k
        if status == 202:
            until("the job", lambda: b'"succeeded"' in self.ask(
                "GET", headers["Location"] + "?wait=10")[2])

    def client(self):
        """Ask until the end, over connections of its own; note what came."""
        while not self.over.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
            with contextlib.closing(connection):
                for graph in ("g", "h", "g"):
                    try:
                        connection.request("GET", f"/v1/graphs/{graph}/path?from=a&to=c")
                        reply = connection.getresponse()
                        answer = reply.read()
                    except (OSError, http.client.HTTPException) as error:
                        self.seen[graph, repr(error)] += 1
                        break
                    found = re.search(rb'"revision":"(\w+)".*"distance":(\d+)', answer)
                    if reply.status == 200 and found:
                        self.seen[graph, found[1].decode(), int(found[2])] += 1
                    else:
                        self.seen[graph, f"{reply.status} {answer[:200]}"] += 1

    def test_changes_and_ends(self):
        self.writer = Daemon(os.path.join(self.directory, "writer"))
        os.mkdir(self.writer.directory)
        self.enterContext(self.writer)
        self.writer.put("g", b"a,b,1\nb,c,1\n")
        self.replicas = [self.replica(1), self.replica(2)]
        for d in self.replicas:
            until("a ready replica", lambda d=d: d.ask("GET", "/readyz").status == 200)
            until("g", lambda d=d: d.path("g", "a", "c").status == 200)
        self.start_nginx([d.addresses[0].rsplit(":", 1)[1]
                          for d in (self.writer, *self.replicas)])
        self.lengths = {self.writer.ask("GET", "/v1/graphs/g").json["revision"]: 1}
        self.seen, self.over = collections.Counter(), threading.Event()
        clients = [threading.Thread(target=self.client) for _ in range(CLIENTS)]
        for one in clients:
            one.start()
        try:
            for k in (2, 3):
                self.upload("g", k)
                self.upload("h", 10 * k)
            status, _, body = self.ask("DELETE", "/v1/graphs/h")
            self.assertEqual(status, 204, body)
            self.writer.kill()
            time.sleep(0.5)  # clients go on without the writer
            self.assertEqual(self.ask("PUT", "/v1/graphs/g?transform=none", "a,b,1\n")[0], 502)
            self.replicas[0].kill()
            time.sleep(0.5)  # and without one replica
            self.writer.command[self.writer.command.index("--listen") + 1] = \
                self.writer.addresses[0]
            self.writer.start()
            self.upload("g", 4)
            until("the newest", lambda: self.replicas[1].path("g", "a", "c").json["distance"] == 8)
            until("clients to get it", lambda: any(
                len(what) == 3 and what[2] == 8 for what in list(self.seen)))
        finally:
            self.over.set()
            for one in clients:
                one.join()
        wrong = {what: n for what, n in self.seen.items()
                 if len(what) == 3 and what[2] != 2 * self.lengths[what[1]]}
        self.assertEqual(wrong, {})
        # h comes and goes; while its first tables are computed, it is not ready
        failed = {what: n for what, n in self.seen.items() if len(what) == 2 and not (
            what[0] == "h" and re.match(r"404 .*unknown-graph|503 .*not-ready", what[1]))}
        # only answers of the killed replica that had begun may be cut off
        self.assertLessEqual(sum(failed.values()), CLIENTS, failed)
        self.assertEqual({what for what in failed if re.match(r"\d", what[1])}, set(), failed)
        self.assertGreater(sum(self.seen.values()), 10 * CLIENTS)
        # a replica may skip an upload that was replaced at once
        self.assertLessEqual({2, 8}, {what[2] for what in self.seen if len(what) == 3})


if __name__ == "__main__":
    unittest.main()
