"""What each member of requests and answers means, wherever it stands.

A member has one meaning under one name. Where a name has one for each kind of value, such
as the number of vertices and their list, the entry is a dictionary by JSON type. A contract
that must be more exact describes the member itself, with said(). document.py fails on a
member without a description, and on an entry here that no member needs.
"""

MEANINGS = {
    # who and where
    "id": "the job's id, as in /v1/jobs/{job}",
    "name": "its name",
    "graph": "the graph's name",
    "profile": "the profile whose rule and tables the answer is from",
    "profiles": "the profiles, `default` first",
    "vertex": "the vertex's label",
    "index": "the vertex's place in upload order, from 0: its row and column in matrices",
    "from": "the label where the path, arc or pair begins",
    "to": "the label where the path, arc or pair ends",
    "direction": "`out`: from the vertex; `in`: to it",
    "next": "the cursor of the next page; null on the last page",
    "version": "the version",
    "type": "the address of the problem's page",
    "title": "the problem's type in a few words",
    "status": "the HTTP status",
    "detail": "what is wrong with this request, and what to do",
    "line": "the line of the upload, from 1",
    "column": "where in the line, in characters from 1",
    "job_url": "the path of that job",

    # graphs, uploads and profiles
    "uploaded_at": "when the upload was complete",
    "format": "how the upload was read",
    "job": "the job that computes its tables; null: none is needed",
    "pending": "what replaces this once it has tables; null: nothing is pending",
    "estimate": "what the tables will take",
    "element": "the type in which distances are computed, such as u16 or i32; that in which "
               "the table stores them is the profile's",
    "error": "why it failed; null: it did not",
    "state": "the state of its job",
    "columns": {"object": "which columns were read, by name; null: the file names none",
                "array": "the attributes, in the order of the CSV"},
    "attribute": "the attribute whose values are the groups at both ends",
    "attributes": "the vertex's attributes that have a value, by name",
    "rows_counted": "whether the weight is the number of rows of a pair (weight_column=count)",
    "rows": "how many rows or cells of the upload gave an arc",
    "loops": "how many arcs lead from a vertex to itself",
    "index_base": "the number of the first vertex, in formats that number vertices",
    "warnings": "what looks wrong in the upload, in sentences",
    "matched": "rows whose label is a vertex",
    "arcs": {"integer": "how many arcs", "array": "the arcs"},
    "vertices": {"integer": "how many vertices", "array": "the labels of the vertices"},
    "weight": "the weight, as it was uploaded",
    "weights": "what the weights will be: whole numbers, which is the default, or real ones",
    "length": "the length that the profile's rule makes of the weight",

    # rules (the options themselves are in daemon/base/profile.c)
    "transform": "how weights become lengths",

    # answers about pairs
    "reachable": {"boolean": "whether there is a path",
                  "array": "whether there is a path, for each pair",
                  "integer": "how many of the pairs have a path"},
    "distance": {"number": "the length of the shortest path; null: there is no path",
                 "array": "the lengths of the shortest paths; null: there is no path"},
    "hops": {"integer": "how many arcs the path has that is shortest by length, which may be more "
                        "than the fewest arcs; null: there is no path",
             "array": "how many arcs the paths have that are shortest by length, which may be "
                      "more than the fewest arcs; null: there is no path"},
    "steps": {"integer": "the fewest arcs from the source to the vertex (or back, with "
                         "direction=in), by whatever path; only with max_hops",
              "array": "the fewest arcs from the source to each vertex (or back, with "
                       "direction=in), by whatever path; only with max_hops"},
    "predecessor": {"string": "the last vertex before the end of the path; null: there is none",
                    "array": "the last vertices before the ends of the paths; null: there is none"},
    "count": "how many the answer is about",
    "sources": {"array": "the labels of the rows",
                "string": "the attribute whose values are the groups of first vertices"},
    "targets": {"array": "the labels of the columns",
                "string": "the attribute whose values are the groups of last vertices"},
    "values": {"array": "what to answer for each pair",
               "integer": "how many different values it has"},
    "pairs": {"array": "ordered pairs of labels",
              "integer": "how many ordered pairs of different vertices"},
    "paths": "the paths, in the order of the question or from the shortest on",
    "k": "how many paths were asked for",
    "layer": "the arcs of the longest of these paths from `from` to the vertex; null: it lies "
             "on or behind a cycle of length 0",
    "cyclic": "whether a cycle of length 0 lies on a shortest path",
    "tolerance": "the share of the distance by which tied paths may differ",
    "n_vertices": "how many vertices lie on shortest paths",
    "n_arcs": "how many arcs lie on shortest paths",
    "truncated": "whether the list of arcs is cut at max_arcs",
    "groups": "each pair of values",
    "share": "reachable / pairs; null: there are no pairs",
    "min": "the least distance; null: no pair has a path",
    "mean": "the mean; null: there is nothing to take it of",
    "nearest": "the two vertices whose distance is `min`",

    # statistics
    "reachable_pairs": "how many pairs have a path",
    "unreachable_pairs": "how many pairs have none",
    "reachable_fraction": "reachable_pairs / pairs",
    "characteristic_path_length": "the mean distance of the pairs that have a path",
    "global_efficiency": "the mean of 1 / distance over all pairs, 0 for those without a path",
    "radius": "the least eccentricity_out of the vertices that reach another",
    "diameter": "the largest eccentricity_out of the vertices that reach another",
    "strong_components": "the strongly connected components",
    "weak_components": "the weakly connected components",
    "largest": "how many vertices the largest has",
    "distance_histogram": "how many pairs have which distance",
    "hop_histogram": "how many pairs have a path of how many arcs, the path that is shortest "
                     "by length",
    "counts": "how many pairs are in each bin, from the first on",
    "width": "the width of a bin, a power of two; null: there are no bins",
    "betweenness": "the sum over all pairs of other vertices of the share of their shortest "
                   "paths that lead through the vertex",
    "max": "the largest; null: there is none",
    "max_vertex": "the vertex that has the largest",
    "undefined": "why paths cannot be counted; the numbers are null then",
    "eccentricity_out": "the largest distance from the vertex",
    "eccentricity_in": "the largest distance to the vertex",
    "closeness_out": "1 / the mean distance from the vertex",
    "closeness_in": "1 / the mean distance to the vertex",
    "efficiency_out": "the mean of 1 / distance from the vertex to all others",
    "efficiency_in": "the mean of 1 / distance from all others to the vertex",
    "in_degree": "how many arcs end at the vertex, self-loops excluded",
    "out_degree": "how many arcs begin at the vertex, self-loops excluded",
    "in_strength": "the sum of the weights of the arcs that end at the vertex",
    "out_strength": "the sum of the weights of the arcs that begin at the vertex",
    "on_cycle": "whether the vertex lies on a cycle",
    "size": "how many vertices it has",
    "first": "the label of its first vertex",

    # jobs and estimates
    "phase": "what the solver is doing, or did last; null: it has not begun",
    "eta_s": "the seconds that are left, by the plan and the pace so far; null: not known, as before "
             "the first step, when kernels may have to be compiled",
    "algorithm": "the algorithm; null: not chosen yet, or none has room",
    "algorithms": {"array": "the algorithms", "object": "each algorithm's rates, by name and by the element of V"},
    "device": {"string": "the OpenCL device that computes", "object": "the OpenCL device that computes; null: not known yet"},
    "tries": "how often the job was begun; two tries at most",
    "queued_at": "when the job was queued",
    "started_at": "when its last try began",
    "ended_at": "when it ended",
    "measured": "whether the device's rates were measured; false: they are defaults of its kind",
    "seconds": "how long it takes; null: not known",
    "device_bytes": "the memory that it takes on the device",
    "host_bytes": "the memory that it takes in the host",
    "disk_bytes": "what it takes on disk",
    "feasible": "whether there is room for it",
    "reason": "why it is not feasible",
    "closure": "the algorithm of the closure",

    # the daemon
    "cache": "the room for tables; null: not known at present",
    "limit_bytes": "the room for tables, the disk's or --cache-limit's",
    "used_bytes": "what tables and jobs take",
    "left_bytes": "what is left",
    "bytes": "what its tables take on disk",
    "deletable": "profiles that could be deleted to make room",
    "platform": "the OpenCL platform's name",
    "memory_bytes": "the memory",
    "largest_buffer_bytes": "the largest buffer that the device allocates",
    "compute_units": "how many compute units the device has",
    "chosen": "whether the daemon computes on this device",
    "operation_s": "seconds an operation, such as one relaxation",
    "step_s": "seconds a step, such as one launch, however small",
    "arc_s": "predecessors: seconds for an arc of a source",
    "near_s": "seconds to download and write a pair with 16-bit distance, of the first 2048²",
    "pair_s": "the same beyond the first 2048² pairs",
    "sum_s": "the same where the distance is a sum along the path, on top",
    "tail_s": "seconds of what follows the distances, however small the graph",
    "start_s": "seconds to open the device in a new process",
    "read_arc_s": "seconds for the host to read an arc and make it ready",
    "process_bytes": "the memory that the solver holds with its device open, before any job",
    "formats": "the formats of uploads",
    "transforms": "the transforms from weights to lengths",
    "limits": "what the daemon lets its clients take",
    "uploads": {"integer": "how many uploads are read at once", "object": "uploads under way"},
    "answers": "answers that are being made or sent and hold memory, with their searches",
    "searches": "the arcs that searches walk",
    "under_way": "how many there are at present",
    "max_memory_bytes": "the most memory that all may take together",
    "arcs_bytes": "the memory of the arcs that searches walk",
    "max_arcs_bytes": "the most memory that those arcs may take",
    "connections": "how many connections there may be",
    "peer_connections": "how many connections one address may have",
    "waiters": "how many requests may wait for a job",
    "json_bytes": "the size of a JSON body that is held whole",
    "body_bytes": "the size of a batch",
    "upload_bytes": "the size of an upload as sent",
    "inflated_bytes": "the size of an upload decompressed",
    "search_arcs": "how many arcs one search may look at",
    "answer_bytes": "the memory that one answer may take with its search",
    "yield_rate": "bytes a second; slower clients give way where others wait for what they hold",
    "request_timeout_s": "how long a request may take, uploads excluded",
    "upload_timeout_s": "how long an upload may take",
    "devices": "the OpenCL devices",
    "graphs": "the graphs of this page, in order of name",
    "jobs": "the jobs of this page, newest first",

    # the list of requests
    "page": "where the page is",
    "openapi": "where this document is",
    "problems": {"string": "where the types of problems are", "array": "the types of problems"},
    "metrics": "where Prometheus finds its series",
    "links": "each request",
    "method": "its method",
    "href": "its path, with {names} to be filled in",
    "summary": "what it does",
    "cases": "each status with which it comes",
    "meaning": "what has happened",
    "remedy": "what to do",
}


USED = set()  # (name, type), with type None where the name has one meaning


def meaning_of(name, schema):
    """What a member means by its name and type; None where nothing is said here."""
    found = MEANINGS.get(name)
    if not isinstance(found, dict):
        USED.add((name, None))
        return found
    kinds = schema.get("type", "object")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    kind = next((kind for kind in kinds if kind in found), None)
    USED.add((name, kind))
    return found.get(kind)


def unused():
    """The entries that no member has asked for."""
    return [f"{name} ({kind})" if kind else name for name, found in MEANINGS.items()
            for kind in (found if isinstance(found, dict) else [None])
            if (name, kind) not in USED]
