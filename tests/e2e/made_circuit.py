"""Circuits that are made up, for drawings of the page."""
import random


def circuit(n_vertices, n_arcs, n_layers, seed):
    """Arcs from any vertex to any other, loops among them."""
    choose = random.Random(seed)
    layer = [i if i < n_layers else choose.randrange(n_layers) for i in range(n_vertices)]
    names = [f"v{i}" if i else 'a "<&>' for i in range(n_vertices)]
    pairs = {(choose.randrange(n_vertices), choose.randrange(n_vertices)) for _ in range(n_arcs)}
    return ([{"vertex": name, "layer": 3 * at, "share": choose.random()}  # layers may have gaps
             for name, at in zip(names, layer)],
            [{"from": names[a], "to": names[b], "weight": choose.randint(1, 40)}
             for a, b in sorted(pairs)])
