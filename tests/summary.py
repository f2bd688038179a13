"""Counts test cases in the logs that `meson test` left in the builds named.

The last line is "123 passed, 0 failed"; the status is 1 if any case failed or none
passed. Programs with skipped cases are named: some need root, or a CPU as device. A
program that died or timed out counts as one failed case.
"""
import json
import os
import re
import sys

CMOCKA_OK = re.compile(r"^\[       OK \]", re.M)
CMOCKA_FAILED = re.compile(r"^\[  (?:FAILED|ERROR)\s*\] \S*[A-Za-z_]\S*$", re.M)
SKIPPED = re.compile(r"^\[  SKIPPED \] \S*[A-Za-z_]\S*$|skipped=(\d+)", re.M)
PYTHON_RAN = re.compile(r"^Ran (\d+) tests? in", re.M)
LINE_OK = re.compile(r"^ok ", re.M)
LINE_BAD = re.compile(r"^not ok ", re.M)
PYTHON_BAD = re.compile(r"(?:failures|errors)=(\d+)")


def count(test):
    """(passed, failed, skipped) cases of one program."""
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
    """Each of builds is a directory, or a file with lines "ok ..." and "not ok ..."."""
    total = [0, 0, 0]
    for build in builds:
        if os.path.isfile(build):
            with open(build, encoding="utf-8", errors="replace") as lines:
                text = lines.read()
            total[0] += len(LINE_OK.findall(text))
            total[1] += len(LINE_BAD.findall(text))
            continue
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
    return 1 if total[1] or not total[0] else 0


sys.exit(main(sys.argv[1:]))
