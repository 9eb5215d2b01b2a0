"""Robots that weigh a load together: against the truth, a bad radio, and motions that tell nothing."""

import numpy as np
import pytest
from planar_world import CONTACTS, NAMES

from steelyard.team import Bus, Disturbance, Graph, PlanarSample, Stay, load_team, run_team

RATE, NOISE, MASS, INERTIA = 100.0, 0.2, 5.0, 8.6891
LINE = Graph.line(NAMES)


def pushed(seconds, seed=3, names=NAMES, contacts=None, forces=None, drop=None):
    """Samples of robots under sinusoids, and the truth (heading, load) by sample; held forces, midpoint rule."""
    rng = np.random.default_rng(seed)
    arms = np.array([complex(*(contacts or CONTACTS)[name]) for name in names])
    n, steps, dt = len(names), round(seconds * RATE), 1.0 / RATE
    amplitude, frequency, phase = (
        rng.uniform(low, high, (2, n)) for low, high in ((1.0, 4.0), (0.05, 0.3), (0.0, 2.0 * np.pi))
    )
    theta, omega, v, mass, inertia = 0.3, 0.0, 0j, MASS, INERTIA
    samples, truth = {name: [] for name in names}, []
    for k in range(steps + 1):
        x, y = amplitude * np.sin(2.0 * np.pi * frequency * k * dt + phase)
        f = (x + 1j * y) if forces is None else forces(k * dt, x + 1j * y, arms * np.exp(1j * theta))
        if drop is not None and k * dt >= drop:
            mass, inertia = 0.7 * MASS, 0.7 * INERTIA
        if k:
            h = dt / 2
            for _ in range(2):
                middle = arms * np.exp(1j * (theta + 0.5 * h * omega))
                alpha = float(np.sum((middle.conj() * f).imag)) / inertia
                theta, omega, v = theta + h * (omega + 0.5 * h * alpha), omega + h * alpha, v + h * f.sum() / mass
        seen = v + 1j * omega * arms * np.exp(1j * theta) + NOISE * (rng.normal(size=n) + 1j * rng.normal(size=n))
        for i, name in enumerate(names):
            samples[name].append(PlanarSample(k * dt, (seen[i].real, seen[i].imag), (f[i].real, f[i].imag)))
        truth.append((theta, mass, inertia))
    return samples, truth, dict(zip(names, arms, strict=True))


def check(run, truth, arms, names, sigmas=4.5):
    """Every number lies within so many of its own standard deviations of the truth."""
    for name in names:
        said = run.last(name)
        theta, mass, inertia = truth[round(said["mass"].time * RATE)]
        turn = np.exp(1j * theta)
        true = {"mass": mass, "inertia": inertia, "com": -turn * arms[name]}
        true |= {f"contact/{other}": turn * (arms[other] - arms[name]) for other in arms}
        for what, estimate in said.items():
            if estimate.value is None:
                continue
            value = true[what]
            expected = np.array([value.real, value.imag]) if np.iscomplexobj(value) else np.array(value)
            assert np.all(np.abs(estimate.value - expected) < sigmas * estimate.std), (name, what)


def known(run, name):
    return {what for what, estimate in run.last(name).items() if estimate.value is not None}


@pytest.mark.usefixtures("unchecked")
def test_everybody_weighs_the_load_from_nothing():
    """Numbers, their intervals (4.5 σ: wrong in one run of 10^4 or so), and no event where nothing happened."""
    samples, truth, arms = pushed(12.0)
    events = []
    run = run_team(
        load_team(LINE, RATE, NOISE), samples, Bus(LINE), watch=lambda k, name, turn: events.extend(turn.events)
    )
    assert not events
    for name in NAMES:
        assert known(run, name) == set(run.last(name)), name
        spread = {what: np.max(np.asarray(estimate.std)) for what, estimate in run.last(name).items()}
        assert spread["mass"] < 0.01 * MASS
        assert spread["inertia"] < 0.02 * INERTIA
        assert spread["com"] < 0.04
        assert run.last(name)["mass"].time > 11.5
    check(run, truth, arms, NAMES)


