"""The fit of a log that grows: every second one Gauss-Newton step from where the last one ended.

The motion so far is continued by what the motion signals show since; load and sensor errors are taken over. Knots come
closer together where that explains the samples better. A contact or a change that shows is looked at as in a whole log.
"""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._contacts import Spans, contact_spans, contacts_in, covered
from steelyard.problems.rigid_body._events import Piece, change_evidence, pieces_of
from steelyard.problems.rigid_body._gauss_newton import one_step, with_priors
from steelyard.problems.rigid_body._method import (
    Fit,
    closer_spacings,
    expected_speed,
    explains_better,
    fit_at,
    linearised,
)
from steelyard.problems.rigid_body._problem import State
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._start import continued, still_spans
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning


@dataclasses.dataclass(frozen=True, eq=False)
class Online:
    """What is known of a log so far."""

    pieces: tuple[Piece, ...]
    """Pieces of one load each; the last one is still growing."""
    spans: Spans
    """s: contacts of the last piece."""
    whole: tuple[float, float]
    """s: from where to where the samples reached that were last fitted as a whole."""
    poor: int = 0
    """How many fits in a row had a misfit larger than noise makes it, and than another step would lower."""
    refused: float = 0.0
    """s: length of the last piece when a change of its load was looked for and not found."""
    unsettled: int = 0
    """How many fits in a row have shown a change; a motion that has not settled looks like one, until more steps."""

    @property
    def piece(self) -> Piece:
        """The last one."""
        return self.pieces[-1]


def first_fit(record: WristRecord, tuning: FitTuning = TUNING) -> Online:
    """Of the first samples, as of a whole log but for fewer steps: the next answers go on from there."""
    few = dataclasses.replace(
        tuning,
        steps=tuning.first_steps,
        rough_steps=tuning.first_rough_steps,
        rough_gain=tuning.first_rough_gain,
        rounds=1,
    )
    return _of_whole(record, (), few)


def next_fit(before: Online, record: WristRecord, tuning: FitTuning = TUNING) -> Online:
    """After more samples; `record` begins where the last piece did, or later."""
    last, seconds = before.piece.fit, record.end - record.start
    ahead = _moved_on(last, record, tuning)
    spans = contact_spans(record, ahead, before.spans, tuning)  # by the load so far: new samples bend none
    if covered(record, spans) > tuning.most_contact:
        piece = Piece(last, (), before.piece.evidence, inseparable=True)
        return Online((*before.pieces[:-1], piece), spans, before.whole, before.poor, before.refused)
    if spans:
        ahead = _moved_on(last, record.without(spans), tuning)
    calm = seconds > tuning.short_log and not before.poor
    fit, gain = _stepped(ahead, 1 if calm else 2, tuning)
    shows_change, unsettled = _goes_on(record, spans, tuning), 0
    if not shows_change:
        evidence = change_evidence(fit, tuning)[1]
        if evidence > tuning.change_evidence:
            settled = before.unsettled > 0 and (gain < evidence or before.unsettled >= tuning.most_unsettled)
            shows_change, unsettled = settled, 0 if settled else before.unsettled + 1
    poor = before.poor + 1 if _excess(fit) > gain else 0
    begin, end = before.whole
    if poor >= tuning.most_poor and record.end - end > tuning.fit_again * (end - begin):
        return _of_whole(record, before.pieces[:-1], tuning)
    if shows_change and seconds > tuning.look_again * before.refused:
        found = _of_whole(record, before.pieces[:-1], tuning)
        return found if len(found.pieces) > len(before.pieces) else dataclasses.replace(found, refused=seconds)
    piece = Piece(fit, contacts_in(record, fit, spans), before.piece.evidence, inseparable=False)
    return Online((*before.pieces[:-1], piece), spans, before.whole, poor, before.refused, unsettled)


def _goes_on(record: WristRecord, spans: Spans, tuning: FitTuning) -> bool:
    """Whether the last contact is so long, and still there, that it may be another load."""
    return bool(spans) and spans[-1][1] >= record.end and record.end - spans[-1][0] > tuning.longest_push - 1.0


def _of_whole(record: WristRecord, earlier: tuple[Piece, ...], tuning: FitTuning) -> Online:
    pieces = pieces_of(record, tuning)
    spans = [(contact.start, contact.end) for contact in pieces[-1].contacts]
    return Online((*earlier, *pieces), spans, (record.start, record.end))


def _excess(fit: Fit) -> float:
    """By how much the misfit is larger than noise makes it; below zero where the fit is good."""
    readings = sum(channel.value.shape[0] * len(channel.std) for channel in fit.record.channels.values())
    return fit.problem.cost(fit.state) - fit.problem.tuning.poor_fit * readings


def _moved_on(fit: Fit, record: WristRecord, tuning: FitTuning) -> Fit:
    """The same load and sensor errors, along a motion that goes on with the new samples; old outliers still are."""
    record = record if record.all_stated else record.averaged(tuning.least_spacing / tuning.most_samples)
    still = [] if "twist/linear" in record.motion else still_spans(record.motion, tuning)
    speed = max(fit.problem.speed, expected_speed(fit.state, tuning))  # too slow an expectation is a false precision
    problem = dataclasses.replace(fit.problem, record=record, still=still, tuning=tuning, speed=speed)
    state, weights = fit.state, {}
    for signal, channel in record.channels.items():
        outliers = fit.record.channels[signal].time[state.weights[signal] == 0.0]
        weights[signal] = np.where(np.isin(channel.time, outliers), 0.0, 1.0)
    motion = continued(state.motion, record.motion, state.unknowns, problem.spacing)
    state = problem.resampled(dataclasses.replace(state, motion=motion, weights=weights))
    return dataclasses.replace(fit, problem=problem, state=state)


def _stepped(fit: Fit, steps: int, tuning: FitTuning) -> tuple[Fit, float]:
    """After some steps, and with closer knots where the misfit asks for them; what the last step should have gained."""
    problem, state = fit.problem, fit.state
    for _ in range(steps - 1):
        state = one_step(problem, with_priors(problem, state))
    state = with_priors(problem, state)
    at = linearised(problem, state)
    after = one_step(problem, state, at.step)
    moved = at.step.length > tuning.same_derivatives * at.size**0.5 or not _same_weights(state, after)
    if _excess(dataclasses.replace(fit, problem=problem, state=after)) > 0.0:
        for spacing in closer_spacings(problem)[:1]:
            closer = dataclasses.replace(problem, spacing=spacing)
            tried = one_step(closer, with_priors(closer, closer.resampled(after)))
            if explains_better(closer, tried, problem, after):
                problem, after, moved = closer, tried, True
    return fit_at(problem, after, fit.lag, None if moved else at), at.step.gain


def _same_weights(before: State, after: State) -> bool:
    return all(np.array_equal(weights, after.weights[signal]) for signal, weights in before.weights.items())
