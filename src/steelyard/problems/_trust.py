"""Checks of every answer, whatever the problem: what speaks against it, as reasons.

Each check has a limit that clean logs keep with room to spare; a quantity that fails one is doubtful, not known.
"""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate, Reason, Trust
from steelyard.problems._consistency import mean_nis
from steelyard.problems._identification import Identification, Innovations
from steelyard.problems.preflight import OWN, PreflightFinding


@dataclasses.dataclass(frozen=True)
class TrustTuning:
    """Limits of the checks."""

    doubtful_nis: float = 1.5
    """Mean normalised innovation squared; 1 for a consistent filter, and a log has thousands of them."""
    contradicted_nis: float = 100.0
    """The same, ten deviations a reading: model and readings have nothing in common."""
    correlation_lag: float = 0.1
    """s, over which innovations of a consistent filter are not correlated."""
    doubtful_correlation: float = 0.4
    """Mean correlation over that lag; 0.9 was seen on real flights whose model lacked drag or lag."""
    slow_span: float = 0.5
    """s over which innovations of a consistent filter average out."""
    doubtful_slow: float = 3.2
    """Variance of such means over what white innovations would leave; of thirty clean carts the largest was 2.6."""
    most_events: float = 0.7
    """Changes a second: nothing is picked up and put down so often."""
    fewest_events: int = 6
    """Changes in a log that are not too many, however short it is."""
    methods_apart: float = 6.0
    """Standard deviations by which two methods may differ."""
    methods_share: float = 0.06
    """Share of the mass by which they may, at least: least squares knows no lag, and averages over two seconds."""
    calm: float = 3.0
    """s at the end of a log without a change, for two methods to be compared."""


TUNING = TrustTuning()
_FILTERED = ("jets", "multirotor", OWN)
_TEAMS = ("planar-load", "spatial-load")
"""One robot's fault is in everybody's answer."""


def judged(
    found: Identification,
    findings: Sequence[PreflightFinding] = (),
    rough: Mapping[str, tuple[float, float]] | None = None,
    problem: str | None = None,
) -> Identification:
    """The same answer with its reasons: what is not believed is doubtful or failed, and no longer known.

    `rough` has masses by plain least squares, by robot; `problem` is the answer's own by default. What the preflight is
    certain of comes first. A hint explains an answer that something else speaks against, and is a note where nothing
    does.
    """
    problem, robots, notes = problem or found.problem, {}, list(found.notes)
    for robot, quantities in found.robots.items():
        own = found.trust.get(robot, Trust()).reasons
        mine = [one for one in findings if one.robot in (None, robot) or problem in (*_TEAMS, OWN)]
        certain = [one.reason for one in mine if one.kind == "certain"]
        innovations = found.innovations.get(robot) if problem in _FILTERED else None
        reasons = [*own, *([] if innovations is None else innovation_reasons(innovations, problem))]
        reasons += _event_reasons(found, robot)
        reasons += _method_reasons(found, robot, (rough or {}).get(robot))
        hints = [one.reason for one in mine if one.kind == "hint"]
        finite = {name: _finite(estimate) for name, estimate in quantities.items()}
        if certain or reasons or any(one.status == "failed" for one in finite.values()):
            reasons = [*certain, *hints, *reasons]
        else:
            notes += [hint.sentence for hint in hints]
        trust = Trust(tuple(reasons))
        robots[robot] = {name: estimate.judged(_of(trust, name, estimate)) for name, estimate in finite.items()}
    verdict = _with_reasons(found.verdict, robots)
    return dataclasses.replace(found, robots=robots, notes=list(dict.fromkeys(notes)), verdict=verdict)


def robots_that_use(found: Identification, robot: str) -> tuple[str, ...]:
    """Whose answers hang on what one robot logged: its own; those of its team; that of a robot of the user's own."""
    alone = found.problem not in _TEAMS and robot in found.robots
    return (robot,) if alone else tuple(found.robots)


def doubted(found: Identification, against: Mapping[str, Sequence[Reason]]) -> Identification:
    """The same answer with more reasons, by robot, against all that it says."""
    if not against:
        return found
    robots = dict(found.robots)
    for robot, reasons in against.items():
        robots[robot] = {
            name: estimate.judged(Trust((*estimate.trust.reasons, *reasons)))
            for name, estimate in found.robots.get(robot, {}).items()
        }
    return dataclasses.replace(found, robots=robots, verdict=_with_reasons(found.verdict, robots))


def _with_reasons(verdict: str, robots: Mapping[str, Mapping[str, Estimate]]) -> str:
    """A verdict with the reasons before it: what the method says of its intervals holds only if these do not matter."""
    doubtful = [r.sentence for q in robots.values() for e in q.values() for r in e.trust.reasons]
    fresh = [sentence for sentence in dict.fromkeys(doubtful) if sentence not in verdict]
    if not fresh:
        return verdict
    if verdict.startswith("Doubtful: "):  # further reasons come first
        return " ".join(["Doubtful:", *fresh, verdict.removeprefix("Doubtful: ")])
    return " ".join(["Doubtful:", *fresh, "If this did not matter:", verdict])


