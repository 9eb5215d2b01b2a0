"""Flights and a command line as a user has them: real files, real processes where it matters."""

import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.cli._main import run


@pytest.fixture(scope="session")
def flight_csv(tmp_path_factory) -> Path:
    """A ten-second flight with four steps of mass."""
    path = tmp_path_factory.mktemp("flights") / "flight.csv"
    assert run(["simulate", "multirotor", "--duration", "10", "--seed", "1", "-o", str(path)]) == 0
    return path


@pytest.fixture
def process(tmp_path):
    """Runs a command as a process of its own, in an empty folder."""

    def call(*arguments: str, **options) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "steelyard", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, **options)

    return call
