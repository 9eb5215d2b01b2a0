"""Errors of a team's sensors that its filter takes for nothing: offsets, scales and lever arms, with what they do.

The equations of motion of the load and the rigidity of the team are written for averaged readings, at the estimate:
(1) the forces of all are m s + K m c, (2) their torques about the first robot's origin are m c x s + I alpha +
omega x I omega, K being [alpha]x + [omega]x[omega]x; (3-5) all angular velocities, accelerations and velocities belong
to one rigid body; (6) gravity, s - dv/dt - omega x v, turns as the rates say and (7) has its own size. What is left, e,
is explained by the estimate's own error x and by sensor errors b, e = X x + B b + noise, b having a prior.

Generalised least squares gives b and its covariance S_b. Where b is left out, as in the filter, x moves by about D b,
D = (X'WX)^-1 X'WB. So for offsets the filter's covariance grows by D S_b D', and a shift D b of more than two of these
deviations counts too. Scales, delays and lever arms count once they are seen. An error that is certain is a reason
against the answer. So are such errors of one robot, or of all, that are certain together: with the robot's pose free,
a wrong scale of its torques and an inertial sensor away from its force sensor leave nearly the same, and neither is
certain alone.
"""

import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np

from steelyard.estimators import Estimate, Reason
from steelyard.problems.spatial_load._averages import Averages
from steelyard.problems.spatial_load._reading import SpatialRecord
from steelyard.problems.spatial_load._tuning import ERRORS, TUNING
from steelyard.team import LinearisationPoint, SpatialState, load_in_frame, pose_in_frame

_UNITS = {
    "force_offset": ("wrench/force", "an offset of {:.2g} N"),
    "torque_offset": ("wrench/torque", "an offset of {:.2g} N m"),
    "force_scale": ("wrench/force", "a scale that is {:.3g} times as large"),
    "torque_scale": ("wrench/torque", "a scale that is {:.3g} times as large"),
    "accelerometer_bias": ("specific_force", "an offset of {:.2g} m/s²"),
    "accelerometer_scale": ("specific_force", "a scale that is {:.3g} times as large"),
    "wrench_delay": ("wrench", "a delay of {:.2g} s"),
    "gyro_bias": ("twist/angular", "an offset of {:.2g} rad/s"),
    "velocity_bias": ("twist/linear", "an offset of {:.2g} m/s"),
    "lever": ("specific_force", "an inertial sensor that is {:.2g} m away from the force sensor"),
}
_SIZE = {name: 1 if name.endswith(("scale", "delay")) else 3 for name in _UNITS}
_Label = tuple[int, str]
"""Robot and error."""
_ALL: _Label = (-1, "wrench_offsets")
"""The offsets of all wrenches together: on one rigid body their sum is told better than whose they are."""
_TOGETHER = "calibration"
"""All errors of a robot, or of all robots (-1), that are no offsets: the filter's covariance takes them for none."""


