# What the R client must answer; test_clients_r.py starts the daemon of APSPD_URL and says
# which function to call, and with what.
args <- commandArgs(TRUE)
source(args[1])
data_folder <- args[2]
c <- rbind <- paste <- identity <- length <- 0  # a script may have values with these names

same <- function(got, want) {
  if (!identical(got, want)) {
    cat("got ", deparse(got), "\nwanted ", deparse(want), "\n")
    stop("differs", call. = FALSE)
  }
}

# The condition that code ends with; it must be of that class.
caught <- function(class, code) {
  found <- tryCatch({ code; NULL }, condition = function(e) e)
  if (!inherits(found, class)) {
    print(found)
    stop("no ", class, call. = FALSE)
  }
  found
}

ring <- data.frame(from = c("a", "b", "c", "d"), to = c("b", "c", "d", "a"),
                   weight = c(1, 2, 4, 8))

tests <- list()

tests$uploads <- function() {
  # 0.1 + 0.2 has 17 digits; a label may look like a comment, a number or a quote
  weight <- c(0.1 + 0.2, 3, 2.5)
  from <- c("#1", "b,\"c", "\u00e9")
  to <- c("b,\"c", "720575940600000001", "#1")
  labels <- c("\u00e9", "#1", "b,\"c", "720575940600000001")
  dense <- matrix(0, 4, 4, dimnames = list(labels, labels))
  dense[cbind(from, to)] <- weight
  dense["#1", "\u00e9"] <- NA
  dense["#1", "#1"] <- Inf
  frame <- data.frame(pre = from, post = factor(to), weight = weight)
  path <- tempfile(fileext = ".csv")
  writeBin(.apspd_csv(frame), path)
  for (x in list(frame, dense, path, readBin(path, "raw", 1e4))) {
    g <- apspd_put(x, "g", transform = "none")
    arcs <- apspd_arcs(g)
    arcs <- arcs[match(from, arcs$from), ]
    same(arcs$to, to)
    same(arcs$weight, weight)
    if (is.matrix(x)) same(apspd_vertices(g), labels)
  }
  same(apspd_vertices(apspd_put(matrix(c(0, 0, 300, 0), 2), "n", transform = "none")),
       c("1", "2"))
  same(apspd_table(apspd_graph("n"))["1", "2"], 300)
  ids <- apspd_put(data.frame(from = c(100000, 2), to = c(2, 100000), weight = c(1, 3)), "ids",
                   transform = "none")
  same(apspd_paths(ids, 100000, 2)$distance, 1)
  same(apspd_table(ids, 100000, 2), matrix(1, 1, 1, dimnames = list("100000", "2")))
  same(apspd_reach(ids, 100000), c("100000", "2"))
  same(apspd_table(ids, list(label = 100000), 2), apspd_table(ids, 100000, 2))
  for (ask in list(function(set) apspd_table(ids, set), function(set) apspd_put_profile(
      ids, "cut", transform = "none", without = set))) {
    stopifnot(grepl("'label' has no values",
                    caught("simpleError", ask(list(label = character())))$message))
    for (set in list(list("2"), list(label = "2", "100000")))
      stopifnot(grepl("labels as a vector", caught("simpleError", ask(set))$message))
  }
  named <- apspd_put(data.frame(neuron_a = "a", neuron_b = "b"), "named", transform = "none")
  same(apspd_arcs(named), data.frame(from = "a", to = "b", weight = 1))
  caught("apspd_bad_data", apspd_put(data.frame(post = "a", weight = 2), "named"))
  same(.apspd_label(c(1234567890123450, 0.5)), c("1234567890123450", "0.5"))
  # as in integer64, the numbers are not the ids
  registerS3method("as.character", "ids", function(x, ...) c("2", "100000")[unclass(x)])
  id <- function(x) structure(x, class = "ids")
  same(apspd_path(ids, id(1), id(2))$path, c("2", "100000"))
  same(apspd_paths(ids, id(2:1), id(1:2))$distance, c(1, 3))
  same(apspd_vertex(ids, id(2))$vertex, "100000")
  dots <- apspd_put(data.frame(from = ".", to = "..", weight = 1), "dots", transform = "none")
  same(c(apspd_vertex(dots, ".")$vertex, apspd_outputs(dots, ".")$to), c(".", ".."))
  for (wrong in list(3, list(), matrix(1, 2, 3), matrix("1", 2, 2),
                     matrix(c(0, 1, -Inf, 0), 2)))
    caught("error", apspd_put(wrong, "x", transform = "none"))
}

