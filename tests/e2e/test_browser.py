"""The page in a browser (Debian's chromium, driven by selenium): each step that a user
takes, by pointer or keyboard alone, light, dark and on a phone. No step may leave a
message in the console, break the policy, ask another host or fail a rule of axe-core.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser.py
"""
import csv
import json
import os
import subprocess
import sys
import unittest
import warnings

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import DESK, PHONE, SMALL_PHONE, PageCase
from harness import APSPD, Gate, SOURCE_ROOT, data

sys.path.insert(0, os.path.join(SOURCE_ROOT, "api", "clients"))
import apspd  # noqa: E402

TIES = b"from,to,weight\n" + b"".join(
    b"s,m%d,1\nm%d,t,%d\n" % (i, i, 1) for i in range(4)) + b"t,far,5\n"
MANY = b"from,to,weight\n" + b"".join(
    b"s%d,m%d-%d,1\nm%d-%d,s%d,1\n" % (k, k, i, k, i, k + 1) for k in range(40) for i in range(3))
PARTS = b"from,to,weight\na,b,10.5\nb,c,10.25\nc,d,12.75\nd,e,14.5\n"
LAYERS = b"from,to,weight\n" + b"".join(
    b"a,x%d,1\nx%d,z,1\n" % (i, i) for i in range(630))

