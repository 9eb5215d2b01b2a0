"""What a robot of a team works out for itself, as a pure step that can become C, is what its agent works out."""

import pytest
import step_runs

from earnest import in_earnest
from steelyard.native import NoCompiler, find_compiler


def has_compiler() -> bool:
    try:
        find_compiler()
    except NoCompiler:
        return False
    return True


@pytest.mark.parametrize("errors", [step_runs.planar_errors, step_runs.spatial_errors])
def test_the_step_is_the_agents_and_c_is_xlas(errors):
    told = in_earnest(errors, has_compiler())
    assert len(told) >= 4
    assert max(told.values()) < 1e-12, told