tests$widths <- function() {
  frame <- data.frame(from = c("a", "b", "a", "c"), to = c("b", "c", "c", "d"),
                      weight = c(9, 5, 2, 7))
  g <- apspd_put(frame, "g", path = "widest")
  labels <- c("a", "b", "c", "d")
  right <- matrix(c(Inf, 9, 5, 5, 0, Inf, 5, 5, 0, 0, Inf, 7, 0, 0, 0, Inf), 4, byrow = TRUE,
                  dimnames = list(labels, labels))
  path <- apspd_path(g, "a", "d")
  same(path$path, labels)
  same(as.numeric(path$width), 5)
  same(apspd_matrix(g, "width"), right)
  same(apspd_table(g), right)
  same(apspd_table(g, c("a", "d"), c("a", "d")), right[c(1, 4), c(1, 4)])
  same(apspd_distances(g, "a"), right["a", ])
  same(apspd_distances(g, "d", direction = "in"), right[, "d"])
  both <- apspd_distances(g, "b", values = c("width", "reachable"))
  same(both$width, unname(right["b", ]))
  same(both$reachable, both$width > 0)
  rows <- apspd_table(g, min_width = 5)
  same(rows$width, as.vector(t(right))[as.vector(t(right)) >= 5])
  same(apspd_table(g, reachable = FALSE)$width, rep(0, sum(right == 0)))
  lengths <- apspd_put_profile(g, "lengths", transform = "none")
  same(apspd_table(lengths, "b", reachable = FALSE)$distance, Inf)
  rows <- apspd_paths(g, c("a", "d", "a"), c("d", "a", "a"))
  same(rows$width, c(5, 0, Inf))
  same(rows$reachable, c(TRUE, FALSE, TRUE))
  stopifnot(apspd_reachable(g, "a", "d", min_width = 5),
            !apspd_reachable(g, "a", "d", min_width = 6))
  same(apspd_reach(g, "a", min_width = 6), c("a", "b"))
  same(apspd_reached(g, c("a", "c"), values = "width")$width, c(Inf, 9, Inf, 7))
  caught("apspd_bad_request", apspd_matrix(g))
  apspd_set_attributes(g, data.frame(label = labels, type = c("x", "y", "x", "y")))
  same(apspd_table(g, match = "type:y"), right[, c("b", "d")])
  groups <- apspd_groups(g, "type")
  same(as.numeric(groups$max), c(5, 9, 5, 5)[match(paste(groups$from, groups$to),
                                                 c("x x", "x y", "y x", "y y"))])
}

# Rows of a profile that leaves out vertices.
tests$left_out <- function() {
  g <- apspd_put(ring, "ring", transform = "none")
  cut <- apspd_put_profile(g, "cut", transform = "none", without = list(label = "d"))
  gone <- apspd_put(ring, "gone", transform = "none", without = list(label = c("b", "d")))
  same(apspd_stats(gone)$left_out, 2L)
  same(apspd_distances(cut, "a"), c(a = 0, b = 1, c = 3, d = Inf))
  same(apspd_distances(cut, "a", nearest = 2), c(b = 1, c = 3))
  for (direction in c("in", "out")) {
    rows <- apspd_distances(cut, "d", direction, values = c("distance", "hops"))
    same(rows$hops, c(Inf, Inf, Inf, 0))
    same(rows$left_out, c(rep(if (direction == "in") "to" else "from", 3), "from to"))
  }
  ends <- c(NA, "to", "from", "from to")
  rows <- apspd_table(cut, c("a", "d"), c("b", "d"), values = c("distance", "hops"))
  same(rows$distance, c(1, Inf, Inf, 0))
  same(rows$left_out, ends)
  for (values in list(NULL, "hops")) {
    paths <- function(from, to) apspd_paths(cut, from, to, values)
    same(paths(c("a", "a", "d", "d"), c("b", "d", "b", "d"))$left_out, ends)
    same(paths(c("d", "d"), c("a", "b"))$left_out, c("from", "from"))
    same(names(paths("a", "b")), setdiff(names(paths("a", "d")), "left_out"))
  }
  same(apspd_table(cut, "a", nearest = 1)$to, "b")
  same(apspd_table(cut, "a"),
       matrix(c(0, 1, 3, Inf), 1, dimnames = list("a", c("a", "b", "c", "d"))))
  same(list(apspd_reach(cut, "a"), apspd_reach(cut, "d")), list(c("a", "b", "c"), "d"))
  same(apspd_reached(cut, c("a", "d"), values = "distance")$left_out, c(FALSE, FALSE, FALSE, TRUE))
  same(apspd_paths(cut, c("a", "d"), c("d", "d"))$distance, c(Inf, 0))
  # several requests: only the second one has a left-out vertex, and before it the rule is replaced
  .apspd_size <<- 2
  asked <- 0
  pairs <- .apspd_pairs
  .apspd_pairs <<- function(...) {
    found <- pairs(...)
    asked <<- asked + 1
    if (asked == 1) apspd_put_profile(cut, "cut", transform = "hops", without = list(label = "d"))
    found
  }
  many <- apspd_paths(cut, rep("a", 3), c("c", "c", "d"), values = c("distance", "hops", "path"))
  same(asked, 4)
  same(list(many$distance, many$hops), list(c(2, 2, Inf), c(2, 2, Inf)))
  same(many$left_out, c(NA, NA, "to"))
  same(lapply(many$path, as.character), list(c("a", "b", "c"), c("a", "b", "c"), character()))
}

