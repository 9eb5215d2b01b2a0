"""A flight's rows made integrable: gaps bridged, the time on the ground left out, joined flights told apart."""

import dataclasses
import functools

import numpy as np

from steelyard._rotations import matrices
from steelyard.errors import BadInput
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class Motion:
    """The rows of a record, integrable: attitude and thrust bridged over short gaps."""

    time: np.ndarray
    velocity: np.ndarray
    """(n, 3), world, m/s; NaN where silent."""
    R: np.ndarray
    thrust: np.ndarray
    fresh: np.ndarray
    """(n,), whether a gap in attitude or thrust ends at this row."""
    size: int
    """Rows of a block."""
    gravity: np.ndarray
    held: bool
    """Whether thrust is held from row to row."""
    flight_end: float
    """s, the landing, or the last row."""
    height: np.ndarray | None = None
    """(n,), m above the lowest place, where the flight took off or landed; None where it did neither."""
    push: np.ndarray | None = None
    """(n, 2), m/s², world x and y: what pushes beside thrust and drag, once a fit tells it; see `_wind`."""
    windy: bool = False
    """Whether that push is a wind's."""
    wind: np.ndarray | None = None
    """(n, 3), m/s, world: that wind, gusts included, where the flight tells its drag."""
    by_speeds: bool = False
    """Whether the thrust is a coefficient times the squares of rotor speeds."""
    _columns: dict[str, tuple[np.ndarray, np.ndarray]] = dataclasses.field(default_factory=dict, repr=False)
    """The last column of each force, and the mass at which it was taken."""

    @property
    def seconds(self) -> float:
        """Of the whole flight."""
        return float(self.time[-1] - self.time[0])

    @functools.cached_property
    def seen(self) -> np.ndarray:
        """(n,), whether there is a velocity."""
        return np.asarray(np.isfinite(self.velocity).all(axis=1))

    @functools.cached_property
    def starts(self) -> np.ndarray:
        """The first row of each block."""
        return np.arange(0, len(self.time), self.size)

    @functools.cached_property
    def weight(self) -> np.ndarray:
        """(n,), share of each row in its block's mean: rows with a velocity, or all where none has one."""
        counts = np.add.reduceat(self.seen.astype(float), self.starts)
        none = np.repeat(counts == 0, self.size)[: len(self.time)]
        weight = (self.seen | none) * 1.0
        return weight / np.repeat(np.add.reduceat(weight, self.starts), self.size)[: len(self.time)]

    @functools.cached_property
    def row_spans(self) -> tuple[np.ndarray, np.ndarray]:
        """Begin and end of the time for which each row's thrust stands, s."""
        if self.held:
            return self.time, np.append(self.time[1:], 2 * self.time[-1] - self.time[-2])
        middle = 0.5 * (self.time[1:] + self.time[:-1])
        return (
            np.concatenate([[2 * self.time[0] - middle[0]], middle]),
            np.append(middle, 2 * self.time[-1] - middle[-1]),
        )

    @functools.cached_property
    def gain_weights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of the accelerations before, at the begin, at the end and after each step: what it adds to the velocity, s.

        In a step of h s an acceleration is the cubic with the derivatives a' of central differences: it adds
        h (a0 + a1) / 2 - h² (a1' - a0') / 12. With straight lines a velocity that swings at w rad/s would come out too
        small by the share (w h)²/12, and the mass with it: 0.15 % at 8 Hz. Beside gaps and rows that are close together
        the lines stay straight. The first step has nothing before it and the last one nothing after it, so those
        weights are one shorter; (n, 1) each.
        """
        h = np.diff(self.time)
        # a' at row k is left a[k-1] + middle a[k] + right a[k+1]; at both ends the difference to the only neighbour.
        left, right = np.zeros((2, len(self.time)))
        left[1:-1] = -h[1:] / (h[:-1] * (h[:-1] + h[1:]))
        right[1:-1] = h[:-1] / (h[1:] * (h[:-1] + h[1:]))
        left[-1], right[0] = -1.0 / h[-1], 1.0 / h[0]
        middle = -left - right
        usual = (h > 0.5 * np.median(h)) & (h < 2.0 * np.median(h))
        beside = np.concatenate([[True], usual[:-1]]) & np.concatenate([usual[1:], [True]])
        share = np.where(usual & beside, h**2 / 12.0, 0.0)
        begin = 0.5 * h - share * (left[1:] - middle[:-1])
        end = 0.5 * h - share * (middle[1:] - right[:-1])
        before, after = share[1:] * left[1:-1], -share[:-1] * right[1:-1]
        return before[:, None], begin[:, None], end[:, None], after[:, None]

    @functools.cached_property
    def bridged(self) -> np.ndarray:
        """(n, 3), the velocity, on a straight line where none was heard."""
        if not self.seen.any():
            return np.zeros_like(self.velocity)
        return np.stack(
            [np.interp(self.time, self.time[self.seen], axis[self.seen]) for axis in self.velocity.T], axis=1
        )

    @functools.cached_property
    def wander(self) -> np.ndarray:
        """(n, k), eigenfunctions of a process of unit variance, each as large as its share of it."""
        count = int(np.clip(self.seconds / TUNING.wander_step, 2, TUNING.most_wander))
        knots = np.linspace(self.time[0], self.time[-1], count)
        covariance = np.exp(-np.abs(knots[:, None] - knots) / TUNING.wander_time)
        values, vectors = np.linalg.eigh(covariance)
        shapes = vectors * np.sqrt(np.maximum(values, 0.0))
        return np.stack([np.interp(self.time, knots, shape) for shape in shapes.T], axis=1)

    @functools.cached_property
    def cruise(self) -> tuple[float, float]:
        """s, from the end of the climb after take-off to the begin of the descent before landing."""
        begin, end = (float(one) for one in self.time[self.seen][[0, -1]])
        if self.height is None:
            return begin, end
        usual = float(np.median(self.height[self.seen]))
        high = self.time[self.seen & (self.height >= TUNING.cruising * usual)]
        return min(float(high[0]), begin + TUNING.longest_climb), max(float(high[-1]), end - TUNING.longest_climb)

    @functools.cached_property
    def bridged_body(self) -> np.ndarray:
        """The same in body axes."""
        return np.einsum("nji,nj->ni", self.R, self.bridged)


def motion_of(record: FlightRecord, gravity: tuple[float, float, float], lag: float = 0.0) -> Motion:
    """The record's motion; a command passes through motors of this time constant, s, first."""
    record = record.acted(lag) if lag > 0 else record
    time = record.time
    velocity = record.velocity if np.isfinite(record.velocity).any() else _derivative(time, record.position)
    pushed, turned = np.isfinite(record.thrust), np.isfinite(record.attitude).all(axis=1)
    if not pushed.any() or not turned.any():
        raise BadInput(f"{record.robot} has no row with {'a thrust' if turned.any() else 'an attitude'}.")
    thrust = np.interp(time, time[pushed], record.thrust[pushed])
    attitude = record.attitude[turned]
    signs = np.cumprod(np.where(np.sum(attitude[1:] * attitude[:-1], axis=1) < 0.0, -1.0, 1.0))
    attitude[1:] *= signs[:, None]
    q = np.stack([np.interp(time, time[turned], one) for one in attitude.T], axis=1)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    last = np.min([np.maximum.accumulate(np.where(one, time, -np.inf)) for one in (pushed, turned)], axis=0)
    with np.errstate(invalid="ignore"):  # before the first sample there is no gap yet
        gap = np.diff(last, prepend=-np.inf) > TUNING.bridged_gap
    velocity = np.where((time - last < TUNING.bridged_gap)[:, None], velocity, np.nan)
    begin, end = _airborne(time, thrust, velocity, record.position[:, 2])
    velocity = np.where(((time < begin) | (time > end))[:, None], np.nan, velocity)
    step = float(np.median(np.diff(time)))
    size = max(1, round(TUNING.block / step), _rows_a_velocity(velocity))
    for k in _velocity_jumps(time, velocity):
        gap[k], velocity[k - k % size : k] = True, np.nan  # the block begins after the jump
    return Motion(
        time,
        velocity,
        matrices(q),
        thrust,
        gap,
        size,
        np.asarray(gravity),
        record.hold == "step",
        float(min(end, time[-1])),
        _height(record),
        by_speeds=record.by_speeds,
    )


