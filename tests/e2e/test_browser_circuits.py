"""Circuits on the page (Debian's chromium, driven by selenium): sets of vertices with their
counts, the drawing and its files beside the daemon's own answers, and the way to a circuit
from the picture of groups.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser_circuits.py
"""
import os
import sys
import unittest

from selenium.webdriver.common.keys import Keys

from browser import DESK, PHONE, PageCase
from harness import SOURCE_ROOT, data

sys.path.insert(0, os.path.join(SOURCE_ROOT, "api", "clients"))
import apspd  # noqa: E402

# This script returns the call in Python that has a set of some conditions as its argument.
LINE = """
const [match, done] = arguments;
const part = (name) => import(document.querySelector("script[type=module]").src.replace("app.js", name));
Promise.all([part("share.js"), part("vertex_set.js")]).then(([{call}, {forPython}]) =>
	done(call("ask", [], {of: forPython({labels: [], match})}))).catch((error) => done(String(error)));"""
NAME = "22c ORN left"  # of 40045
UPN, MBON = "type:uPN", "type:MBON"
FRAGMENT = f"#/graphs/larva/circuit?from_match={UPN}&to_match={MBON}"


def larva(d):
    d.put("larva", data("larva_edges.csv"), "?transform=inv")
    d.ask("PUT", "/v1/graphs/larva/attributes", data("larva_vertices.csv"),
          {"Content-Type": "text/csv"})


def ask(d, **question):
    return d.ask("POST", "/v1/graphs/larva/circuit", {
        "sources": {"match": [UPN]}, "targets": {"match": [MBON]}, "max_arcs": 2000, **question})


