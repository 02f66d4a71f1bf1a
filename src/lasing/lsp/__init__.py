"""A language server: what editors show about a program while someone writes it. Nothing here runs a program.

Each feature is a function in the file of its name, over a `Program` with its texts (`reading`) and what stands where in
them (`occurrences`, `things`). Features speak of `Span`s of texts; only `server` and `positions` know the protocol.
"""
