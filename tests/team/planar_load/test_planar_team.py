"""Robots that weigh a load together: against the truth, a bad radio, and motions that tell nothing."""

import load_runs
import numpy as np
import pytest
from compilers import has_compiler
from earnest import in_earnest
from load_runs import INERTIA, MASS, RUB
from planar_world import NAMES


def check(found, names=NAMES, sigmas=4.5):
    """Every number lies within so many of its own standard deviations of the truth."""
    arms = found.push.arms
    for name in names:
        said = found.last[name]
        theta, mass, inertia = found.push.truth[round(said["mass"].time * found.push.rate)]
        turn = np.exp(1j * theta)
        true = {"mass": mass, "inertia": inertia, "com": -turn * arms[name]}
        true |= dict(zip(("viscous_friction", "coulomb_friction"), RUB, strict=True))
        true |= {f"contact/{other}": turn * (arms[other] - arms[name]) for other in arms}
        for what, estimate in said.items():
            if estimate.value is None:
                continue
            value = true[what]
            expected = np.array([value.real, value.imag]) if np.iscomplexobj(value) else np.array(value)
            assert np.all(np.abs(estimate.value - expected) < sigmas * estimate.std), (name, what)


def known(found, name):
    return {what for what, estimate in found.last[name].items() if estimate.value is not None}


def test_everybody_weighs_the_load_from_nothing():
    """Numbers, their intervals (4.5 σ: wrong in one run of 10^4 or so), and no event where nothing happened."""
    found = in_earnest(load_runs.from_nothing)
    assert not found.events
    for name in NAMES:
        assert known(found, name) == set(found.last[name]), name
        spread = {what: np.max(np.asarray(estimate.std)) for what, estimate in found.last[name].items()}
        assert spread["mass"] < 0.01 * MASS
        assert spread["inertia"] < 0.02 * INERTIA
        assert spread["com"] < 0.04
        assert found.last[name]["mass"].time > 11.5
    check(found)


def test_a_bad_radio_costs_time_only():
    found = in_earnest(load_runs.bad_radio)
    for name in NAMES:
        assert {"mass", "inertia", "com"} <= known(found, name), name
        assert found.last[name]["mass"].time > 9.0  # s, of 12: where three of ten are lost, a row takes a second or two
    check(found)


@pytest.mark.parametrize(
    ("run", "there"), [(load_runs.one_leaves, NAMES[:3]), (load_runs.one_joins, NAMES)], ids=["leaves", "joins"]
)
def test_the_others_go_on_when_a_robot_comes_or_goes(run, there):
    found = in_earnest(run)
    for name in there:
        assert {"mass", "inertia", "com"} <= known(found, name), name
        assert found.last[name]["mass"].time > found.push.samples[name][-1].time - 1.0
    check(found, there)


def test_who_goes_leaves_its_readings_to_a_successor():
    """The others then know what they would know if it had stayed, idle: the same numbers up to steps not taken yet."""
    gone, idle = in_earnest(load_runs.gone_or_idle)
    for name in NAMES[:3]:
        for what in ("mass", "inertia"):
            one, other = gone.last[name][what], idle.last[name][what]
            assert abs(one.value - other.value) < 0.2 * other.std, (name, what)
            assert abs(one.std / other.std - 1.0) < 0.05, (name, what)


def test_who_leaves_twice_is_inherited_twice():
    found, (inherited, start) = in_earnest(load_runs.gone_twice)
    assert (inherited, start) == (2, 0)  # all of it in one window
    assert all({"mass", "inertia", "com"} <= known(found, name) for name in NAMES[:3])
    check(found, NAMES[:3])


def test_a_robot_that_misses_rows_does_not_end_the_estimation():
    """A force that nobody knows breaks the window; the next one goes on from what was known."""
    found = in_earnest(load_runs.one_misses_rows)
    for name in NAMES:
        assert {"mass", "inertia", "com"} <= known(found, name), name
        assert found.last[name]["mass"].time > 13.0
        assert float(found.last[name]["mass"].std) < 0.005 * MASS
    assert not found.events
    check(found)


