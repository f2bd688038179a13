"""The scripts of api/examples against the real daemon."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import unittest

import slow_profile
from harness import APSPD, Case, DATA, Gate, SOURCE_ROOT, until
from npy_file import npy

EXAMPLES = os.path.join(SOURCE_ROOT, "api", "examples")
CURL = shutil.which("curl")
LARVA = os.path.join(DATA, "larva_edges.csv")


class Examples(Case):
    def serve(self, **more):
        d = self.daemon(**more).start()
        self.addCleanup(lambda: d.process and d.stop())
        self.env = {"APSPD_URL": "http://" + d.addresses[0]}
        return d

    def start(self, script, *args, **more):
        return subprocess.Popen(
            ["sh", os.path.join(EXAMPLES, script), *args], cwd=self.directory, text=True,
            env={**os.environ, **self.env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, **more)

    def run_script(self, script, *args, text="", status=0):
        """(stdout, stderr)"""
        run = self.start(script, *args)
        out = run.communicate(text, timeout=120)
        self.assertEqual(run.returncode, status, out)
        return out

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def curl(self, text):
        """Another curl, which comes first."""
        os.chmod(self.write("curl", "#!/bin/sh\n" + text), 0o755)
        self.env["PATH"] = self.directory + ":" + os.environ["PATH"]

    def test_all_are_listed_and_tried(self):
        scripts = {name for name in os.listdir(EXAMPLES) if name.endswith(".sh")}
        clients = {name for name in os.listdir(EXAMPLES) if name.endswith((".py", ".R"))}
        with open(os.path.join(EXAMPLES, "README.md"), encoding="utf-8") as file:
            rows = [line for line in file if line.startswith("| `")]
        self.assertEqual(set(re.findall(r"`([a-z]+\.(?:sh|py|R))", "".join(rows))),
                         scripts | clients)
        self.assertEqual({name.split(".")[0] for name in clients}, {"sides", "thresholds"})
        with open(__file__, encoding="utf-8") as file:
            tried = set(re.findall(r'"([a-z]+\.sh)",', file.read()))
        self.assertEqual(tried | {"ask.sh"}, scripts)

    def run_client(self, script, *args):
        """The output of a script for Python or R, beside its client."""
        language = script.rsplit(".", 1)[1]
        client = f"apspd.{language}"
        shutil.copy(os.path.join(SOURCE_ROOT, "api", "clients", client), self.directory)
        command = {"py": ["/usr/bin/python3"], "R": ["Rscript", "--vanilla"]}[language]
        return subprocess.run(
            [*command, os.path.join(EXAMPLES, script), *args], cwd=self.directory, text=True,
            env={**os.environ, **self.env, "PYTHONPATH": self.directory}, check=True, timeout=120,
            stdout=subprocess.PIPE).stdout

    def scripts(self, name):
        """A script for each language that is installed here."""
        with_numpy = subprocess.run(["/usr/bin/python3", "-c", "import numpy, pandas"],
                                    stderr=subprocess.DEVNULL, check=False).returncode == 0
        return [f"{name}.py"] * with_numpy + [f"{name}.R"] * bool(shutil.which("Rscript"))

    def test_sides(self):
        """Two sides with the types A, B and C; on the right A is farther from B, and C reaches
        nobody. D is on the left only."""
        d = self.serve()
        d.put("brain", b"al,bl,1\nbl,cl,2\ncl,al,1\ncl,dl,1\nar,br,1.5\nbr,cr,2\nal,ar,9\n")
        d.ask("PUT", "/v1/graphs/brain/attributes", b"label,type,side\n" + "".join(
            f"{kind}{side},{kind.upper()},{side.upper()}\n" for side in "lr"
            for kind in "abcd").encode(), {"Content-Type": "text/csv"})
        for script in self.scripts("sides"):
            out = self.run_client(script, "brain", "side", "L", "R", "type", "sides.csv")
            self.assertIn("3 values of type on both sides, 1 on L only, 0 on R only", out)
            self.assertIn("gained: 3\n", out)
            with open(os.path.join(self.directory, "sides.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(
                [(row["change"], row["from"], row["to"]) for row in rows],
                [("gained", "C", "A"), ("gained", "C", "B"), ("gained", "B", "A"),
                 ("shorter", "A", "B"), ("shorter", "A", "C")])
            self.assertEqual([float(row["difference"]) for row in rows[3:]], [-0.5, -0.5])

    def test_thresholds(self):
        d = self.serve()
        d.put("chain", b"a,b,5\nb,c,3\nc,d,5\n")
        for script in self.scripts("thresholds"):
            rows = list(csv.reader(io.StringIO(self.run_client(script, "chain"))))
            self.assertEqual(rows[0], ["threshold", "pairs"])
            self.assertEqual([[float(cell) for cell in row] for row in rows[1:]],
                             [[3, 6], [5, 2]])

    def test_upload_and_pairs(self):
        d = self.serve()
        out, warned = self.run_script("upload.sh", LARVA, "larva", "transform=inv", "min_weight=1")
        self.assertEqual((out, warned), ("larva: 3013 vertices, 111243 arcs, inv\n", ""))
        self.run_script("upload.sh", LARVA, "larva", "transform=inv", "min_weight=1")
        rows = self.pairs("larva", "29,8835968\r\n29,37365\n29,nobody\n\n29,29\n")
        path = d.path("larva", "29", "8835968").json
        self.assertEqual(rows[0], ["from", "to", "distance", "hops", "path", "problem"])
        self.assertEqual([rows[1][:2], float(rows[1][2]), *rows[1][3:]],
                         [["29", "8835968"], path["distance"], str(path["hops"]),
                          json.dumps(path["path"], separators=(",", ":")), ""])
        self.assertEqual(rows[2], ["29", "37365", "inf", "inf", "", ""])
        self.assertEqual(rows[3][:5], ["29", "nobody", "", "", ""])
        self.assertIn("'nobody' is not in graph", rows[3][5])
        self.assertEqual(rows[4], ["29", "29", "0", "0", '["29"]', ""])
        self.assertEqual(len(rows), 5)
        self.assertIn("no graph 'nope'", self.pairs("nope", "a,b\n", status=1))
        wrong = self.write("wrong.csv", "a,b,1\nb,c,heavy\n")
        out, said = self.run_script("upload.sh", wrong, "w", "transform=inv", status=1)
        self.assertEqual(out, "")
        self.assertIn("line 2, column 5: found 'heavy'", said)
        _, said = self.run_script("upload.sh", self.write("loop.csv", "a,b,-1\nb,a,-1\n"), "w",
                                  "transform=none", status=1)
        self.assertIn("negative cycle", said)
        self.env["APSPD_URL"] = "http://127.0.0.1:1"
        self.assertIn("no apspd answers at http://127.0.0.1:1", self.run_script(
            "upload.sh", LARVA, "larva", "transform=inv", status=1)[1])

    def pairs(self, graph, text, status=0):
        """The rows of paths.csv; of a refusal what is said, and that nothing was written."""
        self.write("pairs.csv", text)
        out = os.path.join(self.directory, "paths.csv")
        old = os.path.exists(out) and os.stat(out)
        shown, said = self.run_script("pairs.sh", graph, "pairs.csv", "paths.csv", status=status)
        self.assertEqual(shown, "")
        self.assertFalse(os.path.exists(out + ".part"))
        if status:
            self.assertEqual(os.path.exists(out) and os.stat(out), old)
            return said
        with open(out, encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def test_pairs(self):
        """A header says which columns count; what a script wrote can be asked again."""
        d = self.serve()
        d.put("g", b"a,b,1\nb,\"c,\"\"d\"\"\",2\n\"c,\"\"d\"\"\",a,4\n")
        want = [["from", "to", "distance", "hops", "path", "problem"],
                ["a", 'c,"d"', "3", "2", r'["a","b","c,\"d\""]', ""],
                ["b", "a", "6", "2", r'["b","c,\"d\"","a"]', ""]]
        for text in ('a,"c,""d"""\nb,a\n', 'from,to\na,"c,""d"""\nb,a\n',
                     '\ufeff"Target","n","Source"\r\n"c,""d""",7,"a"\r\n"a","","b"\r\n',
                     'n,pre,post\n,a,"c,""d"""\n,b,a\n'):
            self.assertEqual(self.pairs("g", text), want)
        with open(os.path.join(self.directory, "paths.csv"), encoding="utf-8") as file:
            self.assertEqual(self.pairs("g", file.read()), want)
        self.assertIn("line 3, column 1: found 1 column", self.pairs("g", "a,b\n\na\n", status=1))
        self.assertIn("line 1, column 1: found 3 columns", self.pairs("g", "a,b,9\n", status=1))
        self.assertIn("line 2, column 1: found 2 columns", self.pairs("g", "n,from,to\n9,a\n", status=1))
        self.assertEqual(self.pairs("g", "from,to\n"), want[:1])
        self.assertEqual(self.pairs("g", ""), want[:1])

    def test_matrix(self):
        d = self.serve()
        d.put("ring", b"a,b,1\nb,c,2\nc,\xc3\xa9 f,4\n\xc3\xa9 f,a,8\n")
        self.run_script("matrix.sh", "ring")
        with open(os.path.join(self.directory, "ring.npy"), "rb") as file:
            self.assertEqual(npy(file.read())[1],
                             (0, 1, 3, 7, 14, 0, 2, 6, 12, 13, 0, 4, 8, 9, 11, 0))
        with open(os.path.join(self.directory, "ring.labels"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "a\nb\nc\né f\n")
        _, said = self.run_script("matrix.sh", "nope", status=1)
        self.assertIn("no graph 'nope'", said)
        self.assertEqual([name for name in os.listdir(self.directory)
                          if name.startswith("nope") or name.endswith(".part")], [])

    def test_inputs(self):
        d = self.serve()
        d.put("g", b"a,v w,2\nb,v w,8\nc,v w,4\n", "?transform=inv")
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\nb,KC\n",
                                {"Content-Type": "text/csv"}), 200)
        inputs = os.path.join(self.directory, "inputs.csv")
        for more, lines in (((), "b,v w,8,0.125,KC\nc,v w,4,0.25,\na,v w,2,0.5,\n"),
                            (("1",), "b,v w,8,0.125,KC\n")):
            self.run_script("inputs.sh", "g", "v w", inputs, *more)
            with open(inputs, encoding="utf-8") as file:
                self.assertEqual(file.read(), "from,to,weight,length,type\n" + lines)
        _, said = self.run_script("inputs.sh", "g", "q", inputs, status=1)
        self.assertIn("'q' is not in graph 'g'", said)
        self.assertEqual(os.listdir(self.directory).count("inputs.csv.part"), 0)

    def test_matrix_of_a_replaced_graph(self):
        """Two uploads: the array of one and the labels of the other are not written."""
        d = self.serve()
        d.put("g", b"a,b,1\n")
        # a curl that replaces the graph before it asks for the array
        self.curl(f"""case "$*" in
*matrices*) touch '{self.directory}/labels'
	until [ -e '{self.directory}/replaced' ]; do sleep 0.01; done ;;
esac
exec '{CURL}' "$@"
""")
        run = self.start("matrix.sh", "g")
        until("the labels", lambda: os.path.exists(os.path.join(self.directory, "labels")))
        d.put("g", b"x,y,1\n")
        self.write("replaced", "")
        _, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn("revision", said)
        self.assertFalse(os.path.exists(os.path.join(self.directory, "g.npy")))

    def at_once(self, script, then):
        """The distances that are asked for at once after each upload by a script."""
        self.env = {"APSPD_URL": "http://" + slow_profile.serve(self).addresses[0]}
        found = []
        ask = f"""sh -c '. "$0/ask.sh"; ask "v1/graphs/g/path?from=a&to=c${{APSPD_REVISION:+\
&revision=$APSPD_REVISION}}" | jq .distance' '{EXAMPLES}'"""
        for k in range(1, slow_profile.ROUNDS + 1):
            path = self.write("g.csv", slow_profile.arcs(k))
            upload = " ".join(["sh", f"'{EXAMPLES}/{script}'", path, "g", *slow_profile.OPTIONS])
            asked = subprocess.run(
                f"{upload} {then} {ask}", shell=True, env={**os.environ, **self.env},
                capture_output=True, text=True)
            found.append((asked.stdout.split()[-1:], asked.stderr))
        self.assertEqual(found, [([str(2 * k)], "") for k in range(1, slow_profile.ROUNDS + 1)])

    def test_upload_at_once(self):
        self.at_once("upload.sh", "&&")

    def test_nightly_at_once(self):
        self.at_once("nightly.sh", "--")

    def test_nightly(self):
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        d = self.serve(solver=gate.path, args=("--access-log", "on"))
        path = self.write("g.csv", "a,b,1\nb,c,2\n")
        nightly = ("nightly.sh", path, "g", "transform=none", "--", "sh", "-c", "echo changed")
        run = self.start(*nightly)
        gate.wait_held(1)
        gate.open()
        self.assertEqual(run.communicate(timeout=60), ("changed\n", ""))
        self.assertEqual(self.run_script(*nightly), ("", ""))  # and no solver ran
        self.assertEqual(len(gate.held), 1)
        # another night: refused, cancelled, and the graph before goes on answering
        self.write("g.csv", "a,b,1\nb,c\n")
        self.assertIn("line 2", self.run_script(*nightly, status=1)[1])
        self.write("g.csv", "a,b,1\nb,c,4\n")
        run = self.start(*nightly)
        gate.wait_held(2)
        job = until("the job", lambda: [j for j in d.jobs() if j["state"] == "running"])[0]
        self.assertStatus(d.ask("DELETE", f"/v1/jobs/{job['id']}"), 202)
        out, said = run.communicate(timeout=60)
        self.assertEqual((run.returncode, out), (1, ""))
        self.assertIn("cancelled", said)
        self.assertEqual(d.path("g", "a", "c").json["distance"], 3)
        run = self.start(*nightly[:-1], "echo $APSPD_REVISION")
        gate.wait_held(3)
        gate.open()
        self.assertEqual(run.communicate(timeout=60), (
            d.ask("GET", "/v1/graphs/g").json["revision"] + "\n", ""))
        self.assertEqual(d.path("g", "a", "c").json["distance"], 5)
        # the tables of another profile are awaited, those of default are there
        d.ask("PUT", "/v1/graphs/g/profiles/hops", {"transform": "hops"})
        gate.wait_held(4)

        def uploads():
            return sum("method=PUT target=/v1/graphs/g?" in line for line in d.log)
        before = uploads()
        run = self.start(*nightly)
        until("the upload", lambda: uploads() > before)
        gate.open()
        self.assertEqual(run.communicate(timeout=60), ("changed\n", ""))

    def test_access(self):
        """A token, a prefix, a unix socket; the token is in no argument."""
        tokens = os.path.join(self.directory, "tokens")
        token = subprocess.run([APSPD, "--tokens", tokens, "--new-token", "write"],
                               capture_output=True, text=True, check=True).stdout.strip()
        where = f"unix:{self.directory}/socket"
        d = self.serve(listen=("127.0.0.1:0", where),
                       args=("--tokens", tokens, "--base-path", "/lab/paths"))
        path = self.write("g.csv", "a,b,1\nb,c,2\n")
        self.assertIn("token", self.run_script("upload.sh", path, "g", "transform=none",
                                               status=1)[1])
        self.env = {"APSPD_TOKEN": token, "APSPD_URL": f"http://{d.addresses[0]}/lab/paths/"}
        self.run_script("upload.sh", path, "g", "transform=none")
        self.env["APSPD_URL"] = where
        self.assertEqual(self.pairs("g", "a,c\n")[1][2:5], ["3", "2", '["a","b","c"]'])
        self.curl(f"""printf '%s\\n' "$@" >>'{self.directory}/arguments'
exec '{CURL}' "$@"
""")
        self.run_script("upload.sh", path, "g", "transform=none")
        with open(os.path.join(self.directory, "arguments"), encoding="utf-8") as file:
            said = file.read()
        self.assertIn("v1/graphs/g?transform=none", said)
        self.assertNotIn(token, said)


if __name__ == "__main__":
    unittest.main()
