"""Who may do what: tokens, hosts, origins, methods and scopes, each wrong and right.

One daemon with tokens answers a table of requests whose statuses follow from the
rules of README, which stand here once more and apart from the daemon's code.
"""
import datetime
import grp
import itertools
import os
import pty
import re
import resource
import signal
import socket
import stat
import subprocess
import time
import unittest
import urllib.parse

from harness import APSPD, Case, until

ORIGIN = "http://dashboard:3000"
NAME = "lab.example"
SCOPES = ["anybody", "read", "write", "admin"]

# What a request needs, and its status if it may.
REQUESTS = [
    ("anybody", "GET", "/healthz", None, 200),
    ("read", "GET", "/v1/graphs", None, 200),
    ("read", "GET", "/v1/graphs/tri", None, 200),
    ("read", "POST", "/v1/graphs/tri/paths", b'{"pairs":[["a","c"]]}', 200),
    ("write", "PUT", "/v1/graphs/tri", b"a,b,1\nb,c,1\n", 200),
    ("write", "DELETE", "/v1/jobs/999", None, 404),
    ("admin", "DELETE", "/v1/graphs/other", None, 404),
]
HOSTS = {"own": True, "192.0.2.7": True, "[2001:db8::1]:8080": True, NAME: True,
         "evil.example": False, f"{NAME}.evil.example": False}
ORIGINS = {None: True, ORIGIN: True, "own": True, "null": False,
           "http://evil.example": False, ORIGIN + "0": False}


def new_token(path, what):
    made = subprocess.run([APSPD, "--tokens", path, "--new-token", what],
                          capture_output=True, text=True, check=True)
    return made.stdout.strip()


