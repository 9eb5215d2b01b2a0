"""A load written as a URDF is the same load to MuJoCo and to Pinocchio."""

import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.problems import Identification
from steelyard.report import urdf_of, write_urdf


def weighed(*robots: str, seed: int = 0, **others: Estimate) -> Identification:
    rng = np.random.default_rng(seed)
    loads = {}
    for robot in robots:
        points = rng.standard_normal((20, 3)) * [0.3, 0.2, 0.1] @ np.linalg.qr(rng.standard_normal((3, 3)))[0]
        points -= points.mean(axis=0)
        inertia = 0.1 * (np.sum(points**2) * np.eye(3) - points.T @ points)
        loads[robot] = {
            "mass": Estimate.known(rng.uniform(0.5, 5.0), 0.01, "kg", None, 1.0),
            "com": Estimate.known(rng.standard_normal(3), np.full(3, 0.01), "m", robot, 1.0),
            "inertia": Estimate.known(inertia, np.full((3, 3), 0.01), "kg m²", robot, 1.0),
        } | others
    return Identification("rigid-body", "likelihood", "made up", loads, [], "The inertia cannot be told.")


POSE = Estimate(np.array([0.3, -0.2, 0.1, 0.8, 0.0, 0.6, 0.0]), 1e-4 * np.eye(6), "m", "r1", 1.0, "known")
TEAMS = pytest.mark.parametrize(("robots", "body"), [(("r1",), "r1"), (("r1", "r2"), "load")])


@TEAMS
def test_mujoco_reads_it_back(robots, body, tmp_path):
    """The load of a team is one body, in the first robot's frame."""
    mujoco = pytest.importorskip("mujoco")
    answer = weighed(*robots, **{"pose/r2": POSE})
    write_urdf(answer, tmp_path / "load.urdf")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "load.urdf"))
    k = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[k])
    R = R.reshape(3, 3)
    _same(answer, model.body_mass[k], model.body_ipos[k], R @ np.diag(model.body_inertia[k]) @ R.T)
    assert model.body_mass.sum() == model.body_mass[k]


@TEAMS
def test_pinocchio_reads_it_back(robots, body):
    pinocchio = pytest.importorskip("pinocchio")
    answer = weighed(*robots, seed=1, **{"pose/r2": POSE})
    model = pinocchio.buildModelFromXML(urdf_of(answer))
    inertia = model.inertias[model.getJointId(f"{body}_floats")]
    _same(answer, inertia.mass, inertia.lever, inertia.inertia)
    if len(robots) > 1:
        grip = model.frames[model.getFrameId("r2")].placement
        np.testing.assert_allclose(grip.translation, POSE.value[:3], atol=1e-12)
        np.testing.assert_allclose(pinocchio.Quaternion(grip.rotation).coeffs(), POSE.value[[4, 5, 6, 3]], atol=1e-12)


def _same(answer, mass, com, inertia) -> None:
    for quantity, read in (("mass", mass), ("com", com), ("inertia", inertia)):
        np.testing.assert_allclose(read, answer.robots["r1"][quantity].value, rtol=1e-9, atol=1e-9)


def test_what_is_not_known_is_not_written(tmp_path):
    unknown = Estimate.unknown("not-identifiable", "kg m²", "r1", 1.0)
    with pytest.raises(BadInput, match="the inertia of r1's load is not-identifiable"):
        write_urdf(weighed("r1", inertia=unknown), tmp_path / "load.urdf")
    assert not list(tmp_path.iterdir())


def test_a_problem_without_an_inertia_in_space_is_told():
    with pytest.raises(BadInput, match="rigid-body"):
        urdf_of(weighed("r1", inertia=Estimate.known(1.0, 0.1, "kg m²", None, 1.0)))
    mass_only = Identification(
        "multirotor", "ekf", "", {"r1": {"mass": Estimate.known(1.0, 0.1, "kg", None, 1.0)}}, [], ""
    )
    with pytest.raises(BadInput, match="a multirotor has no com"):
        urdf_of(mass_only)
