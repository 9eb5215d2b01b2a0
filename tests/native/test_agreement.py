"""Every estimator of the registry steps in C as it does in XLA; `agreement.py`, run by hand, takes many more steps."""

import agreement
import pytest

from earnest import in_earnest

STEPS = 100
HASTY = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-ffp-contract=off")


@pytest.mark.parametrize("name", agreement.registry.CASES)
def test_native_steps_are_xlas(name: str):
    told = in_earnest(agreement.agreement, name, STEPS, HASTY, True)
    assert told.error < 1e-12
    assert told.flags_differ == 0
    assert told.steps > 0.9 * STEPS
