"""The demo: simulate a working day in a city with three thousand sensors, reason over it on Spark, and sum it up."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from picture import picture
from rich.console import Console
from simulate import RAIN, simulate
from summary import summary

import lasing
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.progress import Progress
from lasing.pipeline.run import run_pipeline

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=10, help="number of hours to simulate (default: 10)")
    parser.add_argument("--sensors", type=int, default=3000, help="number of sensors in the city (default: 3000)")
    chosen = parser.parse_args()
    console = Console()
    day = HERE / "day"
    shutil.rmtree(day, ignore_errors=True)
    console.print(f"Simulating {chosen.hours} hours of a city with {chosen.sensors:,} sensors")
    truth = simulate(day, chosen.hours, chosen.sensors)

    pipeline = read_pipeline(HERE / "city.toml")
    console.print("Loading the engine; the first time, compiling it takes about a minute")
    lasing.run("ready :- go.").prepare()
    console.print("Reasoning on Spark: the rules in examples/city/city.lars, the pipeline in examples/city/city.toml")
    begun = time.perf_counter()
    with Progress(pipeline.program) as progress:
        run_pipeline(pipeline, progress)
    seconds = time.perf_counter() - begun
    events = progress.total.events
    console.print(
        f"{events:,} readings and rain reports in {seconds:.0f} s, including the start of Spark; "
        f"{progress.total.late} came too late and are in {shown(day / 'found' / 'late')}"
    )

    results = {sink.output: found(Path(sink.given["path"])) for sink in pipeline.sinks}
    console.print(summary(results, truth))
    rain = ds.dataset(day / "rain", schema=RAIN).to_table()
    picture(results, rain, day / "city.png")
    console.print(f"The day as a picture: {shown(day / 'city.png')}")


def found(folder: Path) -> pa.Table:
    """The rows of all batches."""
    table = ds.dataset(folder, partitioning="hive").to_table()
    return table.drop_columns(["batch"])


def shown(path: Path) -> Path:
    """A path relative to where the demo was started, if it is below."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


if __name__ == "__main__":
    main()
