"""The page's drawings (Debian's chromium, driven by selenium): layers, arcs that lead back,
zoom and drag, and saved pictures. The saved SVG is read by Python, which checks where each
arc begins and ends.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser_drawings.py
"""
import os
import re
import struct
import unittest
import xml.etree.ElementTree as ElementTree

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

from browser import DESK, PHONE, SMALL_PHONE, PageCase
from made_circuit import circuit

SVG = "{http://www.w3.org/2000/svg}"
BOX = 160, 38  # width and height of a vertex (dag.js)
WIDE = {**DESK, "width": 1440}
# Draw a circuit that Python has made up, in place of the view.
DRAW = """
const [vertices, arcs, done] = arguments;
import(document.querySelector("script[type=module]").src.replace("app.js", "dag.js")).then(({drawDag}) => {
	window.called = [];
	document.querySelector("#main").replaceChildren(Object.assign(document.createElement("h1"), {textContent: "Made up"}), ...drawDag({
		vertices, arcs: arcs.map((arc) => ({...arc, strength: arc.weight})), ends: [vertices[0].vertex],
		describe: () => "", scale: {most: Math.max(...arcs.map((arc) => arc.weight)), said: String},
		act: {name: (vertex) => `Choose ${vertex}`, call: (vertex) => window.called.push(vertex), ends: true},
		file: {name: "made up", title: "A circuit", source: "apspd · made up & <odd>"},
	}));
	done();
});"""
# The place of each text of a saved figure that is not a vertex's, and the width of the figure.
MEASURE = """
const figure = new DOMParser().parseFromString(arguments[0], "image/svg+xml").documentElement;
document.body.append(figure);
const texts = [...figure.children].filter((one) => one.tagName === "text").map((one) => {
	const {x, y, width} = one.getBBox();
	return {text: one.textContent, left: x, right: x + width, top: y, width: figure.width.baseVal.value};
});
figure.remove();
return texts;"""
VIEW = "return document.querySelector('.stage svg').getAttribute('viewBox').split(' ').map(Number)"


