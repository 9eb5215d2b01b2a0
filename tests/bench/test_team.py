"""A step in a team, timed."""

from steelyard.bench import measure_team


def test_a_step_is_timed_for_both_agents_in_every_team():
    rows = measure_team(sizes=(4, 12))
    assert [row.key for row in rows] == ["team_step_cdc14_n4", "team_step_n4", "team_step_cdc14_n12", "team_step_n12"]
    assert all(row.unit == "us" and 0.0 < row.value < 1e6 for row in rows)  # it ran, and took less than a second