def test_who_has_no_more_samples_fails_unless_nobody_has():
    one, everybody = in_earnest(load_runs.samples_end)
    assert one["r2"]["mass"].status == "failed"
    for name in NAMES:
        assert everybody[name]["mass"].status == "known", name
        assert everybody[name]["mass"].time > 7.9, "of the last row, four seconds later"


def test_who_comes_later_knows_what_the_others_know():
    found = in_earnest(load_runs.one_joins)
    for what in ("mass", "inertia"):
        newcomer, other = found.last["r4"][what], found.last["r3"][what]
        assert abs(newcomer.value - other.value) < 0.1 * other.std  # the same sums, some rows apart


def test_friction_is_found_out_where_it_is_asked_for():
    """Beside mass and inertia; where nobody asked, the robots see that nothing fits and say no number."""
    rubbed, denied = in_earnest(load_runs.rubbing)
    for name in NAMES:
        assert known(rubbed, name) == set(rubbed.last[name])
        assert "mass" not in known(denied, name)
    check(rubbed)


def test_a_lost_part_of_the_load_is_an_event_within_a_second():
    found = in_earnest(load_runs.part_is_lost)
    assert {name for _, name, _ in found.events} == set(NAMES)
    # s: it falls off at 8.
    assert all(8.0 < time < 9.0 and kind == "change" for time, _, kind in found.events)
    for name in NAMES:
        for what, true in (("mass", 0.7 * MASS), ("inertia", 0.7 * INERTIA)):
            known = found.last[name][what]
            assert known.value is not None
            assert known.std is not None
            assert abs(float(known.value) - true) < 4.5 * float(known.std)  # as in `check`


@pytest.mark.parametrize(
    ("run", "unknown"),
    [(load_runs.nothing_turns, {"inertia", "com"}), (load_runs.no_net_force, {"mass"})],
    ids=["nothing turns", "no net force"],
)
def test_what_a_push_does_not_tell_gets_no_number(run, unknown):
    found = in_earnest(run)
    for name in NAMES:
        assert not unknown & known(found, name), name
        assert all(found.last[name][what].status == "not-identifiable" for what in unknown)
    check(found)


def test_one_robot_alone_says_that_it_cannot_know():
    found = in_earnest(load_runs.alone)
    assert {estimate.status for estimate in found.last["r1"].values()} == {"not-identifiable"}


@pytest.mark.parametrize("run", [load_runs.one_point, load_runs.two_at_one_point], ids=["all", "two"])
def test_contacts_at_one_point_make_no_wrong_number(run):
    """Where all hold the same point, its path under known forces may still tell the load; nothing wrong is said."""
    check(in_earnest(run))


def test_a_robot_that_measures_nothing_fails_and_says_so():
    found = in_earnest(load_runs.one_measures_nothing)
    assert {estimate.status for estimate in found.last["r4"].values()} == {"failed"}
    check(found, NAMES[:3])


def test_a_push_longer_than_a_window_goes_on_from_what_was_known():
    """34 s, of which a window holds 25.6: no event, and the mass is known as well as before."""
    found = in_earnest(load_runs.long_push)
    assert not found.events
    for name in NAMES:
        assert found.last[name]["mass"].time > 33.0
        assert float(found.last[name]["mass"].std) < 0.005 * MASS
    check(found)


def test_a_load_that_turns_wildly_is_not_lost():
    """Every robot knows the mass at every sample from 8 s on, window after window."""
    assert max(in_earnest(load_runs.wild_push).values()) < 0.02


@pytest.mark.skipif(not has_compiler(), reason="no C compiler")
def test_compiled_rollouts_are_those_of_xla():
    errors = in_earnest(load_runs.rollouts)
    assert len(errors) == 24
    assert max(errors.values()) < 1e-12, errors  # rounding


def test_sampled_forces_are_not_held_ones():
    """At 25 Hz a force taken for held acts half a sample late: the robots see that it does not fit."""
    sampled, held = in_earnest(load_runs.sampled_forces)
    assert all({"mass", "inertia", "com"} <= known(sampled, name) for name in NAMES)
    check(sampled)
    assert not any("mass" in known(held, name) for name in NAMES)