def _method_reasons(found: Identification, robot: str, rough: tuple[float, float] | None) -> list[Reason]:
    """Two methods on the same rows that contradict each other; not where the mass changed just before the end."""
    mass = found.robots[robot].get("mass")
    if rough is None or mass is None or mass.value is None or mass.std is None:
        return []
    if any(e.kind == "change" and e.robot == robot and mass.time - e.time < TUNING.calm for e in found.events):
        return []
    value, std = float(mass.value), float(mass.std)
    off = abs(value - rough[0])
    if off < max(TUNING.methods_apart * np.hypot(std, rough[1]), TUNING.methods_share * rough[0]):
        return []
    sentence = (
        f"Plain least squares over the last rows gives {rough[0]:.3g} ± {1.96 * rough[1]:.2g} kg, and {found.method} "
        f"{value:.3g} ± {1.96 * std:.2g} kg: the two do not agree, so something is not as either takes it."
    )
    return [Reason("methods", sentence)]


def _of(trust: Trust, name: str, estimate: Estimate) -> Trust:
    """What concerns one quantity, its own impossible value included."""
    value, std = estimate.value, estimate.std
    if value is not None and std is not None and name.split("/")[0] == "drag" and np.all(value < -3.0 * std):
        size = f"{float(np.max(value)):.2g} {estimate.unit}"
        sentence = f"{name} would be negative, {size}: the thrust axis or a frame is off."
        return Trust((*trust.of(name).reasons, Reason("negative-drag", sentence)))
    if value is not None and name == "mass" and np.all(value <= 0.0):
        return Trust((*trust.of(name).reasons, Reason("impossible", "No mass is negative.", "contradicted")))
    return trust.of(name)


def _finite(estimate: Estimate) -> Estimate:
    """What is not finite has failed."""
    numbers = [part for part in (estimate.value, estimate.covariance) if part is not None]
    if all(np.all(np.isfinite(part)) for part in numbers):
        return estimate
    reason = "The answer is not a finite number."
    return Estimate.unknown("failed", estimate.unit, estimate.frame, estimate.time, reason)


def innovation_reasons(innovations: Innovations, problem: str) -> list[Reason]:
    """What a filter's innovations say against its answers: too large, or correlated."""
    reasons = []
    nis = mean_nis(innovations.value, innovations.std**2)
    if nis > TUNING.doubtful_nis:
        level = "contradicted" if nis > TUNING.contradicted_nis else "doubtful"
        sentence = (
            f"The measurements are {np.sqrt(nis):.2g} times as far off as the noise allows, so the interval is too "
            "narrow: state the true noise, or look for what the model lacks."
        )
        reasons.append(Reason("misfit", sentence, level))
    correlation = innovation_correlation(innovations, TUNING.correlation_lag)
    if correlation > TUNING.doubtful_correlation:
        sentence = (
            f"What the model does not explain is correlated over {TUNING.correlation_lag:g} s (by {correlation:.2f}): "
            "wind, drag, a swinging load, a lag or a filtered channel is taken for noise."
        )
        reasons.append(Reason("coloured", sentence))
    slow = slow_variance(innovations, TUNING.slow_span) if problem == OWN else 1.0
    if slow > TUNING.doubtful_slow and not reasons:
        sentence = (
            f"What the model does not explain lasts: means over {TUNING.slow_span:g} s vary {slow:.2g} times as much "
            "as noise would. Look for an offset, a delay or a drift of a channel, lost rows, or a force that the model "
            "lacks."
        )
        reasons.append(Reason("slow", sentence))
    return reasons


def slow_variance(innovations: Innovations, span: float) -> float:
    """Variance of means of normalised innovations over spans, times their number: 1 where they are white.

    Of the channel for which it is largest; 1 where there are fewer than ten spans.
    """
    time, most = np.asarray(innovations.time), 1.0
    z = np.clip(innovations.value / innovations.std, -5.0, 5.0)
    rows = max(1, round(span / max(float(np.median(np.diff(time))), 1e-9))) if len(time) > 1 else 1
    count = len(z) // rows
    if count < 10 or rows < 5:
        return most
    for column in z[len(z) - count * rows :].reshape(count, rows, -1).transpose(2, 0, 1):
        heard = np.isfinite(column).sum(axis=1)
        if (heard > 0).sum() >= 10:
            sums = np.nansum(column[heard > 0], axis=1) ** 2 / heard[heard > 0]
            # The first quarter is the filter finding its parameters.
            most = max(most, float(np.mean(sums[len(sums) // 4 :]) / max(float(np.nanmean(column**2)), 1e-12)))
    return most


def innovation_correlation(innovations: Innovations, lag: float) -> float:
    """Mean correlation of normalised innovations with those `lag` seconds later; 0 where there are too few."""
    time = np.asarray(innovations.time)
    if len(time) < 50:
        return 0.0
    rows = max(1, round(lag / max(float(np.median(np.diff(time))), 1e-9)))
    if rows >= len(time) // 4:
        return 0.0
    z = np.clip(innovations.value / innovations.std, -5.0, 5.0)
    both = np.isfinite(z[rows:]) & np.isfinite(z[:-rows])
    if both.sum() < 50:
        return 0.0
    products, squares = np.where(both, z[rows:] * z[:-rows], 0.0), np.nanmean(z**2)
    return float(products.sum() / both.sum() / max(float(squares), 1e-12))


def _event_reasons(found: Identification, robot: str) -> list[Reason]:
    changes = [event for event in found.events if event.kind == "change" and event.robot == robot]
    series = next(iter(found.series.get(robot, {}).values()), None)
    if series is None or len(changes) <= TUNING.fewest_events:
        return []
    duration = float(series.time[-1] - series.time[0])
    if len(changes) <= TUNING.most_events * duration:
        return []
    sentence = (
        f"{len(changes)} changes in {duration:.0f} s are more than any load has: something that the model lacks is "
        "taken for changes."
    )
    return [Reason("events", sentence)]
