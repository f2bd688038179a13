# All shortest paths of a graph: the R client of apspd.
#
#     curl -O http://localhost:8080/apspd.R
#
# One file. It needs the packages curl and jsonlite (Debian: r-cran-curl,
# r-cran-jsonlite).
#
#     source("apspd.R")
#     larva <- apspd_put(read.csv("larva_edges.csv"), "larva", transform = "inv")
#     apspd_path(larva, "29", "8835968")$path
#     apspd_table(larva, "29", c("8509987", "37365"))   # a matrix with dimnames
#
# APSPD_URL in the environment names the daemon (https://lab.example/paths behind a proxy with a
# prefix; unix:/run/apspd.sock). If it is not set, it is http://localhost:8080: a daemon that sends
# this file writes the address here at which it was asked.
# APSPD_TOKEN has the token, if the daemon requires one; it is never printed. For another
# daemon, every function accepts client = apspd_connect(url, token).
#
# A question about tables that are still being computed waits for them. Errors are
# conditions of class apspd_error. Refusals of the daemon are apspd_problem, with $status,
# $type, $detail, $line, $column, $suggestions, and one of apspd_bad_request,
# apspd_access_denied, apspd_not_found (and apspd_unknown_vertex), apspd_conflict (and
# apspd_revision_differs, with $revision and $asked, and apspd_rule_differs, with $rule and
# $said), apspd_bad_data, apspd_too_large, apspd_not_ready, apspd_server_failed. The other errors
# are apspd_unreachable, apspd_job_failed (and apspd_job_cancelled) with $job, and
# apspd_too_many_arcs with $n_arcs and $fits.
#
#     tryCatch(apspd_path(larva, "29", "x"),
#              apspd_unknown_vertex = function(e) e$suggestions)

# Connect.

# A client of one daemon. It waits at most patience seconds for a daemon that is busy or
# restarts, and without limit for tables. With patience = 0 it waits for nothing.
apspd_connect <- function(url = Sys.getenv("APSPD_URL"), token = Sys.getenv("APSPD_TOKEN"),
                          patience = 60) {
  elsewhere <- if (!nzchar(url)) "; APSPD_URL or apspd_connect(url) names another daemon"
  if (!nzchar(url)) url <- "http://localhost:8080"
  socket <- NULL
  if (startsWith(url, "unix:")) {
    socket <- substring(url, 6)
    base <- "http://localhost"
    name <- url
  } else {
    if (!grepl("://", url, fixed = TRUE)) url <- paste0("http://", url)
    if (!grepl("^https?://[^/@?#]+(/[^?#]*)?$", url))
      stop("the daemon's URL is as http://localhost:8080, https://lab.example/prefix ",
           "or unix:/run/apspd.sock", call. = FALSE)
    name <- base <- sub("/+$", "", url)
  }
  token <- trimws(token)
  if (grepl("[^!-~]", token)) stop("this is no token of apspd", call. = FALSE)
  state <- new.env(parent = emptyenv())  # an environment, so that no print shows the token
  state$token <- token
  state$met <- FALSE
  structure(list(name = name, base = base, socket = socket, patience = patience,
                 state = state, elsewhere = elsewhere), class = "apspd_client")
}

print.apspd_client <- function(x, ...) {
  cat("<apspd at ", x$name, ">\n", sep = "")
  invisible(x)
}

# A stored graph under one profile: one rule from weights to lengths. No request is sent yet.
# With a revision, the graph insists on this upload: questions end with apspd_revision_differs if
# another one answers, and changes if another one is the newest.
apspd_graph <- function(name, profile = NULL, client = apspd_connect(), receipt = NULL,
                        revision = NULL)
  structure(list(name = name, profile = profile, client = client, receipt = receipt,
                 revision = revision), class = "apspd_graph")

print.apspd_graph <- function(x, ...) {
  cat("<graph '", x$name, "'", if (length(x$profile)) paste0(", profile '", x$profile, "'"),
      " of apspd at ", x$client$name, ">\n", sep = "")
  invisible(x)
}

# Upload.

# Upload a graph and wait until questions about it can be answered. The result insists on this
# upload, so that all answers are about these data. Other profiles may still be computed;
# questions about them wait.
#
# x: a path, or raw bytes, of any format that the daemon reads; a data frame with a row for
# each arc (the columns from, to, weight by any of the names that README lists, or two columns
# with other names); a square matrix, whose dimnames are the vertices (without them, they are
# numbered from 1), where 0, NA and Inf are no arcs.
#
# ...: the options of the upload: transform = "inv" for strengths such as counts of synapses,
# "none" for lengths, "hops" to count arcs; duplicates, min_weight, normalise, min_share,
# normalise_by, without, invalid, precision, algorithm, measures, tables, from_column, and so
# on. A stored graph keeps its rule: another one ends with apspd_rule_differs, and default_rule = "replace"
# changes it for all clients. Uploading the same data with the same options again costs
# nothing. weight_unit = "synapses": the unit of the weights, which apspd_set_unit() changes.
# only_if: a revision; the graph is replaced only if it has this revision, or with
# "new" only if it does not exist. The result's $receipt says how the data were read.
apspd_put <- function(x, name, ..., wait = TRUE, only_if = NULL, progress = NULL,
                      client = apspd_connect()) {
  # a line of two unknown names would be an arc; one of three names is a header
  if (is.data.frame(x) && length(x) == 2) x <- cbind(x, size = rep(1, nrow(x)))
  body <- .apspd_body(x)
  .apspd_put(client, name, list(...), body, wait, only_if, progress)
}

# Make a graph from the stored graph `of`, and wait as apspd_put() does. by = "type": the vertices
# are the values of this attribute, and the weights of all arcs between the vertices of two values
# are added. match = list(side = "L"): the vertices that match, with the arcs between them and
# their attributes. The rule of a new graph is that of its origin, or its transform for sums; ...
# are the options of apspd_put(). apspd_record() names the origin in $derived_from; the graph does
# not follow it.
apspd_derive <- function(name, of, by = NULL, match = NULL, ..., wait = TRUE, only_if = NULL,
                         progress = NULL, client = apspd_connect()) {
  origin <- if (inherits(of, "apspd_graph")) list(of = of$name, revision = of$revision)
            else list(of = of)
  .apspd_put(client, name, c(origin, list(by = by, match = .apspd_match(match), ...)), list(),
             wait, only_if, progress)
}

.apspd_put <- function(client, name, query, body, wait, only_if, progress) {
  headers <- if (identical(only_if, "new")) c("If-None-Match" = "*")
             else if (length(only_if)) c("If-Match" = paste0('"', only_if, '"'))
  bar <- .apspd_bar(name, progress)
  on.exit(bar$end())
  receipt <- .apspd_json(client, "PUT", .apspd_path("/v1/graphs", name), .apspd_without(query),
                         body$data, body$type, headers, bar)
  .apspd_warn(receipt)
  if (wait && length(receipt$job)) .apspd_wait(client, receipt$job, bar)
  apspd_graph(name, NULL, client, receipt, receipt$revision)
}

# Paths.

# The shortest path: $reachable, $distance, $hops (how many arcs it has), $path (the vertices),
# $arcs (weight and length). It is shortest by length: another path may have fewer arcs.
# ties = TRUE asks for all shortest paths, as a graph; k = 10 for the ten shortest; avoid =
# c("v", "a>b") for the shortest path without this vertex and this arc (avoid_arc = "a>b" if a
# vertex may have the label a>b); hops = 3 for the shortest walk of exactly three arcs,
# hops = "..3" for a path of at most three. A profile with path = "widest" has widest paths:
# $width, the least weight on the path, takes the place of $distance; avoid and hops work, ties
# and k do not.
apspd_path <- function(graph, from, to, ties = FALSE, k = NULL, avoid = NULL, hops = NULL, ...)
  .apspd_get(graph, "/path", from = from, to = to, ties = if (ties) "all", k = k,
             avoid = avoid, hops = hops, ...)

