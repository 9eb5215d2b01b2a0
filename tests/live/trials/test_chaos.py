"""Teams in virtual time: a run replays exactly, a failure is shrunk to its cause, and seeds that hold go on to hold."""

import chaos_runs
import pytest
from earnest import in_earnest

pytest.importorskip("mujoco")


def test_a_run_is_a_function_of_its_seed_and_disasters():
    once, again = in_earnest(chaos_runs.twice, "spatial-load", 2)
    assert once == again
    assert len(once) > 10


def test_a_failure_is_shrunk_to_the_disaster_that_causes_it():
    """Whatever else happens, it fails if r2 is dead at 3 s."""
    (cause,) = in_earnest(chaos_runs.shrunk_to_a_moment, 3.0)
    assert (cause.kind, cause.robot) == ("kill", "r2")
    assert cause.covers(3.0)
    assert cause.end - cause.start < 0.2


@pytest.mark.parametrize(("problem", "seed"), chaos_runs.HOLD)
def test_seeds_that_hold_go_on_to_hold(problem: str, seed: int):
    """Known open ones are listed in docs/TEAMS.md."""
    assert in_earnest(chaos_runs.violation, problem, seed) is None
