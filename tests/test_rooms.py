"""The rooms of the tree: the arrows between them, and what their prose points to.

Arrows: every #include (of .c files and headers) and every call must be an arrow of the
table ARROWS below, and every arrow must be needed by an #include or a call. No files of
one room may need each other in a circle. Calls are read from the built objects (nm),
which also finds a file that hides behind another's header. The modules of the page's
JavaScript may not import each other in a circle, either.

Clocks: only the files of the table CLOCKS ask for a time or wait until one, so that no
deadline is a time of day, which somebody may set.

Prose: "(api/http/README.md, Title)" must name a heading of that file, and a
comment of C or OpenCL C may only mention files that exist; a blank follows the asterisk
that begins a line of it. The section Files of a README.md may only name what is in its
folder.

    APSP_BUILD_ROOT=$PWD/build python3 tests/test_rooms.py [arrows|prose]
"""
import os
import re
import subprocess
import sys

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("APSP_BUILD_ROOT") or os.path.join(ROOT, "build")

# C17's and POSIX's headers, and Linux's own.
LIBC = re.compile(
    r"^(sys|linux|netinet|arpa|net)/|^(assert|ctype|dirent|dlfcn|errno|fcntl|float|"
    r"getopt|grp|inttypes|libgen|limits|locale|malloc|math|netdb|poll|pthread|pwd|sched|semaphore|"
    r"setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|"
    r"stdlib|stdnoreturn|string|strings|sysexits|syslog|termios|time|unistd|xlocale)\.h$")

OPENCL = "CL/"
GPU = "compute compute/graph compute/plan compute/device"
HTTP = "microhttpd.h jansson.h"
STORED = ("storage/database storage/tables storage/ingest storage/ingest/formats"
          " storage/attributes")

