#!/usr/bin/env python3
"""Assemble every kernel's PTX for NVIDIA cards that are not at hand.

    python3 tests/nvidia_ptx.py BUILD_DIR [sm_75 …]

compiles all kernels on the NVIDIA GPU of this machine in both forms, as for a card
of each generation, names that generation in the `.target` line and runs ptxas.
Needs an NVIDIA OpenCL driver and ptxas (of CUDA; PATH or /usr/local/cuda/bin).
PTXAS names others, separated by colons: CUDA 13 no longer has sm_70, CUDA 12.7 and
older have no sm_100. The first that knows a generation assembles for it.

Status 0: ptxas takes all; 1: it refuses some, which are listed; 77: it cannot run
here, and the last line says why.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

GENERATIONS = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100"]
CANNOT = 77


def cannot(why):
    print(f"nvidia_ptx: cannot run here: {why}")
    sys.exit(CANNOT)


def ptxas_find():
    """Every ptxas there is."""
    found = shutil.which("ptxas",
                         path=os.environ.get("PATH", "")
                         + ":/usr/local/cuda/bin")
    found = [found] if found else []
    found += [path for path in os.environ.get("PTXAS", "").split(":") if path]
    if not found:
        cannot("there is no ptxas (install NVIDIA's CUDA compiler)")
    return found


def ptxas_knows(ptxas, sm):
    """Newer ones assemble no old generations, older ones no new ones."""
    text = subprocess.run([ptxas, "--help"], capture_output=True, text=True,
                          check=False).stdout
    return f"'{sm}'" in text


def dump(program, capability, directory):
    run = subprocess.run([program, directory, str(capability)],
                         capture_output=True, text=True, check=False)
    if run.returncode == CANNOT:
        cannot("kernels do not compile to PTX, so this is no NVIDIA device "
               f"{run.stderr.strip()}")
    if run.returncode != 0:
        return [run.stderr.strip()]
    return [f"{os.path.basename(mark)}: the fast form does not compile"
            for mark in glob.glob(directory + "/*.plain")]


def retarget(text, sm, version=None):
    """The same PTX for another generation, in another version of PTX."""
    text = re.sub(r"^\.target sm_\w+", f".target {sm}", text, count=1,
                  flags=re.MULTILINE)
    if version:
        text = re.sub(r"^\.version [0-9.]+", f".version {version}", text,
                      count=1, flags=re.MULTILINE)
    return text


def assemble(ptxas, sm, path):
    """What ptxas says against the file, or None."""
    with open(path, encoding="utf-8") as file:
        given = file.read()
    version, said = None, ""
    for _ in range(2):
        with open(path, "w", encoding="utf-8") as file:
            file.write(retarget(given, sm, version))
        run = subprocess.run([ptxas, f"-arch={sm}", "-o", path + ".cubin",
                              path], capture_output=True, text=True,
                             check=False)
        if run.returncode == 0:
            return None
        said = run.stderr or run.stdout
        # a driver may be newer than this ptxas
        newest = re.search(r"current version is '([0-9.]+)'", said)
        if not newest:
            break
        version = newest[1]
    return said.strip().splitlines()[:3]


def failures_of(program, ptxas, sm):
    """What is refused for a generation, and how many files there were."""
    failures, n = [], 0
    for capability in (0, int(sm[3:])):
        form = f"{sm}, {'fast' if capability else 'plain'} form"
        with tempfile.TemporaryDirectory() as directory:
            failures += [f"{form}: {why}"
                         for why in dump(program, capability, directory)]
            paths = sorted(glob.glob(directory + "/*.ptx"))
            refused = [(os.path.basename(path), why) for path in paths
                       if (why := assemble(ptxas, sm, path))]
        n += len(paths)
        failures += [f"{form}: {name}: {' '.join(why)}"
                     for name, why in refused]
        print(f"{form}: {len(paths) - len(refused)} of {len(paths)}")
    return failures, n


def main(build, generations):
    program = os.path.join(build, "tests", "bench", "dump_kernels")
    if not os.path.exists(program):
        cannot(f"{program} is not built (ninja -C {build})")
    found = ptxas_find()
    failures, n = [], 0
    for sm in generations:
        ptxas = next((path for path in found if ptxas_knows(path, sm)), None)
        if not ptxas:
            print(f"{sm}: no ptxas here knows it")
            continue
        refused, n_files = failures_of(program, ptxas, sm)
        failures += refused
        n += n_files
    for failure in failures:
        print(f"REFUSED {failure}")
    if n == 0:
        cannot("no kernel was assembled")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] or GENERATIONS))