.apspd_size <- 100000  # pairs of one request

# A row for each pair from[i], to[i]: reachable, distance, hops and path, a list. If there is no
# path, distance and hops are Inf, and the element of path is character(). In place of from and to:
# a data frame of pairs, whose columns are from and to, or else the first two. Widest paths have a
# width in place of the distance: 0 means no path, and Inf is from a vertex to itself. If the rule
# leaves out ends of these pairs, left_out is "from", "to", "from to" or NA. values, some of
# "distance" ("width"), "hops" and "path", asks for these columns alone, which is many times as
# fast. In place of from and to: sources and targets as in apspd_table(), and each source with each
# target.
apspd_paths <- function(graph, from = NULL, to = NULL, values = NULL, sources = NULL,
                        targets = NULL) {
  if (is.null(from) && is.null(to)) {
    body <- .apspd_sets(sources, targets)
    if (!length(body)) body <- structure(list(), names = character())
    return(.apspd_pair_rows(list(.apspd_pairs(graph, body, values)), values))
  }
  if (!is.null(sources) || !is.null(targets))
    stop("expected either from and to, or sources and targets", call. = FALSE)
  if (is.data.frame(from) && is.null(to)) {
    if (length(from) < 2) stop("pairs are in two columns, from and to", call. = FALSE)
    ends <- if (all(c("from", "to") %in% names(from))) c("from", "to") else 1:2
    to <- from[[ends[2]]]
    from <- from[[ends[1]]]
  }
  if (length(from) != length(to))
    stop("from has ", length(from), " labels and to has ", length(to), ": expected from[i] and ",
         "to[i] for each pair, or a data frame of pairs", call. = FALSE)
  if (length(from) > .apspd_size && is.null(graph$revision))
    return(.apspd_of_one_upload(graph, function(graph) apspd_paths(graph, from, to, values)))
  from <- .apspd_label(from)
  to <- .apspd_label(to)
  parts <- split(seq_along(from), (seq_along(from) - 1) %/% .apspd_size)
  ask <- function()
    .apspd_pair_rows(lapply(if (length(parts)) parts else list(integer()), function(at)
      .apspd_pairs(graph, list(pairs = cbind(from[at], to[at])), values, at)), values)
  if (length(parts) > 1) .apspd_of_one_rule(graph, ask) else ask()
}

# The rows of one request: a data frame of values, or without values a list of paths. at: the
# positions of these pairs in the caller's from and to, for error messages.
.apspd_pairs <- function(graph, body, values, at = NA) {
  query <- .apspd_query(graph, values = if (length(values)) paste(values, collapse = ","))
  paths <- .apspd_json(graph$client, "POST", .apspd_graph_path(graph, "/paths"), query,
                       .apspd_text_body(body), simplify = length(values) > 0)$paths
  problems <- if (is.data.frame(paths)) paths$problem
    else vapply(paths, function(one) if (length(one$status)) one$detail else NA_character_, "")
  bad <- which(!is.na(problems))
  if (length(bad)) {
    one <- if (length(values)) list(type = "/problems/unknown-vertex", title = "Unknown vertex",
                                    status = 422) else paths[[bad[1]]]
    one$detail <- problems[bad[1]]
    for (end in 1:2)
      one$detail <- sub(sprintf("^pairs\\[[0-9]+\\]\\[%d\\]", end - 1L),
                        sprintf("%s[%d]", c("from", "to")[end], at[bad[1]]), one$detail)
    stop(.apspd_problem(one$status, one))
  }
  paths
}

.apspd_pair_rows <- function(parts, values) {
  if (length(values)) {
    # the columns of one part
    columns <- function(rows) {
      found <- data.frame(from = as.character(rows$from), to = as.character(rows$to))
      for (name in values) {
        column <- rows[[name]]
        found[[name]] <-
          if (name == "path") I(.apspd_lists(column, nrow(found)))
          else if (name == "width") .apspd_width(as.numeric(column), found$from == found$to)
          else .apspd_inf(as.numeric(column))
      }
      found$left_out <- .apspd_left_out(rows$left_out, nrow(found))
      found
    }
    return(.apspd_if_left_out(do.call("rbind", lapply(unname(parts), columns))))
  }
  found <- do.call("c", unname(parts))
  of <- function(member, kind)
    vapply(found, function(one) if (is.null(one[[member]])) kind else one[[member]], kind)
  from <- of("from", "")
  to <- of("to", "")
  size <- if (any(vapply(found, function(one) "width" %in% names(one), NA)))
    data.frame(width = .apspd_width(of("width", NA_real_), from == to))
  else data.frame(distance = .apspd_inf(of("distance", NA_real_)))
  .apspd_if_left_out(data.frame(
    from = from, to = to, reachable = of("reachable", NA), size,
    hops = .apspd_inf(of("hops", NA_real_)),
    path = I(lapply(found, function(one) as.character(unlist(one$path)))),
    left_out = .apspd_left_out(lapply(found, function(one) unlist(one$left_out)))))
}

# Whether there is a path; with min_width, whether there is one whose weights are all at least
# min_width (of a profile with path = "widest").
apspd_reachable <- function(graph, from, to, min_width = NULL)
  .apspd_get(graph, "/reachable", from = from, to = to, min_width = min_width)$reachable

# Many pairs.

# From a vertex to all others, or with direction = "in" from all others to it: a vector with names,
# or for several values ("distance", "hops", "predecessor", "reachable") a data frame with a column
# vertex. nearest = 10, max_distance = 0.5 or reachable = TRUE choose vertices. A profile with
# path = "widest" has "width" and "reachable"; min_width = 5 and nearest, the widest first, choose
# vertices. Without values: distances, or widths. A data frame has left_out as in apspd_paths().
apspd_distances <- function(graph, vertex, direction = "out", values = NULL, ...) {
  answer <- .apspd_get(graph, .apspd_path("/vertices", vertex, "distances"),
                       direction = direction, values = .apspd_joined(values), ...)
  values <- .apspd_shown(answer, values)
  columns <- .apspd_values(answer, values, answer$vertices == answer$vertex)
  if (length(values) == 1) return(stats::setNames(columns[[1]], as.character(answer$vertices)))
  ends <- Map(function(from, to) c(if (from) "from", if (to) "to"),
              (if (direction == "in") answer$vertices else answer$vertex) %in%
                answer$left_out$sources,
              (if (direction == "in") answer$vertex else answer$vertices) %in%
                answer$left_out$targets)
  .apspd_if_left_out(data.frame(vertex = as.character(answer$vertices), columns,
                                left_out = .apspd_left_out(ends)))
}

