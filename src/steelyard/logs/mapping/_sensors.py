"""Channels that repeat themselves, stand still, saturate or lose rows; a tachometer that reads half."""

import numpy as np

from steelyard.errors import BadInput
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._samples import fresh, recorded, samples_of
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tuning import TUNING


def refuse_still(exam: Examination) -> None:
    """Refuses what has one value throughout: the next candidate takes its place."""
    for signal in list(exam.sources):
        while signal in exam.sources and "/battery/" not in signal and exam.sources[signal].robot != "truth":
            one = exam.sources[signal]
            values = exam.values_of(one)
            unfilled = not len(values) and one.name == "attitude"
            if unfilled and np.isfinite(recorded(exam.recording, one, exam.times)).any():
                exam.refuse(signal, "its numbers are no unit quaternion: nobody filled them in.")
                continue
            if len(values) < 30 or np.any(values != values[0]):
                break
            exam.refuse(signal, f"it is {values[0, 0]:g} throughout, so nothing can be told from it.")


_SENSORS = ("attitude", "position", "velocity", "linear", "angular", "rates", "specific_force", "force", "torque")
"""Ends of the names of signals that a sensor gives: noise makes each sample new. A command may stay as it is."""


def settle_held(exam: Examination) -> None:
    """Rows that repeat a sensor's last sample until the next one are no samples."""
    for signal, one in list(exam.sources.items()):
        track = exam.track(signal) if signal.endswith(_SENSORS) and "/joint/" not in signal else None
        if track is None or one.robot == "truth" or len(track.time) < 100:
            continue
        new, period = fresh(track.time, track.values)
        repeats = 1.0 - float(new.mean())
        if repeats > TUNING.held_share and period * track.rate > 1.7:
            text = f"{100 * repeats:.0f} % of its rows repeat the last sample, new ones come at {1 / period:.3g} Hz"
            exam.change(signal, "found", f"{text}: repeats are left out.", held=True)


def report_faults(exam: Examination) -> None:
    """One sentence for each channel that is not what a sensor should give."""
    spreads: dict[str, tuple[float, float]] = {}
    for signal, one in exam.sources.items():
        try:
            time, values = samples_of(exam.recording, one, exam.times)
        except BadInput:
            continue
        if len(time) < 30 or one.robot == "truth":
            continue
        _dropped(exam, one, time)
        if "/battery/" in signal:
            continue
        heard = [axis[np.isfinite(axis)] for axis in values.T]
        flat = [k for k, axis in enumerate(heard) if axis.size and np.ptp(axis) == 0.0]
        if flat and signal.endswith(("rates", "specific_force", "force", "torque", "rpm")):
            axes = ", ".join(one.source[k] for k in flat if k < len(one.source))
            exam.report(signal, "found", f"{axes} stands still throughout.")
        _repeated(exam, one, time, values)
        _saturated(exam, signal, values)
        if signal.endswith(("/effort", "/current")):
            spreads[signal] = float(np.nanstd(values)), float(np.mean(values == np.nanmedian(values)))
    _idle_joints(exam, spreads)
    for robot in exam.robots:
        _tachometer(exam, robot)


def _idle_joints(exam: Examination, spreads: dict[str, tuple[float, float]]) -> None:
    """Efforts and currents that hardly leave one value, beside joints of the same arm that do."""
    for signal, (spread, share) in spreads.items():
        kind = signal.rpartition("/")[2]
        most = max(other for name, (other, _) in spreads.items() if name.endswith(kind))
        if share > TUNING.resting_share and spread < TUNING.hardly * most:
            text = (
                f"{100 * share:.0f} % of its samples have one value, and its deviation is {spread:.2g} where another "
            )
            exam.report(signal, "found", f"{text}joint's is {most:.2g}: it stands still, and tells nothing.")


def _dropped(exam: Examination, one: SignalSource, time: np.ndarray) -> None:
    steps = np.diff(time)
    step = float(np.median(steps))
    missing = float(np.sum(np.maximum(np.round(steps / step) - 1, 0)))
    share = missing / (missing + len(time))
    subject = one.streams[0]
    if share > TUNING.dropped_share and not any(
        f.subject == subject and "missing" in f.sentence for f in exam.findings
    ):
        longest = float(steps.max())
        exam.report(
            subject, "found", f"{100 * share:.0f} % of its rows are missing; the longest gap is {longest:.3g} s."
        )


def _repeated(exam: Examination, one: SignalSource, time: np.ndarray, values: np.ndarray) -> None:
    same = np.all(values[1:] == values[:-1], axis=1)
    moving = np.any(values[1:] != values[:-1], axis=1)
    share = float(same.mean())
    if share > TUNING.held_share and moving.any():
        changes = time[1:][moving]
        rate = (len(changes) - 1) / float(np.ptp(changes)) if len(changes) > 2 and np.ptp(changes) > 0 else 0.0
        text = f"{100 * share:.0f} % of its samples repeat the one before; new values come at {rate:.3g} Hz."
        exam.report(one.signal, "found", text)


def _saturated(exam: Examination, signal: str, values: np.ndarray) -> None:
    if not signal.endswith(("rates", "specific_force", "force", "torque")):
        return
    for k in range(values.shape[1]):
        v = values[:, k]
        fine = len(np.unique(v)) > 0.3 * len(v)
        for limit in (np.nanmax(v), np.nanmin(v)):
            at = v == limit
            run = at[2:] & at[1:-1] & at[:-2]
            # Coarse numbers repeat at rest; fine ones, or those far out, repeat at the end of a range only.
            if run.sum() >= 3 and at.mean() < 0.5 and (fine or abs(limit) > 3 * np.nanstd(v)):
                exam.report(signal, "found", f"Axis {k + 1} is saturated at {limit:.4g} in {int(at.sum())} samples.")


def _tachometer(exam: Examination, robot: str) -> None:
    """Rotors of one machine turn alike on average; one at half or twice the others miscounts its pulses."""
    track = exam.sources.get(f"{robot}/rpm")
    if track is None or len(track.source) < 3:
        return
    values = np.abs(exam.values_of(track))
    turning = values[(np.nan_to_num(values) > 0.2 * np.nanmax(values, initial=0.0)).any(axis=1)]
    if not len(turning):
        return
    means = np.nanmedian(turning, axis=0)
    for k, mean in enumerate(means):
        others = float(np.median(np.delete(means, k)))
        for share, word in ((0.5, "half"), (2.0, "twice")):
            if others > 0 and abs(mean / others / share - 1) < 0.08:
                text = f"Rotor {k + 1} reads {word} of what the others do ({mean:.0f} against {others:.0f} rpm)."
                exam.report(f"{robot}/rpm", "found", text)
