"""Replicas: a daemon that follows another one, the writer.

Between stands a proxy of the test, which forwards requests to the writer, and lies or breaks
off where a test wants it.
"""
import contextlib
import http.client
import http.server
import itertools
import json
import os
import re
import shutil
import signal
import sqlite3
import ssl
import subprocess
import threading
import time
import unittest

import test_bundles_proved as proved
from harness import Case, Daemon, Gate, until
from test_bundles_back import members_of

ROWS = b"a,b,1.5\nb,c,2.25\nc,a,4\na,d,0.5\nd,c,7\n"
OTHER = b"a,b,1.5\nb,c,2\nc,a,4\na,d,0.5\nd,e,7\n"
CSV = {"Content-Type": "text/csv"}


class Between(http.server.ThreadingHTTPServer):
    """Forwards to a daemon; lie(handler, reply, body) may answer instead and return True."""

    daemon_threads = True

    def __init__(self, writer, context=None):
        super().__init__(("127.0.0.1", 0), Forward)
        self.writer, self.context = writer, context
        self.lie = None
        self.asked = []  # (path, headers) of each request
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"http{'s' if self.context else ''}://127.0.0.1:{self.server_address[1]}"

    def finish_request(self, request, client_address):
        if self.context:
            request = self.context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        self.shutdown_request(request)  # a follower that was killed, or does not trust the certificate

    def close(self):
        self.shutdown()
        self.server_close()


class Forward(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        server = self.server
        lie = server.lie
        server.asked.append((self.path, dict(self.headers)))
        host, port = server.writer.addresses[0].rsplit(":", 1)
        try:
            connection = http.client.HTTPConnection(host, int(port), timeout=60)
            with contextlib.closing(connection):
                connection.request("GET", self.path, headers=dict(self.headers))
                reply = connection.getresponse()
                body = reply.read()
        except OSError:
            self.close_connection = True
            return
        # the answer is a lie if server.lie was set when the request came, or is set now
        lie = server.lie or lie
        if lie and lie(self, reply, body):
            return
        self.answer(reply.status, body, reply.headers)

    def answer(self, status, body, headers=(), length=None, sent=None):
        """Send a reply, or its first `sent` bytes and then the end of the connection."""
        self.send_response(status)
        for name in ("ETag", "Content-Type", "Content-Range", "Location"):
            if name in headers:
                self.send_header(name, headers[name])
        if status != 304 and length != "none":
            self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body if sent is None else body[:sent])
        if sent is not None or length is not None:
            self.close_connection = True


