"""Offset, drift and delay between signals, from the motion they share."""

import dataclasses

import numpy as np

from steelyard.logs.mapping._acceleration import acceleration
from steelyard.logs.mapping._compare import Track, averaged, compare, derivative
from steelyard.logs.mapping._delays import Shift, shift
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._frames import rates_of
from steelyard.logs.mapping._integrals import angles_of, integral_shift
from steelyard.logs.mapping._rotations import matrices
from steelyard.logs.mapping._tuning import TUNING
from steelyard.logs.mapping._wrench import at_mass_centre

_ONE_CLOCK = ("px4", "ardupilot", "crazyflie")


def settle_offsets(exam: Examination) -> None:
    """Streams whose clocks do not overlap are laid on each other by the size of the motion, or begin together."""
    if exam.recording.system != "table":
        return
    for robot in exam.robots:
        for first, second in (
            (f"{robot}/rates", f"{robot}/attitude"),
            (f"{robot}/wrench/force", f"{robot}/specific_force"),
        ):
            one, other = exam.sources.get(first), exam.sources.get(second)
            if one is not None and other is not None and one.streams[0] != other.streams[0]:
                _lay_over(exam, first, second)


def _lay_over(exam: Examination, first: str, second: str) -> None:
    x, y = exam.track(first), exam.track(second)
    if x is None or y is None:
        return
    lengths = np.ptp(x.time), np.ptp(y.time)
    if max(lengths) > TUNING.longest_laid_over or min(lengths) < TUNING.shortest_laid_over:
        return
    overlap = min(x.time[-1], y.time[-1]) - max(x.time[0], y.time[0])
    if overlap > 0.5 * min(np.ptp(x.time), np.ptp(y.time)):
        return
    a = x.values if x.values.shape[1] == 3 else rates_of(x).values
    b = y if y.values.shape[1] == 3 else rates_of(y)
    rate = 50.0
    signals = []
    for time, values in ((x.time, a), (b.time, b.values)):
        grid = np.arange(time[0] + 0.1, time[-1] - 0.1, 1 / rate)
        size = np.linalg.norm(averaged(time, values - np.median(values, axis=0), grid, 0.1), axis=1)
        signals.append((grid[0], np.nan_to_num(size - np.nanmean(size))))
    (t0, p), (t1, q) = signals
    n = 2 ** int(np.ceil(np.log2(len(p) + len(q))))
    product = np.fft.irfft(np.fft.rfft(q, n) * np.conj(np.fft.rfft(p, n)), n)
    lag = int(np.argmax(product))
    lag = lag - n if lag > n // 2 else lag
    share = float(product.max() / max(np.linalg.norm(p) * np.linalg.norm(q), 1e-12))
    stream = exam.sources[second].streams[0]
    text = f"The clocks of {exam.sources[first].streams[0]} and {stream} have nothing in common"
    if share < 0.5:
        lag = 0
        exam.report(stream, "undecided", f"{text} and neither has the motion; they are taken to begin together.")
        exam.ask(f"By how much is the clock of {stream} ahead of {exam.sources[first].streams[0]}'s?")
    else:
        exam.report(stream, "found", f"{text}; the same motion lays one over the other (correlation {share:.2f}).")
    offset = (t1 - t0) + lag / rate
    exam.times[stream] = dataclasses.replace(exam.times[stream], offset=exam.times[stream].offset + offset)
    exam.forget()


def settle_delays(exam: Examination, robot: str) -> None:
    """Delays against the wrench of a wrist, or against the gyroscope of a flying machine."""
    force, acc, rates = (f"{robot}/{name}" for name in ("wrench/force", "specific_force", "rates"))
    attitude, velocity, position = (f"{robot}/{name}" for name in ("attitude", "linear_velocity", "position"))
    F, s, w, q = (exam.track(name) for name in (force, acc, rates, attitude))
    if F is not None and s is not None:
        with_it = [name for name in exam.same_stream(acc) if name in (rates, attitude)]
        if w is not None and rates in exam.same_stream(acc):
            for _ in range(2):  # the lever arm needs the delay, and the delay the lever arm
                first = compare(F, s, TUNING.longest_delay, free=False).delay
                s = at_mass_centre(F, exam.track(acc) or s, w, first)
        _settle(exam, [acc, *with_it], F, s, "the force")
        w = exam.track(rates)
    if w is not None and q is not None and not (F is not None and attitude in exam.same_stream(acc)):
        _settle(exam, [attitude], w, angles_of(q), "the gyroscope", window=TUNING.turning_window)
    elif F is not None and q is not None and w is None:
        _gravity_delay(exam, robot)
    v = exam.track(velocity)
    if F is None and v is not None and acceleration(exam, robot) is not None:
        _velocity_delay(exam, robot, v)
    v, p = exam.track(velocity), exam.track(position)
    if v is not None and p is not None:
        _settle(exam, [position], v, p, "the velocity", turned=False, window=TUNING.integral_window)


