"""Numbers that tune the page that follows a team."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PageTuning:
    """Of what the page shows, and how often."""

    state_interval: float = 0.5
    """s between two states that are made: the page asks for one every second."""
    events_listed: int = 50
    """The last so many are listed: more than anybody reads while a team runs."""
    history_points: int = 600
    """Points a robot; beyond, every second one is dropped and the interval doubled, so that a run of days stays
    small."""
    history_interval: float = 0.2
    """s of the run between two points, before any is dropped: the first two minutes keep all of them."""
    history_height: int = 330
    """px of the figure: it and the tables fit on one screen."""


TUNING = PageTuning()