@pytest.mark.usefixtures("unchecked")
def test_a_bad_radio_costs_time_only():
    samples, truth, arms = pushed(12.0)
    radio = Disturbance(loss=0.3, delay=5, jitter=2, double=0.1, shuffle=True)
    run = run_team(load_team(LINE, RATE, NOISE), samples, Bus(LINE, radio))
    for name in NAMES:
        assert {"mass", "inertia", "com"} <= known(run, name), name
        assert run.last(name)["mass"].time > 9.0
    check(run, truth, arms, NAMES)


@pytest.mark.usefixtures("unchecked")
def test_the_others_go_on_when_a_robot_leaves():
    def stops(time, f, arms):
        return np.where((np.arange(4) == 3) & (time > 7.0), 0.0, f)

    samples, truth, arms = pushed(12.0, forces=stops)
    run = run_team(load_team(LINE, RATE, NOISE), samples, Bus(LINE), {"r4": Stay(0, 702)})
    for name in NAMES[:3]:
        assert {"mass", "inertia", "com"} <= known(run, name), name
        assert run.last(name)["mass"].time > 11.0
    check(run, truth, arms, NAMES[:3])


@pytest.mark.usefixtures("unchecked")
def test_a_lost_part_of_the_load_is_an_event_within_a_second():
    samples, _, _ = pushed(20.0, drop=10.0)
    events = []
    run = run_team(
        load_team(LINE, RATE, NOISE),
        samples,
        Bus(LINE),
        watch=lambda k, name, turn: events.extend((k / RATE, name, event.kind) for event in turn.events),
    )
    assert {name for _, name, _ in events} == set(NAMES)
    assert all(10.0 < time < 11.0 and kind == "change" for time, _, kind in events)
    for name in NAMES:
        for what, true in (("mass", 0.7 * MASS), ("inertia", 0.7 * INERTIA)):
            value = run.last(name)[what].value
            assert value is not None
            assert abs(float(value) / true - 1.0) < 0.02


def no_torque(time, f, arms):
    around = 1j * arms
    return f - around * (np.sum((arms.conj() * f).imag) / np.sum(np.abs(arms) ** 2))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("forces", "unknown"),
    [(no_torque, {"inertia", "com"}), (lambda time, f, arms: f - f.mean(), {"mass"})],
    ids=["nothing turns", "no net force"],
)
def test_what_a_push_does_not_tell_gets_no_number(forces, unknown):
    samples, truth, arms = pushed(8.0, forces=forces)
    run = run_team(load_team(LINE, RATE, NOISE), samples, Bus(LINE))
    for name in NAMES:
        assert not unknown & known(run, name), name
        assert all(run.last(name)[what].status == "not-identifiable" for what in unknown)
    check(run, truth, arms, NAMES)


def test_one_robot_alone_says_that_it_cannot_know():
    samples, _, _ = pushed(7.0, names=("r1",))
    alone = Graph.line(("r1",))
    run = run_team(load_team(alone, RATE, NOISE), samples, Bus(alone))
    assert {estimate.status for estimate in run.last("r1").values()} == {"not-identifiable"}


@pytest.mark.usefixtures("unchecked")
def test_contacts_at_one_point_make_no_wrong_number():
    """Where all hold the same point, its path under known forces may still tell the load; nothing wrong is said."""
    samples, truth, arms = pushed(8.0, contacts=dict.fromkeys(NAMES, (0.7, 0.4)))
    run = run_team(load_team(LINE, RATE, NOISE), samples, Bus(LINE))
    check(run, truth, arms, NAMES)


@pytest.mark.usefixtures("unchecked")
def test_a_robot_that_measures_nothing_fails_and_says_so():
    samples, truth, arms = pushed(9.0)
    nan = (float("nan"), float("nan"))
    samples["r4"] = [s if s.time < 5.0 else PlanarSample(s.time, nan, s.force) for s in samples["r4"]]
    run = run_team(load_team(LINE, RATE, NOISE), samples, Bus(LINE))
    assert {estimate.status for estimate in run.last("r4").values()} == {"failed"}
    check(run, truth, arms, NAMES[:3])
