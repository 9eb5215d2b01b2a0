"""What a real-time spatial team rests on: tables that share pages, and the filter in machine code."""

import random

import machine_runs
import pytest
from compilers import has_compiler
from earnest import in_earnest

from steelyard.team.spatial_load._paged_table import PagedTable


@pytest.mark.parametrize("seed", range(20))
def test_copies_of_a_table_are_dicts_that_know_nothing_of_each_other(seed):
    """Whatever is written to any copy, in any order, each of them stays equal to a dict with the same history."""
    rng = random.Random(seed)
    pairs = [(PagedTable(), {})]
    for _ in range(300):
        table, plain = rng.choice(pairs)
        key = rng.randrange(-40, 400)
        what = rng.random()
        if what < 0.1 and len(pairs) < 8:
            pairs.append((table.copied(), plain.copy()))
        elif what < 0.15:
            table.keep_from(key)
            for old in [one for one in plain if one < key]:
                del plain[old]
        else:
            table[key] = plain[key] = rng.random()
        for table, plain in pairs:
            assert dict(table.items()) == plain
            assert table.first() == min(plain, default=None)
            assert bool(table) == bool(plain)
            assert table.get(key) == plain.get(key)
            assert (key in table) == (key in plain)


@pytest.mark.skipif(not has_compiler(), reason="no C compiler")
def test_machine_code_filters_as_numpy_does():
    """To rounding, from the first row and from any later one, a silent sensor included; over random noises."""
    for seed in range(6):
        errors = in_earnest(machine_runs.differences, seed)
        assert len(errors) >= 20
        assert max(errors.values()) < 1.0, errors


@pytest.mark.skipif(not has_compiler(), reason="no C compiler")
def test_a_team_in_real_time_ends_with_the_numbers_of_one_that_has_time():
    """Piecemeal, in machine code and with half of the messages; a part breaks off on the way."""
    quick, slow = in_earnest(machine_runs.real_time_and_not)
    assert quick.keys() == slow.keys()
    for name, (value, std) in slow.items():
        assert abs(quick[name][0] - value).max() < 0.2 * std.max(), name
        assert abs(quick[name][1] - std).max() < 0.1 * std.max(), name
