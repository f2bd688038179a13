"""The meaning of each member of requests and answers.

A name has one meaning wherever it occurs, or one for each JSON type: `vertices` is a number
in one answer and a list in another. A contract that needs a more exact description gives the
member its own, with said(). document.py fails if a member has no description, and if no
member uses an entry of this file.
"""

MEANINGS = {
    # who and where
    "id": "the id of the job, as in /v1/jobs/{job}",
    "name": "the name",
    "graph": "the graph's name",
    "profile": "the profile; its rule and its tables give the answer",
    "profiles": "the profiles; `default` is the first",
    "vertex": "the label of the vertex",
    "index": "the position of the vertex in the order of upload, from 0; also its row and column "
             "in matrices",
    "from": "the label of the vertex where the path, arc or pair begins",
    "to": "the label of the vertex where the path, arc or pair ends",
    "direction": "`out`: from the vertex to others; `in`: from others to the vertex",
    "next": "the cursor of the next page; null on the last page",
    "version": "the version",
    "type": "the address of a page about this type of problem",
    "title": "the type of the problem in a few words",
    "status": "the HTTP status",
    "detail": "what is wrong with this request, and what to do",
    "line": "the line of the upload; the first line is 1",
    "column": "the character in the line; the first character is 1",
    "job_url": "the path of the job's address",

    # graphs, uploads and profiles
    "uploaded_at": "when the upload was complete",
    "format": "the format in which the upload was read",
    "job": "the job that computes the tables; null if no job is needed",
    "pending": "the newer upload, which replaces this one once it has tables; null if there is "
               "none",
    "estimate": "the estimated time, memory and disk space of the tables",
    "element": "the type in which distances are computed, such as u16 or i32. The profile "
               "shows the type in which the table stores them",
    "error": "the reason for a failure; null if nothing failed",
    "state": "the state of the job",
    "columns": {"object": "the names of the columns that were read; null if the file has no names",
                "array": "the attributes, in the order of the CSV"},
    "attribute": "the attribute that forms the groups of both ends",
    "attributes": "the attributes of the vertex by name; an attribute without a value is left out",
    "rows_counted": "whether the weight of a pair is the number of its rows (weight_column=count)",
    "rows": {"integer": "the number of rows or cells of the upload that are arcs",
             "object": "rows of graphs without tables that are in memory"},
    "loops": "the number of arcs from a vertex to itself",
    "index_base": "the number of the first vertex, in formats that number vertices",
    "warnings": "sentences about what may be wrong: in the file, or in a rule that names an attribute or a value that no vertex has",
    "matched": "the number of rows whose label is a vertex of the graph",
    "arcs": {"integer": "the number of arcs", "array": "the arcs"},
    "vertices": {"integer": "the number of vertices", "array": "the labels of the vertices"},
    "weight": "the weight, as it was uploaded",
    "weights": "the kind of weights: `whole` numbers, which is the default, or `real` numbers",
    "length": "the length; the rule of the profile computes it from the weight",

    # rules (the options themselves are in daemon/job/profile.c)
    "transform": "the function that turns weights into lengths",

    # answers about pairs
    "reachable": {"boolean": "whether there is a path",
                  "array": "for each pair, whether there is a path",
                  "integer": "the number of pairs that have a path"},
    "distance": {"number": "the length of the shortest path; null if there is no path",
                 "array": "the lengths of the shortest paths; null where there is no path"},
    "width": {"number": "the largest width of a path; null if there is no path",
              "array": "the largest widths of paths; null where there is no path"},
    "hops": {"integer": "the number of arcs of the path that is shortest by length; null if there is "
                        "no path. Another path may have fewer arcs",
             "array": "the numbers of arcs of the paths that are shortest by length; null where "
                      "there is no path. Other paths may have fewer arcs"},
    "steps": {"integer": "the least number of arcs of any path to the vertex, or from it with "
                         "direction=in; only with max_hops",
              "array": "the least number of arcs of any path to each vertex, or from it with "
                       "direction=in; only with max_hops"},
    "predecessor": {"string": "the vertex before the last one of the path; null if there is none",
                    "array": "the vertices before the last ones of the paths; null where there "
                             "is none"},
    "count": "the number of objects in the answer",
    "sources": {"array": "the labels of the rows",
                "string": "the attribute that forms the groups where pairs begin"},
    "targets": {"array": "the labels of the columns",
                "string": "the attribute that forms the groups where pairs end"},
    "values": {"array": "the values to answer for each pair; an answer has them in the order distance "
                        "or width, hops, predecessor, reachable",
               "integer": "the number of different values of the attribute"},
    "pairs": {"array": "ordered pairs of labels",
              "integer": "the number of ordered pairs of different vertices"},
    "paths": "the paths: in the order of the pairs in the request, or from the shortest to the "
             "longest",
    "k": "the number of paths that the request asks for",
    "layer": "the largest number of arcs of a path from `from` to the vertex in the graph of "
             "paths; null if the vertex lies on a cycle of this graph or behind one",
    "cyclic": "whether the graph of paths has a cycle; without a tolerance, its length is 0",
    "tolerance": "the graph of paths has each arc on a walk that is longer than the distance by at "
                 "most this fraction of it",
    "n_vertices": "the number of vertices of the graph of paths",
    "n_arcs": "the number of arcs of the graph of paths",
    "truncated": "whether the list of arcs ends at max_arcs although there are more",
    "groups": "an object for each pair of values",
    "share": "reachable / pairs; null if there are no pairs",
    "min": "the least distance; null if no pair has a path",
    "mean": "the mean; null if it has no terms",
    "nearest": "two vertices at the distance `min`",

    # statistics
    "reachable_pairs": "the number of pairs that have a path",
    "unreachable_pairs": "the number of pairs that have no path",
    "reachable_fraction": "reachable_pairs / pairs",
    "characteristic_path_length": "the mean distance of the pairs that have a path",
    "global_efficiency": "the mean of 1 / distance over all pairs; pairs without a path count 0. "
                         "null if the distance of some pair is 0, or if there are no pairs",
    "radius": "the least eccentricity_out of the vertices that reach another",
    "diameter": "the largest eccentricity_out of the vertices that reach another",
    "strong_components": "the strongly connected components",
    "weak_components": "the weakly connected components",
    "largest": "the number of vertices of the largest component",
    "distance_histogram": "the distribution of distances over pairs",
    "hop_histogram": "the distribution over pairs of the number of arcs of the path that is "
                     "shortest by length",
    "counts": "the number of pairs in each bin, from the first bin on",
    "betweenness": "the betweenness of the vertex: for each pair of other vertices, the fraction "
                   "of "
                   "its shortest paths that contain the vertex, summed over all pairs",
    "max": "the largest value; null if there is none",
    "max_vertex": "the vertex with the largest value",
    "undefined": "why paths cannot be counted; all numbers are null then",
    "eccentricity_out": "the largest distance from the vertex",
    "eccentricity_in": "the largest distance to the vertex",
    "closeness_out": "1 / the mean distance from the vertex",
    "closeness_in": "1 / the mean distance to the vertex",
    "efficiency_out": "the mean of 1 / distance from the vertex to all others",
    "efficiency_in": "the mean of 1 / distance from all others to the vertex",
    "in_degree": "the number of arcs that end at the vertex, without self-loops",
    "out_degree": "the number of arcs that begin at the vertex, without self-loops",
    "in_strength": "the sum of the weights of the arcs that end at the vertex",
    "out_strength": "the sum of the weights of the arcs that begin at the vertex",
    "on_cycle": "whether the vertex lies on a cycle",
    "size": "the number of vertices of the component",
    "first": "the label of the first vertex of the component",

    # jobs and estimates
    "phase": "the present phase of the solver, or its last one; null if it has not begun",
    "eta_s": "the seconds that are left, estimated from the plan and the pace so far; null if "
             "unknown. "
             "They are unknown before the first step, because kernels may have to be compiled",
    "algorithm": "the algorithm; null if none is chosen yet, or if none has room",
    "algorithms": {"array": "the algorithms", "object": "each algorithm's rates, by name and by "
                                                        "the element of V"},
    "device": {"string": "the OpenCL device that computes", "object": "the OpenCL device that "
                                                                      "computes; null if it is "
                                                                      "not known yet"},
    "tries": "the number of times that the job was begun, at most two",
    "queued_at": "when the job was queued",
    "started_at": "when the last try began",
    "ended_at": "when the job ended",
    "measured": "whether the rates of the device were measured; false if they are defaults for "
                "this kind of device",
    "seconds": "the duration in seconds; null if unknown",
    "device_bytes": "the memory on the device",
    "host_bytes": "the memory of the host",
    "disk_bytes": "the space on disk",
    "feasible": "whether there is enough memory and disk space",
    "reason": "why there is not enough memory or disk space, or why the algorithm does not fit",
    "closure": "the algorithm of the closure",

    # the daemon
    "cache": "the disk space for tables; null if it cannot be read at present",
    "limit_bytes": "the disk space for tables: --cache-limit, or without this option the size of "
                   "existing tables and four fifths of the free disk at the start",
    "used_bytes": "the disk space that tables and jobs use",
    "left_bytes": "the disk space that is left",
    "bytes": "the disk space of the tables",
    "deletable": "profiles that may be deleted to free disk space",
    "platform": "the name of the OpenCL platform",
    "memory_bytes": "the memory",
    "largest_buffer_bytes": "the size of the largest buffer that the device can allocate",
    "compute_units": "the number of compute units of the device",
    "chosen": "whether the daemon computes on this device",
    "operation_s": "the seconds for an operation, such as one relaxation",
    "step_s": "the seconds for a step, such as one launch, of any size",
    "arc_s": "the seconds for an arc of a source when predecessors are computed",
    "near_s": "the seconds to download and write a pair with a 16-bit distance, for the first "
              "2048² pairs",
    "pair_s": "the seconds to download and write a pair beyond the first 2048² pairs",
    "sum_s": "the additional seconds for a pair whose distance is a sum along the path",
    "tail_s": "the seconds for what follows the distances, for a graph of any size",
    "start_s": "the seconds to open the device in a new process",
    "read_arc_s": "the seconds in which the host reads and prepares an arc",
    "process_bytes": "the memory of the solver once its device is open, before any job",
    "formats": "the formats of uploads",
    "transforms": "the transforms from weights to lengths",
    "limits": "the limits of what clients may use",
    "uploads": {"integer": "the number of uploads that may be parsed at once", "object": "uploads under way"},
    "answers": "answers, and searches for answers, that hold memory now",
    "searches": "the arcs that searches keep in memory",
    "under_way": "the present number",
    "max_memory_bytes": "the largest memory that all of them may hold together",
    "arcs_bytes": "the memory of the arcs that searches use",
    "max_arcs_bytes": "the largest memory of the arcs that searches use",
    "rows_bytes": "the memory of the rows of graphs without tables",
    "max_rows_bytes": "the largest memory of such rows",
    "connections": "the largest number of connections",
    "peer_connections": "the largest number of connections from one address",
    "waiters": "the largest number of requests that wait for a job",
    "queued_jobs": "the largest number of jobs that wait",
    "json_bytes": "the largest JSON body, except batches",
    "body_bytes": "the largest body of a batch",
    "upload_bytes": "the largest upload, as it is sent",
    "bundle_bytes": "the largest bundle, as it is sent",
    "inflated_bytes": "the largest upload, decompressed",
    "circuit_steps": "the largest number of steps that one circuit may take",
    "search_arcs": "the largest number of arcs that one search may visit",
    "upload_memory_bytes": "the largest memory of one upload, most of which its labels take",
    "answer_bytes": "the largest memory of one answer with its search",
    "yield_rate": "bytes a second; a slower client loses its place or memory if others wait for "
                  "it",
    "memory_wait_s": "the longest time that a long question waits for the memory of its answer",
    "wanted_rows": "the largest number of rows of graphs without tables that are computed or wait "
                   "at one time",
    "row_wait_s": "the longest time that a question waits for such rows",
    "request_timeout_s": "the longest time of a request that is not an upload; then the "
                         "connection is closed without an answer",
    "upload_timeout_s": "the longest time of an upload",
    "bundle_timeout_s": "the longest time of a bundle of more than upload_bytes",
    "label_bytes": "the longest label, and the longest value of an attribute",
    "bundle_profiles": "the largest number of profiles of a bundle",
    "without_bytes": "the largest size of the conditions of a rule's option `without`",
    "attribute_columns": "the largest number of attributes of a graph",
    "attribute_name_bytes": "the longest name of an attribute",
    "attribute_values": "the largest number of attributes multiplied by vertices",
    "attribute_bytes": "the largest upload of attributes, decompressed",
    "query_arguments": "the largest number of arguments of a query; `cursor` does not count",
    "k_paths": "the largest k=",
    "k_paths_bytes": "the largest memory of the paths of one k=",
    "max_arcs": "the largest max_arcs=",
    "walk_arcs": "the largest number of arcs of hops=",
    "walk_steps": "the largest number of vertices that a search for hops= may visit, where a "
                  "vertex counts again for each number of arcs",
    "compared_arcs": "the largest number of arcs of two uploads, and of vertices of the earlier "
                     "one, that are compared for a receipt",
    "reach_cells": "the largest number of distances that a question about what a set reaches may "
                   "read",
    "group_pairs": "the largest number of pairs of values in an answer about groups",
    "comparison_top": "the largest `top` of a comparison",
    "page_vertices": "the largest limit= of a list of vertices or of arcs",
    "page_items": "the largest limit= of other lists",
    "wait_s": "the longest wait=",
    "spare_disk_bytes": "the disk space that uploads leave free",
    "devices": "the OpenCL devices",
    "graphs": "the graphs of this page, in order of name",
    "jobs": "the jobs of this page, newest first",

    # the list of requests
    "page": "the address of the page",
    "openapi": "the address of this document",
    "problems": {"string": "the address of the list of problem types", "array": "the types of "
                                                                                "problems"},
    "metrics": "the address of the metrics for Prometheus",
    "links": "all requests",
    "method": "the method",
    "href": "the path; {names} in it are to be replaced",
    "summary": "what the request does",
    "cases": "the statuses that answers with this problem have",
    "meaning": "what happened",
    "remedy": "what to do",
}


USED = set()  # (name, type), with type None where the name has one meaning


def meaning_of(name, schema):
    """The meaning of a member, found by its name and type; None: this file has none."""
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
    """The entries that meaning_of() has not returned for any member."""
    return [f"{name} ({kind})" if kind else name for name, found in MEANINGS.items()
            for kind in (found if isinstance(found, dict) else [None])
            if (name, kind) not in USED]