def _velocity_delay(exam: Examination, robot: str, v: Track) -> None:
    """A velocity's delay against attitude and acceleration; drag is in an accelerometer's reading, not in a thrust."""
    velocity = f"{robot}/linear_velocity"
    push = acceleration(exam, robot)
    if push is None or len(v.time) < 100:
        return
    if f"{robot}/specific_force" in exam.sources:
        _settle(exam, [velocity], push, v, "attitude and acceleration", turned=False, window=TUNING.integral_window)
        return
    # A thrust is no acceleration: drag and the motors' lag shift it by tens of ms. It can still tell whether the
    # velocity is as late as an attitude that comes with it, or not late at all.
    attitude = exam.sources[f"{robot}/attitude"]
    if not attitude.delay or exam.sources[velocity].streams != attitude.streams:
        return
    x = _with_drag(push, v, derivative(v, 0.1), attitude.delay)
    measured = None if x is None else integral_shift(x, v, turned=False)
    if measured is not None and abs(measured.delay) < abs(measured.delay - attitude.delay):
        text = f"It fits the thrust best {1e3 * measured.delay:.0f} ms late, so not as late as the attitude."
        exam.report(velocity, "undecided", text)
        return
    text = f"It comes with the attitude and is taken to be as late, {1e3 * attitude.delay:.1f} ms."
    for signal in (velocity, f"{robot}/position"):
        if signal in exam.sources and exam.sources[signal].streams == attitude.streams:
            exam.change(signal, "found", text, delay=attitude.delay, delay_std=attitude.delay_std, drift=attitude.drift)


def _with_drag(push: Track, v: Track, dv: Track, delay: float) -> Track | None:
    """Acceleration k T R z − d v + c with k, d and c by least squares, the velocity moved back by `delay`."""
    times = push.time[(push.time > dv.time[0] - delay + 0.3) & (push.time < dv.time[-1] - delay - 0.3)]
    if len(times) < 100:
        return None
    width = 0.2
    a, u = averaged(push.time, push.values, times, width), averaged(v.time, v.values, times + delay, width)
    b = averaged(dv.time, dv.values, times + delay, width)
    good = np.isfinite(np.column_stack([a, u, b])).all(axis=1)
    if good.sum() < 100:
        return None
    ones = [np.tile(e, (int(good.sum()), 1)) for e in np.eye(3)]
    A = np.stack([column.ravel() for column in (a[good], u[good], *ones)], axis=1)
    theta = np.linalg.lstsq(A, b[good].ravel(), rcond=None)[0]
    raw = np.stack([np.interp(times + delay, v.time, c) for c in v.values.T], 1)
    at = np.stack([np.interp(times, push.time, c) for c in push.values.T], 1)
    return Track(times, theta[0] * at + theta[1] * raw + theta[2:])


def _gravity_delay(exam: Examination, robot: str) -> None:
    """An attitude's delay by the direction of gravity in the accelerometer's axes."""
    q, s = exam.track(f"{robot}/attitude"), exam.track(f"{robot}/specific_force")
    if q is not None and s is not None:
        x = Track(q.time, matrices(q.values)[:, 2, :])  # up in body axes
        _settle(exam, [f"{robot}/attitude"], s, x, "the accelerometer")


def _settle(exam, signals: list[str], x: Track, y: Track, reference: str, turned=True, window=0.0) -> None:
    """Estimates how late y is behind x, or in windows behind its integral, and takes it off the signals' times."""
    if window:
        measured = integral_shift(x, y, turned, window)
        coherence = 1.0 if measured is None else measured.coherence
    else:
        found = compare(x, y, TUNING.longest_delay, free=False)
        coherence = found.coherence
        measured = shift(x, y, found, turned)
    if coherence < TUNING.coherence:
        exam.report(signals[0], "undecided", f"Its delay against {reference} cannot be told ({coherence:.2f}).")
    elif measured is None:
        text = f"Its delay against {reference} cannot be told: there is too little motion."
        exam.report(signals[0], "undecided", text)
    else:
        several = len({stream.file for stream in exam.recording.streams}) > 1
        report_shift(exam, signals, measured, reference, apart=several)


def report_shift(exam: Examination, signals: list[str], found: Shift, reference: str, apart: bool) -> None:
    """Applies a delay that is certain, and records it either way; clocks of several files are likely to differ."""
    delay = found.delay
    way = "behind" if delay >= 0.0 else "ahead of"
    size = f"{1e3 * abs(delay):.1f} ± {1e3 * found.std:.1f} ms {way}"
    # Clocks that were laid over each other are so to 20 ms: whatever the motion tells is better.
    laid_over = any(exam.times[one.streams[0]].offset for one in exam.sources.values())
    enough = TUNING.likely_by if apart else TUNING.certain_by
    certain = laid_over or abs(delay) > max(TUNING.least_delay, enough * found.std)
    drifts = apart and found.drift != 0.0
    if exam.recording.system in _ONE_CLOCK:
        exam.report(signals[0], "confirmed", f"By its own time stamps it is {size} {reference}; they are kept.")
        return
    if not certain and not drifts:
        for signal in signals:
            exam.sources[signal] = dataclasses.replace(exam.sources[signal], delay_std=found.std)
        exam.report(signals[0], "confirmed", f"It is {size} {reference}: together, as far as can be told.")
        return
    drift = found.drift if drifts else 0.0
    text = f"Its motion is {size} {reference} (coherence {found.coherence:.2f} over {found.seconds:.0f} s)"
    if drifts:
        text += f", and {1e6 * found.drift:.0f} ± {1e6 * found.drift_std:.0f} µs a second later: its clock drifts"
    for signal in signals:
        exam.change(signal, "found", text + ".", delay=delay, delay_std=found.std, drift=drift)
