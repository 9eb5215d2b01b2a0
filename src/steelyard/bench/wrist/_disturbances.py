"""What happens to recordings of real wrists: shaking, hands, offsets, lost samples; put on any log of one robot."""

import functools
from collections.abc import Callable, Mapping

import numpy as np

from steelyard.bench._tuning import COVER
from steelyard.bench.wrist._bound import WristBound
from steelyard.bench.wrist._campaign import compared, log_of
from steelyard.bench.wrist._mistakes import MistakeRow, counted
from steelyard.campaigns import all_of
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.worlds.wrist import WristScenario, wrist_truth

_XYZ = "xyz"


def disturbed(log: Log, kind: str, seed: int, robot: str = "r1", mass: float = 1.0) -> Log:
    """A log with one of the `DISTURBANCES`; `mass` (kg) is what shaking moves."""
    return DISTURBANCES[kind](log, np.random.default_rng([seed, 19]), robot, mass)


def _shaken(log: Log, rng: np.random.Generator, robot: str, mass: float) -> Log:
    """10 to 60 Hz and an overtone, 0.5 to 5 m/s², in the accelerometer and, with a gain and a phase, in the wrench."""
    time, columns = np.asarray(log.time), dict(log.columns)
    frequency, size = rng.uniform(10.0, 60.0), 10.0 ** rng.uniform(np.log10(0.5), np.log10(5.0))
    amplitude = 1.0 + 0.5 * np.sin(2.0 * np.pi * rng.uniform(0.1, 0.5) * time + rng.uniform(0.0, 6.3))
    for overtone, share in ((1, 1.0), (2, 0.4)):
        omega = 2.0 * np.pi * overtone * frequency
        for a, axis in enumerate(_XYZ):
            phase, part = rng.uniform(0.0, 2.0 * np.pi), size * share * rng.uniform(0.3, 1.0) * amplitude
            _add(columns, f"{robot}/specific_force/{axis}", part * np.sin(omega * time + phase))
            gain, lag = mass * rng.uniform(0.7, 1.5), rng.uniform(-0.7, 0.7)
            _add(columns, f"{robot}/wrench/force/{axis}", gain * part * np.sin(omega * time + phase + lag))
            turn = _XYZ[(a + 1) % 3]
            _add(columns, f"{robot}/wrench/torque/{turn}", 0.05 * gain * part * np.sin(omega * time + phase + lag))
    return _log(log, time, columns)


def _touched(log: Log, rng: np.random.Generator, robot: str, mass: float, spans: int, share: float) -> Log:
    """A hand that comes and goes: forces of 2 to 20 N that wander, with torques, for seconds."""
    time, columns = np.asarray(log.time), dict(log.columns)
    begin, length = float(time[0]), float(time[-1] - time[0])
    starts = begin + length * (np.arange(spans) + rng.uniform(0.2, 0.8, spans)) / spans
    for start in starts:
        lasts = share * length / spans * rng.uniform(0.7, 1.0)
        a, b = max(begin, start - 0.5 * lasts), min(start + 0.5 * lasts, begin + length)
        size = rng.uniform(2.0, 20.0)
        edge = np.clip(np.minimum(time - a, b - time) / 0.2, 0.0, 1.0)
        direction, lever = rng.standard_normal(3), rng.uniform(-0.1, 0.1, 3)
        wander = np.stack([np.sin(2.0 * np.pi * rng.uniform(0.1, 0.7) * time + rng.uniform(0, 6.3)) for _ in _XYZ], 1)
        force = size * edge[:, None] * (direction / np.linalg.norm(direction) + 0.4 * wander)
        torque = np.cross(lever, force)
        for k, axis in enumerate(_XYZ):
            _add(columns, f"{robot}/wrench/force/{axis}", force[:, k])
            _add(columns, f"{robot}/wrench/torque/{axis}", torque[:, k])
    return _log(log, time, columns)


def _offset(log: Log, rng: np.random.Generator, robot: str, mass: float) -> Log:
    columns = dict(log.columns)
    for axis in _XYZ:
        _add(columns, f"{robot}/wrench/force/{axis}", rng.uniform(-20.0, 20.0))
        _add(columns, f"{robot}/wrench/torque/{axis}", rng.uniform(-1.0, 1.0))
    return _log(log, np.asarray(log.time), columns)


