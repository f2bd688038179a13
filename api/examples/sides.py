"""Compare the two sides of a brain by the types of its neurons:

    curl -O http://localhost:8080/apspd.py
    python3 sides.py larva side L R type sides.csv

The neurons with side:L, with the arcs between them, become the graph larva-L, and those with
side:R the graph larva-R. For each pair of types that both sides have, the mean distance on the
left is compared with that on the right. sides.csv gets the pairs of types that differ most.
"""
import sys

import apspd


def main(name, attribute, left, right, key, file):
    client = apspd.connect()
    sides = [client.derive(f"{name}-{side}", name, match={attribute: side})
             for side in (left, right)]
    answer = sides[0].compare(sides[1], key=key, top=1000)
    print(f"{answer.matched['keys']} values of {key} on both sides,",
          f"{answer.matched.only_here} on {left} only, {answer.matched.only_with} on {right} only")
    for change, pairs in answer.counts.items():
        print(f"{change}: {pairs}")
    answer.changes.to_csv(file, index=False)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except apspd.Error as error:
        sys.exit(str(error))
