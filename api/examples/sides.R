# Compare the two sides of a brain by the types of its neurons:
#
#     curl -O http://localhost:8080/apspd.R
#     Rscript sides.R larva side L R type sides.csv
#
# The neurons with side:L, with the arcs between them, become the graph larva-L, and those with
# side:R the graph larva-R. For each pair of types that both sides have, the mean distance on the
# left is compared with that on the right. sides.csv gets the pairs of types that differ most.
source("apspd.R")

args <- commandArgs(trailingOnly = TRUE)
names(args) <- c("graph", "attribute", "left", "right", "key", "file")
side <- function(value)
  apspd_derive(paste0(args[["graph"]], "-", value), args[["graph"]],
               match = paste0(args[["attribute"]], ":", value))
answer <- apspd_compare(side(args[["left"]]), side(args[["right"]]), key = args[["key"]],
                        top = 1000)
cat(answer$matched$keys, " values of ", args[["key"]], " on both sides, ",
    answer$matched$only_here, " on ", args[["left"]], " only, ", answer$matched$only_with, " on ",
    args[["right"]], " only\n", sep = "")
for (change in names(answer$counts)) cat(change, ": ", answer$counts[[change]], "\n", sep = "")
write.csv(answer$changes, args[["file"]], row.names = FALSE)
