"""A simulated flight and a simulated hold, written as others would: the original numbers come back, or one is asked."""

import functools

import numpy as np
import pytest

from steelyard.bench.disguises import DISGUISES, FLIGHT, HOLD, disguises_of, flight, hold, signal
from steelyard.logs import read_recording
from steelyard.logs.mapping import Look, look, rows_for

CASES = {"flight": (flight, FLIGHT, "multirotor"), "hold": (hold, HOLD, "rigid-body")}
NO_AXES_OF_ITS_OWN = {("hold", "NED/FRD")}  # a sensor's axes are what they are called; the answer is in them


@pytest.fixture(scope="module")
def looked(tmp_path_factory):
    """Looks at a disguised log, once each, and returns the simulated columns along."""
    simulated = {kind: make(1) for kind, (make, _, _) in CASES.items()}

    @functools.cache
    def once(kind: str, disguise: str) -> tuple[Look, dict[str, np.ndarray]]:
        folder = tmp_path_factory.mktemp("disguise")
        tables = DISGUISES[disguise](simulated[kind], CASES[kind][1])
        return look(read_recording(*(table.write(folder) for table in tables))), simulated[kind]

    return once


def error(log, columns, name: str) -> float:
    """RMS of what came back less the original, over the original's own variation."""
    original = signal(columns, name)
    expected = np.stack([np.interp(log.time, columns["time"], channel) for channel in original.T], axis=1)
    got = log.signal("r1", name)
    if name == "attitude":
        got = got * np.sign(np.nansum(got * expected, axis=1))[:, None]
    return float(np.sqrt(np.nanmean((got - expected) ** 2)) / np.std(original - original.mean(axis=0)))


@pytest.mark.parametrize(("kind", "disguise"), [(kind, one) for kind in CASES for one in disguises_of(kind)])
def test_the_original_numbers_come_back_or_one_question_is_asked(looked, kind: str, disguise: str):
    _, names, problem = CASES[kind]
    looked, columns = looked(kind, disguise)
    if disguise == "no header":
        assert len(looked.mapping.questions) == 1
        assert not any(one.possible for one in looked.problems)
        return
    assert looked[problem].possible, looked[problem].missing
    log, _ = rows_for(looked.recording, looked.mapping, looked[problem])
    if (kind, disguise) in NO_AXES_OF_ITS_OWN:
        return
    for name in names:
        # Of the signal: this is noise. Another axis, sign or unit is off by the signal's own size.
        assert error(log, columns, name) < 0.05, name


def test_a_sensor_that_is_40_ms_late_is_said_to_be(looked):
    late = looked("hold", "40 ms late")[0].mapping.signals["r1/specific_force"]
    assert late.delay_std is not None
    assert late.delay_std < 0.002  # s: asked
    assert abs(late.delay - 0.04) < 4 * late.delay_std


def test_a_wrench_on_the_sensor_is_turned_round(looked):
    signals = looked("hold", "wrench of the opposite sign")[0].mapping.signals
    assert signals["r1/wrench/force"].axes == ("-x", "-y", "-z")
    assert signals["r1/wrench/torque"].axes == ("-x", "-y", "-z")


def test_every_signal_says_why(looked):
    signals = looked("flight", "degrees")[0].mapping.signals
    assert all(one.why.endswith(".") for one in signals.values())
    assert signals["r1/rates"].unit == "deg/s"
