"""What a robot of a team works out for itself, as a pure step that can become C, is what its agent works out."""

import pytest
import step_runs
from compilers import has_compiler
from earnest import in_earnest


@pytest.mark.parametrize("errors", [step_runs.planar_errors, step_runs.spatial_errors])
def test_the_step_is_the_agents_and_c_is_xlas(errors):
    told = in_earnest(errors, has_compiler())
    assert len(told) >= 4
    assert max(told.values()) < 1e-12, told