class Circuits(PageCase):
    def test_circuits(self):
        with self.daemon() as d:
            larva(d)
            b = self.page(d)
            b.go("#/graphs/larva/circuit")
            b.find(".empty", "Choose two sets")
            self.assertSound(b, "no sets yet")
            self.sets(b, d)
            self.names(b)
            self.drawing(b, d)
            self.choose(b)
            self.files(b, d)
            self.too_many(b, d)
            self.other_bounds(b, d)
            self.from_groups(b)

    def sets(self, b, d):
        """Conditions are offered with their counts; several narrow or widen the set."""
        b.click("#vertex-from")
        b.keys("uP")
        b.find("li[role=option]", UPN)
        b.find("li[role=option] small", "42 vertices")
        b.keys(Keys.ARROW_DOWN, Keys.ENTER)
        b.wait_hash("from_match=type%3AuPN")
        b.find(".set .hint", "42 vertices")
        for added in ("type:mPN", "side:L"):
            b.click("#vertex-from")
            b.keys(added, Keys.ENTER)
            b.find(".set .chip", added)
        chosen = d.ask("GET", "/v1/graphs/larva/vertices?limit=10000&match=type:uPN"
                       "&match=type:mPN&match=side:L").json["vertices"]
        b.find(".set .hint", f"{len(chosen)} vertices")
        b.click("#vertex-from")
        b.keys(f"label:{chosen[0]}", Keys.ENTER)
        b.find(".set .hint", "1 vertex")
        for added in ("type:mPN", "side:L", f"label:{chosen[0]}"):
            b.click(f"[aria-label='Remove {added}']")
        b.click("#vertex-to")
        b.keys("29, 8419602", Keys.ENTER)  # labels, in the place of conditions
        b.wait_hash("to=29&to=8419602")
        b.find(".set .chip", "29 (KC #0)")
        b.click("#vertex-to")
        b.keys(MBON, Keys.ENTER)
        b.wait_hash("to_match=type%3AMBON")
        self.assertNotIn("to=29", b.js("return location.hash"))

    def names(self, b):
        """A box takes the whole name of one vertex in place of its label, but not a name that
        several vertices have."""
        b.click("#vertex-from")
        b.keys(NAME)
        b.find("li[role=option] small", NAME)
        b.keys(Keys.ENTER)
        b.find(".set .chip", f"40045 ({NAME})")
        for name, part in ("KC72", "from=KC72"), (NAME, "from=40045"):
            b.go("#/graphs/larva/path?to=29")
            b.click("#vertex-from")
            b.keys(name)
            b.find("li[role=option] small", name)
            b.keys(Keys.ENTER)
            b.wait_hash(part)
            b.find(".trouble" if name == "KC72" else ".facts")
        b.find("#vertex-from-name", NAME)
        b.messages()  # the refusal of KC72

    def test_labels_with_blanks(self):
        """A label from the list, or typed as it is, is one vertex; other texts are lists of
        labels, which may be quoted."""
        with self.daemon() as d:
            d.put("towns", b'New York,"Paris, TX",1\n"Paris, TX",Rome,2\nRome,Ulm,3\n',
                  "?transform=none")
            b = self.page(d)
            b.go("#/graphs/towns/circuit")
            b.click("#vertex-from")
            b.keys("New")
            b.find("li[role=option]", "New York")
            b.keys(Keys.ARROW_DOWN, Keys.ENTER)
            b.find(".set .chip", "New York")
            b.find(".set .hint", "1 vertex")
            b.click("#vertex-to")
            b.keys("Paris, TX")
            b.find("li[role=option]", "Paris, TX")
            b.keys(Keys.ENTER)
            b.find(".facts")
            self.assertEqual(b.js("return location.hash"),
                             "#/graphs/towns/circuit?from=New+York&to=Paris%2C+TX")
            b.click("#vertex-to")
            b.keys('Rome "New York",Ulm', Keys.ENTER)
            b.wait_hash("&to=Paris%2C+TX&to=Rome&to=New+York&to=Ulm")
            b.find(".facts")
            self.assertSound(b, "labels with blanks")

    def drawing(self, b, d):
        b.go(FRAGMENT)
        found = ask(d, slack=0).json
        b.wait("all vertices", lambda: b.count(".dag .node") == len(found["vertices"]))
        self.assertEqual(b.count(".dag polygon"), len(found["arcs"]))
        facts = b.text_of(b.find(".facts"))
        for figure in (found["pairs"], found["n_arcs"], len(found["vertices"])):
            self.assertIn(f"{figure:,}", facts)
        ends = {v["vertex"] for v in found["vertices"]
                if v["attributes"].get("type") in ("uPN", "MBON")}
        self.assertEqual(set(b.js(
            "return [...document.querySelectorAll('.dag .node.end')]"
            ".map((node) => node.dataset.vertex)")), ends)
        self.assertSound(b, "a circuit")
        b.scheme("dark")
        b.size(PHONE)
        b.wait("as wide as a phone", lambda: b.js(
            "return document.documentElement.scrollWidth") <= PHONE["width"])
        self.assertSound(b, "a circuit on a phone")
        b.size(DESK)
        b.scheme("light")

    def choose(self, b):
        """The arcs of a vertex, by keyboard alone."""
        b.tab_to(".dag [role=button]")
        b.keys(Keys.ARROW_RIGHT, Keys.ENTER)
        vertex = b.js("return document.activeElement.dataset.vertex")
        card = b.find(".card h3", vertex)
        n_arcs = b.js("return arguments[0].parentNode.querySelectorAll('tbody tr').length", card)
        self.assertEqual(b.count(".dag path.on"), n_arcs)

    def files(self, b, d):
        """Each format is the daemon's own answer to the question of the page."""
        b.go(FRAGMENT + "&by=group")
        b.find(".dag .node.end")
        where = os.path.join(b.profile, "downloads")
        b.downloads()
        for button in b.js("return [...document.querySelectorAll('.tools button')]"
                           ".map((one) => one.ariaLabel).filter((name) => name.startsWith('Save'))"):
            b.click(f"[aria-label='{button}']")
            name = b.wait(button, lambda: os.path.isdir(where) and [
                one for one in os.listdir(where) if not one.endswith((".crdownload", ".tmp"))
                and os.path.getsize(os.path.join(where, one))])[0]
            with open(os.path.join(where, name), "rb") as file:
                content = file.read()
            os.remove(os.path.join(where, name))
            ending = name.rsplit(".", 1)[1]
            if ending == "svg":
                drawing = self.file("drawing.svg", content)
            if ending not in ("svg", "png"):
                self.assertEqual(content, d.ask("POST", (
                    f"/v1/graphs/larva/circuit?format={ending}"), {
                        "sources": {"match": [UPN]}, "targets": {"match": [MBON]}, "slack": 0,
                        "by": "group", "max_arcs": 2000}).body, button)
        self.assertEqual(b.messages(), [])
        self.python(b, d)
        self.foot(b, d, drawing)

    def foot(self, b, d, drawing):
        """Below a saved drawing are its legend and its whole source; no text is cut off."""
        entries = [text.strip() for text in b.text_of(b.find(".legend")).split("\n")]
        self.assertIn("leads back, or stays in its layer", entries)
        for size in DESK, PHONE:
            b.size(size)
            b.driver.get(f"file://{drawing}")
            beyond = b.js(
                "const {width, height} = document.documentElement.viewBox.baseVal;"
                "return [...document.querySelectorAll('svg > text')].filter((one) => {"
                " const {x, y, width: wide, height: high} = one.getBBox();"
                " return x < 0 || x + wide > width || y + high > height;"
                "}).map((one) => one.textContent)")
            self.assertEqual(beyond, [])
            texts = b.js("return [...document.querySelectorAll('svg > text')]"
                         ".map((one) => one.textContent)")
            self.assertEqual(texts[:len(entries) + 2], [
                "Weight of an arc:", *entries, "share of the pairs that use the vertex"])
            source = " ".join(texts[len(entries) + 2:])
            self.assertIn(d.ask("GET", "/v1/graphs/larva").json["revision"][:16], source)
            self.assertTrue(source.endswith(f"{UPN} to {MBON}, slack 0, by group"), source)
            colours = b.js("return [...document.querySelectorAll('svg > rect')].slice(1)"
                           ".map((one) => one.getAttribute('fill'))")
            self.assertEqual([len(colours), len(set(colours))], [len(entries) + 1, 3])
            if size is DESK:
                b.size(PHONE)
                b.go(FRAGMENT + "&by=group")
                b.find(".dag .node.end")
                b.downloads()
                b.click("[aria-label='Save as SVG']")
                drawing = self.file("narrow.svg", b.wait("the drawing", b.downloads).encode())
                b.forget_downloads()
        b.requests()  # the drawings are files, and no requests of the page
        b.asked = {url for url in b.asked if not url.startswith("file:")}
        b.size(DESK)

    def python(self, b, d):
        """The line of Python asks the same question."""
        b.js("document.querySelector('.share').open = true")
        line = b.text_of(b.find(".share code", "apspd.connect"))
        self.assertTrue(line.startswith("import apspd; "), line)
        found = eval(line.removeprefix("import apspd; "), {"apspd": apspd})
        answer = ask(d, slack=0, by="group").json
        self.assertEqual([found.pairs, found.n_arcs, list(found.arcs["weight"])],
                         [answer["pairs"], answer["n_arcs"],
                          [arc["weight"] for arc in answer["arcs"]]])
        # these names have a meaning in JavaScript
        names = ["code", "constructor", "__proto__", "length"]
        line = b.driver.execute_async_script(LINE, [name + ":exit()" for name in names])
        self.assertEqual(eval(line, {"ask": dict}), {"of": {name: ["exit()"] for name in names}})

    def too_many(self, b, d):
        """Too many arcs: the page says how many, and offers the slack that fits."""
        b.go(FRAGMENT + "&slack=0.2")
        n_arcs = ask(d, slack=0.2).json["n_arcs"]
        b.find(".empty", f"{n_arcs:,} arcs, more than the 2,000")
        fits = ask(d, slack=0.2).json["fits"]
        b.click(".empty button", f"Use slack {fits}")
        b.wait_hash(f"slack={fits}")
        b.find(".dag .node")
        b.go(FRAGMENT + "&slack=0.2")
        b.click(".empty button", "Draw by type")
        b.wait_hash("by=type")
        b.find(".dag .node", "uPN")

    def other_bounds(self, b, d):
        b.go(FRAGMENT + "&hops=..2")
        found = ask(d, hops="..2").json
        b.wait("arcs", lambda: b.count(".dag polygon") == len(found["arcs"]))
        b.go(FRAGMENT + "&within=0.2")
        found = ask(d, within=0.2).json
        b.wait("arcs", lambda: b.count(".dag polygon") == len(found["arcs"]))
        b.go("#/graphs/larva/circuit?from=29&to=nobody")
        b.find(".trouble", "nobody")
        b.messages()  # the refusal itself

    def from_groups(self, b):
        b.go("#/graphs/larva/groups?by=group")
        canvas = b.find(".map canvas")
        b.js("arguments[0].scrollIntoView({block: 'center'}); arguments[0].focus()", canvas)
        b.keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        pair = b.text_of(b.find(".map p.hint", "→")).split(":")[0].split(" → ")
        b.keys(Keys.ENTER)
        b.wait_hash("/circuit?from_match=group%3A{}&to_match=group%3A{}&by=group".format(*pair))
        b.find(".dag .node.end")
        self.assertSound(b, "a circuit of groups")


if __name__ == "__main__":
    unittest.main()
