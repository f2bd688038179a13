"""Rules on the page (Debian's chromium, driven by selenium): the forms of a profile and of an
upload, each view of a profile with widest paths, comparisons, units and bundles, beside the
daemon's own answers.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser_rules.py
"""
import csv
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PHONE, DESK, PageCase

ARCS = b"""from,to,weight
a1,b1,8
a1,b2,2
b1,c,5
b2,c,2
c,a2,4
a2,b2,9
"""
TYPES = b"label,type\na1,A\na2,A\nb1,B\nb2,B\nc,C\n"
# The words of the page for each rule.
WORDS = """
const [rules, done] = arguments;
import(document.querySelector("script[type=module]").src.replace("app.js", "dom.js")).then(({ruleText}) => done(rules.map(ruleText)));"""


class Rules(PageCase):
    def test_rules(self):
        with self.daemon() as d:
            d.put("few", ARCS, "?transform=inv")
            d.ask("PUT", "/v1/graphs/few/attributes", TYPES, {"Content-Type": "text/csv"})
            b = self.page(d)
            self.shares(b, d)
            self.lesion(b, d)
            self.first_click(b, d)
            self.replaced(b, d)
            self.widest(b, d)
            self.views(b, d)
            self.comparison(b, d)
            self.two_graphs(b, d)
            self.made_from(b, d)
            self.derived(b, d)
            self.unit(b, d)
            self.upload(b, d)
            self.bundle(b, d)

    def made_from(self, b, d):
        """What a graph was made from, the measures of a profile, and why a figure is missing."""
        for query in ("by=type", "match=type:A"):
            sent = d.ask("PUT", f"/v1/graphs/made?of=few&{query}&measures=betweenness"
                                "&transform=inv&wait=30")
            self.assertStatus(sent, 200)
            b.go("#/")
            b.go("#/graphs/made")
            b.find("dl.facts div", "few, by type" if "by" in query else "few, type:A")
        b.find("td small", "with betweenness")
        link = b.find("main a[download]", "the largest betweenness first")
        self.assertIn("stats?vertices=1&sort=betweenness", link.get_attribute("href"))
        self.assertSound(b, "a graph made from a graph")
        b.go("#/graphs/made/whole")
        b.find("th", "Largest betweenness")
        d.put("zero", b"a,b,0\nb,c,1\n", "?transform=none")
        b.go("#/graphs/zero/whole")
        b.find("p.hint", "the distance of some pair is 0")
        for graph in ("made", "zero"):
            self.assertEqual(d.ask("DELETE", f"/v1/graphs/{graph}").status, 204)
        b.go("#/graphs/few")

    def derived(self, b, d):
        """Graphs that the page makes from a graph: sums between types, and a part."""
        title, send = "A graph from this graph", "form button.primary"
        d.put("plain", ARCS, "?transform=inv")
        b.go("#/graphs/plain")
        b.click("summary", title)
        b.find("p.hint", "this graph has none")
        for query, name in ("by=type", "kinds"), ("match=type:A&match=type:B", "part"):
            b.go("#/graphs/few")
            b.click("summary", title)
            b.click("details[open] form input[required]")
            b.keys(name)
            if name == "part":
                b.click("label", "Only some of the vertices")
                self.refused_text(b)
                self.assertFalse(b.find(send, "Make").is_enabled())
                for added in "c", "type:A", "type:B":
                    b.click("#vertex-vertices-of-the-new-graph")
                    b.keys(added, Keys.ENTER)
                    if added == "c":
                        b.find("details[open] form .warn", "'c' names no attribute")
                self.assertEqual(b.count("details[open] form .warn"), 0)
                b.find(".set .chip", "type:B")
                b.find(".set .hint", "4 vertices")
            else:
                b.wait("the attribute", lambda: b.js(
                    "return document.querySelector('details[open] select').value") == "type")
            self.assertSound(b, title)
            b.click(send, "Make the graph")
            b.find("details[open] form a", f"Show {name}")
            record = d.ask("GET", f"/v1/graphs/{name}").json
            newest = record if record["revision"] else record["pending"]
            told = b.text_of(b.find("details[open] form p", f"{name}: "))
            used = {"kinds": 6, "part": 3}[name]
            self.assertIn(f"{name}: {newest['vertices']} vertices and {newest['arcs']} arcs, "
                          f"made from {used} arcs.", told)
            origin = newest["derived_from"]
            self.assertEqual([origin["graph"], origin.get("by"), origin.get("match")],
                             ["few", "type", None] if name == "kinds"
                             else ["few", None, ["type:A", "type:B"]])
            b.click("details[open] form .share summary")
            self.assertIn(f"/v1/graphs/{name}?of=few&{query}".replace(":", "%3A"), b.text_of(
                b.find("details[open] form .share code", "curl")))
            # a graph of that name is not replaced
            b.click(send, "Make the graph")
            b.find("details[open] .trouble", "exists already")
            self.assertEqual(d.ask("DELETE", f"/v1/graphs/{name}").status, 204)
            b.click(send, "Make the graph")
            b.click("details[open] form a", f"Show {name}")
            b.wait_hash(f"#/graphs/{name}")
            b.find("dl.facts div", "few, by type" if name == "kinds" else "few, type:A, type:B")
            self.assertSound(b, "a graph from a form", ("status of 412",))
            self.assertEqual(d.ask("DELETE", f"/v1/graphs/{name}").status, 204)
        self.assertEqual(d.ask("DELETE", "/v1/graphs/plain").status, 204)

    def refused_text(self, b):
        """The name of a vertex is refused as it was typed, until the other way is chosen."""
        b.click("#vertex-vertices-of-the-new-graph")
        b.keys("C", Keys.ENTER)
        b.find("details[open] form .warn", "'C' names no attribute")
        b.click("label", "Values of an attribute")
        self.assertEqual(b.count("details[open] form .warn"), 0)
        b.click("label", "Only some of the vertices")
        self.release_on_disabled(b)

    def release_on_disabled(self, b):
        """Chromium sends no mouseup to a disabled button: the next choice is shown all the same."""
        hint = b.find("details[open] form .hint", "Values of one attribute add vertices")
        button = b.find("details[open] form button.primary")
        b.js("arguments[0].scrollIntoView({block: 'center'})", button)
        ActionChains(b.driver).click_and_hold(hint).move_to_element(button).release().perform()
        b.js("document.querySelector('#vertex-vertices-of-the-new-graph').focus()")
        b.js("const input = document.activeElement; input.value = 'type:A';"
             "input.dispatchEvent(new Event('change'))")
        b.find(".set .chip", "type:A")
        b.click("[aria-label='Remove type:A']")
        b.wait("no chip", lambda: not b.count(".set .chip"))

    def form(self, b, name):
        b.go("#/graphs/few")
        b.click("summary", "Add a profile")
        b.click("form input[required]")
        b.keys(name)

    def compute(self, b, d, name):
        b.click("form button.primary", "Compute")
        b.find("tbody th", name)
        b.wait("the tables", lambda: "computing" not in b.text_of(b.find("table")))
        return d.ask("GET", f"/v1/graphs/few/profiles/{name}").json

    def choose(self, b, label, text):
        """Choose an option of the control that has this label."""
        b.wait(label, lambda: b.js(
            "const label = [...document.querySelectorAll('main label')].find((one) =>"
            " one.textContent.startsWith(arguments[0]));"
            "const select = label && document.getElementById(label.htmlFor);"
            "const option = select && [...select.options].find((one) => one.text === arguments[1]);"
            "if (!option) return false;"
            "select.value = option.value; select.dispatchEvent(new Event('change')); return true;",
            label, text))

    def facts(self, b):
        """The figures of the view: {term: text}."""
        return dict(b.js("return [...document.querySelectorAll('.facts div')].map((one) =>"
                         " [one.children[0].innerText, one.children[1].innerText])"))

    def rows(self, b, caption):
        return b.js("return [...document.querySelectorAll("
                    "`[aria-label='${arguments[0]}'] tbody tr`)].map((row) =>"
                    " [...row.cells].map((cell) => cell.innerText.split('\\n')[0]))", caption)

    def shares(self, b, d):
        """Weights as shares of the receiver's input, without the small ones."""
        self.form(b, "share")
        b.click("label", "length = −ln weight")
        b.js("const one = [...document.querySelectorAll('form select')].find((select) =>"
             " [...select.options].some((option) => option.value === 'input'));"
             "one.value = 'input'; one.dispatchEvent(new Event('change'))")
        b.click("form input[max='1']")
        b.keys("0.25")
        self.assertEqual(b.js("return [...document.querySelectorAll('form [name=rule]')]"
                              ".map((one) => one.parentNode.innerText)"), [
            "length = 1 / share of input", "length = share of input", "every arc counts 1",
            "length = −ln (share of input)", "length = −ln (share of input / largest)",
            "widest paths: the weakest arc counts, width = share of input"])
        self.assertSound(b, "the form")
        rule = self.compute(b, d, "share")
        self.assertEqual([rule[name] for name in ("transform", "normalise", "min_share", "state")],
                         ["log", "input", 0.25, "ready"])
        self.assertEqual(rule["arcs"], 5)  # 2/11 of the input of b2 is dropped, 2/7 of that of c is not
        b.find("td small", "shares of input from 0.25")
        b.find("td", "length = −ln (share of input)")
        b.go("#/graphs/few/compare?profile=share&with=default")
        b.find(".answer p", "Profile share (length = −ln (share of input), shares of input from 0.25)")
        b.find(".answer p", "profile default (length = 1 / weight)")
        b.go("#/graphs/few/path?from=b1&to=a2&profile=share")
        self.assertIn("profile share: length = −ln (share of input) ·", self.cited(b))
        self.column(b, "Arcs", "Length (−ln (share of input))")
        b.go("#/graphs/few/circuit?from=b1&to=a2&profile=share")
        self.column(b, "Arcs", "Length (−ln (share of input))")
        for name, rule, head in (
                ("part", {"transform": "none"}, "Length (share of input)"),
                ("inverse", {"transform": "inv"}, "Length (1 / share of input)"),
                ("weakest", {"path": "widest"}, "Width (share of input)")):
            self.put_profile(d, name, {**rule, "normalise": "input"})
            b.go(f"#/graphs/few/path?from=b1&to=a2&profile={name}")
            self.column(b, "Arcs", head)
            self.assertEqual(d.ask("DELETE", f"/v1/graphs/few/profiles/{name}").status, 204)
        b.go("#/graphs/few/path?from=b1&to=a2")
        self.column(b, "Arcs", "Length")
        b.go("#/graphs/few/circuit?from=b1&to=a2&profile=share")
        self.assertIn("profile share: length = −ln (share of input) ·", self.cited(b))
        b.go("#/graphs/few/circuit?from=b1&to=a2")
        self.assertIn("profile default: length = 1 / weight ·", self.cited(b))
        self.every_rule(b)

    def column(self, b, caption, head):
        """The table has a column with this head."""
        b.wait(head, lambda: head in b.js(
            "return [...document.querySelectorAll(`[aria-label='${arguments[0]}'] th`)]"
            ".map((one) => one.textContent.trim())", caption))

    def cited(self, b):
        """The line below a saved drawing."""
        b.downloads()
        b.click("[aria-label='Save as SVG']")
        drawing = b.wait("the drawing", b.downloads)
        b.forget_downloads()
        return drawing

    def every_rule(self, b):
        """Each rule in words, without and with normalise."""
        rules = [{"transform": name} for name in ("inv", "none", "hops", "log", "lognorm")]
        rules.append({"transform": "none", "path": "widest"})
        found = b.driver.execute_async_script(WORDS, [
            {**rule, "normalise": by} for by in (None, "none") for rule in rules])
        plain = ["length = 1 / weight", "length = weight", "every arc counts 1",
                 "length = −ln weight", "length = −ln (weight / largest)",
                 "widest paths: the weakest arc counts"]
        self.assertEqual(found, 2 * plain)
        found = b.driver.execute_async_script(WORDS, [
            {**rule, "normalise": "output", "normalise_by": "post"} for rule in rules])
        self.assertEqual(found, [
            "length = 1 / share of output by post", "length = share of output by post",
            "every arc counts 1", "length = −ln (share of output by post)",
            "length = −ln (share of output by post / largest)",
            "widest paths: the weakest arc counts, width = share of output by post"])

    def lesion(self, b, d):
        """Vertices that are left out, with their count before anything is computed."""
        self.form(b, "lesion")
        b.click("label", "length = 1 / weight")
        b.click("#vertex-leave-out")
        b.keys("label:nobody", Keys.ENTER)
        b.find(".set .hint", "0 vertices")
        b.click("[aria-label='Remove label:nobody']")
        b.click("#vertex-leave-out")
        b.keys("type:B", Keys.ENTER)
        b.find(".set .chip", "type:B")
        b.find(".set .hint", "2 vertices")
        self.assertSound(b, "the form of a lesion")
        rule = self.compute(b, d, "lesion")
        self.assertEqual([rule["without"], rule["left_out"], rule["state"]],
                         [["type:B"], 2, "ready"])
        b.find("td small", "without type:B, 2 vertices left out")
        b.go("#/graphs/few/path?from=a1&to=c&profile=lesion")
        b.find(".empty", "There is no path")
        b.go("#/graphs/few/path?from=a1&to=b1&profile=lesion")
        b.find(".empty", "b1 (B) is left out of this profile")
        b.go("#/graphs/few/reach?of=b1&profile=lesion")
        b.find(".empty", "b1 (B) is left out of this profile")
        b.go("#/graphs/few/reach?of=c&profile=lesion")
        b.find("dd", "50.0 %")  # a2, of the two others that are not left out
        # a rule whose job failed leaves the answers to the rule before it
        d.put("cycle", b"a1,b1,-1\nb1,a1,-1\nb1,b2,1\n", "?transform=hops&without=label:b2")
        d.ask("PUT", "/v1/graphs/cycle/attributes", TYPES, {"Content-Type": "text/csv"})
        job = d.ask("PUT", "/v1/graphs/cycle/profiles/default?default_rule=replace",
                    {"transform": "none"}).json["job"]
        self.assertEqual(d.wait(job)["state"], "failed")
        b.go("#/graphs/cycle/reach?of=b2")
        b.find(".empty", "b2 (B) is left out of this profile")
        b.go("#/graphs/cycle/reach?of=a1")
        b.find("dd", "100.0 %")
        b.find("[aria-label='By type'] td", "100.0 %")
        self.assertEqual(d.ask("DELETE", "/v1/graphs/cycle").status, 204)

    def first_click(self, b, d):
        """A click on the button also adds the text of a set that Enter has not added."""
        self.form(b, "typed")
        b.click("#vertex-leave-out")
        b.keys("type:C")
        b.find("li[role=option]", "type:C")
        rule = self.compute(b, d, "typed")
        self.assertEqual([rule["without"], rule["left_out"]], [["type:C"], 1])
        self.assertEqual(d.ask("DELETE", "/v1/graphs/few/profiles/typed").status, 204)

    def replaced(self, b, d):
        """Only a button that says so replaces a profile: one that was there when the form was
        opened, and one that was added since then."""
        for late in False, True:
            if not late:
                self.put_profile(d, "twice", {"transform": "hops"})
            self.form(b, "twice")
            b.click("label", "length = 1 / weight")
            if late:
                self.put_profile(d, "twice", {"transform": "hops"})
                b.click("form button.primary", "Compute")
                b.find(".trouble", "exists already")
            button = b.find("form button.primary", "Replace profile twice")
            self.assertEqual(d.ask("GET", "/v1/graphs/few/profiles/twice").json["transform"],
                             "hops")
            if not late:
                b.click("form input[required]")
                b.keys("0")
                self.assertEqual(b.text_of(button), "Compute")
                b.keys(Keys.BACKSPACE)
            self.assertSound(b, "a profile that exists", ("status of 412",))
            b.click("form button.primary", "Replace profile twice")
            b.wait("the new rule", lambda: d.ask(
                "GET", "/v1/graphs/few/profiles/twice").json["transform"] == "inv")
            self.assertEqual(d.ask("DELETE", "/v1/graphs/few/profiles/twice").status, 204)

    def put_profile(self, d, name, rule):
        reply = d.ask("PUT", f"/v1/graphs/few/profiles/{name}", rule)
        self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")

    def widest(self, b, d):
        self.form(b, "wide")
        b.click("label", "the weakest arc counts")
        rule = self.compute(b, d, "wide")
        self.assertEqual([rule["path"], rule["state"]], ["widest", "ready"])
        b.find("td", "the weakest arc counts")
        self.assertSound(b, "two profiles")

    def views(self, b, d):
        b.go("#/graphs/few/path?from=a1&to=b2&profile=wide")
        b.find("dt", "Width")
        self.assertIn("4", b.text_of(b.find(".facts")).split())  # by b1, c and a2
        self.assertEqual(b.count(".dag .node"), 5)
        self.assertSound(b, "a widest path")
        b.go("#/graphs/few/reach?of=a1&profile=wide&distance=5")
        b.find("label", "Width at least")
        b.find("dd", "2 vertices")
        self.assertEqual(b.js("return [...document.querySelectorAll('[aria-label=Vertices] tbody tr')]"
                              ".map((row) => [row.cells[0].innerText.split('\\n')[0],"
                              " row.cells[1].innerText])"), [["b1", "8"], ["c", "5"]])
        self.assertSound(b, "a set by width")
        self.groups(b, d)
        b.go("#/graphs/few/whole?profile=wide&order=type")
        stats = d.ask("GET", "/v1/graphs/few/stats?profile=wide&bins=60").json
        b.find(".charts figcaption", "Pairs by threshold")
        self.assertEqual(
            b.js("return [...document.querySelectorAll('.charts tbody tr')].map((row) =>"
                 " [...row.cells].slice(0, 2).map((cell) => Number(cell.textContent)))"),
            [list(row) for row in zip(stats["width_histogram"]["widths"],
                                      stats["width_histogram"]["pairs"])])
        b.find(".map canvas")
        self.assertSound(b, "widths of all pairs")
        b.go("#/graphs/few/compare?profile=wide")
        b.find(".empty", "There is nothing to compare with")  # other profiles have distances
        b.go("#/graphs/few/circuit?from=a1&to=c&profile=wide")
        b.find(".empty", "has widest paths")
        b.click(".empty button", "Use profile default")
        b.wait("another profile", lambda: "profile=" not in b.js("return location.hash"))
        b.go("#/graphs/few/circuit?from=a3&to=c")
        b.find(".trouble", "'a3' is not in the graph")
        self.assertSound(b, "a circuit of an unknown vertex", ("status of 422",))
        b.size(PHONE)
        b.wait("as wide as a phone", lambda: b.js(
            "return document.documentElement.scrollWidth") <= PHONE["width"])
        b.size(DESK)

    def comparison(self, b, d):
        """A profile beside another: what the daemon says, chosen, sorted and saved."""
        self.form(b, "strong")
        b.click("label", "length = 1 / weight")
        self.choose(b, "Several arcs", "their sum")
        self.choose(b, "Tables", "all: the fastest answers")
        b.click("form input[inputmode=decimal]")
        b.keys("4")
        rule = self.compute(b, d, "strong")
        self.assertEqual([rule[name] for name in ("transform", "duplicates", "tables", "min_weight")],
                         ["inv", "sum", "all", 4])
        b.go("#/graphs/few/compare?profile=strong")
        b.find(".empty", "Choose a profile or a graph")
        self.assertSound(b, "nothing compared")
        self.choose(b, "Compare with", "profile default")
        self.choose(b, "Groups", "by type")
        b.wait_hash("with=default&by=type")
        b.find("h2", "Groups by type")
        found = d.ask("POST", "/v1/graphs/few/compare?profile=strong",
                      {"with": {"profile": "default"}, "by": "type"}).json
        counts = found["counts"]
        self.assertGreater(counts["lost"], 0)
        facts = self.facts(b)
        for term, name in (("Lost", "lost"), ("Gained", "gained"), ("Longer", "longer"),
                           ("Shorter", "shorter"), ("Equal", "equal"), ("All pairs", "pairs")):
            self.assertEqual(next(text for key, text in facts.items()
                                  if key.startswith(term)).split()[0], str(counts[name]), term)
        pairs = "Pairs that change most"
        self.assertEqual([row[:3] for row in self.rows(b, pairs)], [
            [one["change"].capitalize(), one["from"], one["to"]] for one in found["changes"]])
        self.assertEqual(len(self.rows(b, "Groups that change most")), len(found["groups"]))
        self.assertSound(b, "two profiles compared")
        b.click("label", "Longer")
        b.wait_hash("show=longer")
        b.wait("longer pairs alone", lambda: {row[0] for row in self.rows(b, pairs)} == {"Longer"}
               or not self.rows(b, pairs))
        b.click("label", "Lost")
        b.wait("lost pairs alone", lambda: {row[0] for row in self.rows(b, pairs)} == {"Lost"})
        self.assertIn("no path", self.rows(b, pairs)[0])
        b.click(f"[aria-label='{pairs}'] .sort", "From")
        b.wait("in order", lambda: [row[1] for row in self.rows(b, pairs)] == sorted(
            one["from"] for one in found["changes"] if one["change"] == "lost"))
        b.downloads()
        b.js("[...document.querySelectorAll('button')].filter((one) =>"
             " one.textContent === 'Save as CSV').at(-1).click()")
        saved = list(csv.DictReader(b.wait("the file", b.downloads).splitlines()))
        self.assertEqual(
            sorted((row["from"], row["from_name"], row["to"], float(row["with_distance"]))
                   for row in saved),
            sorted((one["from"], one["from"][0].upper(), one["to"], one["with_distance"])
                   for one in found["changes"] if one["change"] == "lost"))
        b.forget_downloads()
        b.click("button", "Save every pair that changes as CSV")
        self.assertEqual(b.wait("every pair", b.downloads).splitlines(), d.ask(
            "POST", "/v1/graphs/few/compare?profile=strong&part=all&format=csv",
            {"with": {"profile": "default"}}).body.decode().splitlines())
        self.phone(b)
        # widths, whose changes have other names
        reply = d.ask("PUT", "/v1/graphs/few/profiles/broad", {"path": "widest", "min_weight": 5})
        self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
        b.go("#/graphs/few/compare?profile=broad&with=wide")
        b.find("dt", "Narrower here")
        self.assertEqual([row[:4] for row in self.rows(b, pairs)], [
            [one["change"].capitalize(), one["from"], one["to"],
             "no path" if one["width"] is None else f"{one['width']:g}"]
            for one in d.ask("POST", "/v1/graphs/few/compare?profile=broad",
                             {"with": {"profile": "wide"}}).json["changes"]])
        self.assertSound(b, "widths compared")

    def phone(self, b):
        b.size(PHONE)
        b.wait("as wide as a phone", lambda: b.js(
            "return document.documentElement.scrollWidth") <= PHONE["width"])
        b.size(DESK)

    def two_graphs(self, b, d):
        """Two graphs, whose vertices are matched by their label or by an attribute."""
        d.put("more", ARCS + b"b1,b2,4\n", "?transform=inv")
        d.ask("PUT", "/v1/graphs/more/attributes", TYPES, {"Content-Type": "text/csv"})
        b.go("#/graphs/more/compare")
        self.choose(b, "Compare with", "graph few")
        b.wait_hash("graph=few")
        b.find("p", "more, profile default")
        labels = d.ask("POST", "/v1/graphs/more/compare", {"with": {"graph": "few"}}).json
        self.assertEqual([row[1:3] for row in self.rows(b, "Pairs that change most")],
                         [[one["from"], one["to"]] for one in labels["changes"]])
        self.choose(b, "Match vertices by", "type")
        b.wait_hash("key=type")
        types = d.ask("POST", "/v1/graphs/more/compare",
                      {"with": {"graph": "few"}, "key": "type"}).json
        b.wait("the values", lambda: self.facts(b).get(
            "All pairs of values of type") == str(types["counts"]["pairs"]))
        self.choose(b, "Its profile", "lesion")
        b.wait_hash("with=lesion")
        b.find("p", "few, profile lesion")
        self.choose(b, "Its profile", "share")
        b.find(".note", "Only lost and gained pairs are counted: units differ: length = 1 / weight"
                        " here, and length = −ln (share of input) there.")
        self.assertSound(b, "two graphs compared")
        self.page_words(b, d)

    def page_words(self, b, d):
        """What cannot be compared is said by the names of the page's controls."""
        d.ask("PUT", "/v1/graphs/few/attributes", TYPES.replace(b"type\n", b"type,side\n").replace(
            b",A\n", b",A,L\n", 1).replace(b",A\n", b",A,R\n").replace(b",B\n", b",B,L\n").replace(
            b",C\n", b",C,L\n"), {"Content-Type": "text/csv"})
        d.put("numbers", b"1,2,3\n2,3,1\n", "?transform=inv")

        def trouble(fragment, *texts):
            b.go("#/graphs/" + fragment)
            for text in texts:
                b.find(".trouble", text)
            self.assertNotRegex(b.text_of(b.find(".trouble")), r"\"|'with'|'key'|'by'")

        trouble("few/compare?graph=numbers", "No vertex of few has the same label as a vertex of numbers.",
                "give both graphs this attribute")
        b.find(".trouble a", "Overview of numbers")
        self.other_choices(b, d, trouble)
        d.ask("PUT", "/v1/graphs/numbers/attributes", b"label,type\n1,A\n2,A\n3,C\n",
              {"Content-Type": "text/csv"})
        trouble("few/compare?graph=numbers", "Choose an attribute under “Match vertices by”.")
        self.assertSound(b, "graphs without a common label", ("status of 400",))
        trouble("few/compare?graph=numbers&key=side", "Vertices cannot be matched by side")
        trouble("few/compare?graph=numbers&key=type&by=side",
                "Vertices with the same type have several values of side", "under “Groups”")
        trouble("few/compare?graph=numbers&by=nonsense", "nonsense is not an attribute of few.",
                "under “Groups”")
        self.assertEqual(self.chosen(b, "Groups"), "by nonsense")
        # the daemon decides by the values of both graphs, and not by all values of one
        d.ask("PUT", "/v1/graphs/numbers/attributes", b"label,type\n1,B\n2,B\n3,C\n",
              {"Content-Type": "text/csv"})
        b.go("#/graphs/few/compare?graph=numbers&key=type")
        self.choose(b, "Groups", "by side")
        b.find("h2", "Groups by side")
        d.ask("PUT", "/v1/graphs/numbers/attributes", b"label,type\n1,X\n2,X\n3,Y\n",
              {"Content-Type": "text/csv"})
        trouble("few/compare?graph=numbers&key=type", "No value of type is in both graphs.",
                "under “Match vertices by”")
        d.ask("PUT", "/v1/graphs/numbers/attributes", b"label,type\n1,A\n2,A\n3,C\n",
              {"Content-Type": "text/csv"})
        trouble("few/compare?with=wide", "Profile wide has widest paths, and profile default has"
                " shortest paths", "under “Compare with”")
        b.go("#/graphs/few/compare?graph=numbers&key=type&by=type")
        b.find("h2", "Groups by type")
        self.assertSound(b, "graphs matched by type", ("status of 400",))
        # the same words beside pictures of two profiles
        b.go("#/graphs/few/whole?compare=share")
        b.find("p.hint", "Their lengths are not compared: units differ: length = 1 / weight in default,"
                         " and length = −ln (share of input) in share.")
        d.wait(d.ask("PUT", "/v1/graphs/few/profiles/least",
                     {"transform": "inv", "duplicates": "min"}).json["job"])
        b.go("#/graphs/few/compare?profile=least&with=default")
        b.find(".note", "units differ: several arcs of one pair count as the least here,"
                        " and their sum there.")
        b.find(".empty", "No pair is lost or gained.")
        self.own_scales(b, d)
        for path in ("numbers", "few/profiles/least"):
            self.assertEqual(d.ask("DELETE", f"/v1/graphs/{path}").status, 204)
        d.ask("PUT", "/v1/graphs/few/attributes", TYPES, {"Content-Type": "text/csv"})

    def own_scales(self, b, d):
        """If lengths are not compared, the pictures have scales of their own, for the same reason."""
        self.put_profile(d, "steps", {"transform": "hops"})
        self.put_profile(d, "stepped", {"transform": "hops", "normalise": "input"})
        differ = "nits differ: several arcs of one pair count as their sum in default, and the" \
                 " least in least."
        b.go("#/graphs/few/whole?compare=least")
        b.find("p.hint", f"Their lengths are not compared: u{differ} Compare pair by pair")
        b.find("p.hint", "Each picture has a scale of its own: compare their patterns, not"
                         f" their colours. U{differ}")
        # numbers of arcs are compared, also of arcs with shares
        b.go("#/graphs/few/whole?profile=steps&compare=stepped")
        b.find("p.hint", "Both have one scale.")
        for name in "steps", "stepped":
            self.assertEqual(d.ask("DELETE", f"/v1/graphs/few/profiles/{name}").status, 204)

    def other_choices(self, b, d, trouble):
        """Where a choice cannot be used, the control that the page names has another one."""
        b.go("#/graphs/few/compare?graph=more")
        self.choose(b, "Match vertices by", "type")
        b.wait_hash("key=type")
        self.choose(b, "Compare with", "graph numbers")  # which has no attributes
        b.find(".trouble", "under “Match vertices by”")
        self.assertEqual(self.chosen(b, "Match vertices by"), "type")
        self.choose(b, "Match vertices by", "their label")
        b.wait("no attribute", lambda: "key=" not in b.js("return location.hash"))
        b.find(".trouble", "No vertex of few has the same label")
        for name in "wideonly", "widemix":
            d.put(name, ARCS + b"c,b1,7\n", "?path=widest")
        trouble("few/compare?graph=wideonly", "Profile default of wideonly has widest paths",
                "under “Compare with”")
        d.wait(d.ask("PUT", "/v1/graphs/widemix/profiles/inv", {"transform": "inv"}).json["job"])
        trouble("few/compare?graph=widemix", "has widest paths", "under “Its profile”")
        self.assertEqual(self.chosen(b, "Its profile"), "default")
        self.choose(b, "Its profile", "inv")
        b.wait_hash("with=inv")
        b.find("p", "widemix, profile inv")
        for name in "wideonly", "widemix":
            self.assertEqual(d.ask("DELETE", f"/v1/graphs/{name}").status, 204)

    def chosen(self, b, label):
        """The option that the control with this label shows."""
        return b.js("const label = [...document.querySelectorAll('main label')].find((one) =>"
                    " one.textContent.startsWith(arguments[0]));"
                    "return label && document.getElementById(label.htmlFor).selectedOptions[0].text",
                    label)

    def unit(self, b, d):
        """The unit of weights: stored by a form, and shown beside numbers in each view."""
        b.go("#/graphs/few")
        b.click("summary", "Unit of weights")
        b.click("input[placeholder=synapses]")
        b.keys("synapses", Keys.ENTER)
        b.find("td small", "lengths in 1/synapses")
        self.assertEqual(d.ask("GET", "/v1/graphs/few").json["weight_unit"], "synapses")
        self.assertEqual(self.facts(b)["Weights in"], "synapses")
        self.assertSound(b, "a unit")
        for fragment, selector, text in (
                ("path?from=a1&to=c", ".facts dd", "1/synapses"),
                ("path?from=a1&to=c", ".legend", "8 synapses"),
                ("path?from=a1&to=c&profile=wide", ".facts dd", "synapses"),
                ("circuit?from=a1&to=c&slack=1", ".legend", "synapses"),
                ("reach?of=a1", "th", "Distance (1/synapses)"),
                ("reach?of=a1&profile=wide", "label", "Width at least (synapses)"),
                ("groups", "h2", "(1/synapses)"),
                ("whole", "figcaption", "Distances of all pairs (1/synapses)"),
                ("whole", ".scale", "in 1/synapses"),
                ("compare?profile=strong&with=default", "th", "There (1/synapses)")):
            b.go(f"#/graphs/few/{fragment}")
            b.find(selector, text)
        self.assertSound(b, "units")
        self.one(b, d)

    def one(self, b, d):
        """After 1, a unit that is a plural noun has no s; others stay."""
        for unit, after in ("synapses", "synapse"), ("ms", "ms"), ("1/synapses", "1/synapses"):
            d.put("one", b"from,to,weight\nx,y,1\ny,z,2\n",
                  f"?transform=none&weight_unit={unit.replace('/', '%2F')}")
            b.go("#/")
            b.go("#/graphs/one/path?from=x&to=y")
            b.find(".facts dd", f"1 {after}")
            self.assertEqual([self.facts(b)[term] for term in ("Distance", "Weight")],
                             2 * [f"1 {after}"])
            self.assertIn(f"Distance 1 {after}, Arcs 1, Weight 1 {after}", b.js(
                "return document.querySelector('#spoken').textContent"))
            self.name(d, "first")
            b.go("#/graphs/one/path?from=y&to=z")
            b.find(".facts dd", f"2 {unit}")
            b.find(".dag", "first")
        # while the view is open, somebody else changes the rule, the unit and the attributes
        self.name(d, "second")
        d.ask("PATCH", "/v1/graphs/one", {"weight_unit": "mm"})
        d.wait(d.ask("PUT", "/v1/graphs/one/profiles/default?default_rule=replace",
                     {"transform": "hops"}).json["job"])
        b.js("location.hash = '#/graphs/one/path?from=x&to=z'")
        b.find("[role=status]", "its rule or unit has changed")
        b.find(".facts dd", "2 arcs")
        self.assertEqual([self.facts(b)[term] for term in ("Distance", "Weight")],
                         ["2 arcs", "3 mm"])
        b.find(".dag", "second")
        self.assertEqual(d.ask("DELETE", "/v1/graphs/one").status, 204)

    def name(self, d, name):
        """Give a vertex of the graph `one` a name."""
        self.assertStatus(d.ask("PUT", "/v1/graphs/one/attributes", f"label,name\nz,{name}\n".encode(),
                                {"Content-Type": "text/csv"}), 200)

    def upload(self, b, d):
        """The options of a rule in the form of an upload; attributes of a graph that is there."""
        b.go("#/")
        b.find(".drop")
        b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(self.file("few.csv", ARCS))
        b.find(".card h3", "few.csv")
        b.find(".warn", "There is a graph 'few' already")
        # without a column of weights, there is no question what weights mean
        self.choose(b, "Weight", "none")
        b.find("form .hint", "There are no weights")
        self.assertEqual(b.count("form [name=transform]"), 0)
        self.assertIn("transform=hops", b.js(
            "return document.querySelector('form .share code').textContent"))
        self.choose(b, "Weight", "weight")
        b.click("label", "Strengths: the weakest arc")
        b.click("summary", "Thresholds")
        b.click("#vertex-leave-out")
        b.keys("type:C", Keys.ENTER)
        b.find(".set .hint", "1 vertex")  # by the attributes of the stored graph
        self.assertSound(b, "the form of an upload")
        b.js("const name = document.querySelector('form input[required]');"
             "name.value = 'other'; name.dispatchEvent(new Event('input'))")
        b.find(".hint", "vertices are chosen by their labels")
        b.click("#vertex-leave-out")
        b.keys("c", Keys.ENTER)
        self.choose(b, "Lengths are made from", "shares of the receiver's input")
        b.click("input[max='1']")
        b.keys("0.2")
        b.click("input[placeholder=synapses]")
        b.keys("counts")
        b.find(".estimate", "of computing")
        b.click("form .share summary")
        b.find("form .share code", "normalise=input")
        self.phone(b)
        b.click("button[type=submit]", "Upload and compute")
        b.wait_hash("#/graphs/other")
        b.find("td small", "shares of input from 0.2, without label:c, 1 vertex left out")
        rule = d.ask("GET", "/v1/graphs/other").json
        self.assertEqual(rule["weight_unit"], "counts")
        self.assertEqual([rule["profiles"][0][name] for name in (
            "path", "normalise", "min_share", "without", "length_unit")],
                         ["widest", "input", 0.2, ["label:c"], None])

    def bundle(self, b, d):
        """A graph is saved as one file, and restored by dropping it anywhere on the page."""
        b.go("#/graphs/few")
        b.click("summary", "Download or delete")
        link = b.find("a.button", "Save the graph with its tables")
        self.assertEqual(link.get_attribute("download"), "few.apspd.tar")
        self.assertIn("/v1/graphs/few/bundle?revision=", link.get_attribute("href"))
        reply = d.ask("PUT", "/v1/graphs/few/profiles/bare", {"tables": "none"})
        self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
        packed = d.ask("GET", "/v1/graphs/few/bundle").body
        b.go("#/")
        b.find(".drop")
        # the bytes come by the file's control, because a script cannot hold them
        chooser = b.driver.find_element(By.CSS_SELECTOR, "#file")
        chooser.send_keys(self.file("old.tar", b"x" * 257 + b"ustar\x0000" + bytes(300)))
        b.find(".trouble", "no bundle of apspd")
        chooser.send_keys(self.file("few.apspd.tar", packed))
        b.find(".card h3", "few.apspd.tar")
        facts = self.facts(b)
        self.assertEqual([facts[name] for name in ("Vertices", "Arcs", "Attributes", "Weights in")],
                         ["5", "6", "type", "synapses"])
        self.assertIn("lesion", facts["Profiles"])
        b.js("const name = document.querySelector('form input[required]');"
             "name.value = 'back'; name.dispatchEvent(new Event('input'))")
        b.find("label:has([value=all]:checked)", "Proved whole")  # a small graph
        b.js("document.querySelector('form .share').open = true")
        b.find("form .share code", "back?prove=all")
        b.click("label", "Computed again")
        b.find("form .share code", "back?tables=recompute")
        b.click("label", "Proved by a sample")
        b.find("form .share code", 'prove="seed")')
        self.assertSound(b, "the form of a bundle")
        # tables of the same upload and rule that are there need no proof
        revision = d.ask("GET", "/v1/graphs/few").json["revision"]
        self.assertEqual(d.ask("DELETE", "/v1/graphs/few").status, 204)
        b.click("button[type=submit]", "Restore the graph")
        b.wait_hash("#/graphs/back")
        b.find(".note li", "came with the file and answer once they are proved by a sample")
        b.find(".note li", "The tables of one profile are computed again: the file holds no tables")
        b.find("td small", "without type:B, 2 vertices left out")
        b.wait("the tables", lambda: not b.count(".badge.running"))
        self.assertEqual(d.ask("GET", "/v1/graphs/back").json["revision"], revision)
        algorithms = {one["profile"]: one["algorithm"] for one in d.jobs()
                      if one["graph"] == "back"}
        self.assertEqual([algorithms[name] for name in ("default", "lesion")], 2 * ["prove"])
        self.assertNotEqual(algorithms["bare"], "prove")
        self.assertSound(b, "a restored graph")

    def groups(self, b, d):
        """By keys, to the path of the widest pair of two groups."""
        b.go("#/graphs/few/groups?profile=wide")
        canvas = b.find(".map canvas")
        b.js("arguments[0].focus()", canvas)
        b.keys(Keys.ARROW_RIGHT)
        pair = next(one for one in d.ask("POST", "/v1/graphs/few/groups?profile=wide",
                                         {"attribute": "type"}).json["groups"]
                    if (one["from"], one["to"]) == ("A", "B"))
        b.find(".map p.hint", f"largest {pair['max']:g};")
        b.keys(Keys.ENTER)
        b.wait_hash("path?profile=wide&from={}&to={}".format(*pair["widest"]))


if __name__ == "__main__":
    unittest.main()
