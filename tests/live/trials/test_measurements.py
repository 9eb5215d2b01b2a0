"""What a run says of itself."""

import numpy as np
import pytest

from steelyard.live.trials._measurements import _growth

SECONDS = np.arange(0.0, 601.0, 10.0)


@pytest.mark.parametrize("share", [0.0, 0.01, -0.02])
def test_growth_of_memory_is_what_lasts_after_the_first_minute_and_not_what_comes_and_goes(share):
    flutter = np.random.default_rng(0).normal(0.0, 0.002, len(SECONDS))
    memory = 240.0 * (1.0 + share * (SECONDS - 60.0) / 540.0 + flutter)
    memory[SECONDS < 60.0] = 200.0
    memory[-1] *= 1.02  # as samples of real processes are
    found = _growth([(time, one, 9) for time, one in zip(SECONDS, memory, strict=True)])
    assert abs(found - share) < 0.006  # four standard errors of a slope through 55 samples, and the last one's pull
