"""From a multirotor's columns to the samples a filter steps through."""

import dataclasses
import functools
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from scipy.interpolate import Akima1DInterpolator

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.estimators import Reason, Sample
from steelyard.geometry import SO3
from steelyard.logs import Log
from steelyard.models import CommandedControl, MultirotorControl, MultirotorReading
from steelyard.problems.multirotor._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class FlightRecord:
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
    thrust_uncertainty: float = 0.0
    """Relative standard deviation of the thrust's scale, which lasts for the whole flight."""
    thrust_unit: str = "N"
    """`N`, or `rpm²` where only rotor speeds are known and no newtons."""
    thrust_factor: float = 1.0
    """What `thrust` was multiplied by: where only rotor speeds are known it is about 9.81 of its own units."""
    reasons: tuple[Reason, ...] = ()
    by_speeds: bool = False
    """Whether the thrust is a coefficient times the squares of rotor speeds."""

    def head(self, rows: int) -> "FlightRecord":
        """The first rows."""
        return self.rows(slice(rows))

    def rows(self, which: slice) -> "FlightRecord":
        """Some of the rows."""
        arrays = {name: value[which] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return dataclasses.replace(self, **arrays)

    def samples(self) -> Sample:
        """One sample a row; its control is that of the interval which ends there."""
        inputs = {"thrust": held(self.time, self.thrust), "rates": held(self.time, self.rates)}
        before = {name: np.concatenate([u[:1], u[:-1]]) for name, u in inputs.items()}
        dt = np.diff(self.time, prepend=self.time[:1])
        attitude = jnp.asarray(self.attitude)
        return sample_of(dataclasses.replace(self, **inputs), dt, before["thrust"], before["rates"], attitude)

    def acted(self, lag: float) -> "FlightRecord":
        """The flight with the thrust that motors of this time constant, s, made of the command."""
        thrust = _lagged(self.thrust, self.time, lag) if self.commanded else self.thrust
        return dataclasses.replace(self, thrust=thrust, commanded=False)


def sample_of(record: FlightRecord, dt, thrust_before, rates_before, attitude) -> Sample:
    """A record as a sample, given the interval and the inputs at its begin; of one row or of many."""

    def over_interval(before, now):
        acted = before if record.hold == "step" else np.asarray(0.5 * (before + now))
        lost = np.asarray(dt > TUNING.bridged_gap)
        return np.where(lost.reshape(lost.shape + (1,) * (np.ndim(acted) - lost.ndim)), np.nan, acted)

    rates = over_interval(rates_before, record.rates)
    if record.commanded:
        thrust = np.where(np.asarray(dt > TUNING.bridged_gap), np.nan, thrust_before)
        control = CommandedControl(thrust, np.zeros_like(dt), rates)
    else:
        control = MultirotorControl(over_interval(thrust_before, record.thrust), rates)
    return Sample(dt, control, MultirotorReading(SO3(attitude), record.position, record.velocity))


def held(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """An input that comes more rarely than rows do, held until it comes again, for `bridged_gap` at most."""
    there = np.isfinite(values.reshape(len(values), -1)).all(axis=1)
    if there.all() or not there.any():
        return values
    last = np.maximum.accumulate(np.where(there, np.arange(len(values)), -1))
    valid = (last >= 0) & (time - time[last] <= TUNING.bridged_gap)
    return np.where(valid.reshape(-1, *[1] * (values.ndim - 1)), values[last], np.nan)


def tells(record: FlightRecord) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n,) each, () of one row: where there is a thrust; where it points; how the vehicle moves."""
    signals = record.attitude, record.position, record.velocity, record.rates
    attitude, position, velocity, rates = (np.asarray(np.isfinite(one).all(axis=-1)) for one in signals)
    return np.asarray(np.isfinite(record.thrust)), np.asarray(attitude | rates), np.asarray(position | velocity)


def unheard_reasons(record: FlightRecord) -> tuple[Reason, ...]:
    """Why a filter's mass at the last row may be another than the one that the flight told."""
    apart = float(np.median(np.diff(record.time)))
    if apart > TUNING.bridged_gap:
        return (Reason("unheard", f"Rows are {apart:.2g} s apart: what acts between them is not known."),)
    last = min(float(np.max(record.time, where=one, initial=record.time[0])) for one in tells(record))
    if record.time[-1] - last > TUNING.end_margin:
        text = f"After {last:.1f} s thrust, attitude or velocity is missing"
        return (Reason("unheard", f"{text}: the mass may have changed since. Cut the log there with --end."),)
    return ()


def read_flight_record(log: Log, robot: str, config: Config) -> FlightRecord:
    """Reads a robot's columns; what is missing and can be done without becomes a note, all else a `BadInput`."""
    if len(log) < 2:
        raise BadInput(f"{log.origin} has a single row; a flight needs two rows at least.")
    notes: list[str] = []
    own = config.multirotor.thrust_uncertainty
    attitude = _unit_quaternions(log, robot)
    position = _optional(log, robot, "position", notes)
    velocity = _optional(log, robot, "linear_velocity", notes)
    if position is None and velocity is None:
        log.require(robot, "linear_velocity")
    rates = _optional(log, robot, "rates", notes)
    blank = np.full((len(log), 3), np.nan)
    source = _thrust(log, robot, config, notes)
    return FlightRecord(
        robot=robot,
        time=np.asarray(log.time),
        attitude=attitude,
        position=blank if position is None else position,
        velocity=blank if velocity is None else velocity,
        rates=blank if rates is None else _plausible(rates, f"{robot}/rates", notes, usual=1.0),
        thrust=_plausible(source.thrust, f"{robot}/thrust", notes),
        commanded=source.commanded and config.multirotor.motor_lag != 0.0,
        hold=config.inputs.hold,
        notes=tuple(notes),
        thrust_uncertainty=source.uncertainty if own is None else own,
        thrust_unit=source.unit,
        thrust_factor=source.factor,
        reasons=source.reasons,
        by_speeds=source.by_speeds,
    )


def input_limit(values: np.ndarray, usual: float = 0.0) -> float:
    """The largest input that is no outlier, from what is usual in these rows."""
    acting = np.abs(values[np.isfinite(values) & (values != 0.0)])  # motors may stand still for most of a log
    return TUNING.outlier_factor * max(usual, float(np.median(acting))) if acting.size else np.inf


def throttle_thrust(throttle: np.ndarray, config: Config) -> np.ndarray:
    """Collective thrust, N, that the bench's map gives for the rotors' throttles, percent, along the last axis."""
    assert config.multirotor.throttle_map is not None
    rotors = _throttle_curve(config.multirotor.throttle_map)(np.clip(throttle / 100.0, 0.0, 1.0))
    return np.nanmean(rotors, axis=-1)  # each as if all did the same


@functools.cache
def _throttle_curve(table: tuple[float, ...]) -> Callable[[np.ndarray], np.ndarray]:
    """Thrust by throttle, 0 to 1, by Akima's curve: a square law is followed exactly, and a kink stays local.

    Not straight lines: thrust goes with the square of the speed, and they are above it, by 0.4 % for ten pieces.
    """
    at = np.linspace(0.0, 1.0, len(table))
    return Akima1DInterpolator(at, table) if len(table) > 2 else lambda throttle: np.interp(throttle, at, table)


def _optional(log: Log, robot: str, signal: str, notes: list[str]) -> np.ndarray | None:
    """The signal; None, with a note, where no column of it exists. A signal with columns must be whole."""
    if any(name.startswith(f"{robot}/{signal}/") for name in log.columns):
        return log.require(robot, signal, ("x", "y", "z"))
    notes.append(f"{robot} has no {signal}; the answer comes from its other signals and is less certain.")
    return None


def _plausible(values: np.ndarray, name: str, notes: list[str], usual: float = 0.0) -> np.ndarray:
    """The inputs, outliers replaced by NaN."""
    outlier = np.abs(values) > input_limit(values, usual)
    if outlier.any():
        first = int(np.flatnonzero(outlier.reshape(len(values), -1).any(axis=1))[0])
        notes.append(
            f"{name} has {int(outlier.sum())} outliers (first in row {first + 1}), over "
            f"{TUNING.outlier_factor:g} times what is usual; they count as missing."
        )
    return np.where(outlier, np.nan, values)


def _unit_quaternions(log: Log, robot: str) -> np.ndarray:
    q = log.require(robot, "attitude")
    norm = np.sqrt(np.sum(q**2, axis=1))
    off = np.flatnonzero(np.abs(norm - 1.0) > 0.1)
    if off.size:
        raise BadInput(f"{log.origin}: {robot}/attitude in row {off[0] + 1} {no_unit_quaternion(norm[off[0]])}")
    return q / norm[:, None]


def no_unit_quaternion(norm: float) -> str:
    """How the sentence about an attitude that is none ends."""
    return f"has the norm {norm:.3g}, so it is no unit quaternion w, x, y, z; convert the attitude."


@dataclasses.dataclass(frozen=True)
class _Thrust:
    thrust: np.ndarray
    commanded: bool = False
    uncertainty: float = 0.0
    unit: str = "N"
    factor: float = 1.0
    reasons: tuple[Reason, ...] = ()
    by_speeds: bool = False


def _thrust(log: Log, robot: str, config: Config, notes: list[str]) -> _Thrust:
    """By the throttles and the bench's map; by rotor speeds and their coefficient; as logged."""
    own, signals = config.multirotor, set(log.signals(robot))
    if own.throttle_map is not None and (f"{robot}/thrust" not in log.columns or "throttle" in signals):
        notes.append(f"{robot}'s thrust comes from its throttle through the bench's map.")
        return _Thrust(throttle_thrust(log.require(robot, "throttle"), config), True)
    if "rpm" in signals and (own.thrust_coefficient is not None or f"{robot}/thrust" not in log.columns):
        return _thrust_of_speeds(log.require(robot, "rpm"), robot, own.thrust_coefficient, notes)
    thrust = log.require(robot, "thrust")[:, 0]
    if np.nanmax(thrust) <= 0:
        raise BadInput(f"{log.origin}: {robot}/thrust is never positive; log the collective thrust along body z in N.")
    return by_published_map(log, robot, thrust, notes) or _Thrust(thrust, own.commanded)


def _thrust_of_speeds(rpm: np.ndarray, robot: str, coefficient: float | None, notes: list[str]) -> _Thrust:
    """Thrust goes with the square of a rotor's speed."""
    if not np.max(np.abs(rpm), where=np.isfinite(rpm), initial=0.0) > 0.0:
        raise BadInput(f"{robot}/rpm is zero throughout, or never there: the rotors stood still, or were not recorded.")
    usual = np.nanmedian(np.abs(rpm), axis=0)
    ratio = usual / np.median(usual)
    odd = [k for k, one in enumerate(ratio) if not TUNING.odd_rotor[0] < one < TUNING.odd_rotor[1]]
    sentence = "Rotor {} turns at {:.2g} of the others' speed: its tachometer is off, or it hardly carries."
    reasons = tuple(Reason("rotor", sentence.format(k + 1, ratio[k])) for k in odd)
    total = np.sum(np.square(rpm), axis=1)
    if coefficient is not None:
        notes.append(f"{robot}'s thrust comes from its rotors' speeds, {coefficient:g} N a rotor and rpm².")
        return _Thrust(coefficient * total, reasons=reasons, by_speeds=True)
    notes.append(f"{robot}'s rotors have speeds and no [multirotor] thrust_coefficient (N a rotor and rpm²).")
    factor = 9.81 / float(np.nanmean(total))
    return _Thrust(factor * total, unit="rpm²", factor=factor, reasons=reasons, by_speeds=True)


def by_published_map(log: Log, robot: str, thrust: np.ndarray, notes: list[str]) -> _Thrust | None:
    """A thrust that is the published map of a Crazyflie's commands: a command, by a map that is uncertain."""
    from steelyard.logs.mapping import CONVERSIONS

    if "throttle" not in log.signals(robot) or len(log.signal(robot, "throttle")[0]) != 4:
        return None
    command = 655.35 * log.signal(robot, "throttle")
    volts = log.signal(robot, "battery/voltage") if log.has(robot, "battery/voltage") else None
    for columns, uncertainty, how in (
        (volts, TUNING.map_with_battery, "with the battery's voltage in it"),
        (
            np.zeros((len(log), 0)),
            TUNING.map_without_battery,
            f"at {TUNING.loaded_voltage:g} V, for no battery was logged",
        ),
    ):
        if columns is None:
            continue
        with np.errstate(invalid="ignore"):
            mapped = CONVERSIONS["crazyflie-2-thrust"](np.concatenate([command, columns], axis=1))[:, 0]
        if np.nanmedian(np.abs(mapped - thrust)) < 0.01 * np.nanmedian(thrust):
            if not columns.size:
                usual = np.full((len(log), 1), TUNING.loaded_voltage)
                thrust = CONVERSIONS["crazyflie-2-thrust"](np.concatenate([command, usual], axis=1))[:, 0]
            notes.append(
                f"{robot}'s thrust is the published map of its motor commands, {how}: drones and flights differ from "
                f"it by {100 * uncertainty:.2g} % (one deviation), which is in the interval."
            )
            return _Thrust(thrust, True, uncertainty)
    return None


def _lagged(commanded: np.ndarray, time: np.ndarray, lag: float) -> np.ndarray:
    """What first-order motors make of commands that are held from row to row."""
    thrust = commanded.copy()
    for k in range(1, len(time)):
        keep = np.exp(-(time[k] - time[k - 1]) / lag)
        thrust[k] = commanded[k - 1] + (thrust[k - 1] - commanded[k - 1]) * keep
    return thrust
