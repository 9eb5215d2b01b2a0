"""What happened to the load: contacts that pass, and changes that stay.

A contact is a span in which a force acts that the load does not explain, and after which the same load is there; its
wrenches do not count. A change is a moment from which on another load explains the wrench better; the log is cut there.
"""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._method import Fit, fit_record
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._residuals import wrench_regressor
from steelyard.problems.rigid_body._start import first_trajectory
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning


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


@dataclasses.dataclass(frozen=True, eq=False)
class Piece:
    """A span of the log with one load."""

    fit: Fit
    contacts: tuple[Contact, ...]
    evidence: float
    """Twice the log-likelihood ratio of the change at its start; 0 for the first piece."""
    inseparable: bool
    """Whether contacts last so long that the load cannot be determined from them."""

    @property
    def record(self) -> WristRecord:
        """Its samples."""
        return self.fit.record


def pieces_of(record: WristRecord, tuning: FitTuning = TUNING) -> list[Piece]:
    """The log as pieces of one load each, contacts found and left out."""
    whole = _with_contacts(record, fit_record(record, tuning), 0.0, tuning)
    moment, evidence = change_evidence(whole.fit, tuning)
    if evidence < tuning.change_evidence:
        return [whole]
    return _split(record, whole, moment, evidence, tuning)


def _split(record: WristRecord, whole: Piece, moment: float, evidence: float, tuning: FitTuning) -> list[Piece]:
    """Two pieces, each looked at again; one where there is too little on either side."""
    trim = tuning.change_trim
    rough = [record.between(record.start, moment - trim), record.between(moment + trim, record.end)]
    if min(len(part.wrench.time) for part in rough) < 2 * tuning.fewest_rows:
        return [whole]
    fits = [fit_record(part, tuning) for part in rough]
    left, before = [_misfit(fit) for fit in fits], _misfit(whole.fit)
    if min(left) > tuning.misfit_doubtful and max(left) > 0.25 * before:
        return [whole]  # other loads explain it no better: something else is wrong
    moment = _moment_between(record, fits, moment, tuning)
    gap = tuning.change_gap
    before = pieces_of(record.between(record.start, moment - gap), tuning)
    after = pieces_of(record.between(moment + gap, record.end), tuning)
    return [*before, dataclasses.replace(after[0], evidence=evidence), *after[1:]]


def _misfit(fit: Fit) -> float:
    """Variance of the wrench's misfit over the assumed one, along the worst axis."""
    return float(np.max(np.mean(fit.residuals["wrench"] ** 2, axis=0)))


def _moment_between(record: WristRecord, fits: list[Fit], moment: float, tuning: FitTuning) -> float:
    """s: where the misfit of the first load before and of the second load after is smallest.

    The motion is that of the motion signals alone: a trajectory fitted to the wrench was drawn towards both loads.
    """
    local = record.between(moment - 2 * tuning.change_trim, moment + 2 * tuning.change_trim)
    near = local.wrench
    spacing = min(fit.spacing for fit in fits)
    motion = first_trajectory(near.time, local.motion, near, local.gravity, spacing)
    accelerometer = local.motion.get("specific_force")
    misfits = []
    for fit in fits:
        s, unknowns = motion.specific_force, fit.unknowns
        if accelerometer is not None:
            own = (accelerometer.value - unknowns.accelerometer_bias) @ unknowns.rotation
            own = own / (1.0 + unknowns.accelerometer_scale)
            s = _interpolated(near.time, accelerometer.time - unknowns.delays["specific_force"], own)
        Y = wrench_regressor(s, motion.angular, motion.angular_acceleration)
        offsets = np.concatenate([unknowns.torque_offset, unknowns.force_offset])
        misfits.append(np.sum(((Y @ unknowns.load + offsets - near.value) / near.std) ** 2, axis=1))
    total = np.concatenate([[0.0], np.cumsum(misfits[0])[:-1]]) + np.cumsum(misfits[1][::-1])[::-1]
    best = int(np.argmin(total))
    return 0.5 * float(near.time[max(best - 1, 0)] + near.time[best])


