"""Programs on Spark: DataFrames in, DataFrames out, with the answers that one machine gives.

`reason` turns a program into a function from DataFrames to DataFrames. `session` starts Spark, if necessary with a
bundled Java.
"""

from lasing.spark.reason import reason
from lasing.spark.reasoning import Outputs, Reasoning
from lasing.spark.session import session

__all__ = ["Outputs", "Reasoning", "reason", "session"]