# An answer without rows has the columns that it has otherwise.
tests$empty_answers <- function() {
  chain <- apspd_put(ring[1:3, ], "chain", transform = "none")
  wide <- apspd_put(ring[1:3, ], "wide", path = "widest")
  columns <- function(full, empty) {
    empty <- data.frame(empty)
    same(c(names(empty), dim(empty)), c(names(full), "0", ncol(full)))
    texts <- vapply(full, is.character, NA)
    same(vapply(empty, is.character, NA), texts)
    same(vapply(empty, is.numeric, NA), !texts)
  }
  for (g in list(chain, wide)) {
    value <- if (identical(g, wide)) "width" else "distance"
    apspd_set_attributes(g, data.frame(label = c("a", "b"), type = c("X", "Y")))
    other <- if (value == "width") apspd_put_profile(g, "cut", path = "widest", min_weight = 2)
             else apspd_put_profile(g, "cut", transform = "none", min_weight = 2)
    columns(apspd_changed_pairs(g, other), apspd_changed_pairs(g, g))
    full <- apspd_compare(g, other, by = "type")
    none <- apspd_compare(g, g, by = "type")
    columns(full$changes, none$changes)
    columns(full$groups, none$groups)
    columns(apspd_reached(g, "a", values = value),
            apspd_reached(g, I(character()), values = value))
    same(nrow(apspd_reached(g, "a", I(character()))), 0L)
    same(apspd_compare(g, other)$groups, NULL)
  }
  for (by in list(NULL, "type")) {
    full <- apspd_circuit(chain, "a", "b", by = by)
    none <- apspd_circuit(chain, "b", "a", by = by)
    columns(full$arcs, none$arcs)
    columns(full$vertices[setdiff(names(full$vertices), "type")], none$vertices)
  }
  none <- apspd_groups(chain, "type", sources = I(character()), empty = FALSE)
  same(c(nrow(none), match(c("from", "pairs"), names(none))), c(0L, 1L, 3L))
}

# Texts that R writes for missing values and numbers are labels, values and names of attributes.
tests$texts <- function() {
  labels <- c("NA", "Inf")
  arcs <- data.frame(from = labels, to = rev(labels), weight = 1:2)
  g <- suppressWarnings(apspd_put(arcs, "texts", transform = "none"))
  kind <- c("\u00e9\"NA\"", "NaN")
  apspd_set_attributes(g, data.frame(label = labels, "NA" = "-Inf", kind, check.names = FALSE))
  same(apspd_path(g, "NA", "NA")$path, "NA")
  same(apspd_paths(g, "NA", "Inf", values = "path")$path[[1]], labels)
  same(dimnames(apspd_table(g, list(label = "NA"), list(label = "Inf"))), list("NA", "Inf"))
  for (rows in list(apspd_stats(g, vertices = TRUE), apspd_circuit(g, "NA", "Inf")$vertices)) {
    same(rows[["NA"]], c("-Inf", "-Inf"))
    same(rows$kind, kind)
  }
  cut <- apspd_put_profile(g, "cut", transform = "none", min_weight = 2)
  same(apspd_changed_pairs(cut, g)$from, "NA")
  # read.csv() would drop a byte order mark and change CR; a label may have the client's own marks
  labels <- c(paste0(intToUtf8(0xfeff), "a"), "a\rb", "a\nb", "\001r", "\001NA", "NA")
  h <- apspd_put(data.frame(from = labels, to = labels[c(2:6, 1)], weight = 6:1), "marks",
                 transform = "none")
  same(apspd_arcs(h, sort = "weight")$from, labels)
  apspd_set_attributes(h, data.frame(label = labels, "x\ry" = labels, check.names = FALSE))
  same(apspd_attributes(h), data.frame(label = labels, "x\ry" = labels, check.names = FALSE))
  same(apspd_vertices(h), labels)
}

# A list of paths has one form, whatever lengths the paths have.
tests$path_lists <- function() {
  g <- apspd_put(ring[1:3, ], "chain", transform = "none")
  paths <- function(from, to) lapply(apspd_paths(g, from, to, values = "path")$path, as.character)
  same(paths(c("a", "a"), c("b", "c")), list(c("a", "b"), c("a", "b", "c")))
  same(paths(c("a", "b"), c("b", "c")), list(c("a", "b"), c("b", "c")))
  same(paths(c("a", "b"), c("b", "a")), list(c("a", "b"), character()))
  same(paths(c("d", "b"), c("a", "a")), list(character(), character()))
  same(paths("d", "d"), list("d"))
  same(apspd_paths(g, sources = "d", values = "path")$path[[1]], character())
  same(nrow(apspd_paths(g, character(), character(), values = c("path", "hops"))), 0L)
}

