"""Results of the papers' teams, computed beside the short tests."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from steelyard.campaigns._processes import begin_worker


@pytest.fixture(scope="session", autouse=True)
def team_runs(request):
    """Results of `team_runs.RUNS` by name, each a promise until it is asked for.

    Where a test will ask, they start with the first test of this folder, so that short tests pass the time.
    """
    if not any(Path(item.path).name == "test_paper_teams.py" for item in request.session.items):
        yield {}
        return
    import team_runs

    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), begin_worker, (os.getpid(),)) as pool:
        yield {run.__name__: pool.submit(run) for run in team_runs.RUNS}
