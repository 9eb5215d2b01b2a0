"""`steelyard trial WHAT`: measurements over many simulated runs, too long for a test."""

import importlib
from collections.abc import Sequence

from steelyard.cli._parse import choose

TRIALS = {
    "chaos": "teams under random disasters, in virtual time, held to invariants at every row",
    "disguises": "simulated logs as others would write them: units, axes, clocks and names found again",
    "drone": "a drone's mass in flights with gusts, ground effect, sag, loads and delays, and near the bound without",
    "faults": "faults of every kind on simulated logs: right, doubted and wrong answers",
    "wrist": "one load at one wrist: errors next to the bound, contacts, wrong recordings",
}
"""By name; each lives in the module `_trial_<name>`, which is imported when it is asked for."""


def run(arguments: Sequence[str]) -> int | None:
    """Finds the trial and runs it."""
    name, rest = choose(TRIALS, arguments, "trial", "trial")
    return importlib.import_module(f"steelyard.cli._trial_{name}").run(rest)
