"""What is served at /: the page and its files, to browsers and to others."""
import gzip
import hashlib
import html
import os
import re
import unittest

from harness import Case, SOURCE_ROOT, data

ASSETS = os.path.join(SOURCE_ROOT, "api", "page", "assets")
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SAMPLE = "celegans_newman.csv"
SIZE_MAX = 120_000
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
         ".csv": "text/csv"}


def sources():
    """name: bytes, of every file that is served."""
    found = {SAMPLE: data(SAMPLE)}
    for folder, _, names in os.walk(ASSETS):
        for name in names:
            if name.endswith((".html", ".css", ".js", ".svg")):
                with open(os.path.join(folder, name), "rb") as file:
                    found[name] = file.read()
    return found


def names_in(text):
    """The files that a file of the page refers to."""
    return set(re.findall(r"""["'(](?:@assets@|\.)/([\w.]+)["')]""", text)) \
        | set(re.findall(r"""new URL\("([\w.]+)", import\.meta\.url\)""", text))


class Page(Case):
    def get(self, d, path, accept=BROWSER, encoding="gzip", **headers):
        return d.ask("GET", path, headers={
            "Accept": accept, **({"Accept-Encoding": encoding} if encoding else {}),
            **{name.replace("_", "-"): value for name, value in headers.items()}})

    def test_served(self):
        with self.daemon() as d:
            page = self.check_page(d)
            self.check_files(d, re.search(r"assets/[0-9a-f]{16}/", page)[0])
            self.check_links(d)

    def check_page(self, d):
        reply = self.assertStatus(self.get(d, "/"), 200)
        text = gzip.decompress(reply.body).decode()
        self.assertEqual(reply.headers["Content-Encoding"], "gzip")
        self.assertEqual(reply.headers.get_content_type(), "text/html")
        self.assertEqual(reply.headers["Cache-Control"], "no-cache")
        self.assertIn("Accept", reply.headers["Vary"])
        policy = dict(part.strip().split(" ", 1)
                      for part in reply.headers["Content-Security-Policy"].split(";"))
        self.assertEqual(policy.pop("default-src"), "'none'")
        for name, sources_allowed in policy.items():
            self.assertIn(sources_allowed, ("'self'", "'none'"), name)
        self.assertNotRegex(text, r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|://")
        tag = reply.headers["ETag"]
        self.assertStatus(self.get(d, "/", If_None_Match=tag), 304)
        plain = self.assertStatus(self.get(d, "/", encoding=None), 200)
        self.assertIsNone(plain.headers["Content-Encoding"])
        self.assertEqual(plain.body.decode(), text)
        refused = self.get(d, "/", encoding="gzip;q=0, identity")
        self.assertEqual(refused.body.decode(), text)
        return text

    def test_problems(self):
        with self.daemon() as d:
            listed = self.assertStatus(d.ask("GET", "/problems/"), 200).json["problems"]
            names = [problem["type"].rsplit("/", 1)[1] for problem in listed]
            self.assertEqual(len(set(names)), len(names))
            self.assertEqual(
                [case["status"] for case in listed[names.index("unknown-vertex")]["cases"]],
                [404, 422])
            page = self.get(d, "/problems/", encoding=None).body.decode()
            for problem, name in zip(listed, names):
                self.check_problem(d, problem, name)
                self.assertIn(f'href="{name}"', page)
            refused = d.ask("GET", "/nowhere")
            self.assertEqual(d.ask("GET", refused.json["type"]).json["cases"][0]["title"],
                             refused.json["title"])
            self.assertStatus(d.ask("GET", "/problems/none"), 404, "not-found")

    def check_problem(self, d, problem, name):
        path = problem["type"]
        self.assertEqual(d.ask("GET", path).json, problem)
        text = d.ask("GET", path, headers={"Accept": "text/plain"})
        page = self.get(d, path, encoding=None)
        self.assertEqual(page.headers.get_content_type(), "text/html")
        self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
        html_text = html.unescape(page.body.decode())
        for case in problem["cases"]:
            for said in (str(case["status"]), case["title"], case["meaning"], case["remedy"]):
                self.assertIn(said, text.body.decode())
                self.assertIn(said, html_text)
            self.assertTrue(case["meaning"] and case["remedy"])
        self.assertNotRegex(html_text, r"<script|<style|\sstyle=|\son\w+=|://")
        style = re.search(r'href="\.\./(assets/[0-9a-f]{16}/style\.css)"', html_text)
        self.assertStatus(d.ask("GET", "/" + style[1]), 200)

    def check_files(self, d, folder):
        files, total = sources(), 0
        for name, content in files.items():
            if name == "index.html":
                total += len(self.get(d, "/").body)
                continue
            reply = self.assertStatus(self.get(d, f"/{folder}{name}", "*/*"), 200)
            self.assertEqual(gzip.decompress(reply.body), content, name)
            self.assertEqual(reply.headers["Cache-Control"],
                             "public, max-age=31536000, immutable", name)
            self.assertEqual(reply.headers.get_content_type(),
                             TYPES[os.path.splitext(name)[1]])
            self.assertStatus(self.get(d, f"/{folder}{name}", "*/*",
                                       If_None_Match=reply.headers["ETag"]), 304)
            plain = self.get(d, f"/{folder}{name}", "text/css", None)
            self.assertEqual(plain.body, content, name)
            total += len(reply.body) if name != SAMPLE else 0
        self.assertLess(total, SIZE_MAX)
        for name, content in files.items():
            if name.endswith((".html", ".css", ".js")):
                for other in names_in(content.decode()):
                    self.assertIn(other, set(files), f"{name} refers to {other}")
        self.assertStatus(self.get(d, f"/{folder}nothing.js", "*/*"), 404)
        self.assertStatus(self.get(d, "/assets/0123456789abcdef/app.js", "*/*"), 404)

    def check_links(self, d):
        for accept in ("*/*", "application/json"):
            reply = self.assertStatus(self.get(d, "/", accept), 200)
            self.assertEqual(reply.headers.get_content_type(), "application/json")
        links = reply.json["links"]
        self.assertIn(("GET", "v1/graphs/{graph}/path"),
                      [(link["method"], link["href"]) for link in links])
        for name in ("openapi", "problems", "metrics"):
            self.assertIn(("GET", reply.json[name]),
                          [(link["method"], link["href"]) for link in links])
        for link in links:
            self.assertFalse(link["href"].startswith("/"), link)
            self.assertTrue(link["summary"], link)
            if link["method"] == "GET" and "{" not in link["href"]:
                # 503: the devices are still being looked for
                self.assertIn(d.ask("GET", "/" + link["href"]).status, (200, 503))
        page = d.ask("GET", "/" + reply.json["page"])
        self.assertEqual(page.headers.get_content_type(), "text/html")
        self.assertStatus(self.get(d, "/", "image/png"), 406)

    def test_libraries(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vendor")
        with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| (\S+) \|.*\| ([0-9a-f]{64}) \|$", file.read(), re.M)
        self.assertEqual({name for name, _ in rows},
                         {name for name in os.listdir(folder)
                          if not name.endswith((".md", "LICENSE"))})
        for name, checksum in rows:
            with open(os.path.join(folder, name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), checksum, name)


if __name__ == "__main__":
    unittest.main()
