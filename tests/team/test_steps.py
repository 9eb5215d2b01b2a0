"""What a robot of a team works out for itself, as a pure step that can become C, is what its agent works out."""

import pytest
import step_runs
from compilers import has_compiler
from earnest import in_earnest


@pytest.mark.parametrize("errors", [step_runs.planar_errors, step_runs.spatial_errors])
@pytest.mark.parametrize("seed", range(3))
def test_the_step_is_the_agents_and_c_is_xlas(errors, seed):
    """To rounding; C once, since its code differs in constants only."""
    native = seed == 0 and has_compiler()
    found = in_earnest(errors, native, seed)
    assert len(found) >= (6 if native else 3)
    assert max(found.values()) < 1.0, found
