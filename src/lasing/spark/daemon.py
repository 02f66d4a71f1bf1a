"""Spark's Python daemon, which loads everything that a worker needs before it forks the workers.

Loading the engine and its dependencies takes two seconds, which every worker would pay. With the setting
`spark.python.daemon.module` of `session`, it takes two seconds in all.

After each task, a worker of Spark collects garbage. What is loaded here is never garbage, so it is frozen: looking
through it would take every task as long as several megabytes of facts.
"""

import gc

import pandas  # noqa: F401 -- loaded here so that no worker has to load it
import pyspark.worker  # noqa: F401

import lasing.spark.shard  # noqa: F401

if __name__ == "__main__":
    from pyspark.daemon import manager

    gc.collect()
    gc.freeze()
    manager()