class Following(Case):
    def writer(self, args=(), solver=None):
        d = Daemon(os.path.join(self.directory, "writer"), args=args, solver=solver)
        os.mkdir(d.directory)
        return self.enterContext(d)

    def follower(self, url, args=(), env=None, solver=None):
        d = Daemon(os.path.join(self.directory, "follower"), args=("--follow", url, *args),
                   env=env, solver=solver)
        os.makedirs(d.directory, exist_ok=True)
        return self.enterContext(d)

    def between(self, writer, context=None):
        server = Between(writer, context)
        self.addCleanup(server.close)
        return server

    def follow(self, d):
        """What /readyz says about the writer."""
        reply = d.ask("GET", "/readyz")
        return reply.json["follow"] if reply.status == 200 else None

    def shown(self, d, graph, profiles=("default",)):
        """The answers about a graph; None: it is not there or not ready."""
        found = []
        for profile in profiles:
            for target in (f"path?from=a&to=c&profile={profile}",
                           f"matrices/distance?profile={profile}", "attributes", "arcs",
                           "vertices?limit=1000"):
                reply = d.ask("GET", f"/v1/graphs/{graph}/{target}")
                if reply.status not in (200, 404) or reply.headers["Apsp-Revision"] is None:
                    return None
                found.append((target, reply.status, reply.headers["Apsp-Revision"],
                              reply.body if reply.status == 200 else None))
        return found

    def same(self, writer, follower, graph, profiles=("default",)):
        """Wait until the follower answers as the writer does, and is not behind."""
        wanted = self.shown(writer, graph, profiles)
        self.assertIsNotNone(wanted)
        until("the same answers", lambda: self.shown(follower, graph, profiles) == wanted)
        until("no graph to be behind",
              lambda: (self.follow(follower) or {}).get("graphs_behind") == 0)

    def make_unreadable(self, d):
        """Damage the rows of all graphs."""
        path = os.path.join(d.state, "apspd.sqlite")
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE generations SET format = 'odd'")

    def child(self, d):
        """The process ids of apspd-follow below a daemon."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                text = file.read()
                if int(text.rsplit(")", 1)[1].split()[1]) == d.pid and "(apspd-follow)" in text:
                    found.append(int(pid))
        return found


class Follow(Following):
    def test_whatever_changes(self):
        w = self.writer()
        w.put("g", ROWS)
        f = self.follower("http://" + w.addresses[0] + "/")
        until("the first list", lambda: self.follow(f))
        self.same(w, f, "g")

        # profiles, attributes and another upload come, in this order and together
        def profile(name, rule):
            reply = w.ask("PUT", f"/v1/graphs/g/profiles/{name}", rule)
            self.assertEqual(w.wait(reply.json["job"])["state"], "succeeded")
        profile("hops", {"transform": "hops"})
        self.same(w, f, "g", ("default", "hops"))
        for attributes in (b"label,type\na,KC\n", b"label,type\na,PN\n"):
            self.assertStatus(w.ask("PUT", "/v1/graphs/g/attributes", attributes, CSV), 200)
            self.same(w, f, "g", ("default", "hops"))
        w.put("g", OTHER)
        w.put("h", ROWS, "?transform=inv")
        profile("hops", {"transform": "inv"})
        for graph, profiles in (("g", ("default", "hops")), ("h", ("default",))):
            self.same(w, f, graph, profiles)
        w.put("h", ROWS, "?transform=hops")
        self.same(w, f, "h")
        # the bundles are the same, byte for byte
        self.assertEqual(*(d.ask("GET", "/v1/graphs/g/bundle").body for d in (w, f)))

        # what is gone goes
        self.assertStatus(w.ask("DELETE", "/v1/graphs/g/profiles/hops"), 204)
        self.assertStatus(w.ask("DELETE", "/v1/graphs/g/attributes"), 204)
        self.assertStatus(w.ask("DELETE", "/v1/graphs/h"), 204)
        until("the profile to go",
              lambda: f.ask("GET", "/v1/graphs/g/profiles/hops").status == 404)
        until("the graph to go", lambda: f.ask("GET", "/v1/graphs/h").status == 404)
        self.same(w, f, "g")

        # a restart fetches nothing: the bundles have the same ETags
        put = sum("method=PUT" in line for line in f.log)
        self.assertGreater(put, 4)
        f.restart()
        self.same(w, f, "g")
        self.assertFalse([line for line in f.log if "method=PUT" in line], f.log)

    def test_read_only(self):
        w = self.writer()
        w.put("g", ROWS)
        url = "http://" + w.addresses[0]
        f = self.follower(url)
        self.same(w, f, "g")
        for method, target, body, headers in (
                ("PUT", "/v1/graphs/new?transform=none", ROWS, CSV),
                ("PUT", "/v1/graphs/g/attributes", b"label,type\na,KC\n", CSV),
                ("PUT", "/v1/graphs/g/profiles/p", b'{"transform":"hops"}', ()),
                ("DELETE", "/v1/graphs/g", None, ()),
                ("DELETE", "/v1/graphs/g/profiles/p", None, ()),
                ("DELETE", "/v1/jobs/1", None, ())):
            client = f.client()
            reply = client.ask(method, target, body, headers)
            client.close()
            self.assertStatus(reply, 403, "read-only")
            self.assertEqual(reply.json["writer"], url)
        # questions by POST change nothing
        self.assertStatus(f.ask("POST", "/v1/graphs/g/paths", {"pairs": [["a", "c"]]}), 200)
        self.assertStatus(f.ask("POST", "/v1/graphs/g/estimate", {}), 200)
        self.assertIsNone(w.ask("GET", "/readyz").json["follow"])

    def test_tokens_and_tls(self):
        tokens = os.path.join(self.directory, "tokens")
        token = subprocess.run([Daemon("").command[0], "--tokens", tokens, "--new-token", "admin"],
                               check=True, capture_output=True, text=True).stdout.strip()
        read = subprocess.run([Daemon("").command[0], "--tokens", tokens, "--new-token", "read"],
                              check=True, capture_output=True, text=True).stdout
        token_file = os.path.join(self.directory, "token")
        certificate, key = (os.path.join(self.directory, name) for name in ("pem", "key"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=writer", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        w = self.writer(("--tokens", tokens))
        for reply in (w.ask("PUT", "/v1/graphs/g?transform=none", ROWS,
                            {**CSV, "Authorization": f"Bearer {token}"}),):
            self.assertStatus(reply, 202)
        server = self.between(w, context)

        # without the certificate nothing is sent, and without a token nothing comes
        f = self.follower(server.url, ("--follow-token", token_file))
        until("an error", lambda: "no token" in "".join(f.log) or "No such file" in
              "".join(f.log))
        with open(token_file, "w", encoding="ascii") as file:
            file.write("no-such-token\n")
        until("an error", lambda: "certificate" in "".join(f.log).lower())
        self.assertEqual(server.asked, [])
        self.assertStatus(f.ask("GET", "/readyz"), 503, "not-ready")
        f.stop()
        f.env["SSL_CERT_FILE"] = certificate
        f.start()
        until("a refusal", lambda: "(401)" in "".join(f.log))
        with open(token_file, "w", encoding="ascii") as file:
            file.write(read)
        until("the graph", lambda: f.path("g", "a", "c").status == 200)
        self.assertNotIn(read.strip(), "".join(f.log))

    def test_ends_of_the_child(self):
        w = self.writer()
        w.put("g", ROWS)
        f = self.follower("http://" + w.addresses[0])
        self.same(w, f, "g")
        (first,) = self.child(f)
        os.kill(first, signal.SIGKILL)
        until("another child", lambda: self.child(f) not in ([], [first]))
        w.put("g", OTHER)
        self.same(w, f, "g")
        # a stop leaves no process, however busy the child is; nor does a crash
        for end in (f.stop, f.kill):
            pids = until("a child", lambda: self.child(f))
            os.kill(pids[0], signal.SIGSTOP)
            end()
            until("no process", lambda: not os.path.exists(f"/proc/{pids[0]}"))
            f.start()
        self.same(w, f, "g")

    def test_writer_away(self):
        w = self.writer()
        w.put("g", ROWS)
        server = self.between(w)
        f = self.follower(server.url)
        self.same(w, f, "g")
        wanted = self.shown(f, "g")
        w.kill()
        until("the lag", lambda: not self.follow(f)["reachable"])
        before = self.follow(f)["seconds_behind"]
        until("a longer lag", lambda: self.follow(f)["seconds_behind"] > before + 0.2)
        self.assertTrue(self.follow(f)["error"])
        self.assertEqual(self.shown(f, "g"), wanted)
        # a follower that has graphs is ready without its writer
        f.restart()
        self.assertEqual(self.shown(f, "g"), wanted)
        self.assertFalse(until("a ready replica", lambda: self.follow(f))["reachable"])
        # but it may lack graphs, so its list says that it may be partial
        partial = f.ask("GET", "/v1/graphs")
        self.assertIs(partial.json["complete"], False)
        metrics = f.ask("GET", "/metrics").body.decode()
        self.assertIn("\napspd_follow_reachable 0\n", metrics)
        w.start()
        # only `complete` changes, and so does the ETag
        known = {"If-None-Match": partial.headers["ETag"]}
        until("another list", lambda: f.ask("GET", "/v1/graphs", None, known).status == 200)
        self.assertEqual(f.ask("GET", "/v1/graphs").json, {**partial.json, "complete": True})
        # a graph that the writer cannot read is kept
        w.kill()
        self.make_unreadable(w)
        w.start()
        self.assertStatus(w.ask("GET", "/v1/graphs/g"), 409)
        w.put("h", ROWS)
        self.same(w, f, "h")
        self.assertEqual(self.shown(f, "g"), wanted)
        w.put("g", OTHER)
        self.same(w, f, "g")
        self.assertTrue(self.follow(f)["reachable"])
        self.assertIn("\napspd_follow_graphs_behind 0\n",
                      f.ask("GET", "/metrics").body.decode())
        # a follower that cannot read its graphs is not ready without its writer
        w.kill()
        f.stop()
        self.make_unreadable(f)
        f.start()
        self.assertStatus(f.ask("GET", "/v1/graphs/g"), 409)
        until("the reason", lambda: "the graphs of" in
              f.ask("GET", "/readyz").json.get("detail", ""))
        self.assertIs(f.ask("GET", "/v1/graphs").json["complete"], False)

    def listed(self, d):
        """The list of graphs by name, without stamps, if it is complete."""
        reply = d.ask("GET", "/v1/graphs").json
        return reply["complete"] and {one["name"]: {**one, "stamp": None}
                                      for one in reply["graphs"]}

    def test_chain(self):
        """A replica that never had a graph names it while its writer cannot read it, so that a
        replica that follows this replica keeps its copy. Deletions reach both all the same."""
        w = self.writer()
        w.put("g", ROWS)
        w.put("k", OTHER)
        middle = self.follower(self.between(w).url)
        last = Daemon(os.path.join(self.directory, "last"),
                      args=("--follow", self.between(middle).url))
        os.mkdir(last.directory)
        self.enterContext(last)
        wanted = {}
        for graph in ("g", "k"):
            self.same(w, last, graph)
            wanted[graph] = self.shown(last, graph)
        w.kill()
        self.make_unreadable(w)
        middle.stop()
        shutil.rmtree(middle.directory)
        os.mkdir(middle.directory)
        w.start()
        middle.start()
        until("a complete list", lambda: self.listed(middle) is not False)
        self.assertEqual(self.listed(middle), self.listed(w))
        self.assertEqual(sorted(self.listed(middle)), ["g", "k"])
        # the replica is ready, and the graphs are not its own
        ready = until("a ready replica", lambda: self.follow(middle))
        self.assertEqual((ready["graphs_behind"], ready["error"]), (0, None))
        self.assertEqual(middle.ask("GET", "/readyz").json["troubles"], [])
        self.assertIn("\napspd_graphs 0\n", middle.ask("GET", "/metrics").body.decode())
        for target in ("", "/path?from=a&to=c", "/bundle"):
            self.assertStatus(middle.ask("GET", "/v1/graphs/g" + target), 404, "unknown-graph")
        # other graphs come and go
        w.put("h", ROWS)
        self.same(w, last, "h")
        self.assertStatus(w.ask("DELETE", "/v1/graphs/h"), 204)
        until("the graph to go", lambda: last.ask("GET", "/v1/graphs/h").status == 404)
        # after another start of the replica, and of its child alone
        middle.restart()
        until("a complete list", lambda: self.listed(middle) is not False)
        self.assertEqual(self.listed(middle), self.listed(w))
        (first,) = self.child(middle)
        os.kill(first, signal.SIGKILL)
        until("another child", lambda: self.child(middle) not in ([], [first]))
        w.put("i", ROWS)
        self.same(w, last, "i")
        for graph, before in wanted.items():
            self.assertEqual(self.shown(last, graph), before)
        # what the writer deletes or receives again is no longer lost
        self.assertStatus(w.ask("DELETE", "/v1/graphs/k"), 204)
        until("the graph to go", lambda: last.ask("GET", "/v1/graphs/k").status == 404)
        self.assertEqual(sorted(self.listed(middle)), ["g", "i"])
        self.assertEqual(self.shown(last, "g"), wanted["g"])
        w.put("g", OTHER)
        self.same(w, middle, "g")
        self.same(w, last, "g")


class Lies(Following):
    def start(self, args=()):
        w = self.writer()
        w.put("g", ROWS)
        server = self.between(w)
        f = self.follower(server.url, args)
        self.same(w, f, "g")
        return w, server, f

    def test_cuts(self):
        """A transfer goes on where it broke off, or begins again if the bundle changed."""
        w, server, f = self.start()
        cuts = []

        def cut(handler, reply, body):
            if "/bundle" not in handler.path or reply.status not in (200, 206) or len(cuts) > 3:
                return False
            cuts.append(len(body))
            handler.answer(reply.status, body, reply.headers, sent=min(1500, len(body) // 2))
            return True
        server.lie = cut
        del server.asked[:]
        w.put("g", OTHER)
        self.same(w, f, "g")
        ranges = [headers["Range"] for path, headers in server.asked if "Range" in headers]
        self.assertEqual(len(cuts), 4)
        self.assertEqual([int(one[6:-1]) for one in ranges],
                         [cuts[0] - later for later in cuts[1:]] +
                         [cuts[0] - cuts[3] + min(1500, cuts[3] // 2)])

        def change(handler, reply, body):
            if "Range" not in handler.headers:
                return cut(handler, reply, body)
            if not away:
                away.append(handler.answer(502, b""))  # a proxy, while the writer restarts
                return True
            server.lie = None
            handler.answer(200, b"x" * 5000, {"ETag": '"another"'})
            return True
        away = []
        del cuts[:]
        server.lie = change
        w.put("g", ROWS)
        self.same(w, f, "g")
        self.assertIn("status 502; going on at byte", "".join(f.log))
        self.assertIn("changed while it was fetched", "".join(f.log))

    def test_list_changes(self):
        """The list changes while its pages are read: the pages are used all the same, and a graph
        that a page lacks is kept if this page is of a list that is not complete."""
        w, server, f = self.start()
        number = itertools.count()

        def pages(first, complete):
            """Send pages of one graph each, each with another ETag."""
            def lie(handler, reply, body):
                if "/bundle" in handler.path or reply.status != 200:
                    return False
                rows = json.loads(body)["graphs"]
                is_first = "cursor" not in handler.path
                rows = rows[first if is_first else 0:]
                handler.answer(200, json.dumps({
                    "graphs": rows[:1], "next": rows[0]["name"] if len(rows) > 1 else None,
                    "complete": complete or not is_first}).encode(),
                    {"ETag": f'"{next(number)}"'})
                return True
            return lie
        server.lie = pages(0, True)
        w.put("h", OTHER)
        w.put("i", ROWS)
        for graph in ("g", "h", "i"):
            self.same(w, f, graph)
        server.lie = pages(1, False)
        self.assertStatus(w.ask("PATCH", "/v1/graphs/i", {"weight_unit": "synapses"}), 200)
        until("the unit", lambda: f.ask("GET", "/v1/graphs/i").json["weight_unit"])
        self.assertStatus(f.path("g", "a", "c"), 200)
        server.lie = pages(1, True)
        until("the graph to go", lambda: f.ask("GET", "/v1/graphs/g").status == 404)

    def test_lies(self):
        """Whatever the writer sends, nothing wrong is served and memory is bounded."""
        elsewhere = self.between(None)
        token_file = os.path.join(self.directory, "token")
        with open(token_file, "w", encoding="ascii") as file:
            file.write("secret\n")
        w, server, f = self.start(("--follow-token", token_file))
        wanted = self.shown(f, "g")
        other = w.ask("GET", "/v1/graphs?limit=16").json

        def page(graphs, cursor=None):
            return json.dumps({"next": cursor, "graphs": graphs}).encode()

        def row(**changed):
            return {**other["graphs"][0], **changed}

        def lists(body, status=200, headers=None):
            def lie(handler, reply, _):
                if "/bundle" in handler.path:
                    return False
                handler.answer(status, body, headers or {"ETag": '"lie"'})
                return True
            return lie

        def endless(handler, reply, _):
            if "/bundle" in handler.path:
                return False
            handler.answer(200, b"", {"ETag": '"lie"'}, length=1 << 40)
            with contextlib.suppress(OSError):
                while True:
                    handler.wfile.write(b" " * 65536)
            return True

        def ladder(handler, reply, _):
            at = handler.path.rsplit("cursor=", 1)
            name = "g" + str(int(at[1][1:] or 0) + 1).zfill(9) if len(at) > 1 else "g000000000"
            handler.answer(200, page([row(name="g", stamp="1")], "g"), {"ETag": '"lie"'})
            return name != ""

        for what, lie, said in (
                ("no JSON", lists(b"<html>"), "not a list"),
                ("no list", lists(b'{"graphs": 7}'), "not a list"),
                ("no ETag", lists(page([]), headers={"X": "y"}), "no ETag"),
                ("a name", lists(page([row(name="../../g")])), "not a list"),
                ("requests in a revision", lists(page([row(revision=(
                    "a HTTP/1.1\r\n\r\nDELETE /v1/graphs/g HTTP/1.1\r\nX:"))])), "not a list"),
                ("names that descend", lists(page([row(name="h"), row(name="g")])), "not a list"),
                ("pages for ever", ladder, "not a list"),
                ("a page for ever", endless, "more than"),
                ("a redirect", lists(b"", 302, {"Location": elsewhere.url + "/v1/graphs"}),
                 "redirect"),
                ("a refusal", lists(b'{"detail":"no"}', 500), "status 500: no")):
            with self.subTest(what):
                server.lie = lie
                w.put("x", ROWS)  # the list changes
                until(what, lambda said=said: said in ((self.follow(f) or {})["error"] or ""))
                self.assertEqual(self.shown(f, "g"), wanted)
                server.lie = None
                w.ask("DELETE", "/v1/graphs/x")
                until("the truth", lambda: (lambda now: now["reachable"] and not now["error"])(
                    self.follow(f)))
        self.assertEqual(elsewhere.asked, [])

        def bundles(make):
            def lie(handler, reply, body):
                if "/g/bundle" not in handler.path or reply.status != 200:
                    return False
                make(handler, reply, body)
                return True
            return lie

        def stream(handler, length):
            handler.answer(200, b"", {"ETag": '"lie"'}, length=length)
            with contextlib.suppress(OSError):
                while True:
                    handler.wfile.write(b"\0" * 65536)

        def flip(handler, reply, body):
            at = body.index(b"arcs\0")
            at += 512 + 9
            handler.answer(200, body[:at] + bytes([body[at] ^ 1]) + body[at + 1:], reply.headers)
        for what, lie, said in (
                ("no bundle", bundles(lambda h, r, b: h.answer(200, b"\x1f\x8b" * 600, r.headers)),
                 "refuses"),
                ("one bit", bundles(flip), "refuses"),
                ("a refusal", bundles(lambda h, r, b: h.answer(409, b'{"detail":"odd"}')),
                 "graph 'g': the writer answers with status 409: odd"),
                ("a part", bundles(lambda h, r, b: h.answer(200, b[:1536], r.headers)), "refuses"),
                ("no size", bundles(lambda h, r, b: stream(h, "none")), "without its size"),
                ("no end", bundles(lambda h, r, b: stream(h, 1 << 39)), "refuses")):
            with self.subTest(what):
                server.lie = lie
                w.put("g", OTHER if what != "one bit" else ROWS + b"e,f,1\n")
                until(what, lambda said=said: said in ((self.follow(f) or {})["error"] or ""))
                self.assertEqual(self.shown(f, "g"), wanted)
                self.assertGreater(self.follow(f)["graphs_behind"], 0)
                w.put("h", ROWS + what.encode() + b",a,1\n")  # another graph does not wait
                until("h", lambda: self.shown(f, "h") == self.shown(w, "h"))
                self.assertTrue(self.follow(f)["reachable"])
                w.put("g", ROWS)
                until("ROWS again", lambda: self.shown(w, "g") == wanted)
                server.lie = None
                until("the truth", lambda: self.follow(f)["graphs_behind"] == 0 and
                      not self.follow(f)["error"])
                self.assertEqual(self.shown(f, "g"), wanted)
        with open(f"/proc/{self.child(f)[0]}/status", encoding="ascii") as file:
            peak = int(file.read().split("VmHWM:")[1].split()[0])
        self.assertLess(peak, 200_000)  # a sanitizer's own memory included


class Refused(Following):
    """The writer's tables are wrong, and every checksum is right: only a proof finds it."""

    def wrong(self, body, profile):
        """The bundle with a wrong distance in the tables of a profile."""
        members = members_of(body)
        text = json.loads(members["bundle.json"])
        name, = (one["tables"]["member"] for one in text["profiles"] if one["name"] == profile)
        table = proved.Table(members[name])
        table.set("DISTANCE", 0, 2, table.get("DISTANCE", 0, 2) + 1)
        return proved.with_table(members, name, *table.seal())

    def lie(self, server, profile):
        """Send every bundle with tables with this fault; note the requests for bundles."""
        def lie(handler, reply, body):
            if "/bundle" not in handler.path or reply.status != 200:
                return False
            self.fetched.append(re.sub("revision=[0-9a-f]+", "revision=R", handler.path))
            if "tables=none" in handler.path:
                return False
            handler.answer(200, self.wrong(body, profile), reply.headers)
            return True
        self.fetched = []
        server.lie = lie

    def assertRefused(self, f, graph, times):
        """The tables were fetched and refused once, and then computed, and this is said."""
        self.assertEqual(self.fetched, [f"/v1/graphs/{graph}/bundle?revision=R",
                                        f"/v1/graphs/{graph}/bundle?revision=R&tables=none"])
        said = [line for line in f.log if f"graph '{graph}': the writer's tables have failed "
                "their proof and are computed here: the member 'tables/" in line]
        self.assertEqual(len(said), times, f.log)
        self.assertEqual(self.follow(f)["tables_refused"], times)
        self.assertIsNone(self.follow(f)["error"])
        self.assertIn(f"\napspd_follow_tables_refused_total {times}\n",
                      f.ask("GET", "/metrics").body.decode())

    def refused(self):
        """The writer, the proxy and a follower that has refused the tables of a new graph."""
        w = self.writer()
        w.put("g", ROWS)
        server = self.between(w)
        self.lie(server, "default")
        f = self.follower(server.url)
        self.same(w, f, "g")
        self.assertRefused(f, "g", 1)
        self.lie(server, "default")
        return w, server, f

    def test_default(self):
        """Of a new graph, and of another upload while the last one answers."""
        w, _, f = self.refused()
        w.put("g", OTHER)
        self.same(w, f, "g")
        self.assertRefused(f, "g", 2)
        # what is computed is not fetched again, but another change is
        self.fetched.clear()
        f.restart()
        self.same(w, f, "g")
        self.assertStatus(w.ask("PUT", "/v1/graphs/g/attributes", b"label,type\na,KC\n", CSV), 200)
        self.same(w, f, "g")
        self.assertEqual(self.fetched, ["/v1/graphs/g/bundle?revision=R&tables=none"])
        self.assertEqual(self.follow(f)["tables_refused"], 0)

    def test_another_upload_meanwhile(self):
        """The writer gets another upload after it has sent its list: the form of the bundle that
        fits the listed upload is not asked for the other one."""
        w, server, f = self.refused()
        lie, listed, replaced = server.lie, threading.Event(), threading.Event()

        def late(handler, reply, body):
            if "/bundle" in handler.path or reply.status != 200:
                return lie(handler, reply, body)
            server.lie = lie
            listed.set()
            replaced.wait(60)
            handler.answer(200, body, reply.headers)
            return True
        server.lie = late
        self.assertStatus(w.ask("PATCH", "/v1/graphs/g", {"weight_unit": "synapses"}), 200)
        self.assertTrue(listed.wait(60))
        w.put("g", OTHER)
        replaced.set()
        self.same(w, f, "g")
        self.assertRefused(f, "g", 2)

    def test_profile(self):
        """Of another profile: `default` answers meanwhile."""
        w = self.writer()
        w.put("g", ROWS)
        reply = w.ask("PUT", "/v1/graphs/g/profiles/hops", {"transform": "hops"})
        self.assertEqual(w.wait(reply.json["job"])["state"], "succeeded")
        server = self.between(w)
        self.lie(server, "hops")
        f = self.follower(server.url)
        self.same(w, f, "g", ("default", "hops"))
        until("no graph to be behind", lambda: not self.follow(f)["graphs_behind"])
        self.assertRefused(f, "g", 1)

    def test_shown(self):
        """Until the tables are computed, /readyz and the metrics have the reason."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        w = self.writer()
        w.put("g", ROWS)
        server = self.between(w)
        f = self.follower(server.url, solver=gate.path)
        gate.open()
        self.same(w, f, "g")
        self.lie(server, "default")
        w.put("g", OTHER)
        gate.open()  # the proof
        until("the reason", lambda: "have failed their proof" in (self.follow(f)["error"] or ""))
        self.assertGreater(self.follow(f)["graphs_behind"], 0)
        until("the bundle without tables", lambda: len(self.fetched) == 2)
        self.assertIn("have failed their proof", self.follow(f)["error"])
        gate.open()
        self.same(w, f, "g")
        self.assertRefused(f, "g", 1)

    def test_ready_at_once(self):
        """A replica is ready as soon as `default` of its graphs answers."""
        w = self.writer()
        w.put("g", ROWS)
        self.assertStatus(w.ask("PUT", "/v1/graphs/g/profiles/hops?wait=30",
                                {"transform": "hops"}), 200)
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        f = self.follower("http://" + w.addresses[0], solver=gate.path)
        gate.wait_held(1)
        self.assertStatus(f.ask("GET", "/readyz"), 503, "not-ready")
        gate.open()
        until("the graph", lambda: f.path("g", "a", "c").status == 200)
        until_ready = self.seconds(lambda: until(
            "a ready replica", lambda: f.ask("GET", "/readyz").status == 200))
        # on a busy machine, each step may wait as long as a question does
        question = max(self.seconds(lambda: f.path("g", "a", "c")) for _ in range(10))
        self.assertLess(until_ready, max(0.5, 20 * question))
        self.assertEqual(self.follow(f)["graphs_behind"], 1)
        gate.open()
        self.same(w, f, "g", ("default", "hops"))

    def seconds(self, act):
        began = time.monotonic()
        act()
        return time.monotonic() - began


if __name__ == "__main__":
    unittest.main()
