"""The incremental engine: annotated rows in one arena, and work in proportion to what changes.

`memory` is the arena and the life of a row; `operators/` has one file per operator with its law; `execute` takes a time
point, or a batch of them, through the operators; `layout` puts a plan into the arena; `engine` is what a session sees.
"""
