"""A command that is terminated leaves nothing behind; `tests/support/kill_sweep.py` has all commands and signals."""

import sys

import kill_sweep
import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_terminated_simulation_leaves_no_file_no_folder_and_no_process(tmp_path):
    found = kill_sweep.sweep("simulate", ["SIGTERM"], 3, tmp_path)
    assert [one.problems for one in found["SIGTERM"]] == [(), (), ()]
