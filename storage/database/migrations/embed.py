"""Write the migrations, in order of their numbers, as a C array of texts."""
import os
import re
import sys


def literal(text):
    lines = []
    for line in text.split("\n"):
        line = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        lines.append(f'\t"{line}\\n"')
    return "\n".join(lines)


def main(out, paths):
    texts = []
    for number, path in enumerate(paths, 1):
        if not re.match(r"%03d_\w+\.sql$" % number, os.path.basename(path)):
            sys.exit(f"{path}: migrations are numbered from 001 without gaps")
        with open(path, encoding="utf-8") as f:
            texts.append(literal(f.read()))
    with open(out, "w", encoding="utf-8") as f:
        f.write('#include "storage/database/database.h"\n\n')
        f.write("const char *const apsp_migrations[] = {\n")
        f.write(",\n".join(texts))
        f.write(f",\n}};\n\nconst int apsp_n_migrations = {len(texts)};\n")


main(sys.argv[1], sys.argv[2:])
