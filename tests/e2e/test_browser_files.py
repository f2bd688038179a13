"""What the page says about files before they are uploaded, and what the daemon reads in them.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser_files.py
"""
import csv
import subprocess
import unittest

from selenium.webdriver.common.by import By

from browser import PageCase

# What the page finds in each of some files.
RECOGNISED = """
const [files, done] = arguments;
import(document.querySelector("script[type=module]").src.replace("app.js", "recognise.js")).then(({recognise}) =>
	Promise.all(files.map(([name, text]) => recognise(new File([text], name))))).then((all) => done(JSON.parse(JSON.stringify(all))));"""

# The curl command of an upload.
CURL = """
const [file, target, done] = arguments;
import(document.querySelector("script[type=module]").src.replace("app.js", "share.js")).then(({share}) =>
	done(share({method: "PUT", file, target, type: "text/csv"}).querySelector("code").textContent));"""


class Files(PageCase):
    def test_files(self):
        """The page shows of each file what the daemon reads: columns, vertices and arcs."""
        cells = [["a", "b", "0.5"], ["b", "c", "2"], ["c", "d", "1.25"]]
        with self.daemon() as d:
            b = self.page(d)
            for name, content, what, rows in (
                    ("road.gr", b"c made\r\nc\r\np sp 3 2\r\na 1 2 5\r\na 2 3 7\r\n",
                     "A DIMACS graph", []),
                    ("comma.csv", b"from;to;weight\na;b;0,5\nb;c;2\n c ; d;1,25\n",
                     "with decimal commas", cells),
                    ("point.csv", b"a;b;0.5\nb;c;2\nc;d;1.25\n", "without a header", cells),
                    ("blanks.txt", b" # made\n a  b 0.5\nb\tc 2\nc d 1.25 \n", "without a header",
                     cells),
                    ("mixed.csv", b'from,to,weight\n"a",b,0.5\nb, c ,2\nc,d,1.25\n', "from",
                     cells),
                    ("square.csv", b"0;0,5;0;0\n0;0;2;0\n0;0;0;1,25\n0;0;0;0\n",
                     "A dense matrix, with decimal commas", None)):
                with self.subTest(name):
                    b.go("#/")
                    b.find(".drop")
                    b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(
                        self.file(name, content))
                    told = b.text_of(b.find("form p", what))
                    if rows is not None:
                        self.assertEqual(b.js(
                            "return [...document.querySelectorAll('.preview tbody tr')].map("
                            "(row) => [...row.cells].map((cell) => cell.textContent))"), rows)
                    graph = name.split(".", maxsplit=1)[0]
                    b.click("label", "Lengths")
                    b.click("button.primary", "Upload")
                    b.wait_hash("#/graphs/" + graph)
                    record = d.ask("GET", f"/v1/graphs/{graph}").json
                    record = record if record["revision"] else record["pending"]
                    self.assertIn(f"{record['vertices']} vertices, {record['arcs']} arcs", told)
                    if rows:
                        read = d.ask("GET", f"/v1/graphs/{graph}/arcs").body.decode()
                        self.assertEqual(list(csv.reader(read.splitlines()))[1:], cells)
            self.assertSound(b, "uploads of files")
            b.go("#/")
            b.find(".drop")
            for form in ("utf-16", "utf-32"):
                b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(
                    self.file(form, "from,to\na,b\n".encode(form)))
                b.find(".trouble", form.upper())
            self.counted(b, d)
            self.read_alike(b, d)
            self.sent_by_curl(b, d)

    def sent_by_curl(self, b, d):
        """Brackets, braces and backslashes have a meaning for curl."""
        name = r"edges[1]{a,b}\[2].csv"
        self.file(name, b"a,b\n")
        line = b.driver.execute_async_script(
            CURL, name, f"http://{d.addresses[0]}/v1/graphs/sent?transform=hops")
        subprocess.run(line, shell=True, check=True, capture_output=True, cwd=self.directory)
        self.assertStatus(d.ask("GET", "/v1/graphs/sent"), 200)

    def read_alike(self, b, d):
        """Sent as the page proposes, these files are read or refused as curl's uploads of them."""
        files = {"label": "i,b,5\nc,d,6\n", "ends": "source,b\nc,d\n", "pair": "a,j,5\nc,d,6\n",
                 "thousands": 'a,b,"1,204"\nc,d,999\n', "hex": "a,b,1f\nc,d,2\n",
                 "ids": "id,from,to\n1,29,37\n", "names": "src,dst,synapses\na,b,1\n"}
        found = b.driver.execute_async_script(RECOGNISED, list(files.items()))
        for one, (name, text) in zip(found, files.items()):
            query = f"?tables=none&default_rule=replace&transform={one['transform'] or 'none'}"
            columns = one["columns"] or {}
            plain = d.upload("alike", text.encode(), query, one["type"])
            if not {"from", "to"} <= {columns.get("from"), columns.get("to")}:
                query += "".join(f"&{role}_column={column}" for role, column in columns.items() if column)
            proposed = d.upload("alike", text.encode(), query, one["type"])
            self.assertEqual([proposed.status < 300, proposed.json.get("revision")],
                             [plain.status < 300, plain.json.get("revision")], name)
        self.assertEqual(found[-2]["columns"], {"from": "from", "to": "to", "weight": ""})
        self.assertEqual(found[-1]["columns"], {"from": "src", "to": "dst", "weight": "synapses"})

    def counted(self, b, d):
        """Of these files, the page counts the vertices and arcs that the daemon reads."""
        rows = ["0 1 0 0", "0 0 2 0", "0 0 0 3", "4 0 0 0"]
        labels, named = "5 6 7 8", [f"{5 + i} {row}" for i, row in enumerate(rows)]
        files = {
            "banner": "%%MATRIXMARKET MATRIX COORDINATE REAL SYMMETRIC\n3 3 2\n2 1 5\n3 2 7\n",
            # as R's write.table() writes them: with row names, or without one of the two kinds
            "arcs": '"from" "to" "weight"\n"1" "a" "b" 0.5\n"2" "b" "c" 2\n',
            "columns": "\n".join(['"a" "b" "c" "d"', *rows]),
            "rows": "\n".join(f'"a{one}'.replace(" ", '" ', 1) for one in named),
            "numbers": "\n".join([labels, *named]),
            "corner": "\n".join([f"id {labels}", *named]),
            "diagonal": "%%MatrixMarket matrix coordinate integer symmetric\n% x\n2 2 2\n1 1 4\n2 1 5\n",
            "skew": "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n0\n2\n",
            "lower": "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n0\n0\ninf\n3\n",
            "whole": "%%MatrixMarket matrix array real general\n2 2\n0\n2\n1e0\n-0\n",
            "breaks": 'from,to,weight\n"a\nb","c ""\n"",",1\n5" d,"#\n\n",2\nc,"a\nb",3\n',
            "broken": '"x\r\ny"\tb\t1\n# "\nb "c\t"x\r\ny"\t2\n',
            "cr": "a,b,1\rc,d,2\r",
            "blank": "c made\n\np sp 3 1\na 1 2 5\n",
            "links": '{"directed":false,"links":[{"source":1,"target":"b"},{"source":"1","target":2}]}'}
        found = b.driver.execute_async_script(RECOGNISED, list(files.items()))
        for one, (name, text) in zip(found, files.items()):
            self.assertNotIn("refusal", one, name)
            read = d.upload("counted", text.encode(), "?tables=none", one["type"]).json
            self.assertEqual([one["vertices"], one["arcs"]], [read["vertices"], read["arcs"]], name)
        self.assertEqual([one["format"] for one in found], [
            "mtx", "csv", *4 * ["csv-matrix"], *4 * ["mtx"], "csv", "tsv", "csv", "gr", "json"])
        self.assertEqual(found[1]["rows"][0], ["", "from", "to", "weight"])
        self.assertEqual(found[10]["rows"][1], ["a\nb", 'c "\n",', "1"])


if __name__ == "__main__":
    unittest.main()
