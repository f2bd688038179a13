"""systemd/nginx-apspd.conf in Debian's nginx, between clients and apspd."""
import base64
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import unittest

from harness import DEADLINE_S, Reply, data, until
from nginx_site import HOST, PASSWORDS, SiteCase

HEAD = b"Host: lab.example\r\nAuthorization: Basic " + base64.b64encode(
    b"alice:" + PASSWORDS["alice"].encode()) + b"\r\n"


class Nginx(SiteCase):
    def connect(self, name=HOST):
        raw = socket.create_connection(("127.0.0.1", self.port), DEADLINE_S)
        return self.tls.wrap_socket(raw, server_hostname=name)

    def ask(self, method, path, body=None, headers=(), user="alice", password=None):
        connection = http.client.HTTPConnection(HOST, timeout=DEADLINE_S)
        connection.sock = self.connect()
        headers = dict(headers)
        if user:
            secret = f"{user}:{password or PASSWORDS.get(user)}".encode()
            headers["Authorization"] = "Basic " + base64.b64encode(secret).decode()
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            return Reply(reply.status, reply.headers, reply.read())

    def test_larva(self):
        """The page, an upload, its job, a path, a download: as without nginx."""
        page = self.assertStatus(self.ask("GET", "/apspd/", headers={"Accept": "text/html"}),
                                 200)
        assets = re.findall(r'(?:src|href)="([^":]*assets/[^"]+)"', page.body.decode())
        self.assertTrue(assets)
        for asset in assets:
            self.assertStatus(self.ask("GET", "/apspd/" + asset.removeprefix("./")), 200)
        self.assertEqual(self.ask("GET", "/apspd").headers["Location"], "/apspd/")

        larva = data("larva_edges.csv")
        put = self.assertStatus(self.ask("PUT", "/apspd/v1/graphs/larva?transform=inv", larva,
                                         {"Content-Type": "text/csv"}), 202)
        self.assertEqual(put.headers["Location"], f"/apspd/v1/jobs/{put.json['job']}")

        def ended():
            job = self.assertStatus(self.ask("GET", put.headers["Location"] + "?wait=30"),
                                    200).json
            return job if job["state"] not in ("queued", "running") else None
        self.assertEqual(until("the job", ended)["state"], "succeeded")

        path = "/v1/graphs/larva/path?from=29&to=8835968"
        through = self.assertStatus(self.ask("GET", "/apspd" + path), 200)
        direct = self.d.ask("GET", path, headers={
            "Host": HOST, "Authorization": f"Bearer {self.token['read']}"})
        self.assertEqual(through.json, direct.json)
        self.assertEqual(through.json["distance"], 1 / 8 + 1 / 6)
        again = self.ask("GET", "/apspd" + path,
                         headers={"If-None-Match": through.headers["ETag"]})
        self.assertStatus(again, 304)

        matrix = "/apspd/v1/graphs/larva/matrices/distance"
        whole = self.assertStatus(self.ask("GET", matrix), 200)
        self.assertGreater(len(whole.body), 4 * 3013 ** 2)
        part = self.assertStatus(self.ask("GET", matrix, headers={"Range": "bytes=5000-5999"}),
                                 206)
        self.assertEqual(part.body, whole.body[5000:6000])

    def test_labels_are_not_decoded(self):
        """A label with a slash reaches apspd as it was written."""
        put = self.ask("PUT", "/apspd/v1/graphs/g?transform=none", b"a/b,c d,1\n",
                       {"Content-Type": "text/csv"})
        self.assertStatus(put, 202)
        job = self.ask("GET", put.headers["Location"] + "?wait=30").json
        self.assertIn(job["state"], ("running", "succeeded"))
        until("the job", lambda: self.ask(
            "GET", put.headers["Location"]).json["state"] == "succeeded")
        vertex = self.assertStatus(self.ask("GET", "/apspd/v1/graphs/g/vertices/a%2Fb"), 200)
        self.assertEqual(vertex.json["vertex"], "a/b", vertex)

    def test_who_may(self):
        body, csv = b"a,b,1\n", {"Content-Type": "text/csv"}
        target = "/apspd/v1/graphs/g?transform=none"
        for user, password, method, path, status, realm in (
                (None, None, "GET", "/apspd/v1/graphs", 401, "Basic"),
                (None, None, "GET", "/apspd/", 401, "Basic"),
                ("alice", "wrong", "GET", "/apspd/v1/graphs", 401, "Basic"),
                ("dora", "x", "GET", "/apspd/v1/graphs", 401, "Basic"),
                ("carol", None, "GET", "/apspd/v1/graphs", 401, "Bearer"),
                ("bob", None, "GET", "/apspd/v1/graphs", 200, None),
                ("bob", None, "PUT", target, 403, None),
                ("alice", None, "PUT", target, 202, None),
                ("bob", None, "DELETE", "/apspd/v1/graphs/g", 403, None),
                ("alice", None, "GET", "/v1/graphs", 404, None),
                ("alice", None, "GET", "/apspd/v1/nothing", 404, None)):
            reply = self.ask(method, path, body if method == "PUT" else None,
                             csv if method == "PUT" else (), user, password)
            case = (user, password, method, path)
            self.assertEqual(reply.status, status, (case, reply))
            challenge = reply.headers["WWW-Authenticate"]
            self.assertEqual(challenge.split()[0] if challenge else None, realm, case)
        # a token of one's own does not replace the name
        reply = self.ask("GET", "/apspd/v1/graphs", user=None,
                         headers={"Authorization": f"Bearer {self.token['admin']}"})
        self.assertEqual(reply.status, 401)
        with open(f"{self.directory}/access", encoding="utf-8") as file:
            said = file.read() + "\n".join(self.d.log)
        for token in self.token.values():
            self.assertNotIn(token, said)

    def test_faults(self):
        """What the table of nginx.md says goes wrong, by each of its reasons."""
        def status(user="carol", method="GET"):
            reply = self.ask(method, "/apspd/v1/graphs/g", user=user)
            return reply.status, (reply.headers["WWW-Authenticate"] or "").split(" ")[0]

        def line(text):
            """The file of tokens with another line, once only new workers have it."""
            old = self.workers()
            with open(f"{self.site}/tokens", "a", encoding="ascii") as tokens:
                before = tokens.tell()
                tokens.write(text)
            self.addCleanup(os.truncate, f"{self.site}/tokens", before)
            self.nginx.send_signal(signal.SIGHUP)
            until("workers with the line", lambda: self.workers() and not self.workers() & old)

        def again(*args):
            """apspd with other settings, at the same socket."""
            self.d.stop()
            self.d = self.daemon(listen=(f"unix:{self.directory}/http.sock",), args=(
                "--tokens", f"{self.site}/digests", *args)).start()

        self.assertEqual(status(), (401, "Bearer"))  # no line of hers, and no default
        line(f'default "Bearer {self.token["read"]}";\n')
        self.assertEqual(status(), (404, ""))
        self.assertEqual(status(method="DELETE"), (403, ""))
        self.assertEqual(status("alice", "DELETE"), (404, ""))
        line('carol "Bearer apspd_older";\n')
        self.assertEqual(status(), (401, "Bearer"))
        again("--base-path", "/apspd")
        self.assertEqual(status("alice"), (421, ""))
        again("--allowed-host", HOST)
        reply = self.ask("GET", "/apspd/v1/graphs")
        self.assertEqual(reply.status, 404, reply)
        self.d.stop()
        self.assertEqual(self.ask("GET", "/apspd/v1/graphs").status, 502)

    def test_pages_of_others(self):
        for origin, status in ((f"https://{HOST}", 200), ("https://evil.example", 403)):
            reply = self.ask("GET", "/apspd/v1/graphs", headers={"Origin": origin})
            self.assertEqual(reply.status, status, origin)

    def test_other_names_are_not_served(self):
        with self.assertRaises(ssl.SSLError):
            self.connect("other.example")

    def test_bodies(self):
        """No limit of nginx: a body of 2 MB passes, and apspd's own refusal comes back
        while the client would go on sending."""
        rows = b"a,b,1\nb,a,1\n" * (2 << 20 >> 3)
        self.assertGreater(len(rows), 2 << 20)
        self.assertStatus(self.ask("PUT", "/apspd/v1/graphs/long?transform=none", rows,
                                   {"Content-Type": "text/csv"}), 202)
        with self.connect() as s:
            s.sendall(b"PUT /apspd/v1/graphs/g?transform=none HTTP/1.1\r\n" + HEAD
                      + b"Content-Type: text/csv\r\nContent-Length: 99999999999\r\n\r\na,b,1\n")
            self.assertIn(b" 413 ", s.recv(65536).splitlines()[0])
        # chunks, as curl -T - sends them
        reply = self.ask("PUT", "/apspd/v1/graphs/chunks?transform=none",
                         iter([b"a,b,", b"1\n"]), {"Content-Type": "text/csv"})
        self.assertStatus(reply, 202)
        self.assertEqual(reply.json["arcs"], 1)

    def test_smuggling(self):
        """Whatever bytes come in, no request runs that nginx did not let in, and the
        answers that follow belong to their requests."""
        inner = (b"DELETE /apspd/v1/graphs/victim HTTP/1.1\r\nHost: lab.example\r\n"
                 b"X-Smuggled: yes\r\n\r\n")
        post = b"POST /apspd/v1/graphs/victim/paths HTTP/1.1\r\n" + HEAD
        get = b"GET /apspd/healthz HTTP/1.1\r\n" + HEAD
        self.assertStatus(self.ask("PUT", "/apspd/v1/graphs/victim?transform=none", b"a,b,1\n",
                                   {"Content-Type": "text/csv"}), 202)
        n = b"%d" % len(inner)
        cases = (
            post + b"Content-Length: " + n + b"\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + inner,
            post + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" + inner,
            post + b"Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n" + inner,
            post + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + inner,
            post + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + inner,
            post + b"Transfer-Encoding: identity\r\nContent-Length: " + n + b"\r\n\r\n" + inner,
            post + b"Content-Length: 0\r\nContent-Length: " + n + b"\r\n\r\n" + inner,
            post + b"Content-Length: +" + n + b"\r\n\r\n" + inner,
            post + b"Content-Length: 0x5\r\n\r\n" + inner,
            post + b"Content-Length: " + n + b"\r\n\r\n" + inner,
            post + b"Content_Length: 0\r\nContent-Length: " + n + b"\r\n\r\n" + inner,
            post + b"Transfer-Encoding: chunked\r\n\r\n"
            + b"%x;x=\n\r\n" % len(inner) + inner + b"\r\n0\r\n\r\n",
            post + b"Transfer-Encoding: chunked\r\n\r\n"
            + b"%x\n" % len(inner) + inner + b"\r\n0\r\n\r\n",
            post + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff1\r\n" + inner,
            get + b"X: a\r\n b\r\n\r\n",
            get + b"X: a\n" + inner,
            get + b"X: a\r" + inner,
            get + b"X\0: a\r\n\r\n" + inner,
            b"GET /apspd/healthz\r\n" + inner,
            b"GET /apspd/healthz HTTP/1.1\rHost: lab.example\r\n\r\n" + inner,
            b"GET /apspd/healthz%0d%0aX:y HTTP/1.1\r\n" + HEAD + b"\r\n",
            b"GET /apspd/../apspd/v1/graphs/victim HTTP/1.1\r\n" + HEAD + b"\r\n",
            b"GET /apspd/..%2fv1/graphs/victim HTTP/1.1\r\n" + HEAD + b"\r\n",
            get + b"Connection: close, Authorization\r\n\r\n",
            get + b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n" + inner,
            get + b"Expect: 100-continue\r\nContent-Length: " + n + b"\r\n\r\n" + inner,
        )
        for i, case in enumerate(cases):
            with self.connect() as s:
                s.sendall(case)
                with contextlib.suppress(OSError):
                    s.unwrap()  # no more comes
                    while s.recv(65536):
                        pass
            for name in (f"probe-{i}-a", f"probe-{i}-b"):
                reply = self.ask("GET", f"/apspd/v1/graphs/{name}")
                self.assertStatus(reply, 404)
                self.assertIn(f"'{name}'", reply.json["detail"], case)
        self.assertStatus(self.ask("GET", "/apspd/v1/graphs/victim"), 200)
        self.assertFalse([line for line in self.d.log if "DELETE" in line], self.d.log)

    def test_curl_and_http2(self):
        """What nginx.md says to type, by HTTP/2."""
        run = subprocess.run(
            ["curl", "-sS", "--fail-with-body", "--http2", "--cacert",
             f"{self.site}/certificate", "--resolve", f"{HOST}:{self.port}:127.0.0.1", "-u",
             f"alice:{PASSWORDS['alice']}", "-w", "\n%{http_version}",
             f"https://{HOST}:{self.port}/apspd/v1/graphs"],
            capture_output=True, text=True, timeout=DEADLINE_S, check=True)
        body, version = run.stdout.rsplit("\n", 1)
        self.assertEqual((json.loads(body)["graphs"], version), ([], "2"))


if __name__ == "__main__":
    unittest.main()