tests$answers <- function() {
  g <- apspd_put(file.path(data_folder, "larva_edges.csv"), "larva", transform = "inv")
  path <- apspd_path(g, "29", "8835968")
  same(path$path, c("29", "8509987", "8835968"))
  same(path$distance, 1/8 + 1/6)
  same(path$arcs$weight, c(8L, 6L))
  stopifnot(!apspd_path(g, "29", "37365")$reachable, !apspd_reachable(g, "29", "37365"))
  same(nrow(apspd_path(g, "29", "8835968", k = 3)$paths), 3L)
  stopifnot(!"8509987" %in% apspd_path(g, "29", "8835968", avoid = c("8509987", "29>8419602"))$path,
            apspd_path(g, "29", "8835968", ties = TRUE)$count >= 1)
  same(apspd_path(g, "29", "8835968", hops = "..2")$hops, 2L)

  labels <- apspd_vertices(g)
  d <- apspd_matrix(g)
  same(dimnames(d), list(labels, labels))
  row <- apspd_distances(g, "29")
  same(names(row), labels)
  stopifnot(abs(d["29", "8835968"] - path$distance) < 1e-7, is.infinite(d["29", "37365"]),
            row[["8835968"]] == path$distance, is.infinite(row[["37365"]]))
  same(labels[apspd_matrix(g, "predecessor")["29", "8835968"]], "8509987")
  stopifnot(is.na(apspd_matrix(g, "predecessor")["29", "37365"]))
  same(sum(apspd_matrix(g, "closure")), sum(is.finite(d)))
  same(apspd_matrix(g, "hops")["29", "8835968"] >= 1, TRUE)

  from <- c("29", "8509987")
  to <- c("8835968", "37365", "29")
  wide <- apspd_table(g, from, to)
  same(dimnames(wide), list(from, to))
  paths <- apspd_paths(g, rep(from, each = 3), rep(to, 2))
  some <- apspd_paths(g, rep(from, each = 3), rep(to, 2), values = c("path", "hops", "distance"))
  same(some[c("from", "to", "distance")], paths[c("from", "to", "distance")])
  same(some$hops, paths$hops)
  same(lapply(some$path, as.character), lapply(paths$path, as.character))
  same(apspd_paths(g, sources = from, targets = to, values = c("path", "hops", "distance")), some)
  same(apspd_paths(g, sources = from, targets = to), paths)
  ends <- data.frame(count = 1, to = rep(to, 2), from = rep(from, each = 3))
  same(apspd_paths(g, ends), paths)
  same(apspd_paths(g, stats::setNames(ends[3:1], c("pre", "post", "count"))), paths)
  # as in a data.table, [ selects rows
  registerS3method("[", "by_rows", function(x, i, ...) as.data.frame(unclass(x))[i, ])
  same(apspd_paths(g, structure(ends, class = c("by_rows", "data.frame"))), paths)
  stopifnot(grepl("expected from\\[i\\] and to\\[i\\] for each pair, or a data frame",
                  conditionMessage(caught("simpleError", apspd_paths(g, from)))))
  same(nrow(apspd_paths(g, from[0], to[0])), 0L)
  same(nrow(apspd_paths(g, from[0], to[0], values = "hops")), 0L)
  same(as.vector(t(wide)), paths$distance)
  same(paths$path[[1]], path$path)
  long <- apspd_table(g, from, to, values = c("distance", "hops", "predecessor", "reachable"))
  same(long$distance, paths$distance)
  same(long$reachable, paths$reachable)
  same(as.vector(t(apspd_table(g, from, to, values = "predecessor"))), long$predecessor)
  same(apspd_table(g, c("29", "29"), c(to, "29"), values = "predecessor"),
       matrix(c("8509987", NA, NA, NA), 2, 4, byrow = TRUE, list(c("29", "29"), c(to, "29"))))
  same(dim(apspd_table(g, from, character(), values = "predecessor")), c(2L, 0L))
  same(dim(apspd_table(g, character(), to, values = "predecessor")), c(0L, 3L))
  same(apspd_table(g, "29", "37365", values = "predecessor"),
       matrix(NA_character_, 1, 1, dimnames = list("29", "37365")))
  same(as.vector(t(apspd_table(g, from, to, values = "reachable"))), paths$reachable)
  same(apspd_table(g, "29", nearest = 3)$to, names(apspd_distances(g, "29", nearest = 3)))
  same(apspd_distances(g, "8835968", direction = "in")[["29"]], path$distance)
  both <- apspd_distances(g, "29", values = c("distance", "hops"))
  same(both$distance, unname(row))

  same(length(apspd_reach(g, "29", max_hops = 2)) > 100, TRUE)
  stats <- apspd_stats(g, vertices = TRUE)
  same(stats$vertex, labels)
  same(as.integer(sum(stats$reaches)), as.integer(apspd_stats(g)$reachable_pairs))
  arcs <- apspd_arcs(g)
  same(apspd_vertex(g, "29")$out_degree, sum(arcs$from == "29"))
  stopifnot("8835968" %in% apspd_search(g, "88359"))
  lesion <- apspd_put_profile(g, "lesion", transform = "log", normalise = "input",
                              without = list(label = c("29", "37365")))
  same(unlist(apspd_path(lesion, "29", "8835968")$left_out), "from")
  same(apspd_stats(lesion)$left_out, 2L)
  hops <- apspd_put_profile(g, "hops", transform = "hops")
  same(apspd_path(hops, "29", "8835968")$profile, "hops")

  file <- tempfile()
  apspd_download(g, "distance", file)
  same(.apspd_npy(readBin(file, "raw", file.size(file))), unname(d))
  same(file.exists(paste0(file, ".part")), FALSE)
  caught("apspd_not_found", apspd_download(apspd_graph("none"), "arcs", file))
  same(file.size(file), 128 + 4 * length(d))  # the older file stays
  apspd_save(g, file, tables = FALSE)
  same(untar(file, list = TRUE, tar = "internal"), c("bundle.json", "labels", "arcs"))
  apspd_save(g, file, profile = "default")
  same(length(untar(file, list = TRUE, tar = "internal")), 4L)
  apspd_save(g, file)
  same(apspd_load(file)$name, g$name)
  again <- apspd_load(file, "again")
  same(apspd_matrix(again), d)
  same(apspd_path(apspd_graph("again", "hops"), "29", "8835968")$profile, "hops")
  apspd_delete(again)
  proved <- apspd_load(file, "proved", prove = "all")
  same(apspd_matrix(proved), d)
  same(is.na(proved$receipt$tables$prove[[1]]), TRUE)  # g has the same tables, which stay
  stopifnot(grepl("no proof ran", proved$receipt$tables$kept[[1]]))
  apspd_delete(proved)
  writeLines("a,b,1", file)
  stopifnot(grepl("no bundle", conditionMessage(caught("simpleError", apspd_load(file)))))

  apspd_put(ring, "ring", transform = "none")
  ring <- apspd_graph("ring")
  same(apspd_set_attributes(ring, data.frame(label = c("a", "b"), type = c("007", "KC")))$matched,
       2L)
  same(apspd_attributes(ring)$type[1], "007")
  same(apspd_attributes(ring, match = "type:KC"), data.frame(label = "b", type = "KC"))
  apspd_set_attributes(ring, data.frame(label = c("a", "b"), score = c(0.1, 1 / 3)))
  same(apspd_attributes(ring, match = "score:0.1")$label, "a")
  same(as.double(apspd_attributes(ring)$score[2]), 1 / 3)
  known <- data.frame(label = "a", vertex = "x", attribute_vertex = "y", attribute_type = "z")
  apspd_set_attributes(ring, known)
  same(apspd_attributes(ring, match = "vertex:x"), known)
  apspd_set_attributes(ring, data.frame(label = c("a", "b"), type = c("007", "KC")))
  known <- data.frame(id = c("z", "a", "b"), type = c("x", "007", "KC"))
  for (x in list(known[-1, ], data.frame(type = known$type, row.names = known$id)[-1, , drop = FALSE],
                 data.frame(type = c("007", "KC"), label = c("a", "b"), row.names = c("p", "q")))) {
    answer <- apspd_set_attributes(ring, x)
    same(c(answer$matched, answer$unknown), c(2L, 0L))
    same(apspd_attributes(ring)$type[1:2], c("007", "KC"))
  }
  same(apspd_search(ring, match = "type:KC"), "b")
  same(apspd_table(ring, "a", match = "type:KC"), matrix(1, 1, 1, dimnames = list("a", "b")))
  same(nrow(apspd_groups(ring, "type")), 4L)
  same(apspd_groups(ring, "type", sources = I("a"), empty = FALSE)$pairs, 1L)
  same(apspd_table(ring, list(type = c("007", "KC")), list(type = "KC")),
       apspd_table(ring, c("a", "b"), "b"))
  same(apspd_groups(ring, "type", sources = list(type = "KC"), targets = I("a"))$pairs,
       c(0L, 0L, 1L, 0L))
  found <- apspd_circuit(ring, list(type = "007"), list(type = "KC"))
  same(c(found$pairs, found$n_arcs), c(1L, 1L))
  same(found$arcs$from, "a")
  same(found$vertices$type, c("007", "KC"))
  same(found$vertices$layer, 0:1)
  same(apspd_circuit(ring, "a", "b", by = "type")$arcs$to, "KC")
  same(apspd_circuit(ring, "a", I("b"), hops = 1)$n_arcs, 1L)
  same(caught("apspd_too_many_arcs", apspd_circuit(ring, "a", max_arcs = 1))$n_arcs,
       apspd_circuit(ring, "a")$n_arcs)
  file <- tempfile(fileext = ".graphml")
  apspd_circuit(ring, "a", "b", slack = 0.5, file = file)
  stopifnot(any(grepl("<node id=\"a\">", readLines(file), fixed = TRUE)))
  file <- tempfile(fileext = ".csv")
  apspd_circuit(ring, "a", "b", file = file, part = "vertices")
  same(utils::read.csv(file)$vertex, c("a", "b"))
  # weights and labels are of one answer, so that no rule can replace another one in between
  json <- .apspd_json
  .apspd_json <<- function(...) stop("another request")
  into <- apspd_inputs(ring, "b")
  .apspd_json <<- json
  same(names(into), c("from", "to", "weight", "length", names(apspd_attributes(ring))[-1]))
  same(into$weight, sort(into$weight, decreasing = TRUE))
  same(into$type, "007")
  same(apspd_inputs(ring, "b", limit = 1), into[1, ])
  same(apspd_stats(ring, vertices = TRUE)[["type"]], apspd_attributes(ring)[["type"]])
  same(nrow(apspd_stats(ring, vertices = TRUE, sort = "reaches", limit = 1)), 1L)
  same(apspd_arcs(ring, sort = "weight")$weight, sort(apspd_arcs(ring)$weight, decreasing = TRUE))
  same(nrow(apspd_arcs(ring, sort = "length", limit = 1)), 1L)
  same(apspd_outputs(ring, "b", sort = NULL)$from[1], "b")
  reached <- apspd_reached(ring, list(type = "KC"), max_hops = 1)
  same(reached$vertex[reached$steps == 0], "b")
  same(nrow(apspd_reached(ring, "a", max_distance = -1)), 0L)
  same(apspd_reached(ring, I("a"), values = "distance")$distance,
       unname(apspd_table(ring, "a")[1, ]))
  caught("apspd_bad_request", apspd_reached(ring))
  thirds <- apspd_put_profile(ring, "thirds", transform = "none", min_weight = 1 + 1 / 3)
  same(apspd_record(thirds)$profiles$min_weight[2], 1 + 1 / 3)
  same(rawToChar(.apspd_text_body(list(jsonlite::unbox(100000), jsonlite::unbox(5L),
                                       jsonlite::unbox(2 / 3)))), "[100000,5,0.66666666666666663]")
  caught("apspd_bad_request", apspd_put_profile(ring, "q", transform = "hops", without = c(1, 2)))
  apspd_set_attributes(ring, data.frame(label = c("a", "b"), type = c("007", "KC"), pairs = 1:2,
                                        attribute_pairs = 3:4))
  same(apspd_circuit(ring, "a", "b")$vertices[1, c("attribute_pairs", "attribute_attribute_pairs")],
       data.frame(attribute_pairs = "1", attribute_attribute_pairs = "3"))
  apspd_set_unit(ring, "synapses")
  same(apspd_record(ring)$weight_unit, "synapses")
  apspd_set_unit(ring, NULL)
  same(apspd_record(ring)$weight_unit, NULL)
  types <- apspd_derive("types", ring, by = "type")
  same(types$receipt$derived_from$by, "type")
  same(apspd_vertices(types), c("007", "KC"))
  same(apspd_vertices(apspd_derive("types", "ring", match = list(type = "KC"))), "b")
  apspd_delete(apspd_graph("types"))
  cut <- apspd_put_profile(ring, "cut", transform = "none", min_weight = 2)
  lesion <- apspd_compare(cut, "default", by = "type", tolerance = 0, top = 2)
  same(lesion$counts$lost, sum(apspd_matrix(ring, "closure")) -
         sum(apspd_matrix(cut, "closure")))
  same(lesion$changes$change, c("lost", "lost"))
  every <- apspd_changed_pairs(cut, "default")
  same(nrow(every), lesion$counts$lost)
  same(every$distance, rep(Inf, nrow(every)))
  same(nrow(apspd_changed_pairs(ring, ring)), 0L)
  file <- tempfile(fileext = ".csv")
  apspd_changed_pairs(cut, "default", file = file)
  same(nrow(utils::read.csv(file)), nrow(every))
  same(lesion$changes$distance, c(Inf, Inf))
  same(lesion$changes$with_distance[1], as.double(
       apspd_path(ring, lesion$changes$from[1], lesion$changes$to[1])$distance))
  same(unique(lesion$groups$change), "lost")
  same(nrow(apspd_compare(ring, ring, key = "type")$changes), 0L)
  same(sort(apspd_graphs()), c("larva", "ring"))
  apspd_delete(ring)
  same(apspd_graphs(), "larva")
}

