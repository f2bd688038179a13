"""Count the pairs of neurons that are connected at each threshold of weights:

    curl -O http://localhost:8080/apspd.py
    python3 thresholds.py larva >thresholds.csv

A pair counts at a threshold if a path from the first to the second neuron has only arcs of at
least this weight. The profile `widest` has the largest such threshold of each pair, so one table
answers for all thresholds.
"""
import sys

import apspd


def main(name):
    widest = apspd.graph(name).put_profile("widest", path="widest")
    histogram = widest.stats(bins=100).width_histogram
    print("threshold,pairs")
    for width, pairs in zip(histogram.widths, histogram.pairs):
        print(f"{width},{pairs}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except apspd.Error as error:
        sys.exit(str(error))
