"""The outputs of a program: which predicates, and the names of their columns."""

from __future__ import annotations

from collections.abc import Collection

from lasing.logic.program import Output, Program, per_program
from lasing.logic.terms import Variable


@per_program
def outputs_of(program: Program) -> tuple[Output, ...]:
    """The outputs that a program declares, or else one for each predicate that it derives, in the order of heads."""
    if program.outputs is not None:
        return program.outputs
    heads = [atom for rule in program.rules for atom in rule.head_atoms()]
    return tuple(Output.unnamed(p, arity) for p, arity in {a.predicate: len(a.args) for a in heads}.items())


def column_names(program: Program, output: Output, reserved: Collection[str] = ()) -> tuple[str, ...]:
    """A name for each column of an output: the declared one, or that of a variable at its position in some head.

    Names differ from one another and from the `reserved` ones in more than case, since not every table distinguishes
    such columns. A column without such a name is called by its number: `arg1`, `arg2`, …
    """
    heads = [a for rule in program.rules for a in rule.head_atoms() if a.predicate == output.predicate]
    taken = {name.lower() for name in reserved}
    names = []
    for i, declared in enumerate(output.columns):
        variables = [str(a.args[i]) for a in heads if i < len(a.args) and isinstance(a.args[i], Variable)]
        free = [name for name in variables if name.lower() not in taken and name != "_"]
        name = declared or next(iter(free), f"arg{i + 1}")
        while name.lower() in taken:  # there may be a variable Arg2
            name += "_"
        taken.add(name.lower())
        names.append(name)
    return tuple(names)
