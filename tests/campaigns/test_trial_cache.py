"""Trials of an interrupted run are not done again; and its workers end with it."""

import functools
import subprocess
import sys
import time

import pytest

from steelyard.campaigns import TrialCache, _processes, _trial_cache, all_of, clear_trials
from steelyard.worlds import JetsScenario


def half(done, number):
    """A trial that leaves a trace."""
    with open(done, "a") as file:
        file.write(f"{number} ")
    if number == 7:
        raise KeyboardInterrupt
    return number / 2.0


half.__module__ = "steelyard.papers.tested._half"


@pytest.fixture
def caches(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial_cache, "private_folder", lambda name: tmp_path / name)
    monkeypatch.setattr(_processes, "_cores", lambda: 1)
    return tmp_path


def test_what_was_done_before_an_interruption_is_not_done_again(caches):
    work, told = functools.partial(half, caches / "done"), []
    with pytest.raises(KeyboardInterrupt):
        all_of(work, [3, 4, 7, 5], lambda steps: None)
    assert all_of(work, [5, 4, 3], told.append) == [2.5, 2.0, 1.5]
    assert (caches / "done").read_text().split() == ["3", "4", "7", "5"]
    assert told == [1, 1, 1]


def test_other_arguments_and_cleared_trials_begin_anew(caches):
    work = functools.partial(half, caches / "done")
    assert all_of(work, [3], lambda steps: None) == [1.5]
    assert TrialCache(functools.partial(half, caches / "other")).find(3) is None
    assert TrialCache(work).find(3) == (1.5,)
    clear_trials("steelyard.papers.other")
    assert TrialCache(work).find(3) == (1.5,)
    clear_trials("steelyard.papers.tested")
    assert TrialCache(work).find(3) is None


def test_a_spoilt_entry_counts_as_none(caches):
    work = functools.partial(half, caches / "done")
    all_of(work, [3], lambda steps: None)
    (entry,) = (caches / "trials").rglob("*.msgpack")
    entry.write_bytes(entry.read_bytes()[:5])
    assert TrialCache(work).find(3) is None


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_end_with_the_process_they_work_for(tmp_path):
    script = tmp_path / "long_work.py"
    script.write_text(
        "import os, time\n"
        "from steelyard.campaigns import in_processes\n"
        "def work(k):\n"
        f"    open({str(tmp_path)!r} + f'/{{os.getpid()}}.worker', 'w').close()\n"
        "    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        "    os.cpu_count = lambda: 2\n"
        "    list(in_processes(work, [1, 2]))\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)])
    try:
        workers = _within(60.0, lambda: [int(path.stem) for path in tmp_path.glob("*.worker")], 2)
        parent.kill()
        parent.wait()
        assert _within(20.0, lambda: [pid for pid in workers if _runs(pid)], 0) == []
    finally:
        parent.kill()


def _within(seconds, look, count):
    end = time.monotonic() + seconds
    while len(found := look()) != count and time.monotonic() < end:
        time.sleep(0.1)
    return found


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(") ", 1)[1][0] not in "ZX"
    except OSError:
        return False


def test_a_result_may_hold_the_scenario_that_it_is_of(caches):
    """As the failures of ironcub do."""
    cache = TrialCache(half)
    cache.put(1, JetsScenario(mass_error=0.03))
    assert cache.find(1) == (JetsScenario(mass_error=0.03),)


def test_a_result_that_holds_more_than_data_is_done_again_and_fails_nothing(caches):
    cache = TrialCache(half)
    cache.put(1, lambda: None)
    assert cache.find(1) is None
