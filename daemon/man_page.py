"""Make a man page: man_page.py PROGRAM PAGE.in PAGE

PAGE.in is mdoc(7). Its line @options@ is replaced by the options that PROGRAM --help prints,
so that only the program lists them.
"""
import re
import subprocess
import sys
import textwrap

# "  --name VALUE" and perhaps, after more blanks, the first words of its text
OPTION = re.compile(r"  --([a-z-]+)(?: (\S+))?(?: {2,}(\S.*))?$")

# Options that --help does not explain.
SHORT = {"version": "print the version, and end", "help": "print the options, and end"}


def options_of(text):
    """Parse the output of --help. Returns [(name, value or None, text)]."""
    found = []
    for line in text.splitlines():
        option = OPTION.match(line)
        if option:
            found.append([option[1], option[2], [option[3]] if option[3] else []])
        elif found and line.startswith("        "):
            found[-1][2].append(line.strip())
        elif found and line.strip():
            break  # the paragraph after the options
    return [(name, value, " ".join(words)) for name, value, words in found]


def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def prose(text):
    """The text as sentences of a man page, each on a line of its own and with a full stop."""
    text = text[:1].upper() + text[1:]
    sentences = re.split(r"(?<=[.;:]) (?=[A-Z])", text + ".")
    return "\n".join(roff(line) for sentence in sentences
                     for line in textwrap.wrap(sentence, 76, break_on_hyphens=False))


def mdoc(options):
    lines = []
    for name, value, text in options:
        argument = f" Ar {roff(value)}" if value else ""
        lines.append(f".It Fl \\-{roff(name)}{argument}")
        lines.append(prose(text or SHORT[name]))
    return "\n".join(lines)


def main(program, source, out):
    told = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
    options = options_of(told.stdout)
    if len(options) < 2:
        sys.exit(f"{program} --help prints no options")
    with open(source, encoding="utf-8") as file:
        page = file.read()
    assert page.count("\n@options@\n") == 1, source
    with open(out, "w", encoding="utf-8") as file:
        file.write(page.replace("@options@", mdoc(options)))


if __name__ == "__main__":
    main(*sys.argv[1:])