tests$problems <- function() {
  e <- caught("apspd_bad_data", apspd_put(charToRaw("a,b,1\nb,c,heavy\n"), "t",
                                          transform = "inv"))
  same(c(e$line, e$column, e$status), c(2L, 5L, 422L))
  stopifnot(grepl("heavy", conditionMessage(e)))
  caught("apspd_bad_request", apspd_put(ring, "t", transfrom = "inv"))
  stopifnot(grepl("transform=none", conditionMessage(caught(
    "apspd_bad_data", apspd_put(ring, "t")))))
  g <- apspd_put(ring, "ring", transform = "none")
  e <- caught("apspd_unknown_vertex", apspd_path(g, "a", "aa"))
  stopifnot(inherits(e, "apspd_not_found"), inherits(e, "apspd_problem"),
            inherits(e, "apspd_error"))
  .apspd_size <<- 2
  for (values in list(NULL, "hops"))
    for (ends in list(c("from", "aa", "a"), c("to", "a", "aa")))
      stopifnot(grepl(paste0("^", ends[1], "\\[4\\] 'aa' is not"), conditionMessage(
        caught("apspd_unknown_vertex", apspd_paths(
          g, c("a", "b", "c", ends[2]), c("a", "b", "c", ends[3]), values)))))
  empty <- data.frame(from = character(), to = character())
  stopifnot(grepl("the upload has no vertices", conditionMessage(
    caught("apspd_bad_data", apspd_put(empty, "t", transform = "none")))))
  stopifnot(grepl("there is no row", conditionMessage(
    caught("apspd_bad_data", apspd_set_attributes(g, empty)))))
  caught("apspd_conflict", apspd_put(ring, "ring", transform = "none", only_if = "new"))
  for (other in list(function(...) apspd_put(ring, "ring", transform = "hops", ...),
                     function(...) apspd_put_profile(g, "default", transform = "none", ...))) {
    e <- caught("apspd_rule_differs", other())
    stopifnot(inherits(e, "apspd_conflict"), e$rule$transform != e$said$transform)
    same(apspd_path(other(default_rule = "replace"), "a", "c")$transform, e$said$transform)
  }
  caught("apspd_warning", apspd_put(charToRaw("from,to,weight\na,b,\nb,c,1\n"), "w",
                                    transform = "none", invalid = "drop"))
  e <- caught("apspd_job_failed", apspd_put(data.frame(
    from = c("a", "b"), to = c("b", "a"), weight = c(-1, -1)), "cycle", transform = "none"))
  stopifnot(grepl("cycle", conditionMessage(e)), e$job$state == "failed")
  caught("apspd_conflict", apspd_path(apspd_graph("cycle"), "a", "b"))
  caught("apspd_unreachable", apspd_graphs(apspd_connect("http://127.0.0.1:1")))
  lost <- apspd_connect("")
  lost$base <- "http://127.0.0.1:1"
  stopifnot(grepl("; APSPD_URL or apspd_connect(url) names another daemon",
                  conditionMessage(caught("apspd_unreachable", apspd_graphs(lost))), fixed = TRUE))
  caught("error", apspd_connect("ftp://x"))
}

