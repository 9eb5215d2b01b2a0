"""What every peer gets of a load at a wrist: motion, wrench and noise on even rows, and the truth beside them."""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from scipy.signal import savgol_filter

from steelyard._rotations import matrices
from steelyard.bench.peers._tuning import PEERS
from steelyard.bench.wrist import bound_of, cases, config_of, log_of
from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.geometry import MOMENT_ENTRIES, Twist, wrench_regressor
from steelyard.logs import Log
from steelyard.logs.mapping import open_log, prepare
from steelyard.problems.rigid_body import read_wrist_record
from steelyard.worlds.wrist import wrist_truth


@dataclasses.dataclass(frozen=True, eq=False)
class WristMotion:
    """One load, moved: `wrench = Y(motion) load + offset` but for noise."""

    log: Log
    config: Config
    """What `identify` is told."""
    dt: float
    """s, the same between all rows."""
    rotation_rate: np.ndarray
    """(n, 3), rad/s, sensor axes, measured."""
    specific_force: np.ndarray
    """(n, 3), m/s², measured."""
    wrench: np.ndarray
    """(n, 6): torque, force on the load, measured."""
    noise: np.ndarray
    """(6,): standard deviation of the wrench."""
    truth: dict[str, np.ndarray]
    unit: dict[str, tuple[str, np.ndarray]]
    tared: bool
    """Whether the wrench has no offset."""

    @property
    def rows(self) -> int:
        """Of the table."""
        return len(self.wrench)

    def smoothed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rate of rotation, its derivative and specific force, by Savitzky and Golay's polynomial."""
        window = PEERS.savgol_rows
        alpha = self._polynomial(self.rotation_rate, window, 1)
        if np.sqrt(np.mean(alpha**2)) > PEERS.lively:
            window = 2 * (PEERS.savgol_rows // 4) + 1
            alpha = self._polynomial(self.rotation_rate, window, 1)
        return self._polynomial(self.rotation_rate, window, 0), alpha, self._polynomial(self.specific_force, window, 0)

    def regressors(self) -> np.ndarray:
        """(n, 6, 10): the wrench of a unit of each parameter."""
        return np.asarray(_regressors(*self.smoothed()))

    def _polynomial(self, channel: np.ndarray, window: int, derivative: int) -> np.ndarray:
        return np.asarray(savgol_filter(channel, window, PEERS.wrist_order, deriv=derivative, delta=self.dt, axis=0))


@jax.jit
def _regressors(omega: jax.Array, alpha: jax.Array, s: jax.Array) -> jax.Array:
    nothing = jnp.zeros(3)
    return jax.vmap(lambda w, a, f: wrench_regressor(Twist(w, nothing), Twist(a, f)))(omega, alpha, s)


def wave(motion: str, logs: int) -> list[WristMotion]:
    """Boxes of 0.05 to 3 kg, calibrated sensors at two noise levels; errors count in Cramér-Rao bounds."""
    found = []
    for scenario, seed in cases(motion, logs):
        truth, config = wrist_truth(scenario, seed), config_of(scenario, True)
        log, load = log_of(scenario, truth, seed), truth.loads[-1]
        moments = np.array([load.inertia[entry] for entry in MOMENT_ENTRIES])
        true = {"mass": np.array([load.mass]), "com": load.com, "inertia": moments}
        std = bound_of(scenario, truth, ()).std
        unit = {q: ("bounds", part) for q, part in zip(true, (std[:1], std[1:4], std[4:]), strict=True)}
        noise = np.repeat([scenario.noise["wrench/torque"], scenario.noise["wrench/force"]], 3)
        rates, force = log.signal("r1", "twist/angular"), log.signal("r1", "specific_force")
        wrench = np.hstack([log.signal("r1", "wrench/torque"), log.signal("r1", "wrench/force")])
        dt = float(log.time[1] - log.time[0])
        found.append(WristMotion(log, config, dt, rates, force, wrench, noise, true, unit, True))
    return found


def recorded_wrist(files: Sequence[str], mass: float, com: Sequence[float] | None, config: Config) -> WristMotion:
    """Somebody's run with a load of known mass (kg) and, if it is known, centre (m), on even rows at 100 Hz.

    Peers get the log as `identify` reads it: units, frames and delays found. Without a gyroscope the rate of rotation
    is the difference of orientations, smoothed as all the rest.
    """
    found = prepare(open_log(files), "rigid-body", config)
    record = read_wrist_record(found.log, found.log.robots[0], config)
    if "specific_force" not in record.motion:
        raise BadInput(f"{found.log.origin} has no accelerometer, which the peers need.")
    begin = max(channel.time[0] for channel in record.channels.values())
    end = min(channel.time[-1] for channel in record.channels.values())
    dt = 0.01
    even = np.arange(begin, end, dt)

    def table(name: str) -> np.ndarray:
        channel = record.channels[name]
        width = max(1, round(dt / float(np.median(np.diff(channel.time)))))  # of the mean that keeps noise from folding
        kernel = np.ones(width) / width
        smooth = [np.convolve(column, kernel, "same") for column in np.asarray(channel.value).T]
        return np.stack([np.interp(even, channel.time, column) for column in smooth], axis=1)

    if "twist/angular" in record.motion:
        rates = table("twist/angular")
    elif "attitude" in record.motion:
        rates = _turning(record.motion["attitude"].time, record.motion["attitude"].value, even, dt)
    else:
        raise BadInput(f"{found.log.origin} has neither a gyroscope nor an orientation; the peers need one.")
    true = {"mass": np.array([mass])} | ({} if com is None else {"com": np.asarray(com, float)})
    unit = {"mass": ("%", np.array([0.01 * mass])), "com": ("mm", np.full(3, 1e-3))}
    noise = np.asarray(record.wrench.std, float)
    return WristMotion(
        found.log, config, dt, rates, table("specific_force"), table("wrench"), noise, true, unit, record.tared
    )


def _turning(time: np.ndarray, attitude: np.ndarray, even: np.ndarray, dt: float) -> np.ndarray:
    """Rate of rotation in sensor axes, from orientations."""
    from scipy.spatial.transform import Rotation, Slerp

    turned = attitude if attitude.ndim == 3 else matrices(attitude)
    rotations = Slerp(time, Rotation.from_matrix(turned))(even)
    rate = (rotations[:-1].inv() * rotations[1:]).as_rotvec() / dt
    return np.vstack([rate[:1], 0.5 * (rate[1:] + rate[:-1]), rate[-1:]])