# room: (rooms it may use, besides daemon/base; outside headers it may include)
ARROWS = {
    "daemon/base": ("", ""),
    "daemon/job": ("", ""),
    "kernels": ("", ""),
    "compute": ("daemon/job", ""),
    "compute/graph": ("daemon/job compute", ""),
    "compute/plan": ("daemon/job compute", ""),
    "compute/device": ("daemon/job compute compute/graph compute/plan kernels", OPENCL),
    "compute/distance": (GPU + " compute/group daemon/job", OPENCL),
    "compute/closure": (GPU, OPENCL),
    "compute/measures": ("daemon/job compute compute/graph compute/plan", ""),
    "compute/statistics": (GPU + " daemon/job", OPENCL),
    "compute/tables": (GPU + " daemon/job compute/measures compute/statistics", OPENCL),
    "compute/group": ("compute", "mpi.h"),
    "compute/rows": ("daemon/job compute compute/graph compute/tables", ""),
    "compute/solve": (
        GPU + " daemon/job compute/distance compute/closure compute/group compute/rows compute/statistics"
        " compute/tables kernels",
        ""),
    "compute/worker": ("daemon/job compute compute/plan", ""),
    "storage/database": ("", "sqlite3.h"),
    "storage/tables": ("daemon/job", "nettle/"),
    "storage/rows": ("daemon/job storage/tables", ""),
    "storage/search": ("daemon/job storage/tables", ""),
    "storage/circuits": ("storage/search storage/tables", ""),
    "storage/ingest": ("daemon/job", "nettle/"),
    "storage/ingest/formats": ("daemon/job storage/ingest", "nettle/"),
    "storage/ingest/upload": (
        "daemon/job storage/ingest storage/ingest/formats", "zlib.h zstd.h zstd_errors.h"),
    "storage/directories": ("daemon/job storage/database storage/tables", ""),
    "storage/snapshots": (STORED + " daemon/job", "sqlite3.h nettle/"),
    "storage/attributes": (
        "daemon/job storage/database storage/ingest storage/ingest/formats"
        " storage/ingest/upload", "sqlite3.h nettle/"),
    "storage/jobs": ("daemon/job storage/attributes storage/database storage/tables storage/ingest"
                     " storage/snapshots storage/directories", "nettle/"),
    "storage": (STORED + " daemon/job storage/rows storage/search storage/snapshots storage/jobs"
                " storage/directories storage/ingest/upload",
                "sqlite3.h"),
    "api/access": ("", "nettle/"),
    "api/encode": ("", "jansson.h zlib.h zstd.h"),
    "api/connection": ("daemon/job api/encode", "microhttpd.h"),
    "api/http": ("daemon/job api/access api/encode api/connection", HTTP),
    "api": ("daemon/job api/encode api/http compute/worker storage storage/attributes storage/ingest"
            " storage/ingest/upload storage/jobs storage/rows storage/search"
            " storage/snapshots storage/tables",
            "jansson.h zlib.h"),
    "api/circuits": (
        "daemon/job api api/encode api/http storage/attributes storage/circuits storage/ingest storage/search",
        "jansson.h"),
    "api/clients": ("api", ""),
    "api/graphs": (
        "daemon/job api api/encode api/http compute/plan compute/worker daemon/follow storage"
        " storage/attributes storage/ingest storage/ingest/formats storage/ingest/upload storage/jobs"
        " storage/snapshots storage/tables", "jansson.h nettle/"),
    "api/page": ("api api/encode api/http", ""),
    "api/paths": (
        "api api/encode api/http storage storage/ingest storage/ingest/formats storage/search"
        " storage/tables", ""),
    "api/service": (
        "daemon/job api api/access api/encode api/http compute/plan compute/worker daemon/follow storage"
        " storage/ingest/formats storage/ingest/upload storage/jobs storage/rows"
        " storage/search storage/snapshots storage/tables", "jansson.h"),
    "api/statistics": (
        "daemon/job api api/encode api/http storage/attributes storage/ingest storage/tables", ""),
    "api/tables": (
        "daemon/job api api/encode api/http storage/ingest storage/search storage/tables", ""),
    "api/vertices": (
        "api api/encode api/http storage storage/attributes storage/ingest"
        " storage/ingest/formats storage/search storage/snapshots storage/tables", ""),
    "api/endpoints": ("api api/circuits api/clients api/graphs api/page api/paths api/service api/statistics api/tables"
                      " api/vertices api/http", ""),
    "daemon/follow": ("compute/worker", ""),
    "daemon/follow/fetch": ("daemon/job", "curl/ jansson.h"),
    "daemon": ("daemon/job api/access api/connection api/http api/endpoints compute/worker compute/plan"
               " compute/group compute/solve daemon/follow daemon/follow/fetch storage storage/jobs"
               " storage/database storage/directories storage/rows storage/snapshots"
               " storage/tables", ""),
}
# Calls upward: function pointers of a header, and the units above that set them. The rooms
# of these headers declare no other (api/README.md, Calls upward; compute/device/README.md,
# Fast forms are tried first; compute/README.md, Calls upward).
UPWARD = {
    "api/connection/answer.h": {"answer": "api/http/dispatch", "count": "api/http/server"},
    "compute/line_reader.h": {"line": "compute/worker/child_process"},
    "compute/parallel.h": {"body": "compute/tables/table_writer"},
    "compute/progress.h": {"advance": "compute/group/group_mpi"},
    "compute/distance/task.h": {"take": "compute/solve/device_rows",
                                "next": "compute/solve/device_rows"},
    "compute/measures/betweenness.h": {"read": "compute/tables/table_rows"},
    "compute/device/trial_ops.h": {"run": "compute/solve/trial_process"},
    "compute/worker/child_process.h": {
        "line": "compute/worker/solver_process compute/worker/row_worker daemon/follow/follower",
        "log": "compute/worker/solver_process"},
    "compute/worker/solver_process.h": {"progressed": "compute/worker/job_try"},
    "compute/worker/worker_ops.h": {name: "daemon/links" for name in (
        "claim", "load", "publish", "fail", "put_back", "progressed")},
    "storage/snapshots/store_hooks.h": {name: "daemon/links" for name in (
        "jobs_queued", "rows_changed", "graphs_changed", "job_changed", "job_unwanted", "job_seconds", "trouble")},
    "compute/worker/row_ops.h": {name: "daemon/main" for name in ("take", "give")},
}
# Types that appear in these rooms' headers only.
TYPES = {
    r"\bcl_[a-z_]+\b": "compute/device compute/distance compute/closure"
                       " compute/statistics compute/tables compute/solve",
    r"\bsqlite3(_stmt)? *\*": "storage storage/database storage/snapshots"
                                " storage/jobs storage/attributes",
    r"\bMHD_": "api/connection api/http",
    r"\bjson_t\b": "api api/encode api/http api/graphs api/paths api/service"
                   " api/statistics",
}

