"""Prints what each second's answer of a wrist's stream costs: 10 s at 100 Hz, processor time of several logs.

The median of some runs of each log, and of these the median and the worst of all logs.

PYTHONPATH=src python tests/support/wrist_answers.py [--logs 10] [--runs 3]
"""

import argparse
import time

import numpy as np

import steelyard as sy
from steelyard.bench.wrist import SENSOR_ERRORS, config_of
from steelyard.worlds.wrist import WristScenario, wrist_columns, wrist_truth

CASES = {
    "gentle": WristScenario(),
    "gentle, sensor errors": WristScenario(**SENSOR_ERRORS),
    "wild": WristScenario(motion="wild"),
    "wild, sensor errors": WristScenario(motion="wild", **SENSOR_ERRORS),
}


def answer_times(scenario: WristScenario, seed: int) -> list[float]:
    """Of one log: ms of every step that answered anew, the longest step of each second."""
    columns = wrist_columns(scenario, wrist_truth(scenario, seed), seed)
    columns = {name: column for name, column in columns.items() if not name.startswith("truth/")}
    stream = sy.stream("rigid-body", config_of(scenario, known=not scenario.delay, tared=not scenario.force_offset))
    longest: dict[int, float] = {}
    for k in range(len(columns["time"])):
        sample = {name: float(column[k]) for name, column in columns.items() if np.isfinite(column[k])}
        begin = time.process_time()
        stream.step(sample)
        second = int(sample["time"] - columns["time"][0] - 1e-6)
        longest[second] = max(longest.get(second, 0.0), 1e3 * (time.process_time() - begin))
    return [longest[second] for second in sorted(longest)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    for case, scenario in CASES.items():
        logs = range(1, asked.logs + 1)
        found = [np.median([answer_times(scenario, seed) for _ in range(asked.runs)], axis=0) for seed in logs]
        for what, row in (("median", np.median(found, axis=0)), ("worst", np.max(found, axis=0))):
            print(f"{case:22} {what:6} ms a second:", " ".join(f"{ms:5.1f}" for ms in row))
