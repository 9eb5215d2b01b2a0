"""A multirotor sample by sample: the filters of `identify`, with the same numbers."""

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import equinox as eqx
import jax
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Reason
from steelyard.native import PackedStep
from steelyard.problems._identification import Event
from steelyard.problems._parametrised import Parametrised, as_arrays
from steelyard.problems.multirotor._events import flow_event, jump_event
from steelyard.problems.multirotor._method import METHODS, EstimatorRun, Track
from steelyard.problems.multirotor._noise import default_noise_levels, default_noise_note
from steelyard.problems.multirotor._quantities import UNITS, estimates_of
from steelyard.problems.multirotor._reading import (
    FlightRecord,
    input_limit,
    no_unit_quaternion,
    sample_of,
    tells,
    throttle_thrust,
)
from steelyard.problems.multirotor._setup import drag_is_unknown
from steelyard.problems.multirotor._tuning import TUNING

ONLINE = {"adaptive": "auto", "ekf": "auto", "ukf": "auto", "msckf": "auto", "swls": "xla"}
"""Methods that step row by row, and the engine of each: a C compiler takes minutes over the window of `swls`."""
_XYZ = ("x", "y", "z")
_CHANNELS = ("attitude", "position", "velocity", "rates", "thrust")
_WAITING = "The estimator has not started: it takes its first guess from the first second of flight."


@dataclasses.dataclass(frozen=True)
class _State:
    """A packed estimator state, and the limits of plausible inputs."""

    packed: np.ndarray
    track: Track | None
    limits: tuple[float, float]
    """Of rates, rad/s, and of thrust, N."""
    inputs: FlightRecord | None = None
    """The row before, its inputs held; their times are in `heard`."""
    heard: tuple[float, float] = (-np.inf, -np.inf)
    """s, when rates and thrust came last."""


