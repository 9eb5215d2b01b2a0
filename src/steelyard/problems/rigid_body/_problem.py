"""One least-squares problem: a record, knots, priors; and a point in it: a motion, a load, sensor errors.

Residuals and derivatives are those of `_residuals`; here is which of them a record has, at which times, and with which
priors. Nothing is solved here.
"""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._residuals import (
    Block,
    motion_block,
    motion_residual,
    still_block,
    unaccelerated_block,
    wrench_block,
    wrench_residual,
)
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._start import (
    first_load,
    first_trajectory,
    force_misfit,
    knot_spacing,
    mounting_of,
    resampled,
    still_spans,
)
from steelyard.problems.rigid_body._timing import Lag
from steelyard.problems.rigid_body._trajectory import Trajectory
from steelyard.problems.rigid_body._tuning import FitTuning
from steelyard.problems.rigid_body._unknowns import Drift, Layout, Unknowns, layout


@dataclasses.dataclass(frozen=True, eq=False)
class State:
    """A point in a problem."""

    motion: Trajectory
    spline: Spline
    rows: dict[str, np.ndarray]
    """By signal, and of the `knots`: where its samples lie in the times of the motion."""
    unknowns: Unknowns
    taken: dict[str, float]
    """s, by signal: the part of its delay that is in the times of its rows."""
    weights: dict[str, np.ndarray]
    """By signal, (n,): 0 for outliers, else 1."""
    prior: np.ndarray
    """(size,): standard deviations of the unknowns beforehand."""
    converged: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Problem:
    """Which samples, knots and priors."""

    record: WristRecord
    tuning: FitTuning
    at: Layout
    delays: dict[str, float]
    """s, by motion signal: where they are expected."""
    spacing: float
    """s, between knots."""
    speed: float
    """m/s: what the prior of a velocity says that nobody measured."""
    still: list[tuple[float, float]]
    """s: spans in which the frame did not move."""
    drift: Drift | None
    held: bool = True
    """Whether lever, scale and delays are held: wide knots do not follow the motion, and these would take the blame."""

    @staticmethod
    def of(record: WristRecord, tuning: FitTuning, lag: Lag | None = None) -> "Problem":
        """With knots as wide as the motion signals allow."""
        drift = _drift_of(record, tuning)
        at = layout(tuple(record.motion), record.tared, record.calibrated, drift=drift)
        delays = dict.fromkeys(record.motion, 0.0)
        if lag is not None:
            delays["specific_force"] = lag.value
            at.prior[at["delay/specific_force"]] = np.hypot(lag.std, tuning.delay_std)
        spacing, still = knot_spacing(record.motion, tuning), still_spans(record.motion, tuning)
        return Problem(record, tuning, at, delays, spacing, tuning.speed, still, drift)

    @property
    def measures_velocity(self) -> bool:
        """Whether a sensor shows the velocity."""
        return "twist/linear" in self.record.motion

    def start(self) -> State:
        """From the motion signals alone, and a load by linear least squares."""
        record = self.record
        delays = dict(self.delays)
        times = self._times(delays)
        grid, spline = self._grid(times)
        motion = first_trajectory(grid, record.motion, record.wrench, record.gravity, self.spacing)
        motion = resampled(motion, grid, spline)
        rows = _rows(grid, times, spline)
        mounting = np.eye(3)
        specific_force = motion.specific_force[rows["wrench"]]
        if "specific_force" in record.motion:
            channel = record.motion["specific_force"]
            smooth = Spline.covering(channel.time[0], channel.time[-1], self.spacing)
            wrench_time = np.clip(record.wrench.time, channel.time[0], channel.time[-1])
            felt = smooth.evaluate(smooth.fit(channel.time, channel.value), wrench_time)
            if "attitude" in record.motion and not record.calibrated:
                turned = mounting_of(channel.value, motion.specific_force[rows["specific_force"]])
                if turned is not None and force_misfit(felt @ turned, record.wrench) < force_misfit(
                    felt, record.wrench
                ):
                    mounting = turned
            specific_force = felt @ mounting
        load, offsets = first_load(motion, rows["wrench"], record.wrench, specific_force, record.tared)
        unknowns = Unknowns.start(load - record.tool, mounting, delays, record.tool, self.drift)
        unknowns = dataclasses.replace(unknowns, torque_offset=offsets[:3], force_offset=offsets[3:])
        weights = {signal: np.ones(len(time)) for signal, time in times.items()}
        return State(motion, spline, rows, unknowns, delays, weights, self.at.prior, False)

    def resampled(self, state: State) -> State:
        """The same point at the times that its delays ask for, and with this problem's knots."""
        longest = self.tuning.longest_lag
        taken = {signal: float(np.clip(delay, -longest, longest)) for signal, delay in state.unknowns.delays.items()}
        times = self._times(taken)
        grid, spline = self._grid(times)
        motion = resampled(state.motion, grid, spline)
        return dataclasses.replace(state, motion=motion, spline=spline, rows=_rows(grid, times, spline), taken=taken)

    def prior(self, unknowns: Unknowns) -> np.ndarray:
        """Standard deviations; moments that the motion does not determine are those of a load of moderate size."""
        m = max(float(unknowns.load[0]), self.tuning.least_mass)
        reach = min(float(np.linalg.norm(unknowns.load[1:4])) / m, self.tuning.longest_arm) + self.tuning.load_size
        prior = self.at.prior.copy()
        prior[self.at["moments"]] = 3.0 * m * reach**2
        if self.held:
            for name in ("lever", "accelerometer_scale", *(f"delay/{signal}" for signal in self.record.motion)):
                if name in self.at:
                    prior[self.at[name]] *= self.tuning.held_errors
        return prior

    def blocks(self, state: State) -> tuple[list[Block], list[np.ndarray]]:
        """Residuals with derivatives, and the weights of their rows: of the wrench, each motion signal, then priors."""
        record, motion, spline, unknowns = self.record, state.motion, state.spline, state.unknowns
        blocks = [wrench_block(record.wrench, motion, state.rows["wrench"], spline, unknowns, self.at)]
        for signal, channel in record.motion.items():
            late = unknowns.delays[signal] - state.taken[signal]
            blocks.append(motion_block(signal, channel, motion, state.rows[signal], spline, unknowns, self.at, late))
        weights = [state.weights[signal] for signal in ("wrench", *record.motion)]
        if not self.measures_velocity:
            rows, still = state.rows["knots"], self._still_rows(state)
            blocks.append(still_block(motion, rows, spline, self._speed(state), self.at))
            blocks.append(unaccelerated_block(motion, still, spline, self._still_std(still), self.at))
            weights += [np.ones(len(rows)), np.ones(len(still))]
        return blocks, weights

    def residuals(self, state: State) -> dict[str, np.ndarray]:
        """By signal, (n, k): expected less measured, in standard deviations."""
        record, motion, unknowns = self.record, state.motion, state.unknowns
        found = {"wrench": wrench_residual(record.wrench, motion, state.rows["wrench"], unknowns)}
        for signal, channel in record.motion.items():
            late = unknowns.delays[signal] - state.taken[signal]
            found[signal] = motion_residual(signal, channel, motion, state.rows[signal], unknowns, late)
        return found

    def cost(self, state: State) -> float:
        """A chi-square: misfit and priors."""
        misfit = sum(
            float(np.sum((state.weights[signal][:, None] * residual) ** 2))
            for signal, residual in self.residuals(state).items()
        )
        if not self.measures_velocity:
            misfit += float(np.sum((state.motion.velocity[state.rows["knots"]] / self._speed(state)) ** 2))
            rows = self._still_rows(state)
            accelerations = state.motion.specific_force[rows] + state.motion.gravity_in_sensor[rows]
            misfit += float(np.sum((accelerations / self._still_std(rows)) ** 2))
        return misfit + float(np.sum((state.unknowns.vector(self.at) / state.prior) ** 2))

    def misfit_a_reading(self, cost: float) -> float:
        """Of a chi-square, at least 1: where no load explains the log, gains are measured by what is left, too."""
        readings = sum(len(channel.time) * len(channel.std) for channel in self.record.channels.values())
        return max(1.0, cost / readings)

    def sensor_errors(self, state: State) -> float:
        """A chi-square: how large the sensor errors are next to what sensors have."""
        return float(np.sum((state.unknowns.vector(self.at)[10:] / self.at.prior[10:]) ** 2))

    def _times(self, delays: dict[str, float]) -> dict[str, np.ndarray]:
        return {"wrench": self.record.wrench.time} | {
            signal: channel.time - delays[signal] for signal, channel in self.record.motion.items()
        }

    def _grid(self, times: dict[str, np.ndarray]) -> tuple[np.ndarray, Spline]:
        start, end = min(t[0] for t in times.values()), max(t[-1] for t in times.values())
        spline = Spline.covering(start, end, self.spacing)  # no farther: nothing holds a motion that no sample shows
        knots = spline.start + spline.spacing * np.arange(spline.intervals + 1)
        return np.unique(np.concatenate([*times.values(), knots])), spline

    def _speed(self, state: State) -> float:
        """m/s, at every knot: together they tell as much as one reading a second."""
        knots = state.spline.intervals + 1
        return self.speed * float(np.sqrt(knots / (1.0 + state.spline.intervals * state.spline.spacing)))

    def _still_rows(self, state: State) -> np.ndarray:
        """Knots at which the frame was still."""
        times = state.motion.time[state.rows["knots"]]
        inside = [((times >= a) & (times <= b)) for a, b in self.still]
        return state.rows["knots"][np.any(inside, axis=0)] if inside else np.zeros(0, int)

    def _still_std(self, rows: np.ndarray) -> float:
        """m/s² at each of the rows: together they are as good as one look at every second that was still."""
        seconds = max(1.0, sum(b - a for a, b in self.still))
        return self.tuning.still_acceleration * float(np.sqrt(max(len(rows), 1) / seconds))


def _drift_of(record: WristRecord, tuning: FitTuning) -> Drift | None:
    """Steps of a random walk over the length of a record."""
    if record.drift == 0.0:
        return None
    step = max(tuning.drift_step, (record.end - record.start) / tuning.drift_steps)
    count = max(1, int(np.ceil((record.end - record.start) / step)))
    force = record.drift * float(np.sqrt(step / 60.0))
    return Drift(record.start, step, count, force, tuning.drift_lever * force)


def _rows(grid: np.ndarray, times: dict[str, np.ndarray], spline: Spline) -> dict[str, np.ndarray]:
    """Where the samples of each signal, and the knots, lie in the grid of all times."""
    knots = spline.start + spline.spacing * np.arange(spline.intervals + 1)
    return {name: np.searchsorted(grid, time) for name, time in {**times, "knots": knots}.items()}
