#!/usr/bin/env python3
"""Assemble every kernel's PTX for NVIDIA cards that are not at hand.

    python3 tests/nvidia_ptx.py [--clang] BUILD_DIR [sm_75 …]

makes the PTX of all GPUs' kernels, in the plain form and, for a card of each generation,
in the fast one, names that generation in the `.target` line and runs ptxas. The PTX comes
from NVIDIA's OpenCL driver where one is; else, or by --clang, from clang, which PoCL has
brought: then calls of built-in functions stay open in what ptxas makes.

ptxas is CUDA's (PATH or /usr/local/cuda/bin). PTXAS names more, separated by colons:
CUDA 13 no longer has sm_70, CUDA 12.7 and older have no sm_100, and CUDA 11 has no pairs
of 16 bits for sm_90. The first that knows a generation assembles for it. Where none does,
the kernels compile, inline PTX apart, of which clang only looks at the operands.

Status 0: all is taken; 1: some is refused, which is listed; 77: it cannot run here, and
the last line says why.
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
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels")
ROW = "{:8} {:6} {:18} {:14} {}"
sys.path.insert(0, KERNELS)

import embed  # noqa: E402


class Refused(Exception):
    """A compiler does not take the kernels; the message says why."""


def cannot(why):
    print(f"nvidia_ptx: cannot run here: {why}")
    sys.exit(CANNOT)


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def first_lines(text):
    return " ".join(text.strip().splitlines()[:3])


class Driver:
    """NVIDIA's, with the GPU of this machine."""

    name = "NVIDIA's driver"

    def __init__(self, build):
        self.program = os.path.join(build, "tests", "bench", "dump_kernels")

    def here(self):
        if not os.path.exists(self.program):
            return False
        with tempfile.TemporaryDirectory() as directory:
            return run(self.program, directory, "0").returncode != CANNOT

    def kernels(self, capability):
        """The PTX of all kernels by name, for ten times that compute capability, in the
        fast form; in the plain one for 0."""
        with tempfile.TemporaryDirectory() as directory:
            made = run(self.program, directory, str(capability))
            marks = glob.glob(directory + "/*.plain")
            if made.returncode != 0 or marks:
                raise Refused(first_lines(made.stderr) + " ".join(map(os.path.basename, marks)))
            found = {}
            for path in glob.glob(directory + "/*.ptx"):
                with open(path, encoding="utf-8") as file:
                    found[os.path.basename(path)] = file.read()
            return found


class Clang:
    """Without a GPU. What the preprocessor makes the same is compiled once. Nothing is optimised:
    that takes four times as long, and inline PTX stays the same."""

    def __init__(self):
        names = ["clang"] + [f"clang-{version}" for version in range(30, 13, -1)]
        self.program = next(filter(None, map(shutil.which, names)), None)
        if not self.program:
            cannot("there is neither an NVIDIA driver nor clang")
        version = re.search(r"version (\d+)", run(self.program, "--version").stdout)
        self.name = f"clang {version[1]}"
        self.macros = run(self.program, "-x", "cl", "-E", "-dM", os.devnull).stdout
        self.compiled = {}

    def preprocess(self, path, options):
        """The text of a kernel by clang's macros. A start of GCC's preprocessor, which comes with
        the compiler of apspd, takes a tenth of the time that clang takes to start."""
        cpp = shutil.which("cpp")
        if not cpp:
            return run(self.program, "-x", "cl", "-E", "-P", *options, path)
        with tempfile.NamedTemporaryFile("w", suffix=".h", encoding="utf-8") as file:
            file.write(self.macros)
            file.flush()
            return run(cpp, "-x", "c", "-undef", "-w", "-P", "-imacros", file.name, *options,
                       path)

    def compile(self, name, text):
        # clang spells asm with underscores; the oldest generation's PTX is taken by all;
        # what is declared and never made is a built-in function, with a mangled name
        made = run(self.program, "-x", "cl", "-cl-std=CL1.2", "-w", "-O0", "-S", "-o", "-",
                   "-Xclang", "-cl-ext=+cl_khr_int64_extended_atomics",
                   "-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu", "-Xclang",
                   GENERATIONS[0], "-Xclang", "-finclude-default-header", "-Dasm=__asm__",
                   "-", text=text)
        if made.returncode != 0:
            raise Refused(f"{name}: {first_lines(made.stderr)}")
        return re.sub(r"^\.func(?=.* _Z)", ".extern .func", made.stdout, flags=re.MULTILINE)

    def kernels(self, capability):
        """As the driver's, without those that have no fast form."""
        fast = ["-DPTX=1", f"-DCAPABILITY={capability}"] if capability else []
        found = {}
        for path in glob.glob(KERNELS + "/*.cl"):
            # a CPU's kernels take vectors that a GPU's compiler refuses
            text = "".join(embed.inline(path, set()))
            if "_cpu" in path or (fast and "PTX" not in text):
                continue
            for bits in (16, 32, 64):
                for widest in (False, True) if "EXTEND_MAX" in text else (False,):
                    name = f"{os.path.basename(path)[:-len('.cl')]}-{bits}" \
                        + ("-widest" if widest else "") + ".ptx"
                    made = self.preprocess(path, [
                        f"-DELEMENT={bits}", "-DTILE=128", "-DSPAN=2",
                        *(["-DEXTEND_MAX=1"] * widest), *fast])
                    if made.returncode != 0:
                        raise Refused(f"{name}: {first_lines(made.stderr)}")
                    if made.stdout not in self.compiled:
                        self.compiled[made.stdout] = self.compile(name, made.stdout)
                    found[name] = self.compiled[made.stdout]
        return found


