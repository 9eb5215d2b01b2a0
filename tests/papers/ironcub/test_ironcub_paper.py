"""One failure, flown and judged as `reproduce ironcub` does: the engine is named, then the robot crashes."""

import functools

from earnest import in_earnest

from steelyard.papers.ironcub import work
from steelyard.papers.ironcub._failures import CASES, METHODS, FailureScore, score
from steelyard.papers.ironcub._trial import simulate_run

FALL = next(k for k, flight in enumerate(CASES) if flight.trajectory == "flight" and flight.failed_engine == 3)


def judged() -> tuple[FailureScore, float]:
    """Ours without rotor speed; and the NEES a dimension after the robot has struck the ground."""
    flown = simulate_run(CASES[FALL], 500 + FALL)
    struck = (flown.time > CASES[FALL].failure_time) & flown.record.contact.any(axis=1)
    track = flown.run(*METHODS["ours"])
    return score(flown, track), flown.nees(track, struck)


@functools.cache
def in_one_go():
    return in_earnest(judged)


def test_the_engine_is_named_and_no_other_when_the_robot_strikes_the_ground():
    scored, _ = in_one_go()
    assert scored.named
    assert scored.delay <= 0.5  # s, what is asked of a failure's naming
    assert scored.wrongly == 0


def test_the_thrusts_are_followed_through_the_failure():
    scored, _ = in_one_go()
    assert scored.rms.max() < 0.05  # of an engine's maximum, as for a fit on a bench


def test_a_blow_widens_the_intervals():
    _, nees = in_one_go()
    assert nees < 18.5 / 4  # errors hardly change in that third of a second: χ² of four thrusts, once in a thousand


def test_progress_counts_every_flight_and_every_failure():
    assert work(5) - work(2) == 3
    assert work(1) > len(CASES)
