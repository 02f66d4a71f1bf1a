"""The reasoning tasks of the LARS paper: model checking and satisfiability, of formulas and of programs.

>>> from lasing import models
>>> bool(models.check("a :- not b.  b :- not a.", "a at 5.", time=5))
True
>>> models.check("a :- not b.  b :- not a.", "", time=5).reasons[0]
'rule 1 (program:1:1): the body holds, but a at 5 is missing'
>>> models.holds("p in [3] and not q", "p at 2.", time=4)
True
>>> print(models.satisfiable("p in [3] and not p", time=4, start=0))
p at 3.
>>> print(models.answer_stream("{a}.  :- not a.", time=5))
a at 5.
"""

from lasing.models.formulas import holds, satisfiable
from lasing.models.programs import Verdict, answer_stream, check
from lasing.models.witness import Witness

__all__ = ["Verdict", "Witness", "answer_stream", "check", "holds", "satisfiable"]
