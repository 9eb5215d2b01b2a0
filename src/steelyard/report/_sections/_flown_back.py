"""Whether the identified model flies as the log did."""

import importlib.util

import numpy as np

from steelyard.problems import Identification
from steelyard.report._markup import Markup, fill
from steelyard.report._mujoco_replay import FlownBack, fly_back
from steelyard.report._page import Section
from steelyard.report._plots import PLOTTING, drawing, layout, line, panel, truth_line
from steelyard.report._tuning import LAYOUT, REPLAY
from steelyard.report._vehicle_files import vehicle_text

_BODY = """
<p class="aside">The logged thrust and attitude drive a MuJoCo model of the identified vehicle; every $window s it
starts anew from the logged velocity. The difference is $rms m/s RMS an axis. Dashed: logged.</p>
$plot
"""


def flown_back(identification: Identification) -> Section | None:
    """Logged and simulated velocity of the one vehicle; None where there is none, or no simulator."""
    known = [robot for robot in identification.replays if identification[robot]["mass"].status == "known"]
    if len(identification.robots) != 1 or not known or importlib.util.find_spec("mujoco") is None:
        return None
    flight = identification.replays[known[0]].head(REPLAY.most_rows)
    flown = fly_back(vehicle_text(identification, "mjcf"), flight)
    body = fill(_BODY, window=f"{flown.window:g}", rms=f"{flown.rms:.2g}", plot=_plot(known[0], flown))
    return Section("Flown back by a simulator", body, PLOTTING)


def _plot(robot: str, flown: FlownBack) -> Markup:
    look = layout(60 + 3 * LAYOUT.flown_back, "")
    look["panels"] = [panel(f"{axis}, m/s") for axis in "xyz"]
    traces = []
    seen = np.isfinite(flown.logged).all(axis=1)
    for k in range(3):
        logged = truth_line(flown.time[seen], flown.logged[seen, k], "logged", legend=k == 0)
        simulated = line(flown.time, flown.simulated[:, k], "simulated", 0)
        traces += [trace | {"panel": k, "legend": k == 0} for trace in (logged, simulated)]
    span = f"{flown.time[0]:g} to {flown.time[-1]:g} s"
    worst = float(np.nanmax(np.abs(flown.simulated - flown.logged)))
    label = f"Plot of the logged and the simulated velocity of {robot}, {span}; they differ by {worst:.2g} m/s at most."
    return drawing(traces, look, f"velocity of {robot} in the world", label)
