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


@pytest.mark.parametrize("robots", [("r1",), ("r1", "r2")])
def test_mujoco_reads_it_back(robots, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    answer = weighed(*robots)
    write_urdf(answer, tmp_path / "load.urdf")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "load.urdf"))
    for robot in robots:
        k = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, robot)
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[k])
        R = R.reshape(3, 3)
        _same(answer, robot, model.body_mass[k], model.body_ipos[k], R @ np.diag(model.body_inertia[k]) @ R.T)


@pytest.mark.parametrize("robots", [("r1",), ("r1", "r2")])
def test_pinocchio_reads_it_back(robots):
    pinocchio = pytest.importorskip("pinocchio")
    answer = weighed(*robots, seed=1)
    model = pinocchio.buildModelFromXML(urdf_of(answer))
    for robot in robots:
        inertia = model.inertias[model.getJointId(f"{robot}_floats")]
        _same(answer, robot, inertia.mass, inertia.lever, inertia.inertia)


def _same(answer, robot, mass, com, inertia) -> None:
    for quantity, read in (("mass", mass), ("com", com), ("inertia", inertia)):
        np.testing.assert_allclose(read, answer.robots[robot][quantity].value, rtol=1e-9, atol=1e-9)


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
