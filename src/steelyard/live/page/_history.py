"""Mass over time, robot by robot, as far as the page draws it."""

from typing import Any

import numpy as np

from steelyard.live.page._tuning import TUNING
from steelyard.live.trials import WatchedTeam
from steelyard.report import band, focused_range, layout, line


class MassHistory:
    """What each robot knew of the mass, and when."""

    def __init__(self, robots: tuple[str, ...]):
        self._points: dict[str, list[tuple[float, float, float]]] = {name: [] for name in robots}
        self._interval = TUNING.history_interval

    def add(self, view: WatchedTeam) -> None:
        """Takes in the statuses of this moment."""
        for name, points in self._points.items():
            status = view.statuses.get(name)
            mass = None if status is None else status.estimates.get("mass")
            if status is None or mass is None or (points and status.time < points[-1][0] + self._interval):
                continue
            number, std = (np.nan, np.nan) if mass.value is None or mass.std is None else (mass.value, mass.std)
            points.append((status.time, float(number), float(std)))
        if max(map(len, self._points.values()), default=0) > TUNING.history_points:
            self._points = {name: points[::2] for name, points in self._points.items()}
            self._interval *= 2.0

    def figure(self) -> dict[str, Any]:
        """One line a robot with its 95 % interval, for the scripts of the reports."""
        bands, lines = [], []
        for nth, (name, points) in enumerate(self._points.items()):
            if not points:
                continue
            time, value, std = np.array(points).T
            bands.append(band(time, value, 1.96 * std, nth))
            lines.append(line(time, value, name, nth, 1.96 * std))
        traces = [*bands, *lines]
        return {"data": traces, "layout": layout(TUNING.history_height, "mass, kg", focused_range(traces))}
