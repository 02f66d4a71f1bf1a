"""Spark's Python daemon, with all that a worker needs loaded before the workers are forked from it.

To load the engine and what it stands on takes a worker two seconds, and there are several of them: the setting
`spark.python.daemon.module` of `session` makes it two seconds in all.
"""

import pandas  # noqa: F401 -- loaded here so that no worker has to

import lasing.spark.shard  # noqa: F401

if __name__ == "__main__":
    from pyspark.daemon import manager

    manager()