# A proxy without its daemon is waited for; redirects and other programs are told.
tests$strange <- function() {
  client <- apspd_connect()
  same(length(apspd_info(client)), 0L)
  same(apspd_info(client)$a, 1L)
  caught("apspd_bad_request", apspd_info(client))
  stopifnot(grepl("no apspd", conditionMessage(caught("apspd_unreachable", apspd_info(client)))))
  caught("apspd_server_failed", apspd_info())  # which has never met a daemon there
}

# The answers to the second and the fifth request through a proxy are lost, and that to the
# second through the other, which then answers 404 by itself.
tests$lost <- function(proxy, other) {
  apspd_put(ring, "ring", transform = "none")
  g <- apspd_graph("ring", client = apspd_connect(proxy))
  same(apspd_table(g, "a", "d"), matrix(7, 1, 1, dimnames = list("a", "d")))
  apspd_delete(g)
  caught("apspd_not_found", apspd_delete(g))
  same(caught("apspd_not_found", apspd_cancel("999", g$client))$type, "unknown-job")
  lost <- apspd_connect(other)
  apspd_info(lost)
  same(caught("apspd_not_found", apspd_delete(apspd_graph("ring", client = lost)))$type, "")
}

# APSPD_TOKEN may all; args: the address of a socket, a token that may read.
tests$access <- function(socket, reader) {
  g <- apspd_put(ring, "ring", transform = "none")
  same(apspd_path(g, "a", "d")$distance, 7L)
  other <- apspd_connect(socket, reader)
  same(apspd_path(apspd_graph("ring", client = other), "a", "d")$distance, 7L)
  caught("apspd_access_denied", apspd_put(ring, "ring", transform = "none", client = other))
  stranger <- apspd_connect(token = "apspd_unknown")
  caught("apspd_access_denied", apspd_graphs(stranger))
  # refused by its head, before its bytes are read
  caught("apspd_access_denied", apspd_put(raw(3e7), "big", client = stranger))
  print(g); str(g); print(g$client); str(g$client); print(unclass(g$client))
  e <- caught("error", apspd_connect(token = paste(reader, "x")))
  stopifnot(!grepl(reader, conditionMessage(e), fixed = TRUE))
}