def _height(record: FlightRecord) -> np.ndarray | None:
    z = record.position[:, 2]
    seen = np.isfinite(z)
    if np.mean(seen) < 0.5:
        return None
    z = np.interp(record.time, record.time[seen], z[seen])
    ends = min(z[: len(z) // 20 + 1].min(), z[-(len(z) // 20 + 1) :].min())
    low = float(np.percentile(z, 0.5))
    if np.median(z) - low < TUNING.take_off or ends > low + 0.5 * TUNING.take_off:
        return None
    return np.maximum(z - low, 0.0)


def _airborne(time: np.ndarray, thrust: np.ndarray, velocity: np.ndarray, height: np.ndarray) -> tuple[float, float]:
    """Between take-off and landing, s: at a log's ends it may stand still, low, and with little thrust.

    Its climb and its descent count as well: a load on a cable leaves and meets the ground in them.
    """
    width = max(1, round(0.2 / float(np.median(np.diff(time)))))
    slow = np.convolve(np.pad(thrust, width // 2, "edge"), np.ones(width) / width, "same")[width // 2 :][: len(thrust)]
    usual = float(np.median(slow[slow > 0.5 * slow.max()]))
    flies = np.flatnonzero(slow > TUNING.flying_thrust[1] * usual)
    height = height - np.nanmin(height, initial=np.inf)
    begin, end = -np.inf, np.inf
    seen = flies[np.isfinite(height[flies])]
    high = seen[height[seen] >= TUNING.cruising * np.median(height[seen])] if seen.size else flies
    if slow[0] < TUNING.flying_thrust[0] * usual and _stands(velocity[:width], height[:width]):
        climb = min(time[high[0]] - time[flies[0]], TUNING.longest_climb)
        begin = time[flies[0]] + max(climb, TUNING.ground_margin)
    if slow[-1] < TUNING.flying_thrust[0] * usual and _stands(velocity[-width:], height[-width:]):
        descent = min(time[flies[-1]] - time[high[-1]], TUNING.longest_climb)
        end = time[flies[-1]] - max(descent, TUNING.ground_margin)
    return float(begin), float(end)


def _stands(velocity: np.ndarray, height: np.ndarray) -> bool:
    """Whether a vehicle may stand on the ground, bounces and noise apart; what was not measured says nothing."""
    heard = velocity[np.isfinite(velocity).all(axis=1)]
    moves = heard.size > 0 and float(np.linalg.norm(heard.mean(axis=0))) > TUNING.standing_speed
    return not (moves or np.any(height > 0.5 * TUNING.take_off))


def _rows_a_velocity(velocity: np.ndarray) -> int:
    """Usual number of rows from one velocity to the next: a block holds one at least."""
    apart = np.diff(np.flatnonzero(np.isfinite(velocity).all(axis=1)))
    return int(np.median(apart)) if apart.size else 1


def _velocity_jumps(time: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Rows before which the velocity went on elsewhere, as where two flights were joined; no force does that."""
    rows = np.flatnonzero(np.isfinite(velocity).all(axis=1))
    if len(rows) < 20:
        return rows[:0]
    v, around = velocity[rows], 5
    off = np.linalg.norm(np.diff(v, axis=0), axis=1)
    limit = TUNING.impossible_acceleration * np.diff(time[rows]) + TUNING.jump_deviations * np.median(off)
    jumps = [k + 1 for k in np.flatnonzero(off > limit) if around <= k + 1 <= len(v) - around]
    stays = [
        np.linalg.norm(np.median(v[k : k + around], axis=0) - np.median(v[k - around : k], axis=0)) > 0.7 * off[k - 1]
        for k in jumps
    ]
    return rows[np.array(jumps, int)[np.array(stays, bool)]]


def _derivative(time: np.ndarray, position: np.ndarray) -> np.ndarray:
    v = np.full_like(position, np.nan)
    v[1:-1] = (position[2:] - position[:-2]) / (time[2:] - time[:-2])[:, None]
    return v
