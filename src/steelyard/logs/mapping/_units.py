"""Which unit, by physics: gravity at rest, turning against attitude, steps of a clock against plausible rates."""

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._compare import Track, averaged, derivative, grid_of, width_for
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._source import TimeSource
from steelyard.logs.mapping._tuning import TUNING
from steelyard.logs.mapping._unit_names import G, factor_of

_TIME_UNITS = ("s", "ms", "us", "ns")


def time_sources(recording: Recording) -> dict[str, TimeSource]:
    """How each stream's clock becomes seconds; a format that states its unit is believed."""
    return {stream.name: _time_source(stream, recording.system) for stream in recording.streams}


def _time_source(stream: Stream, system: str) -> TimeSource:
    if stream.time is None:
        return TimeSource(stream.name, "s", f"{stream.name} has no column of times.", known=False)
    if system != "table" or stream.rows < 3:
        return TimeSource(stream.name, "s", f"The file states the times of {stream.name}.")
    time = np.asarray(stream.time, float)
    steps = np.diff(time[np.isfinite(time)])
    step = float(np.median(steps)) if len(steps) else 0.0
    if step < 0 or not np.any(steps):
        return TimeSource(stream.name, "s", f"The times of {stream.name} do not increase.", known=False)
    if not any("unit of time" in note for note in stream.notes):
        return TimeSource(stream.name, "s", f"The file states the times of {stream.name}.")
    if not step > 0:
        return TimeSource(stream.name, "s", f"The times of {stream.name} do not increase.", known=False)
    if len(time) > 10 and np.all(np.diff(time) == 1.0) and time[0] in (0.0, 1.0):
        why = f"The times of {stream.name} rise by exactly 1 a row: they may count rows."
        return TimeSource(stream.name, "s", why, known=False)
    for unit in _TIME_UNITS:
        if TUNING.this_century[0] <= time[0] * factor_of(unit) <= TUNING.this_century[1]:
            return TimeSource(stream.name, unit, f"{time[0]:.0f} is a date of this century in {unit}.")
    likely = [unit for unit in _TIME_UNITS if TUNING.slowest_log <= 1 / (step * factor_of(unit)) <= TUNING.fastest_log]
    # Of two possible units the one nearer 200 Hz: 1 ms steps are likelier than 1 s steps.
    unit = min(likely, key=lambda u: abs(np.log(1 / (step * factor_of(u)) / 200)), default=None)
    if unit is None:
        return TimeSource(stream.name, "s", f"A median step of {step:.3g} fits no unit of time.", known=False)
    rate = 1 / (step * factor_of(unit))
    return TimeSource(stream.name, unit, f"A median step of {step:.4g} is {rate:.4g} Hz in {unit}.")


def quiet_norm(track: Track) -> tuple[float, float]:
    """Median norm in the quietest half-seconds, and by which share of itself the norm varies between all of them."""
    window = max(int(0.5 * track.rate), 5)
    n = len(track.values) // window
    if n < 3:
        norm = np.linalg.norm(track.values, axis=1)
        return float(np.median(norm)), float(np.std(norm) / max(np.mean(norm), 1e-12))
    parts = track.values[: n * window].reshape(n, window, 3)
    norm = np.linalg.norm(parts.mean(axis=1), axis=1)
    quiet = norm[np.argsort(parts.std(axis=1).sum(axis=1))[: max(int(TUNING.quiet_share * n), 2)]]
    return float(np.median(quiet)), float(np.std(norm) / max(float(np.mean(norm)), 1e-12))


def settle_accelerometer(exam: Examination, robot: str) -> None:
    """G or m/s², and whether gravity is in it."""
    signal = f"{robot}/specific_force"
    while signal in exam.sources:
        one, track = exam.sources[signal], exam.track(signal)
        if track is None:  # rows without a time, or few of them
            values = exam.values_of(one)
            if len(values) < 3:
                return
            norm = float(np.median(np.linalg.norm(values, axis=1)))
        else:
            norm, _ = quiet_norm(track)
        reads = f"In its quietest moments the accelerometer reads {norm:.3g}"
        if one.certain:
            share = norm / G
            if 1 / TUNING.norm_factor < share < TUNING.norm_factor:
                exam.change(signal, "confirmed", f"{reads} m/s², as gravity in {one.unit} must.")
                return
            why = "gravity is not in it" if share < 0.2 else f"gravity in {one.unit} would be {G:.3g} m/s²"
            exam.refuse(signal, f"{reads} m/s² after conversion from {one.unit}: {why}.")
            continue
        unit = _unit_of_gravity(norm, ("g", "m/s²", "mg", "cm/s²"))
        if not 0.9 < norm * factor_of(unit) / G < 1.1 and norm > 200:
            unit = _unit_of_gravity(norm, _COUNTS)
        share = norm * factor_of(unit) / G
        if 1 / TUNING.norm_factor < share < TUNING.norm_factor:
            exam.change(signal, "found", f"{reads}, which is gravity in {unit}.", unit=unit)
            return
        if norm < 0.3:
            exam.refuse(signal, f"{reads}: gravity is not in it, so it is no accelerometer's own reading.")
            continue
        exam.refuse(signal, f"{reads}, which is gravity in no unit that is known.")


_COUNTS = tuple(f"g/{2**k}" for k in (8, 9, 11, 12, 13, 14))
"""Of converters; 1024 counts a g cannot be told from mg."""


def _unit_of_gravity(norm: float, units: tuple[str, ...]) -> str:
    """The unit in which this is nearest to gravity."""
    return min(units, key=lambda unit: abs(np.log(max(norm * factor_of(unit) / G, 1e-12))))