class Page(PageCase):
    def setUp(self):
        super().setUp()
        self.gate = Gate(self.directory)
        self.addCleanup(self.gate.close)

    def test_first_hour(self):
        with self.daemon() as d:
            b = self.page(d)
            b.js("1")
            self.sample(b)
            self.path_and_avoid(b)
            self.reach(b, d)
            self.python_lines(b, d)
            self.whole(b, d)
            self.wrong_file(b)
            self.upload(b, d)
            self.ties(b, d)
            self.folded(b, d)
            self.keyboard(b)
            self.heard(b)
            self.dark_and_phone(b, d)
            self.other(b, d)

    def sample(self, b):
        b.go("")
        b.find("h1", "Shortest paths")
        self.assertSound(b, "the empty daemon")
        b.click("button.primary", "sample")
        b.wait_hash("#/graphs/celegans")
        b.find(".badge.succeeded", "ready")
        b.find("dd", "2,345")
        self.assertSound(b, "the sample")

    def path_and_avoid(self, b):
        b.click(".tabs a", "Paths")
        b.find(".empty", "Choose two vertices")
        b.click("#vertex-from")
        b.keys("12")
        b.click("li[role=option]", "125")
        b.click("#vertex-to")
        b.keys("20", Keys.ENTER)
        b.find("dd", "")
        b.wait_hash("from=125&to=20")
        b.find(".dag .node.end")
        before = b.text_of(b.find(".facts"))
        self.assertSound(b, "a path")
        vertex = b.find(".dag .node[role=button]")
        label = b.js("return arguments[0].dataset.vertex", vertex)
        b.click(".dag .node[role=button]")
        b.wait_hash(f"avoid={label}")
        b.find(".chip", label)
        b.wait("another path", lambda: b.text_of(b.find(".facts")) != before)
        self.assertSound(b, "a path around a vertex")
        b.driver.refresh()
        b.find(".chip", label)
        b.click(".chip button")
        b.wait("the path as before", lambda: b.text_of(b.find(".facts")) == before)
        b.click("label", "The k shortest")
        b.find(".paths tbody tr:nth-child(10)")
        b.click(".paths tbody tr:nth-child(3) button")
        b.wait_hash("pick=2")
        b.find(".paths tbody tr:nth-child(3) button[aria-pressed=true]")
        self.whole_paths(b)
        self.assertSound(b, "the k shortest")
        b.click(".share summary")
        b.find(".share code", "k=10")
        self.assertEqual(len(self.python_line(b).paths), 10)

    def whole_paths(self, b):
        """Each path is shown whole, also in a narrow window; another one is drawn without a
        request; the list is sorted and saved."""
        b.size(SMALL_PHONE)
        b.wait("paths that are not cut", lambda: b.js(
            "return [...document.querySelectorAll('.paths td button')].every((one) =>"
            " one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1"
            " && getComputedStyle(one).textOverflow === 'clip')"))
        b.size(DESK)
        b.requests()
        asked = len([url for url in b.requests() if "/path?" in url])
        b.click(".paths .sort", "Rank")
        b.click(".paths .sort", "Rank")
        b.click(".paths tbody tr:nth-child(1) button")
        b.wait_hash("pick=9")
        b.find(".paths tbody tr:nth-child(1) button[aria-pressed=true]")  # still sorted
        self.assertEqual(b.count(".paths [aria-pressed=true]"), 1)
        self.assertEqual(len([url for url in b.requests() if "/path?" in url]), asked)
        b.downloads()
        b.click(".answer button.quiet", "Save as CSV")
        rows = list(csv.DictReader(b.wait("the file", b.downloads).splitlines()))
        self.assertEqual([row["rank"] for row in rows], [str(10 - i) for i in range(10)])
        shown = b.js("return [...document.querySelectorAll('.paths td button')]"
                     ".map((one) => one.textContent)")
        self.assertEqual([" → ".join(json.loads(row["path"])) for row in rows], shown)
        b.forget_downloads()

    def python_line(self, b):
        """What the Python line under an answer gives, by the client of the tree."""
        line = b.text_of(b.find(".share code", "apspd.connect"))
        warnings.simplefilter("ignore", ResourceWarning)
        self.assertTrue(line.startswith("import apspd; "), line)
        return eval(line.removeprefix("import apspd; "), {"apspd": apspd})

    def python_lines(self, b, d):
        """Each view's line says what the view says."""
        def line(fragment):
            b.go(fragment)
            b.find(".share summary")
            # not by pointer, as above: pictures that come meanwhile move it
            b.js("document.querySelector('.share').open = true")
            return self.python_line(b)
        path = "#/graphs/celegans/path?from=125&to=4"
        found = line(path)
        self.assertEqual(found, d.path("celegans", "125", "4").json)
        around = line(f"{path}&avoid={found.path[1]}&hops=9")
        self.assertNotIn(found.path[1], around.path)
        self.assertIn("count", line(path + "&show=all"))
        reach = line("#/graphs/celegans/reach?of=125&hops=1&direction=in")
        self.assertEqual(len(reach), d.ask(
            "GET", "/v1/graphs/celegans/vertices/125/reachable?direction=in&max_hops=1"
        ).json["count"])
        self.assertEqual(line("#/graphs/celegans/whole").pairs, 297 * 296)
        b.js("const [one, other] = document.querySelectorAll('.share');"
             "one.open = false; other.open = true")
        self.assertEqual(self.python_line(b).values.shape, (297, 297))
        self.assertEqual(line("#/graphs/celegans").name, "celegans")
        self.assertIn("celegans", [graph.name for graph in line("#/")])
        self.assertEqual(line("#/daemon").version, d.ask("GET", "/v1/info").json["version"])
        self.assertTrue(b.find(".share a", "apspd.py").get_attribute("href")
                        .endswith("/apspd.py"))

    def reach(self, b, d):
        b.go("#/graphs/celegans/reach?of=125&hops=1")
        b.find("dd", "vert")
        near = b.text_of(b.find(".facts"))
        b.click("label", "What reaches it")
        b.wait_hash("direction=in")
        b.wait("the other set", lambda: b.text_of(b.find(".facts")) != near)
        b.find("th", "Steps")  # the fewest arcs, beside those of the path shortest by length
        b.find(".hint", "Steps are the fewest arcs")
        link = b.find("a[download='celegans-125-arcs.csv']", "The arcs to it as CSV, the strongest")
        rows = list(csv.DictReader(d.ask("GET", link.get_attribute("href").removeprefix(
            b.home.rstrip("/"))).body.decode().splitlines()))
        weights = [float(row["weight"]) for row in rows]
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.assertEqual({row["to"] for row in rows}, {"125"})
        self.sorts(b)
        self.assertSound(b, "a set")

    def sorts(self, b):
        """A click on a column sorts by it, and another one the other way."""
        def column(k):
            return [float(text.replace(",", "")) for text in b.js(
                "return [...document.querySelectorAll('[aria-label=Vertices] tbody tr')]"
                ".map((row) => row.cells[arguments[0]].textContent)", k)]
        by_distance = column(2)
        self.assertEqual(by_distance, sorted(by_distance))
        head = "[aria-label=Vertices] thead th:nth-child(3)"
        b.click(head + " button")
        b.find(head + "[aria-sort=ascending]")
        b.click(head + " button")
        b.find(head + "[aria-sort=descending]")
        self.assertEqual(column(2), sorted(by_distance, reverse=True))
        labels = b.js("return [...document.querySelectorAll('[aria-label=Vertices] tbody th')]"
                      ".map((cell) => cell.textContent)")
        self.assertNotEqual(labels, sorted(labels, key=int))
        b.click("[aria-label=Vertices] thead th:nth-child(1) button")
        b.wait("labels in the order of numbers", lambda: b.js(
            "return [...document.querySelectorAll('[aria-label=Vertices] tbody th')]"
            ".map((cell) => cell.textContent)") == sorted(labels, key=int))

    def whole(self, b, d):
        b.go("#/graphs/celegans/whole")
        b.find("td", "2.20393")
        self.histogram(b, d)
        canvas = b.find(".map canvas")
        b.js("arguments[0].scrollIntoView({block: 'center'})", canvas)
        ActionChains(b.driver).move_to_element_with_offset(canvas, 40, 30).perform()
        b.find(".map p.hint", "→")
        self.assertSound(b, "the whole graph")
        b.js("arguments[0].focus()", canvas)
        b.keys(Keys.ARROW_LEFT, Keys.ARROW_UP)
        told = b.text_of(b.find(".map p.hint"))
        b.click(".map canvas")
        b.wait_hash("/path?from=")
        b.find("#vertex-from")
        self.assertIn("→", told)

    def histogram(self, b, d):
        """A bar for each bin, as high as its number of pairs; the keyboard reads them."""
        for k, kind in enumerate(("distance", "hop")):
            found = d.ask("GET", "/v1/graphs/celegans/stats?bins=60").json[f"{kind}_histogram"]
            figure = f".charts figure:nth-child({k + 1}) "
            b.find(figure + ".histogram rect:not(.mark)")
            heights = b.js("return [...document.querySelectorAll(arguments[0])]"
                           ".map((bar) => bar.height.baseVal.value)",
                           figure + ".histogram rect:not(.mark)")
            for height, pairs in zip(heights, found["counts"], strict=True):
                self.assertAlmostEqual(height / max(heights), pairs / max(found["counts"]), delta=1e-3)
            b.js("document.querySelector(arguments[0]).focus()", figure + ".histogram")
            for i in range(2):
                b.keys(Keys.ARROW_RIGHT)
                low = found["from"] + i * found["width"]
                value = f"{low:g}" if kind == "hop" else f"{low:g} to {low + found['width']:g}"
                b.find(figure + ".hint", f"{value}: {found['counts'][i]:,} pair")
        # bins of width 1 have one number only if all distances are whole
        for name, transform, value in (("parts", "none", "10 to 11"), ("arcs", "hops", "1 arc")):
            d.put(name, PARTS, f"?transform={transform}")
            b.go(f"#/graphs/{name}/whole")
            b.find(".histogram rect:not(.mark)")
            b.js("document.querySelector('.histogram').focus()")
            b.keys(Keys.ARROW_RIGHT)
            b.find(".charts .hint", f"{value}: ")
        b.find("td", "1 vertex")  # the largest strong component
        b.go("#/graphs/celegans/whole")

    def wrong_file(self, b):
        b.go("#/")
        b.find(".drop")
        chooser = b.driver.find_element(By.CSS_SELECTOR, "#file")
        chooser.send_keys(self.file("table.xlsx", b"PK\3\4" + bytes(60)))
        b.find(".trouble", "zip archive")
        self.assertSound(b, "a file that is refused")
        # a missing value is no label
        chooser.send_keys(self.file("missing.csv", b"0,NA,7,3\nNA,0,5,9\n7,5,0,4\n3,9,4,0\n"))
        b.find("form p", "4 vertices")
        chooser.send_keys(self.file("words.csv", b"from,to,weight\na,b,1\nb,c,heavy\n"))
        b.click("label", "Strengths")
        b.find(".estimate", "memory")
        b.click("button.primary", "Upload")
        b.find(".trouble", "Correct line 3")
        # the refused upload itself is told by the browser, and nothing else
        self.assertTrue(all("422" in message for message in b.messages()))

    def upload(self, b, d):
        """By drag and drop, on a solver that is held: progress, and cancelling it."""
        b.go("#/")
        b.find(".drop")
        b.js("const data = new DataTransfer();"
             "data.items.add(new File([arguments[0]], 'tracts.csv'));"
             "document.querySelector('.drop').dispatchEvent("
             " new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}))",
             data("human_tract_lengths.matrix.csv").decode())
        b.find("form p", "A dense matrix")
        b.find("form p", "94 vertices")
        b.click("label", "Lengths")
        b.find(".estimate", "memory")
        self.assertSound(b, "an upload that is asked for")
        b.click("button.primary", "Upload")
        b.wait_hash("#/graphs/tracts")
        b.find(".note", "8,742 arcs")
        b.find(".badge.succeeded")
        self.assertSound(b, "an upload")

    def ties(self, b, d):
        d.put("ties", TIES, "?transform=none")
        b.go("#/graphs/ties/path?from=s&to=t&show=all")
        b.find("dd", "4")
        b.wait("six vertices", lambda: b.count(".dag .node") == 6)
        self.assertEqual(b.count(".dag path"), 8)
        self.assertSound(b, "ties")
        b.go("#/graphs/ties/path?from=s&to=far&hops=1")
        b.find(".empty", "of 1 arc at most, but there are others")
        d.put("many", MANY, "?transform=none")
        b.go("#/graphs/many/path?from=s0&to=s40&show=all")
        b.find("dd", f"{3 ** 40:,}")

    def folded(self, b, d):
        d.put("layers", LAYERS, "?transform=none")
        b.go("#/graphs/layers/path?from=a&to=z&show=all")
        b.find(".dag text", "630 vertices")
        self.assertEqual(b.count(".dag .node"), 3)
        self.assertSound(b, "layers that are folded")

    def keyboard(self, b):
        """From the list of graphs to the way around a vertex, without a pointer."""
        b.go("#/")
        b.find("tbody a", "ties")
        b.tab_to("tbody a[href='#/graphs/ties']")
        b.keys(Keys.ENTER)
        b.find("h1", "ties")
        b.tab_to(".tabs a[href='#/graphs/ties/path']")
        b.keys(Keys.ENTER)
        b.find("#vertex-from")
        b.tab_to("#vertex-from")
        b.keys("s")
        b.find("li[role=option]", "s")
        b.keys(Keys.ARROW_DOWN, Keys.ENTER)
        b.wait_hash("from=s")
        b.tab_to("#vertex-to")
        b.keys("far", Keys.ENTER)
        b.wait_hash("to=far")
        b.find(".dag .node.end")
        b.tab_to(".dag .node[role=button]")
        b.keys(Keys.ENTER)
        b.wait_hash("avoid=m")
        b.tab_to(".chip button")
        b.keys(Keys.ENTER)
        b.wait("nothing avoided", lambda: "avoid" not in b.js("return location.hash"))
        b.tab_to("input[value=one]")
        b.keys(Keys.ARROW_RIGHT)
        b.wait_hash("show=all")
        b.wait("all ties", lambda: b.count(".dag .node") == 7)
        self.keyboard_set(b)
        self.keyboard_picture(b)

    def keyboard_set(self, b):
        """What reaches a vertex, and its CSV on the disk."""
        b.downloads()
        b.tab_to(".tabs a[href='#/graphs/ties/reach']")
        b.keys(Keys.ENTER)
        b.find("#vertex-vertex")
        b.tab_to("#vertex-vertex")
        b.keys("far", Keys.ENTER)
        b.wait_hash("of=far")
        b.tab_to("input[value=out]")
        b.keys(Keys.ARROW_RIGHT)
        b.wait_hash("direction=in")
        b.find("dd", "6 vertices")
        b.tab_to(".answer button.quiet")
        b.keys(Keys.ENTER)
        rows = b.wait("the file", b.downloads)
        self.assertEqual(rows.splitlines()[0], "vertex,distance,arcs")
        self.assertEqual(len(rows.splitlines()), 1 + 6)

    def keyboard_picture(self, b):
        """From the picture of all pairs to the path of one."""
        b.tab_to(".tabs a[href='#/graphs/ties/whole']")
        b.keys(Keys.ENTER)
        b.find(".map canvas")
        b.tab_to(".map canvas")
        b.keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        told = b.text_of(b.find(".map p.hint", "→"))
        b.keys(Keys.ENTER)
        b.wait_hash("/path?from=")
        b.find("#vertex-from")
        self.assertEqual(told.split(":")[0], " → ".join(
            b.js("return document.querySelector(arguments[0]).value", f"#vertex-{end}")
            for end in ("from", "to")))

    def heard(self, b):
        """A path as a screen reader has it: what each thing is called, in order."""
        b.go("#/graphs/ties/path?from=s&to=far")
        b.find(".dag .node.end")
        tree = b.tree()
        said = [node for node in tree if node[0] in (
            "heading", "combobox", "radio", "spinbutton", "term", "definition", "button",
            "group", "link", "status", "alert")]
        start = said.index(("heading", "ties"))
        self.assertEqual(said[start:], [
            ("heading", "ties"), ("link", "Overview"), ("link", "Paths"),
            ("link", "Circuits"), ("link", "Reachability"), ("link", "Groups"),
            ("link", "Whole graph"), ("link", "Compare"), ("combobox", "From"),
            ("button", "Swap from and to"), ("combobox", "To"), ("group", "Show"),
            ("radio", "One shortest path"), ("radio", "All of them"),
            ("radio", "The k shortest"), ("spinbutton", "Arcs at most"),
            ("term", "Distance"), ("definition", "7"), ("term", "Arcs"), ("definition", "3"),
            ("term", "Weight"), ("definition", "7"),
            ("group", "Vertices of the drawing, layer by layer"), ("group", "s"),
            ("button", "Avoid m0"), ("button", "Avoid t"), ("group", "far"),
            ("button", "Zoom out"), ("button", "Zoom in"),
            ("button", "Fit the picture to its box"), ("button", "Save as SVG"),
            ("button", "Save as PNG"), ("group", ""), ("group", ""),  # the arcs as a table; curl and Python
            ("status", "s to far: Distance 7, Arcs 3, Weight 7, by m0, t.")])
        self.assertNotIn(("StaticText", "5"), tree)  # an arc's weight, apart from its arc

    def dark_and_phone(self, b, d):
        d.wait(d.ask("PUT", "/v1/graphs/celegans/profiles/h", {"transform": "hops"}).json["job"])
        b.scheme("dark")
        for view in ("#/", "#/graphs/celegans", "#/graphs/celegans/path?from=125&to=20",
                     "#/graphs/celegans/reach?of=125&hops=2", "#/graphs/celegans/whole",
                     "#/graphs/celegans/groups", "#/daemon"):
            b.size(DESK)
            b.go(view)
            b.find("h1")
            if view.endswith("whole"):
                b.find(".map canvas")
            self.assertSound(b, "dark " + view)
            b.js("for (const one of document.querySelectorAll('details')) one.open = true")
            for phone in (PHONE, SMALL_PHONE):
                b.size(phone)
                b.wait(f"{view} as wide as a phone", lambda: b.js(
                    "return document.documentElement.scrollWidth") <= phone["width"])
        b.scheme("light")
        self.assertSound(b, "light on a phone")
        b.size(DESK)

    def other(self, b, d):
        b.go("#/graphs/nothing")
        b.find(".trouble", "nothing")
        b.go("#/graphs/celegans/path?from=125&to=1250")
        b.click(".trouble button", "125")
        b.wait_hash("to=125")
        b.messages()
        b.find("dd", "0")
        d.put("isolated", b"from,to,weight\na,b,1\nc,d,1\n", "?transform=none")
        b.go("#/graphs/isolated/path?from=a&to=d")
        b.click(".empty a", "What a reaches")
        b.wait_hash("/reach?of=a")
        d.wait(d.upload("cycle", b"a,b,-1\nb,a,-1\n", "?transform=none").json["job"])
        b.go("#/graphs/cycle")
        b.find(".trouble", "cycle")
        self.assertEqual(b.count(".trouble"), 1)
        ids = ["720575940600000001", "720575940600000002"]
        d.put("ids", ("from,to,weight\n%s,%s,1\n" % tuple(ids)).encode(), "?transform=none")
        b.go("#/graphs/ids/path?from=%s&to=%s" % tuple(ids))
        for label in ids:  # whole, since ids of one brain begin alike
            b.find(".dag text", label)
        self.assertTrue(b.js(
            "return [...document.querySelectorAll('.dag .node')].every((node) =>"
            " node.querySelector('text').getComputedTextLength()"
            " < node.querySelector('rect').getBBox().width)"))
        # blanks at the ends of a label belong to it
        d.put("blanks", b'"a","b",1\n" a","b",2\n', "?transform=none")
        b.go("#/graphs/blanks/path?from=%20a&to=b")
        b.find("dd", "2")
        b.click("#vertex-from")
        b.keys(Keys.ENTER, Keys.TAB)
        b.click(".swap")
        b.wait_hash("from=b&to=+a")
        b.click(".swap")
        b.wait_hash("from=+a&to=b")
        b.go("#/daemon")
        b.find("dt", "Disk left for tables")
        b.find("h2", "Jobs")
        b.find("td", "celegans")

    def test_progress_and_cancel(self):
        with self.daemon(solver=self.gate.path) as d:
            b = self.page(d)
            b.go("")
            b.click("button.primary", "sample")
            b.find(".job .phase")
            self.gate.wait_held(1)
            b.find(".job progress")
            self.assertSound(b, "a job that runs")
            d.ask("PUT", "/v1/graphs/celegans/attributes", b"label,name,kind\n125,AVAL,motor\n",
                  {"Content-Type": "text/csv"})
            b.go("#/graphs/celegans/path")
            b.click("#vertex-from")
            b.keys("125")
            b.find(".combo .hint", "AVAL")  # before there are tables
            b.keys(*3 * [Keys.BACKSPACE], "mot")
            b.find("li[role=option]", "AVAL · motor")  # why it is offered
            b.go("#/graphs/celegans")
            b.find(".job .phase", "Starting")  # the daemon has answered, and is asked again
            b.click(".job button", "Cancel")
            b.find(".trouble", "cancelled")
            self.assertEqual(d.jobs()[0]["state"], "cancelled")
            self.assertIn("wait=5&progress=1", b.js(
                "return performance.getEntriesByType('resource').map((e) => e.name).join()"))
            self.assertSound(b, "a job that was cancelled")
            b.click("button", "Compute again")
            self.gate.wait_held(2)
            b.go("#/")
            b.find("td .badge.running")
            self.gate.open()
            b.find("td .badge.succeeded")  # without being loaded again

    def test_token(self):
        """The page asks for a token, sends it with uploads and downloads, and forgets it."""
        path = os.path.join(self.directory, "tokens")
        token = subprocess.run([APSPD, "--tokens", path, "--new-token", "write:page"],
                               check=True, capture_output=True, text=True).stdout.strip()
        with self.daemon(args=("--tokens", path)) as d:
            b = self.page(d)
            b.go("")
            b.find("h1", "requires a token")
            b.click("input[type=password]")
            b.keys("wrong", Keys.ENTER)
            b.find(".trouble", "does not accept this token")
            # the refusals themselves are told by the browser, and nothing else
            self.assertTrue(all("401" in message for message in b.messages()))
            self.assertEqual(b.axe(), [])
            b.click("input[type=password]")
            b.keys(token + "\u2026", Keys.ENTER)  # which no header can have
            b.find(".trouble", "does not accept this token")
            b.keys(token, Keys.ENTER)  # replaces the text
            b.click("button.primary", "sample")
            b.find(".badge.succeeded")
            self.assertEqual(b.messages(), [])
            self.assertEqual(b.js("return document.cookie + Object.values(localStorage)"
                                  " + Object.values(sessionStorage) + location.href"
                                  ).count(token), 0)
            b.driver.refresh()
            b.find("h1", "requires a token")
            b.messages()


if __name__ == "__main__":
    unittest.main()
