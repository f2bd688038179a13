"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

JOB = named("Job", obj({
    "id": JOB_ID, "graph": NAME, "profile": NAME, "revision": REVISION, "state": STATE,
    "phase": null(TEXT), "progress": said(null(REAL), "from 0 to 1"),
    "eta_s": null(REAL), "algorithm": null(TEXT), "device": null(TEXT), "element": null(TEXT),
    "plan": said(null(TEXT), "why the algorithm was chosen, and why distances are float64"),
    "tries": COUNT,
    "queued_at": null(TIME), "started_at": null(TIME), "ended_at": null(TIME),
    "stages": said(null(map_of(REAL)), "seconds of each stage that has ended"),
    "proof_seed": said(null(COUNT), "decides which rows the host walked to prove the tables: "
                       "`apsp-solve --proof-seed` walks the same rows; null: the proof has not "
                       "begun"),
    "error": null(PROBLEM)}))
RATES = obj({
    "algorithms": map_of(map_of(obj({"operation_s": REAL, "step_s": REAL}))),
    "arc_s": REAL, "near_s": REAL, "pair_s": REAL, "sum_s": REAL, "tail_s": REAL, "start_s": REAL,
    "read_arc_s": REAL, "process_bytes": REAL})
DEVICE = named("Device", obj({
    "name": TEXT, "platform": TEXT, "version": TEXT,
    "type": said(one_of("cpu", "gpu", "other"), "the kind of device"), "memory_bytes": COUNT,
    "largest_buffer_bytes": COUNT, "compute_units": COUNT, "chosen": TRUTH,
    "measured": TRUTH, "rates": said(null(RATES), "seconds, once the daemon was idle")}))

list_jobs = endpoint(
    "GET /v1/jobs", READ, NONE,
    "All jobs, newest first",
    {200: answer("a page of jobs", obj({"next": null(TEXT), "jobs": arr(JOB)}), JOB,
                 headers=("Link",))},
    query=[arg("graph", "only jobs of this graph", NAME),
           arg("state", "only jobs in this state", STATE),
           LIMIT, CURSOR])

get_job = endpoint(
    "GET /v1/jobs/{job}", READ, NONE,
    "Progress of a computation",
    {200: answer("the job", JOB)},
    query=[arg("wait", "answer once the state changes, or after so many seconds, "
               f"{LARGEST['wait_s']} at most", whole(0, LARGEST["wait_s"])),
           arg("progress", "with wait: `1`: answer also once the progress has changed by a "
               "hundredth", whole(0, 1))],
    problems=[404])

delete_job = endpoint(
    "DELETE /v1/jobs/{job}", WRITE, NONE,
    "Cancel a computation",
    {200: answer("the job has ended", JOB), 202: answer("the job will end soon", JOB)},
    problems=[404])

get_info = endpoint(
    "GET /v1/info", READ, NONE,
    "What this daemon can do",
    {200: answer("version, algorithms, formats, limits, cache and device", named("Info", obj({
        "version": TEXT, "algorithms": arr(TEXT), "formats": arr(TEXT),
        "transforms": arr(TEXT), "limits": obj({name: COUNT for name in LARGEST}),
        "uploads": obj({"under_way": COUNT, "memory_bytes": COUNT, "max_memory_bytes": COUNT,
                        "disk_bytes": COUNT}),
        "answers": obj({"under_way": COUNT, "memory_bytes": COUNT,
                        "max_memory_bytes": COUNT}),
        "searches": obj({"arcs_bytes": COUNT, "max_arcs_bytes": COUNT}),
        "rows": obj({"rows_bytes": COUNT, "max_rows_bytes": COUNT}),
        "cache": CACHE, "device": null(DEVICE)})))})

list_devices = endpoint(
    "GET /v1/devices", READ, NONE,
    "The OpenCL devices, and which of them computes",
    {200: answer("all devices", obj({"devices": arr(DEVICE)}))},
    problems=[])

get_metrics = endpoint(
    "GET /metrics", READ, NONE,
    "Counts and sizes for Prometheus: requests, problems, connections, jobs, tables, scrub",
    {200: answer("Prometheus' text format")},
    formats="TEXT")

get_readyz = endpoint(
    "GET /readyz", READ, NONE,
    "Whether database, cache and device can be used",
    {200: answer("the daemon is ready", named("Ready", obj({
        "status": said(one_of("ready"), "the daemon is ready"), "cache": CACHE,
        "troubles": said(arr(TEXT), "sentences about stored things that cannot be used at "
                         "present: tables, graphs, the tokens' file"),
        "follow": said(null(obj({
            "writer": said(TEXT, "the address of the daemon that is followed"),
            "reachable": said(TRUTH, "whether the writer has answered the last request"),
            "seconds_behind": said(REAL, "seconds since the writer's last complete list of graphs "
                                         "came"),
            "graphs_behind": said(null(COUNT), "graphs that differ from this list; null: no list "
                                               "has come since the start"),
            "tables_refused": said(COUNT, "bundles since the start whose tables failed their "
                                          "proof here and were computed again"),
            "error": said(null(TEXT), "the last failure")})),
            "how far this daemon is behind the daemon that it follows; null: it follows none")})))},
    problems=[503])

get_healthz = endpoint(
    "GET /healthz", ANYBODY, EXPRESS,
    "Whether the process answers",
    {200: answer("the process answers", obj({"status": said(one_of("ok"), "the process answers")}))})
