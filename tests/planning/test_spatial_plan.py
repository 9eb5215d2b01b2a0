"""`plan spatial` on the command line: what a motion in space can tell, and a better one."""

import json

import pytest

from steelyard import logs

SHORT = ("--duration", "2.5", "--robots", "3")


def test_turning_about_one_axis_is_named_and_a_better_motion_found(earnestly, tmp_path):
    done = earnestly("plan", "spatial", *SHORT, "--motion", "one-axis", "-o", "wrenches.csv", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    own, better = json.loads(done.stdout)["motions"]
    assert own["std"]["inertia"] is None
    assert "The inertia cannot be told from this motion: the load hardly turns about" in own["verdict"]
    assert better["verdict"] == "Everything can be told from this motion."
    for quantity, std in better["std"].items():
        assert std is not None
        assert own["std"][quantity] is None or std < own["std"][quantity]
    log = logs.read(tmp_path / "wrenches.csv")
    assert log.robots == ("r1", "r2", "r3")
    assert len(log) == 251


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--sensors", "exact"), "has no noise"),
        (("--drop-share", "0.4", "--drop-time", "1"), "leave --drop-share out"),
        (("--weightless",), "leave --weightless out"),
        (("--seed", "-1"), "--seed is -1"),
    ],
)
def test_plans_that_make_no_sense_are_refused(steelyard, options, named):
    code, _, complaint = steelyard("plan", "spatial", *SHORT, *options)
    assert code == 2
    assert named in complaint
