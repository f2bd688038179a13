"""The Python client and what lies between it and the daemon: tokens, proxies, lost
connections, tables that are not there yet, a daemon that starts again.

NumPy and pandas are Debian's, which tests/run.sh installs.
"""
import os
import pickle
import re
import socket
import ssl
import subprocess
import sys
import threading
import tarfile
import tracemalloc
import unittest
import unittest.mock

import numpy as np

from client_case import LARVA, RING, SOURCE, WORM, ClientCase, apspd
from faulty_servers import LOST_AND_NOT_FOUND, STRANGE, Cutter, Script
from harness import APSPD, Gate, until


class ClientsLink(ClientCase):
    def test_access(self):
        """Tokens by argument and environment, a prefix, a unix socket."""
        tokens = os.path.join(self.directory, "tokens")
        token = {scope: subprocess.run(
            [APSPD, "--tokens", tokens, "--new-token", scope], capture_output=True,
            text=True, check=True).stdout.strip() for scope in ("read", "admin")}
        where = os.path.join(self.directory, "socket")
        d = self.serve(listen=("127.0.0.1:0", f"unix:{where}"),
                       args=("--tokens", tokens, "--base-path", "/lab/paths"))
        url = f"http://{d.addresses[0]}/lab/paths/"
        c = apspd.connect(url, token["admin"])
        g = c.put(RING, "ring", transform="none")
        self.assertEqual(g.path("a", "d").distance, 7)
        reader = apspd.connect(f"unix:{where}", token["read"])
        self.assertEqual(reader.graph("ring").path("a", "d").distance, 7)
        with self.assertRaisesRegex(apspd.AccessDenied, "403"):
            reader.put(RING, "ring", transform="none")
        with self.assertRaisesRegex(apspd.AccessDenied, "401"):
            apspd.connect(url).graphs()
        # an upload that is refused by its head, while its bytes are being sent
        with self.assertRaisesRegex(apspd.AccessDenied, "401"):
            apspd.connect(url, "apspd_" + "x" * 43).put(bytes(30_000_000), "big")
        said = subprocess.run(
            [sys.executable, "-c", "import apspd\n"
             "print(apspd.graph('ring').path('a', 'd').distance, apspd.graphs()[0].name)\n"
             "print(repr(apspd.graph('ring')), vars(apspd.graph('ring')))\n"
             "apspd.graph('none').stats()"],
            env={**os.environ, "PYTHONPATH": os.path.dirname(SOURCE), "APSPD_URL": url,
                 "APSPD_TOKEN": token["admin"] + "\n"}, capture_output=True, text=True)
        self.assertIn("7 ring", said.stdout)
        self.assertIn("NotFound", said.stderr)
        self.assertNotIn(token["admin"], said.stdout + said.stderr)
        with self.assertRaises(ValueError) as refused:
            apspd.connect(url, token["admin"] + "\r\nX: y")
        self.assertNotIn(token["admin"], str(refused.exception))
        g.delete()

    def gated(self):
        """A daemon whose jobs wait at a gate."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        return gate, self.serve(solver=gate.path)

    def test_tables_meanwhile(self):
        """A question about tables that are being computed waits, longer than patience,
        which is for daemons."""
        gate, d = self.gated()
        self.connect(d).put(RING, "ring", transform="none", wait=False)
        gate.wait_held(1)
        with self.assertRaises(apspd.NotReady):
            self.connect(d, patience=0).graph("ring").path("a", "d")
        found, waits = [], threading.Event()
        short = self.connect(d, patience=0.5)
        wait = short.wait
        short.wait = lambda *args, **more: (waits.set(), wait(*args, **more))[1]
        asker = threading.Thread(
            target=lambda: found.append(short.graph("ring").path("a", "d").distance))
        asker.start()
        until("the question to wait", lambda: waits.is_set() or not asker.is_alive())
        gate.open()
        asker.join(60)
        self.assertEqual(found, [7])

    def uploader(self, c, seen, failed):
        """A thread that uploads WORM; seen gets (phase, share), failed its error."""
        def upload():
            try:
                c.put(WORM, "worm", transform="hops",
                      progress=lambda phase, share, left: seen.append((phase, share)))
            except apspd.Error as error:
                failed.append(error)
        thread = threading.Thread(target=upload)
        thread.start()
        return thread

    def test_cancelled_job(self):
        """The upload that waits for it ends with an error that has the job."""
        gate, d = self.gated()
        c = self.connect(d)
        asked, seen, failed = [], [], []
        send = c._link.send
        c._link.send = lambda *request: (asked.append(request[1]), send(*request))[1]
        uploader = self.uploader(c, seen, failed)
        gate.wait_held(1)
        job = until("the job", lambda: c.jobs(state="running"))[0]
        until("the bar's question", lambda: f"/v1/jobs/{job.id}?wait=5&progress=1" in asked)
        c.cancel(job.id)
        uploader.join(60)
        self.assertIsInstance(failed[0], apspd.JobCancelled)
        self.assertEqual(failed[0].job.id, job.id)
        self.assertEqual(pickle.loads(pickle.dumps(failed[0])).job, failed[0].job)
        self.assertEqual(seen[0][0], "upload")
        sent = [share for phase, share in seen if phase == "upload"]
        self.assertEqual((sorted(sent), sent[-1]), (sent, 1))
        self.assertNotEqual(seen[-1][0], "upload")

    def test_daemon_starts_again(self):
        """It ends under the upload's wait, and starts again at its address."""
        gate, d = self.gated()
        c = self.connect(d)
        failed = []
        c.info()
        d.command[d.command.index("--listen") + 1] = d.addresses[0]
        uploader = self.uploader(c, [], failed)
        gate.wait_held(1)
        d.kill()
        d.start()
        gate.wait_held(2)
        gate.open()
        uploader.join(60)
        self.assertFalse(uploader.is_alive())
        self.assertEqual(failed, [])
        # this thread's kept connection was to the daemon before
        self.assertEqual(c.graph("worm").record().profiles[0].state, "ready")

    def test_broken_downloads(self):
        """Answers that break off are gone on with, in bounded memory."""
        d = self.serve()
        self.connect(d).put(LARVA, "larva", transform="inv")
        want = d.ask("GET", "/v1/graphs/larva/matrices/distance").body
        cutter = Cutter(d.addresses[0], [10_000_000, 5_000_000])
        self.addCleanup(cutter.close)
        g = apspd.connect(cutter.url).graph("larva")
        out = os.path.join(self.directory, "larva.npy")
        shares = []
        tracemalloc.start()
        g.download("distance", out, progress=lambda phase, share, left: shares.append(share))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        with open(out, "rb") as file:
            self.assertEqual(file.read(), want)
        asked = b"".join(cutter.requests)
        self.assertEqual(len(re.findall(rb"Range: bytes=[1-9]\d*-\r\n", asked)), 2)
        self.assertLess(peak, 4_000_000)  # of 36 MB
        self.assertEqual((shares[-1], sorted(shares)), (1, shares))
        self.assertEqual([name for name in os.listdir(self.directory) if "part" in name], [])

        cutter = Cutter(d.addresses[0], [20_000_000])
        self.addCleanup(cutter.close)
        larva = apspd.connect(cutter.url).graph("larva")
        self.assertEqual(larva.table(["29"], ["37365"]).iat[0, 0], np.inf)
        self.assertNotIn(b"/vertices", b"".join(cutter.requests))  # it needs no labels
        values, labels = larva.matrix("distance")
        self.assertEqual(values.tobytes(), want[128:])
        cutter = Cutter(d.addresses[0], [3000, 3000, 3000])
        self.addCleanup(cutter.close)
        with self.assertRaisesRegex(apspd.Unreachable, "broke off"):
            apspd.connect(cutter.url).graph("larva").vertices
        with self.assertRaises(apspd.NotFound):
            self.connect(d).graph("none").download("arcs", out)
        with open(out, "rb") as file:
            self.assertEqual(len(file.read()), len(want))  # the older file stays
        self.assertEqual([name for name in os.listdir(self.directory) if "part" in name], [])
        whole = d.ask("GET", "/v1/graphs/larva/bundle").body
        cutter = Cutter(d.addresses[0], [10_000_000, 5_000_000])
        self.addCleanup(cutter.close)
        apspd.connect(cutter.url).graph("larva").save(out)
        with open(out, "rb") as file:
            self.assertEqual(file.read(), whole)
        self.assertEqual(len(re.findall(rb"Range: bytes=[1-9]", b"".join(cutter.requests))), 2)
        g.save(out, profile="default", tables=False)
        with tarfile.open(out) as archive:
            self.assertEqual(archive.getnames(), ["bundle.json", "labels", "arcs"])
        c, want = self.connect(d), g.path("29", "37365")
        for more in ({"tables": False}, {}):
            g.save(out, **more)
            self.assertEqual(c.load(out).name, "larva")
            loaded = c.load(out, "loaded", only_if=None)
            self.assertEqual(loaded.path("29", "37365"), {**want, "revision": loaded.revision})
            self.assertEqual(d.ask("GET", "/v1/graphs/loaded/matrices/distance").body,
                             d.ask("GET", "/v1/graphs/larva/matrices/distance").body)
            c.graph("loaded").delete()
        loaded = c.load(out, "loaded", prove="seed")
        # larva has the same tables, which stay
        self.assertEqual([one.prove for one in loaded.receipt.tables], [None])
        self.assertIn("no proof ran", loaded.receipt.tables[0].kept)
        self.assertEqual(loaded.path("29", "37365"), {**want, "revision": loaded.revision})
        loaded.delete()
        for path in (LARVA, SOURCE):
            with self.assertRaisesRegex(ValueError, "no bundle"):
                c.load(path)
        with self.assertRaises(apspd.NotFound):
            g.save(out, profile="none")
        g.download("arcs", out, format="mtx")
        with open(out, "rb") as file:
            self.assertTrue(file.read().startswith(b"%%MatrixMarket"))

    def test_lost_answers(self):
        """What is sent again after its answer was lost may find its own work done."""
        d = self.serve()
        cutter = Cutter(d.addresses[0], [None, 0, None, None, 0, None, 0])
        self.addCleanup(cutter.close)
        c = apspd.connect(cutter.url)
        c.info()
        with self.assertRaisesRegex(apspd.Conflict, "answer to an earlier try was lost"):
            c.put(RING, "ring", transform="none", only_if="new")
        g = c.graph("ring")
        g.put_profile("hops", transform="hops")
        g.delete_profile("hops")
        self.assertEqual([one.name for one in g.record().profiles], ["default"])
        g.delete()
        self.assertEqual(c.graphs(), [])
        self.assertEqual(len(re.findall(rb"DELETE /", b"".join(cutter.requests))), 4)
        with self.assertRaises(apspd.NotFound) as refused:
            g.delete()
        self.assertNotIn("lost", str(refused.exception))
        with self.assertRaises(apspd.NotFound):  # though an idle connection has ended
            c._link.open()[0].sock.shutdown(socket.SHUT_RDWR)
            g.delete()

    def test_lost_answers_and_other_refusals(self):
        """Only an unknown graph or profile says that a DELETE has done its work before."""
        cutter = Cutter(self.serve().addresses[0], [None, 0])
        self.addCleanup(cutter.close)
        proxy = Script(*LOST_AND_NOT_FOUND)
        self.addCleanup(proxy.close)
        c = apspd.connect(cutter.url)
        c.info()
        with self.assertRaises(apspd.NotFound) as refused:
            c.cancel("999")
        self.assertEqual(refused.exception.type, "unknown-job")
        self.assertEqual(len(re.findall(rb"DELETE /", b"".join(cutter.requests))), 2)
        c = apspd.connect(proxy.url)
        c.info()
        with self.assertRaisesRegex(apspd.NotFound, "no such site"):
            c.graph("ring").delete()

    def test_strange_servers(self):
        """A proxy without its daemon is waited for; redirects and other programs are told."""
        server = Script(*STRANGE)
        self.addCleanup(server.close)
        url = server.url
        c = apspd.connect(url)
        self.assertEqual(c.info(), {})
        self.assertEqual(c.info().a, 1)
        with self.assertRaisesRegex(apspd.BadRequest, "redirects to https://lab.example/"):
            c.info()
        with self.assertRaisesRegex(apspd.Unreachable, "no apspd"):
            c.info()
        with self.assertRaisesRegex(apspd.ServerFailed, "bad gateway"):
            apspd.connect(url).info()  # which has never met a daemon there

    def test_https(self):
        """By a proxy of another name for the daemon; a certificate that nobody trusts."""
        key, certificate = (os.path.join(self.directory, name) for name in ("key", "crt"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        d = self.serve(args=("--base-path", "/lab"))
        proxy = Cutter(d.addresses[0], [], context)
        self.addCleanup(proxy.close)
        self.connect(d).put(RING, "ring", transform="none")
        for trusted, words in ((certificate, "7"), ("/dev/null", "CERTIFICATE_VERIFY_FAILED")):
            run = subprocess.run(
                [sys.executable, "-c",
                 "import apspd; print(apspd.graph('ring').path('a', 'd').distance)"],
                env={**os.environ, "PYTHONPATH": os.path.dirname(SOURCE), "SSL_CERT_FILE": trusted,
                     "APSPD_URL": proxy.url.replace("http://127.0.0.1", "https://localhost")
                     + "/lab"}, capture_output=True, text=True)
            self.assertIn(words, run.stdout + run.stderr)

    def test_threads(self):
        c = self.connect(self.serve())
        g = c.put(RING, "ring", transform="none")
        found, drops = [], []
        drop = c._link.drop
        c._link.drop = lambda: (drops.append(True), drop())

        def ask():
            for _ in range(50):
                found.append(g.path("a", "d").distance + g.path("b", "a").distance)
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(found, [21] * 400)
        self.assertEqual(drops, [])  # each thread kept a connection of its own

    def test_refused_early(self):
        """A server that answers and closes before it has read the upload is understood."""
        body = '{"type":"/problems/too-large","title":"Too large","detail":"at most 1 byte"}'
        server = Script("413 Too large\r\nConnection: close\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}")
        self.addCleanup(server.close)
        c = apspd.connect(server.url, patience=0)
        with self.assertRaisesRegex(apspd.TooLarge, "at most 1 byte"):
            c.put(bytes(100_000_000), "big", transform="none")

    def test_replaced_meanwhile(self):
        """Labels and cells of one answer are of one upload."""
        c = self.connect(self.serve())
        c.put([("a", "b", 1)], "g", transform="none")
        g = c.graph("g")
        whole, asked = apspd.Graph._array, []

        def replaced_first(*args):
            array = whole(*args)
            if not asked:
                c.put([("x", "y", 1), ("y", "z", 1)], "g", transform="none")
            asked.append(array.shape)
            return array
        with unittest.mock.patch.object(apspd.Graph, "_array", replaced_first):
            values, labels = g.matrix("distance")
        self.assertEqual((labels, values.shape, asked),
                         (["x", "y", "z"], (3, 3), [(2, 2), (3, 3)]))


if __name__ == "__main__":
    unittest.main()