class Access(Case):
    def setUp(self):
        super().setUp()
        self.tokens = os.path.join(self.directory, "tokens")
        self.token = {scope: new_token(self.tokens, f"{scope}:a {scope} token")
                      for scope in SCOPES[1:]}

    def serve(self, *args, **more):
        d = self.daemon(args=("--tokens", self.tokens, *args), **more).start()
        self.addCleanup(lambda: d.process and d.stop())
        return d

    def bearer(self, scope):
        return {"Authorization": "Bearer " + self.token[scope]}

    def test_table(self):
        d = self.serve("--allowed-origin", ORIGIN, "--allowed-host", NAME)
        put = d.ask("PUT", "/v1/graphs/tri?transform=none", b"a,b,1\nb,c,1\n",
                    self.bearer("write"))
        self.assertStatus(put, 202)
        until("the tables", lambda: d.ask(
            "GET", put.headers["Location"] + "?wait=2", None,
            self.bearer("read")).json["state"] == "succeeded")
        address = d.addresses[0]
        credentials = {
            None: ("anybody", {}),
            "unknown": ("anybody", {"Authorization": "Bearer apspd_" + "x" * 43}),
            "basic": ("anybody", {"Authorization": "Basic dTpw"}),
            **{scope: (scope, self.bearer(scope)) for scope in SCOPES[1:]},
        }
        n = 0
        for (need, method, path, body, status), host, origin, who in itertools.product(
                REQUESTS, HOSTS, ORIGINS, credentials):
            # each wrong host and origin once more is enough
            if not HOSTS[host] and not ORIGINS[origin]:
                continue
            has, headers = credentials[who]
            headers = dict(headers, Host=address if host == "own" else host)
            if origin:
                headers["Origin"] = (f"http://{headers['Host']}" if origin == "own"
                                     else origin)
            if not HOSTS[host]:
                want = 421
            elif not ORIGINS[origin]:
                want = 403
            elif SCOPES.index(has) >= SCOPES.index(need):
                want = status
            else:
                want = 401 if has == "anybody" else 403
            reply = d.ask(method, path, body, headers)
            case = (method, path, host, origin, who)
            self.assertEqual(reply.status, want, (case, reply))
            self.assertEqual(reply.headers["WWW-Authenticate"],
                             'Bearer realm="apspd"' if want == 401 else None, case)
            self.assertEqual(reply.headers["Access-Control-Allow-Origin"],
                             ORIGIN if origin == ORIGIN and HOSTS[host] else None, case)
            self.assertIn("Origin", reply.headers["Vary"], case)
            self.assertIsNone(reply.headers["Access-Control-Allow-Credentials"], case)
            n += 1
        self.assertGreaterEqual(n, 200)

    def test_token_stays_unseen(self):
        """Not in the log at its most talkative, not in a process's arguments."""
        d = self.serve("--log-level", "debug")
        for scope in SCOPES[1:]:
            self.assertStatus(d.ask("GET", "/v1/graphs", None, self.bearer(scope)), 200)
            self.assertStatus(d.ask("DELETE", "/v1/graphs/none", None,
                                    self.bearer(scope)), 404 if scope == "admin" else 403)
        d.stop()
        with open(self.tokens, encoding="ascii") as file:
            text = "\n".join(d.log) + file.read()
        for token in self.token.values():
            self.assertNotIn(token, text)

    def test_body_of_a_stranger_is_not_read(self):
        """An upload without a token is refused by its head alone."""
        d = self.serve()
        with d.raw() as s:
            s.sendall(b"PUT /v1/graphs/g HTTP/1.1\r\nHost: localhost\r\n"
                      b"Content-Length: 1000000000\r\n\r\n")
            self.assertTrue(s.recv(4096).startswith(b"HTTP/1.1 401 "))

    def test_preflight(self):
        d = self.serve("--allowed-origin", ORIGIN)
        asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "PUT",
                 "Access-Control-Request-Headers": "authorization"}
        reply = self.assertStatus(d.ask("OPTIONS", "/v1/graphs/g", None, asked), 204)
        self.assertIn("PUT", reply.headers["Access-Control-Allow-Methods"])
        self.assertIn("Authorization", reply.headers["Access-Control-Allow-Headers"])
        self.assertEqual(reply.headers["Access-Control-Allow-Origin"], ORIGIN)
        self.assertStatus(d.ask("OPTIONS", "/v1/nothing", None, asked), 404)
        self.assertStatus(d.ask("OPTIONS", "/v1/graphs/g", None,
                                {**asked, "Origin": "http://evil.example"}), 403)
        self.assertStatus(d.ask("OPTIONS", "/v1/graphs/g", None, {}), 405)

    def test_headers_for_pages(self):
        """Pages of an allowed origin may send and read what the contract names."""
        d = self.serve("--allowed-origin", ORIGIN)
        reply = d.ask("GET", "/v1/openapi.json", None, {"Origin": ORIGIN})
        exposed = set(reply.headers["Access-Control-Expose-Headers"].split(", "))
        named = set()

        def gather(value):
            if isinstance(value, list):
                value = dict(enumerate(value))
            if not isinstance(value, dict):
                return
            for answer in value.get("responses", {}).values():
                named.update(answer.get("headers", ()))
            for part in value.values():
                gather(part)
        gather(reply.json)
        self.assertIn("Apsp-Scale", named)
        self.assertEqual(named - exposed, {"Content-Security-Policy"})
        reply = d.ask("OPTIONS", "/v1/graphs/g", None, {
            "Origin": ORIGIN, "Access-Control-Request-Method": "PUT"})
        allowed = reply.headers["Access-Control-Allow-Headers"].split(", ")
        for name in ("Authorization", "Content-Type", "Content-Encoding", "If-Match",
                     "If-None-Match", "If-Range", "Range"):
            self.assertIn(name, allowed)

    def test_base_path(self):
        d = self.serve("--base-path", "/lab/paths")
        head = self.bearer("write")
        put = d.ask("PUT", "/lab/paths/v1/graphs/g?transform=none", b"a,b,1\n", head)
        self.assertTrue(put.headers["Location"].startswith("/lab/paths/v1/jobs/"), put)
        job = d.ask("GET", put.headers["Location"] + "?wait=2", None, head)
        self.assertStatus(job, 200)
        for path, status in (("/v1/graphs/g", 200), ("/lab/paths/v1/graphs/g", 200),
                             ("/lab/pathsv1/graphs/g", 404), ("/lab/v1/graphs/g", 404),
                             ("/lab/paths/lab/paths/v1/graphs/g", 404)):
            self.assertStatus(d.ask("GET", path, None, head), status)

    def test_base_path_without_a_slash(self):
        """Relative links of the page need the slash behind the base path."""
        d = self.serve("--base-path", "/lab/paths")
        for path, location in (("/lab/paths", "./paths/"),
                               ("/lab/paths?format=html", "./paths/?format=html")):
            for accept in ("text/html", "*/*"):
                reply = self.assertStatus(d.ask("GET", path, None, {"Accept": accept}), 308)
                self.assertEqual(reply.headers["Location"], location)
                self.assertEqual(urllib.parse.urljoin("http://h" + path, location),
                                 "http://h/lab/paths/" + path[len("/lab/paths"):])
        page = self.assertStatus(
            d.ask("GET", "/lab/paths/", None, {"Accept": "text/html"}), 200)
        link = re.search(rb'src="([^"]+)"', page.body).group(1).decode()
        self.assertStatus(d.ask("GET", urllib.parse.urljoin("/lab/paths/", link)), 200)
        self.assertStatus(d.ask("GET", "/", None, {"Accept": "text/html"}), 200)

    def test_group_of_a_socket(self):
        path = os.path.join(self.directory, "socket")
        group = os.getgid()
        self.serve("--socket-group", grp.getgrgid(group).gr_name, listen=(f"unix:{path}",))
        made = os.stat(path)
        self.assertEqual((made.st_gid, stat.S_IMODE(made.st_mode)), (group, 0o660))

    def may(self, d, token):
        return d.ask("GET", "/v1/graphs", None,
                     {"Authorization": "Bearer " + token}).status == 200

    def test_tokens_are_read_again(self):
        """A token counts as soon as its line is there, and no longer than that."""
        d = self.serve()
        new = new_token(self.tokens, "read:late")
        until("the new token to count", lambda: self.may(d, new))
        self.assertTrue(self.may(d, self.token["read"]))

        # as an editor does: a new file in its place, without the new token's line
        with open(self.tokens, encoding="ascii") as file:
            lines = file.readlines()
        with open(self.tokens + "~", "w", encoding="ascii") as file:
            os.fchmod(file.fileno(), 0o600)
            file.writelines(lines[:-1])
        os.rename(self.tokens + "~", self.tokens)
        until("the new token to end", lambda: not self.may(d, new))
        self.assertTrue(self.may(d, self.token["read"]))

        # what is not whole changes nothing, and is said
        for bad, word in (("read\n", "line 4"), ("", "chmod 600")):
            with open(self.tokens, "a", encoding="ascii") as file:
                os.fchmod(file.fileno(), 0o600 if bad else 0o666)
                file.write(bad)
            until("the warning", lambda w=word: any(
                "the previous tokens remain valid" in line and w in line for line in d.log))
            self.assertTrue(self.may(d, self.token["read"]))
        os.chmod(self.tokens, 0o600)
        os.remove(self.tokens)
        until("the warning", lambda: any("There is no" in line for line in d.log))
        self.assertTrue(self.may(d, self.token["read"]))

    def unread_since(self, d):
        """Since when the file cannot be read, as /metrics has it; /readyz must agree."""
        def series():
            text = d.ask("GET", "/metrics", None, self.bearer("read")).body.decode()
            return [float(re.search(rf"^{name} (\S+)$", text, re.M)[1]) for name in (
                "apspd_troubles", "apspd_tokens_unread_since_timestamp_seconds")]
        before = series()
        ready = self.assertStatus(d.ask("GET", "/readyz", None, self.bearer("read")), 200)
        n, since = series()
        if [n, since] == before:  # else the file was read in between
            said = [t for t in ready.json["troubles"] if t.startswith("the file of tokens")]
            self.assertEqual(len(said), since > 0, (since, said))
            self.assertEqual(len(ready.json["troubles"]), n)
            if said:
                when = datetime.datetime.fromtimestamp(since, datetime.UTC)
                self.assertIn(when.isoformat(timespec="milliseconds")[:23] + "Z", said[0])
        return since

    def test_unreadable_file_is_told(self):
        """It ends no token, and /readyz and /metrics say since when."""
        d = self.serve()
        until("the devices", lambda: d.ask(
            "GET", "/readyz", None, self.bearer("read")).status == 200)
        self.assertEqual(self.unread_since(d), 0)
        with open(self.tokens, encoding="ascii") as file:
            good = file.read()
        for spoil in (lambda: os.chmod(self.tokens, 0o664), lambda: os.remove(self.tokens),
                      lambda: self.rewrite(good + "read\n")):
            began = time.time()
            spoil()
            since = until("the trouble", lambda: self.unread_since(d))
            self.assertTrue(began - 1 <= since <= time.time() + 1, (began, since))
            for scope in SCOPES[1:]:
                self.assertTrue(self.may(d, self.token[scope]))
            self.assertStatus(d.ask("GET", "/v1/graphs"), 401)
            self.rewrite(good)
            until("the end of the trouble", lambda: self.unread_since(d) == 0)

    def test_file_without_a_descriptor_is_tried_again(self):
        """A file that only could not be opened for a while ends its tokens all the same."""
        d = self.serve()
        until("the device to be found", lambda: d.ask(
            "GET", "/readyz", None, self.bearer("read")).status == 200)
        with open(self.tokens, encoding="ascii") as file:
            good = file.read()
        ended = new_token(self.tokens, "read:ended")
        until("the token to count", lambda: self.may(d, ended))
        limits = resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)
        # no file can be opened, but poll() still accepts as many as three descriptors
        resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
        self.rewrite(good)
        until("the warning", lambda: any("change refused tokens" in line for line in d.log))
        resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, limits)
        until("the token to end", lambda: not self.may(d, ended))
        self.assertEqual(self.unread_since(d), 0)

    def rewrite(self, text):
        with open(self.tokens, "w", encoding="ascii") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text)

    def test_file_without_tokens_ends_all(self):
        """But not one that is empty for a moment; and then nobody gets in."""
        d = self.serve()
        with open(self.tokens, encoding="ascii") as file:
            good = file.read()
        for _ in range(3):  # as an editor that closes it in between
            self.rewrite("")
            for _ in range(20):
                self.assertTrue(self.may(d, self.token["read"]))
                time.sleep(0.02)
            self.rewrite(good)
            time.sleep(0.3)
            self.assertTrue(self.may(d, self.token["read"]))
        for nothing in ("", "\n# nobody\n"):
            self.rewrite(nothing)
            until("all tokens to end", lambda: not any(
                self.may(d, self.token[scope]) for scope in SCOPES[1:]))
            for headers in ({}, {"Authorization": "Bearer "}, self.bearer("admin")):
                self.assertStatus(d.ask("GET", "/v1/graphs", None, headers), 401)
                self.assertStatus(d.ask("DELETE", "/v1/graphs/g", None, headers), 401)
            self.assertStatus(d.ask("GET", "/healthz"), 200)
            until("the line in the log", lambda: any(
                "after=0: nobody has access" in line for line in d.log))
            self.rewrite(good)
            until("a token to hold again", lambda: self.may(d, self.token["read"]))

    def test_last_line_deleted(self):
        with open(self.tokens, encoding="ascii") as file:
            first = file.readline()
        self.rewrite(first)
        d = self.serve()
        self.assertTrue(self.may(d, self.token["read"]))
        self.rewrite("")
        until("the last token to end", lambda: not self.may(d, self.token["read"]))

    def test_hangup_of_a_service_reads_again(self):
        """Without a terminal SIGHUP is a reload, which the service manager follows."""
        path = os.path.join(self.directory, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(path)
            notify.settimeout(60)
            d = self.daemon(args=("--tokens", self.tokens), manager=path,
                            preexec=os.setsid).start()
            self.addCleanup(lambda: d.process and d.stop())
            self.assertIn(b"READY=1", notify.recv(4096))
            for n in (1, 2):
                d.process.send_signal(signal.SIGHUP)
                self.assertRegex(notify.recv(4096), rb"^RELOADING=1\nMONOTONIC_USEC=\d+$")
                self.assertEqual(notify.recv(4096), b"READY=1")
                line = f'changed tokens file="{self.tokens}" before=3 after=3'
                until("the tokens' line",
                      lambda n=n, line=line: sum(line in x for x in d.log) == n)
            self.assertTrue(self.may(d, self.token["read"]))
        d.stop()

    def test_hangup_of_a_terminal_ends(self):
        """A daemon that was started in a terminal ends with it."""
        master, slave = pty.openpty()
        name = os.ttyname(slave)

        def take_terminal():
            os.setsid()
            os.close(os.open(name, os.O_RDWR))  # a leader's first is its own
        d = self.daemon(preexec=take_terminal).start()
        os.close(slave)
        os.close(master)
        d.process.wait(60)
        self.assertEqual(d.process.returncode, 0)
        self.assertTrue(any("apspd stops signal=HUP" in line for line in d.log), d.log)
        d.process = None

    def test_tokens_behind_a_link(self):
        """The link is turned to another directory, and then its target changes."""
        for name in ("a", "b"):
            os.mkdir(os.path.join(self.directory, name))
        os.rename(self.tokens, os.path.join(self.directory, "a", "tokens"))
        os.symlink("a/tokens", self.tokens)
        d = self.serve()
        new = new_token(os.path.join(self.directory, "a", "tokens"), "read")
        until("the new token to count", lambda: self.may(d, new))
        other = new_token(os.path.join(self.directory, "b", "tokens"), "read")
        os.symlink("b/tokens", self.tokens + "~")
        os.rename(self.tokens + "~", self.tokens)
        until("the other token to count", lambda: self.may(d, other))
        self.assertFalse(self.may(d, new))
        last = new_token(os.path.join(self.directory, "b", "tokens"), "read")
        until("the last token to count", lambda: self.may(d, last))

    def refused(self, *args):
        """The start ends with status 78, and what it said."""
        run = subprocess.run(
            [APSPD, "--state-dir", os.path.join(self.directory, "s"), "--cache-dir",
             os.path.join(self.directory, "c"), *args],
            capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 78, run.stderr)
        return run.stderr

    def test_refused_starts(self):
        self.assertIn("--new-token admin", self.refused("--listen", "0.0.0.0:0"))
        self.assertIn("--new-token", self.refused("--tokens", "/tmp/nowhere/tokens"))
        with open(self.tokens, "a", encoding="ascii") as file:
            file.write("read plaintext-by-mistake\n")
        said = self.refused("--tokens", self.tokens)
        self.assertIn("line 4", said)
        self.assertNotIn("plaintext-by-mistake", said)
        for path in ("lab", "/lab/", "/", "/a//b", "/../b", "/a?b"):
            self.assertIn("--base-path", self.refused("--base-path", path,
                                                      "--listen", "127.0.0.1:0"))
        for origin in ("dashboard:3000", "http://", "http://d/", "*", "http://*.example",
                       "http://:80", "http://d:99999"):
            self.assertIn("--allowed-origin", self.refused(
                "--allowed-origin", origin, "--listen", "127.0.0.1:0"))
        self.assertIn("no group", self.refused(
            "--socket-group", "no-such-group", "--listen",
            f"unix:{self.directory}/x"))

    def test_credential_of_the_service_manager(self):
        d = self.daemon(listen=("0.0.0.0:0",),
                        env={"CREDENTIALS_DIRECTORY": self.directory}).start()
        self.addCleanup(lambda: d.process and d.stop())
        port = d.addresses[0].rsplit(":", 1)[1]
        for headers, status in (({}, 401), (self.bearer("read"), 200)):
            d_reply = d.ask("GET", "/v1/graphs", None,
                            {**headers, "Host": f"192.0.2.1:{port}"})
            self.assertStatus(d_reply, status)


if __name__ == "__main__":
    unittest.main()
