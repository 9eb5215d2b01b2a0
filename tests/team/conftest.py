"""Long runs are not type-checked at run time: ten times slower, and short ones of the same code are."""

import jaxtyping
import pytest


@pytest.fixture
def unchecked():
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)
