"""The report of a team's run, made from its recordings by the same road as from any log."""

from pathlib import Path

from steelyard.errors import BadInput
from steelyard.live.robot._team_file import TeamPlan
from steelyard.logs import read


def write_run_report(plan: TeamPlan, path: Path) -> Path | None:
    """Identifies from the recordings and writes the report; None where too little was recorded for one."""
    from steelyard.problems import identify  # robots, which never need them, start sooner without
    from steelyard.report import write_report

    folder = plan.folder / "recording"
    if not plan.config.live.record or not folder.is_dir():
        return None
    try:
        write_report(identify(read(folder), plan.config.live.problem, plan.config), path)
    except BadInput:
        return None
    return path
