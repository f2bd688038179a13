"""The R client, as the daemon serves it, against the daemon: clients.R has what it must
answer. R is Debian's, which tests/run.sh installs."""
import os
import subprocess
import unittest

import slow_profile
from faulty_servers import LOST_AND_NOT_FOUND, STRANGE, Cutter, Script
from harness import APSPD, Case, DATA, Gate, SOURCE_ROOT, until

SOURCE = os.path.join(SOURCE_ROOT, "api", "clients", "apspd.R")
CHECKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients.R")


class ClientsR(Case):
    def serve(self, **more):
        d = self.daemon(**more).start()
        self.addCleanup(lambda: d.process and d.stop())
        return d

    def start(self, d, what, *args, **env):
        client = os.path.join(self.directory, "apspd.R")
        subprocess.run(["curl", "-sS", "-o", client, f"http://{d.addresses[0]}/apspd.R"],
                       check=True)
        with open(client, "rb") as got, open(SOURCE, "rb") as source:
            self.assertEqual(got.read(), source.read().replace(
                b"localhost:8080", d.addresses[0].encode()))
        run = subprocess.Popen(
            ["Rscript", "--vanilla", CHECKS, client, DATA, what, *args], text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "APSPD_URL": "",
                 "MALLOC_PERTURB_": "0", **env},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def finish(self, run):
        said = run.communicate(timeout=300 + 10 * slow_profile.ROUNDS)[0]
        self.assertEqual(run.returncode, 0, said)
        self.assertTrue(said.endswith("done\n"), said)
        return said

    def test_uploads(self):
        self.finish(self.start(self.serve(), "uploads"))

    def test_answers(self):
        self.finish(self.start(self.serve(), "answers"))

    def test_left_out(self):
        self.finish(self.start(self.serve(), "left_out"))

    def test_empty_answers(self):
        self.finish(self.start(self.serve(), "empty_answers"))

    def test_texts(self):
        self.finish(self.start(self.serve(), "texts"))

    def test_path_lists(self):
        self.finish(self.start(self.serve(), "path_lists"))

    def test_widths(self):
        self.finish(self.start(self.serve(), "widths"))

    def test_at_once(self):
        self.finish(self.start(slow_profile.serve(self), "at_once", str(slow_profile.ROUNDS)))

    def test_insists(self):
        self.finish(self.start(self.serve(), "insists"))

    def test_problems(self):
        self.finish(self.start(self.serve(), "problems"))

    def test_strange_servers(self):
        d = self.serve()
        server = Script(*STRANGE)
        self.addCleanup(server.close)
        self.finish(self.start(d, "strange", APSPD_URL=server.url))

    def test_lost_answers(self):
        d = self.serve()
        cutter = Cutter(d.addresses[0], [None, 0, None, None, 0])
        self.addCleanup(cutter.close)
        proxy = Script(*LOST_AND_NOT_FOUND)
        self.addCleanup(proxy.close)
        self.finish(self.start(d, "lost", cutter.url, proxy.url))
        asked = b"".join(cutter.requests)
        self.assertEqual((asked.count(b"DELETE /"), asked.count(b"/vertices")), (5, 0))

    def test_access(self):
        tokens = os.path.join(self.directory, "tokens")
        token = {scope: subprocess.run(
            [APSPD, "--tokens", tokens, "--new-token", scope], capture_output=True,
            text=True, check=True).stdout.strip() for scope in ("read", "write")}
        where = f"unix:{self.directory}/socket"
        d = self.serve(listen=("127.0.0.1:0", where),
                       args=("--tokens", tokens, "--base-path", "/lab/paths"))
        said = self.finish(self.start(
            d, "access", where, token["read"], APSPD_TOKEN=token["write"],
            APSPD_URL=f"http://{d.addresses[0]}/lab/paths/"))
        for one in token.values():
            self.assertNotIn(one, said)

    def test_waits(self):
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        d = self.serve(solver=gate.path)
        relay = Cutter(d.addresses[0], [])
        self.addCleanup(relay.close)
        run = self.start(d, "waits", APSPD_URL=relay.url)
        gate.wait_held(1)
        self.assertEqual(run.stdout.readline(), "asking\n")
        gate.open()
        self.assertEqual(run.stdout.readline(), "uploading\n")
        gate.wait_held(2)
        job = until("the job", lambda: [job for job in d.jobs() if job["state"] == "running"])[0]
        until("the bar's question", lambda: f"/v1/jobs/{job['id']}?wait=5&progress=1 ".encode()
              in b"".join(relay.requests))
        self.assertStatus(d.ask("DELETE", f"/v1/jobs/{job['id']}"), 202)
        self.assertRegex(run.stdout.readline(), "^upload .*cancelled")
        self.assertEqual(run.stdout.readline(), "uploading again\n")
        gate.wait_held(3)
        # it ends under the upload's wait, and starts again at its address
        d.command[d.command.index("--listen") + 1] = d.addresses[0]
        d.kill()
        d.start()
        gate.wait_held(4)
        gate.open()
        self.finish(run)


if __name__ == "__main__":
    unittest.main()
