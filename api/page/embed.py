"""Turn the files of the page into one C file: embed.py OUT.c FILE ...

Each is kept as gzip packs it, and found by its name without folders. The page
itself, index.html, says @assets@ where the folder of the others belongs: that is
named by a hash of all of them.

    embed.py --list

prints the files of assets/, one a line, relative to this folder.
"""
import gzip
import hashlib
import os
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PAGE = "index.html"
HASH_DIGITS = 16


def read(path):
    with open(path, "rb") as file:
        return file.read()


def hash_of(contents):
    """Of all files' names and bytes: any change gives all of them new URLs."""
    total = hashlib.sha256()
    for name in sorted(contents):
        total.update(f"{name}\0{len(contents[name])}\0".encode())
        total.update(contents[name])
    return total.hexdigest()[:HASH_DIGITS]


def c_array(data):
    lines = (", ".join(str(byte) for byte in data[at:at + 20])
             for at in range(0, len(data), 20))
    return ",\n\t".join(lines)


def main(out, paths):
    contents = {os.path.basename(path): read(path) for path in paths}
    if len(contents) < len(paths):
        sys.exit("two files of the page have one name")
    set_name = hash_of(contents)
    contents[PAGE] = contents[PAGE].replace(b"@assets@", b"assets/" + set_name.encode())
    rows = []
    with open(out, "w", encoding="ascii") as c:
        c.write('#include <stddef.h>\n#include "api/page/assets.h"\n\n')
        for i, (name, data) in enumerate(sorted(contents.items())):
            packed = gzip.compress(data, 9, mtime=0)
            c.write(f"static const unsigned char file_{i}[] = {{\n\t{c_array(packed)}}};\n")
            kind = TYPES[os.path.splitext(name)[1]]
            rows.append(f'\t{{"{name}", "{kind}", file_{i}, {len(packed)}, {len(data)}}},\n')
        c.write(f'\nconst char apsp_page_set[] = "{set_name}";\n')
        c.write("const struct apsp_page_asset apsp_page_assets[] = {\n")
        c.writelines(rows)
        c.write("\t{NULL, NULL, NULL, 0, 0},\n};\n")


def list_files():
    here = os.path.dirname(os.path.abspath(__file__))
    for folder, _, names in sorted(os.walk(os.path.join(here, "assets"))):
        for name in sorted(names):
            if os.path.splitext(name)[1] in TYPES:
                print(os.path.relpath(os.path.join(folder, name), here))


if sys.argv[1] == "--list":
    list_files()
else:
    main(sys.argv[1], sys.argv[2:])
