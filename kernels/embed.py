"""Turn kernel sources into one C file: embed.py OUT FILE.cl ...

A line `#include "x.clh"` is replaced by the text of that file, but only once in each
kernel file. Comments are left out. Then a changed comment changes no key of a compiled
kernel or of measured rates, so no device compiles or measures again because of it.

    embed.py --list SUFFIX

prints the names of the files in this folder that end in SUFFIX, one on each line.
"""
import os
import re
import sys


def inline(path, seen):
    with open(path, encoding="utf-8") as source:
        for line in source:
            name = re.match(r'#include "([^"]+)"', line)
            if not name:
                yield line
            elif name.group(1) not in seen:
                seen.add(name.group(1))
                yield from inline(
                    os.path.join(os.path.dirname(path), name.group(1)), seen)


def uncommented(text):
    """The text without comments, line by line; empty lines are left out."""
    return [line for line in re.sub(r"/\*.*?\*/", " ", text, flags=re.S).splitlines()
            if line.strip()]


def c_string(line):
    text = line.rstrip().replace("\\", "\\\\").replace('"', '\\"')
    return f'\t"{text}\\n"\n'


def main(out, paths):
    with open(out, "w", encoding="utf-8") as c:
        c.write('#include <stddef.h>\n#include "kernels/sources.h"\n\n')
        c.write("const struct apsp_kernel_source apsp_kernel_sources[] = {\n")
        for path in paths:
            name = os.path.splitext(os.path.basename(path))[0]
            c.write(f'{{"{name}",\n')
            text = "".join(inline(path, set()))
            c.writelines(c_string(line) for line in uncommented(text))
            c.write("},\n")
        c.write("{NULL, NULL},\n};\n")


def files_list(suffix):
    for name in sorted(os.listdir(os.path.dirname(os.path.abspath(__file__)))):
        if name.endswith(suffix):
            print(name)


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        files_list(sys.argv[2])
    else:
        main(sys.argv[1], sys.argv[2:])