def change_evidence(fit: Fit, tuning: FitTuning = TUNING) -> tuple[float, float]:
    """The likeliest moment (s) of a change of all ten parameters, and twice its log-likelihood ratio (a score test).

    With effective rows e and residuals r of the wrench, a change d from tau on lowers the misfit by at most
    g' (M - M S^-1 M)^-1 g; g and M are the sums of e r and e e' over the rows after tau, S is the whole information.
    """
    time, used = fit.record.wrench.time, fit.weights["wrench"] > 0
    scale = 1.0 / np.sqrt(np.maximum(fit.excess["wrench"], 1.0))
    rows = fit.rows["wrench"][used] * scale[:, None]
    residual = fit.residuals["wrench"][used] * scale
    time = time[used]
    usable = np.flatnonzero((time > time[0] + tuning.shortest_piece) & (time < time[-1] - tuning.shortest_piece))
    if len(usable) == 0:
        return float(time[0]), 0.0
    M = _sums_from(np.einsum("nki,nkj->nij", rows[:, :, :10], rows))
    g = _sums_from(np.einsum("nki,nk->ni", rows[:, :, :10], residual))

    def score(k: int) -> float:
        middle = M[k][:, :10] - M[k] @ fit.covariance @ M[k].T
        sizes, axes = np.linalg.eigh(0.5 * (middle + middle.T))
        determined = sizes > 1e-6 * max(float(sizes[-1]), 1e-12)
        return float(np.sum((axes[:, determined].T @ g[k]) ** 2 / sizes[determined]))

    stride = max(1, round(tuning.contact_window / float(np.median(np.diff(time)))))
    best = max(usable[::stride].tolist(), key=score)
    around = usable[(usable > best - stride) & (usable < best + stride)]
    best = max(around.tolist(), key=score)
    return float(time[best]), score(best)


def _sums_from(values: np.ndarray) -> np.ndarray:
    """Sums from each row to the last."""
    return np.cumsum(values[::-1], axis=0)[::-1]


def _with_contacts(record: WristRecord, fit: Fit, evidence: float, tuning: FitTuning) -> Piece:
    """The fit without the wrenches of contacts, looked for until no more are found."""
    spans: list[tuple[float, float]] = []
    for _ in range(3):
        found = contact_spans(record, fit, spans, tuning)
        if found == spans:
            break
        length = sum(b - a for a, b in found)
        if length > tuning.most_contact * (record.end - record.start):
            return Piece(fit, (), evidence, inseparable=True)
        spans = found
        fit = fit_record(record.without(spans), tuning)
    residual = _unexplained(record, fit)
    contacts = []
    for a, b in spans:
        rows = (record.wrench.time >= a) & (record.wrench.time <= b)
        mean = residual[rows].mean(axis=0) if rows.any() else np.zeros(6)
        contacts.append(Contact(a, b, mean[3:], mean[:3]))
    return Piece(fit, tuple(contacts), evidence, inseparable=False)


def contact_spans(
    record: WristRecord, fit: Fit, known: list[tuple[float, float]], tuning: FitTuning = TUNING
) -> list[tuple[float, float]]:
    """Spans (s) in which the mean force over a quarter of a second is not explained, joined and with a margin."""
    time, force = record.wrench.time, _unexplained(record, fit)[:, 3:]
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
    touched = np.any(np.abs(mean) > limit, axis=1)
    found: list[tuple[float, float]] = list(known)
    for begin, end in _runs(touched):
        found.append((float(time[begin]) - tuning.contact_margin, float(time[end - 1]) + tuning.contact_margin))
    return _joined(sorted(found))


def _unexplained(record: WristRecord, fit: Fit) -> np.ndarray:
    """(n, 6): measured less expected wrench at all samples, contacts included; SI units."""
    return record.wrench.value - fit.expected_wrench(record.wrench.time)


def _interpolated(time: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.stack([np.interp(time, known, values[:, a]) for a in range(3)], axis=1)


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _joined(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for a, b in spans:
        if joined and a <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], b))
        else:
            joined.append((a, b))
    return joined
