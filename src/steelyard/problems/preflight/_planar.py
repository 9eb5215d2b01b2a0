"""Signals of a planar team against each other: whose velocity or force does not belong to one rigid load.

With velocities as complex numbers, those of contacts on one rigid load differ by complex multiples of one signal,
D = i omega exp(i theta): v_i = v + rho_i D. So (1) velocities about their mean have rank one, and (2) the impulse of
all forces is m v + kappa D + constant, by least squares over m, kappa and a constant for each span without a gap; with
friction, its coefficient times the distance too.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from steelyard.logs import Log
from steelyard.problems.preflight._finding import PreflightFinding
from steelyard.problems.preflight._readings import averages
from steelyard.problems.preflight._tuning import TUNING

Change = Callable[[np.ndarray], np.ndarray]
"""Of a complex signal (n,)."""


@dataclasses.dataclass(frozen=True)
class PlanarReading:
    """Another way to read one robot's velocity or force."""

    code: str
    sentence: str
    remedy: str
    signal: str
    change: Change
    late: float = 0.0
    parameters: int = 0
    """Numbers that were fitted for it."""


def planar_findings(log: Log, robots: tuple[str, ...], friction: bool) -> list[PreflightFinding]:
    """The best reading of the robots' signals, where it is not the log's own."""
    axes = ("x", "y")
    robots = tuple(r for r in robots if log.has(r, "velocity", axes) and log.has(r, "force", axes))
    time = np.asarray(log.time) - log.time[0]
    h = max(TUNING.block, 5.0 * float(np.median(np.diff(time)))) if len(time) > 100 else np.inf
    count = int(time[-1] / h)
    if len(robots) < 2 or count < 60:
        return []

    def blocks(robot: str, signal: str, late: float = 0.0) -> np.ndarray:
        values = averages(time - late, log.signal(robot, signal, axes), h, count)
        return values[:, 0] + 1j * values[:, 1]

    if (dead := _dead_velocity(log, robots)) is not None:
        return [dead]
    team = {signal: np.stack([blocks(robot, signal) for robot in robots]) for signal in ("velocity", "force")}
    if (unit := _other_unit(robots, team["velocity"])) is not None:
        return [unit]
    own = PlanarFit.of(team["velocity"], team["force"], h, friction)
    if own is None:
        return []
    best: tuple[float, str, PlanarReading | None] = (TUNING.decisive, robots[0], None)
    rubs = None if friction else PlanarFit.of(team["velocity"], team["force"], h, True)
    if rubs is not None and rubs.friction > 0.0:
        best = (max(TUNING.decisive, rubs.gain_over(own) - 8.0), robots[0], None)
    for k, robot in enumerate(robots):
        for reading in _readings(robot, k, team, own, h):
            signals = dict(team)
            values = blocks(robot, reading.signal, reading.late) if reading.late else team[reading.signal][k]
            signals[reading.signal] = team[reading.signal].copy()
            signals[reading.signal][k] = reading.change(values)
            fit = PlanarFit.of(signals["velocity"], signals["force"], h, friction)
            gain = -np.inf if fit is None else fit.gain_over(own) - 8.0 * reading.parameters
            if gain > best[0]:
                best = (gain, robot, reading)
    gain, robot, chosen = best
    changed = _with_change(team, own, h, friction)
    if changed is not None and changed.gain_over(own) > max(gain, TUNING.decisive):
        return _unexplained(changed, robots)  # the load changed: the team tells that by itself
    if chosen is None and rubs is not None and gain > TUNING.decisive:
        sentence = f"The load rubs on the plane, by about {rubs.friction:.2g} N s/m: the forces explain the motion so"
        evidence = f"{sentence} (twice the log-likelihood is {gain:.0f} better)."
        return [PreflightFinding("friction", evidence, "State [load] friction = true.")]
    if chosen is None:
        return _unexplained(own, robots)
    sentence = f"{chosen.sentence} (twice the log-likelihood is {gain:.0f} better)."
    return [PreflightFinding(chosen.code, sentence, chosen.remedy, robot, _mend(robot, chosen))]


