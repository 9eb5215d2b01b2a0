"""Errors that no sensor should have: named where a log shows them, and not found where there are none."""

import dataclasses

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.spatial.transform import Rotation

from steelyard.bench.wrist import cases, config_of, log_of, mistaken
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.problems.rigid_body import pieces_of, read_wrist_record
from steelyard.problems.rigid_body._noise import coloured_rows, followed_by_motion, probes_of
from steelyard.problems.rigid_body._normal_equations import solve
from steelyard.worlds.wrist import WristScenario, wrist_truth

WILD = WristScenario(motion="wild", duration=6.0, com_x=0.05, com_y=-0.03, force_offset=5.0, torque_offset=0.3)


def wild(seed: int) -> Log:
    return log_of(WILD, wrist_truth(WILD, seed), seed)


def edited(log: Log, signal: str, change) -> Log:
    names = [f"r1/{signal}/{axis}" for axis in "xyz"]
    values = change(np.stack([log.columns[name] for name in names], axis=1))
    return Log(log.time, dict(log.columns) | {n: values[:, a] for a, n in enumerate(names)}, log.origin, {})


def reasons(log: Log) -> list[str]:
    found = identify(log, "rigid-body", config_of(WILD, known=False))
    assert found.robots["r1"]["mass"].status != "known"
    return [reason.code for reason in found.trust["r1"].reasons]


def test_a_log_of_good_sensors_has_none_of_these_errors():
    """Each is zero to within four of its own deviations, and none is found."""
    record = read_wrist_record(wild(3), "r1", config_of(WILD, known=False))
    checks = pieces_of(record)[-1].fit.checks
    assert {check.name for check in checks} >= {"torque_scale", "force_delay", "gyro_scale", "velocity_rotation"}
    for check in checks:
        assert np.all(np.abs(check.value) < 4.0 * check.std), check
        assert not check.found


def test_a_wrong_gain_is_named_with_its_axis():
    """The gains of the three axes add up to none, so z has no unknown of its own, and is judged alike."""
    found = identify(edited(wild(4), "wrench/force", lambda f: f * np.array([1.0, 1.0, 1.1])), "rigid-body")
    (sentence,) = [one.sentence for one in found.trust["r1"].reasons if one.code == "force-gains"]
    assert sentence.startswith("wrench/force/z is ")
    assert "too large" in sentence


@pytest.mark.parametrize(
    ("code", "signal", "change"),
    [
        ("torque-scale", "wrench/torque", lambda torque: 1.1 * torque),
        ("force-delay", "wrench/force", lambda force: np.roll(force, 1, axis=0)),
        ("force-gains", "wrench/force", lambda force: force * np.array([1.025, 1.0, 1.0])),
        ("force-gains", "wrench/force", lambda force: force * np.array([1.0, 1.0, 1.025])),
        ("gyro-scale", "twist/angular", lambda rates: 1.05 * rates),
        ("velocity-scale", "twist/linear", lambda velocity: 1.1 * velocity),
        ("velocity-rotation", "twist/linear", lambda v: Rotation.from_rotvec([0.0, 0.1, 0.0]).apply(v)),
        ("density", "wrench/force", lambda force: 1000.0 / 9.81 * force),
    ],
)
def test_an_error_that_no_sensor_should_have_is_named(code, signal, change):
    assert code in reasons(edited(wild(4), signal, change))


def test_a_wrench_that_is_filtered_and_a_motion_that_is_not_are_named():
    """At 3 Hz, first order: a delay of 53 ms, which sensors have, and amplitudes too small by up to a tenth."""
    keep = np.exp(-2.0 * np.pi * 3.0 / WILD.rate)

    def filtered(values):
        return lfilter([1.0 - keep], [1.0, -keep], values, axis=0, zi=keep * values[:1])[0]

    log = edited(edited(wild(4), "wrench/force", filtered), "wrench/torque", filtered)
    assert "wrench-smoothing" in reasons(log)


