"""Jobs that are cancelled, killed, interrupted: each ends in a clear state and the
daemon goes on. A gate in front of the solver (harness.Gate) holds a job where it
is surely running."""
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import time
import unittest
from datetime import datetime

from harness import DEADLINE_S, SOLVER, Case, Gate, is_gone, until

CHAIN = b"a,b,1\nb,c,1\n"


class Jobs(Case):
    def setUp(self):
        super().setUp()
        self.gate = Gate(self.directory)
        self.addCleanup(self.gate.close)

    def held_job(self, d, graph="g", count=1):
        """Upload and wait until its solver is held at the gate: (job, pid)."""
        reply = self.assertStatus(d.upload(graph, CHAIN), 202)
        pid = self.gate.wait_held(count)
        self.assertEqual(d.wait(reply.json["job"], "running")["state"], "running")
        return reply.json["job"], pid

    def test_runs_through_the_gate(self):
        with self.daemon(solver=self.gate.path) as d:
            job, _ = self.held_job(d)
            reply = self.assertStatus(d.path("g", "a", "c"), 503)
            self.assertIn("Retry-After", reply.headers)
            self.gate.open()
            self.assertEqual(d.wait(job)["state"], "succeeded")
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)

    def assertStages(self, jobs, names):
        """The stages are these, and add up to the time that the job took.

        Of the first of a few jobs for which they do: a stage that is left out is
        missing from all, but one job may have waited for a processor between its
        last stage and its end.
        """
        missing = []
        for job in jobs:
            stages = job["stages"]
            self.assertEqual(list(stages), names)
            took = (datetime.fromisoformat(job["ended_at"]) -
                    datetime.fromisoformat(job["queued_at"])).total_seconds()
            missing.append(took - (sum(stages.values()) - stages["store"]))
            # queued_at and ended_at are whole milliseconds, and the clock that
            # stages are measured by may run a little faster or slower
            slack = 0.01 + took / 100
            self.assertGreaterEqual(missing[-1], -slack)
            if missing[-1] <= slack:
                return
        self.fail(f"seconds in no stage, job by job: {missing}")

    def test_stages(self):
        """One timeline from the upload's last byte to tables that answer."""
        with self.daemon() as d:
            def jobs(body, state):
                for i in range(20):
                    begin = time.monotonic()
                    job = d.wait(d.upload(f"{state}{i}", body).json["job"])
                    self.assertLess(sum(job["stages"].values()), time.monotonic() - begin)
                    self.assertEqual(job["state"], state)
                    yield job
            self.assertStages(jobs(CHAIN, "succeeded"), [
                "store", "queued", "graph_file", "open", "read", "lengths", "closure",
                "self_test", "upload", "distance", "predecessor", "download", "write", "seal", "publish"])
            self.assertStages(jobs(b"a,b,-1\nb,a,-1\n", "failed"), [
                "store", "queued", "graph_file", "open", "read", "lengths"])

    def test_same_upload_while_it_runs(self):
        with self.daemon(solver=self.gate.path) as d:
            job, _ = self.held_job(d)
            reply = self.assertStatus(d.upload("g", CHAIN), 202)
            self.assertEqual(reply.json["job"], job)
            self.gate.open()
            d.wait(job)

    def test_cancel_running(self):
        with self.daemon(solver=self.gate.path) as d:
            job, pid = self.held_job(d)
            self.assertIn(d.ask("DELETE", f"/v1/jobs/{job}").status, (200, 202, 204))
            self.assertEqual(d.wait(job)["state"], "cancelled")
            until("the solver to end", lambda: is_gone(pid))
            self.assertStatus(d.path("g", "a", "c"), 409)
            self.assertEqual(d.ask("GET", "/healthz").status, 200)
            again = self.assertStatus(d.upload("g", CHAIN), 202).json["job"]
            self.assertNotEqual(again, job)
            self.gate.wait_held(2)
            self.gate.open()
            self.assertEqual(d.wait(again)["state"], "succeeded")

    def test_cancel_queued(self):
        with self.daemon(solver=self.gate.path) as d:
            first, _ = self.held_job(d)
            second = d.upload("h", CHAIN).json["job"]
            self.assertEqual(d.job(second)["state"], "queued")
            self.assertIn(d.ask("DELETE", f"/v1/jobs/{second}").status, (200, 202, 204))
            self.assertEqual(d.wait(second)["state"], "cancelled")
            self.gate.open()
            self.assertEqual(d.wait(first)["state"], "succeeded")
            self.assertEqual(len(self.gate.held), 1, "the cancelled job never ran")

    def test_newer_upload_cancels_a_pending_one(self):
        with self.daemon(solver=self.gate.path) as d:
            job, pid = self.held_job(d)
            newer = self.assertStatus(d.upload("g", b"a,c,7\n"), 202).json["job"]
            self.assertEqual(d.wait(job)["state"], "cancelled")
            until("the solver to end", lambda: is_gone(pid))
            self.gate.wait_held(2)
            self.gate.open()
            self.assertEqual(d.wait(newer)["state"], "succeeded")
            self.assertEqual(d.path("g", "a", "c").json["distance"], 7)

    def test_killed_solver_is_tried_again(self):
        with self.daemon(solver=self.gate.path) as d:
            job, pid = self.held_job(d)
            os.kill(pid, signal.SIGKILL)
            self.gate.wait_held(2)
            self.gate.open()
            self.assertEqual(d.wait(job)["state"], "succeeded")
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)

    def test_solver_killed_twice_fails_the_job(self):
        with self.daemon(solver=self.gate.path) as d:
            job, pid = self.held_job(d)
            os.kill(pid, signal.SIGKILL)
            os.kill(self.gate.wait_held(2), signal.SIGKILL)
            ended = d.wait(job)
            self.assertEqual(ended["state"], "failed")
            self.assertTrue(ended["error"]["detail"])
            self.assertStatus(d.path("g", "a", "c"), 409)
            self.assertEqual(len(self.gate.held), 2, "two tries at most")
            other, _ = self.held_job(d, "h", 3)
            self.gate.open()
            self.assertEqual(d.wait(other)["state"], "succeeded")

    def solver(self, d):
        """The process id of the solver that stays; None: there is none."""
        with open(f"/proc/{d.pid}/task/{self.worker(d)}/children", encoding="ascii") as file:
            children = [int(pid) for pid in file.read().split()]
        self.assertLessEqual(len(children), 1)
        return children[0] if children else None

    def worker(self, d):
        """The daemon's thread whose children the solvers are."""
        for task in os.listdir(f"/proc/{d.pid}/task"):
            with open(f"/proc/{d.pid}/task/{task}/comm", encoding="ascii") as file:
                if file.read() == "worker\n":
                    return task
        raise AssertionError("no worker")

    def test_solver_stays(self):
        """One solver for several graphs; killed or old, it is replaced, and no job notices."""
        with self.daemon(args=["--solver-idle", "1000"]) as d:
            d.put("g", CHAIN)
            pid = self.solver(d)
            self.assertIsNotNone(pid)
            job = d.wait(d.upload("h", b"a,c,7\n").json["job"])
            self.assertEqual(self.solver(d), pid)
            self.assertLess(job["stages"]["open"], 1)
            os.kill(pid, signal.SIGKILL)
            until("the solver to be reaped", lambda: not os.path.exists(f"/proc/{pid}"))
            job = d.wait(d.upload("i", b"a,c,9\n").json["job"])
            self.assertEqual((job["state"], job["tries"]), ("succeeded", 1))
            again = self.solver(d)
            self.assertNotIn(again, (None, pid))
            self.assertEqual(d.path("i", "a", "c").json["distance"], 9)
            # the device is measured beside a solver that stays
            until("the measurement", lambda: any("measuring the device unless that was done" in line
                                                 for line in d.log))
            job = d.wait(d.upload("i", b"a,c,11\n").json["job"])
            self.assertEqual(job["state"], "succeeded")
            self.assertEqual(self.solver(d), again)
        self.assertTrue(is_gone(again), "it ends with the daemon")

    def test_solver_does_not_stay(self):
        with self.daemon(args=["--solver-idle", "0"]) as d:
            d.put("g", CHAIN)
            self.assertIsNone(self.solver(d))

    def test_delete_while_it_runs(self):
        with self.daemon(solver=self.gate.path) as d:
            _, pid = self.held_job(d)
            self.assertIn(d.ask("DELETE", "/v1/graphs/g").status, (200, 204))
            until("the solver to end", lambda: is_gone(pid))
            self.assertStatus(d.path("g", "a", "c"), 404)

    def test_sigterm_queues_the_job_again(self):
        with self.daemon(solver=self.gate.path) as d:
            job, pid = self.held_job(d)
            d.stop()
            until("the solver to end", lambda: is_gone(pid))
            d.start()
            self.gate.wait_held(2)
            self.gate.open()
            self.assertEqual(d.wait(job)["state"], "succeeded")
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)

    def test_stopping_does_not_use_up_tries(self):
        with self.daemon(solver=self.gate.path) as d:
            job, _ = self.held_job(d)
            for count in (2, 3):
                d.restart()
                self.gate.wait_held(count)
            self.gate.open()
            self.assertEqual(d.wait(job)["state"], "succeeded")

    def test_stop_answers_who_waits(self):
        """A suspended request does not hold up a stop."""
        with self.daemon(solver=self.gate.path) as d:
            job, _ = self.held_job(d)
            with d.raw() as waiter:
                waiter.sendall(f"GET /v1/jobs/{job}?wait=30 HTTP/1.1\r\n"
                               "Host: localhost\r\n\r\n".encode())
                # This connection is served after the waiting one was accepted.
                d.ask("GET", "/healthz")
                d.stop()
                try:
                    answer = waiter.recv(65536)
                except ConnectionResetError:
                    answer = b""  # stopped before the request was read
            self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 "), answer)

    def test_daemon_killed_during_a_job(self):
        with self.daemon(solver=self.gate.path) as d:
            job, pid = self.held_job(d)
            self.gate.open()
            d.kill()
            until("the solver to end", lambda: is_gone(pid))
            d.start()
            state = d.job(job)["state"]
            if state != "succeeded":
                self.gate.wait_held(2)
                self.gate.open()
                self.assertEqual(d.wait(job)["state"], "succeeded")
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)
            # The worker tidies up after the job's end is told.
            until("both tries' directories to go",
                  lambda: not os.listdir(os.path.join(d.cache, "jobs")))

    def test_solver_of_a_daemon_killed_at_once(self):
        reading, writing = os.pipe()
        os.close(writing)
        with open(reading, encoding="utf-8") as stdin:
            done = subprocess.run([SOLVER, "--devices"], stdin=stdin, timeout=DEADLINE_S,
                                  capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)

    def test_daemon_killed_during_an_upload(self):
        with self.daemon(solver=self.gate.path) as d:
            job, _ = self.held_job(d)
            self.gate.open()
            d.wait(job)
            with d.raw() as upload:
                upload.sendall(b"PUT /v1/graphs/h?transform=none HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Type: text/csv\r\nContent-Length: 1000000\r\n"
                               b"\r\n" + CHAIN)
                d.ask("GET", "/healthz")
                d.kill()
            d.start()
            self.assertStatus(d.ask("GET", "/v1/graphs/h"), 404)
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)
            self.assertEqual(len(d.jobs()), 1)

    def test_client_gone_during_an_upload(self):
        with self.daemon(solver=self.gate.path) as d:
            with d.raw() as upload:
                upload.sendall(b"PUT /v1/graphs/h?transform=none HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Type: text/csv\r\nContent-Length: 1000000\r\n"
                               b"\r\n" + CHAIN)
                upload.shutdown(socket.SHUT_RDWR)
            self.assertStatus(d.ask("GET", "/v1/graphs/h"), 404)
            self.assertEqual(d.jobs(), [])

    def test_negative_cycle_is_named(self):
        with self.daemon() as d:
            reply = self.assertStatus(d.upload("neg", b"p,q,1\nq,r,-3\nr,p,1\nr,s,1\n"), 202)
            ended = d.wait(reply.json["job"])
            self.assertEqual(ended["state"], "failed")
            self.assertEqual(ended["error"]["type"], "/problems/negative-cycle")
            self.assertEqual(set(ended["error"]["cycle"]), {"p", "q", "r"})
            reply = self.assertStatus(d.path("neg", "p", "s"), 409)

    def test_a_failed_overwrite_leaves_the_old_graph(self):
        with self.daemon() as d:
            old = d.put("g", CHAIN)
            job = d.upload("g", b"a,b,-1\nb,a,-1\n").json["job"]
            self.assertEqual(d.wait(job)["state"], "failed")
            answer = self.assertStatus(d.path("g", "a", "c"), 200).json
            self.assertEqual((answer["revision"], answer["distance"]), (old["revision"], 2))
            d.restart()
            self.assertEqual(d.path("g", "a", "c").json, answer)

    def test_missing_device(self):
        with self.daemon(args=["--device", "no such device"]) as d:
            job = d.upload("g", CHAIN).json["job"]
            self.assertEqual(d.wait(job)["state"], "failed")
            self.assertStatus(d.ask("GET", "/readyz"), 503)
            self.assertStatus(d.ask("GET", "/healthz"), 200)

    def test_solver_that_says_nothing(self):
        broken = os.path.join(self.directory, "broken-solve")
        with open(broken, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 3\n")
        os.chmod(broken, 0o755)
        with self.daemon(solver=broken) as d:
            job = d.upload("g", CHAIN).json["job"]
            self.assertEqual(d.wait(job)["state"], "failed")
            self.assertStatus(d.ask("GET", "/healthz"), 200)

    def test_progress_ends_a_wait(self):
        """progress=1: a wait ends when progress has moved; without, when the state has."""
        words = os.path.join(self.directory, "words")
        os.mkfifo(words)
        talker = os.path.join(self.directory, "talker")
        with open(talker, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\ncase $* in *--devices*|*--calibrate*) ;; *) cat "
                       f"{words} ;; esac\nexec {SOLVER} \"$@\"\n")
        os.chmod(talker, 0o755)
        with self.daemon(solver=talker) as d:
            job = d.upload("g", CHAIN).json["job"]
            self.assertEqual(d.wait(job, "running")["state"], "running")
            patient, deaf = (self.begin(d, f"/v1/jobs/{job}?{query}")
                             for query in ("wait=30&progress=1", "wait=30"))
            with open(words, "w", encoding="ascii", buffering=1) as say:
                told = 0
                while not select.select([patient.sock], [], [], 0.1)[0]:
                    told += 0.01
                    self.assertLess(told, 1)
                    say.write(f"job share {told:.2f} left 9\n")
                said = json.load(patient.getresponse())
            self.assertEqual(said["state"], "running")
            self.assertGreaterEqual(round(said["progress"], 6), 0.01)
            self.assertLessEqual(said["progress"], told + 1e-6)
            self.assertEqual(d.wait(job)["state"], "succeeded")
            self.assertEqual(json.load(deaf.getresponse())["state"], "succeeded")

    def begin(self, d, target):
        """A connection whose answer has not been read."""
        connection = http.client.HTTPConnection(d.addresses[0], timeout=DEADLINE_S)
        self.addCleanup(connection.close)
        connection.request("GET", target)
        return connection

    def test_missing_solver(self):
        with self.assertRaisesRegex(AssertionError, "apspd ended with [1-9]"):
            self.daemon(solver=os.path.join(self.directory, "missing")).start()


class Calibration(Case):
    """apsp-solve --calibrate, as the idle daemon runs it."""

    def measure_until(self, name, end):
        """End a calibration after its first compiled kernel; see what is left."""
        cache = os.path.join(self.directory, name)
        kernels = os.path.join(cache, "kernels")
        os.mkdir(cache)
        solver = subprocess.Popen(
            [SOLVER, "--calibrate", "--cache-dir", cache], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "POCL_CACHE_DIR": os.path.join(self.directory, "pocl")})
        self.addCleanup(solver.kill)
        until("a kernel", lambda: os.path.isdir(kernels) and os.listdir(kernels))
        end(solver)
        said = solver.stdout.read()
        self.assertEqual(solver.wait(DEADLINE_S), 1, said)
        self.assertTrue(said.startswith("error code cancelled "), said)
        self.assertEqual([file for file in os.listdir(kernels) if ".bin" not in file], [])
        solver.stdin.close()
        solver.stdout.close()

    def test_end_of_stdin(self):
        self.measure_until("stdin", lambda solver: solver.stdin.close())

    def test_term(self):
        self.measure_until("term", lambda solver: solver.terminate())


if __name__ == "__main__":
    unittest.main()
