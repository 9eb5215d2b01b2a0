"""Motion, load and sensor errors that explain all readings best: maximum likelihood by Gauss-Newton.

The motion is a spline whose coefficients are unknowns like the others, so no reading is differentiated, errors of every
sensor count where they belong, and each sample is taken at its own time. The covariance of the load follows from the
Schur complement: the motion's own uncertainty is in it.
"""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._noise import density
from steelyard.problems.rigid_body._normal_equations import Solution, solve
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._residuals import (
    Block,
    motion_block,
    motion_residual,
    still_block,
    unaccelerated_block,
    wrench_block,
    wrench_regressor,
    wrench_residual,
)
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._start import (
    first_load,
    first_trajectory,
    knot_spacing,
    mounting_of,
    resampled,
    still_spans,
)
from steelyard.problems.rigid_body._timing import Lag, lag_of
from steelyard.problems.rigid_body._trajectory import Trajectory
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning
from steelyard.problems.rigid_body._unknowns import Layout, Unknowns, layout


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """The likeliest motion, load and sensor errors."""

    record: WristRecord
    unknowns: Unknowns
    at: Layout
    covariance: np.ndarray
    """(size, size), of the unknowns."""
    trajectory: Trajectory
    spacing: float
    """s, between knots."""
    rows: dict[str, np.ndarray]
    """By signal, (n, k, size): derivatives of each reading by the unknowns, once the motion has followed."""
    residuals: dict[str, np.ndarray]
    """By signal, (n, k): expected less measured, in standard deviations."""
    weights: dict[str, np.ndarray]
    """By signal, (n,): 0 for outliers, else 1."""
    excess: dict[str, np.ndarray]
    """By signal, (k,): variance of the misfit over the assumed one, in the band of the motion."""
    converged: bool
    lag: Lag | None
    """Of the accelerometer, over its whole bandwidth; None where it was not looked for or not found."""

    @property
    def load_covariance(self) -> np.ndarray:
        """(10, 10)."""
        return self.covariance[:10, :10]

    def expected_wrench(self, time: np.ndarray) -> np.ndarray:
        """(n, 6): torque and force at other times (s), offsets included."""
        motion, unknowns = self.trajectory, self.unknowns
        parts = (motion.specific_force, motion.angular, motion.angular_acceleration)
        s, omega, alpha = (
            np.stack([np.interp(time, motion.time, part[:, a]) for a in range(3)], axis=1) for part in parts
        )
        offsets = np.concatenate([unknowns.torque_offset, unknowns.force_offset])
        return wrench_regressor(s, omega, alpha) @ unknowns.load + offsets

    def std(self, name: str) -> np.ndarray:
        """Standard deviations of an unknown."""
        return np.sqrt(np.diag(self.covariance)[self.at[name]])


def fit_record(record: WristRecord, tuning: FitTuning = TUNING) -> Fit:
    """The joint fit of everything in a record.

    Where noise was not stated, wrists are taken for rigid up to 10 Hz. The faster part of a motion tells time best, and
    mass worst, for tools flex: the accelerometer's delay is expected where the whole bandwidth shows it.
    """
    if set(record.channels) <= record.stated:
        return _Problem(record, tuning).solved()
    lag = None if record.calibrated else lag_of(record, tuning)
    return _Problem(record.averaged(tuning.least_spacing / tuning.most_samples), tuning, lag).solved()


def excess_of(
    record: WristRecord,
    residuals: dict[str, np.ndarray],
    weights: dict[str, np.ndarray],
    spacing: float,
    tuning: FitTuning = TUNING,
) -> dict[str, np.ndarray]:
    """(k,) by signal: variance of the misfit an axis over the variance that was assumed, in the band of the motion.

    1 where noise was stated and the misfit does not contradict it. A motion signal is judged just above the band, too,
    for the trajectory follows it inside.
    """
    edge, found = 0.5 / spacing, {}
    for signal, channel in record.channels.items():
        used = weights[signal] > 0
        time, residual = channel.time[used], residuals[signal][used]
        own = density(time, residual, 0.0, edge)
        variance, degrees = own.variance, own.degrees
        if signal != "wrench":
            above = density(time, residual, 1.5 * edge, 4.0 * edge)
            variance, degrees = np.maximum(variance, above.variance), above.degrees
        pooled = np.repeat(variance.reshape(-1, 3).mean(axis=1), 3)  # the three axes of a sensor are alike
        if signal in record.stated:
            clear = 1.0 + 4.0 * np.sqrt(2.0 / (3.0 * degrees)) + 0.1
            variance = np.where(pooled > clear, np.maximum(pooled, variance), 1.0)
        else:
            variance = np.maximum(variance, tuning.least_excess)
        found[signal] = variance
    return found


