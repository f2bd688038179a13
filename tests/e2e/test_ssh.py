"""The lines of systemd/nginx.md for ssh, by Debian's ssh and sshd, between clients and
apspd. tests/run.sh unpacks sshd, which runs here as a user without rights.
"""
import grp
import os
import pwd
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import unittest

from harness import DEADLINE_S, SOURCE_ROOT, Case, Client, data, held_port, until
from nginx_site import PROGRAMS, answers, program

PAGE = os.path.join(SOURCE_ROOT, "systemd", "nginx.md")
NOBODY = pwd.getpwnam("nobody")


def documented(what):
    """The command of the page that has that, as words."""
    with open(PAGE, encoding="utf-8") as file:
        found = re.findall(rf"\bssh -N -L \S*{re.escape(what)}\S* lab\.example", file.read())
    assert len(found) == 1, f"{what}: {found}"
    return shlex.split(found[0])


class Ssh(Case):
    def setUp(self):
        super().setUp()
        # what sshd's user must reach; the test's own directory is closed to it
        self.place = tempfile.mkdtemp(prefix="apspd-ssh-")
        self.addCleanup(shutil.rmtree, self.place)
        os.chmod(self.place, 0o755)
        self.user = NOBODY if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self.d = self.daemon(
            listen=("127.0.0.1:0", f"unix:{self.place}/http.sock"),
            args=("--socket-group", grp.getgrgid(self.user.pw_gid).gr_name)).start()
        self.addCleanup(lambda: self.d.process and self.d.stop())
        self.d.put("celegans", data("celegans_newman.csv"), "?transform=inv")
        self.start_sshd()

    def start_sshd(self):
        """By Debian's PAM, else sshd takes an account for locked whose
        password it may not read."""
        port = held_port(self)
        for name in ("host", "mine"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                            f"{self.place}/{name}"], check=True)
        if os.geteuid() == 0:
            os.chown(f"{self.place}/host", self.user.pw_uid, self.user.pw_gid)
        self.write("sshd_config", f"""
ListenAddress 127.0.0.1:{port}
HostKey {self.place}/host
AuthorizedKeysFile {self.place}/mine.pub
PasswordAuthentication no
StrictModes no
UsePAM yes
PidFile none
""")
        with open(f"{self.place}/host.pub", encoding="ascii") as key:
            self.write("known_hosts", f"[127.0.0.1]:{port} {key.read()}")
        self.write("ssh_config", f"""
Host lab.example
    HostName 127.0.0.1
    Port {port}
    User {self.user.pw_name}
    IdentityFile {self.place}/mine
    IdentitiesOnly yes
    UserKnownHostsFile {self.place}/known_hosts
    StrictHostKeyChecking yes
    ExitOnForwardFailure yes
""")
        shutil.copy(program("sshd"), f"{self.place}/sshd")  # a clone may be closed to its user
        for folder, _, files in os.walk(PROGRAMS):
            for name in files:
                if name.startswith("libwrap.so"):
                    shutil.copy(os.path.join(folder, name), self.place)
        user = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} \
            if os.geteuid() == 0 else {}
        self.sshd = self.run_beside(
            [f"{self.place}/sshd", "-D", "-e", "-f", f"{self.place}/sshd_config"],
            env={**os.environ, "LD_LIBRARY_PATH": self.place}, **user)
        until("sshd to listen", lambda: self.sshd.poll() is not None or answers(port))
        self.assertRuns(self.sshd)

    def write(self, name, text):
        with open(os.path.join(self.place, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_beside(self, command, **more):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **more)

        def stop():
            process.terminate()
            process.communicate(timeout=DEADLINE_S)
        self.addCleanup(stop)
        return process

    def assertRuns(self, process):
        if process.poll() is not None:
            self.fail(process.stderr.read())

    def forward(self, what, there):
        """Run the page's command to this daemon; the address on this side."""
        port = held_port(self)
        words = [word.replace(f"8080:{what}", f"127.0.0.1:{port}:{there}")
                 for word in documented(what)]
        self.assertIn(f"127.0.0.1:{port}:{there}", words)
        ssh = self.run_beside([words[0], "-F", f"{self.place}/ssh_config", *words[1:]])
        until("ssh to listen", lambda: ssh.poll() is not None or answers(port))
        self.assertRuns(ssh)
        return f"127.0.0.1:{port}"

    def judge(self, address):
        """Answers and the guard are those of a client on that machine."""
        client = Client(address)
        self.addCleanup(client.close)
        target = "/v1/graphs/celegans/path?from=125&to=20"
        port = address.rsplit(":", 1)[1]
        reply = client.ask("GET", target, headers={"Host": f"localhost:{port}"})
        self.assertStatus(reply, 200)
        self.assertEqual(reply.json, self.d.ask("GET", target).json)
        for headers, status in (({"Host": "lab.example"}, 421),
                                ({"Origin": "http://elsewhere.example"}, 403),
                                ({"Origin": f"http://localhost:{port}",
                                  "Host": f"localhost:{port}"}, 200)):
            self.assertStatus(client.ask("GET", target, headers=headers), status)

    def test_port(self):
        self.judge(self.forward("127.0.0.1:8080", self.d.addresses[0]))

    def test_socket(self):
        self.judge(self.forward("/run/apspd/http.sock", f"{self.place}/http.sock"))


if __name__ == "__main__":
    unittest.main()
