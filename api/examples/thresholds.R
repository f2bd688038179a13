# Count the pairs of neurons that are connected at each threshold of weights:
#
#     curl -O http://localhost:8080/apspd.R
#     Rscript thresholds.R larva >thresholds.csv
#
# A pair counts at a threshold if a path from the first to the second neuron has only arcs of at
# least this weight. The profile `widest` has the largest such threshold of each pair, so one table
# answers for all thresholds.
source("apspd.R")

name <- commandArgs(trailingOnly = TRUE)
widest <- apspd_put_profile(apspd_graph(name), "widest", path = "widest")
histogram <- apspd_stats(widest, bins = 100)$width_histogram
write.csv(data.frame(threshold = histogram$widths, pairs = histogram$pairs), row.names = FALSE,
          quote = FALSE)
