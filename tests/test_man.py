"""The man pages: mandoc finds nothing wrong, and each option of --help is in them."""
import os
import re
import subprocess
import unittest

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
DAEMON = os.path.join(os.environ.get("APSP_BUILD_ROOT") or os.path.join(ROOT, "build"),
                      "daemon")
WIDTH = "-Owidth=200"  # so that no sentence is broken


def lint(text):
    """What mandoc complains of, but for pages of others that are not installed here."""
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "style"], input=text,
                          capture_output=True, text=True)
    return [line for line in done.stdout.splitlines()
            if "referenced manual not found" not in line]


def shown(text):
    done = subprocess.run(["mandoc", "-T", "utf8", WIDTH], input=text, capture_output=True,
                          text=True, check=True)
    return re.sub(".\b", "", done.stdout)  # bold and underlined by overtyping


class ManPages(unittest.TestCase):
    def page(self, name):
        with open(os.path.join(DAEMON, name + ".8"), encoding="utf-8") as file:
            return file.read()

    def help(self, name):
        return subprocess.run([os.path.join(DAEMON, name), "--help"], capture_output=True,
                              text=True, check=True).stdout

    def test_pages(self):
        for name, least in (("apspd", 20), ("apsp-solve", 6), ("apspd-follow", 4)):
            text, told = self.page(name), self.help(name)
            self.assertEqual(lint(text), [], name)
            page = shown(text)
            options = re.findall(r"^  --(\S+)(?: ([^ \n]+))?", told, re.M)
            self.assertGreaterEqual(len(options), least)
            at = 0
            for option, value in options:
                line = f"\n     --{option}{' ' + value if value else ''}"
                self.assertIn(line, page[at:], name)
                at = page.index(line, at)
            words = " ".join(page.split()).lower()
            texts = re.findall(r"^  --.*\n((?: {8,}.*\n)+)", told, re.M)
            self.assertTrue(texts)
            for text in texts:
                self.assertIn(" ".join(text.split()).lower(), words, name)

    def test_lint_can_fail(self):
        text = self.page("apspd")
        self.assertTrue(lint(text.replace(".Dt APSPD 8\n", "")))
        self.assertTrue(lint(text.replace(".El\n", "", 1)))

    def test_daemon_options(self):
        """daemon/README.md and the page speak of the same options."""
        with open(os.path.join(ROOT, "daemon", "README.md"), encoding="utf-8") as file:
            listed = set(re.findall(r"^\| `--([a-z-]+)", file.read(), re.M))
        in_page = set(re.findall(r"^     --([a-z-]+)", shown(self.page("apspd")), re.M))
        self.assertLessEqual(listed, in_page)


if __name__ == "__main__":
    unittest.main()
