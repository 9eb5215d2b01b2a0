"""What once came out confidently wrong: the rows that take no second; `steelyard trial faults --seen` runs all."""

import pytest

from steelyard.bench.faults import SEEN, TRIED

QUICK = ("own model by Euler steps at 10 Hz", "time in ms", 'jets: ixx="abc" in the URDF', "jets: rates of 1e200")


def test_every_row_has_a_name_of_its_own_and_every_problem_a_row():
    assert len({case.what for case in SEEN}) == len(SEEN)
    assert {case.problem.name for case in SEEN} == set(TRIED)


@pytest.mark.parametrize("case", [case for case in SEEN if case.what in QUICK], ids=lambda case: case.what)
def test_no_quick_row_is_confidently_wrong(case):
    run = case.run()
    assert run.verdict in ("right", "doubted")
    assert run.sentence
