"""Trials on real worker processes: the bytes of a run alone, also where a worker is killed; one sentence otherwise."""

import functools
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from cluster_trial import trial

from steelyard.campaigns import _trial_cache, all_of, in_processes, on_workers
from steelyard.campaigns._tuning import ClusterTuning
from steelyard.errors import BadInput

pytest.importorskip("distributed")
SEEDS = list(range(12))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # workers import what we import
    monkeypatch.setattr(_trial_cache, "private_folder", lambda name: tmp_path / name)
    return tmp_path


def test_a_killed_worker_costs_its_own_trial_only_and_no_bit_of_the_answer(folder, capfd):
    expected = [np.random.default_rng(seed).normal(size=50).tolist() for seed in SEEDS]
    told = []
    with on_workers(4, None):
        found = all_of(functools.partial(trial, folder), SEEDS, told.append)
    assert found == expected
    assert sum(told) == len(SEEDS)
    tried = [line.split() for line in (folder / "tried").read_text().splitlines()]
    assert {threads for _, _, threads in tried} == {"1"}
    assert [seed for seed, _, _ in tried].count("5") == 2
    again = len(tried) - len(SEEDS)
    assert 1 <= again <= 3  # the killed worker's own, and what was queued or not yet reported there
    assert len({pid for _, pid, _ in tried}) >= 4
    assert "Dashboard: http://127.0.0.1:" in capfd.readouterr().err
    (folder / "tried").unlink()
    assert all_of(functools.partial(trial, folder), SEEDS, told.append) == expected  # all of it was kept
    assert not (folder / "tried").exists()


def test_a_scheduler_with_workers_in_another_folder_gives_the_same_and_its_end_is_said(folder, tmp_path):
    (folder / "killed").touch()
    commands = [["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", "s.json"]]
    commands += [["worker", "--scheduler-file", "s.json", "--nthreads", "1", "--no-dashboard", "--local-directory", d]
                 for d in ("one", "two")]  # fmt: skip
    running = [subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_" + command[0], *command[1:]],
                                cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for command in commands]  # fmt: skip
    try:
        deadline = time.monotonic() + 20
        while not (tmp_path / "s.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        address = json.loads((tmp_path / "s.json").read_text())["address"]
        with on_workers(None, address, quiet=True):
            found = list(in_processes(functools.partial(trial, folder), SEEDS))
            more = iter(in_processes(functools.partial(trial, folder), list(range(1000, 2000))))
            next(more)
            running[0].kill()
            with pytest.raises(BadInput, match=r"The scheduler at .* went away; start it again"):
                list(more)
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert found == [np.random.default_rng(seed).normal(size=50).tolist() for seed in SEEDS]


def test_workers_that_die_as_they_start_are_started_again_and_then_said(monkeypatch):
    import distributed

    tries = []

    def dies(*_, **__):
        tries.append(1)
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", dies)
    with pytest.raises(BadInput, match=r"die as they start \(Nanny failed to start.\)"), on_workers(2, None):
        pass
    assert len(tries) == 3


@pytest.mark.parametrize(
    ("workers", "scheduler", "sentence"),
    [
        (2, "tcp://127.0.0.1:1", "both given"),
        (0, None, "--workers is 0"),
        (None, "tcp://127.0.0.1:1", "No scheduler with workers answers"),
        (None, "nowhere", "No scheduler with workers answers"),
    ],
)
def test_what_cannot_be_is_one_sentence(workers, scheduler, sentence, monkeypatch):
    monkeypatch.setattr("steelyard.campaigns._cluster.CLUSTER", ClusterTuning(answer_within=0.5))
    with pytest.raises(BadInput, match=sentence), on_workers(workers, scheduler):
        pass
