"""From the columns of a robot that holds a load alone to the channels that the fit reads."""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems.rigid_body._residuals import Channel
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._start import quaternions_of
from steelyard.problems.rigid_body._tool import known_tool
from steelyard.problems.rigid_body._tuning import TUNING
from steelyard.problems.rigid_body._unknowns import MOTION_SIGNALS

_AXES = {"attitude": ("w", "x", "y", "z")}
_XYZ = ("x", "y", "z")
_UNITS = {
    "twist/angular": "rad/s",
    "twist/linear": "m/s",
    "specific_force": "m/s²",
    "attitude": "rad",
    "wrench/torque": "N m",
    "wrench/force": "N",
}


@dataclasses.dataclass(frozen=True, eq=False)
class WristRecord:
    """What one robot recorded while it moved a load."""

    robot: str
    wrench: Channel
    """(n, 6): torque (N m) and force (N) on the load, sensor axes, about the sensor's origin."""
    motion: dict[str, Channel]
    """By signal: `twist/angular` (rad/s), `twist/linear` (m/s), `specific_force` (m/s²), `attitude` (rotations)."""
    gravity: np.ndarray
    """(3,), world axes, m/s²."""
    tared: bool
    """Whether the wrench has no offset."""
    calibrated: bool = False
    """Whether the motion sensors have no errors but noise."""
    stated: frozenset[str] = frozenset()
    """Signals whose noise was stated; `wrench` where both torque and force were."""
    drift: float = 0.0
    """N, of the force sensor's offset in a minute."""
    tool: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(10))
    """(10,): parameters of a known tool that the sensor carries beside the load."""
    notes: tuple[str, ...] = ()
    removed_delays: dict[str, float] = dataclasses.field(default_factory=dict)
    """s, by motion signal: what the mapping has already taken out of its times."""

    @property
    def channels(self) -> dict[str, Channel]:
        """All of them; the wrench under its own name."""
        return {"wrench": self.wrench, **self.motion}

    @property
    def all_stated(self) -> bool:
        """Whether the noise of every channel was stated."""
        return set(self.channels) <= self.stated

    @property
    def start(self) -> float:
        """s: the first sample of the wrench."""
        return float(self.wrench.time[0])

    @property
    def end(self) -> float:
        """s: the last sample of the wrench."""
        return float(self.wrench.time[-1])

    @property
    def noise(self) -> dict[str, float]:
        """One standard deviation an axis by signal, as assumed: the mean over its axes."""
        levels = {"wrench/torque": self.wrench.std[:3], "wrench/force": self.wrench.std[3:]}
        return {s: float(np.mean(v)) for s, v in {**levels, **{s: c.std for s, c in self.motion.items()}}.items()}

    @property
    def enough(self) -> bool:
        """Whether a load can be looked for in it: a wrench, and every motion signal."""
        rows = [len(channel.time) for channel in self.motion.values()]
        return len(self.wrench.time) >= 2 * TUNING.fewest_rows and min(rows) >= TUNING.fewest_rows

    def averaged(self, width: float) -> "WristRecord":
        """With means over `width` seconds in place of faster samples."""
        motion = {signal: channel.averaged(width) for signal, channel in self.motion.items()}
        return dataclasses.replace(self, wrench=self.wrench.averaged(width), motion=motion)

    def between(self, start: float, end: float) -> "WristRecord":
        """The samples from `start` to `end` (s)."""
        return dataclasses.replace(
            self,
            wrench=self.wrench.between(start, end),
            motion={signal: channel.between(start, end) for signal, channel in self.motion.items()},
        )

    def without(self, spans: list[tuple[float, float]]) -> "WristRecord":
        """Without the wrenches of some spans of time; the motion goes on through them."""
        time = self.wrench.time
        inside = np.any([(time >= a) & (time <= b) for a, b in spans], axis=0) if spans else np.zeros(len(time), bool)
        return dataclasses.replace(self, wrench=self.wrench.where(~inside))