def test_what_contradicts_an_earlier_piece_contradicts_the_last():
    """A torque of the opposite sign: the last second alone, after changes that never were, could be explained."""
    assert mistaken(None, ("torque of the opposite sign", 2)) in ("named", "refused")


def test_at_25_hz_the_knots_follow_a_wild_motion():
    """Of a load of 3 kg, whose misfit was thrice its noise with knots two samples apart at least."""
    scenario, seed = list(cases("wild", 20, rate=25.0))[-1]
    log, config = log_of(scenario, wrist_truth(scenario, seed), seed), config_of(scenario, known=True)
    found = identify(log, "rigid-body", config).robots["r1"]
    assert abs(found["mass"].value - scenario.mass) < 4.0 * found["mass"].std
    fit = pieces_of(read_wrist_record(log, "r1", config))[-1].fit
    assert all(np.mean(residual**2) < 1.2 for residual in fit.residuals.values())


def test_white_noise_leaves_the_information_and_a_drift_widens_what_changes_as_slowly():
    rng = np.random.default_rng(5)
    record = read_wrist_record(wild(5), "r1", config_of(WILD, known=False))
    time = record.wrench.time
    rows, weight = rng.standard_normal((len(time), 6, 2)), np.ones(len(time))
    rows[:, :, 0] = np.sin(0.5 * time)[:, None]  # slow; the other column is white
    inverse = np.linalg.inv(np.einsum("nai,naj->ij", rows, rows))
    noise = rng.standard_normal((len(time), 6))
    plain = np.diag(np.einsum("nai,naj->ij", rows, rows))
    free = np.zeros((len(time), 6))  # no motion is fitted here
    white = coloured_rows(record, rows, noise, weight, inverse, free)
    np.testing.assert_allclose(np.diag(np.einsum("nai,naj->ij", white, white)), plain, rtol=1e-9)
    drifting = coloured_rows(record, rows, noise + 3.0 * (time / time[-1] - 0.5)[:, None], weight, inverse, free)
    wider = np.diag(np.einsum("nai,naj->ij", drifting, drifting)) / plain
    assert wider[0] > 5.0  # beyond what a spectrum of a few cosines scatters by, a factor of two
    assert wider[1] < 2.0  # within it


def test_random_signs_count_the_freedom_that_a_motion_takes_from_the_wrench():
    """Next to the trace of the dense projection; it scatters by the root of twice the trace at most."""
    record = read_wrist_record(wild(6), "r1", config_of(WILD, known=True, tared=False))
    fit = pieces_of(record.between(record.start, record.start + 4.0))[-1].fit
    blocks, weights = fit.problem.blocks(fit.state)
    spline, dense = fit.state.spline, []
    for block, weight in zip(blocks, weights, strict=True):
        count, axes, local = block.by_motion.shape
        rows = np.zeros((count, axes, 6 * spline.size))
        for k, first in enumerate(block.interval):
            rows[k, :, 6 * first : 6 * first + local] = weight[k] * block.by_motion[k]
        dense.append(rows.reshape(count * axes, -1))
    wrench, stacked = dense[0], np.concatenate(dense)
    exact = float(np.trace(wrench @ np.linalg.pinv(stacked.T @ stacked, hermitian=True) @ wrench.T))
    many = 32
    probes = probes_of(blocks[0], many)
    held = solve(
        [dataclasses.replace(blocks[0], columns=np.arange(many), by_unknowns=probes),
         *(dataclasses.replace(b, columns=np.arange(0), by_unknowns=b.by_unknowns[:, :, :0]) for b in blocks[1:])],
        weights, spline, np.full(many, 1e-9), np.zeros(many),
    )  # fmt: skip
    left = held.effective([dataclasses.replace(blocks[0], columns=np.arange(many), by_unknowns=probes)])[0]
    found = float(np.sum(followed_by_motion(probes, left, weights[0])))
    assert exact > 50.0  # the motion takes a good deal: without the count the noise would be stated too small
    assert abs(found - exact) < 4.0 * np.sqrt(2.0 * exact / many)
