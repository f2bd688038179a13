"""Every #include must be an arrow of the table in README.md, "Who may include whom"."""
import os
import re
import sys

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))

# C17's and POSIX's headers, and Linux's own.
LIBC = re.compile(
    r"^(sys|linux|netinet|arpa|net)/|^(assert|ctype|dirent|dlfcn|errno|fcntl|float|"
    r"getopt|grp|inttypes|limits|locale|math|netdb|poll|pthread|pwd|sched|semaphore|"
    r"setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|"
    r"stdlib|stdnoreturn|string|strings|syslog|termios|time|unistd|xlocale)\.h$")

# folder: (project headers it may include, libraries it may include)
ALLOWED = {
    "daemon/base": (r"daemon/base/", r"$^"),
    "storage": (r"storage/|daemon/base/", r"sqlite3\.h|zlib\.h|zstd\.h|nettle/"),
    "compute": (r"compute/|kernels/|daemon/base/", r"CL/|mpi\.h"),
    "api": (r"api/|storage/|compute/worker\.h|daemon/base/",
            r"microhttpd\.h|jansson\.h|zlib\.h"),
    "daemon": (r".*", r".*"),
}
# Types that appear in one folder's headers only.
TYPES = {
    "compute": re.compile(r"\bcl_[a-z_]+\b|\bMPI_"),
    "storage": re.compile(r"\bsqlite3(_stmt)? *\*"),
    "api": re.compile(r"\bjson_t\b|\bMHD_"),
}


def code_only(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def check(path, text):
    folder = next(f for f in ("daemon/base", "storage", "compute", "api", "daemon")
                  if path.startswith(f + "/"))
    own, libraries = ALLOWED[folder]
    wrong = []
    for kind, name in re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', text, re.M):
        if kind == '"':
            ok = re.match(own, name) and os.path.dirname(name)
        else:
            ok = LIBC.match(name) or re.match(libraries, name)
        if not ok:
            wrong.append(f"{path} may not include {name}")
    if path.endswith(".h"):
        for owner, types in TYPES.items():
            found = types.search(code_only(text))
            if found and folder != owner:
                wrong.append(f"{path}: {found.group(0)} belongs to {owner}/'s headers")
    return wrong


def self_test():
    """The check itself must be able to fail."""
    assert check("storage/a.c", '#include <CL/cl.h>\n')
    assert check("storage/a.c", '#include "compute/worker.h"\n')
    assert check("api/a.c", '#include "compute/solve.h"\n')
    assert check("compute/a.c", '#include "storage/store.h"\n')
    assert check("daemon/base/a.h", 'sqlite3 *db;\n')
    assert not check("api/a.c", '#include "compute/worker.h"\n#include <zlib.h>\n')


def main():
    self_test()
    wrong, seen = [], 0
    for top in ("daemon", "storage", "compute", "api"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(folder, name), ROOT)
                    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                        wrong += check(path, f.read())
                    seen += 1
    print("\n".join(wrong))
    if not seen:
        wrong.append("no source found")
    return 1 if wrong else 0


sys.exit(main())