def read_wrist_record(log: Log, robot: str, config: Config) -> WristRecord:
    """Reads a robot's columns, and estimates the noise that nobody stated; what cannot be read is a `BadInput`."""
    time = np.asarray(log.time)
    if len(log) < TUNING.fewest_rows:
        raise BadInput(f"{log.origin} has {len(log)} rows; to weigh a load takes {TUNING.fewest_rows} rows at least.")
    parts = [log.require(robot, signal, _XYZ) for signal in ("wrench/torque", "wrench/force")]
    values = {"wrench": np.concatenate(parts, axis=1)}
    for signal in MOTION_SIGNALS:
        if log.has(robot, signal, _AXES.get(signal, _XYZ)):
            read = log.require(robot, signal, _AXES.get(signal, _XYZ))
            if _whole(signal, read).sum() >= TUNING.fewest_rows:
                values[signal] = read
    _demand(log, robot, set(values))
    stated = {s for s in MOTION_SIGNALS if getattr(config.noise, s.replace("/", "_")) is not None}
    if config.noise.wrench_torque is not None and config.noise.wrench_force is not None:
        stated.add("wrench")
    channels = {signal: _channel(signal, time, read, config) for signal, read in values.items()}
    wrench = channels.pop("wrench")
    if len(wrench.time) < TUNING.fewest_rows:
        raise BadInput(f"{log.origin} has {len(wrench.time)} rows with a whole wrench of {robot}; give more.")
    record = WristRecord(
        robot,
        wrench,
        channels,
        np.array(config.gravity, float),
        config.wrist.tared,
        config.wrist.calibrated,
        frozenset(stated & set(values)),
        config.wrist.drift,
        np.zeros(10) if config.wrist.known is None else known_tool(config.wrist.known),
    )
    return dataclasses.replace(record, notes=_notes(record))


def _demand(log: Log, robot: str, signals: set[str]) -> None:
    if not signals & {"twist/angular", "attitude"}:
        raise BadInput(
            f"{log.origin}: {robot} has neither {robot}/twist/angular nor {robot}/attitude, and without one of the two "
            "nothing shows how the load turns; record a gyro, or the orientation of the sensor."
        )
    if not signals & {"specific_force", "twist/linear"}:
        raise BadInput(
            f"{log.origin}: {robot} has neither {robot}/specific_force nor {robot}/twist/linear, and without one of "
            "the two nothing shows how the load speeds up; record an accelerometer, or the velocity of the sensor."
        )


def _whole(signal: str, values: np.ndarray) -> np.ndarray:
    """(n,): rows with a whole reading."""
    whole = np.asarray(np.isfinite(values).all(axis=1))
    if signal == "attitude":
        whole &= np.linalg.norm(np.nan_to_num(values), axis=1) > 0.5
    return whole


def _channel(signal: str, time: np.ndarray, values: np.ndarray, config: Config) -> Channel:
    """The rows that are whole, with one standard deviation an axis."""
    whole = _whole(signal, values)
    if signal == "attitude":
        value = Rotation.from_quat(values[whole][:, [1, 2, 3, 0]]).as_matrix()
        std = config.noise.attitude or _scatter(time[whole], quaternions_of(value), "attitude")
        return Channel(time[whole], value, np.full(3, std))
    value = values[whole]
    if signal == "wrench":
        torque = config.noise.wrench_torque or _scatter(time[whole], value[:, :3], "wrench/torque")
        force = config.noise.wrench_force or _scatter(time[whole], value[:, 3:], "wrench/force")
        return Channel(time[whole], value, np.repeat([torque, force], 3))
    std = getattr(config.noise, signal.replace("/", "_")) or _scatter(time[whole], value, signal)
    return Channel(time[whole], value, np.full(3, std))


def _scatter(time: np.ndarray, values: np.ndarray, signal: str) -> float:
    """How far a channel is from its own smooth curve: a level to weigh it by; the interval rests on the misfit."""
    scale = 2.0 if signal == "attitude" else 1.0  # parts of a quaternion turn half as far
    if len(time) < 2 * TUNING.fewest_rows:
        return TUNING.noise_floor[signal]
    spline = Spline.covering(time[0], time[-1], max(TUNING.scatter_spacing, 4.0 * float(np.median(np.diff(time)))))
    left = values - spline.evaluate(spline.fit(time, values), time)
    rows, freedom = len(time), min(spline.size, len(time) // 2)
    limits = np.quantile(np.abs(left), 0.98, axis=0)
    spread = float(np.sqrt(np.mean(np.minimum(np.abs(left), limits) ** 2))) * np.sqrt(rows / (rows - freedom))
    return max(scale * spread, TUNING.noise_floor[signal])


def _notes(record: WristRecord) -> tuple[str, ...]:
    named = {
        s: v for s, v in record.noise.items() if (s.split("/")[0] if s.startswith("wrench") else s) not in record.stated
    }
    notes = []
    if record.tool[0] > 0.0:
        notes.append(f"The known tool of {record.tool[0]:.4g} kg is not part of the load.")
    if not named:
        return tuple(notes)
    levels = ", ".join(f"{signal} {value:.2g} {_UNITS[signal]}" for signal, value in named.items())
    return (*notes, f"Noise estimated from the log, because [noise] does not state it: {levels}.")