class _Problem:
    """Rounds of Gauss-Newton; between rounds, delays go into the times of the samples."""

    def __init__(self, record: WristRecord, tuning: FitTuning, lag: Lag | None = None) -> None:
        self.record, self.tuning, self.lag = record, tuning, lag
        self.at = layout(tuple(record.motion), record.tared, record.calibrated)
        self.delays, self.speed = dict.fromkeys(record.motion, 0.0), tuning.speed
        if lag is not None:
            self.delays["specific_force"] = lag.value
            self.at.prior[self.at["delay/specific_force"]] = np.hypot(lag.std, tuning.delay_std)
        self.final = False
        self.margin = 0.0 if record.calibrated else tuning.longest_lag
        self.spacing = knot_spacing(record.motion, tuning)
        self.still = still_spans(record.motion, tuning)

    def solved(self) -> Fit:
        """The fit; knots come closer together while the misfit falls by more than the added freedom explains."""
        state = self._converged(self._start(), 1)
        for spacing in self._closer():
            before, self.spacing = self.spacing, spacing
            closer = self._converged(self._resampled(state), 1)
            if self._score(closer) >= self._score(state):
                self.spacing = before
                break
            state = closer
        self.final = True
        return self._result(self._at_its_own_speed(self._converged(state, self.tuning.rounds)))

    def _at_its_own_speed(self, state: "_State") -> "_State":
        """Where no velocity was measured: its prior is twice what the fit finds, looked for until both agree.

        A wrist that sways by 0.2 m/s does not gain 3 m/s on the way. Without this, its mean acceleration is as
        uncertain as 3 m/s over the length of the log, which is several per cent of gravity, and so is the mass. A
        speed that would need larger sensor errors is not assumed.
        """
        if "twist/linear" in self.record.motion:
            return state
        most = self._errors(state) + self.tuning.speed_misfit
        for _ in range(self.tuning.speed_rounds):
            found = float(np.sqrt(np.mean(np.sum(state.motion.velocity[state.rows["knots"]] ** 2, axis=1)) / 3.0))
            speed = float(np.clip(2.0 * found, self.tuning.least_speed, self.tuning.speed))
            if abs(speed - self.speed) < 0.1 * self.speed:
                break
            before, self.speed = self.speed, speed
            slower = self._converged(state, 1)
            if self._errors(slower) > most:
                self.speed = before
                break
            state = slower
        return state

    def _closer(self) -> list[float]:
        """Spacings that are still to be tried."""
        steps = [float(np.median(np.diff(c.time))) for c in (self.record.wrench, *self.record.motion.values())]
        least = self.tuning.samples_a_knot * min(steps)
        if not set(self.record.channels) <= self.record.stated:
            least = max(least, self.tuning.least_spacing)
        return [h for h in self.tuning.spacings if least <= h < self.spacing]

    def _score(self, state: "_State") -> float:
        return self._cost(state) + 2.0 * 6.0 * state.spline.size

    def _converged(self, state: "_State", rounds: int) -> "_State":
        """Rounds of steps; between two rounds, delays go into the times of the samples."""
        for _ in range(rounds):
            state = self._round(dataclasses.replace(state, prior=self._prior(state.unknowns)))
            late = max(abs(state.unknowns.delays[s] - state.taken[s]) for s in state.taken)
            if late < self.tuning.same_time:
                break
            if max(map(abs, state.unknowns.delays.values())) > self.tuning.longest_lag:
                break  # a model that does not fit moves the delays about: they do not go into the times
            state = self._resampled(state)
        return state

    def _prior(self, unknowns: Unknowns) -> np.ndarray:
        """Standard deviations; moments that the motion does not determine are those of a load of moderate size."""
        m = max(float(unknowns.load[0]), self.tuning.least_mass)
        reach = min(float(np.linalg.norm(unknowns.load[1:4])) / m, self.tuning.longest_arm) + self.tuning.load_size
        prior = self.at.prior.copy()
        prior[self.at["moments"]] = 3.0 * m * reach**2
        if not self.final:  # wide knots do not follow the motion, and wrong sensor errors would take the blame
            for name in ("lever", "accelerometer_scale", *(f"delay/{signal}" for signal in self.record.motion)):
                if name in self.at:
                    prior[self.at[name]] *= self.tuning.held_errors
        return prior

    def _times(self, delays: dict[str, float]) -> dict[str, np.ndarray]:
        return {"wrench": self.record.wrench.time} | {
            signal: channel.time - delays[signal] for signal, channel in self.record.motion.items()
        }

    def _grid(self, times: dict[str, np.ndarray]) -> tuple[np.ndarray, Spline]:
        recorded, margin = [c.time for c in self.record.channels.values()], self.margin
        start, end = min(t[0] for t in recorded) - margin, max(t[-1] for t in recorded) + margin
        spline = Spline.covering(start, end, self.spacing)  # the same knots whatever the delays
        knots = spline.start + spline.spacing * np.arange(spline.intervals + 1)
        return np.unique(np.concatenate([*times.values(), knots])), spline

    def _start(self) -> "_State":
        record = self.record
        delays = dict(self.delays)
        times = self._times(delays)
        grid, spline = self._grid(times)
        motion = first_trajectory(grid, record.motion, record.wrench, record.gravity, self.spacing)
        rows = _rows(grid, times, spline)
        mounting = np.eye(3)
        specific_force = motion.specific_force[rows["wrench"]]
        if "specific_force" in record.motion:
            channel = record.motion["specific_force"]
            if "attitude" in record.motion:
                turned = mounting_of(channel.value, motion.specific_force[rows["specific_force"]])
                mounting = np.eye(3) if turned is None else turned
            smooth = Spline.covering(channel.time[0], channel.time[-1], self.spacing)
            wrench_time = np.clip(record.wrench.time, channel.time[0], channel.time[-1])
            specific_force = smooth.evaluate(smooth.fit(channel.time, channel.value), wrench_time) @ mounting
        load, offsets = first_load(motion, rows["wrench"], record.wrench, specific_force, record.tared)
        unknowns = Unknowns.start(load, mounting, delays)
        unknowns = dataclasses.replace(unknowns, torque_offset=offsets[:3], force_offset=offsets[3:])
        weights = {signal: np.ones(len(time)) for signal, time in times.items()}
        return _State(motion, spline, rows, unknowns, delays, weights, self.at.prior, False)

    def _resampled(self, state: "_State") -> "_State":
        longest = self.tuning.longest_lag
        taken = {signal: float(np.clip(delay, -longest, longest)) for signal, delay in state.unknowns.delays.items()}
        times = self._times(taken)
        grid, spline = self._grid(times)
        motion = resampled(state.motion, grid, spline)
        return dataclasses.replace(state, motion=motion, spline=spline, rows=_rows(grid, times, spline), taken=taken)

    def _speed(self, state: "_State") -> float:
        knots = state.spline.intervals + 1
        return self.speed * float(np.sqrt(knots / (1.0 + state.spline.intervals * state.spline.spacing)))

    def _blocks(self, state: "_State") -> tuple[list[Block], list[np.ndarray]]:
        record, motion, spline, unknowns = self.record, state.motion, state.spline, state.unknowns
        blocks = [wrench_block(record.wrench, motion, state.rows["wrench"], spline, unknowns, self.at)]
        for signal, channel in record.motion.items():
            late = unknowns.delays[signal] - state.taken[signal]
            blocks.append(motion_block(signal, channel, motion, state.rows[signal], spline, unknowns, self.at, late))
        weights = [state.weights[signal] for signal in ("wrench", *record.motion)]
        if "twist/linear" not in record.motion:
            rows = state.rows["knots"]
            blocks.append(still_block(motion, rows, spline, self._speed(state), self.at))
            still = self._still_rows(state)
            blocks.append(unaccelerated_block(motion, still, spline, self._still_std(still), self.at))
            weights += [np.ones(len(rows)), np.ones(len(still))]
        return blocks, weights

    def _still_rows(self, state: "_State") -> np.ndarray:
        """Knots at which the frame was still."""
        times = state.motion.time[state.rows["knots"]]
        inside = [((times >= a) & (times <= b)) for a, b in self.still]
        return state.rows["knots"][np.any(inside, axis=0)] if inside else np.zeros(0, int)

    def _still_std(self, rows: np.ndarray) -> float:
        """m/s² at each of the rows: together they are as good as one look at every second that was still."""
        seconds = max(1.0, sum(b - a for a, b in self.still))
        return self.tuning.still_acceleration * float(np.sqrt(max(len(rows), 1) / seconds))

    def _residuals(self, state: "_State") -> dict[str, np.ndarray]:
        record, motion, unknowns = self.record, state.motion, state.unknowns
        found = {"wrench": wrench_residual(record.wrench, motion, state.rows["wrench"], unknowns)}
        for signal, channel in record.motion.items():
            late = unknowns.delays[signal] - state.taken[signal]
            found[signal] = motion_residual(signal, channel, motion, state.rows[signal], unknowns, late)
        return found

    def _errors(self, state: "_State") -> float:
        """A chi-square: how large the sensor errors are next to what sensors have."""
        return float(np.sum((state.unknowns.vector(self.at)[10:] / self.at.prior[10:]) ** 2))

    def _cost(self, state: "_State") -> float:
        misfit = sum(
            float(np.sum((state.weights[signal][:, None] * residual) ** 2))
            for signal, residual in self._residuals(state).items()
        )
        if "twist/linear" not in self.record.motion:
            misfit += float(np.sum((state.motion.velocity[state.rows["knots"]] / self._speed(state)) ** 2))
            rows = self._still_rows(state)
            accelerations = (state.motion.specific_force + state.motion.gravity_in_sensor)[rows]
            misfit += float(np.sum((accelerations / self._still_std(rows)) ** 2))
        return misfit + float(np.sum((state.unknowns.vector(self.at) / state.prior) ** 2))

    def _round(self, state: "_State") -> "_State":
        """Steps at fixed times until they are small."""
        for step in range(self.tuning.steps):
            blocks, weights = self._blocks(state)
            solution = solve(blocks, weights, state.spline, state.prior, state.unknowns.vector(self.at))
            before, state = self._cost(state), self._stepped(state, solution)
            gained = before - self._cost(state)
            state = dataclasses.replace(state, converged=gained < self.tuning.least_gain)
            if step == 1 or (step > 1 and state.converged):
                gated = self._gated(state)
                same = all(np.array_equal(gated[s], state.weights[s]) for s in gated)
                state = dataclasses.replace(state, weights=gated)
                if state.converged and (same or step > 3):
                    return state
            state = dataclasses.replace(state, converged=gained < self.tuning.settled_gain)
        return state

    def _stepped(self, state: "_State", solution: Solution) -> "_State":
        """The step, halved while it makes the misfit larger."""
        cost, share = self._cost(state), 1.0
        for _ in range(12):
            candidate = dataclasses.replace(
                state,
                motion=state.motion.corrected(state.spline, share * solution.motion),
                unknowns=state.unknowns.moved(self.at, share * solution.unknowns),
            )
            if self._cost(candidate) <= cost * (1.0 + 1e-6) + 1e-3:
                return candidate
            share *= 0.5
        return state

    def _gated(self, state: "_State") -> dict[str, np.ndarray]:
        found = {}
        for signal, residual in self._residuals(state).items():
            distance = np.max(np.abs(residual), axis=1)
            outlier = distance > self.tuning.gate * max(1.0, float(np.median(distance)))
            if outlier.mean() > self.tuning.most_gated:  # the model is wrong there, not the samples: a change, perhaps
                outlier[:] = False
            found[signal] = np.where(outlier, 0.0, 1.0)
        return found

    def _result(self, state: "_State") -> Fit:
        blocks, weights = self._blocks(state)
        solution = solve(blocks, weights, state.spline, state.prior, state.unknowns.vector(self.at))
        residuals = self._residuals(state)
        excess = excess_of(self.record, residuals, state.weights, self.spacing, self.tuning)
        ratios = [*excess.values(), *[np.ones(3)] * (len(blocks) - len(excess))]
        covariance = solution.covariance(blocks, weights, ratios, state.prior)
        return Fit(
            self.record,
            state.unknowns,
            self.at,
            covariance,
            state.motion,
            self.spacing,
            dict(zip(residuals, solution.effective(blocks), strict=False)),
            residuals,
            state.weights,
            excess,
            state.converged,
            self.lag,
        )


@dataclasses.dataclass(frozen=True, eq=False)
class _State:
    motion: Trajectory
    spline: Spline
    rows: dict[str, np.ndarray]
    unknowns: Unknowns
    taken: dict[str, float]
    """s, by signal: the part of its delay that is in the times of its rows."""
    weights: dict[str, np.ndarray]
    prior: np.ndarray
    """(size,): standard deviations of the unknowns beforehand."""
    converged: bool


def _rows(grid: np.ndarray, times: dict[str, np.ndarray], spline: Spline) -> dict[str, np.ndarray]:
    """Where the samples of each signal, and the knots, lie in the grid of all times."""
    knots = spline.start + spline.spacing * np.arange(spline.intervals + 1)
    return {name: np.searchsorted(grid, time) for name, time in {**times, "knots": knots}.items()}