# A matrix of sources by targets with dimnames; NULL means all vertices, and no path is Inf. For
# several values, or where nearest, max_distance or reachable choose pairs, a data frame with a row
# for each pair, and left_out as in apspd_paths(). match = "type:KC" chooses targets by attributes.
# sources and targets are labels, or a list of conditions: list(type = c("KC", "MBON"), side =
# "L"). The value is the distance unless values says otherwise. A profile with path = "widest" has
# the width in its place: 0 means no path, and Inf is from a vertex to itself, so
# apspd_table(graph) >= 5 says which pairs stay connected by arcs of at least 5.
apspd_table <- function(graph, sources = NULL, targets = NULL, values = NULL,
                        match = NULL, ...) {
  # without values, pairs without a path would have none
  if (is.null(values) && identical(list(...)$reachable, FALSE))
    values <- if (.apspd_is_widest(graph)) "width" else "distance"
  lists <- .apspd_sets(sources, targets)
  body <- .apspd_text_body(if (length(lists)) lists else stats::setNames(list(), character()))
  path <- .apspd_graph_path(graph, "/table")
  asked <- function(graph)
    .apspd_query(graph, values = .apspd_joined(values), match = match, ...)
  query <- asked(graph)
  if (length(values) > 1 || ...length()) {
    query$layout <- "long"
    rows <- .apspd_json(graph$client, "POST", path, query, body)$pairs
    if (!is.data.frame(rows)) rows <- data.frame(from = character(), to = character())
    return(.apspd_if_left_out(data.frame(
      from = rows$from, to = rows$to,
      .apspd_values(rows, .apspd_shown(rows, values), rows$from == rows$to),
      left_out = .apspd_left_out(rows$left_out, nrow(rows)))))
  }
  ask <- function(accept, query) .apspd_ask(graph$client, "POST", path, query, body,
                                            accept = accept)$content
  # only JSON has these labels
  if (length(match) || is.list(sources) || is.list(targets) || identical(values, "predecessor")) {
    answer <- .apspd_parse(ask("application/json", query))
    cells <- .apspd_values(answer, .apspd_shown(answer, values),
                           outer(answer$sources, answer$targets, "=="))[[1]]
    names <- list(as.character(answer$sources), as.character(answer$targets))
    # without sources or without targets, JSON has no matrix
    return(matrix(cells[seq_len(prod(lengths(names)))], length(names[[1]]), length(names[[2]]),
                  dimnames = names))
  }
  named <- function(graph) {
    cells <- .apspd_npy(ask("application/x-npy", asked(graph)))
    labels <- if (length(lists) < 2) .apspd_labels(graph)
    dimnames(cells) <- list(if (is.null(sources)) labels else .apspd_label(sources),
                            if (is.null(targets)) labels else .apspd_label(targets))
    cells
  }
  if (length(lists) == 2) named(graph) else .apspd_of_one_upload(graph, named)
}

# Whether the tables that answer have widths.
.apspd_is_widest <- function(graph) {
  profile <- .apspd_profile_record(graph)
  identical((if (length(profile$served)) profile$served else profile)$path, "widest")
}

.apspd_profile_record <- function(graph) {
  name <- if (length(graph$profile)) graph$profile else "default"
  .apspd_json(graph$client, "GET", .apspd_graph_path(graph, .apspd_path("/profiles", name)))
}

# All pairs, with the vertices as dimnames: "distance" or "hops" (no path is Inf),
# "predecessor" (an index of the rows, NA for none), "closure" (logical); "width" of a profile
# with path = "widest" (0 is no path, Inf from a vertex to itself).
apspd_matrix <- function(graph, name = "distance")
  .apspd_of_one_upload(graph, function(graph) {
    path <- .apspd_graph_path(graph, .apspd_path("/matrices", name))
    cells <- .apspd_npy(.apspd_ask(graph$client, "GET", path, .apspd_query(graph),
                                   accept = "application/x-npy")$content)
    if (name == "predecessor") cells <- ifelse(cells < 0, NA, cells + 1)
    labels <- .apspd_labels(graph)
    dimnames(cells) <- list(labels, labels)
    cells
  })

# Save a matrix (.npy), "arcs" (CSV, or format = "mtx") or "attributes" to a file, without
# holding it in memory. The file is written under another name and then renamed.
apspd_download <- function(graph, what, file, ...) {
  listed <- what %in% c("arcs", "attributes")
  query <- if (listed) list(revision = graph$revision, ...) else .apspd_query(graph, ...)
  if (listed && is.null(query$format)) query$format <- "csv"
  path <- if (listed) paste0("/", what) else .apspd_path("/matrices", what)
  .apspd_to_file(graph, path, query, file)
}

# Save the graph as one file, a bundle: a tar archive of its arcs, labels, attributes, the
# rules of its profiles, and the tables from which the profiles answer. profile: only the
# tables of this profile. tables = FALSE: no tables.
apspd_save <- function(graph, file, profile = NULL, tables = TRUE)
  .apspd_to_file(graph, "/bundle", list(revision = graph$revision, profile = profile,
                                        tables = if (!tables) "none"), file)

# Upload a bundle that apspd_save() has written, as apspd_put() does. Without a name, the graph
# gets the name that it had. Without prove, the tables in the file are not sent; the daemon computes
# them again. prove = "all" and prove = "seed" send them, which needs a token with the scope admin:
# the daemon proves every row, or every cell by its predecessor and rows that it draws.
apspd_load <- function(file, name = NULL, prove = NULL, ..., client = apspd_connect()) {
  bundle <- .apspd_bundle(file)
  if (is.null(name)) name <- bundle$name
  if (is.null(prove)) apspd_put(bundle$data, name, tables = "recompute", ..., client = client)
  else apspd_put(file, name, prove = prove, format = "bundle", ..., client = client)
}

# The name of a bundle's graph, and the bytes of the bundle without its table files.
.apspd_bundle <- function(file) {
  con <- file(file, "rb")
  on.exit(close(con))
  data <- list()
  name <- NULL
  repeat {
    head <- readBin(con, "raw", 512)
    text <- head[seq_len(100)]
    member <- if (length(head) == 512) rawToChar(text[cumsum(text == 0) == 0]) else ""
    if (is.null(name) && member != "bundle.json") stop(file, " is no bundle", call. = FALSE)
    # a table file, the records about a large one, or the end of the archive
    if (!nzchar(member) || grepl("^tables/", member) || head[157] == charToRaw("x")) break
    size <- sum(8^(10:0) * (as.integer(head[125:135]) - 48L))
    content <- readBin(con, "raw", ceiling(size / 512) * 512)
    if (is.null(name)) name <- .apspd_parse(content[seq_len(size)])$graph
    data <- c(data, list(head, content))
  }
  list(name = name, data = c(unlist(data), raw(1024)))
}

.apspd_to_file <- function(graph, path, query, file) {
  part <- paste0(file, ".part")
  on.exit(unlink(part))
  .apspd_ask(graph$client, "GET", .apspd_graph_path(graph, path), query, accept = "*/*",
             file = part)
  if (!file.rename(part, file)) stop("cannot write ", file, call. = FALSE)
  invisible(file)
}

# The labels that a vertex reaches; direction = "in": the labels that reach it. max_hops
# limits the arcs, max_distance the distance, min_width the width (of a profile with path =
# "widest"); match = "type:KC" chooses by attributes.
apspd_reach <- function(graph, vertex, direction = "out", max_hops = NULL,
                        max_distance = NULL, min_width = NULL, match = NULL)
  as.character(.apspd_get(graph, .apspd_path("/vertices", vertex, "reachable"),
                          direction = direction, max_hops = max_hops,
                          max_distance = max_distance, min_width = min_width,
                          match = match)$vertices)

