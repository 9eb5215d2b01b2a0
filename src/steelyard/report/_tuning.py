"""Sizes of what is drawn and printed, and when progress is shown."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class LayoutTuning:
    """Of plots and tables."""

    over_time: int = 330
    """Height of a plot over time, px: two fit on a screen."""
    innovations: int = 84
    """Height of one channel of innovations, px: a team of five has many."""
    flown_back: int = 150
    """Height of one axis of a simulated flight, px."""
    lying_label: float = 0.14
    """Share of the width that a horizontal label of an event needs on a narrow screen."""
    upright_label: float = 0.045
    """Share of the width that a vertical label needs."""
    upright_height: int = 64
    """Height above a plot for vertical labels, px."""
    lying_height: int = 24
    """Height above a plot for horizontal labels, px."""
    most_points: int = 2000
    """Points that a trace is drawn with: more than a screen has columns, and a report stays small."""
    colours: int = 6
    """Of curves, in the style sheet; a seventh curve is dotted in the first one's."""
    circle_points: int = 65
    """Of each circle of an ellipsoid: its corners cannot be seen."""
    line: int = 100
    """Longest line of prose in a terminal, characters."""


@dataclasses.dataclass(frozen=True)
class ReplayTuning:
    """Of the simulation of an identified vehicle beside its log."""

    window: float = 1.0
    """s between two starts from the log's velocity: longer, and the integrated noise of the thrust hides the model."""
    most_rows: int = 60_000
    """Of the log that are simulated, from its begin: ten minutes at 100 Hz take a few seconds."""
    longest_step: float = 0.01
    """s; rows further apart are simulated in several steps."""
    start_rows: int = 3
    """Velocities before and after a start whose mean is taken: one alone would carry its noise through the window."""


@dataclasses.dataclass(frozen=True)
class ProgressTuning:
    """Of progress on standard error."""

    delay: float = 2.0
    """How long work may last before a bar appears, s: what ends sooner needs none."""
    between_lines: float = 60.0
    """s from one line to the next, where there is no terminal for a bar: a day is 1440 lines."""


LAYOUT = LayoutTuning()
REPLAY = ReplayTuning()
PROGRESS = ProgressTuning()