# what a file defines: kernels, functions, and variables outside of them
DEFINED = re.compile(r"^(?:\.visible |\.weak )?(?:\.entry|\.func(?:\s+\([^)]*\))?"
                     r"|\.(?:shared|global|const)[^\[;={]*?)\s+([\w$]+)\s*[(\[;=]",
                     re.MULTILINE)


def with_own_names(text, i):
    """The text with other names than file number j has, as one ptxas takes each only once."""
    for name in set(DEFINED.findall(text)):
        text = re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", lambda found: f"{found[0]}_{i}",
                      text)
    return text


class Ptxas:
    """One of CUDA's assemblers."""

    def __init__(self, program):
        self.program = program
        self.generations = run(program, "--help").stdout
        release = re.search(r"release ([0-9.]+)", run(program, "--version").stdout)
        self.name = f"ptxas {release[1]}" if release else program
        self.version = "99.9"  # the newest of PTX that it knows

    def knows(self, sm):
        """Newer ones assemble no old generations, older ones no new ones."""
        return f"'{sm}'" in self.generations

    def assemble(self, sm, texts):
        """What is said against the PTX of one process, or None. A driver may write a newer
        version of PTX than this one knows, and clang an older one than the fast form needs, so
        the first try asks which is known best."""
        with tempfile.TemporaryDirectory() as directory:
            for _ in range(2):
                paths = []
                for i, text in enumerate(texts):
                    text = re.sub(r"^\.target sm_\w+", f".target {sm}", text, flags=re.MULTILINE)
                    paths.append(os.path.join(directory, f"{i}.ptx"))
                    with open(paths[-1], "w", encoding="utf-8") as file:
                        file.write(re.sub(r"^\.version [0-9.]+", f".version {self.version}", text,
                                          flags=re.MULTILINE))
                made = run(self.program, "-c", f"-arch={sm}", "-o",
                           os.path.join(directory, "cubin"), *paths)
                known = re.search(r"current version is '([0-9.]+)'", made.stderr)
                if not known:
                    break
                self.version = known[1]
        return first_lines(made.stderr + made.stdout) if made.returncode else None

    def refused(self, sm, kernels):
        """{name: what is said against it}. All are assembled by one process, each text once; if
        something is said, each by its own."""
        different = {text: name for name, text in kernels.items()}
        if not self.assemble(sm, [with_own_names(text, i) for i, text in enumerate(different)]):
            return {}
        found = {text: self.assemble(sm, [text]) for text in different}
        return {name: found[text] for name, text in kernels.items() if found[text]}


def ptxas_find():
    """Every ptxas there is."""
    found = shutil.which("ptxas", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    return [Ptxas(path) for path in [found] + os.environ.get("PTXAS", "").split(":") if path]


def refusals_of(sm, form, kernels, compiler, ptxas):
    """What is refused of a form, whose row is printed."""
    said = ptxas.refused(sm, kernels) if ptxas else {}
    refused = [f"{sm}, {form} form: {name}: {why}" for name, why in sorted(said.items())]
    print(ROW.format(sm, form, compiler.name, ptxas.name if ptxas else "none knows it",
                     f"{len(kernels) - len(refused)} of {len(kernels)}"), flush=True)
    return refused


def generation(sm, plain, compiler, found):
    """The same of both forms."""
    ptxas = next((ptxas for ptxas in found if ptxas.knows(sm)), None)
    refused = refusals_of(sm, "plain", plain, compiler, ptxas)
    try:
        fast = compiler.kernels(int(sm[3:]))
    except Refused as why:
        return refused + [f"{sm}, fast form: {why}"]
    fast = {name: text for name, text in fast.items() if text != plain[name]}
    if not fast:
        refused.append(f"{sm}: no kernel has a fast form")
    return refused + refusals_of(sm, "fast", fast, compiler, ptxas)


def main(arguments):
    by_clang = "--clang" in arguments
    build, *wanted = [word for word in arguments if word != "--clang"]
    driver = Driver(build)
    compiler = driver if not by_clang and driver.here() else Clang()
    found = ptxas_find()
    print(ROW.format("card", "form", "PTX of", "assembled by", "kernels, each in 16, 32, 64 bits"))
    try:
        plain = compiler.kernels(0)
    except Refused as why:
        refused = [f"plain form: {why}"]
    else:
        refused = [line for sm in wanted or GENERATIONS
                   for line in generation(sm, plain, compiler, found)]
    for line in refused:
        print(f"REFUSED {line}")
    return 1 if refused else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