def settle_gyroscope_unit(exam: Examination, robot: str, scale: float | None) -> None:
    """deg/s or rad/s: by the scale against an attitude, by the accelerometer's turning, or by size."""
    signal = f"{robot}/rates"
    one = exam.sources.get(signal)
    track = None if one is None else exam.track(signal)
    if one is None or track is None:
        return
    norms = np.linalg.norm(track.values, axis=1)
    if np.std(norms) < TUNING.gravity_share * np.mean(norms):
        exam.refuse(
            signal, f"its norm is {np.mean(norms):.3g} throughout: a direction, such as gravity's, and no turning."
        )
        return
    most = float(np.percentile(np.linalg.norm(track.values, axis=1), 99.5))
    evidence = "against the attitude"
    # In flight the specific force is along the thrust however the machine turns.
    flies = any(f"{robot}/{name}" in exam.sources for name in ("thrust", "motor", "rpm", "throttle"))
    if scale is None and not flies:
        scale, evidence = _turning_of_gravity(exam, robot), "against the turning of gravity in the accelerometer"
    if scale is not None:
        units = {"rad/s": abs(np.log(scale)), "deg/s": abs(np.log(scale * factor_of("deg/s")))}
        if one.certain:
            if units["rad/s"] < np.log(3.0):
                exam.report(signal, "confirmed", f"The gyroscope's scale is {scale:.2f} {evidence}.")
            elif units["deg/s"] < np.log(2.0) or abs(np.log(scale / factor_of("deg/s"))) < np.log(2.0):
                exam.refuse(signal, f"its scale is {scale:.3g} {evidence}, so it is not in {one.unit}.")
            return
        unit = min(units, key=lambda u: units[u])
        if units[unit] < np.log(3.0):
            sentence = f"The gyroscope's scale is {scale:.3g} {evidence}: {unit}."
            exam.change(signal, "found", sentence, unit=unit)
            return
        exam.report(signal, "undecided", f"The gyroscope's scale is {scale:.3g} {evidence}, which fits no unit.")
    if one.certain:
        return
    if most > 50.0:
        exam.change(signal, "found", f"It reaches {most:.0f}: too much for rad/s, so deg/s.", unit="deg/s")
        return
    exam.ask(f"Is {', '.join(one.source)} in rad/s or deg/s? Its largest value, {most:.3g}, is possible in both.")
    exam.refuse(signal, f"whether it is in rad/s or deg/s cannot be told: it reaches {most:.3g}.")


def _turning_of_gravity(exam: Examination, robot: str) -> float | None:
    """Scale k of a gyroscope where ds/dt = −ω/k × s holds for gravity's part of the specific force."""
    s, w = exam.track(f"{robot}/specific_force"), exam.track(f"{robot}/rates")
    if s is None or w is None:
        return None
    grid = grid_of(w, s)
    if grid is None:
        return None
    width = max(0.1, width_for(s, w))
    ds = derivative(s, width)
    x = averaged(ds.time, ds.values, grid, width)
    y = -np.cross(averaged(w.time, w.values, grid, width), averaged(s.time, s.values, grid, width))
    good = np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1)
    x, y = x[good], y[good]
    if len(x) < 30 or not np.sum(y**2) > 0:
        return None
    gradient = float(np.sum(x * y) / np.sum(y**2))
    noise = float(np.sqrt(np.sum(np.sum(y * (x - gradient * y), axis=1) ** 2)) / np.sum(y**2))
    return 1.0 / gradient if gradient > 3 * noise else None


def settle_joint_positions(exam: Examination) -> None:
    """Deg or rad: against the joint's own velocity, or by size; one unit for all joints of a stream."""
    groups: dict[str, list[str]] = {}
    for signal, one in exam.sources.items():
        if "/joint/" in signal and signal.endswith("/position") and one.unit == "?":
            groups.setdefault(one.streams[0], []).append(signal)
    for stream, signals in groups.items():
        most = max(float(np.nanmax(np.abs(_raw(exam, signal)), initial=0.0)) for signal in signals)
        scales = [scale for signal in signals if (scale := _joint_scale(exam, signal)) is not None]
        if scales:
            scale = float(np.median(scales))
            unit = "deg" if abs(np.log(scale * factor_of("deg"))) < abs(np.log(scale)) else "rad"
            why = f"The positions of {stream} change {scale:.3g} times as fast as its velocities state: {unit}."
        elif most > 12.6:
            unit, why = "deg", f"The positions of {stream} reach {most:.3g}: too much for rad, so deg."
        else:
            unit, why = "rad", f"The positions of {stream} reach {most:.3g} at most, taken for rad."
        for signal in signals:
            exam.change(signal, "found", why, unit=unit)


def _raw(exam: Examination, signal: str) -> np.ndarray:
    from steelyard.logs.mapping._samples import column

    return column(exam.recording, exam.sources[signal].source[0])


def _joint_scale(exam: Examination, signal: str) -> float | None:
    v = exam.sources.get(signal.removesuffix("position") + "velocity")
    stream = next(s for s in exam.recording.streams if s.name == exam.sources[signal].streams[0])
    if v is None or stream.time is None or not exam.times[stream.name].known:
        return None
    q, dq = _raw(exam, signal), _raw(exam, v.signal)
    if len(q) != len(dq) or np.ptp(q) < 1e-6:
        return None
    t = np.asarray(stream.time, float) * factor_of(exam.times[stream.name].unit)
    gradient, stated = np.gradient(q, t), dq
    share = np.corrcoef(gradient, stated)[0, 1] if np.std(stated) > 0 and np.std(gradient) > 0 else 0.0
    return float(np.std(gradient) / np.std(stated)) if share > 0.7 else None
