"""A robot on thrusters flies, or stands on scales, in MuJoCo; what its sensors read, and what is true."""

import numpy as np

from steelyard._rotations import matrix, quaternion_from_matrix, quaternion_product
from steelyard.models import Multibody, RobotMotion, read_urdf, rotor_speed
from steelyard.worlds.jets._body import FlyingBody
from steelyard.worlds.jets._engines import TrueEngines
from steelyard.worlds.jets._pilot import Pilot
from steelyard.worlds.jets._robot import JetsRobot, heavier
from steelyard.worlds.jets._scenario import JetsScenario, check_jets, robot_of
from steelyard.worlds.jets._tuning import WORLD

RATE = 100.0
"""Rows a second, Hz [ironcub, Sec. IV]."""
SENSOR_NOISE = {
    "joint_position": 5e-4,
    "joint_velocity": 0.01,
    "base_position": 0.005,
    "base_attitude": 0.002,
    "base_linear_velocity": 0.02,
    "base_rates": 0.005,
    "foot_torque": 0.02,
    "foot_force": 0.5,
    "rpm": 150.0,
}
"""One standard deviation an axis of good sensors, SI units; rotor speed in rpm."""


def simulate_jets(scenario: JetsScenario, seed: int) -> dict[str, np.ndarray]:
    """Columns by their log names, truth included; the true robot is the described one with its errors."""
    check_jets(scenario)
    robot = robot_of(scenario)
    errors, noise = (np.random.default_rng([seed, k]) for k in range(2))
    multibody = Multibody(read_urdf(robot.urdf), robot.mounts, tuple(robot.feet.values()))
    pilot = Pilot(robot, multibody, scenario)
    body = _placed(robot, multibody, pilot, scenario)
    engines = TrueEngines(robot, scenario, errors)
    pilot.start = body.com
    if robot.propeller is not None:
        engines.thrust = pilot.control.hover_thrust.copy()
    rows = _fly(body, engines, pilot, scenario)
    return _columns(robot, scenario, body, rows, errors, noise)


def _placed(robot: JetsRobot, multibody: Multibody, pilot: Pilot, scenario: JetsScenario) -> FlyingBody:
    """Upright for hover; on its soles where it has any."""
    posture, R_wb = pilot.posture(0.0), pilot.control.R_upright
    joints = np.array([posture.get(name, 0.0) for name in multibody.joints])
    rest = multibody.at(RobotMotion(np.zeros(3), R_wb, np.zeros(3), np.zeros(3), joints, np.zeros(len(joints))))
    height = 1.0
    if robot.feet:
        height = -float(rest.soles[:, 2].min())
    urdf = heavier(robot.urdf, scenario.mass_error)
    position = np.array([0.0, 0.0, height])
    soles = tuple(robot.feet.values())
    return FlyingBody(urdf, robot.mounts, soles, posture, position, quaternion_from_matrix(R_wb), floor=bool(soles))


def _fly(body: FlyingBody, engines: TrueEngines, pilot: Pilot, scenario: JetsScenario) -> list[dict[str, np.ndarray]]:
    """What is true at each row; the last is where the robot fell, if it did."""
    rows = []
    substeps = round(1.0 / (RATE * WORLD.substep))
    for k in range(round(scenario.duration * RATE) + 1):
        time = k / RATE
        throttle = pilot.throttles(body, engines, time)
        rows.append(
            {
                "time": np.array([time]),
                "position": body.position,
                "attitude": body.attitude,
                "velocity": body.velocity,
                "rates": body.rates,
                "joint_position": body.joint_position,
                "joint_velocity": body.joint_velocity,
                "feet": np.ravel(body.foot_wrenches()),
                "throttle": throttle,
                "thrust": engines.thrust,
                "failed": np.array([float(engines.failed(time)), engines.deficit]),
            }
        )
        if matrix(body.attitude)[2, 2] < WORLD.fallen:
            break
        body.hold(pilot.posture(time))
        for step in range(substeps):
            engines.move(throttle, time + step * WORLD.substep, WORLD.substep)
            body.move(engines.thrust)
    return rows


