"""A link to a view of the page, opened by somebody else: another browser with a profile
of its own, in a window of another size, where a token is wanted, and behind nginx with a
prefix, TLS and passwords. The same view comes.

    APSP_BUILD_ROOT=$PWD/build /usr/bin/python3 tests/e2e/test_browser_links.py
"""
import os
import subprocess
import unittest
from urllib.parse import quote

from selenium.webdriver.common.keys import Keys

from browser import PHONE, PageCase
from harness import APSPD, data
from nginx_site import HOST, PASSWORDS, SiteCase

# what each address shows, by where it is read
VIEWS = (
    ("#/graphs/celegans/path?from=125&to=20&show=k&k=4&pick=2",
     ".facts, .paths button[aria-pressed=true]"),
    ("#/graphs/celegans/path?from=125&to=20&avoid=12", ".facts, .chip"),
    ("#/graphs/celegans/reach?of=125&direction=in&hops=2", ".facts, tbody tr:first-child"),
    ("#/graphs/celegans/whole", "table.numbers"),
)


def shown(b, fragment, selector):
    """What a view says at some places of it, and its options."""
    b.driver.execute_async_script(
        "const [fragment, done] = arguments;"
        "if (location.hash === fragment) done();"
        "else {"
        " addEventListener('hashchange', () => done(), {once: true});"
        " location.hash = fragment;"
        "}", fragment)
    b.wait(f"an answer at {fragment}", lambda: b.count(f".answer :is({selector})")
           and not b.count("[aria-busy=true]"))
    return b.js(
        "return [document.title, document.querySelector('h1').innerText,"
        " ...[...document.querySelectorAll('main input')].map((i) => `${i.value} ${i.checked}`),"
        " ...[...document.querySelectorAll(arguments[0])].map((node) =>"
        "  node.textContent)]", selector)


class Links(PageCase):
    def test_with_a_token(self):
        path = os.path.join(self.directory, "tokens")
        tokens = [subprocess.run([APSPD, "--tokens", path, "--new-token", scope], check=True,
                                 capture_output=True, text=True).stdout.strip()
                  for scope in ("write:mine", "read:theirs")]
        with self.daemon(args=("--tokens", path)) as d:
            mine, theirs = self.page(d), self.page(d, name="theirs")
            theirs.size(PHONE)
            mine.go("")
            mine.find("h1", "requires a token")
            mine.keys(tokens[0], Keys.ENTER)
            mine.click("button.primary", "sample")
            mine.find(".badge.succeeded")
            theirs.go(VIEWS[0][0])
            theirs.find("h1", "requires a token")
            self.assertSound(theirs, "a link that requires a token", ("401",))
            theirs.keys(tokens[1], Keys.ENTER)
            for fragment, places in VIEWS:
                self.assertEqual(shown(theirs, fragment, places), shown(mine, fragment, places))
            self.assertNotIn("apspd_", mine.js("return location.href"))


class LinksBehindNginx(SiteCase, PageCase):
    def test_with_a_prefix(self):
        put = self.d.ask("PUT", "/v1/graphs/celegans?transform=inv",
                         data("celegans_newman.csv"),
                         {"Content-Type": "text/csv", "Host": HOST,
                          "Authorization": f"Bearer {self.token['admin']}"})
        self.assertStatus(put, 202)
        flags = (f"--host-resolver-rules=MAP {HOST} 127.0.0.1", "--ignore-certificate-errors")
        alice, bob = (self.page(f"https://{HOST}:{self.port}/apspd/", name=name, flags=flags)
                      for name in ("alice", "bob"))
        bob.size(PHONE)
        for b, name in ((alice, "alice"), (bob, "bob")):
            # as if the browser had asked for the name, which a headless one cannot
            b.driver.get(f"https://{name}:{quote(PASSWORDS[name])}@{HOST}:{self.port}/apspd/")
        alice.find(".badge.succeeded")
        for fragment, places in VIEWS:
            self.assertEqual(shown(bob, fragment, places), shown(alice, fragment, places))
        self.assertSound(bob, "a view behind nginx")
        for b in (alice, bob):
            b.js("document.querySelector('.share').open = true")
            self.assertIn(f"'https://{HOST}:{self.port}/apspd/v1/graphs/celegans",
                          b.text_of(b.find(".share code", "curl")))
            self.assertIn("who may ask this daemon", b.text_of(b.find(".share")))


if __name__ == "__main__":
    unittest.main()
