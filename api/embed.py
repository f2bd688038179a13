"""Turn files that are served into one C file: embed.py OUT.c HEADER PREFIX FILE ...

Each file is kept as gzip packs it, and found by its name without folders. HEADER
declares what the C file defines: PREFIX_files, the list, and PREFIX_set, a hash of
all of them. In the page itself, index.html, @assets@ stands for the folder of the
other files; the folder's name is that hash.

    embed.py --list FOLDER

prints the files below FOLDER, one a line, relative to the folder around it.
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
    ".py": "text/x-python; charset=utf-8",
    ".R": "text/x-r-source; charset=utf-8",
    ".svg": "image/svg+xml",
}
PAGE = "index.html"
HASH_DIGITS = 16


def read(path):
    with open(path, "rb") as file:
        return file.read()


def hash_of(contents):
    """The hash of all files' names and bytes: any change gives all files new URLs."""
    total = hashlib.sha256()
    for name in sorted(contents):
        total.update(f"{name}\0{len(contents[name])}\0".encode())
        total.update(contents[name])
    return total.hexdigest()[:HASH_DIGITS]


def c_array(data):
    lines = (", ".join(str(byte) for byte in data[at:at + 20])
             for at in range(0, len(data), 20))
    return ",\n\t".join(lines)


def main(out, header, prefix, paths):
    contents = {os.path.basename(path): read(path) for path in paths}
    if len(contents) < len(paths):
        sys.exit("two files have one name")
    set_name = hash_of(contents)
    if PAGE in contents:
        contents[PAGE] = contents[PAGE].replace(
            b"@assets@", b"assets/" + set_name.encode())
    rows = []
    with open(out, "w", encoding="ascii") as c:
        c.write(f'#include <stddef.h>\n#include "{header}"\n\n')
        for i, (name, data) in enumerate(sorted(contents.items())):
            packed = gzip.compress(data, 9, mtime=0)
            c.write(f"static const unsigned char file_{i}[] = {{\n\t{c_array(packed)}}};\n")
            kind = TYPES[os.path.splitext(name)[1]]
            rows.append(f'\t{{"{name}", "{kind}", file_{i}, {len(packed)}, {len(data)}}},\n')
        c.write(f'\nconst char {prefix}_set[] = "{set_name}";\n')
        c.write(f"const struct apsp_packed_file {prefix}_files[] = {{\n")
        c.writelines(rows)
        c.write("\t{NULL, NULL, NULL, 0, 0},\n};\n")


def list_files(top):
    top = os.path.abspath(top)
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            if os.path.splitext(name)[1] in TYPES:
                print(os.path.relpath(os.path.join(folder, name), os.path.dirname(top)))


if sys.argv[1] == "--list":
    list_files(sys.argv[2])
else:
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
