"""The report of one identification."""

from pathlib import Path

from steelyard.problems import Identification
from steelyard.report._page import Section, write_page
from steelyard.report._sections import (
    answer,
    events,
    flown_back,
    from_above,
    in_space,
    innovations,
    notes,
    numbers,
    over_time,
    plots_over_time,
    settings,
)


def write_report(identification: Identification, path: str | Path) -> None:
    """Writes one HTML file that needs nothing else: no network, no other file."""
    write_page(f"Identification: {identification.problem}", sections(identification), path)


def sections(identification: Identification) -> list[Section]:
    """The sections of such a report, in order; another report may take some and add its own."""
    plots = plots_over_time(identification)
    picture = in_space(identification) or from_above(identification)
    if picture is None and plots:
        picture, *plots = plots
    simulated = flown_back(identification)
    return [
        answer(identification, picture),
        numbers(identification),
        *([over_time(identification, plots)] if plots or picture is None else []),
        events(identification),
        *([simulated] if simulated else []),
        innovations(identification),
        notes(identification),
        settings(identification),
    ]