def _columns(robot, scenario, body, rows, errors, noise) -> dict[str, np.ndarray]:
    true = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    n, engines = len(rows), list(robot.engines)

    def noisy(values, kind):
        return values + scenario.noise * SENSOR_NOISE[kind] * noise.standard_normal(values.shape)

    columns = {"time": true["time"][:, 0]}
    for kind, unit in (("joint_position", "position"), ("joint_velocity", "velocity")):
        read = noisy(true[kind], kind)
        columns |= {f"r1/joint/{name}/{unit}": read[:, j] for j, name in enumerate(body.joints)}
    for axes, kind, signal in (
        ("xyz", "position", "position"),
        ("xyz", "velocity", "linear_velocity"),
        ("xyz", "rates", "rates"),
    ):
        read = noisy(true[kind], f"base_{signal}")
        columns |= {f"r1/base/{signal}/{axis}": read[:, a] for a, axis in enumerate(axes)}
    turned = _turned(true["attitude"], scenario.noise * SENSOR_NOISE["base_attitude"] * noise.standard_normal((n, 3)))
    columns |= {f"r1/base/attitude/{axis}": turned[:, a] for a, axis in enumerate("wxyz")}
    bias = scenario.foot_bias * np.tile(np.repeat([0.05, 1.0], 3), len(robot.feet))
    bias = bias * np.sign(errors.standard_normal(bias.shape))
    for f, foot in enumerate(robot.feet):
        for part, kind, k in (("torque", "foot_torque", 0), ("force", "foot_force", 3)):
            span = slice(6 * f + k, 6 * f + k + 3)
            read = noisy(true["feet"][:, span], kind) + bias[span]
            columns |= {f"r1/{foot}/wrench/{part}/{axis}": read[:, a] for a, axis in enumerate("xyz")}
    columns |= {f"r1/throttle/{e + 1}": true["throttle"][:, e] for e in range(len(engines))}
    maps = [kind.speed_map for kind in robot.jets]
    if scenario.rotor_speed and maps and all(maps):
        scale = np.exp(WORLD.speed_error * errors.standard_normal(len(maps)))
        speed = scale * np.asarray(rotor_speed(np.array(maps).T[:, None, :], true["thrust"]))
        read = np.maximum(noisy(speed, "rpm"), 0.0)
        columns |= {f"r1/rpm/{e + 1}": read[:, e] for e in range(len(engines))}
    if scenario.trajectory == "standing":
        columns |= _scales(true, errors)
    columns |= {f"truth/thrust/{name}": true["thrust"][:, e] for e, name in enumerate(engines)}
    columns |= {"truth/mass": np.full(n, body.mass), "truth/failed": true["failed"][:, 0]}
    columns |= {"truth/deficit": true["failed"][:, 1]}
    for f, foot in enumerate(robot.feet):
        for part, k in (("torque", 0), ("force", 3)):
            for a, axis in enumerate("xyz"):
                columns[f"truth/bias/{foot}/wrench/{part}/{axis}"] = np.full(n, bias[6 * f + k + a])
    return columns


def _scales(true, errors) -> dict[str, np.ndarray]:
    """Two scales under the feet that drift with their temperature, almost in proportion [ironcub, Sec. V-B1]."""
    time = true["time"][:, 0]
    share = time / time[-1]
    columns = {}
    for f in range(2):
        warm = (15.0 + 3.0 * f) * (share + 0.06 * np.sin(np.pi * share))
        drift = (0.05 + 0.02 * errors.random()) * warm * (1.0 + 0.01 * (warm - 15.0))
        columns[f"r1/scale/{f + 1}"] = true["feet"][:, 6 * f + 5] / 9.81 + drift
        columns[f"r1/scale_temperature/{f + 1}"] = 25.0 + warm
    return columns


def _turned(attitude: np.ndarray, small: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4), each turned by a small rotation vector in its own axes."""
    q = quaternion_product(attitude, np.concatenate([np.ones((len(small), 1)), 0.5 * small], axis=1))
    return q / np.linalg.norm(q, axis=1, keepdims=True)