@dataclasses.dataclass(frozen=True, eq=False)
class SensorErrorFit:
    """Sensor errors as the rows show them, and what they do to the estimate."""

    point: LinearisationPoint
    labels: tuple[_Label, ...]
    """Of every element of `value`."""
    value: np.ndarray
    covariance: np.ndarray
    prior: np.ndarray
    """Standard deviations before the rows."""
    shift: np.ndarray
    """(coordinate of the point, error): D."""

    def widened(self, robots: dict[str, dict[str, Estimate]]) -> dict[str, dict[str, Estimate]]:
        """Estimates whose covariances count what sensor errors may have done."""
        names = list(robots)
        out = {}
        for i, (name, estimates) in enumerate(robots.items()):
            J = load_in_frame(self.point, i)[1]
            parts = {"mass": J[:1], "com": J[1:4], "inertia": J[4:]}
            parts |= {f"pose/{other}": pose_in_frame(self.point, i, j)[1] for j, other in enumerate(names) if j != i}
            out[name] = {what: self._wider(one, parts.get(what)) for what, one in estimates.items()}
        return out

    def _wider(self, one: Estimate, J: np.ndarray | None) -> Estimate:
        if J is None or one.covariance is None:
            return one
        by, offsets = J @ self.shift, np.array([_is_offset(label) for label in self.labels])
        added = by[:, offsets] @ self.covariance[np.ix_(offsets, offsets)] @ by[:, offsets].T
        shift = by[:, offsets] @ self.value[offsets]
        covariance = one.covariance + added
        if np.any(shift**2 > TUNING.shift_counts**2 * np.diag(added)):
            covariance = covariance + np.outer(shift, shift)
        for label in self._counting():
            at = self._at(label)
            covariance = covariance + np.diag((by[:, at] @ self.value[at]) ** 2)
        return dataclasses.replace(one, covariance=covariance)

    def _counting(self) -> list[_Label]:
        """Errors that are no offsets and are seen; those of a robot, or of all, together where none is seen alone."""
        alone = [label for label in dict.fromkeys(self.labels) if not _is_offset(label)]
        for labels in (alone, self._robots_together, [(-1, _TOGETHER)]):
            if seen := [label for label in labels if self._deviations(label) > TUNING.error_counts]:
                return seen
        return []

    @property
    def _robots_together(self) -> list[_Label]:
        return [(robot, _TOGETHER) for robot in range(self.point.robots)]

    def reasons(self, robots: dict[str, dict[str, Estimate]], names: tuple[str, ...]) -> tuple[Reason, ...]:
        """The most certain error, where it moves an answer by more than its deviation; one alone before several."""
        for labels in ((*dict.fromkeys(self.labels), _ALL), self._robots_together, ((-1, _TOGETHER),)):
            certain = {label: self._deviations(label) for label in labels}
            certain = {
                label: deviations
                for label, deviations in certain.items()
                if deviations >= TUNING.error_certain and self._moved(robots, label) > TUNING.error_moves
            }
            if certain:
                worst = max(certain, key=lambda label: certain[label])
                return (Reason("sensor-error", self._sentence(worst, certain[worst], names)),)
        return ()

    def _sentence(self, worst: _Label, deviations: float, names: tuple[str, ...]) -> str:
        if worst == _ALL:
            return (
                f"The wrenches do not fit the load: offsets of forces or torques would explain them "
                f"({deviations:.0f} deviations), and they are not in the model. Tare the sensors."
            )
        robot, error = worst
        if error == _TOGETHER:
            who = "The robots' sensors do not fit the load"
            if robot >= 0:
                of = names[robot]
                who = f"{of}/wrench or {of}/specific_force does not fit the load and the other robots"
            return (
                f"{who}: scales of forces, torques or accelerations, a delay, or an inertial sensor away from its "
                f"force sensor would explain it ({deviations:.0f} deviations; this motion does not tell which), and "
                "those are not in the model. Calibrate the sensors, and put inertial sensors beside force sensors."
            )
        signal, what = _UNITS[error]
        size = float(np.linalg.norm(self.value[self._at(worst)]))
        size = 1.0 + float(self.value[self._at(worst)][0]) if error.endswith("scale") else size
        return (
            f"{names[robot]}/{signal} does not fit the load and the other robots: {what.format(size)} would explain it "
            f"({deviations:.0f} deviations), and that is not in the model. Tare and calibrate it."
        )

    def _at(self, label: _Label) -> np.ndarray:
        robot, error = label
        if label == _ALL:
            found = [name in ("force_offset", "torque_offset") for _, name in self.labels]
        elif error == _TOGETHER:
            found = [robot in (-1, one[0]) and not _is_offset(one) for one in self.labels]
        else:
            found = [one == label for one in self.labels]
        return np.flatnonzero(found)

    def _deviations(self, label: _Label) -> float:
        """How far an error is from nothing, as one normal number would be; 0 where all sensors have as much.

        Of several errors together, the size is that along the directions that the rows show: along the others is noise.
        """
        at = self._at(label)
        b, prior = self.value[at] / self.prior[at], self.prior[at]
        variances, axes = np.linalg.eigh(self.covariance[np.ix_(at, at)] / np.outer(prior, prior))
        along = axes.T @ b
        seen = along**2 > TUNING.error_counts**2 * variances
        size = np.linalg.norm(along[seen]) if label[1] == _TOGETHER else np.max(np.abs(b), initial=0.0)
        if size < TUNING.error_matters:
            return 0.0
        return float(np.sqrt(max(np.sum(along**2 / variances) - (len(at) - 1), 0.0)))

    def _moved(self, robots: dict[str, dict[str, Estimate]], label: _Label) -> float:
        """By how many stated deviations an error moves the load's numbers, at most."""
        at, most = self._at(label), 0.0
        for i, estimates in enumerate(robots.values()):
            J = load_in_frame(self.point, i)[1]
            for what, part in (("mass", J[:1]), ("com", J[1:4]), ("inertia", J[4:])):
                covariance = estimates[what].covariance if what in estimates else None
                if covariance is not None:
                    by = np.abs(part @ self.shift[:, at] @ self.value[at])
                    most = max(most, float(np.max(by / np.sqrt(np.maximum(np.diag(covariance), 1e-300)))))
        return most


