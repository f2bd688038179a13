"""The page's pictures (Debian's chromium, driven by selenium): what stands side by side has
one scale, the same bins and the same vertices, in every order; arcs are as wide as they weigh."""
import csv
import os
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import DESK, PHONE, PageCase
from harness import DATA

ORDERS = "component", "upload", "side"
# Every answer of the page's requests for tables, as lists of labels.
NOTE_TABLES = """
window.asked = [];
const send = window.fetch;
window.fetch = (target, options) => {
	if (String(target).includes("/table")) window.asked.push(JSON.parse(options.body).sources);
	return send(target, options);
};"""


def larva(d):
    with open(os.path.join(DATA, "larva_edges.csv"), "rb") as file:
        d.put("larva", file.read(), "?transform=inv")
    # weak arcs are left out, so lengths are longer: one unit, other distances
    d.wait(d.ask("PUT", "/v1/graphs/larva/profiles/strong",
                 {"transform": "inv", "min_weight": 5}).json["job"])
    d.wait(d.ask("PUT", "/v1/graphs/larva/profiles/hops", {"transform": "hops"}).json["job"])
    labels = d.ask("GET", "/v1/graphs/larva/vertices?limit=10000").json["vertices"]
    d.ask("PUT", "/v1/graphs/larva/attributes", b"label,side\n" + b"".join(
        b"%s,%s\n" % (v.encode(), b"LR"[i % 7 > 2:][:1]) for i, v in enumerate(labels)),
        {"Content-Type": "text/csv"})