# What a set of vertices reaches: a data frame with the columns vertex and steps, the fewest
# arcs. sources and targets are as in apspd_table(); NULL means all vertices, but sources are
# required, or with direction = "in" targets. The rows are the targets that some source reaches, or
# with direction = "in" the sources that reach some target. max_hops limits the arcs, max_distance the distance. With values = "distance" or max_distance
# there are also distance, the least of the set, and nearest, the vertex of the set that has it.
# A profile with path = "widest" has min_width, and width and widest, the vertex of the set with
# the greatest width; the width from a vertex to itself is Inf.
apspd_reached <- function(graph, sources = NULL, targets = NULL, direction = "out",
                          max_hops = NULL, max_distance = NULL, min_width = NULL,
                          values = NULL) {
  number <- function(x) if (!is.null(x)) jsonlite::unbox(x)
  body <- c(.apspd_sets(sources, targets),
            list(direction = jsonlite::unbox(direction), max_hops = number(max_hops),
                 max_distance = number(max_distance), min_width = number(min_width),
                 values = if (length(values)) I(values)))
  rows <- .apspd_json(graph$client, "POST", .apspd_graph_path(graph, "/reachable"),
                      .apspd_query(graph), .apspd_text_body(Filter(Negate(is.null), body)))$vertices
  if (!is.data.frame(rows)) return(
    if (identical(values, "width") || length(min_width))
      .apspd_empty("vertex", c("steps", "width"), "widest")
    else if (length(values) || length(max_distance))
      .apspd_empty("vertex", c("steps", "distance"), "nearest")
    else .apspd_empty("vertex", "steps"))
  if (length(rows$distance)) rows$distance <- as.numeric(rows$distance)
  if (length(rows$width)) rows$width <- .apspd_inf(as.numeric(rows$width))
  if (length(rows$left_out)) rows$left_out <- !is.na(rows$left_out)
  rows
}

# Vertices, their attributes, and arcs.

# The labels of all vertices in index order.
apspd_vertices <- function(graph) .apspd_of_one_upload(graph, .apspd_labels)

# The labels that contain `text`, the best matches first; with match, only of vertices that match.
apspd_search <- function(graph, text = NULL, limit = 100, match = NULL)
  as.character(.apspd_get(graph, "/vertices", q = text, limit = limit,
                          match = match)$vertices)

# Degrees, strengths, component and attributes of one vertex.
apspd_vertex <- function(graph, vertex) .apspd_get(graph, .apspd_path("/vertices", vertex))

# The arcs into a vertex, the strongest first: a data frame of from, to, weight, length and the
# attributes of the vertices in from. The arcs are those of the profile: merged, without those that
# its rule drops. sort = "length" has the least length first, sort = "width" the greatest width (of
# a profile with path = "widest"), sort = NULL the order of the vertices. limit = 20: only the first
# 20 arcs.
apspd_inputs <- function(graph, vertex, sort = "weight", limit = NULL)
  .apspd_arcs_of(graph, vertex, "in", sort, limit)

# The arcs out of a vertex, as apspd_inputs(), with the attributes of the vertices in to.
apspd_outputs <- function(graph, vertex, sort = "weight", limit = NULL)
  .apspd_arcs_of(graph, vertex, "out", sort, limit)

.apspd_arcs_of <- function(graph, vertex, direction, sort, limit)
  .apspd_arc_rows(graph, .apspd_path("/vertices", vertex, "arcs"), direction = direction,
                  sort = sort, limit = limit)

# Arcs and attributes of one answer, so that weights and labels are of one rule.
.apspd_arc_rows <- function(graph, path, ...) {
  frame <- .apspd_texts(.apspd_ask(
    graph$client, "GET", .apspd_graph_path(graph, path),
    .apspd_query(graph, format = "csv", ...), accept = "text/csv")$content)
  # the parser of JSON reads decimals exactly
  frame[3:4] <- lapply(frame[3:4], function(cells) as.double(jsonlite::fromJSON(
    paste0("[", paste(cells, collapse = ","), "]"))))
  frame
}

# The arcs as they were uploaded: a data frame of from, to, weight. With sort = "weight", "length"
# or "width": the arcs of the profile in this order, as apspd_inputs(), with the attributes of both
# ends, such as from_type and to_type. limit = 20: only the first 20 arcs.
apspd_arcs <- function(graph, sort = NULL, limit = NULL) {
  if (is.null(sort) && !is.null(limit)) stop("limit needs sort, such as sort = \"weight\"")
  if (!is.null(sort)) return(.apspd_arc_rows(graph, "/arcs", sort = sort, limit = limit))
  .apspd_of_one_upload(graph, function(graph) {
    arcs <- .apspd_npy(.apspd_ask(graph$client, "GET", .apspd_graph_path(graph, "/arcs"),
                                  list(revision = graph$revision),
                                  accept = "application/x-npy")$content)
    labels <- .apspd_labels(graph)
    data.frame(from = labels[arcs[, 1] + 1], to = labels[arcs[, 2] + 1], weight = arcs[, 3])
  })
}

# Store attributes of the vertices: a data frame, or the path of a CSV. The column `label` or, if
# there is none, the first column names the vertex. Row names count as the first column if they
# are texts; row names that are numbers are ignored.
apspd_set_attributes <- function(graph, x) {
  if (is.data.frame(x) && !"label" %in% names(x) && is.character(attr(x, "row.names")))
    x <- data.frame(label = row.names(x), x, check.names = FALSE)
  .apspd_json(graph$client, "PUT", .apspd_graph_path(graph, "/attributes"),
              list(revision = graph$revision), .apspd_body(x)$data, "text/csv")
}

# The attributes of the vertices, all as texts; with match, only of vertices that match.
apspd_attributes <- function(graph, match = NULL) {
  path <- if (length(match)) "/vertices" else "/attributes"
  text <- .apspd_ask(graph$client, "GET", .apspd_graph_path(graph, path),
                     list(format = "csv", revision = graph$revision, match = match),
                     accept = "text/csv")$content
  frame <- .apspd_texts(text)
  # with match, the labels have the name vertex, and an attribute vertex has a prefix
  if (length(match))
    names(frame) <- sub("^attribute_((attribute_)*vertex)$", "\\1", names(frame))
  names(frame)[1] <- "label"
  frame
}

# A data frame without rows, of columns of texts, of numbers, and of more texts.
.apspd_empty <- function(texts, numbers, more = character()) {
  kinds <- rep(c("character", "numeric", "character"), lengths(list(texts, numbers, more)))
  data.frame(stats::setNames(lapply(kinds, vector), c(texts, numbers, more)))
}

# The rows of an answer with their attributes as columns. A missing value becomes `absent`.
.apspd_flat <- function(rows, absent = NA) {
  own <- rows[names(rows) != "attributes"]
  more <- rows$attributes
  if (!is.data.frame(more)) return(own)
  more[is.na(more)] <- absent
  # an attribute never has the name of another column
  same <- sub("^(attribute_)+", "", names(more)) %in% names(own)
  names(more)[same] <- paste0("attribute_", names(more)[same])
  cbind(own, more)
}

# The cells of a CSV as texts. read.csv() reads CR as the end of a line, even in quotes, and drops a
# byte order mark at the start of the first row. So other texts, which begin with the character 1,
# stand for CR, the mark and the character 1 while it reads them.
.apspd_texts <- function(text) {
  characters <- c("\001", "\r", intToUtf8(0xfeff))
  others <- c("\0011", "\001r", "\001b")
  swap <- function(text, from, to) {
    for (i in seq_along(from)) text <- gsub(from[i], to[i], text, fixed = TRUE)
    text
  }
  text <- .apspd_utf8(text)
  marked <- swap(text, characters, others)
  frame <- utils::read.csv(text = marked, colClasses = "character", check.names = FALSE,
                           na.strings = character(), encoding = "UTF-8")
  if (marked == text) return(frame)
  back <- function(cells) swap(cells, rev(others), rev(characters))
  frame[] <- lapply(frame, back)
  stats::setNames(frame, back(names(frame)))
}

