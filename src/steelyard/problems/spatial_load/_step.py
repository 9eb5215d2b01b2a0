"""What a robot of a team in space computes from a row of samples, as a pure step; its messages are not part of it."""

import numpy as np

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, required_log
from steelyard.problems.spatial_load._reading import read_spatial_record
from steelyard.problems.spatial_load._tuning import TUNING
from steelyard.team import row_steps


def spatial_load_step(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """The filter's step over a row of all robots' samples."""
    chosen_method(method, "consensus", ["consensus"], "spatial-load")
    record = read_spatial_record(required_log(log, "spatial-load").without_truth(), config)
    rows = record.agents()[0].init().estimator.history
    for time, row in zip(
        record.time[: round(TUNING.linearisation_seconds * record.rate)], record.readings, strict=False
    ):
        rows.append(float(time), row)
    step, belief, samples = row_steps(rows, float(np.linalg.norm(record.gravity)))
    robots = len(record.graph.names)
    about = f"What a row of {robots} robots' samples tells of a load in space, without the messages that bring it about"
    return ExportableStep(step.step, belief, samples, about)
