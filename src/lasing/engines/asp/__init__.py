"""Programs with any number of answer streams, solved by clingo, time point by time point.

Rules are grounded here, not by clingo, whose numbers have 32 bits and no fractions: `grounding` finds the atoms that
may hold and the instances of the rules, `unfolding` turns a body into a condition on such atoms (LARS, Definition 7,
with unknowns), `conditions` is the propositional logic of these, `aggregates` their sums and counts. `solver` passes
them to clingo and reads answer sets back, `minimality` tests by Definition 9 what clingo's own semantics does not
cover, and `engine` goes from time point to time point.
"""
