"""systemd/nginx-apspd.conf in Debian's nginx, in front of an apspd with tokens, for
tests that ask through it. tests/run.sh unpacks nginx; its processes are the test's own.
"""
import contextlib
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile

from harness import APSPD, DEADLINE_S, SOURCE_ROOT, Case, held_port, until

PROGRAMS = os.environ.get("APSP_TEST_PROGRAMS") or os.path.join(
    SOURCE_ROOT, ".run", "programs")
CONF = os.path.join(SOURCE_ROOT, "systemd", "nginx-apspd.conf")
HOST = "lab.example"
PASSWORDS = {"alice": "secret", "bob": "hidden", "carol": "none"}


def program(name):
    """Debian's, as tests/run.sh unpacks it, or as it is installed."""
    found = shutil.which(name, path=":".join((
        os.path.join(PROGRAMS, "usr/sbin"), os.environ["PATH"], "/usr/sbin")))
    assert found, f"{name} is missing; tests/run.sh unpacks it"
    return found


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


class SiteCase(Case):
    """A test with https://lab.example:PORT/apspd/, where PASSWORDS are asked for."""

    @classmethod
    def setUpClass(cls):
        cls.site = tempfile.mkdtemp(prefix="apspd-site-")
        cls.addClassCleanup(shutil.rmtree, cls.site)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={HOST}",
             "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", f"{cls.site}/key",
             "-out", f"{cls.site}/certificate"], check=True, capture_output=True)
        with open(f"{cls.site}/users", "w", encoding="ascii") as users:
            for name, password in PASSWORDS.items():
                hashed = subprocess.run(["openssl", "passwd", "-apr1", password],
                                        check=True, capture_output=True, text=True)
                users.write(f"{name}:{hashed.stdout}")
        cls.token = {
            scope: subprocess.run(
                [APSPD, "--tokens", f"{cls.site}/digests", "--new-token", scope],
                check=True, capture_output=True, text=True).stdout.strip()
            for scope in ("read", "admin")}
        with open(f"{cls.site}/tokens", "w", encoding="ascii") as tokens:
            tokens.write(f'alice "Bearer {cls.token["admin"]}";\n'
                         f'bob "Bearer {cls.token["read"]}";\n')

    def setUp(self):
        super().setUp()
        self.port = held_port(self)
        self.d = self.daemon(
            listen=(f"unix:{self.directory}/http.sock",),
            args=("--tokens", f"{self.site}/digests", "--base-path", "/apspd",
                  "--allowed-host", HOST, "--access-log", "on")).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.start_nginx()
        self.tls = ssl.create_default_context(cafile=f"{self.site}/certificate")

    def start_nginx(self):
        """The site's file as it is, but for the names that a site must change."""
        with open(CONF, encoding="utf-8") as file:
            conf = file.read()
        for old, new, times in (
                ("/run/apspd/http.sock", f"{self.directory}/http.sock", 1),
                ("/etc/nginx/apspd-tokens", f"{self.site}/tokens", 1),
                ("/etc/nginx/apspd-users", f"{self.site}/users", 1),
                ("/etc/ssl/certs/lab.example.pem", f"{self.site}/certificate", 1),
                ("/etc/ssl/private/lab.example.key", f"{self.site}/key", 1),
                ("listen 443 ", f"listen 127.0.0.1:{self.port} ", 2)):
            self.assertEqual(conf.count(old), times, old)
            conf = conf.replace(old, new)
        user = f"user {pwd.getpwuid(0).pw_name};\n" if os.geteuid() == 0 else ""
        places = "".join(f"{kind}_temp_path {self.directory}/{kind};\n" for kind in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{self.directory}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(f"{user}worker_processes 1;\npid {self.directory}/pid;\n"
                       f"events {{}}\nhttp {{\naccess_log {self.directory}/access;\n"
                       f"{places}{conf}}}\n")
        self.nginx = subprocess.Popen(
            [program("nginx"), "-p", self.directory, "-c", f"{self.directory}/nginx.conf",
             "-e", f"{self.directory}/error", "-g", "daemon off;"], stderr=subprocess.PIPE)
        self.addCleanup(self.stop_nginx)
        until("nginx to listen", lambda: self.nginx.poll() is not None or answers(self.port))
        self.assertIsNone(self.nginx.poll(), self.nginx.stderr)

    def workers(self):
        """The processes of nginx that serve."""
        found = set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
                if int(file.read().rsplit(b")", 1)[1].split()[1]) == self.nginx.pid:
                    found.add(pid)
        return found

    def stop_nginx(self):
        self.nginx.terminate()
        self.nginx.communicate(timeout=DEADLINE_S)
