"""Rules on the page (Debian's chromium, driven by selenium): the form of a profile, and each
view of a profile with widest paths beside the daemon's own answers.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser_rules.py
"""
import unittest

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


class Rules(PageCase):
    def test_rules(self):
        with self.daemon() as d:
            d.put("few", ARCS, "?transform=inv")
            d.ask("PUT", "/v1/graphs/few/attributes", TYPES, {"Content-Type": "text/csv"})
            b = self.page(d)
            self.shares(b, d)
            self.lesion(b, d)
            self.widest(b, d)
            self.views(b, d)

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

    def shares(self, b, d):
        """Weights as shares of the receiver's input, without the small ones."""
        self.form(b, "share")
        b.click("label", "length = −ln weight")
        b.js("const one = [...document.querySelectorAll('form select')].find((select) =>"
             " [...select.options].some((option) => option.value === 'input'));"
             "one.value = 'input'; one.dispatchEvent(new Event('change'))")
        b.click("form input[max='1']")
        b.keys("0.25")
        self.assertSound(b, "the form")
        rule = self.compute(b, d, "share")
        self.assertEqual([rule[name] for name in ("transform", "normalise", "min_share", "state")],
                         ["log", "input", 0.25, "ready"])
        self.assertEqual(rule["arcs"], 5)  # 2/11 of the input of b2 is dropped, 2/7 of that of c is not
        b.find("td small", "shares of input from 0.25")

    def lesion(self, b, d):
        """Vertices that are left out, with their count before anything is computed."""
        self.form(b, "lesion")
        b.click("label", "length = 1 / weight")
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
        b.size(PHONE)
        b.wait("as wide as a phone", lambda: b.js(
            "return document.documentElement.scrollWidth") <= PHONE["width"])
        b.size(DESK)

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
