"""What a Python user would otherwise pick for rules over time: MeTeoR (DatalogMTL) and PyReason.

The task is one that all of them can express: in a network, what holds at a node holds at its neighbours one time step
later. They must agree on every time point. MeTeoR takes the whole history at once, PyReason the whole graph; ours gets
the time points one by one, as from a live stream.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from random import Random
from statistics import median
from time import process_time

import lasing

NODES, LINKS = 300, 900
STEPS = 30
TURNS = 3

PROGRAM = """
#stream reached/1.
reached(X) :- start(X).
reached(Y) :- reached(X) in [1,-1], link(X, Y).
#show reached/1.
"""

Link = tuple[str, str]
Reached = list[frozenset[str]]
"""The nodes that are reached, at each time point."""
Contender = Callable[[list[Link]], Reached]


def alternatives() -> list[tuple[str, str, str]]:
    """Rows of a table: the system, its cost, and how that compares."""
    links = _network()
    expected = _ours(links)
    costs: dict[str, list[float]] = {}
    missing: list[tuple[str, str, str]] = []
    contenders: dict[str, Contender] = {"lasing, pushed time point by time point": _ours}
    for name, package, other in OTHERS:
        if find_spec(package) is None:
            missing.append((name, "", "not installed: pip install 'lasing[bench]'"))
        else:
            contenders[name] = other
    for name, contender in contenders.items():  # once beforehand: kernels are compiled or loaded
        with _quiet():
            found = contender(links)
        if found != expected:
            raise AssertionError(f"{name} differs")
    for _ in range(TURNS):
        for name, contender in contenders.items():
            begun = process_time()
            with _quiet():
                contender(links)
            costs.setdefault(name, []).append(process_time() - begun)
    ours = median(next(iter(costs.values())))
    rows = [(name, f"{median(c) * 1e3:,.1f} ms", f"{median(c) / ours:,.1f}x") for name, c in costs.items()]
    title = f"{NODES} nodes, {LINKS} links, {STEPS} steps: "
    return [(title + name, cost, compared) for name, cost, compared in [*rows, *missing]]


def _network() -> list[Link]:
    draw = Random(7)
    links: set[Link] = set()
    while len(links) < LINKS:
        links.add((f"n{draw.randrange(NODES)}", f"n{draw.randrange(NODES)}"))
    return sorted(links)


def _ours(links: list[Link]) -> Reached:
    background = "".join(f"link({x}, {y}).\n" for x, y in links)
    engine = lasing.Engine(PROGRAM + background, start=0)
    reached: Reached = []
    held: set[str] = set()
    for time in range(STEPS):
        added, removed = engine.push(time, [("start", "n0")] if time == 0 else []).rows()
        held -= {str(node) for _, node in removed}
        held |= {str(node) for _, node in added}
        reached.append(frozenset(held))
    return reached


def _meteor(links: list[Link]) -> Reached:
    """A time point u is the interval [u, u+1) of its dense time; `Until` ends the recursion."""
    from meteor_reasoner.materialization.coalesce import coalescing_d
    from meteor_reasoner.materialization.materialize import materialize
    from meteor_reasoner.utils.loader import load_dataset, load_program

    facts = [f"Link({x},{y})@[0,{STEPS})" for x, y in links]
    data = load_dataset([*facts, "Reached(n0)@[0,1)", f"Until(end)@[0,{STEPS})"])
    coalescing_d(data)
    materialize(data, load_program(["Reached(Y):-Diamondminus[1,1]Reached(X),Link(X,Y),Until(end)"]), K=10 * STEPS)
    reached: list[set[str]] = [set() for _ in range(STEPS)]
    for (node,), intervals in data["Reached"].items():
        for interval in intervals:
            for time in range(int(interval.left_value), int(interval.right_value)):
                reached[time].add(node.name)
    return [frozenset(nodes) for nodes in reached]


def _pyreason(links: list[Link]) -> Reached:
    import networkx
    import pyreason

    pyreason.reset()
    pyreason.reset_rules()
    pyreason.settings.verbose = False
    pyreason.settings.atom_trace = False
    graph = networkx.DiGraph()
    graph.add_nodes_from(f"n{i}" for i in range(NODES))
    graph.add_edges_from(links, link=1)
    pyreason.load_graph(graph)
    pyreason.add_rule(pyreason.Rule("reached(y) <-1 reached(x), link(x,y)", "spread"))
    pyreason.add_fact(pyreason.Fact("reached(n0)", "start", 0, 0))
    found = pyreason.reason(timesteps=STEPS - 1)
    return [frozenset(table["component"]) for table in pyreason.filter_and_sort_nodes(found, ["reached"])]


OTHERS: tuple[tuple[str, str, Contender], ...] = (
    ("MeTeoR", "meteor_reasoner", _meteor),
    ("PyReason", "pyreason", _pyreason),
)
"""Their names, packages, and what runs them."""


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the lines that the others print while they work."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
