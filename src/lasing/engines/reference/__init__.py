"""LARS's definitions executed literally: slow, short, and the judge of every other engine.

`stream` and `windows` are Definitions 1 to 4 of the LARS paper, `entailment` is Definition 7, `grounding` finds the
substitutions worth trying, `model` is the answer stream of a stratified program, `engine` goes from time point to time
point.
"""
