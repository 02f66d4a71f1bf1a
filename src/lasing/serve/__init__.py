"""A page that shows a stream being understood: `lasing serve`, and `engine.serve()` for an engine that runs.

The server (`app`, `guard`, `sessions`) never evaluates anything. Programs that come from the page are read and run in
worker processes (`worker`), which are killed when they take too long or too much memory. `attached` watches an engine
or a pipeline of this process instead; then the page can look, and change nothing.
"""
