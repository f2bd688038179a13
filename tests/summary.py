"""Counts the test cases of the builds named: what `meson test` left in their logs.

Ends with one line, "123 passed, 0 failed", and status 1 if anything failed or
was skipped. A program that died or ran out of time counts as one failure more.
"""
import json
import os
import re
import sys

CMOCKA_OK = re.compile(r"^\[       OK \]", re.M)
CMOCKA_FAILED = re.compile(r"^\[  (?:FAILED|ERROR)\s*\] \S*[A-Za-z_]\S*$", re.M)
SKIPPED = re.compile(r"^\[  SKIPPED \] \S*[A-Za-z_]\S*$|skipped=(\d+)", re.M)
PYTHON_RAN = re.compile(r"^Ran (\d+) tests? in", re.M)
PYTHON_BAD = re.compile(r"(?:failures|errors)=(\d+)")


def count(test):
    """(passed, failed, skipped) of one program."""
    text = test.get("stdout", "") + "\n" + test.get("stderr", "")
    skipped = sum(int(m or 1) for m in SKIPPED.findall(text))
    ran = PYTHON_RAN.search(text)
    if ran:
        failed = sum(int(n) for n in PYTHON_BAD.findall(text))
        passed = int(ran.group(1)) - failed - skipped
    else:
        failed = len(set(CMOCKA_FAILED.findall(text)))
        passed = len(CMOCKA_OK.findall(text))
    if test["result"] == "OK":
        return max(passed, 0 if skipped else 1), failed, skipped
    return passed, max(failed, 1), skipped


def main(builds):
    total = [0, 0, 0]
    for build in builds:
        path = os.path.join(build, "meson-logs", "testlog.json")
        try:
            with open(path, encoding="utf-8", errors="replace") as log:
                tests = [json.loads(line) for line in log if line.strip()]
        except OSError as error:
            print(f"{build}: no test results: {error.strerror}")
            return 1
        for test in tests:
            counts = count(test)
            total = [a + b for a, b in zip(total, counts)]
            if counts[1] or counts[2]:
                print(f"{os.path.basename(build)}: {test['name']}: "
                      f"{counts[1]} failed, {counts[2]} skipped")
    skipped = f", {total[2]} skipped" if total[2] else ""
    print(f"{total[0]} passed, {total[1]} failed{skipped}")
    return 1 if total[1] or total[2] or not total[0] else 0


sys.exit(main(sys.argv[1:]))