class MultirotorStream:
    """See `StreamFilter`. Compiles when it is made, not in flight."""

    recovers = False
    silent, confirmed = TUNING.silent_stream, TUNING.confirmed_after

    def __init__(self, config: Config, method: str | None):
        method = method or "adaptive"
        if method not in ONLINE:
            offline = f', because "{method}" works on blocks of a whole log' if method in METHODS else ""
            raise BadInput(f'"{method}" does not stream{offline}; {nearest(method, list(ONLINE))}')
        self.method = method
        self._config = config
        thrust = {"throttle": ("1…",)} if config.multirotor.throttle_map is not None else {"thrust": ("",)}
        motion = {"attitude": ("w", *_XYZ), "position": _XYZ, "linear_velocity": _XYZ, "rates": _XYZ}
        self.signals: Mapping[str, tuple[str, ...]] = MappingProxyType(thrust | motion)
        self._commanded = bool(config.multirotor.commanded or "throttle" in thrust)
        self._commanded &= config.multirotor.motor_lag != 0.0
        run = self._run_of(self._hover())
        first = jax.tree.map(lambda leaf: np.asarray(leaf)[0], run.samples)
        numbers, self._static = eqx.partition(as_arrays(run.estimator), eqx.is_array)
        self._step = PackedStep(
            Parametrised(self._static), (numbers, run.belief), first, ONLINE[method], lambda both: run.keep(both[1])
        )
        self.notes = default_noise_note(config)

    def read(self, robot: str, time: float, values: Mapping[str, np.ndarray]) -> FlightRecord:
        """One row of a flight record."""
        q = values.get("attitude", _nan(4))
        norm = math.hypot(*q)
        if abs(norm - 1.0) > 0.1:
            raise BadInput(f"The sample at {time:g} s: {robot}/attitude {no_unit_quaternion(norm)}")
        if "throttle" in self.signals:
            throttle = values.get("throttle", _nan(1))
            heard = throttle[np.isfinite(throttle)]
            thrust = throttle_thrust(heard, self._config) if heard.size else np.nan
        else:
            thrust = values["thrust"][0] if "thrust" in values else np.nan
        return FlightRecord(
            robot=robot,
            time=np.asarray(time, float),
            attitude=q / norm,
            position=values.get("position", _nan(3)),
            velocity=values.get("linear_velocity", _nan(3)),
            rates=values.get("rates", _nan(3)),
            thrust=np.asarray(thrust, float),
            commanded=self._commanded,
            hold=self._config.inputs.hold,
            notes=(),
        )

    def merge(self, row: FlightRecord, other: FlightRecord) -> FlightRecord | None:
        """Channels that were missing and now are there; a channel's first sample stays."""
        new = {
            name: getattr(other, name)
            for name in _CHANNELS
            if np.isnan(getattr(row, name)).any() and not np.isnan(getattr(other, name)).any()
        }
        return dataclasses.replace(row, **new) if new else None

    def missing(self, row: FlightRecord) -> dict[str, bool]:
        """By the signals' names in a log."""
        names = ("attitude", "position", "linear_velocity", "rates", "thrust")
        return {name: bool(np.isnan(getattr(row, ours)).any()) for name, ours in zip(names, _CHANNELS, strict=True)}

    def usable(self, row: FlightRecord) -> bool:
        """On the ground, without thrust, nothing can be learnt of the mass."""
        return bool(row.thrust > 0.0)

    def tells(self, row: FlightRecord) -> tuple[bool, ...]:
        """Of what is needed to learn the mass, which parts this row has."""
        return tuple(map(bool, tells(row)))

    def start(self, rows: Sequence[FlightRecord]) -> _State | None:
        """As `identify` starts on a whole log: from the first second, and the first reading of each channel."""
        span = float(rows[-1].time - rows[0].time)
        if span <= TUNING.first_mass_span or len(rows) < max(2, self._config.multirotor.window):
            return None
        record = _joined(rows)
        heard = {name: np.isfinite(getattr(record, name)).reshape(len(rows), -1).all(1).any() for name in _CHANNELS}
        if not (heard["attitude"] and heard["thrust"] and (heard["position"] or heard["velocity"])):
            return None
        limits = input_limit(record.rates, 1.0) if heard["rates"] else np.inf, input_limit(record.thrust)
        run = self._run_of(record)
        numbers, _ = eqx.partition(as_arrays(run.estimator), eqx.is_array)
        return _State(self._step.pack((numbers, run.belief)), None, limits)

    def step(self, state: _State, before: FlightRecord, row: FlightRecord) -> _State:
        """One step of the compiled filter."""
        before, row = (_plausible(one, state.limits) for one in (before, row))
        before, heard = _held(before, state.inputs, state.heard)
        row, heard = _held(row, before, heard)
        sample = sample_of(row, np.asarray(row.time - before.time), before.thrust, before.rates, row.attitude)
        packed = self._step.step(state.packed, self._step.pack_sample(sample))
        return _State(packed, self._step.recorded(packed), state.limits, row, heard)

    def summary(self, state: _State) -> _State:
        """Without the packed vector."""
        return dataclasses.replace(state, packed=_nan(0))

    def measured(self, row: FlightRecord) -> dict[str, np.ndarray]:
        """All but the thrust."""
        return {"attitude": row.attitude, "position": row.position, "linear_velocity": row.velocity, "rates": row.rates}

    def innovation(self, state: _State) -> np.ndarray:
        """Of the last step."""
        if state.track is None:
            return _nan(0)
        innovation = state.track.innovation
        return np.asarray(innovation.value) / np.sqrt(np.asarray(innovation.variance))

    def flags(self, state: _State) -> int:
        """`Status` of the last step."""
        return 0 if state.track is None else int(state.track.status)

    def estimates(self, state: _State | None, robot: str, time: float, begin: float) -> dict[str, Estimate]:
        """As `identify` at the end of a log that ends here."""
        if state is not None and state.track is not None:
            return estimates_of(state.track, robot, time, begin)
        names = ["mass", *(("drag", "drag/quadratic") if drag_is_unknown(self._config) else ())]
        if self._commanded and self._config.multirotor.motor_lag is None:
            names.append("motor_lag")
        frames = {name: robot if name.startswith("drag") else None for name in names}
        return {name: Estimate.unknown("not-yet-known", UNITS[name], frames[name], time, _WAITING) for name in names}

    def reasons(self, state: _State) -> tuple[Reason, ...]:
        """None beside those of the innovations."""
        return ()

    def onset(self, state: _State, time: float) -> float | None:
        """When a jump of the mass or of its flow began that was detected just now."""
        if state.track is None or not state.track.change.found:
            return None
        return time - float(state.track.change.age)

    def change(self, robot: str, onset: float, before: _State, time: float, now: _State) -> Event:
        """Its size is what the estimate says at its detection; `identify` reads it a second later."""
        old, new = before.track or now.track, now.track
        assert old is not None
        assert new is not None
        if new.change.watched == 1:
            return flow_event(robot, onset, time, float(old.mass_rate), float(new.mass_rate))
        return jump_event(robot, onset, time, float(np.exp(old.log_mass)), float(np.exp(new.log_mass)))

    def _run_of(self, record: FlightRecord) -> EstimatorRun:
        return METHODS[self.method](record, default_noise_levels(record, self._config), self._config)

    def _hover(self) -> FlightRecord:
        """A record to compile on: only its shapes count."""
        thrust = 9.81 * (self._config.guess.mass or 1.0)
        n = max(2, self._config.multirotor.window)
        q, zero = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)), np.zeros((n, 3))
        commanded, hold = self._commanded, self._config.inputs.hold
        return FlightRecord("r1", 0.01 * np.arange(n), q, zero, zero, zero, np.full(n, thrust), commanded, hold, ())


@functools.cache
def _nan(size: int) -> np.ndarray:
    blank = np.full(size, np.nan)
    blank.setflags(write=False)
    return blank


def _joined(rows: Sequence[FlightRecord]) -> FlightRecord:
    arrays = {name: np.stack([getattr(row, name) for row in rows]) for name in ("time", *_CHANNELS)}
    return dataclasses.replace(rows[0], **arrays)


def _held(
    row: FlightRecord, before: FlightRecord | None, heard: tuple[float, float]
) -> tuple[FlightRecord, tuple[float, float]]:
    """A row with the inputs that it lacks from the row before, for `bridged_gap` at most, as `held` does with a log."""
    new, times = {}, list(heard)
    for k, name in enumerate(("rates", "thrust")):
        if np.isfinite(getattr(row, name)).all():
            times[k] = float(row.time)
        elif before is not None and row.time - heard[k] <= TUNING.bridged_gap:
            new[name] = getattr(before, name)
    return dataclasses.replace(row, **new) if new else row, (times[0], times[1])


def _plausible(row: FlightRecord, limits: tuple[float, float]) -> FlightRecord:
    """Inputs over their limits count as missing, as in a log."""
    if np.abs(row.rates).max() <= limits[0] and abs(row.thrust) <= limits[1]:
        return row
    rates = np.where(np.abs(row.rates) > limits[0], np.nan, row.rates)
    return dataclasses.replace(row, rates=rates, thrust=np.where(abs(row.thrust) > limits[1], np.nan, row.thrust))
