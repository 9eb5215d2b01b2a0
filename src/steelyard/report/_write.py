"""The report of one identification."""

from pathlib import Path

from steelyard.problems import Identification
from steelyard.report._page import Section, write_page
from steelyard.report._sections import events, from_above, in_space, innovations, notes, over_time, settings, summary


def write_report(identification: Identification, path: str | Path) -> None:
    """Writes one HTML file that needs nothing else: no network, no other file."""
    write_page(f"Identification: {identification.problem}", sections(identification), path)


def sections(identification: Identification) -> list[Section]:
    """The sections of such a report, in order; another report may take some and add its own."""
    pictures = [from_above(identification), in_space(identification)]
    return [
        summary(identification),
        *[picture for picture in pictures if picture is not None],
        over_time(identification),
        events(identification),
        innovations(identification),
        notes(identification),
        settings(identification),
    ]
