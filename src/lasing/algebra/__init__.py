"""Queries over bags of rows, with values that may be missing, as rules.

SPARQL and SQL say what they want as an algebra: join, optional join, union, difference, groups, the first few rows.
Their rows form bags, and a column may lack a value. Rules derive sets of atoms, and an atom has all its arguments. This
package is the one place that bridges the two. A front end builds a tree of `nodes`; `Lowering` makes rules of it.

- **Missing values.** A column without a value holds `UNBOUND`. Each relation knows which of its columns may hold it, so
  that columns that never do cost nothing.
- **Bags.** A projection does not merge rows: the variables that it drops stay in the relation, unseen, until something
  asks for distinct rows, counts them, or puts them out.
"""
