"""The load as MuJoCo, Universal Robots and Franka take it."""

import json
import re

import mujoco
import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.problems import Identification
from steelyard.report import payload_of, requested_file

COM, INERTIA = np.array([0.01, -0.02, 0.11]), np.array([[3e-3, 2e-4, -1e-4], [2e-4, 4e-3, 3e-4], [-1e-4, 3e-4, 2e-3]])


def identified(inertia: Estimate | None = None) -> Identification:
    inertia = inertia or Estimate.known(INERTIA, 1e-5 * np.ones((3, 3)), "kg m²", "r1", 1.0)
    found = {
        "mass": Estimate.known(np.array(1.25), np.array(0.01), "kg", None, 1.0),
        "com": Estimate.known(COM, 1e-3 * np.ones(3), "m", "r1", 1.0),
        "inertia": inertia,
    }
    return Identification("rigid-body", "likelihood", "a log", {"r1": found}, [], "", [])


def test_mujoco_reads_the_same_body():
    text = payload_of(identified(), "mjcf")
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body name='load'><freejoint/>{text}</body></worldbody></mujoco>"
    )
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    R = R.reshape(3, 3)
    np.testing.assert_allclose(model.body_mass[1], 1.25)
    np.testing.assert_allclose(model.body_ipos[1], COM)
    np.testing.assert_allclose(R @ np.diag(model.body_inertia[1]) @ R.T, INERTIA, atol=1e-12)


def test_universal_robots_order_is_diagonal_then_products():
    line = payload_of(identified(), "ur").splitlines()[-1]
    numbers = [float(x) for x in re.findall(r"-?\d[\d.e-]*", line.removeprefix("set_target_payload"))]
    np.testing.assert_allclose(numbers, [1.25, *COM, 3e-3, 4e-3, 2e-3, 2e-4, -1e-4, 3e-4])


def test_franka_has_every_field_and_columns():
    numbers = json.loads(payload_of(identified(), "franka"))
    assert set(numbers) == {"id", "name", "color", "mass", "centerOfMass", "transformation", "inertia"}
    np.testing.assert_allclose(np.reshape(numbers["inertia"], (3, 3), order="F"), INERTIA)
    np.testing.assert_allclose(np.reshape(numbers["transformation"], (4, 4), order="F"), np.eye(4))


def test_what_is_not_known_is_not_written():
    with pytest.raises(BadInput, match="inertia of r1 is not known"):
        payload_of(identified(Estimate.unknown("not-identifiable", "kg m²", "r1", 1.0)), "ur")
    with pytest.raises(BadInput, match="FORMAT=FILE"):
        requested_file("payload", "abb=load.txt")