def _dead_velocity(log: Log, robots: tuple[str, ...]) -> PreflightFinding | None:
    """An axis of one robot's velocity that stands at one value while those of others move: it was not recorded."""
    for k, axis in enumerate("xy"):
        values = (log.signal(robot, "velocity", "xy")[:, k] for robot in robots)
        heard = [v[np.isfinite(v)] for v in values]
        spans = np.array([np.ptp(v) if len(v) else np.nan for v in heard])  # one without a sample is another matter
        if (spans == 0.0).any() and (spans > 0.0).any():
            robot = robots[int(np.nanargmin(spans))]
            sentence = f"{robot}/velocity/{axis} stands at one value throughout, while other robots' velocities change."
            return PreflightFinding("stuck", sentence, "It was not recorded: look at the sensor's connection.", robot)
    return None


def _with_change(team: dict[str, np.ndarray], own: "PlanarFit", h: float, friction: bool) -> "PlanarFit | None":
    """The best fit of a load that becomes another at some block."""
    count = team["velocity"].shape[1]
    at = range(10, count - 9, max(count // 100, 1))
    fits = [PlanarFit.of(team["velocity"], team["force"], h, friction, change) for change in at]
    return max((fit for fit in fits if fit is not None), key=lambda fit: fit.gain_over(own), default=None)


def _mend(robot: str, reading: PlanarReading) -> Callable[[Log], Log]:
    def mend(log: Log) -> Log:
        names = [f"{robot}/{reading.signal}/{axis}" for axis in "xy"]
        values = log.columns[names[0]] + 1j * log.columns[names[1]]
        if reading.late:
            values = np.interp(log.time + reading.late, log.time, values)
        values = reading.change(values)
        columns = dict(zip(names, (np.real(values), np.imag(values)), strict=True))
        return Log(log.time, dict(log.columns) | columns, log.origin, log.metadata)

    return mend


@dataclasses.dataclass(frozen=True, eq=False)
class PlanarFit:
    """How well the signals of a team explain each other."""

    squares: tuple[float, float]
    numbers: tuple[int, int]
    mass: float
    mass_std: float
    misfit: np.ndarray
    """(robot,): how far each robot's velocity is off, in the noise of its own blocks."""
    friction: float
    """N s/m, where it is estimated."""
    impulse_ratio: float
    """How far the impulse is off, in what the velocities' noise explains."""

    def gain_over(self, other: "PlanarFit") -> float:
        """Twice the log-likelihood by which this reading is better; 0 where no comparison is clearly better."""
        gain, clear = 0.0, False
        for a, b, n in zip(self.squares, other.squares, self.numbers, strict=True):
            if n >= 60:
                gain += 0.5 * n * float(np.log(b / a))
                clear |= a < TUNING.improved * b
        if self.mass <= 0.0:
            return -np.inf
        return gain if clear or other.mass <= 0.0 else 0.0

    @staticmethod
    def of(
        velocity: np.ndarray, force: np.ndarray, h: float, friction: bool, change: int | None = None
    ) -> "PlanarFit | None":
        """From complex blocks (robot, n); None where there are too few."""
        good = np.asarray(np.isfinite(velocity).all(0) & np.isfinite(force).all(0))
        if good.sum() < 60:
            return None
        v, f = velocity[:, good], force[:, good]
        # The blocks' own noise, from differences of second order, in which motion hardly shows.
        noise = np.array([np.median(np.abs(np.diff(one, 2))) / (np.sqrt(6.0) * 1.1774) for one in v]) + 1e-9
        mean = v.mean(axis=0)
        centred = v - mean
        U, S, Vh = np.linalg.svd(centred, full_matrices=False)
        D = Vh[0]
        off = centred - S[0] * np.outer(U[:, 0], D)
        floor = 1e-6 + 1e-3 * float(np.sqrt(np.mean(np.abs(v) ** 2)))
        impulse, constants = _impulse(f.sum(axis=0), good, h)
        rubbed = [_impulse(mean, good, h)[0]] if friction else []
        load = [mean, D, 1j * D]
        if change is not None:
            after = np.flatnonzero(good) >= change
            load = [part * side for side in (~after, after) for part in load]
            constants = [*constants, 1.0 * after, 1j * after]
        A = np.stack([rows(c) for c in (*load, *constants, *rubbed)], axis=1)
        y = rows(impulse)
        cov = np.linalg.pinv(A.T @ A)
        theta = cov @ (A.T @ y)
        left = y - A @ theta
        sigma = float(np.sqrt(np.mean(left**2)))
        n = v.shape[1]
        expected = abs(theta[0]) * float(np.sqrt(np.mean(noise**2) / 2.0)) + 1e-9
        # Relative to the impulse's own size: a reading that only shrinks a force must not look better.
        size = float(np.std(y)) + 1e-9
        squares = (
            float(np.sum(np.abs(off) ** 2)) / max(float(np.mean(np.abs(v) ** 2)), 1e-30) + off.size * 1e-6,
            float(np.sum(left**2)) / size**2 + y.size * 1e-6,
        )
        numbers = (2 * max(v.shape[0] - 2, 0) * n, 2 * n)
        misfit = np.sqrt(np.mean(np.abs(off) ** 2, axis=1)) / np.hypot(noise, floor)
        return PlanarFit(
            squares,
            numbers,
            float(theta[0]),
            sigma * float(np.sqrt(cov[0, 0])),
            misfit,
            float(theta[-1]) if friction else 0.0,
            sigma / expected,
        )


def rows(z: np.ndarray) -> np.ndarray:
    """Real parts, then imaginary ones."""
    return np.concatenate([np.real(z), np.imag(z)])


def _impulse(force: np.ndarray, good: np.ndarray, h: float) -> tuple[np.ndarray, list[np.ndarray]]:
    """The integral (m,) of what is there at the good ones of n blocks, and its constants, two for each span."""
    at = np.flatnonzero(good)
    fresh = np.concatenate([[True], np.diff(at) > 1])
    steps = np.where(fresh[1:], 0.0, 0.5 * h * (force[1:] + force[:-1]))
    span = np.cumsum(fresh) - 1
    constants = [phase * (span == k) for k in range(span[-1] + 1) for phase in (1.0, 1j)]
    return np.concatenate([[0.0], np.cumsum(steps)]), constants


def _readings(robot: str, k: int, team: dict[str, np.ndarray], own: PlanarFit, h: float) -> list[PlanarReading]:
    readings = []
    for signal, unit in (("velocity", "m/s"), ("force", "N")):
        who, values = f"{robot}/{signal}", team[signal][k]

        def add(
            code: str, what: str, remedy: str, change: Change, late=0.0, parameters=0, signal=signal, who=who
        ) -> None:
            sentence = f"{who} fits the other robots {what}"
            readings.append(PlanarReading(f"{signal}-{code}", sentence, remedy, signal, change, late, parameters))

        add("sign", "with the opposite sign", 'State axes = ["-x", "-y"] for it.', lambda z: -z)
        add("axes", "with x and y exchanged", 'State axes = ["y", "x"] for it.', lambda z: 1j * np.conj(z))
        for late in TUNING.delays:
            add(
                "late", f"best if it is {1000 * late:.0f} ms late", f"State delay = {late:g} for it.", lambda z: z, late
            )
        a = _multiplier(signal, k, team, h)
        if a is not None and abs(a) > 0 and (abs(abs(a) - 1.0) > 0.05 or abs(np.angle(a)) > 0.05):
            what = (
                f"scaled by {abs(a):.3g}"
                if abs(np.angle(a)) < 0.05
                else (f"turned by {np.degrees(np.angle(a)):.0f}° and scaled by {abs(a):.3g}")
            )
            add(
                "scale",
                what,
                f"Look at its unit ({unit} is ours), its calibration and its axes.",
                lambda z, a=a: a * z,
                0.0,
                2,
            )
        mean = complex(np.mean(values[np.isfinite(values)])) if np.isfinite(values).any() else 0j
        offset = mean if signal == "force" else _velocity_offset(k, team["velocity"])
        add(
            "offset",
            f"better without an offset of {abs(offset):.2g} {unit}",
            "Tare the sensor.",
            lambda z, offset=offset: z - offset,
            0.0,
            2,
        )
    return readings


def _other_unit(robots: tuple[str, ...], velocity: np.ndarray) -> PreflightFinding | None:
    """One robot whose velocities are of another size than all others': points of one load move about as fast."""
    sizes = np.sqrt(np.nanmean(np.abs(velocity) ** 2, axis=1))
    for k, robot in enumerate(robots):
        others = float(np.median(np.delete(sizes, k)))
        if others > 0.0 and sizes[k] > TUNING.other_unit * others:
            sentence = f"{robot}/velocity is {sizes[k] / others:.2g} times as large as the other robots'."
            return PreflightFinding("velocity-unit", sentence, "Look at its unit (m/s is ours).", robot)
    return None


def _velocity_offset(k: int, velocity: np.ndarray) -> complex:
    """The constant by which one robot's velocity differs from those of points of one load, as the others have them."""
    v = velocity[:, np.asarray(np.isfinite(velocity).all(0))]
    others = np.arange(len(v)) != k
    if v.shape[1] < 60 or others.sum() < 2:
        return 0j
    mean = v[others].mean(axis=0)
    D = np.linalg.svd(v[others] - mean, full_matrices=False)[2][0]
    A, y = np.stack([rows(c) for c in (D, 1j * D, np.ones(len(D)), 1j * np.ones(len(D)))], axis=1), rows(v[k] - mean)
    x = np.linalg.lstsq(A, y, rcond=None)[0]
    return complex(x[2], x[3])


def _multiplier(signal: str, k: int, team: dict[str, np.ndarray], h: float) -> complex | None:
    """The complex number by which one robot's signal fits the others best."""
    v, f = team["velocity"], team["force"]
    good = np.asarray(np.isfinite(v).all(0) & np.isfinite(f).all(0))
    v, f = v[:, good], f[:, good]
    others = np.arange(len(v)) != k
    if good.sum() < 60 or (signal == "velocity" and others.sum() < 2):
        return None
    mean = v[others].mean(axis=0) if signal == "velocity" else v.mean(axis=0)
    centred = (v[others] if signal == "velocity" else v) - mean
    D = np.linalg.svd(centred, full_matrices=False)[2][0]
    if signal == "velocity":  # a v_k = mean + rho D: a healthy robot has a = 1
        x = np.linalg.lstsq(np.stack([mean, D, np.ones(len(D))], axis=1), v[k], rcond=None)[0]
        return None if abs(x[0]) < 1e-6 else complex(1.0 / x[0])
    own, constants = _impulse(f[k], good, h)
    A = np.stack([rows(c) for c in (-own, -1j * own, mean, D, 1j * D, *constants)], axis=1)
    x = np.linalg.lstsq(A, rows(_impulse(f[others].sum(axis=0), good, h)[0]), rcond=None)[0]
    return complex(x[0], x[1])


def _unexplained(own: PlanarFit, robots: tuple[str, ...]) -> list[PreflightFinding]:
    """Hints where something is off and no single reading mends it."""
    worst = int(np.argmax(own.misfit))
    if own.misfit[worst] > TUNING.planar_misfit and len(robots) > 2:
        sentence = (
            f"{robots[worst]}/velocity is {own.misfit[worst]:.2g} times as far from one rigid load as its noise allows."
        )
        return [
            PreflightFinding("not-rigid", sentence, "Look at its sensor and its clock.", robots[worst], kind="hint")
        ]
    if own.impulse_ratio > TUNING.planar_misfit:
        off = f"their impulse is {own.impulse_ratio:.2g} times as far off as noise allows"
        sentence = f"The forces do not explain the motion: {off}."
        remedy = (
            "If the load rubs on the plane, state [load] friction = true; else look for a force that nobody recorded."
        )
        return [PreflightFinding("impulse", sentence, remedy, robots[worst], kind="hint")]
    return []
