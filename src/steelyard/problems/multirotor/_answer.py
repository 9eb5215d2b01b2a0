"""The mass of a multirotor, at every moment of its flight."""

import dataclasses
import time
from collections.abc import Callable

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Knowledge, Status, replay_in_chunks
from steelyard.logs import Log
from steelyard.problems._consistency import believable
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Innovations, Series
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems.multirotor._method import METHODS, Track, Weighing
from steelyard.problems.multirotor._noise import Figures, choose_figures
from steelyard.problems.multirotor._reading import Flight, read_flight
from steelyard.problems.multirotor._setup import DRAG_PRIOR, LAG_PRIOR

KNOWN_BELOW = 0.1
"""Relative standard deviation from which on a mass counts as known."""
KNOWN_DRAG_BELOW = 0.3
"""Share of its prior standard deviation from which on drag counts as known."""
KNOWN_LAG_BELOW = 0.5
"""Share of its prior standard deviation from which on the motors' lag counts as known."""
LONG_ENOUGH = 5.0
"""Seconds after which what is still unknown counts as not identifiable from this motion."""
SETTLED_AFTER = 1.0
"""Seconds after a jump at which its size is read off."""
SAME_JUMP = 0.5
"""Seconds within which a second jump only corrects the size of the first."""
DRAG_UNITS = {"drag": "N s/m", "drag/quadratic": "N s²/m²"}


@dataclasses.dataclass(frozen=True)
class _Weighed:
    """One robot's run."""

    flight: Flight
    figures: Figures
    channels: tuple[str, ...]
    track: Track
    notes: tuple[str, ...]
    seconds_a_row: float