# The solver is held: a question waits for tables, an upload for a job that is cancelled or
# that outlives its daemon.
tests$waits <- function() {
  g <- apspd_put(ring, "ring", transform = "none", wait = FALSE)
  caught("apspd_not_ready", apspd_path(
    apspd_graph("ring", client = apspd_connect(patience = 0)), "a", "d"))
  cat("asking\n")
  same(apspd_path(g, "a", "d")$distance, 7L)
  seen <- character()
  upload <- function() apspd_put(file.path(data_folder, "celegans_newman.csv"), "worm",
                                 transform = "hops",
                                 progress = function(phase, share) seen <<- c(seen, phase))
  cat("uploading\n")
  e <- caught("apspd_job_cancelled", upload())
  same(e$job$state, "cancelled")
  cat(seen, "\n")
  stopifnot("upload" %in% seen, "cancelled" %in% seen)
  cat("uploading again\n")
  same(upload()$name, "worm")
  same(apspd_record(apspd_graph("worm"))$profiles$state[[1]], "ready")
}

# Graph g has a profile that takes a minute: uploads of a path of length 2 k are answered from
# at once.
tests$at_once <- function(rounds) {
  for (k in seq_len(as.integer(rounds))) {
    g <- apspd_put(data.frame(from = c("a", "b"), to = c("b", "c"), weight = k), "g",
                   transform = "none", algorithm = "reference")
    same(as.double(apspd_path(g, "a", "c")$distance), 2 * k)
  }
}

