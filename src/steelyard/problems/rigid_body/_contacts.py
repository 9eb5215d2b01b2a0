"""Forces that pass: spans of a log in which something else than the robot pushed on the load.

A push that counts as load bends the whole fit, and then shows in no residual. So spans are looked for first without a
fit, by a regression that trusts the calmer half of the log (least trimmed squares), and again in the residuals of the
fit that leaves them out.
"""

import dataclasses
import itertools

import numpy as np

from steelyard.problems.rigid_body._method import Fit
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._start import first_trajectory, knot_spacing
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning

Spans = list[tuple[float, float]]
"""s, each from its start to its end."""


@dataclasses.dataclass(frozen=True)
class Contact:
    """Something touched the load."""

    start: float
    """s."""
    end: float
    """s."""
    force: np.ndarray
    """(3,), N: the mean of what the load does not explain, sensor axes."""
    torque: np.ndarray
    """(3,), N m."""


def first_spans(record: WristRecord, tuning: FitTuning = TUNING) -> Spans:
    """Spans in which the calmer half of the log does not explain the force.

    Force is regressed on specific force and its rate, angular acceleration, products of angular velocity and a
    constant, with free coefficients: whatever the load, offsets, mounting, lever and a small delay. A short log has
    fewer of these than windows in its half.
    """
    wrench = record.wrench
    width = tuning.contact_window
    window = ((wrench.time - wrench.time[0]) / width).astype(int)
    window = np.unique(window, return_inverse=True)[1]
    count = int(window[-1]) + 1
    if count < tuning.fewest_windows:
        return []
    groups = [k for k in (4, 7, 10, 16) if 2 * k <= count // 2 + 1] or [4]
    X = _explanations(record, tuning)[:, : groups[-1]]
    Y = wrench.value[:, 3:]
    edges = np.searchsorted(window, np.arange(count + 1))
    parts = [np.concatenate([X[a:b], Y[a:b]], axis=1) for a, b in itertools.pairwise(edges)]
    grams = np.stack([part.T @ part for part in parts])
    means = np.stack([part.mean(axis=0) for part in parts])
    calmest = _calmest(grams, means, X.shape[1])
    left = _left(grams[calmest].sum(axis=0), means, X.shape[1])
    scatter = 1.4826 * np.median(np.abs(left), axis=0)
    white = wrench.std[3:] / np.sqrt(max(1.0, len(wrench.time) / count))
    limit = np.maximum(tuning.contact_deviations * np.maximum(scatter, white), tuning.first_contact_force)
    found: Spans = []
    touched = np.any(np.abs(left) > limit, axis=1)
    touched[[0, -1]] &= touched[[1, -2]]  # hardly anything holds a spline at its ends
    for begin, end in _runs(touched, tuning.contact_join / width):
        a, b = float(wrench.time[edges[begin]]), float(wrench.time[edges[end] - 1])
        found.append((a - tuning.contact_margin, b + tuning.contact_margin))
    return _joined(found)


def _explanations(record: WristRecord, tuning: FitTuning) -> np.ndarray:
    """(n, k): what a force may be proportional to, at the times of the wrench."""
    time, spacing = record.wrench.time, knot_spacing(record.motion, tuning)
    motion = first_trajectory(time, record.motion, record.wrench, record.gravity, spacing)
    s, rate = motion.specific_force, motion.specific_force_rate
    if "specific_force" in record.motion:
        channel = record.motion["specific_force"]
        inside = np.clip(time, channel.time[0], channel.time[-1])
        spline = Spline.covering(channel.time[0], channel.time[-1], spacing)
        coefficients = spline.fit(channel.time, channel.value)
        s, rate = (spline.evaluate(coefficients, inside, k) for k in range(2))
    omega = motion.angular
    products = omega[:, [0, 1, 2, 0, 0, 1]] * omega[:, [0, 1, 2, 1, 2, 2]]
    X = np.concatenate([np.ones((len(time), 1)), s, motion.angular_acceleration, rate, products], axis=1)
    scale = np.maximum(np.sqrt(np.mean(X**2, axis=0)), 1e-12)
    return X / scale


def _calmest(grams: np.ndarray, means: np.ndarray, k: int) -> np.ndarray:
    """The half of the windows that one regression explains best: concentration steps from several starts."""
    count = len(grams)
    half = count // 2 + 1
    starts = [np.arange(count), *np.array_split(np.arange(count), 3), *(np.arange(count)[j::2] for j in (0, 1))]
    best, calmest = float("inf"), np.arange(count)
    for start in starts:
        chosen, left = start, float("inf")
        for _ in range(15):
            size = np.sum(_left(grams[chosen].sum(axis=0), means, k) ** 2, axis=1)
            chosen, before = np.sort(np.argsort(size)[:half]), chosen
            left = float(size[chosen].sum())
            if np.array_equal(chosen, before):
                break
        if left < best:
            best, calmest = left, chosen
    return calmest


def _left(gram: np.ndarray, means: np.ndarray, k: int) -> np.ndarray:
    """(windows, 3): mean force that a regression on some of the windows leaves unexplained."""
    ridge = 1e-9 * np.trace(gram[:k, :k]) / k * np.eye(k)
    return means[:, k:] - means[:, :k] @ np.linalg.solve(gram[:k, :k] + ridge, gram[:k, k:])


def covered(record: WristRecord, spans: Spans) -> float:
    """Share of a record that some spans cover."""
    inside = sum(max(0.0, min(b, record.end) - max(a, record.start)) for a, b in spans)
    return inside / max(record.end - record.start, 1e-9)


def same_spans(some: Spans, others: Spans, tuning: FitTuning = TUNING) -> bool:
    """Whether spans begin and end at about the same times."""
    if len(some) != len(others):
        return False
    ends = np.abs(np.array(some).reshape(-1, 2) - np.array(others).reshape(-1, 2))
    return bool(np.all(ends <= tuning.contact_margin))


def contacts_in(record: WristRecord, fit: Fit, spans: Spans) -> tuple[Contact, ...]:
    """The contacts of some spans, each with its mean wrench."""
    residual = _unexplained(record, fit) if spans else np.zeros((0, 6))
    contacts = []
    for a, b in spans:
        rows = (record.wrench.time >= a) & (record.wrench.time <= b)
        mean = residual[rows].mean(axis=0) if rows.any() else np.zeros(6)
        contacts.append(Contact(a, b, mean[3:], mean[:3]))
    return tuple(contacts)


def contact_spans(record: WristRecord, fit: Fit, known: Spans, tuning: FitTuning = TUNING) -> Spans:
    """Spans in which the mean force over a quarter of a second is not explained, `known` ones left out of the fit."""
    time, force = record.wrench.time, _unexplained(record, fit)[:, 3:]
    shown = [channel.time - fit.unknowns.delays[signal] for signal, channel in record.motion.items()]
    begin, end = max(t[0] for t in shown) + tuning.contact_edge, min(t[-1] for t in shown) - tuning.contact_edge
    force[(time < begin) | (time > end)] = 0.0  # hardly anything holds a spline at its ends
    step = float(np.median(np.diff(time)))
    width = max(3, round(tuning.contact_window / step))
    if len(time) < 4 * width:
        return known
    kernel = np.ones(width) / width
    mean = np.stack([np.convolve(force[:, a], kernel, mode="same") for a in range(3)], axis=1)
    outside = np.ones(len(time), bool)
    for a, b in known:
        outside &= (time < a) | (time > b)
    calm = mean[outside] if outside.sum() > 4 * width else mean
    scatter = 1.4826 * np.median(np.abs(calm - np.median(calm, axis=0)), axis=0)
    white = record.wrench.std[3:] * np.sqrt(np.maximum(fit.excess["wrench"][3:], 0.25) / width)
    limit = np.maximum(tuning.contact_deviations * np.maximum(scatter, white), tuning.contact_force)
    limit = np.hypot(limit, tuning.contact_deviations * fit.expected_wrench_std(time)[:, 3:])  # of a load hardly known
    touched = np.any(np.abs(mean) > limit, axis=1)
    spans = [(float(time[a]), float(time[b - 1])) for a, b in _runs(touched, tuning.contact_join / step)]
    return _joined([(a - tuning.contact_margin, b + tuning.contact_margin) for a, b in spans])


def _unexplained(record: WristRecord, fit: Fit) -> np.ndarray:
    """(n, 6): measured less expected wrench at all samples, contacts included; SI units."""
    return record.wrench.value - fit.expected_wrench(record.wrench.time)


def _runs(flags: np.ndarray, gap: float) -> list[tuple[int, int]]:
    """First and last (exclusive) of each run of true flags; runs that are at most `gap` apart are one."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    found: list[tuple[int, int]] = []
    for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if found and a - found[-1][1] <= gap:
            found[-1] = (found[-1][0], b)
        else:
            found.append((a, b))
    return found


def _joined(spans: Spans) -> Spans:
    joined: Spans = []
    for a, b in spans:
        if joined and a <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], b))
        else:
            joined.append((a, b))
    return joined