# Distances between all values of an attribute: a data frame with a row for each pair of values.
# If targets is the name of an attribute: from the values of attribute to its values. sources and
# targets that are lists of conditions, list(side = "L"), or that are labels in I(), choose the
# vertices that count as the first and as the last of a pair; match chooses both. Such sets are
# combined with one attribute only, not with two, and match not with other conditions. With
# empty = FALSE, pairs of values without a pair of vertices have no row.
apspd_groups <- function(graph, attribute, targets = NULL, match = NULL, sources = NULL,
                         empty = TRUE) {
  named <- is.character(targets) && !inherits(targets, "AsIs")
  if (named && !is.null(sources))
    stop("targets = '", targets, "' is an attribute, which is not combined with sources as a set ",
         "of vertices: expected sources and targets such as list(side = \"L\") or I(labels), or ",
         "no sources", call. = FALSE)
  body <- if (named) list(sources = jsonlite::unbox(attribute), targets = jsonlite::unbox(targets))
          else c(list(attribute = jsonlite::unbox(attribute)), .apspd_sets(sources, targets))
  groups <- .apspd_json(graph$client, "POST", .apspd_graph_path(graph, "/groups"),
                        .apspd_query(graph, match = match, empty = if (!empty) FALSE),
                        .apspd_text_body(body))$groups
  if (is.data.frame(groups)) groups
  else .apspd_empty(c("from", "to"), c("pairs", "reachable", "share", "mean"))
}

# What differs from other: a graph, or the name of another profile of this graph. Vertices with
# the same label are matched, or with key = "type" those of the same type; then the means of
# their distances are compared. by = "type" groups the pairs. The answer has $counts of pairs that
# are lost (a path in other only), gained, longer, shorter and equal, the sums and means of
# $difference, and $histogram; $changes and $groups are data frames with the pairs, and the pairs
# of groups, that change most, at most top of each change. No path is Inf. $comparable says
# whether lengths by the two rules can be compared, and $why_not why they cannot. Of two profiles
# with path = "widest", the widths are compared: pairs are wider or narrower, and no path is 0.
apspd_compare <- function(graph, other, key = NULL, by = NULL, top = NULL, bins = NULL,
                          tolerance = NULL) {
  body <- list(with = .apspd_names_of(other))
  for (name in c("key", "by", "top", "bins", "tolerance"))
    if (length(get(name))) body[[name]] <- jsonlite::unbox(get(name))
  answer <- .apspd_json(graph$client, "POST", .apspd_graph_path(graph, "/compare"),
                        .apspd_query(graph), .apspd_text_body(body))
  answer$changes <- .apspd_no_path(answer$changes, "wider" %in% names(answer$counts))
  if (!is.null(answer$groups) && !is.data.frame(answer$groups))
    answer$groups <- .apspd_empty(c("change", "from", "to"),
                                  c(names(answer$counts), "mean_difference"))
  answer
}

# All pairs that differ from other: a data frame of change, from, to, distance, with_distance and
# difference, in the order of the vertices. other, key and tolerance are as in apspd_compare(), whose
# $counts say how many rows there are. file saves them as CSV instead.
apspd_changed_pairs <- function(graph, other, key = NULL, tolerance = NULL, file = NULL) {
  body <- list(with = .apspd_names_of(other))
  for (name in c("key", "tolerance"))
    if (length(get(name))) body[[name]] <- jsonlite::unbox(get(name))
  text <- .apspd_ask(graph$client, "POST", .apspd_graph_path(graph, "/compare"),
                     .apspd_query(graph, part = "all",
                                  format = if (length(file)) "csv" else "ndjson"),
                     .apspd_text_body(body), accept = "*/*")$content
  if (length(file)) {
    writeBin(text, file)
    return(invisible(file))
  }
  rows <- .apspd_parse(text, read = function(text, ...) {
    lines <- rawConnection(charToRaw(text))
    on.exit(close(lines))
    jsonlite::stream_in(lines, verbose = FALSE)
  })
  .apspd_no_path(rows, if (length(rows)) "width" %in% names(rows) else .apspd_is_widest(graph))
}

# The names of the tables of other, a graph or the name of a profile.
.apspd_names_of <- function(other)
  lapply(Filter(length, if (inherits(other, "apspd_graph"))
    list(graph = other$name, profile = other$profile, revision = other$revision)
  else list(profile = other)), jsonlite::unbox)

# Write Inf, or the width 0, where there is no path, and the difference of these values.
.apspd_no_path <- function(changes, widest) {
  name <- if (widest) "width" else "distance"
  if (!length(changes))
    changes <- .apspd_empty(c("change", "from", "to"), paste0(c("", "with_"), name))
  for (column in paste0(c("", "with_"), name)) {
    values <- as.double(changes[[column]])
    values[is.na(values)] <- if (widest) 0 else Inf
    changes[[column]] <- values
  }
  changes$difference <- changes[[name]] - changes[[paste0("with_", name)]]
  changes
}

# All arcs on walks from sources to targets within a bound: a list with the data frames vertices
# and arcs, and pairs, skipped, n_arcs, rule and question. sources and targets are as in
# apspd_table(). slack = 0.1: walks at most a tenth longer than the shortest path of the pair;
# within = 3.5: at most so long; hops = "4" or "..4": of exactly, of at most 4 arcs; without a
# bound: shortest paths. by = "type": the values of an attribute in place of vertices. file saves
# the circuit instead; its suffix is the format: .graphml, .dot or .gv (Graphviz), .cyjs
# (Cytoscape), .json, or .csv, the arcs, or with part = "vertices" the vertices.
apspd_circuit <- function(graph, sources = NULL, targets = NULL, slack = NULL, within = NULL,
                          hops = NULL, tolerance = NULL, by = NULL, max_arcs = NULL,
                          file = NULL, part = NULL) {
  options <- list(slack = slack, within = within, hops = if (length(hops)) .apspd_label(hops),
                  tolerance = tolerance, by = by, max_arcs = max_arcs)
  body <- c(.apspd_sets(sources, targets),
            lapply(options[lengths(options) > 0], jsonlite::unbox))
  if (!length(body)) body <- structure(list(), names = character())
  path <- .apspd_graph_path(graph, "/circuit")
  if (length(file)) {
    suffix <- tolower(sub(".*[.]", "", file))
    format <- if (suffix == "gv") "dot" else suffix
    if (!format %in% c("graphml", "dot", "cyjs", "json", "csv"))
      stop("'", file, "' has none of the suffixes graphml, dot, gv, cyjs, json, csv",
           call. = FALSE)
    text <- .apspd_ask(graph$client, "POST", path,
                       .apspd_query(graph, format = format, part = part),
                       .apspd_text_body(body), accept = "*/*")$content
    writeBin(text, file)
    return(invisible(file))
  }
  answer <- .apspd_json(graph$client, "POST", path, .apspd_query(graph), .apspd_text_body(body))
  if (answer$truncated)
    stop(.apspd_condition("too_many_arcs", paste0(
      "the circuit has ", answer$n_arcs, " arcs, and max_arcs is ", answer$question$max_arcs, ": ",
      if (length(answer$fits)) paste("the bound", answer$fits, "fits") else "no smaller bound fits",
      "; or ask for more arcs, or for the values of an attribute (by = )"),
      n_arcs = answer$n_arcs, fits = answer$fits))
  answer$vertices <- if (length(answer$vertices)) .apspd_flat(answer$vertices)
    else .apspd_empty("vertex", c("layer", "pairs", "share", if (length(by)) "vertices"))
  if (!length(answer$arcs)) answer$arcs <- .apspd_empty(
    c("from", "to"), c("weight", "length", "pairs", if (length(by)) "arcs"))
  answer
}

# Path lengths, efficiency, diameter, components, histograms (of at most `bins` bins);
# vertices = TRUE, not with bins: a data frame with a row for each vertex and its attributes. Of
# these rows, sort = "betweenness" has the greatest value first, and limit = 20 only the first 20.
apspd_stats <- function(graph, vertices = FALSE, bins = NULL, sort = NULL, limit = NULL) {
  if (!vertices) return(.apspd_get(graph, "/stats", bins = bins, sort = sort, limit = limit))
  .apspd_flat(.apspd_get(graph, "/stats", bins = bins, vertices = 1, sort = sort,
                         limit = limit)$vertices, "")
}

