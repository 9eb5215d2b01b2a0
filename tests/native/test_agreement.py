"""Every estimator of the registry steps in C as it does in XLA; `agreement.py`, run by hand, takes many more steps.

Two cases are left to it alone, which take XLA as long as all the others: their estimators are here with the cart, and
their model with other estimators.
"""

import agreement
import pytest
from earnest import in_earnest

STEPS = 100
HASTY = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-ffp-contract=off")


LONG = ("window-multirotor", "clones-multirotor")


@pytest.mark.parametrize("name", [name for name in agreement.registry.CASES if name not in LONG])
def test_native_steps_are_xlas(name: str):
    told = in_earnest(agreement.agreement, name, STEPS, HASTY, True)
    assert told.error < 1e-12  # relative: a thousand roundings
    assert told.flags_differ == 0
    assert told.steps == STEPS
