"""The jobs in Polars, lazily, over the whole files: batch."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl


def average(temp: pl.LazyFrame, _: pl.LazyFrame) -> pl.LazyFrame:
    """A window for each second, also those that begin before the first reading. Labels are the windows' begins."""
    windows = temp.group_by_dynamic("time", every="1i", period="60i", offset="-59i", group_by="sensor")
    return windows.agg(average=pl.col("value").mean()).select("sensor", pl.col("time") + 59, "average")


def latest(temp: pl.LazyFrame, _: pl.LazyFrame) -> pl.LazyFrame:
    """A rolling average."""
    rolled = pl.col("value").rolling_mean_by("time", window_size="60i").over("sensor")
    return temp.select("sensor", "time", average=rolled)


def join(temp: pl.LazyFrame, smoke: pl.LazyFrame) -> pl.LazyFrame:
    """An equi-join on blocks of 20 seconds, of which a pair can be at most one apart; then the pairs near enough."""
    near = smoke.rename({"time": "smoke"}).with_columns(
        block=pl.concat_list([pl.col("smoke") // 20 + apart for apart in (-1, 0, 1)])
    )
    pairs = temp.with_columns(block=pl.col("time") // 20).join(near.explode("block"), on=["sensor", "block"])
    within = pairs.filter((pl.col("time") - pl.col("smoke")).abs() <= 20)
    return within.select("sensor", "time", "value", "smoke", "density")


def silent(temp: pl.LazyFrame, _: pl.LazyFrame) -> pl.LazyFrame:
    """The readings whose next one is late, or which have none although the stream goes on for long enough."""
    following = pl.col("time").shift(-1).over("sensor")
    late = temp.filter(following.fill_null(pl.col("time").max() + 1) > pl.col("time") + 10)
    return late.select("sensor", pl.col("time") + 10)


def rising(temp: pl.LazyFrame, _: pl.LazyFrame) -> pl.LazyFrame:
    """The readings above the one before, which is above the one before that."""
    rises = pl.col("value").diff().over("sensor") > 0
    frame = temp.with_columns(rises=rises)
    return frame.filter(pl.col("rises") & pl.col("rises").shift(1).over("sensor")).select("sensor", "time")


JOBS = {"average": average, "latest": latest, "join": join, "silent": silent, "rising": rising}


def main(job: str, folder: str, out: str) -> None:
    """Run a job."""
    at = Path(folder)
    temp = pl.scan_csv(at / "temp.csv", schema={"time": pl.Int64, "sensor": pl.String, "value": pl.Float64})
    smoke = pl.scan_csv(at / "smoke.csv", schema={"time": pl.Int64, "sensor": pl.String, "density": pl.Float64})
    JOBS[job](temp.set_sorted("time"), smoke).collect().write_csv(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