# Graphs, profiles and jobs.

# Revision, sizes, attributes and profiles of a graph, as they are now.
apspd_record <- function(graph)
  .apspd_json(graph$client, "GET", .apspd_graph_path(graph, ""))

# The names of all graphs.
apspd_graphs <- function(client = apspd_connect()) {
  names <- character()
  cursor <- NULL
  repeat {
    page <- .apspd_json(client, "GET", "/v1/graphs", list(cursor = cursor))
    names <- c(names, page$graphs$name)
    cursor <- page[["next"]]
    if (is.null(cursor)) return(names)
  }
}

.apspd_warn <- function(receipt)
  for (text in as.character(receipt$warnings))
    warning(structure(class = c("apspd_warning", "warning", "condition"),
                      list(message = text, call = NULL)))

# Make a profile, such as transform = "hops", and wait for its tables. A lesion:
# apspd_put_profile(graph, "lesion", transform = "log", normalise = "input",
#                   without = list(type = "KC"))
# If no vertex has such a value, the error is apspd_bad_data; if the graph has no attributes
# yet, a warning says so. Another rule for "default" needs default_rule = "replace".
apspd_put_profile <- function(graph, profile, ..., wait = TRUE, default_rule = NULL) {
  rule <- .apspd_without(list(...))
  lists <- names(rule) %in% c("measures", "without")
  rule[!lists] <- lapply(rule[!lists], jsonlite::unbox)
  rule[lists] <- lapply(rule[lists], I)
  receipt <- .apspd_json(graph$client, "PUT",
                         .apspd_graph_path(graph, .apspd_path("/profiles", profile)),
                         list(default_rule = default_rule, revision = graph$revision),
                         .apspd_text_body(rule))
  .apspd_warn(receipt)
  if (wait && length(receipt$job)) apspd_wait(receipt$job, client = graph$client)
  apspd_graph(graph$name, profile, graph$client, receipt,
              if (length(graph$revision)) graph$revision else receipt$revision)
}

# Set the unit of the weights, such as "synapses"; NULL removes it. apspd_record() has it as
# $weight_unit, and the unit of lengths that follows from it as length_unit of each profile.
apspd_set_unit <- function(graph, weight_unit) {
  unit <- jsonlite::unbox(if (is.null(weight_unit)) "" else weight_unit)
  invisible(.apspd_json(graph$client, "PATCH", .apspd_graph_path(graph, ""),
                        list(revision = graph$revision),
                        .apspd_text_body(list(weight_unit = unit))))
}

# Delete the graph with all its profiles and tables.
apspd_delete <- function(graph)
  invisible(.apspd_json(graph$client, "DELETE", .apspd_graph_path(graph, ""),
                        list(revision = graph$revision)))

apspd_job <- function(job, client = apspd_connect())
  .apspd_json(client, "GET", .apspd_path("/v1/jobs", job))

apspd_cancel <- function(job, client = apspd_connect())
  .apspd_json(client, "DELETE", .apspd_path("/v1/jobs", job))

# Wait for a job, and return its record; with check, apspd_job_failed if it did not succeed.
apspd_wait <- function(job, check = TRUE, progress = NULL, client = apspd_connect()) {
  bar <- .apspd_bar(paste("job", job), progress)
  on.exit(bar$end())
  .apspd_wait(client, job, bar, check)
}

# Version, algorithms, formats, limits and device of the daemon.
apspd_info <- function(client = apspd_connect()) .apspd_json(client, "GET", "/v1/info")

# Functions for this file only. A script may have values named c or rbind, so do.call() has names
# of functions as texts.

.apspd_path <- function(...) {
  parts <- vapply(list(...), .apspd_label, "")
  paste(c(parts[1], curl::curl_escape(enc2utf8(parts[-1]))), collapse = "/")
}

.apspd_graph_path <- function(graph, rest) paste0(.apspd_path("/v1/graphs", graph$name), rest)

.apspd_query <- function(graph, ...)
  c(list(profile = graph$profile, revision = graph$revision), list(...))

.apspd_get <- function(graph, rest, ...)
  .apspd_json(graph$client, "GET", .apspd_graph_path(graph, rest), .apspd_query(graph, ...))

# A number as text that reads back as the same number; a whole number has no exponent.
.apspd_number <- function(x) {
  x <- as.double(x)
  short <- sprintf("%.15g", x)
  ifelse(x == trunc(x) & abs(x) < 2^53, sprintf("%.0f", x),
         ifelse(as.double(short) == x, short, sprintf("%.17g", x)))
}

# Labels as uploads write them: 100000, not 1e+05. Numbers with a class, such as integer64, need
# not be doubles.
.apspd_label <- function(x)
  if (is.numeric(x) && !is.object(x)) .apspd_number(x) else as.character(x)

# Conditions as texts, from "type:KC" or list(type = c("KC", "MBON")).
.apspd_match <- function(match) {
  if (!is.list(match)) return(match)
  if (length(names(match)) != length(match) || !all(nzchar(names(match))))
    stop("expected labels as a vector, such as c(\"29\", \"37365\"), or conditions with names, ",
         "such as list(type = \"KC\")", call. = FALSE)
  unlist(Map(function(name, values) {
    if (!length(values)) stop("the condition '", name, "' has no values", call. = FALSE)
    paste0(name, ":", .apspd_label(values))
  }, names(match), match), use.names = FALSE)
}

# A rule whose conditions in without are texts.
.apspd_without <- function(rule) {
  rule$without <- .apspd_match(rule$without)
  rule
}

# The members sources and targets of a body. NULL, which means all vertices, has no member.
.apspd_sets <- function(sources, targets) {
  of <- function(set)
    if (!is.list(set)) I(.apspd_label(set))
    else list(match = I(as.character(.apspd_match(set))))
  sets <- list(sources = sources, targets = targets)
  lapply(sets[!vapply(sets, is.null, NA)], of)
}

.apspd_option <- function(x) {
  if (is.logical(x)) tolower(as.character(x))
  else enc2utf8(.apspd_label(x))
}

.apspd_query_text <- function(query) {
  query <- query[lengths(query) > 0]
  if (!length(query)) return("")
  values <- lapply(query, .apspd_option)
  paste0("?", paste0(rep(names(query), lengths(values)), "=",
                     curl::curl_escape(unlist(values)), collapse = "&"))
}

# jsonlite writes at most 15 digits of a double, so single doubles are written here.
.apspd_text_body <- function(x) {
  exact <- rapply(x, function(one) {
    if (inherits(one, "scalar") && is.double(one) && is.finite(one))
      structure(.apspd_number(one), class = "json")
    else one
  }, how = "replace")
  charToRaw(enc2utf8(as.character(jsonlite::toJSON(exact, json_verbatim = TRUE))))
}

.apspd_utf8 <- function(text) {
  if (is.raw(text)) text <- rawToChar(text)
  Encoding(text) <- "UTF-8"
  text
}

# jsonlite reads texts "NA", "NaN", "Inf" and "-Inf" as missing values and numbers if a list has
# no other texts. So they begin with one character 1 more while it reads them.
.apspd_parse <- function(raw, simplify = TRUE, read = jsonlite::fromJSON) {
  if (!length(raw)) return(NULL)
  text <- rawToChar(raw)
  marked <- gsub('(?<!\\\\)"((\\\\u0001)*(NA|NaN|-?Inf))"(?!\\s*:)', '"\\\\u0001\\1"', text,
                 perl = TRUE, useBytes = TRUE)
  found <- read(.apspd_utf8(marked), simplifyVector = simplify)
  if (marked == text) return(found)
  rapply(found, function(x) {
    if (is.character(x)) x[] <- sub("^\001(\001*(NA|NaN|-?Inf))$", "\\1", x)
    x
  }, how = "replace")
}

