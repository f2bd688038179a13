"""The graphs of tests/data/ as tests in Python read them."""
from harness import data

GRAPHS = {
    # graph: file, Content-Type, vertices, arcs uploaded
    "rome99": ("rome99.gr", "text/x-dimacs", 3353, 8870),
    "larva": ("larva_edges.csv", "text/csv", 3013, 111243),
    "celegans": ("celegans_newman.csv", "text/csv", 297, 2345),
}
LENGTH = {"none": lambda w: w, "hops": lambda w: 1.0, "inv": lambda w: 1 / w}


def read(name):
    """The arcs of a file as (from, to, weight), in order."""
    for line in data(GRAPHS[name][0]).decode().splitlines():
        if name == "rome99":
            if line.startswith("a "):
                _, start, end, weight = line.split()
                yield start, end, float(weight)
        elif line != "pre,post,weight":
            start, end, weight = line.split(",")
            yield start, end, float(weight)


def lengths(name, transform, duplicates):
    """{from: {to: length}} after merging, without self-loops."""
    merge = {"min": min, "sum": lambda a, b: a + b}[duplicates]
    merged = {}
    for start, end, weight in read(name):
        row = merged.setdefault(start, {})
        row[end] = merge(row[end], weight) if end in row else weight
        merged.setdefault(end, {})
    return {start: {end: LENGTH[transform](weight) for end, weight in row.items()
                    if end != start} for start, row in merged.items()}