class Pictures(PageCase):
    def scales(self, b, n):
        b.wait(f"{n} pictures", lambda: b.count(".map .scale") == n)
        return b.js("return [...document.querySelectorAll('.map .scale')]"
                    ".map((one) => one.textContent)")

    def bins(self, b):
        """[From, Up to] of each row of each table beside a histogram, by histogram."""
        return b.js("return [...document.querySelectorAll('.charts figure')].map((figure) =>"
                    " [...figure.querySelectorAll('details table')].map((table) =>"
                    "  [...table.querySelectorAll('tbody tr')].map((row) =>"
                    "   [...row.cells].slice(0, 2).map((cell) => cell.textContent).join())))")

    def test_side_by_side(self):
        with self.daemon() as d:
            larva(d)
            b = self.page(d)
            b.go("#/graphs/larva/whole?compare=strong")
            scales = self.scales(b, 2)
            self.assertEqual(scales[0], scales[1])
            for of_default, of_strong in self.bins(b):
                widths = {round(float(row.split(",")[1]) - float(row.split(",")[0]), 9)
                          for row in of_default + of_strong}
                self.assertEqual(len(widths), 1)
            counted = b.js("return [...document.querySelectorAll('.charts details td:last-child')]"
                           ".map((cell) => Number(cell.textContent.replaceAll(',', '')))")
            stats = [d.ask("GET", f"/v1/graphs/larva/stats?profile={name}").json
                     for name in ("default", "strong")]
            self.same_pairs(b, d)
            self.assertLess(stats[0]["radius"], stats[0]["characteristic_path_length"])
            b.find("p.hint", "A vertex that reaches only a few near vertices can set the radius")
            # each pair is in one bin of its distances and one of its arcs
            self.assertEqual(sum(counted), sum(2 * one["reachable_pairs"] for one in stats))
            self.assertSound(b, "two profiles")
            self.every_order(b, scales[0])
            self.own_scales(b)
            b.size(PHONE)
            b.wait("as wide as a phone", lambda: b.js(
                "return document.documentElement.scrollWidth") <= PHONE["width"])
            b.size(DESK)

    def same_pairs(self, b, d):
        """Means of two profiles are over the pairs that both have, as compare counts them."""
        found = d.ask("POST", "/v1/graphs/larva/compare", {"with": {"profile": "strong"}}).json
        counts, means = found["counts"], found["difference"]
        b.find("h2", "Pairs with a path in both profiles")
        facts = dict(b.js("return [...document.querySelectorAll('.facts div')].map((one) =>"
                          " [one.children[0].innerText, one.children[1].innerText])"))
        self.assertEqual(facts, {
            "Pairs": f"{counts['longer'] + counts['shorter'] + counts['equal']:,}",
            "Their mean distance, default": f"{means['mean_here']:.6g}",
            "Their mean distance, strong": f"{means['mean_with']:.6g}",
            "Difference": f"{means['mean']:.6g}"})
        b.find("p.hint", "Each column counts the pairs with a path in its own profile")
        b.find("a[href$='compare?with=strong']", "Compare pair by pair")

    def every_order(self, b, scale):
        """The same vertices and the same scale, whatever the order."""
        b.js(NOTE_TABLES)
        for order in ORDERS[1:] + ORDERS[:1]:
            before = b.js("return window.asked.length")
            b.js("location.hash = '#/graphs/larva/whole?compare=strong&order=' + arguments[0]",
                 order)
            b.wait(f"pictures by {order}", lambda: b.js(
                "return window.asked.length") == before + 2)
            b.wait("the scale", lambda: self.scales(b, 2) == [scale, scale])
        asked = b.js("return window.asked")
        self.assertEqual([len(asked), len(asked[0])], [2 * len(ORDERS), 1000])
        self.assertEqual({tuple(sorted(one)) for one in asked}, {tuple(sorted(asked[0]))})
        self.assertEqual(len({tuple(one) for one in asked}), len(ORDERS))

    def own_scales(self, b):
        """Rules of different units have scales of their own, unless the address says otherwise."""
        b.go("#/graphs/larva/whole?compare=hops")
        self.assertEqual(len(set(self.scales(b, 2))), 2)
        b.find("p.hint", "Units differ: length = 1 / weight in default, and every arc counts 1 in hops")
        self.choose_scale(b, "one")
        b.wait_hash("compare=hops&scale=one")
        b.wait("one scale", lambda: len(set(self.scales(b, 2))) == 1)
        self.choose_scale(b, "own")
        b.wait("the address", lambda: "scale" not in b.js("return location.hash"))
        b.wait("two scales", lambda: len(set(self.scales(b, 2))) == 2)
        self.assertEqual(b.messages(), [])
        # one unit
        b.js("location.hash = '#/graphs/larva/whole?compare=strong'")
        b.wait("one scale", lambda: len(set(self.scales(b, 2))) == 1)
        self.choose_scale(b, "own")
        b.wait_hash("compare=strong&scale=own")
        b.wait("two scales", lambda: len(set(self.scales(b, 2))) == 2)

    def choose_scale(self, b, scale):
        b.js("const one = [...document.querySelectorAll('select')].find((select) =>"
             " [...select.options].some((option) => option.value === 'own'));"
             "one.value = arguments[0]; one.dispatchEvent(new Event('change'))", scale)

    def test_groups(self):
        """Both values of each pair of types, by pointer, by keys and as a table."""
        with self.daemon() as d:
            d.put("few", b"from,to,weight\na1,b1,1\na2,b2,3\nb1,c,2\nc,a2,1\n", "?transform=none")
            b = self.page(d)
            b.go("#/graphs/few/groups")
            b.find(".empty a", "attributes")
            d.ask("PUT", "/v1/graphs/few/attributes",
                  b"label,type,side\na1,A,L\na2,A,R\nb1,B,L\nb2,B,R\nc,C,L\n", {"Content-Type": "text/csv"})
            b.go("#/graphs/few/groups")
            b.find(".map canvas")
            rows = b.js("return [...document.querySelectorAll('[aria-label=\"Pairs of groups\"]"
                        " tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))")
            groups = d.ask("POST", "/v1/graphs/few/groups", {"attribute": "type"}).json["groups"]
            self.assertEqual(
                {(row[0], row[1], row[2], row[3]) for row in rows},
                {(one["from"], one["to"], str(one["pairs"]), f"{100 * one['share']:.1f} %")
                 for one in groups if one["pairs"]})
            self.assertSound(b, "groups")
            self.group_sets(b, d)
            self.cells_of_sets(b)
            self.group_cells(b)
            b.size(PHONE)
            self.group_cells(b)
            b.size(DESK)

    def group_sets(self, b, d):
        """Only pairs from one set to another."""
        b.click("#vertex-only-to")
        b.keys("b2", Keys.ENTER)
        b.wait_hash("groups?to=b2")
        b.go("#/graphs/few/groups?from_match=type%3AA&to=b2")
        b.find(".hint", "different vertices of these sets count")
        pairs = [[row[0], row[1], row[2]] for row in b.wait("pairs", lambda: b.js(
            "return [...document.querySelectorAll('[aria-label=\"Pairs of groups\"]"
            " tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))"))]
        self.assertEqual(pairs, [["A", "B", "2"]])
        self.assertSound(b, "groups of sets")
        b.click(".share summary")
        line = b.js("return document.querySelectorAll('.share code')[1].textContent")
        self.assertIn('.groups("type", sources={"type":["A"]}, targets=["b2"])', line)
        b.go("#/graphs/few/groups")
        b.find(".map canvas")

    def cells_of_sets(self, b):
        """A cell opens the circuit of its two groups, only with the vertices of the sets."""
        for sets, circuit in (
                ("from_match=type%3AA&from_match=type%3AC&from_match=side%3AL&to_match=type%3AB",
                 "from_match=type%3AA&from_match=side%3AL&to_match=type%3AB&by=type"),
                ("from=a2&from=c&to=b1&to=b2", "from=a2&to=b1&to=b2&by=type")):
            b.go("#/graphs/few/groups?by=type&" + sets)
            b.find(".map canvas")
            for row, told in (1, "B → B: no pairs"), (0, "A → B"):  # the first opens nothing
                self.at_cell(b, row, 1)
                b.find(".map p.hint", told)
                ActionChains(b.driver).click().perform()
            b.wait_hash("/circuit?")
            self.assertEqual(b.js("return location.hash"), "#/graphs/few/circuit?" + circuit)
            b.find(".facts")
        b.go("#/graphs/few/groups")
        b.find(".map canvas")

    def group_cells(self, b):
        """The numbers of A to B: a1 to b1 has 1, a1 to b2 has 1+2+1+3, a2 to b2 has 3."""
        told = "A → B: mean distance 3.667, least 1; 75.0 % of 4 pairs have a path"
        self.at_cell(b, 0, 1)
        b.find(".map p.hint", told)
        self.at_cell(b, 2, 2)
        b.find(".map p.hint", "C → C: no pairs")
        b.js("document.querySelector('.map canvas').focus()")
        b.keys(*2 * [Keys.ARROW_UP], Keys.ARROW_LEFT)
        b.find(".map p.hint", told)
        b.js("location.hash = '#/graphs/few/groups?show=share'")
        b.find("h2", "Share of pairs with a path")
        self.at_cell(b, 0, 1)
        b.find(".map p.hint", told)
        ActionChains(b.driver).click().perform()
        b.wait_hash("circuit?from_match=type%3AA&to_match=type%3AB&by=type")
        b.go("#/graphs/few/groups")
        b.find(".map canvas")

    def at_cell(self, b, row, column, n=3):
        """Point at the middle of a cell; names take a quarter of the width, 110 at most."""
        canvas = b.find(".map canvas")
        b.js("arguments[0].scrollIntoView({block: 'center'})", canvas)
        width = canvas.size["width"]
        axis = min(110, round(width / 4))
        x, y = (axis + (at + 0.5) * (width - axis) / n - width / 2 for at in (column, row))
        ActionChains(b.driver).move_to_element_with_offset(canvas, round(x), round(y)).perform()

    def test_zoomed_picture(self):
        """A part of the picture, larger, with its numbers; the whole again."""
        with self.daemon() as d:
            larva(d)
            b = self.page(d)
            b.go("#/graphs/larva/whole?order=side")
            b.find(".hint", "1,000 vertices of 3,013, evenly spaced in upload order")
            canvas = b.find(".map canvas")
            b.js("arguments[0].scrollIntoView({block: 'center'})", canvas)
            pixels = "return arguments[0].toDataURL()"
            whole = b.js(pixels, canvas)
            b.js("arguments[0].focus()", canvas)
            b.keys(Keys.ARROW_RIGHT)
            first = b.text_of(b.find(".map p.hint", "→"))
            b.keys("+", "+")
            self.assertNotEqual(b.js(pixels, canvas), whole)
            b.keys(Keys.ARROW_LEFT, Keys.ARROW_RIGHT)  # the numbers are of the same pair
            self.assertEqual(b.text_of(b.find(".map p.hint", "→")), first)
            shown = b.js(pixels, canvas)
            ActionChains(b.driver).move_to_element(canvas).click_and_hold().move_by_offset(
                -30, -40).release().perform()
            b.wait("another part", lambda: b.js(pixels, canvas) != shown)
            self.assertIn("/whole", b.js("return location.hash"))  # a drag is no click
            b.click("button", "Fit")
            b.wait("the whole", lambda: "moved" not in (canvas.get_attribute("class") or ""))
            self.assertSound(b, "a picture that was moved")

    def thresholds(self, b, d, graph):
        """The rows of the thresholds, the rows of their CSV, and the daemon's own."""
        b.go(f"#/graphs/{graph}/whole")
        b.find(".charts figcaption", "Pairs by threshold")
        while b.count(".charts button") > 1 and "Show more" in b.text_of(b.find(".charts figure")):
            b.js("[...document.querySelectorAll('.charts button')].find((one) =>"
                 " one.textContent.startsWith('Show more')).click()")
        shown = b.js("return [...document.querySelectorAll('.charts tbody tr')].map((row) =>"
                     " [...row.cells].slice(0, 2).map((cell) =>"
                     "  Number(cell.textContent.replaceAll(',', ''))))")
        b.downloads()
        b.js("[...document.querySelectorAll('.charts button')].at(-1).click()")
        saved = [[float(row["width"]), int(row["pairs"])] for row in csv.DictReader(
            b.wait("the file", b.downloads).splitlines())]
        b.forget_downloads()
        stats = d.ask("GET", f"/v1/graphs/{graph}/stats?bins=2046").json["width_histogram"]
        return shown, saved, [list(row) for row in zip(stats["widths"], stats["pairs"])]

    def test_thresholds(self):
        """All thresholds of widest paths, as a table and as CSV; and what says that some are
        left out."""
        def bipartite(n, m):  # every arc has a weight of its own, and is the only path of its pair
            return b"from,to,weight\n" + b"".join(
                b"a%d,b%d,%d\n" % (i, j, i * m + j + 1) for i in range(n) for j in range(m))
        with self.daemon() as d:
            d.put("few", bipartite(9, 10), "?path=widest")
            d.put("many", bipartite(46, 46), "?path=widest")
            b = self.page(d)
            shown, saved, own = self.thresholds(b, d, "few")
            self.assertEqual(own, [[k, 91 - k] for k in range(1, 91)])
            self.assertEqual((shown, saved), (own, own))
            b.find(".charts p.hint", "There are 90 thresholds")
            self.assertNotIn("adius", b.text_of(b.find("main")))  # widths have none
            self.assertSound(b, "thresholds")
            b.js("document.querySelector('.share').open = true")
            b.find(".share code", "/v1/graphs/few/stats?bins=2046")
            b.find(".share code", '.graph("few").stats(bins=2046)')
            shown, saved, own = self.thresholds(b, d, "many")
            self.assertEqual((shown, saved), (own, own))
            self.assertLess(len(own), 46 * 46)
            self.assertNotIn("There are", b.text_of(b.find(".charts p.hint")))
            b.find(".charts p.hint", "If there are more than 2,045")

    def widths(self, b):
        return b.js("return [...document.querySelectorAll('.dag path')]"
                    ".map((arc) => Number(arc.getAttribute('stroke-width')))")

    def legend(self, b):
        """The width and the text of each line of the legend."""
        return b.js("return [...document.querySelectorAll('.answer .legend > span')].map((one) =>"
                    " [Number(one.querySelector('path').getAttribute('stroke-width')),"
                    "  one.textContent])")

    def test_widths(self):
        """Of 8 and 6 synapses, 8 and 6 pixels; a legend; a head for each arc."""
        with self.daemon() as d:
            larva(d)
            d.put("wide", b"a,b,1000\nb,c,500\nc,d,1\n", "?transform=inv")
            d.put("equal", b"a,b,100\nb,d,100\na,c,50\nc,d,50\na,e,5\ne,d,5\n", "?transform=inv")
            d.put("roads", b"a,b,2\nb,c,4\nb,d,4\nd,c,0.5\n", "?transform=none")
            b = self.page(d)
            b.go("#/graphs/larva/path?from=29&to=8835968")
            b.find(".dag .node.end")
            self.assertEqual(self.widths(b), [8, 6])
            self.assertEqual(b.count(".dag polygon"), 2)
            self.assertEqual(b.text_of(b.find(".legend")).split(), ["8", "6"])
            self.assertIn("as its weight", b.text_of(b.find(".answer")))
            self.assertSound(b, "arcs with heads")
            # the thinnest that can be seen stands for what is thinner, and says so
            b.go("#/graphs/wide/path?from=a&to=d")
            b.find(".dag .node.end")
            self.assertEqual(self.widths(b), [8, 4, 0.75])
            self.assertEqual(b.text_of(b.find(".legend")).split("\n"), ["1,000", "500", "94 and less"])
            # lengths: the shorter, the wider
            b.go("#/graphs/roads/path?from=a&to=c")
            b.find(".dag .node.end")
            self.assertEqual(self.widths(b), [8, 4])
            self.assertEqual(b.text_of(b.find(".legend")).split(), ["2", "4"])
            # one scale for all paths of a list
            b.go("#/graphs/roads/path?from=a&to=c&show=k&k=2")
            b.find(".paths tbody tr:nth-child(2)")
            b.wait("of two", lambda: self.widths(b) == [2, 1])
            self.assertEqual(self.legend(b), [[2, "2"], [1, "4"]])  # of this path alone
            b.find(".answer .hint", "All paths of the list have one scale")
            b.click(".paths tbody tr:nth-child(2) button")
            b.wait("of three", lambda: self.widths(b) == [2, 1, 8])
            self.assertEqual(self.legend(b), [[8, "0.5"], [1, "4"]])
            # a path of equal arcs, and one that is thinner than the least width
            b.go("#/graphs/equal/path?from=a&to=d&show=k&k=3")
            b.find(".paths tbody tr:nth-child(3)")
            for rank, widths, legend in ((1, [8, 8], [[8, "100"]]),
                                         (2, [4, 4], [[4, "50"]]),
                                         (3, [0.75, 0.75], [[0.75, "9.4 and less"]])):
                b.click(f".paths tbody tr:nth-child({rank}) button")
                b.wait(f"path {rank}", lambda: self.widths(b) == widths)
                self.assertEqual(self.legend(b), legend)


if __name__ == "__main__":
    unittest.main()