# No answer of a handle is about another upload than its own.
tests$insists <- function() {
  file <- tempfile()
  chain <- function(k, ...) apspd_put(data.frame(from = c("a", "b"), to = c("b", "c"), weight = k),
                                      "g", ...)
  old <- chain(1, transform = "none")
  hops <- apspd_put_profile(old, "hops", transform = "hops")
  apspd_set_attributes(old, data.frame(label = "a", type = "X"))
  new <- chain(2)
  asks <- list(function(g) apspd_path(g, "a", "c"), function(g) apspd_paths(g, "a", "c"),
               function(g) apspd_reachable(g, "a", "c"), function(g) apspd_distances(g, "a"),
               apspd_table, function(g) apspd_table(g, "a", "c"),
               function(g) apspd_table(g, nearest = 1), apspd_matrix, apspd_vertices,
               function(g) apspd_reach(g, "a"), function(g) apspd_search(g, "a"),
               function(g) apspd_vertex(g, "a"), apspd_arcs, apspd_attributes,
               function(g) apspd_groups(g, "type"), apspd_stats,
               function(g) apspd_compare(g, "default"),
               function(g) apspd_derive("part", g, match = "type:"),
               function(g) apspd_path(apspd_put_profile(g, "late", transform = "hops"), "a", "c"),
               function(g) apspd_stats(g, vertices = TRUE),
               function(g) apspd_download(g, "arcs", file),
               function(g) apspd_download(g, "distance", file))
  for (ask in asks) {
    for (handle in list(old, hops, apspd_graph("g", revision = old$revision))) {
      e <- caught("apspd_revision_differs", ask(handle))
      stopifnot(inherits(e, "apspd_conflict"))
      same(c(e$asked, e$revision), c(old$revision, new$revision))
    }
    for (handle in list(new, apspd_graph("g"), apspd_graph("g", "hops", revision = new$revision)))
      ask(handle)
  }
  for (change in list(function(g) apspd_put_profile(g, "other", transform = "hops"),
                      function(g) apspd_set_attributes(g, data.frame(label = "a", type = "Y")),
                      function(g) apspd_set_unit(g, "mm"), apspd_delete)) {
    e <- caught("apspd_revision_differs", change(old))
    same(c(e$asked, e$revision), c(old$revision, new$revision))
    change(new)
  }
  # what was not waited for waits for its own answer
  same(apspd_path(chain(3, transform = "none", wait = FALSE), "a", "c")$distance, 6L)
  fails <- apspd_put(data.frame(from = c("a", "b"), to = c("b", "a"), weight = c(-1, -1)), "g",
                     wait = FALSE)
  caught("apspd_job_failed", apspd_path(fails, "a", "b"))
}

do.call(tests[[args[3]]], as.list(args[-(1:3)]))
cat("done\n")
