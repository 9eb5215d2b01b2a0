"""What happened to the load: contacts that pass, and changes that stay.

A contact is a span in which a force acts that the load does not explain, and after which the same load is there; its
wrenches do not count. A change is a moment from which on another load explains the wrench better; the log is cut there.
"""

import dataclasses
import functools

import numpy as np

from steelyard.problems.rigid_body._contacts import (
    Contact,
    contact_spans,
    contacts_in,
    covered,
    first_spans,
    same_spans,
)
from steelyard.problems.rigid_body._method import Fit, fit_record
from steelyard.problems.rigid_body._quantities import Load, load_of_fit
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._residuals import wrench_regressor
from steelyard.problems.rigid_body._start import first_trajectory
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning


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

    @functools.cached_property
    def load(self) -> Load:
        """What it held."""
        return load_of_fit(self.fit)


def pieces_of(record: WristRecord, tuning: FitTuning = TUNING) -> list[Piece]:
    """The log as pieces of one load each, contacts found and left out."""
    whole = _with_contacts(record, tuning)
    for contact in whole.contacts:
        lasting = contact.end >= record.end or contact.start <= record.start
        if lasting or contact.end - contact.start > tuning.longest_push:
            pieces = _as_another_load(record, whole, contact, tuning)
            if pieces is not None:
                return pieces
    moment, evidence = change_evidence(whole.fit, tuning)
    if evidence < tuning.change_evidence:
        return [whole]
    return _split(record, whole, moment, evidence, tuning)


def _as_another_load(record: WristRecord, whole: Piece, contact: Contact, tuning: FitTuning) -> list[Piece] | None:
    """Pieces before and after the edge of a lasting contact, where a load explains what was taken for one."""
    trim = tuning.change_trim
    begins = contact.start > record.start
    part = record.between(
        contact.start + trim + tuning.contact_margin if begins else record.start,
        contact.end - trim - tuning.contact_margin if contact.end < record.end else record.end,
    )
    if not part.enough or part.end - part.start < tuning.shortest_piece:
        return None
    own = fit_record(part, tuning)
    if _misfit(own) > tuning.misfit_doubtful:
        return None
    edge = contact.start if begins else contact.end
    moment = _moment_between(record, [whole.fit, own] if begins else [own, whole.fit], edge, tuning)
    return _cut(record, moment, tuning.change_evidence, tuning)


def _cut(record: WristRecord, moment: float, evidence: float, tuning: FitTuning) -> list[Piece] | None:
    """The pieces before and after a change; None where there is too little on either side."""
    gap = tuning.change_gap
    sides = [record.between(record.start, moment - gap), record.between(moment + gap, record.end)]
    if not all(side.enough for side in sides):
        return None
    before, after = (pieces_of(side, tuning) for side in sides)
    return [*before, dataclasses.replace(after[0], evidence=evidence), *after[1:]]


def _split(record: WristRecord, whole: Piece, moment: float, evidence: float, tuning: FitTuning) -> list[Piece]:
    """Two pieces, each looked at again; one where there is too little on either side."""
    trim = tuning.change_trim
    rough = [record.between(record.start, moment - trim), record.between(moment + trim, record.end)]
    if not all(part.enough for part in rough):
        return [whole]
    fits = [fit_record(part, tuning) for part in rough]
    left, before = [_misfit(fit) for fit in fits], _misfit(whole.fit)
    if min(_motion_misfit(fit) for fit in fits) > tuning.misfit_failed:
        return [whole]  # the motion signals contradict each other, which is no change of the load
    if min(left) > tuning.misfit_doubtful and max(left) > 0.25 * before:
        return [whole]  # other loads explain it no better: something else is wrong
    if not record.all_stated and before < tuning.misfit_doubtful and not _mass_changed(*fits):
        return [whole]  # one load explains the wrench as well as its own scatter allows
    return _cut(record, _moment_between(record, fits, moment, tuning), evidence, tuning) or [whole]


def _mass_changed(before: Fit, after: Fit) -> bool:
    """Whether two fits have different masses: what is picked up or put down has weight."""
    change = after.unknowns.load[0] - before.unknowns.load[0]
    return bool(abs(change) > 3.0 * np.sqrt(before.load_covariance[0, 0] + after.load_covariance[0, 0]))


def _misfit(fit: Fit) -> float:
    """Variance of the wrench's misfit over the assumed one, along the worst axis."""
    return float(np.max(np.mean(fit.residuals["wrench"] ** 2, axis=0)))


def _motion_misfit(fit: Fit) -> float:
    """The same of the worst motion signal."""
    return max(float(np.mean(fit.residuals[signal][fit.weights[signal] > 0] ** 2)) for signal in fit.record.motion)