def sensor_error_fit(
    record: SpatialRecord, state: SpatialState, tared: bool, calibrated: bool, whole: bool = False
) -> SensorErrorFit | None:
    """From the rows of the load as it is now, or of the `whole` log; None where they are too few or too noisy."""
    filter_pass = state.estimator.filter_pass
    if filter_pass is None or not filter_pass.converged or (tared and calibrated):
        return None
    smooth = Averages.of(record, 0 if whole else filter_pass.start)
    if smooth is None:
        return None
    point = filter_pass.estimate
    labels = [(i, name) for i in range(point.robots) for name in _errors_of(record, i, tared, calibrated)]
    prior = np.array([getattr(ERRORS, name) for _, name in labels])
    zero = np.zeros(len(labels))
    gravity = float(np.linalg.norm(record.gravity))
    if smooth.acceleration_noise(point, record.noise) > TUNING.error_noise * gravity:
        return None  # to first order in the noise only, as all of this is, nothing would be right

    def misfit(step: np.ndarray, b: np.ndarray) -> np.ndarray:
        return smooth.misfit(point.retract(step), labels, b, gravity)

    none = np.zeros(point.size)
    e = misfit(none, zero)
    X = np.zeros((*e.shape, point.size))
    determined = np.r_[0:10, 13 : point.size]  # the vertical at the first row is in none of these equations
    X[..., determined] = _columns(lambda x: misfit(x, zero), none, e, np.full(point.size, 1e-5), determined)
    B = _columns(lambda b: misfit(none, b), zero, e, 1e-3 * prior, np.arange(len(zero)))
    return _solved(point, tuple(labels), e, X, B, prior, smooth, record.noise)


def _errors_of(record: SpatialRecord, robot: int, tared: bool, calibrated: bool) -> Iterator[str]:
    """Every element of the errors that a robot's sensors may have; the scale of all forces together is not told."""
    heard = np.asarray(np.isfinite(record.readings[:, robot]).any(axis=0))
    for name, (signal, _) in _UNITS.items():
        wrench = signal.startswith("wrench")
        if (tared and name.endswith("offset")) or (calibrated and not wrench) or getattr(ERRORS, name) <= 0.0:
            continue
        if (name == "velocity_bias" and not heard[3]) or (signal == "specific_force" and not heard[6]):
            continue
        yield from [name] * _SIZE[name]


def _is_offset(label: _Label) -> bool:
    """Whether the deviations count it in any case."""
    return label[1].endswith(("offset", "bias"))


def _columns(function, at: np.ndarray, e: np.ndarray, steps: np.ndarray, which: np.ndarray) -> np.ndarray:
    """(-d function / d element): what one unit of each of these elements takes off the misfit, columns last."""
    columns = [(e - function(at + steps[k] * np.eye(len(at))[k])) / steps[k] for k in which]
    return np.stack(columns, axis=-1)


def _solved(
    point: LinearisationPoint,
    labels: tuple[tuple[int, str], ...],
    e: np.ndarray,
    X: np.ndarray,
    B: np.ndarray,
    prior: np.ndarray,
    smooth: Averages,
    noise: Mapping[str, float],
) -> SensorErrorFit | None:
    """Generalised least squares over (span, equation), with the covariance that the readings' noise makes.

    Where more is left of a kind of equation than that, its covariance is larger by as much.
    """
    A = np.concatenate([X, B], axis=2)
    good = np.flatnonzero(np.isfinite(e).all(axis=1) & np.isfinite(A).all(axis=(1, 2)))
    e, A = e[good], A[good]
    if len(e) < TUNING.error_blocks:
        return None
    lags = np.abs(good[:, None] - good[None, :])
    white = []
    for kind, covariance in zip(smooth.kinds, smooth.covariances(point, noise), strict=True):
        C = np.where(lags < len(covariance), covariance[np.minimum(lags, len(covariance) - 1)], 0.0)
        L = np.linalg.cholesky(C + 1e-3 * covariance[0] * np.eye(len(C)))
        both = np.concatenate([A[:, kind], e[:, kind, None]], axis=2)
        white.append(np.linalg.solve(L, both.reshape(len(C), -1)).reshape(both.shape).reshape(-1, both.shape[2]))
    n = X.shape[2]
    ridge = np.diag(np.concatenate([np.full(n, 1e-6), 1.0 / prior**2]))
    scales = np.array([0.0] * n + [float(name in ("force_scale", "torque_scale")) for _, name in labels])
    ridge += 1e8 * np.outer(scales, scales)  # that all wrenches are too large cannot be told from a heavier load

    def solved(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        parts = [np.sqrt(w) * one for w, one in zip(weights, white, strict=True)]
        G = np.sum([one[:, :-1].T @ one[:, :-1] for one in parts], axis=0)
        cov = np.linalg.inv(G + ridge)
        return G, cov, cov @ np.sum([one[:, :-1].T @ one[:, -1] for one in parts], axis=0)

    first = solved(np.ones(len(white)))[2]
    left = [one[:, -1] - one[:, :-1] @ first for one in white]
    G, cov, beta = solved(np.array([1.0 / max(1.0, (1.4826 * np.median(np.abs(one))) ** 2) for one in left]))
    shift = np.linalg.solve(G[:n, :n] + 1e-6 * np.eye(n), G[:n, n:])
    return SensorErrorFit(point, labels, beta[n:], cov[n:, n:], prior, shift)
