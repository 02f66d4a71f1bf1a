"""Spark's Python daemon, which loads everything that a worker needs before it forks the workers.

Loading the engine and its dependencies takes two seconds, which every worker would pay. With the setting
`spark.python.daemon.module` of `session`, it takes two seconds in all.
"""

import pandas  # noqa: F401 -- loaded here so that no worker has to load it

import lasing.spark.shard  # noqa: F401

if __name__ == "__main__":
    from pyspark.daemon import manager

    manager()
