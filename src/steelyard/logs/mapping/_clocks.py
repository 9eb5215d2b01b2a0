"""Offset, drift and delay between signals, from the motion they share."""

import dataclasses

import numpy as np

from steelyard.logs.mapping._compare import Shift, Track, averaged, compare, derivative, shift
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._frames import acceleration, rates_of
from steelyard.logs.mapping._tuning import TUNING

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
    exam._tracks.clear()


def settle_delays(exam: Examination, robot: str) -> None:
    """Delays against the wrench of a wrist, or against the gyroscope of a flying machine."""
    force, acc, rates = (f"{robot}/{name}" for name in ("wrench/force", "specific_force", "rates"))
    attitude, velocity, position = (f"{robot}/{name}" for name in ("attitude", "linear_velocity", "position"))
    F, s, w, q = (exam.track(name) for name in (force, acc, rates, attitude))
    if F is not None and s is not None:
        with_it = [name for name in exam.same_stream(acc) if name in (rates, attitude)]
        _settle(exam, [acc, *with_it], F, s, "the force")
        w = exam.track(rates)
    if w is not None and q is not None and not (F is not None and attitude in exam.same_stream(acc)):
        if _one_axis(w, rates_of(q)) > TUNING.coherence:
            _settle(exam, [attitude], w, rates_of(q), "the gyroscope")
    elif F is not None and q is not None and w is None:
        _gravity_delay(exam, robot)
    push, v = acceleration(exam, robot), exam.track(velocity)
    if F is None and push is not None and v is not None:
        _settle(exam, [velocity], push, derivative(v, 0.1), "attitude and acceleration")
    v, p = exam.track(velocity), exam.track(position)
    if v is not None and p is not None:
        _settle(exam, [position], v, derivative(p, 0.1), "the velocity")


def _one_axis(x: Track, y: Track) -> float:
    return compare(x, y, TUNING.longest_delay)[0].coherence


def _gravity_delay(exam: Examination, robot: str) -> None:
    """An attitude's delay by the direction of gravity in the accelerometer's axes."""
    from steelyard.logs.mapping._rotations import matrices

    q, s = exam.track(f"{robot}/attitude"), exam.track(f"{robot}/specific_force")
    if q is not None and s is not None:
        x = Track(q.time, matrices(q.values)[:, 2, :])  # up in body axes
        _settle(exam, [f"{robot}/attitude"], s, x, "the accelerometer")


def _settle(exam: Examination, signals: list[str], x: Track, y: Track, reference: str) -> None:
    """Estimates how late y is behind x and takes it off the signals' times."""
    found, first = compare(x, y, TUNING.longest_delay)
    if found.coherence < TUNING.coherence:
        exam.report(signals[0], "undecided", f"Its delay against {reference} cannot be told ({found.coherence:.2f}).")
        return
    measured = shift(x, y, first)
    if measured is None:
        return
    apart = set(exam.sources[signals[0]].streams)
    one_file = all(len({stream.file for stream in exam.recording.streams}) == 1 for _ in (0,))
    report_shift(exam, signals, measured, reference, may_drift=not one_file and bool(apart))


def report_shift(exam: Examination, signals: list[str], found: Shift, reference: str, may_drift: bool) -> None:
    """Applies a delay that is certain, and records it either way."""
    delay = found.delay
    size = f"{1e3 * delay:.1f} ± {1e3 * found.std:.1f} ms"
    certain = abs(delay) > max(TUNING.least_delay, TUNING.certain_by * found.std)
    drifts = may_drift and found.drift != 0.0
    if exam.recording.system in _ONE_CLOCK:
        exam.report(signals[0], "confirmed", f"By its own time stamps it is {size} behind {reference}; they are kept.")
        return
    if not certain and not drifts:
        exam.report(signals[0], "confirmed", f"It is {size} behind {reference}: together, as far as can be told.")
        return
    drift = found.drift if drifts else 0.0
    text = f"Its motion is {size} behind {reference} (coherence {found.coherence:.2f} over {found.seconds:.0f} s)"
    if drifts:
        text += f", and {1e6 * found.drift:.0f} ± {1e6 * found.drift_std:.0f} µs a second more: its clock drifts"
    for signal in signals:
        exam.change(signal, "found", text + ".", delay=delay, delay_std=found.std, drift=drift)