# The bytes that an upload sends, and their Content-Type.
.apspd_body <- function(x) {
  plain <- "application/octet-stream"  # the daemon finds the format from the first bytes
  if (is.raw(x)) return(list(data = x, type = plain))
  if (is.data.frame(x)) return(list(data = .apspd_csv(x), type = "text/csv"))
  if (is.matrix(x)) return(list(data = .apspd_arcs_json(x), type = "application/json"))
  if (is.character(x) && length(x) == 1)
    return(list(data = readBin(x, "raw", file.size(x)), type = plain))
  stop("send a path, a data frame or a matrix (for a sparse Matrix: data.frame(summary(m)) ",
       'and weight_column = "x")', call. = FALSE)
}

# A data frame as CSV. Texts have quotes, so that a label that begins with # is no comment. For
# a column without rows, sprintf() returns no text; paste0() would return one.
.apspd_csv <- function(frame) {
  quoted <- function(x) sprintf('"%s"', gsub('"', '""', enc2utf8(x), fixed = TRUE))
  cells <- lapply(frame, function(x) {
    text <- if (is.integer(x) && !is.factor(x)) as.character(x)
      else if (is.double(x) && is.null(oldClass(x))) .apspd_number(x)
      else quoted(as.character(x))
    text[is.na(x)] <- ""
    text
  })
  lines <- do.call("paste", c(unname(cells), sep = ","))
  charToRaw(paste0(paste(c(paste(quoted(names(frame)), collapse = ","), lines),
                         collapse = "\n"), "\n"))
}

.apspd_arcs_json <- function(x) {
  if (nrow(x) != ncol(x)) stop("the matrix is not square", call. = FALSE)
  if (!is.numeric(x) && !is.logical(x)) stop("the matrix has no numbers", call. = FALSE)
  if (any(x == -Inf, na.rm = TRUE)) stop("the matrix has -Inf, which is no weight", call. = FALSE)
  labels <- if (length(rownames(x))) rownames(x) else as.character(seq_len(nrow(x)))
  if (length(colnames(x)) && !identical(colnames(x), labels))
    stop("rows and columns of the matrix have different names", call. = FALSE)
  text <- vapply(labels, function(label)
    as.character(jsonlite::toJSON(jsonlite::unbox(enc2utf8(label)))), "", USE.NAMES = FALSE)
  at <- which(x != 0 & is.finite(x), arr.ind = TRUE)
  arcs <- sprintf("[%s,%s,%s]", text[at[, 1]], text[at[, 2]], .apspd_number(x[at]))
  charToRaw(enc2utf8(paste0('{"vertices":[', paste(text, collapse = ","), '],"arcs":[',
                            paste(arcs, collapse = ","), "]}")))
}

# Send a request once, and return curl's reply.
.apspd_once <- function(client, method, url, body, headers, file, bar) {
  handle <- curl::new_handle()
  # path_as_is: else curl would remove a label "." from the path
  curl::handle_setopt(handle, customrequest = method, connecttimeout = 30,
                      followlocation = FALSE, path_as_is = TRUE)
  # use a fresh connection: a kept one that has ended would look like a lost answer
  if (method == "DELETE" || any(c("If-Match", "If-None-Match") %in% names(headers)))
    curl::handle_setopt(handle, fresh_connect = TRUE)
  if (length(client$socket))
    curl::handle_setopt(handle, unix_socket_path = client$socket)
  if (length(client$socket) || grepl("^http://(localhost|127\\.|\\[::1\\])", url))
    curl::handle_setopt(handle, noproxy = "*")
  if (!is.null(body)) {
    curl::handle_setopt(handle, postfields = body)
    if (!is.null(bar) && bar$seen)
      curl::handle_setopt(handle, noprogress = FALSE, progressfunction = function(down, up) {
        if (up[1] > 0) bar$show("upload", up[2] / up[1])
        TRUE
      })
  } else if (method == "PUT" || method == "POST") {
    headers <- c(headers, "Content-Length" = "0")
  }
  do.call(curl::handle_setheaders, c(list(handle), as.list(headers)))
  if (is.null(file)) curl::curl_fetch_memory(url, handle)
  else curl::curl_fetch_disk(url, file, handle)
}

# Return a good reply, after as many tries as patience allows. If the answer to an earlier
# DELETE was lost, "no such graph" or "no such profile" is a good reply, too.
.apspd_ask <- function(client, method, path, query = list(), body = NULL,
                       type = "application/json", headers = character(),
                       accept = "application/json", file = NULL, bar = NULL) {
  url <- paste0(client$base, path, .apspd_query_text(query))
  headers <- c(headers, Accept = accept)
  if (nzchar(client$state$token))
    headers <- c(headers, Authorization = paste("Bearer", client$state$token))
  if (!is.null(body)) headers <- c(headers, "Content-Type" = type)
  now <- function() as.numeric(Sys.time())
  end <- now() + client$patience
  pause <- 0.1
  jobs <- character()
  lost <- FALSE
  repeat {
    reply <- tryCatch(.apspd_once(client, method, url, body, headers, file, bar),
                      error = function(e) e)
    if (inherits(reply, "error")) {
      # try again only if the daemon has answered before: it may be restarting
      if (!client$state$met || now() + pause > end)
        stop(.apspd_condition("unreachable", paste0("no apspd answers at ", client$name, ": ",
                                                    conditionMessage(reply), client$elsewhere)))
      lost <- lost || !grepl("connect to", conditionMessage(reply), fixed = TRUE)
      Sys.sleep(pause)
      pause <- min(2 * pause, 2)
      next
    }
    behind <- reply$status_code %in% c(502, 504)  # from a proxy whose daemon does not answer
    if (reply$status_code < 300) {
      client$state$met <- TRUE
      return(reply)
    }
    if (!is.null(file)) reply$content <- readBin(file, "raw", file.size(file))
    problem <- .apspd_problem(reply$status_code, tryCatch(
      .apspd_parse(reply$content), error = function(e) NULL),
      if (lost && reply$status_code == 412 && !method %in% c("GET", "POST"))
        "; the answer to an earlier try was lost, and it may have done this")
    # a 404 of another type may come from a proxy
    if (lost && method == "DELETE" && problem$type %in% c("unknown-graph", "unknown-profile")) {
      reply$content <- raw()
      return(reply)
    }
    lost <- lost || behind
    after <- curl::parse_headers_list(reply$headers)[["retry-after"]]
    after <- suppressWarnings(as.numeric(if (is.null(after)) NA else after))
    if (behind && client$state$met) after <- 1
    client$state$met <- client$state$met || !behind
    coming <- problem$type == "revision-differs"  # the asked upload is coming if a job is named
    job <- if (coming || problem$type == "not-ready") problem$body$job
    if (client$patience > 0 && length(job) && !job %in% jobs) {
      jobs <- c(jobs, job)
      .apspd_wait(client, job, .apspd_bar("", FALSE), coming)
      end <- now() + client$patience
      next
    }
    if (is.na(after) || now() + after > end) stop(problem)
    Sys.sleep(after)
  }
}

.apspd_json <- function(client, method, path, query = list(), body = NULL,
                        type = "application/json", headers = character(), bar = NULL,
                        simplify = TRUE) {
  content <- .apspd_ask(client, method, path, query, body, type, headers, bar = bar)$content
  tryCatch(.apspd_parse(content, simplify), error = function(e) stop(.apspd_condition(
    "unreachable", paste0("what answers at ", client$name, " is no apspd"))))
}

