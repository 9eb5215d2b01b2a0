"""Whole teams of the planar papers: every robot ends up knowing the load, or says why it cannot."""

import numpy as np
import pytest
from planar_world import NAMES

from steelyard.errors import BadInput
from steelyard.papers.planar.robots import PaperAgent, Stage, cdc14_procedure, cdc14_team
from steelyard.team import Graph

LINE = Graph.line(NAMES)
PLATE = 2.0
"""m, the short side of the papers' plate: what an error of a vector is relative to."""


def errors(run, world, graph, name):
    """Relative errors of one robot's last word."""
    estimates = run.last(name)
    angle, omega, _ = world.at(estimates["mass"].time)
    truth = {"mass": world.mass, "inertia": world.inertia, "omega": omega}
    found = {quantity: estimates[quantity].value / value - 1.0 for quantity, value in truth.items()}
    arms = {other: world.arm(other, angle) for other in world.contacts}
    found["com"] = abs(complex(*estimates["com"].value) + arms[name]) / PLATE
    for other in graph.neighbours(name):
        z = arms[other] - arms[name]
        found[f"contact/{other}"] = abs(complex(*estimates[f"contact/{other}"].value) - z) / PLATE
        found[f"distance/{other}"] = estimates[f"distance/{other}"].value / abs(z) - 1.0
    return {quantity: abs(float(error)) for quantity, error in found.items()}


@pytest.mark.parametrize("run", ["cdc14_ring_backwards", "cdc14_with_a_silence"])
def test_without_noise_every_robot_of_cdc14_knows_everything_to_a_thousandth(run, team_runs):
    """The paper's own line without a fault is `reproduce cdc14`, in test_planar_papers.py."""
    run, world, graph = team_runs[run].result()
    for name in graph.names:
        assert run.states[name].stage == Stage.DONE
        found = errors(run, world, graph, name)
        assert max(found.values()) < 1e-3, (name, found)


@pytest.mark.parametrize("run", ["icra15_noisy", "icra15_arbitrary_forces"])
def test_icra15_lands_where_the_paper_did(run, team_runs):
    """J within 1 %, m within 5 %, the centre of mass within 0.1 m.

    With noise of 0.2 m/s at 100 Hz; and with arbitrary forces, where the lag of dynamic consensus is the error.
    """
    run, world, graph = team_runs[run].result()
    for name in graph.names:
        assert run.states[name].stage == Stage.DONE
        found = errors(run, world, graph, name)
        assert found["inertia"] < 0.01, (name, found)
        assert found["mass"] < 0.05, (name, found)
        assert PLATE * found["com"] < 0.1, (name, found)
    agreed = np.array([[run.last(name)[q].value for q in ("inertia", "mass")] for name in graph.names])
    assert np.ptp(agreed, axis=0).max() < 1e-3 * 5.0  # what averaging leaves after its time


def test_noisy_vectors_come_with_deviations_of_their_size(team_runs):
    """Of ω and the centre of mass, over the last second: 120 errors, few beyond twice the deviation.

    Errors in one second are hardly independent, so the bound is loose: a quarter, for 5 % of independent ones.
    """
    outside, largest = [], []
    run, world, _ = team_runs["icra15_noisy"].result()
    for name in NAMES:
        for estimates in run.estimates[name][-10:]:
            angle, omega, _ = world.at(estimates["omega"].time)
            outside.append(abs(estimates["omega"].value - omega) > 2.0 * estimates["omega"].std)
            com = -world.arm(name, angle)
            outside += list(abs(estimates["com"].value - [com.real, com.imag]) > 2.0 * estimates["com"].std)
            largest.append(estimates["com"].std.max())
    assert np.mean(outside) < 0.25
    assert max(largest) < 0.1  # and the deviations are not large to be safe


def statuses(run, name):
    return {quantity: estimate.status for quantity, estimate in run.last(name).items()}


@pytest.mark.parametrize("paper", ["cdc14", "icra15"])
@pytest.mark.parametrize("why", ["two_contacts_at_one_point", "never_turns"])
def test_a_load_that_cannot_tell_is_not_identifiable(paper, why, team_runs):
    """The one without noise, the other with the paper's."""
    run = team_runs[f"{paper}_{why}"].result()
    for name in NAMES:
        assert set(statuses(run, name).values()) == {"not-identifiable"}
        assert all(estimate.value is None for estimate in run.last(name).values())


def test_without_net_force_the_centre_and_the_mass_cannot_be_told_but_the_inertia_can(team_runs):
    run, _ = team_runs["cdc14_no_net_force"].result()
    for name in NAMES:
        found = statuses(run, name)
        assert (found["mass"], found["com"]) == ("not-identifiable", "not-identifiable")
        assert run.last(name)["inertia"].value == pytest.approx(12.3795, rel=1e-3)


def test_a_watch_sees_how_numbers_come_about(team_runs):
    """Stages in their order; and nothing is shown of what no stage has touched yet."""
    _, seen = team_runs["cdc14_no_net_force"].result()
    stages = [shown["stage"] for shown in seen]
    assert stages == sorted(stages)
    assert {Stage.SPIN, Stage.COAST, Stage.TURN, Stage.SLOW, Stage.OBSERVE, Stage.HALT} == set(stages)
    assert all(("inertia" in shown) <= (shown["stage"] >= Stage.TURN) for shown in seen)
    assert seen[-1]["inertia"] == pytest.approx(12.3795, rel=1e-3)
    assert "mass" not in seen[-1]


def test_a_robot_without_a_sensor_fails_and_so_does_the_team_that_needs_it(team_runs):
    run = team_runs["cdc14_without_a_sensor"].result()
    for name in NAMES:
        assert set(statuses(run, name).values()) == {"failed"}


def test_a_robot_that_leaves_is_noticed(team_runs):
    """The papers' team is of constant size: what was not known by then is failed, what was known stays."""
    run = team_runs["cdc14_one_leaves"].result()
    for name in NAMES[:3]:
        found = statuses(run, name)
        assert (found["inertia"], found["com"], found["mass"]) == ("known", "failed", "failed")


def test_nobody_weighs_alone():
    with pytest.raises(BadInput, match="alone cannot see"):
        cdc14_team(Graph(["r1"], []))
    with pytest.raises(BadInput, match="has no neighbour"):
        PaperAgent("r1", (), cdc14_procedure(LINE))
    with pytest.raises(BadInput, match="may not reach all 4 robots"):
        cdc14_team(LINE, ballot_rounds=3)