def identify_multirotor(
    log: Log, config: Config, method: str = "adaptive", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Weighs every multirotor of a log; `progress` is told how many rows are done."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}" for multirotor; {nearest(method, list(METHODS))}')
    weighed = {robot: _weigh(log.without_truth(), robot, config, method, progress) for robot in robots_of(log, config)}
    return Identification(
        problem="multirotor",
        method=method,
        origin=log.origin,
        robots={robot: _estimates(one) for robot, one in weighed.items()},
        events=sorted((event for one in weighed.values() for event in _events(one)), key=lambda event: event.time),
        verdict=" ".join(_verdict(one) for one in weighed.values()) + " " + _SCALE_CAVEAT,
        notes=[note for one in weighed.values() for note in one.notes],
        series={robot: _series(one) for robot, one in weighed.items()},
        innovations={robot: _innovations(one) for robot, one in weighed.items()},
        truth=truth_in(log, {"mass": "kg"}),
        settings=settings_of(log, config, {robot: dataclasses.asdict(one.figures) for robot, one in weighed.items()}),
        seconds_a_row=max(one.seconds_a_row for one in weighed.values()),
    )


_SCALE_CAVEAT = (
    "The mass is relative to the thrust: if the logged thrust is 1 % too high throughout, so is the mass, and no "
    "flight can tell the two apart."
)


def _weigh(log: Log, robot: str, config: Config, method: str, progress: Callable[[int], None]) -> _Weighed:
    """Read, choose the noise figures, run."""
    flight = read_flight(log, robot, config)
    figures, notes = figures_of(flight, config, method)
    weighing = METHODS[method](flight, figures, config)
    begin = time.perf_counter()
    track = _run(weighing, progress)
    seconds_a_row = (time.perf_counter() - begin) / len(flight.time)
    return _Weighed(flight, figures, weighing.channels, track, (*flight.notes, *notes), seconds_a_row)


_ROWS_TO_TUNE_ON = 4096


def figures_of(flight: Flight, config: Config, method: str) -> tuple[Figures, tuple[str, ...]]:
    """The noise figures of a flight, as configured or as its first rows tell, and what to say of them."""
    return choose_figures(flight, config, _likelihood_of(flight.head(_ROWS_TO_TUNE_ON), config, method))


def _likelihood_of(flight: Flight, config: Config, method: str) -> Callable[[Figures], float]:
    """How likely a flight is under given figures, the moments around its jumps left out.

    A jump surprises every filter, by tens of units that say nothing of the noise; which rows those are is settled by
    the first figures asked about, so that all others are compared on the same rows.
    """
    calm: list[np.ndarray] = []

    def log_likelihood(figures: Figures) -> float:
        track = _run(METHODS[method](flight, figures, config))
        if not calm:
            calm.append(_calm(flight.time, track))
        value, variance = track.innovation.value[calm[0]], track.innovation.variance[calm[0]]
        return -0.5 * float(np.nansum(value**2 / variance + np.log(variance)))

    return log_likelihood


def _calm(times: np.ndarray, track: Track) -> np.ndarray:
    """Rows that are not just before or after a jump was noticed."""
    calm = np.ones(len(times), bool)
    for row in np.flatnonzero(track.change.found):
        calm &= (times < times[row] - track.change.age[row] - 0.1) | (times > times[row] + 0.5)
    return calm


def _run(weighing: Weighing, progress: Callable[[int], None] = lambda rows: None) -> Track:
    return replay_in_chunks(weighing.estimator, weighing.belief, weighing.samples, weighing.keep, progress)


def robots_of(log: Log, config: Config) -> tuple[str, ...]:
    """The robots named in the configuration; else those of the log with a thrust or throttles; else all there are.

    The last will not do, and the reading of the first says what it lacks.
    """
    if config.team.robots is not None:
        return config.team.robots
    pushed = tuple(robot for robot in log.robots if {"thrust", "throttle"} & set(log.signals(robot)))
    return pushed or log.robots or ("r1",)


def _known(one: _Weighed) -> np.ndarray:
    return one.track.log_mass_std < KNOWN_BELOW


def _mass(one: _Weighed) -> tuple[np.ndarray, np.ndarray]:
    """Mass and its standard deviation over time, NaN while not known."""
    mass = np.where(_known(one), np.exp(one.track.log_mass), np.nan)
    return mass, mass * one.track.log_mass_std


def _drag(one: _Weighed, i: int) -> tuple[np.ndarray, np.ndarray]:
    """A drag coefficient and its standard deviation over time, NaN while the flight has not told much of it."""
    std = one.track.drag_std[:, i]
    told = std < KNOWN_DRAG_BELOW * DRAG_PRIOR[i]
    return np.where(told, one.track.drag[:, i], np.nan), np.where(told, std, np.nan)


def _lag(one: _Weighed) -> tuple[np.ndarray, np.ndarray]:
    """The motors' time constant and its standard deviation over time, NaN while the flight has not told much of it."""
    std = one.track.log_lag_std[:, 0]
    lag = np.where(std < KNOWN_LAG_BELOW * LAG_PRIOR[1], np.exp(one.track.log_lag[:, 0]), np.nan)
    return lag, lag * std


def _estimates(one: _Weighed) -> dict[str, Estimate]:
    """What is known at the end of the log."""
    end = float(one.flight.time[-1])
    mass, std = _mass(one)
    unknown: Knowledge = "not-identifiable" if end - one.flight.time[0] > LONG_ENOUGH else "not-yet-known"
    if np.isfinite(mass[-1]):
        answers = {"mass": Estimate.known(mass[-1], std[-1], "kg", None, end)}
    else:
        answers = {"mass": Estimate.unknown(unknown, "kg", None, end)}
    for i, (name, unit) in enumerate(DRAG_UNITS.items()):
        if i >= one.track.drag.shape[1]:
            break
        drag, drag_std = (values[-1] for values in _drag(one, i))
        if np.isfinite(drag):
            answers[name] = Estimate.known(drag, drag_std, unit, one.flight.robot, end)
        else:
            answers[name] = Estimate.unknown(unknown, unit, one.flight.robot, end)
    if one.track.log_lag.shape[1]:
        lag, lag_std = (values[-1] for values in _lag(one))
        known = np.isfinite(lag)
        answers["motor_lag"] = (
            Estimate.known(lag, lag_std, "s", None, end) if known else Estimate.unknown(unknown, "s", None, end)
        )
    return answers


def _series(one: _Weighed) -> dict[str, Series]:
    mass, std = _mass(one)
    series = {"mass": Series(one.flight.time, mass, std, "kg")}
    for i, (name, unit) in enumerate(DRAG_UNITS.items()):
        if i < one.track.drag.shape[1]:
            series[name] = Series(one.flight.time, *_drag(one, i), unit)
    if one.track.log_lag.shape[1]:
        series["motor_lag"] = Series(one.flight.time, *_lag(one), "s")
    return series


def _innovations(one: _Weighed) -> Innovations:
    innovation = one.track.innovation
    return Innovations(one.flight.time, one.channels, innovation.value, np.sqrt(innovation.variance))


def _events(one: _Weighed) -> list[Event]:
    """Jumps of the mass, slow losses that begin or end, and channels that fell silent."""
    flight = one.flight
    channels = {
        "attitude": flight.attitude,
        "position": flight.position,
        "linear_velocity": flight.velocity,
        "rates": flight.rates,
        "thrust": flight.thrust,
    }
    quiet = [event for name, values in channels.items() for event in silences(flight.time, values, flight.robot, name)]
    return [*_changes(one), *quiet]


def _changes(one: _Weighed) -> list[Event]:
    """Jumps of the mass and of its rate; jumps that began within half a second of each other are one."""
    change = one.track.change
    rows = np.flatnonzero(change.found)
    onsets = one.flight.time[rows] - change.age[rows]
    first = np.flatnonzero(np.diff(onsets, prepend=-np.inf) > SAME_JUMP)
    return [
        _rate_change(one, int(rows[k]), onsets[k])
        if change.watched[rows[k]] == 1
        else _jump(one, int(rows[k]), onsets[k], until)
        for k, until in zip(first, [*onsets[first], one.flight.time[-1]][1:], strict=True)
    ]


def _jump(one: _Weighed, row: int, onset: float, until: float) -> Event:
    """The size is read off once the estimate has settled; at the moment of detection it is rough."""
    times, mass = one.flight.time, np.exp(one.track.log_mass)
    before = mass[max(int(np.searchsorted(times, onset)) - 1, 0)]
    after = mass[int(np.searchsorted(times, min(onset + SETTLED_AFTER, until), side="right")) - 1]
    size = float(after - before)
    what = f"The mass jumped {'up' if size > 0 else 'down'} by {abs(size):.3g} kg, to {after:.3g} kg."
    return Event(float(onset), "change", one.flight.robot, "mass", what, size, float(times[row]))


def _rate_change(one: _Weighed, row: int, onset: float) -> Event:
    """A slow loss, such as spraying, that begins, ends or changes; its size is in kg/s."""
    times, rate = one.flight.time, one.track.mass_rate
    before, after = rate[max(int(np.searchsorted(times, onset)) - 1, 0)], rate[row]
    what = f"The mass now changes by {after:+.2g} kg/s, after {before:+.2g} kg/s before."
    size = float(after - before)
    return Event(float(onset), "change", one.flight.robot, "mass/rate", what, size, float(times[row]))


def _verdict(one: _Weighed) -> str:
    """What the numbers of one robot are worth, in words."""
    robot, (mass, std) = one.flight.robot, _mass(one)
    if not np.isfinite(mass[-1]):
        thrust = np.nan_to_num(one.flight.thrust)
        why = "hardly any thrust acted" if thrust.max() < 1.0 else "there is too little motion and thrust in this log"
        return f"{robot}: the mass cannot be told from this log, because {why}."
    said = f"{robot}: the mass is known to {196 * std[-1] / mass[-1]:.2g} % (95 %)."
    if one.track.drag.shape[1] and np.isnan(_drag(one, 0)[0][-1]):
        said += " Drag cannot be told from this motion: it hardly moved through the air."
    doubted = np.mean((one.track.status & int(Status.DOUBTED)) != 0)
    if doubted > 0.001:
        said += f" In {100 * doubted:.2g} % of the rows a reading was absurdly far off and hardly counted."
    innovation = one.track.innovation
    return f"{said} {believable(innovation.value, innovation.variance, _REMEDY)}"


_REMEDY = "state the true noise in [noise], or look for what the model lacks (wind, ground contact, a late channel)"
