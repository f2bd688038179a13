"""The table of limits of api/service/README.md has the names and numbers of daemon/base/limits.def."""
import os
import re
import sys
import unittest

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "api", "contract"))
import words  # pylint: disable=wrong-import-position

# Limits without a name in /v1/info: their number, and how the table says it.
UNNAMED = {
    "max_ratio": (1000, "a thousand times the compressed size"),
    "ratio_free_bytes": (64 << 20, "above 64 MiB a thousand times"),
    "max_uploads_memory_bytes": (256 << 20, "at least 256 MiB"),
    "uploads_memory_part": (8, "an eighth of the machine's memory, at least"),
    "rows_memory_part": (8, "an eighth of the machine's memory (`--row-cache`)"),
    "max_answers_memory_bytes": (16 << 30, "16 GiB at most; half"),
    "answers_memory_part": (16, "a sixteenth of the machine's memory (`--answer-memory`)"),
    "arcs_memory_part": (8, "an eighth of the machine's memory (`--arc-memory`)"),
}
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
    def table(self):
        with open(os.path.join(ROOT, "api", "service", "README.md"), encoding="utf-8") as file:
            return re.search(r"^\| limit \| value \| name \|\n.*?\n\n", file.read(),
                             re.M | re.S)[0]

    def test_named(self):
        named = []
        for line in self.table().strip().split("\n")[2:]:
            _, cell, names = line[1:-1].split("|")
            for name in re.findall(r"`(\w+)`", names):
                named.append(name)
                with self.subTest(name):
                    self.assertTrue(has(cell, words.LARGEST[name]),
                                    (cell, words.LARGEST[name]))
        self.assertEqual(sorted(named), sorted(words.LARGEST))

    def test_unnamed(self):
        table, limits = self.table(), words.limits(r"(\w+), \"\"")
        for member, (value, phrase) in UNNAMED.items():
            with self.subTest(member):
                self.assertEqual(limits[member], value)
                self.assertIn(phrase, table)

    def test_written(self):
        for cell, value in (("64 MiB at most", 64 << 20), ("1,000, in", 1000), ("30 s", 30)):
            self.assertTrue(has(cell, value), cell)
        for cell, value in (("64 MiB", 6), ("1,000", 100), ("10,000", 1000), ("30 s", 3)):
            self.assertFalse(has(cell, value), cell)


if __name__ == "__main__":
    unittest.main()
