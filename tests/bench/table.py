"""The results of compare.py as plain text: ratios first."""
import statistics

STAGES = ("open", "read", "lengths", "closure", "self_test", "upload", "distance", "predecessor", "download",
          "write", "measure")
BEST = 1.3  # the choice may be this much slower than the best
LEAST_FLOYD_WARSHALL, LEAST_SHARE, LEAST_DIJKSTRA = 45, 0.60, 16


def number(x, digits=3):
    """Three digits, or the whole integer part: 0.00123, 0.123, 12.3, 12345."""
    if x >= 100:
        return f"{x:.0f}"
    if x >= 10:
        return f"{x:.1f}"
    if x >= 1:
        return f"{x:.2f}"
    return f"{x:.{digits}g}" if x >= 1e-4 else f"{x:.1e}"


def aligned(rows):
    """The first column to the left, the others to the right; a row may be one text."""
    cells = [row for row in rows if isinstance(row, list)]
    widths = [max(len(row[c]) for row in cells) for c in range(len(cells[0]))]
    widths[0] = max(len(row[0]) for row in rows)
    lines = []
    for row in rows:
        if isinstance(row, list):
            first = row[0].ljust(widths[0])
            rest = "  ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
            lines.append(f"{first}  {rest}".rstrip())
        else:
            lines.append(f"{row[0].ljust(widths[0])}  {row[1]}")
    return lines


def why_not(found):
    """The reason why a program has no time here."""
    if "estimated_s" in found:
        return f"skipped: estimated {number(found['estimated_s'])} s"
    if "stopped_after_s" in found:
        return f"skipped: not done after {number(found['stopped_after_s'])} s"
    for word in ("missing", "refused", "failed"):
        if word in found:
            return found[word] if word == "missing" else f"{word}: {found[word]}"
    return "no answer"


def choice_name(algorithm, solve):
    if algorithm:
        return algorithm
    return f"choice: {solve['used']}" if solve.get("used") else "choice"


def ratio(solve, peer):
    found = solve["ratios"].get(peer)
    if not found:
        return "-"
    return ("~" if found["estimated"] else "") + number(found["tables"])


def solve_rows(solves, peers):
    head = ["algorithm", "V", *peers.values(), "seconds",
            "G relax/s", "share", *STAGES, "peak MB", "of tables"]
    rows = [head]
    for algorithm, solve in solves.items():
        name = choice_name(algorithm, solve)
        if "seconds" not in solve:
            rows.append((name, why_not(solve)))
            continue
        rows.append([
            name, solve["element"], *(ratio(solve, peer) for peer in peers),
            number(solve["seconds"]), number(solve["relaxations_per_s"] / 1e9),
            f"{solve['share']:.3f}", *(f"{solve['stages'][stage]:.4f}" for stage in STAGES),
            f"{solve['peak_bytes'] / 1e6:.0f}", f"{solve['peak_over_tables']:.2f}"])
    return rows


def peer_rows(peers):
    rows = [["peer", "seconds", "peak MB"]]
    for name, peer in peers.items():
        if "seconds" in peer:
            rows.append([name, number(peer["seconds"]), f"{peer['peak_bytes'] / 1e6:.0f}"])
        else:
            rows.append((name, why_not(peer)))
    return rows


def measured(solves):
    return {name: solve for name, solve in solves.items() if "seconds" in solve}


def choice_line(solves):
    """The product's own choice beside the best algorithm."""
    done = measured(solves)
    chosen = done.pop("", None)
    if not chosen or not done:
        return None
    best = min(done, key=lambda name: done[name]["seconds"])
    slower = chosen["seconds"] / done[best]["seconds"]
    return (f"{choice_name('', chosen)} takes {slower:.2f} of the best, {best} "
            f"(at most {BEST})")


def headlines(result):
    """The goals of the project, on this device."""
    graphs, lines = result["graphs"], []
    dense = measured(graphs.get("dense", {}).get("solves", {})).get("blocked-fw")
    if dense:
        against = dense["ratios"].get("scipy floyd_warshall")
        lines.append(
            f"blocked-fw, {dense['element']}, n = {dense['vertices']}: distances "
            + (f"{against['distances']:.1f} x scipy's floyd_warshall (at least "
               f"{LEAST_FLOYD_WARSHALL}), " if against else "")
            + f"{dense['share']:.3f} of the ceiling (at least {LEAST_SHARE})")
    for name in ("rome99", "larva"):
        chosen = measured(graphs.get(name, {}).get("solves", {})).get("")
        ratios = [chosen["ratios"][peer]["tables"] for peer in chosen["ratios"]
                  if peer.split()[-1] != "floyd_warshall"] if chosen else []
        if ratios:
            lines.append(f"{choice_name('', chosen)}, {name}, all tables: {min(ratios):.1f} x "
                         f"the faster of scipy dijkstra and igraph (at least {LEAST_DIJKSTRA})")
    return lines


def device_line(result):
    solves = [solve for rows in result["graphs"].values() for solve in rows["solves"].values()]
    device = next((solve["device"] for solve in solves if "device" in solve), "no device")
    started = statistics.median(solve.get("start_s", 0) for solve in solves) if solves else 0
    memory = any(solve.get("in_memory") for solve in solves)
    versions = ", ".join(f"{name} {version or 'is not installed'}"
                         for name, version in result["peers"].items())
    return [f"{device}, {result['processors']} processors, {result['date']}; {versions}",
            f"A process takes {started:.2f} s to start and open the device, which is in no row. "
            f"Table files lay in {'memory' if memory else '/tmp'}."]


NOTES = """\
x NAME: how many times faster all three tables are than NAME's distances alone.
~ is against an estimate: NAME would take longer than {limit:.0f} s.
G relax/s: n^3 by the seconds of the distances; share: of the device's own ceiling,
measured before each run. Stages are from one more run that waits at their borders.
peak MB: of the process; of tables: what solving added, by the table file's size."""


def text(result, peers):
    lines = device_line(result)
    for name, rows in result["graphs"].items():
        done = next(iter(measured(rows["solves"]).values()), None)
        size = f", {done['vertices']} vertices, {done['arcs']} arcs" if done else ""
        lines += ["", f"{name} ({rows['word']}{size})", ""]
        lines += aligned(peer_rows(rows["peers"]))
        lines += ["", *aligned(solve_rows(rows["solves"], peers))]
        line = choice_line(rows["solves"])
        lines += ["", line] if line else []
    for name in result["left_out"]:
        lines += ["", f"{name}: not with --quick"]
    lines += ["", NOTES.format(limit=result["peer_limit_s"])]
    found = headlines(result)
    lines += ["", *found] if found else []
    return "\n".join(lines)
