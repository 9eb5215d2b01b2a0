"""Logs to test with, and the one property that every sentence for people has."""

import os
from pathlib import Path

import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.logs import Log


@pytest.fixture
def log() -> Log:
    names = ["r1/velocity/x", "r1/velocity/y", "r1/force/y", "r1/force/x", "r2/thrust", "truth/mass"]
    columns = {name: np.arange(4.0) + 10 * k for k, name in enumerate(names)}
    columns["r2/attitude/w"] = np.full(4, np.nan)
    return Log(np.array([0.0, 0.1, 0.3, 0.4]), columns, "flight.csv", {"scenario": "demo", "seed": "7"})


@pytest.fixture
def complaint():
    """Calls a function, which must complain in one line with all the given words in it."""

    def check(function, *words: str) -> None:
        with pytest.raises(BadInput) as caught:
            function()
        sentence = str(caught.value)
        assert "\n" not in sentence
        assert sentence[-1] in ".?"
        for word in words:
            assert word in sentence, sentence

    return check


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Where the logs that others recorded are; they are no part of this repository."""
    folder = Path(os.environ.get("STEELYARD_REAL_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the recorded logs are not here ({folder}); STEELYARD_REAL_DATA says where they are")
    return folder
