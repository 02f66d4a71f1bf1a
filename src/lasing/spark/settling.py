"""What a worker has loaded stays: no garbage collection needs to look through it again.

Spark collects garbage after each task of a Python worker. With the kernels of an engine loaded, this takes longer than
a small batch itself, and there are several tasks in a batch.
"""

from __future__ import annotations

import gc

_settled = False


def settle() -> None:
    """Freeze everything that this process has loaded; to be called once an engine has been at work.

    Only the first call does so. What is frozen is still freed when nothing refers to it, but cycles of it are not: so
    at most the first engine could stay in memory for too long.
    """
    global _settled
    if not _settled:
        _settled = True
        gc.collect()
        gc.freeze()