# What tells a time or waits until one: the units that may call it.
CLOCKS = {
    "clock_gettime": "daemon/base/clock",
    # the time of day, to be noted: no deadline and no order comes of it
    "apsp_clock_utc_ms": "daemon/base/log api/access/tokens storage/graph_put"
                         " storage/attributes/attribute_rows"
                         " storage/jobs/generations storage/jobs/job_publish"
                         " storage/jobs/job_claim storage/jobs/job_queue storage/jobs/job_tries"
                         " storage/jobs/jobs storage/jobs/table_care"
                         " storage/tables/scrub",
    "time": "api/connection/answer",
    # each sets its condition's clock to CLOCK_MONOTONIC, or names that
    "pthread_cond_timedwait": "api/connection/connections api/http/work_pool"
                              " storage/database/writer storage/jobs/table_sync",
    "sem_clockwait": "compute/solve/stop_watch",
    "setitimer": "daemon/process_setup",  # Linux counts the time that passes
}
NO_CLOCKS = {"gettimeofday", "timespec_get", "ftime", "sem_timedwait", "mq_timedsend",
             "mq_timedreceive", "pthread_mutex_timedlock", "pthread_rwlock_timedrdlock",
             "pthread_rwlock_timedwrlock", "cnd_timedwait", "mtx_timedlock", "timer_create",
             "timerfd_create", "clock_nanosleep", "pthread_cond_clockwait"}

# Prose is read in files of these kinds; the names of files in C and OpenCL C.
PROSE = (".c", ".h", ".cl", ".clh", ".py", ".sh", ".sql", ".md", ".build", ".txt",
         ".in", ".conf", ".socket")
CODE = (".c", ".h", ".cl", ".clh")
CITATION = re.compile(r"([\w/]*README\.md), ([^);]*)")
WORKING_PAPER = re.compile(r"design\.md|\bdecisions? \d")
# What clang-format makes of a line that it wraps badly. In comments without asterisks,
# whose lines begin with three blanks, "*out" may begin one.
BROKEN_LINE = re.compile(r"^\t* \*[^\s/*].*", re.M)
FILE_NAME = re.compile(
    r"(?<![\w./<*-])[\w/]+\.(?:clh|cl|c|h|md|py|sh|sql)(?![\w-]|\.\w)")
# Files that comments mention and the tree does not have.
OUTSIDE = {"microhttpd.h"}


def room_of(path):
    room = os.path.dirname(path)
    while room and room not in ARROWS:
        room = os.path.dirname(room)
    return room


def unit_of(path):
    """A noun: x.c and x.h are one."""
    return os.path.splitext(path)[0]