def _moment_between(record: WristRecord, fits: list[Fit], moment: float, tuning: FitTuning) -> float:
    """s: where the misfit of the first load before and of the second load after is smallest.

    The motion is that of the motion signals alone: a trajectory fitted to the wrench was drawn towards both loads.
    """
    local = record.between(moment - 4 * tuning.change_trim, moment + 4 * tuning.change_trim)
    near = local.wrench
    if min(len(channel.time) for channel in local.channels.values()) < tuning.fewest_rows // 2:
        return moment  # nothing was measured there
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
        expected = Y @ unknowns.carried + unknowns.offsets(near.time)
        misfits.append(np.sum(((expected - near.value) / near.std) ** 2, axis=1))
    total = np.concatenate([[0.0], np.cumsum(misfits[0])[:-1]]) + np.cumsum(misfits[1][::-1])[::-1]
    best = int(np.argmin(total))
    return 0.5 * float(near.time[max(best - 1, 0)] + near.time[best])


def change_evidence(fit: Fit, tuning: FitTuning = TUNING) -> tuple[float, float]:
    """The likeliest moment (s) of a change of all ten parameters, and twice its log-likelihood ratio (a score test).

    With effective rows e and residuals r of the wrench, a change d from tau on lowers the misfit by at most
    g' (M - M S^-1 M)^-1 g; g and M are the sums of e r and e e' over the rows after tau, S is the whole information.
    """
    time, used = fit.record.wrench.time, fit.weights["wrench"] > 0
    inverse = np.linalg.inv(fit.information)
    scale = 1.0 / np.sqrt(np.maximum(fit.excess["wrench"], 1.0))
    rows = fit.rows["wrench"][used] * scale[:, None]
    residual = fit.residuals["wrench"][used] * scale
    time = time[used]
    usable = np.flatnonzero((time > time[0] + tuning.shortest_piece) & (time < time[-1] - tuning.shortest_piece))
    if len(usable) == 0:
        return float(time[0]), 0.0
    stride = max(1, round(tuning.contact_window / float(np.median(np.diff(time)))))
    # Sums from the first row of each stride to the last; those of other rows add what lies before the next stride.
    edges = np.arange(0, len(time), stride)
    sums = [_products(rows[k : k + stride], residual[k : k + stride]) for k in edges]
    tails = np.cumsum(np.array(sums)[::-1], axis=0)[::-1]

    def tail_from(k: int) -> np.ndarray:
        block = -(-k // stride)
        tail = tails[block] if block < len(tails) else np.zeros_like(tails[0])
        return tail + _products(rows[k : block * stride], residual[k : block * stride]) if k % stride else tail

    def likeliest(moments: np.ndarray) -> tuple[int, float]:
        tail = np.array([tail_from(int(k)) for k in moments])
        M, g = tail[:, :, :-1], tail[:, :, -1:]
        middle = M[:, :, :10] - M @ inverse @ M.transpose(0, 2, 1)
        sizes, axes = np.linalg.eigh(0.5 * (middle + middle.transpose(0, 2, 1)))
        determined = sizes > 1e-6 * np.maximum(sizes[:, -1:], 1e-12)
        along = (axes.transpose(0, 2, 1) @ g)[:, :, 0] ** 2
        scores = np.sum(np.where(determined, along / np.where(determined, sizes, 1.0), 0.0), axis=1)
        best = int(np.argmax(scores))
        return int(moments[best]), float(scores[best])

    coarse = usable[usable % stride == 0]
    best, _ = likeliest(coarse if len(coarse) else usable[:1])
    best, score = likeliest(usable[(usable > best - stride) & (usable < best + stride)])
    return float(time[best]), score


def _products(rows: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """(10, size + 1): products of the load's columns with all columns and with the residual."""
    flat = np.concatenate([rows, residual[:, :, None]], axis=2).reshape(-1, rows.shape[2] + 1)
    return flat[:, :10].T @ flat


def _with_contacts(record: WristRecord, tuning: FitTuning) -> Piece:
    """The fit without the wrenches of contacts, looked for until no others are found."""
    spans = first_spans(record, tuning)
    if covered(record, spans) > tuning.most_contact:
        spans = []
    fit = fit_record(record.without(spans), tuning)
    for _ in range(3):
        found = contact_spans(record, fit, spans, tuning)
        if same_spans(found, spans, tuning):
            break
        if covered(record, found) > tuning.most_contact:
            return Piece(fit, (), 0.0, inseparable=True)
        spans = found
        fit = fit_record(record.without(spans), tuning)
    return Piece(fit, contacts_in(record, fit, spans), 0.0, inseparable=False)


def _interpolated(time: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.stack([np.interp(time, known, values[:, a]) for a in range(3)], axis=1)
