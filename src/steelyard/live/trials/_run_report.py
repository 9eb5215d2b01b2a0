"""The report of a team's run, made from its recordings by the same road as from any log."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from steelyard.errors import BadInput
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING as ROBOT
from steelyard.live.trials._outcome import TeamOutcome
from steelyard.logs import Log, read


def write_run_report(plan: TeamPlan, outcome: TeamOutcome, path: Path) -> Path | None:
    """Identifies from the recordings and writes the report; None where too little was recorded for one.

    Of members that were found faulty it takes what the robots took: no motion from before they were.
    """
    from steelyard.problems import identify  # robots, which never need them, start sooner without
    from steelyard.report import write_report

    folder = plan.folder / "recording"
    if not plan.config.live.record or not folder.is_dir():
        return None
    try:
        log = without_false_motion(read(folder), plan, _found_faulty(outcome))
        write_report(identify(log, plan.config.live.problem, plan.config), path)
    except BadInput:
        return None
    return path


def without_false_motion(log: Log, plan: TeamPlan, found: Mapping[str, float]) -> Log:
    """A log without the motion of members from where they may have been faulty; `found`: by member, when it was, s."""
    columns = dict(log.columns)
    for name, time in found.items():
        for column in plan.task.columns[: plan.task.motion]:
            if (signal := f"{name}/{column}") in columns:
                false = log.time >= time - ROBOT.longest_undetected_fault
                columns[signal] = np.where(false, np.nan, columns[signal])
    return Log(log.time, columns, log.origin)


def _found_faulty(outcome: TeamOutcome) -> dict[str, float]:
    """By member, when the first robot found it so, s of the run."""
    events = [event for event in outcome.events if event["kind"] == "liar"]
    return {event["about"]: min(one["time"] for one in events if one["about"] == event["about"]) for event in events}
