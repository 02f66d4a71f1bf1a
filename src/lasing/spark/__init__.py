"""Programs on Spark: DataFrames in, DataFrames out, with the answers that one machine gives.

`reason` makes a function from DataFrames to DataFrames of a program. `session` starts Spark, if need be on a Java that
is brought along.
"""

from lasing.spark.reason import Outputs, Reasoning, reason
from lasing.spark.session import session

__all__ = ["Outputs", "Reasoning", "reason", "session"]