.apspd_wait <- function(client, job, bar, check = TRUE) {
  query <- list()
  repeat {
    record <- .apspd_json(client, "GET", .apspd_path("/v1/jobs", job), query)
    bar$show(if (length(record$phase)) record$phase else record$state, record$progress)
    if (!record$state %in% c("queued", "running")) break
    query <- if (bar$seen) list(wait = 5, progress = 1) else list(wait = 30)
  }
  if (check && record$state != "succeeded") {
    why <- record$error$detail
    stop(.apspd_condition(
      c(if (record$state == "cancelled") "job_cancelled", "job_failed"),
      paste0("job ", job, " of graph '", record$graph, "' ", record$state, ": ",
             if (length(why)) why else "it says no more"), job = record))
  }
  record
}

.apspd_condition <- function(kinds, message, ...)
  structure(class = c(paste0("apspd_", kinds), "apspd_error", "error", "condition"),
            list(message = message, call = NULL, ...))

.apspd_problem <- function(status, body, more = NULL) {
  if (!is.list(body)) body <- list()
  type <- sub(".*/", "", if (length(body$type)) body$type else "")
  kind <- switch(as.character(status), "401" = , "403" = , "421" = "access_denied",
                 "404" = "not_found", "429" = , "503" = "not_ready",
                 "409" = , "412" = "conflict", "413" = , "507" = "too_large",
                 "415" = , "422" = "bad_data",
                 if (status >= 500) "server_failed" else "bad_request")
  kind <- switch(type, "unknown-vertex" = c("unknown_vertex", "not_found"),
                 "revision-differs" = c("revision_differs", "conflict"),
                 "rule-differs" = c("rule_differs", "conflict"), kind)
  detail <- if (length(body$detail)) body$detail else paste("status", status)
  detail <- paste0(detail, more)
  text <- detail
  if (length(body$suggestions))
    text <- paste0(text, "; did you mean ", paste0("'", body$suggestions, "'",
                                                  collapse = ", "), "?")
  .apspd_condition(c(kind, "problem"), paste0(text, " [", type, " ", status, "]"),
                   status = status, type = type, detail = detail, line = body$line,
                   column = body$column, pointer = body$pointer,
                   suggestions = unlist(body$suggestions), rule = body$rule,
                   said = body$said, revision = body$revision, asked = body$asked,
                   request_id = body$request_id,
                   body = body)
}

# One line of progress that is overwritten; silent if no person sees it.
.apspd_bar <- function(what, wanted) {
  call <- if (is.function(wanted)) wanted
  shown <- is.null(call) && !identical(wanted, FALSE) &&
    (isTRUE(wanted) || isatty(stderr()))
  last <- ""
  list(seen = shown || !is.null(call),
       show = function(phase, share) {
         if (!is.null(call)) call(phase, share)
         full <- floor(24 * share)
         text <- sprintf("%s: %-12s [%s%s] %3.0f %%", what, phase, strrep("#", full),
                         strrep(".", 24 - full), 100 * share)
         if (shown && text != last) cat("\r", formatC(text, width = -nchar(last)), sep = "",
                                        file = stderr())
         last <<- text
       },
       end = function() if (shown && nzchar(last)) cat("\n", file = stderr()))
}

.apspd_inf <- function(x) {
  x[is.na(x)] <- Inf
  x
}

# The lists of texts in a column of n rows: lists of one length are a matrix, none at all are NA.
.apspd_lists <- function(column, n)
  lapply(if (is.matrix(column)) asplit(column, 1)
         else if (is.list(column)) column else vector("list", n), as.vector, "character")

# Which ends of pairs a rule leaves out: "from", "to", "from to" or NA.
.apspd_left_out <- function(ends, n = length(ends)) {
  text <- vapply(.apspd_lists(ends, n), paste, "", collapse = " ")
  replace(text, text == "", NA)
}

# A data frame whose column left_out stays only if it has a value.
.apspd_if_left_out <- function(frame) {
  if (all(is.na(frame$left_out))) frame$left_out <- NULL
  frame
}

.apspd_joined <- function(values) if (length(values)) paste(values, collapse = ",")

# Widths of a JSON answer; own says which are from a vertex to itself.
.apspd_width <- function(x, own) {
  x[is.na(x)] <- 0
  x[own] <- Inf
  x
}

# The values that were asked for, or the one that the answer has if none was.
.apspd_shown <- function(answer, values)
  if (length(values)) values else if ("width" %in% names(answer)) "width" else "distance"

# {value: vector or matrix} of a JSON answer, with Inf where there is no path, but 0 for widths.
# own says which elements are from a vertex to itself.
.apspd_values <- function(answer, values, own)
  sapply(values, function(name) {
    x <- answer[[name]]
    switch(name, width = {
      storage.mode(x) <- "double"
      .apspd_width(x, own)
    }, distance = , hops = {
      storage.mode(x) <- "double"
      .apspd_inf(x)
    }, reachable = {
      storage.mode(x) <- "logical"
      x
    }, {
      storage.mode(x) <- "character"
      x
    })
  }, simplify = FALSE)

# The labels of all vertices of a graph that insists on one upload.
.apspd_labels <- function(graph) {
  labels <- character()
  cursor <- NULL
  repeat {
    page <- .apspd_get(graph, "/vertices", limit = 10000, cursor = cursor)
    labels <- c(labels, page$vertices)
    cursor <- page[["next"]]
    if (is.null(cursor)) return(labels)
  }
}

# Call ask(graph) with a graph that insists on one upload, and again if the upload is replaced.
.apspd_of_one_upload <- function(graph, ask) {
  if (length(graph$revision)) return(ask(graph))
  for (try in 1:5) {
    graph$revision <- .apspd_json(graph$client, "GET", .apspd_graph_path(graph, "/vertices"),
                                  list(limit = 1))$revision
    found <- tryCatch(list(ask(graph)), apspd_revision_differs = function(e) NULL)
    if (length(found)) return(found[[1]])
  }
  stop(.apspd_condition("conflict", paste0("graph '", graph$name,
                                           "' is replaced all the time")))
}

# Call ask(), and again if the tables of the profile are replaced meanwhile.
.apspd_of_one_rule <- function(graph, ask) {
  for (try in 1:5) {
    table <- .apspd_profile_record(graph)$table
    found <- ask()
    if (identical(.apspd_profile_record(graph)$table, table)) return(found)
  }
  stop(.apspd_condition("conflict", paste0("the rule of graph '", graph$name,
                                           "' is replaced all the time")))
}

# A matrix of the bytes of a NumPy file.
.apspd_npy <- function(raw) {
  begin <- 10 + as.integer(raw[9]) + 256 * as.integer(raw[10])
  head <- rawToChar(raw[11:begin])
  of <- function(pattern) regmatches(head, regexec(pattern, head))[[1]][2]
  shape <- as.numeric(strsplit(of("'shape': \\(([^)]*)\\)"), ",")[[1]])
  kind <- of("'descr': '.([a-z][0-9])'")
  data <- raw[-seq_len(begin)]
  n <- prod(shape)
  cells <- switch(kind,
                  f4 = readBin(data, "double", n, 4, endian = "little"),
                  f8 = readBin(data, "double", n, 8, endian = "little"),
                  i4 = readBin(data, "integer", n, 4, endian = "little"),
                  b1 = as.logical(data),
                  stop("an array of ", kind, " is not read", call. = FALSE))
  matrix(cells, shape[1], shape[2], byrow = TRUE)
}
