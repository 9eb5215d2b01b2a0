"""The report of one identification."""

from pathlib import Path

from steelyard.problems import Identification
from steelyard.report._page import Section, write_page
from steelyard.report._sections import events, from_above, innovations, notes, over_time, settings, summary


def write_report(identification: Identification, path: str | Path) -> None:
    """Writes one HTML file that needs nothing else: no network, no other file."""
    write_page(f"Identification: {identification.problem}", sections(identification), path)


def sections(identification: Identification) -> list[Section]:
    """What such a report says, in its order; another report may take some and add its own."""
    above = from_above(identification)
    return [
        summary(identification),
        *([] if above is None else [above]),
        over_time(identification),
        events(identification),
        innovations(identification),
        notes(identification),
        settings(identification),
    ]
