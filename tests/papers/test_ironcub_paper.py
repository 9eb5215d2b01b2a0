"""One failure, flown and judged as `reproduce ironcub` does: the engine is named, then the robot crashes."""

import functools

from earnest import in_earnest
from steelyard.papers.ironcub import work
from steelyard.papers.ironcub._failures import CASES, METHODS, FailureScore, score
from steelyard.papers.ironcub._trial import course

FALL = next(k for k, flight in enumerate(CASES) if flight.course == "flight" and flight.failed_engine == 3)


def judged() -> tuple[FailureScore, bool]:
    """Ours without rotor speed; and whether the robot struck the ground before the record ended."""
    flown = course(CASES[FALL], 500 + FALL)
    late = flown.time > CASES[FALL].failure_time
    return score(flown, flown.run(*METHODS["ours"])), bool(flown.record.contact[late].any())


@functools.cache
def in_one_go():
    return in_earnest(judged)


def test_the_engine_is_named_and_no_other_when_the_robot_strikes_the_ground():
    scored, struck = in_one_go()
    assert struck
    assert scored.named
    assert scored.delay <= 0.5
    assert scored.wrongly == 0


def test_the_thrusts_are_followed_through_the_failure():
    scored, _ = in_one_go()
    assert scored.rms.max() < 0.05


def test_progress_counts_every_flight_and_every_failure():
    assert work(5) - work(2) == 3
    assert work(1) > len(CASES)