def code_only(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def may_use(room, other):
    return other in (room, "daemon/base") or other in ARROWS[room][0].split()


def stands_above(room, other):
    """Whether the arrows lead from room to other, directly or through other rooms."""
    return other == room or any(stands_above(next_room, other)
                                for next_room in ARROWS[room][0].split())


def outside_allowed(room, name):
    return LIBC.match(name) or any(
        name == header or (header.endswith("/") and name.startswith(header))
        for header in ARROWS[room][1].split())


def includes_check(path, text):
    """(what is wrong, the units that this file includes)"""
    room, wrong, units = room_of(path), [], set()
    for kind, name in re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', text, re.M):
        if kind == '"':
            allowed = os.path.dirname(name) and may_use(room, room_of(name))
            units.add(unit_of(name))
        else:
            allowed = outside_allowed(room, name)
        if not allowed:
            wrong.append(f"{path} may not include {name}")
    if path.endswith(".h") and room in {room_of(header) for header in UPWARD}:
        wrong += [f"{path}: {name}() is called upward and is not in UPWARD"
                  for name in set(re.findall(
                      r"\(\*(\w+)\)\(\s*(?:void \*ctx|double share|struct apsp_(?:store|row_cache) \*\w+)\b",
                      code_only(text)))
                  ^ set(UPWARD.get(path, {}))]
    if path.endswith(".h"):
        for types, rooms in TYPES.items():
            found = re.search(types, code_only(text))
            if found and room not in rooms.split():
                wrong.append(f"{path}: {found.group(0)} belongs to {rooms}")
    return wrong, units - {unit_of(path)}


def circles(arrows):
    """The strongly connected components of more than one unit (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        for other in sorted(arrows.get(unit, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[unit] = min(low[unit], low[other])
        if low[unit] == index[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for unit in sorted(arrows):
        if unit not in index:
            visit(unit)
    return found


def circles_check(arrows, what):
    return [f"{what} in a circle: {', '.join(units)}" for units in circles(arrows)]


def symbols_of(objects):
    """object: (names it defines, names it wants)"""
    listing = subprocess.run(["nm", "-A", "-g", *objects], check=True,
                             capture_output=True, text=True).stdout
    symbols = {path: (set(), set()) for path in objects}
    for line in listing.splitlines():
        path, rest = line.split(":", 1)
        kind, name = rest.split()[-2:]
        symbols[path][kind in "Uw"].add(name)
    return symbols


def objects_of(sources):
    """The built objects of these sources: {source: object}."""
    found = {}
    for folder, _, names in os.walk(BUILD):
        for name in names:
            if not name.endswith(".c.o") or "/tests" in folder:
                continue
            parent = os.path.relpath(os.path.dirname(folder), BUILD)
            source = os.path.join(parent, name[:-2].replace("_", "/"))
            own = os.path.join(parent, name[:-2])
            if own in sources:
                found[own] = os.path.join(folder, name)
            elif source in sources:
                found[source] = os.path.join(folder, name)
    return found


def built_of(sources):
    """unit: (names its object defines, names it wants)"""
    objects = objects_of(sources)
    if not objects:
        return {}
    symbols = symbols_of(sorted(objects.values()))
    return {unit_of(source): symbols[path] for source, path in objects.items()}


def calls_of(built):
    """unit: the units whose names its object wants."""
    home = {name: unit for unit, (own, _) in built.items() for name in own}
    return {unit: {home[name] for name in wanted if name in home} - {unit}
            for unit, (_, wanted) in built.items()}


def clocks_check(built):
    return [f"{unit} may not call {name}"
            for unit, (_, wanted) in sorted(built.items()) for name in sorted(wanted)
            if name in NO_CLOCKS or (name in CLOCKS and unit not in CLOCKS[name].split())]


def outside_of(text):
    return re.findall(r'^\s*#\s*include\s*<([^>]+)>', text, re.M)


def unused_check(arrows, outside):
    """What ARROWS permits and nobody needs. arrows: {unit: units that it includes or calls};
    outside: {unit: headers that it includes from outside the tree}"""
    rooms, headers = {}, {}
    for unit, others in arrows.items():
        rooms.setdefault(room_of(unit), set()).update(map(room_of, others))
    for unit, names in outside.items():
        headers.setdefault(room_of(unit), set()).update(names)
    return [f"{room} needs no {other}"
            for room, (uses, names) in ARROWS.items()
            for other in uses.split() + names.split()
            if other not in rooms.get(room, ())
            and not any(name.startswith(other) for name in headers.get(room, ()))]


def calls_check(arrows):
    return [f"{unit} may not call {other}"
            for unit, others in sorted(arrows.items()) for other in sorted(others)
            if not may_use(room_of(unit), room_of(other))]


def prose_of(text):
    """The text with comment marks and line ends as blanks, as a reader joins lines."""
    return re.sub(r"\s*\n[ \t]*(\*(?!/)|#)?\s*", " ", text)


def headings_of(text):
    return {title.strip() for title in re.findall(r"^#+ (.*)$", text, re.M)}


def citations_check(path, text, headings):
    """headings: {README.md: its headings}"""
    prose, wrong = prose_of(text), []
    for readme, title in CITATION.findall(prose):
        if readme not in headings:
            wrong.append(f"{path} cites {readme}, which does not exist")
        elif title.strip() not in headings[readme]:
            wrong.append(f"{path} cites {readme}, which has no heading '{title}'")
    wrong += [f"{path} says '{words}'" for words in WORKING_PAPER.findall(prose)]
    return wrong


def names_check(path, text, files):
    """files: paths of the tree; a name without a folder may be in any."""
    names = {os.path.basename(file) for file in files}
    comments = re.findall(r"/\*.*?\*/", text, re.S)
    if not path.endswith((".c", ".h")):
        comments += re.findall(r"//.*", text)
    mentioned = {name for comment in comments
                 for name in FILE_NAME.findall(CITATION.sub("", prose_of(comment)))}
    return [f"{path} mentions {name}, which does not exist"
            for name in sorted(mentioned - OUTSIDE)
            if name not in (files if "/" in name else names)
            and not WORKING_PAPER.match(name)]


def nouns_check(path, text, files):
    """The first column of the table of files: names of files, with or without their ends."""
    folder = os.path.dirname(path)
    there = {part for file in files if file.startswith(folder + "/")
             for part in (file, os.path.splitext(file)[0], os.path.dirname(file))}
    cells = [cell for section in re.findall(r"^## Files\b.*\n((?:[^#].*\n|\n)*)", text, re.M)
             for cell in re.findall(r"^\| *([^|]+?) *\|", section, re.M)[2:]]
    return [f"{path} names {name}, which does not exist"
            for cell in cells for name in re.split(r", | and ", cell.replace("`", ""))
            if os.path.join(folder, name).rstrip("/") not in there]


def comments_check(path, text):
    return [f"{path} has a broken line of a comment: '{line.strip()}'"
            for comment in re.findall(r"/\*.*?\*/", text, re.S)
            for line in BROKEN_LINE.findall(comment)]


def prose_check():
    files, texts = set(), {}
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders
                      if not name.startswith((".", "build", "__"))]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            files.add(path)
            if name.endswith(PROSE):
                with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                    texts[path] = f.read()
    headings = {path: headings_of(text) for path, text in texts.items()
                if os.path.basename(path) == "README.md"}
    wrong = []
    for path, text in sorted(texts.items()):
        if path != "tests/test_rooms.py":
            wrong += citations_check(path, text, headings)
        if path.endswith(CODE):
            wrong += names_check(path, text, files)
            wrong += comments_check(path, text)
        if os.path.basename(path) == "README.md":
            wrong += nouns_check(path, text, files)
    return wrong


def rooms_check():
    return circles_check({room: set(uses.split()) for room, (uses, _) in ARROWS.items()},
                         "rooms")


def self_test():
    """The checks themselves must be able to fail."""
    def wrong(path, line):
        return includes_check(path, line + "\n")[0]

    assert wrong("storage/a.c", "#include <CL/cl.h>")
    assert wrong("storage/a.c", '#include "compute/worker/worker.h"')
    assert wrong("api/paths/a.c", '#include "compute/solve/solver_main.h"')
    assert wrong("api/http/a.c", '#include "api/endpoints/endpoints.h"')
    assert wrong("api/paths/a.c", '#include "api/graphs/estimate.h"')
    assert wrong("api/paths/a.c", '#include "compute/worker/worker.h"')
    assert wrong("api/statistics/a.c", '#include "storage/jobs/jobs.h"')
    assert wrong("api/connection/a.c", '#include "api/http/reply.h"')
    assert wrong("compute/worker/a.c", '#include "compute/device/device.h"')
    assert wrong("compute/plan/a.c", '#include "compute/graph/lengths.h"')
    assert wrong("compute/graph/a.c", '#include "auto.h"')
    assert wrong("daemon/base/a.h", "sqlite3 *db;")
    assert wrong("api/connection/a.h", "int (*above)(void *ctx);")
    assert wrong("storage/tables/a.h", '#include "storage/snapshots/row.h"')
    assert not wrong("api/a.c", '#include "compute/worker/worker.h"')
    used = {room + "/a": {other + "/b" for other in uses.split()}
            for room, (uses, _) in ARROWS.items()}
    headers = {room + "/a": set(names.split()) for room, (_, names) in ARROWS.items()}
    assert not unused_check(used, headers)
    assert unused_check({**used, "storage/search/a": set()}, headers)
    assert unused_check(used, {**headers, "storage/search/a": set(), "storage/tables/a": set()})
    assert calls_check({"compute/worker/a": {"compute/device/b"}})
    assert not calls_check({"compute/solve/a": {"compute/device/b"}})
    assert clocks_check({"storage/a": (set(), {"apsp_clock_utc_ms"})})
    assert clocks_check({"daemon/base/clock": (set(), {"gettimeofday"})})
    assert not clocks_check({"daemon/base/clock": (set(), {"clock_gettime"})})
    assert stands_above("daemon", "storage/snapshots")
    assert not stands_above("storage/snapshots", "daemon")
    assert not stands_above("compute/worker", "storage/snapshots")
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert not circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})

    modules = {"p/app.js": 'const view = () => import("./list.js");',
               "p/list.js": 'import {a} from "./address.js";', "p/address.js": ""}
    assert not modules_check(modules)
    assert modules_check({**modules, "p/address.js": "import './app.js';"})
    assert modules_check({**modules, "p/address.js": 'import {b} from "./lost.js";'})

    def cited(text):
        return citations_check("a.c", text, {"x/README.md": {"A title, long"}})

    assert cited("/* (x/README.md, Another) */")
    assert cited("/* (y/README.md, A title, long) */")
    assert cited("/* as design.md says */") and cited("/* (decisions\n * 2 and 3) */")
    assert not cited("/* (x/README.md, A title,\n * long) and x/README.md. */")

    def mentioned(text):
        return names_check("a.c", text, {"x/b.h", "x/c_d.py"})

    assert mentioned("/* see b.c */") and mentioned("/*\n * See y/b.h.\n */")
    assert not mentioned("/* b.h, x/b.h and c_d.py's */") and not mentioned('"no.h"')

    def named(nouns):
        table = f"## Files\n\n| noun | what |\n|---|---|\n| {nouns} | for |\n"
        return nouns_check("x/README.md", table, {"x/b.h", "x/c_d.py", "x/e/f.c", "y/g.c"})

    assert named("g") and named("`b`, `h`") and named("f")
    assert not named("`b`, c_d.py") and not named("e/")

    assert comments_check("a.c", "/*\n * Of\n *these with\n */")
    assert comments_check("a.c", "struct a {\n\t/*\n\t *(one)\n\t */\n};")
    assert not comments_check("a.c", "/*\n * Of\n *\n * these.\n */")
    assert not comments_check("a.c", "/* Fill\n   *out. */\nint\n *f(void);")


def imports_of(path, text):
    """The modules of its own folder that a JavaScript module imports, at once or later."""
    names = re.findall(r'\b(?:from|import)\s*\(?\s*["\']\./([\w.]+)["\']', text)
    return {os.path.join(os.path.dirname(path), name) for name in names}


def modules_check(texts):
    """texts: {path of a JavaScript module: its text}"""
    imported = {path: imports_of(path, text) for path, text in texts.items()}
    missing = [f"{path} imports {other}, which does not exist"
               for path, others in sorted(imported.items()) for other in sorted(others - set(texts))]
    return missing + circles_check(imported, "imports")


def page_check():
    folder, texts = "api/page/assets", {}
    for name in os.listdir(os.path.join(ROOT, folder)):
        if name.endswith(".js"):
            with open(os.path.join(ROOT, folder, name), encoding="utf-8") as f:
                texts[os.path.join(folder, name)] = f.read()
    return modules_check(texts) if texts else ["no modules of the page"]


def arrows_check():
    wrong, sources, included, outside = rooms_check() + page_check(), set(), {}, {}
    for top in ("daemon", "storage", "compute", "api"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                if room_of(path) != os.path.dirname(path):
                    wrong.append(f"{path} lies in no room")
                with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                    text = f.read()
                bad, units = includes_check(path, text)
                wrong += bad
                included.setdefault(unit_of(path), set()).update(units)
                outside.setdefault(unit_of(path), set()).update(outside_of(text))
                if name.endswith(".c"):
                    sources.add(path)
    wrong += circles_check(included, "includes")
    built = built_of(sources)
    called = calls_of(built)
    missing = sources - {unit + ".c" for unit in called}
    wrong += [f"{path}: no object of it in {BUILD}" for path in sorted(missing)]
    wrong += calls_check(called)
    wrong += unused_check({unit: included.get(unit, set()) | called.get(unit, set())
                           for unit in included.keys() | called.keys()}, outside)
    wrong += [f"{unit} stands not above {header}" for header, members in UPWARD.items()
              for units in members.values() for unit in units.split()
              if unit not in called or not stands_above(room_of(unit), room_of(header))]
    wrong += clocks_check(built)
    wrong += circles_check(called, "calls")
    return wrong if sources else ["no sources"]


def main(which):
    self_test()
    wrong = []
    if which in ("", "arrows"):
        wrong += arrows_check()
    if which in ("", "prose"):
        wrong += prose_check()
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