def _drifted(log: Log, rng: np.random.Generator, robot: str, mass: float) -> Log:
    """0.3 N from begin to end, and a hundredth of that in N m."""
    time, columns = np.asarray(log.time), dict(log.columns)
    share = (time - time[0]) / (time[-1] - time[0])
    for axis in _XYZ:
        _add(columns, f"{robot}/wrench/force/{axis}", rng.uniform(-0.3, 0.3) * share)
        _add(columns, f"{robot}/wrench/torque/{axis}", rng.uniform(-0.01, 0.01) * share)
    return _log(log, time, columns)


def _cut(log: Log, rng: np.random.Generator, robot: str, mass: float) -> Log:
    """60 % of it, on another clock."""
    rows = len(log)
    first = int(rng.integers(0, round(0.4 * rows)))
    take = slice(first, first + round(0.6 * rows))
    columns = {name: np.asarray(value)[take] for name, value in log.columns.items()}
    return _log(log, np.asarray(log.time)[take] + rng.uniform(-1e3, 1e5), columns)


def _decimated(log: Log, rng: np.random.Generator, robot: str, mass: float) -> Log:
    every = int(rng.choice([2, 3]))
    columns = {name: np.asarray(value)[::every] for name, value in log.columns.items()}
    return _log(log, np.asarray(log.time)[::every], columns)


def _dropped(log: Log, rng: np.random.Generator, robot: str, mass: float) -> Log:
    """A tenth of each signal's samples, and a gap of 0.4 s in one."""
    columns = {name: np.array(value) for name, value in log.columns.items()}
    time = np.asarray(log.time)
    signals = sorted({name.rpartition("/")[0] for name in columns if name.startswith(f"{robot}/")})
    gap, at = rng.choice(signals), rng.uniform(time[0] + 1.0, time[-1] - 1.0)
    for signal in signals:
        lost = rng.uniform(size=len(time)) < 0.1
        if signal == gap:
            lost |= (time > at) & (time < at + 0.4)
        for name in columns:
            if name.rpartition("/")[0] == signal:
                columns[name][lost] = np.nan
    return _log(log, time, columns)


def _add(columns: dict[str, np.ndarray], name: str, what: np.ndarray | float) -> None:
    if name in columns:
        columns[name] = np.asarray(columns[name]) + what


def _log(log: Log, time: np.ndarray, columns: Mapping[str, np.ndarray]) -> Log:
    return Log(time, columns, log.origin, log.metadata)


DISTURBANCES: Mapping[str, Callable[[Log, np.random.Generator, str, float], Log]] = {
    "nothing": lambda log, rng, robot, mass: log,
    "shaking": _shaken,
    "a hand, three times, a fifth of the log": functools.partial(_touched, spans=3, share=0.2),
    "a hand, twice, half of the log": functools.partial(_touched, spans=2, share=0.5),
    "other offsets": _offset,
    "offsets that drift by 0.3 N": _drifted,
    "60 % of the log": _cut,
    "every second or third row": _decimated,
    "a tenth of the samples lost": _dropped,
}


def try_disturbances(runs: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> list[MistakeRow]:
    """Every disturbance on `runs` logs whose noise is not stated; over the cores of this machine."""
    jobs = [(kind, seed + k) for kind in DISTURBANCES for k in range(runs)]
    return counted(DISTURBANCES, all_of(_tried, jobs, progress))


def _tried(case: tuple[str, int]) -> str:
    kind, seed = case
    scenario = WristScenario(com_x=0.05, com_y=-0.03, force_offset=5.0, torque_offset=0.3, delay=0.005)
    truth = wrist_truth(scenario, seed)
    log = disturbed(log_of(scenario, truth, seed), kind, seed, mass=scenario.mass)
    try:
        answer = identify(log, "rigid-body")
    except BadInput:
        return "refused"
    result = compared(scenario, truth, answer, WristBound(np.eye(10)), 0.0)
    given = np.isfinite(result.error)
    if given.any():
        far = float(np.max(np.abs(result.error / result.std)[given]))
        return "wrong" if far > COVER.wrong_wrist else "right"
    return "named" if answer.robots["r1"]["mass"].trust.reasons or answer.events else "refused"
