"""What most `lasing` commands import, and all kernels: `command` forks the process that loaded this.

clingo is left out, because a session shows what happens without it.
"""

import lasing.cli
import lasing.models
import lasing.session
from lasing.engine_choice import load_kernels

__all__ = ["lasing"]

load_kernels()
