"""From a multirotor's columns to the samples a filter steps through."""

import dataclasses

import jax.numpy as jnp
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.estimators import Sample
from steelyard.geometry import SO3
from steelyard.logs import Log
from steelyard.models import CommandedControl, MultirotorControl, MultirotorReading


@dataclasses.dataclass(frozen=True)
class Flight:
    """What one multirotor recorded, in SI units; NaN where nothing was."""

    robot: str
    time: np.ndarray
    attitude: np.ndarray
    """(n, 4), unit quaternions w, x, y, z, body to world."""
    position: np.ndarray
    """(n, 3), world, m."""
    velocity: np.ndarray
    """(n, 3), world, m/s."""
    rates: np.ndarray
    """(n, 3), body, rad/s."""
    thrust: np.ndarray
    """(n,), N."""
    commanded: bool
    """Whether that is what was asked for, held until the next row, and the motors follow with a lag."""
    hold: str
    """How inputs behave between rows: `sample` or `step`."""
    notes: tuple[str, ...]

    def head(self, rows: int) -> "Flight":
        """The first rows."""
        arrays = {name: value[:rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return dataclasses.replace(self, **arrays)

    def samples(self) -> Sample:
        """One sample a row; its control is that of the interval which ends there."""
        rates = self._over_interval(self.rates)
        if self.commanded:
            control = CommandedControl(_before(self.thrust), np.zeros(len(self.time)), rates)
        else:
            control = MultirotorControl(self._over_interval(self.thrust), rates)
        reading = MultirotorReading(SO3(jnp.asarray(self.attitude)), self.position, self.velocity)
        return Sample(np.diff(self.time, prepend=self.time[:1]), control, reading)

    def acted(self, lag: float) -> "Flight":
        """The flight with the thrust that motors of this time constant, s, made of the command."""
        thrust = _lagged(self.thrust, self.time, lag) if self.commanded else self.thrust
        return dataclasses.replace(self, thrust=thrust, commanded=False)

    def _over_interval(self, u: np.ndarray) -> np.ndarray:
        return _before(u) if self.hold == "step" else 0.5 * (_before(u) + u)


def _before(u: np.ndarray) -> np.ndarray:
    return np.concatenate([u[:1], u[:-1]])


def read_flight(log: Log, robot: str, config: Config) -> Flight:
    """Reads a robot's columns; what is missing and can be done without becomes a note, all else a `BadInput`."""
    if len(log) < 2:
        raise BadInput(f"{log.origin} has a single row; a flight needs two rows at least.")
    notes: list[str] = []
    attitude = _unit_quaternions(log, robot)
    position = _optional(log, robot, "position", notes)
    velocity = _optional(log, robot, "linear_velocity", notes)
    if position is None and velocity is None:
        log.require(robot, "linear_velocity")
    rates = _optional(log, robot, "rates", notes)
    blank = np.full((len(log), 3), np.nan)
    thrust, commanded = _thrust(log, robot, config, notes)
    return Flight(
        robot=robot,
        time=np.asarray(log.time),
        attitude=attitude,
        position=blank if position is None else position,
        velocity=blank if velocity is None else velocity,
        rates=blank if rates is None else _plausible(rates, f"{robot}/rates", notes, usual=1.0),
        thrust=_plausible(thrust, f"{robot}/thrust", notes),
        commanded=commanded and config.multirotor.motor_lag != 0.0,
        hold=config.inputs.hold,
        notes=tuple(notes),
    )


def _optional(log: Log, robot: str, signal: str, notes: list[str]) -> np.ndarray | None:
    """The signal; None, with a note, where no column of it exists. A signal with columns must be whole."""
    if any(name.startswith(f"{robot}/{signal}/") for name in log.columns):
        return log.require(robot, signal, ("x", "y", "z"))
    notes.append(f"{robot} has no {signal}; the answer comes from its other signals and is less certain.")
    return None


def _plausible(values: np.ndarray, name: str, notes: list[str], usual: float = 0.0) -> np.ndarray:
    """Inputs over a hundred times what is usual count as missing: no filter survives being driven by them."""
    limit = 100.0 * max(usual, float(np.nanmedian(np.abs(values))))
    absurd = np.abs(values) > limit
    if absurd.any():
        first = int(np.flatnonzero(absurd.reshape(len(values), -1).any(axis=1))[0])
        notes.append(
            f"{name} is absurd in {int(absurd.sum())} cells (first in row {first + 1}); they count as missing."
        )
    return np.where(absurd, np.nan, values)


def _unit_quaternions(log: Log, robot: str) -> np.ndarray:
    q = log.require(robot, "attitude")
    norm = np.sqrt(np.sum(q**2, axis=1))
    off = np.flatnonzero(np.abs(norm - 1.0) > 0.1)
    if off.size:
        raise BadInput(
            f"{log.origin}: {robot}/attitude in row {off[0] + 1} has the norm {norm[off[0]]:.3g}, so it is no unit "
            f"quaternion w, x, y, z; convert the attitude."
        )
    return q / norm[:, None]


def _thrust(log: Log, robot: str, config: Config, notes: list[str]) -> tuple[np.ndarray, bool]:
    """The throttles through the bench's map where there is one, else the thrust as logged; and if it is a command."""
    own = config.multirotor
    if own.throttle_map is not None and (f"{robot}/thrust" not in log.columns or "throttle" in log.signals(robot)):
        throttle = np.nanmean(log.require(robot, "throttle"), axis=1) / 100.0
        notes.append(f"{robot}'s thrust comes from its throttle through the bench's map.")
        return np.interp(throttle, np.linspace(0.0, 1.0, len(own.throttle_map)), own.throttle_map), True
    thrust = log.require(robot, "thrust")[:, 0]
    if np.nanmax(thrust) <= 0:
        raise BadInput(f"{log.origin}: {robot}/thrust is never positive; log the collective thrust along body z in N.")
    return thrust, own.commanded


def _lagged(commanded: np.ndarray, time: np.ndarray, lag: float) -> np.ndarray:
    """What first-order motors make of commands that are held from row to row."""
    thrust = commanded.copy()
    for k in range(1, len(time)):
        keep = np.exp(-(time[k] - time[k - 1]) / lag)
        thrust[k] = commanded[k - 1] + (thrust[k - 1] - commanded[k - 1]) * keep
    return thrust
