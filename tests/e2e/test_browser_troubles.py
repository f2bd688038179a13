"""The page in a browser when something goes wrong: the daemon or a graph is gone, a token
ends, a job fails, the disk is full, there is nothing to draw. Each is told in a sentence
with what to do, and where it passes, the page continues by itself.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser_troubles.py
"""
import os
import subprocess
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PageCase
from harness import APSPD, Gate, held_port, until, write_solver
from test_bundles_back import members_of
from test_bundles_proved import Table, with_table

CHAIN = b"from,to,weight\na,b,1\nb,c,1\n"
NEGATIVE = b"from,to,weight\na,b,-2\nb,c,3\na,c,2\n"
GONE = "does not answer"


def ring(n):
    return b"from,to,weight\n" + b"".join(b"%d,%d,1\n" % (v, (v + 1) % n) for v in range(n))


class Troubles(PageCase):
    def address(self, b, fragment):
        """Another address of the page that is open."""
        b.js("location.hash = arguments[0]", fragment)

    def test_gone_and_back(self):
        listen = f"127.0.0.1:{held_port(self)}"
        with self.daemon(listen=(listen,)) as d:
            d.put("chain", CHAIN)
            b = self.page(d)
            b.go("#/graphs/chain/path?from=a&to=b")
            b.find(".dag")
            b.wait("all views", lambda: all(f"/{view}.js" in b.js(
                "return performance.getEntriesByType('resource').map((e) => e.name).join()")
                for view in ("whole", "reach", "overview", "daemon")))
            d.kill()
            self.address(b, "#/graphs/chain/path?from=a&to=c")
            b.find(".trouble", GONE)
            self.address(b, "#/graphs/chain/reach?of=a")  # a view that was not open before
            b.find(".trouble", GONE)
            self.assertEqual(b.count(".trouble"), 1)
            d.start()
            b.find("h2", "Vertices, nearest first")
            self.assertEqual(b.count(".trouble"), 0)
            self.form_is_kept(b, d)

    def test_unfinished_text(self):
        """Text that nobody has confirmed does not change the address when its view, or its
        control, is replaced."""
        with self.daemon() as d:
            d.put("chain", CHAIN)
            b = self.page(d)
            b.go("#/graphs/chain/path")
            b.click("#vertex-from")
            b.keys("ORN")
            self.address(b, "#/graphs/chain/circuit")
            b.find(".tabs [aria-current]", "Circuits")
            self.assertEqual(b.js("return location.hash"), "#/graphs/chain/circuit")
            b.go("#/graphs/chain/path?from=a&to=b")
            b.click("input[placeholder=any]")
            b.keys("3")
            self.address(b, "#/graphs/chain/path?from=b&to=c")
            b.wait("the path", lambda: b.js(
                "return document.querySelector('input[placeholder=any]').value === ''"))
            self.assertEqual(b.js("return location.hash"), "#/graphs/chain/path?from=b&to=c")
            # a click on a link says that the text is finished, but also leads on
            b.click("#vertex-from")
            b.keys("c")
            b.click(".tabs a", "Circuits")
            b.wait_hash("/circuit")
            b.find(".tabs [aria-current]", "Circuits")
            # a finished text follows the address, also while its box has the keyboard
            b.go("#/graphs/chain/path?from=a&to=c")
            b.click("#vertex-from")
            b.keys("b", Keys.ENTER)
            b.wait_hash("from=b")
            b.find("dd", "1")
            b.driver.back()
            b.find("dd", "2")
            self.assertEqual(b.js("return document.activeElement.value"), "a")
            b.js("document.activeElement.blur()")
            self.assertEqual(b.js("return location.hash"), "#/graphs/chain/path?from=a&to=c")

    def test_cut_answers(self):
        """The connection ends within an answer, refused or not."""
        with self.daemon() as d:
            d.put("chain", CHAIN)
            b = self.page(d)
            for status in 200, 503:
                b.go("#/graphs/chain/path?from=a&to=b")
                b.find(".dag")
                b.js("""
                    const status = arguments[0];
                    const cut = {start(to) { to.error(new TypeError("network error")); }};
                    window.fetch = async () => new Response(new ReadableStream(cut), {status});
                    """, status)
                self.address(b, "#/graphs/chain/path?from=b&to=c")
                b.find(".trouble", GONE)

    def test_refused_table(self):
        """A bundle with a wrong distance: the job that proves it fails, the upload is removed,
        and the page says why, however much of the view has opened by then."""
        with self.daemon() as d:
            d.put("chain", CHAIN)
            members = members_of(d.ask("GET", "/v1/graphs/chain/bundle").body)
            d.ask("DELETE", "/v1/graphs/chain")
            name = next(one for one in members if one.startswith("tables/"))
            table = Table(members[name])
            table.set("DISTANCE", 0, 2, 3)  # a to c is 2
            wrong = self.file("wrong.apspd.tar", with_table(members, name, *table.seal()))
            b = self.page(d)
            for late in 1, 2:  # the request of the graph that is sent once the graph is gone
                b.go("#/")
                b.find(".drop")
                b.js("""
                    const late = arguments[0], ask = window.fetch;
                    let n = 0;
                    window.fetch = async (...one) => {
                        if (new URL(one[0], location).pathname === "/v1/graphs/chain" && ++n === late)
                            while ((await ask("v1/graphs/chain")).ok);
                        return ask(...one);
                    };
                    """, late)
                b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(wrong)
                b.click("button[type=submit]", "Restore the graph")
                b.wait_hash("#/graphs/chain")
                b.find(".trouble", name)
                self.assertEqual(b.count(".trouble"), 1)
                self.assertEqual(b.axe(), [])
                self.assertEqual(d.ask("GET", "/v1/graphs").json["graphs"], [])
            self.not_replaced_unsaid(b, d, wrong)

    def not_replaced_unsaid(self, b, d, bundle):
        """A graph that was added after the list was opened is replaced only once the page has
        said so."""
        b.go("#/")
        b.find(".drop")
        d.put("chain", CHAIN + b"c,d,1\n")
        b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(bundle)
        b.click("button[type=submit]", "Restore the graph")
        b.find("form .trouble")
        b.find(".warn", "There is a graph 'chain' already")
        b.go("#/")
        b.find(".drop")
        d.put("new", CHAIN + b"c,d,1\n")
        b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(self.file("new.csv", CHAIN))
        b.click("label", "Strengths: more")
        b.find(".estimate", "memory")
        b.click("button.primary", "Upload")
        b.find("form .trouble")
        for name in "chain", "new":
            self.assertEqual(d.ask("GET", f"/v1/graphs/{name}").json["vertices"], 4)
        b.find(".warn", "There is a graph 'new' already")
        self.assertSound(b, "a graph that was added meanwhile", ("404", "412"))
        b.click("button.primary", "Upload")
        b.click(".trouble button", "Change it for everybody")
        b.wait_hash("#/graphs/new")
        b.find("dd", "3")
        b.go("#/")
        b.find(".drop")
        d.put("celegans", CHAIN)
        b.click("button", "sample")
        b.wait_hash("#/graphs/celegans-2")
        self.assertEqual(d.ask("GET", "/v1/graphs/celegans").json["vertices"], 3)

    def form_is_kept(self, b, d):
        """What was filled in is there when the daemon is there again."""
        b.go("#/")
        b.find(".drop")
        b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(self.file("new.csv", CHAIN))
        b.click("label", "Lengths")
        b.find(".estimate", "memory")
        d.kill()
        b.click("button.primary", "Upload")
        b.find("form .trouble", GONE)
        d.start()
        b.find("form .hint", "answers again")
        self.assertTrue(b.js("return document.querySelector('[value=none]').checked"))
        b.click("button.primary", "Upload")
        b.find(".badge.succeeded")

    def test_replaced(self):
        """What a view shows is of one upload; another one is shown as a whole, once it is
        there."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        with self.daemon(solver=gate.path) as d:
            def upload(k):
                return d.upload("chain", b"from,to,weight\na,b,%d\nb,c,%d\n" % (k, k),
                                "?transform=none").json

            def compute(job):
                gate.open()
                self.assertEqual(d.wait(job["job"])["state"], "succeeded")
            compute(upload(1))
            b = self.page(d)
            b.go("#/graphs/chain/path?from=a&to=b")
            b.find("dd", "1")
            compute(upload(5))
            self.address(b, "#/graphs/chain/path?from=a&to=c")
            b.find("dd", "10")
            b.find("[role=status]", "uploaded again")
            revision = d.ask("GET", "/v1/graphs/chain").json["revision"]
            self.assertIn(f"revision={revision}", b.js(
                "return performance.getEntriesByType('resource').map((e) => e.name)"
                ".filter((name) => name.includes('/path?')).at(-1)"))
            self.assertEqual(b.count(".trouble"), 0)
            # one that is computed while somebody looks at the one before
            last = upload(7)
            gate.wait_held(3)
            for view in "path?from=a&to=c", "reach?of=a", "whole":
                b.go("#/graphs/chain/" + view)
                b.find(".job .phase")
                b.find(".hint", "newer upload")
                b.find(".answer")
            for view, links in (("reach?of=a", 1), ("", 7)):
                b.go("#/graphs/chain/" + view)
                b.wait("links to the upload", lambda: links == b.count(
                    f"main a[download][href*='/v1/'][href*='revision={revision}']"))
            b.go("#/graphs/chain/path?from=a&to=c")
            b.find("dd", "10")
            b.find(".job .phase")
            compute(last)
            b.find("dd", "14")
            self.assertEqual(b.count(".job"), 0)

    def test_another_rule(self):
        """The page asks before it changes the rule that answers everybody."""
        with self.daemon() as d:
            d.put("chain", CHAIN, "?transform=inv&min_weight=1")
            b = self.page(d)

            def upload():
                b.go("#/")
                b.find(".drop")
                b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(
                    self.file("chain.csv", CHAIN + b"c,d,2\n"))
                b.click("label", "Nothing: every arc counts 1")
                b.find(".estimate", "memory")
                b.click("button.primary", "Upload")
                b.find(".trouble", "for everybody")

            def rule():
                told = d.ask("GET", "/v1/graphs/chain").json["profiles"][0]
                return told["transform"], told["min_weight"]
            upload()
            self.assertIn("length = 1 / weight", b.text_of(b.find(".trouble")))
            self.assertSound(b, "another rule", ("409",))
            b.click(".trouble button", "Keep")
            b.wait_hash("#/graphs/chain")
            b.find(".badge.succeeded")
            self.assertEqual(rule(), ("inv", 1))
            upload()
            b.click(".trouble button", "Change it for everybody")
            b.wait_hash("#/graphs/chain")
            b.wait("the new rule", lambda: rule() == ("hops", None))
            b.messages()
            # on the overview, too, which is drawn anew once a job has ended
            b.go("#/graphs/chain")
            b.find("h2", "Profiles")
            b.click("summary", "Add a profile")
            b.js("document.querySelector('details[open] input[required]').focus()")
            b.keys("default")
            b.click("details[open] label", "length = weight")
            b.click("button.primary", "Replace profile default")
            b.find(".trouble", "for everybody")
            self.assertEqual(b.count(".trouble button"), 1)
            b.click(".trouble button", "Change it for everybody")
            b.wait("the new rule", lambda: rule()[0] == "none")

    def test_token_that_ends(self):
        path = os.path.join(self.directory, "tokens")

        def token(scope):
            return subprocess.run(
                [APSPD, "--tokens", path, "--new-token", scope], check=True,
                capture_output=True, text=True).stdout.strip()
        first = token("admin:first")
        with self.daemon(args=("--tokens", path)) as d:
            b = self.page(d)
            b.go("#/")
            b.find("h1", "requires a token")
            b.keys(first, Keys.ENTER)  # the form has the keyboard
            b.click("button.primary", "sample")
            b.find(".badge.succeeded")
            self.address(b, "#/graphs/celegans/path?from=125&to=20")
            b.find(".dag")
            os.truncate(path, 0)
            second = token("read:second")
            until("the first token to end", lambda: d.ask(
                "GET", "/v1/graphs", headers={"Authorization": f"Bearer {first}"}).status == 401)
            self.address(b, "#/graphs/celegans/path?from=125&to=4")
            b.find(".trouble", "does not accept this token")
            self.assertSound(b, "a token that has ended", ("401",))
            b.keys(second, Keys.ENTER)
            b.find(".dag .node.end", "4")
            self.assertIn("from=125&to=4", b.js("return location.hash"))
            self.address(b, "#/graphs/celegans")
            b.click("summary", "Download or delete")
            b.click("button.danger")
            b.click("button.danger", "for good")
            b.find(".trouble", "'read'")
            b.find(".trouble", "Ask the daemon's operator")

    def test_deleted_while_shown(self):
        with self.daemon() as d:
            d.put("chain", CHAIN)
            b = self.page(d)
            b.go("#/graphs/chain/path?from=a&to=b")
            b.find(".dag")
            d.ask("DELETE", "/v1/graphs/chain")
            for view in ("path?from=a&to=c", "reach?of=a", "whole", ""):
                self.address(b, f"#/graphs/chain/{view}")
                b.find(".trouble", "no graph 'chain'")
                b.find(".trouble a", "All graphs")
                self.assertEqual(b.count(".trouble"), 1)
            self.assertSound(b, "a graph that was deleted", ("404",))
            b.click(".trouble a", "All graphs")
            b.find("h1", "Shortest paths")

    def test_tables_that_come(self):
        """A question whose tables are being computed is answered once they are there."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        with self.daemon(solver=gate.path) as d:
            revision = d.upload("chain", CHAIN).json["revision"]
            gate.wait_held(1)
            b = self.page(d)
            for view, there in (("path?from=a&to=c", ".dag"), ("reach?of=a", ".facts"),
                                ("whole", "table.numbers")):
                b.go(f"#/graphs/chain/{view}")
                b.find(".job .phase")
                self.assertSound(b, view, ("503",))
                asked = [url for url in b.requests() if "/v1/graphs/chain/" in url]
                self.assertTrue(asked and all(f"revision={revision}" in url for url in asked), asked)
                if view == "whole":
                    gate.open()
                    b.find(there)
                    self.assertEqual(b.count(".job"), 0)

    def test_failed_job(self):
        solver, whole = (os.path.join(self.directory, name) for name in ("solver", "whole"))
        write_solver(solver, f"[ -e '{whole}' ] || kill -SEGV $$")
        with self.daemon(solver=solver) as d:
            b = self.page(d)
            d.wait(d.upload("chain", CHAIN).json["job"])
            b.go("#/graphs/chain/path?from=a&to=c")
            b.click(".trouble a", "Overview")
            b.find(".trouble", "killed by signal 11")
            b.find(".trouble", "Compute again")
            self.assertEqual(b.count(".trouble"), 1)
            self.assertSound(b, "a job that failed", ("409",))
            self.file("whole", b"")
            b.click("button", "Compute again")
            b.find(".badge.succeeded")
            self.assertEqual(b.count(".trouble"), 0)

    def test_full_disk(self):
        with self.daemon() as d:
            d.put("ring", ring(300))
            used = d.ask("GET", "/v1/info").json["cache"]["used_bytes"]
        with self.daemon(args=("--cache-limit", str(used + 50000))) as d:
            b = self.page(d)
            b.go("#/")
            b.find(".drop")
            b.driver.find_element(By.CSS_SELECTOR, "#file").send_keys(
                self.file("second.csv", ring(250)))
            b.click("label", "Lengths")
            b.find(".estimate .trouble", "room for")
            b.click("button.primary", "Upload")
            b.find("form .trouble", "Deleting one of these frees most")
            self.assertEqual(b.count(".trouble"), 1)
            self.assertSound(b, "a full disk", ("507",))
            b.click(".trouble a", "graph ring")
            b.find("h1", "ring")

    def test_little_to_draw(self):
        with self.daemon() as d:
            for name, body in (("none", b'{"vertices":["a","b"],"arcs":[]}'),
                               ("one", b'{"vertices":["only"],"arcs":[]}')):
                d.put(name, body, "?transform=hops", "application/json")
            d.put("negative", NEGATIVE)
            b = self.page(d)
            for name, words in (("none", "No vertex reaches another"), ("one", "one vertex")):
                b.go(f"#/graphs/{name}/whole")
                b.find(".empty", words)
                self.assertEqual(b.count("canvas"), 0)
                self.assertSound(b, f"{name}: the whole graph")
                self.address(b, f"#/graphs/{name}/whole?order=upload")
                b.find("option:checked", "as uploaded")
                b.wait("the answer", lambda: not b.count("[aria-busy=true]"))
                self.assertEqual((b.count(".empty"), b.count("canvas")), (1, 0))
            b.go("#/graphs/one/reach?of=..")
            b.find(".trouble", "A browser cannot ask for the vertex '..'")
            b.go("#/graphs/one/path?from=only&to=only")
            b.find("dd", "0")
            self.assertSound(b, "a path of no arc")
            b.go("#/graphs/negative/whole")
            b.find(".scale", "-2")  # where the colours begin
            b.go("#/graphs/negative/path?from=a&to=c")
            b.find(".dag .node.end")
            self.assertEqual(len(set(b.js(  # a log scale has no place for -2
                "return [...document.querySelectorAll('.dag path')].map("
                "(arc) => arc.getAttribute('stroke-width'))"))), 1)
            self.assertNotIn("thicker", b.text_of(b.find(".answer")))
            b.go("#/graphs/nothing")
            b.find(".trouble", "no graph 'nothing'")
            for wrong in "#/nonsense", "#/%":
                self.address(b, wrong)
                b.find(".trouble", "shows nothing")
            self.other_profiles(b, d)

    def other_profiles(self, b, d):
        """What one profile has and another one lacks."""
        d.put("chain", CHAIN, "?tables=none")
        for name, rule in (("hops", {"transform": "hops"}), ("wide", {"path": "widest"}),
                           ("narrow", {"path": "widest", "min_weight": 2})):
            d.wait(d.ask("PUT", f"/v1/graphs/chain/profiles/{name}", rule).json["job"])
        b.go("#/graphs/chain/compare?profile=wide&with=narrow&show=longer")
        b.find("input[name=change][value='']")
        self.assertTrue(b.js("return document.querySelector('[name=change]').checked"))
        b.go("#/graphs/chain")
        b.click("summary", "Download or delete")
        b.find("a", "Vertices as CSV")
        self.assertNotIn("NumPy", b.js("return document.body.innerText"))
        b.click("summary", "Add a profile")
        b.find("details[open]", "Without attributes")
        b.click("summary", "Attributes of vertices")
        b.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(
            self.file("types.csv", b"label,type\na,KC\nb,PN\n"))
        b.wait("a new form", lambda: not b.count("details[open] .fields"))
        b.click("summary", "Add a profile")
        b.find("details[open]")
        self.assertNotIn("Without attributes", b.js("return document.body.innerText"))
        b.find(".card p", "stored for 2 vertices")


if __name__ == "__main__":
    unittest.main()
