"""README.md's table of limits has the names and numbers of daemon/base/limits.def."""
import os
import re
import sys
import unittest

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "api", "contract"))
import words  # pylint: disable=wrong-import-position

UNITS = {" KiB": 10, " MiB": 20, " GiB": 30}


def written(value):
    """The ways in which a cell may write a number."""
    texts = [f"{value:,}"]
    texts += [f"{value >> shift}{unit}" for unit, shift in UNITS.items()
              if value % (1 << shift) == 0]
    if value == 1 << 31:
        texts.append("2³¹")
    return texts


def has(cell, value):
    return any(re.search(rf"(?<![\d,]){re.escape(text)}(?![\d,]\d|\d)", cell)
               for text in written(value))


class LimitsTable(unittest.TestCase):
    def rows(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            table = re.search(r"^\| limit \| value \| name \|\n(.*?)\n\n", file.read(), re.M | re.S)
        for line in table[1].split("\n")[1:]:
            _, cell, names = (part.strip() for part in line.strip()[1:-1].split("|"))
            yield cell, re.findall(r"`(\w+)`", names)

    def test_table(self):
        named = []
        for cell, names in self.rows():
            named += names
            for name in names:
                with self.subTest(name):
                    self.assertTrue(has(cell, words.LARGEST[name]),
                                    (cell, words.LARGEST[name]))
        self.assertEqual(sorted(named), sorted(words.LARGEST))

    def test_written(self):
        for cell, value in (("64 MiB at most", 64 << 20), ("1,000, in", 1000), ("30 s", 30)):
            self.assertTrue(has(cell, value), cell)
        for cell, value in (("64 MiB", 6), ("1,000", 100), ("10,000", 1000), ("30 s", 3)):
            self.assertFalse(has(cell, value), cell)


if __name__ == "__main__":
    unittest.main()