def numbers(text):
    return [float(number) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", text)]


class Drawings(PageCase):
    def draw(self, b, vertices, arcs):
        b.driver.execute_async_script(DRAW, vertices, arcs)
        b.wait("the drawing", lambda: b.count(".dag .node") == len(vertices))

    def saved(self, b, kind):
        """The bytes of the picture that a button saves."""
        b.downloads()
        where = os.path.join(b.profile, "downloads")
        os.makedirs(where, exist_ok=True)
        b.click(f"[aria-label='Save as {kind}']")
        path = os.path.join(where, f"made up.{kind.lower()}")
        b.wait(f"the {kind}", lambda: os.listdir(where)
               == [os.path.basename(path)] and os.path.getsize(path))
        with open(path, "rb") as file:
            content = file.read()
        os.remove(path)
        return content

    def boxes(self, root):
        """The corner of each vertex's box, by label; the label is the first text."""
        found = {}
        for group in root.iter(SVG + "g"):
            place = re.match(r"translate\((.*)\)", group.get("transform", ""))
            if place:
                found[group.find(SVG + "text").text] = numbers(place[1])
        return found

    def check_svg(self, content, vertices, arcs, down=False):
        root = ElementTree.fromstring(content)
        self.assertEqual(root.find(SVG + "title").text, "A circuit")
        self.assertEqual(root.find(SVG + "desc").text, "apspd · made up & <odd>")
        boxes = self.boxes(root)
        self.assertEqual(set(boxes), {vertex["vertex"] for vertex in vertices})
        self.check_places(root, boxes, vertices, down)
        curves = [element for element in root.iter(SVG + "path")]
        heads = [element for element in root.iter(SVG + "polygon")]
        self.assertEqual([len(curves), len(heads)], [len(arcs), len(arcs)])
        colours = {}
        layer = {vertex["vertex"]: vertex["layer"] for vertex in vertices}
        for arc, curve, head in zip(arcs, curves, heads):
            start = numbers(curve.get("d"))[:2]
            tip = numbers(head.get("points"))[2:4]
            onward = layer[arc["from"]] < layer[arc["to"]]
            level = layer[arc["from"]] == layer[arc["to"]]
            for point, label, far in ((start, arc["from"], onward or level),
                                      (tip, arc["to"], not onward)):
                self.check_touch(point, boxes[label], far, down)
            colours.setdefault(onward, set()).add(curve.get("stroke"))
        self.assertEqual([len(of) for of in colours.values()], [1] * len(colours))
        self.assertFalse(colours.get(True, set()) & colours.get(False, set()))

    def check_touch(self, point, corner, far, down):
        """An end of an arc is on the side of its vertex: the far one along the layers, or
        the near one."""
        along, across = (1, 0) if down else (0, 1)
        side = corner[along] + (BOX[along] if far else 0)
        self.assertAlmostEqual(point[along], side, delta=0.2)
        self.assertTrue(corner[across] <= point[across] <= corner[across] + BOX[across])

    def check_places(self, root, boxes, vertices, down):
        """Layers follow each other; boxes overlap nowhere, and are inside the picture."""
        width, height = float(root.get("width")), float(root.get("height"))
        along, across = (1, 0) if down else (0, 1)
        layers = {}
        for vertex in vertices:
            layers.setdefault(vertex["layer"], []).append(boxes[vertex["vertex"]])
        last = -1
        for _, members in sorted(layers.items()):
            self.assertEqual(len({round(box[along], 3) for box in members}), 1)
            self.assertGreater(members[0][along], last)
            last = members[0][along] + BOX[along]
            sides = sorted(box[across] for box in members)
            for one, other in zip(sides, sides[1:]):
                self.assertGreaterEqual(other - one, BOX[across])
        for x, y in boxes.values():
            self.assertTrue(0 <= x <= width - BOX[0] and 0 <= y <= height - BOX[1])

    def test_circuits(self):
        """Small, large and odd ones; those of many layers go from top to bottom."""
        chain = ([{"vertex": f"{i}", "layer": i} for i in range(7)],
                 [{"from": f"{i}", "to": f"{(i + 1) % 7}", "weight": i + 1} for i in range(7)])
        with self.daemon() as d:
            b = self.page(d)
            b.go("")
            b.find("h1")
            for size, given, down in (
                    (WIDE, circuit(12, 30, 3, 1), False), (WIDE, circuit(300, 2000, 6, 2), False),
                    (WIDE, circuit(40, 60, 15, 3), True), (PHONE, circuit(12, 30, 3, 4), False),
                    (PHONE, chain, True), (WIDE, chain, False),
                    (WIDE, ([{"vertex": "alone", "layer": 0}],
                            [{"from": "alone", "to": "alone", "weight": 1}]), False)):
                b.size(size)
                self.draw(b, *given)
                self.check_svg(self.saved(b, "SVG"), *given, down)
                self.check_fit(b)
                self.assertSound(b, f"a circuit of {len(given[1])} arcs")

    def check_fit(self, b):
        """The whole drawing is inside its box, and the page is as wide as the window."""
        b.wait("a drawing inside its box", lambda: b.js(
            "const box = document.querySelector('.stage').getBoundingClientRect();"
            "return [...document.querySelectorAll('.stage svg > *')].every((one) => {"
            " const {left, right, top, bottom} = one.getBoundingClientRect();"
            " return left >= box.left - 1 && right <= box.right + 1"
            "  && top >= box.top - 1 && bottom <= box.bottom + 1; })"))
        self.assertTrue(b.js(
            "return document.documentElement.scrollWidth <= innerWidth"))

    def test_other_widths(self):
        """A drawing fits again when its box becomes narrower."""
        with self.daemon() as d:
            b = self.page(d)
            b.go("")
            b.find("h1")
            b.size(WIDE)
            self.draw(b, *circuit(30, 60, 4, 5))
            for size in (PHONE, SMALL_PHONE, WIDE):
                before = b.js("return document.querySelector('.stage').clientWidth")
                b.size(size)
                b.wait("another width", lambda: b.js(
                    "const svg = document.querySelector('.stage svg');"
                    "return svg.clientWidth !== arguments[0] && Math.abs(svg.clientWidth"
                    " / svg.clientHeight - svg.viewBox.baseVal.width"
                    " / svg.viewBox.baseVal.height) < 0.02", before))
                self.check_fit(b)

    def test_zoom(self):
        """By buttons, keys and the wheel; by dragging, which is no click."""
        with self.daemon() as d:
            b = self.page(d)
            b.go("")
            b.find("h1")
            self.draw(b, *circuit(40, 80, 4, 6))
            whole = [round(number, 3) for number in b.js(VIEW)]

            def same(view):
                return [round(number, 3) for number in view] == whole

            def changed(what, act, holds):
                before = b.js(VIEW)
                act()
                b.wait(what, lambda: holds(before, b.js(VIEW)))
            changed("zoom in", lambda: b.click("[aria-label='Zoom in']"), lambda a, z: z[2] < a[2])
            changed("zoom out", lambda: b.click("[aria-label='Zoom out']"), lambda a, z: same(z))
            svg = b.find(".stage svg")
            wheel = ScrollOrigin.from_element(svg)
            ActionChains(b.driver).scroll_from_origin(wheel, 0, -200).perform()
            self.assertTrue(same(b.js(VIEW)))  # without the focus, the wheel scrolls the page
            b.js("arguments[0].focus()", svg)
            changed("a key", lambda: b.keys("+"), lambda a, z: z[2] < a[2])
            changed("the wheel", lambda: ActionChains(b.driver).scroll_from_origin(
                wheel, 0, -200).perform(), lambda a, z: z[2] < a[2])
            changed("an arrow key", lambda: b.keys(Keys.ARROW_RIGHT),
                    lambda a, z: z[0] > a[0] and z[2] == a[2])
            changed("a drag", lambda: ActionChains(b.driver).move_to_element(
                b.find(".dag .node rect")).click_and_hold().move_by_offset(60, 40).release(
                ).perform(), lambda a, z: z[0] < a[0] and z[2] == a[2])
            self.assertEqual(b.js("return window.called"), [])
            changed("the whole", lambda: b.keys("0"), lambda a, z: same(z))
            b.click("[aria-label='Zoom in']")
            changed("fit", lambda: b.click("[aria-label^='Fit']"), lambda a, z: same(z))
            b.click(".dag .node rect")
            b.wait("a click", lambda: len(b.js("return window.called")) == 1)
            self.assertSound(b, "a drawing that was moved")

    def test_keyboard(self):
        """One stop for all vertices; arrow keys lead from one to its neighbour."""
        with self.daemon() as d:
            b = self.page(d)
            b.go("")
            b.find("h1")
            self.draw(b, [{"vertex": name, "layer": at} for name, at in (
                ("a", 0), ("b", 1), ("c", 1), ("d", 2))],
                [{"from": a, "to": z, "weight": 1} for a, z in ("ab", "ac", "bd", "cd", "da")])
            focus = "return document.activeElement.dataset.vertex ?? document.activeElement.ariaLabel"
            b.js("document.querySelector('.stage svg').focus()")
            b.keys(Keys.TAB)
            self.assertEqual(b.js(focus), "a")
            b.keys(Keys.ARROW_RIGHT)
            first = b.js(focus)
            self.assertIn(first, "bc")
            b.keys(Keys.ARROW_DOWN if first == "b" else Keys.ARROW_UP)
            self.assertEqual({first, b.js(focus)}, {"b", "c"})
            b.keys(Keys.ARROW_RIGHT, Keys.ENTER)
            self.assertEqual(b.js("return window.called"), ["d"])
            # the arcs of the vertex stand out, and no other
            self.assertEqual(b.count(".dag path.on"), 3)
            b.keys(Keys.TAB)
            self.assertEqual(b.js(focus), "Zoom out")

    def test_png(self):
        """A picture of the size of the drawing, twice as sharp, on white in dark mode, too."""
        given = circuit(12, 30, 3, 7)
        with self.daemon() as d:
            b = self.page(d)
            b.go("")
            b.find("h1")
            b.scheme("dark")
            self.draw(b, *given)
            root = ElementTree.fromstring(self.saved(b, "SVG"))
            self.assertEqual(root.find(SVG + "rect").get("fill"), "#ffffff")
            png = self.saved(b, "PNG")
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(list(struct.unpack(">II", png[16:24])),
                             [2 * int(root.get(side)) for side in ("width", "height")])
            # the colours of the SVG's vertices and arcs are in the picture
            colours = {tuple(int(c) for c in numbers(element.get(ink))) for element in root.iter()
                       for ink in ("fill", "stroke") if element.get(ink, "").startswith("rgb")}
            drawn = b.driver.execute_async_script(
                "const [bytes, done] = arguments;"
                "createImageBitmap(new Blob([new Uint8Array(bytes)])).then((image) => {"
                " const canvas = new OffscreenCanvas(image.width, image.height),"
                "  context = canvas.getContext('2d');"
                " context.drawImage(image, 0, 0);"
                " const {data} = context.getImageData(0, 0, image.width, image.height),"
                "  seen = new Set();"
                " for (let i = 0; i < data.length; i += 4)"
                "  seen.add(data.slice(i, i + 3).join());"
                " done([...seen]); })", list(png))
            self.assertLessEqual(colours, {tuple(map(int, one.split(","))) for one in drawn})
            self.assertGreater(len(colours), 4)
            self.assertEqual(b.messages(), [])

    def test_long_unit(self):
        """The legend of a saved figure is as wide as the figure, even if the unit is longer."""
        words = "synapses per square micrometre of the membrane of the receivers"
        with self.daemon() as d:
            b = self.page(d)
            b.size(PHONE)
            for name, unit in ("words", words), ("word", words.replace(" ", "_")):
                d.put(name, b"from,to,weight\na,b,1235\nb,c\x01,1217\n",
                      f"?transform=inv&weight_unit={unit.replace(' ', '%20')}")
                b.go("#/")
                b.go(f"#/graphs/{name}/path?from=a&to=c%01")
                b.find(".dag .node.end")
                b.downloads()
                b.js("document.querySelector('[aria-label=\"Save as SVG\"]').click()")
                drawing = b.wait("the drawing", b.downloads)
                b.forget_downloads()
                ElementTree.fromstring(drawing)  # although XML cannot have the label of c
                texts = b.js(MEASURE, drawing)
                self.assertIn(f"1,235 {unit}".replace(" ", ""),
                              "".join(one["text"] for one in texts).replace(" ", ""))
                self.assertEqual([one for one in texts if one["right"] > one["width"]], [])
                lines = sorted((one["top"], one["left"], one["right"]) for one in texts)
                self.assertEqual([
                    (one, other) for one, other in zip(lines, lines[1:])
                    if one[0] == other[0] and one[2] > other[1]], [])  # none covers another


if __name__ == "__main__":
    unittest.main()
