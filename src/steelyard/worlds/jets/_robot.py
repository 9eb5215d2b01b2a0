"""The robots that fly on thrusters here: a humanoid on four jets, and a drone with an arm on six propellers."""

import dataclasses
import math
import re
from collections.abc import Mapping
from importlib.resources import files

from steelyard.models import ENGINE_TYPES, EngineType, ThrusterMount


@dataclasses.dataclass(frozen=True)
class Propeller:
    """A thruster that follows the square of its throttle with a lag."""

    maximum: float
    """Thrust at full throttle, N."""
    lag: float
    """Time constant, s."""


@dataclasses.dataclass(frozen=True)
class JetsRobot:
    """All that a simulation, and a configuration for it, need to know of a robot."""

    urdf: str
    """Text."""
    engines: Mapping[str, str]
    """Frame of each engine, and its kind: a name of `ENGINE_TYPES` or `propeller`."""
    directions: Mapping[str, tuple[float, float, float]]
    """Where an engine pushes in its frame, if not along z."""
    feet: Mapping[str, str]
    """`foot_left` and `foot_right`, and the frames of their soles."""
    posture: Mapping[str, float]
    """Joint angles while it flies, rad; zero where not named."""
    swings: Mapping[str, float]
    """Joints that move to and fro in flight, and how far, rad."""
    propeller: Propeller | None = None

    @property
    def mounts(self) -> list[ThrusterMount]:
        """Where the engines sit."""
        return [ThrusterMount(frame, self.directions.get(frame, (0.0, 0.0, 1.0))) for frame in self.engines]

    @property
    def jets(self) -> list[EngineType]:
        """Kinds of its jets; empty for a robot on propellers."""
        return [ENGINE_TYPES[kind] for kind in self.engines.values() if kind in ENGINE_TYPES]


def humanoid(arm: str = "P160", chest: str = "P220") -> JetsRobot:
    """43.3 kg, 23 joints. A P100 on the arm, as in the paper, cannot lift it: hover asks 97.5 N of it, it gives 76."""
    posture, swings = {"torso_pitch": math.radians(10.0)}, {}
    for side in ("l", "r"):
        angles = {"shoulder_pitch": -10.0, "shoulder_roll": 25.0, "shoulder_yaw": 40.0, "elbow": 15.0}
        posture |= {f"{side}_{joint}": math.radians(angle) for joint, angle in angles.items()}
        swings |= {f"{side}_elbow": math.radians(2.0), f"{side}_shoulder_pitch": math.radians(2.0)}
        swings |= {f"{side}_knee": math.radians(-4.0)}
    return JetsRobot(
        urdf=_asset("humanoid.urdf"),
        engines={"l_arm_jet": arm, "r_arm_jet": arm, "l_chest_jet": chest, "r_chest_jet": chest},
        directions={},
        feet={"foot_left": "l_sole", "foot_right": "r_sole"},
        posture=posture,
        swings=swings,
    )


def aerial_arm() -> JetsRobot:
    """3.1 kg; six tilted propellers around a hub, and an arm of two joints below it."""
    directions = {}
    for k in range(6):
        angle, tilt = math.pi * (k + 0.5) / 3.0, math.radians(20.0) * (-1) ** k
        directions[f"rotor_{k + 1}"] = (
            -math.sin(tilt) * math.sin(angle),
            math.sin(tilt) * math.cos(angle),
            math.cos(tilt),
        )
    return JetsRobot(
        urdf=_asset("aerial_arm.urdf"),
        engines=dict.fromkeys(directions, "propeller"),
        directions=directions,
        feet={},
        posture={"shoulder": 0.3, "elbow": 0.5},
        swings={"shoulder": 0.4, "elbow": 0.5},
        propeller=Propeller(maximum=12.0, lag=0.06),
    )


def heavier(urdf: str, share: float) -> str:
    """The same robot with every mass and inertia larger by a share."""

    def grown(match: re.Match) -> str:
        return f'{match[1]}"{float(match[2]) * (1.0 + share):.12g}"'

    urdf = re.sub(r'(<mass value=)"([^"]*)"', grown, urdf)
    return re.sub(r'(\bi[xyz][xyz]=)"([^"]*)"', grown, urdf)


def _asset(name: str) -> str:
    return (files("steelyard.worlds.jets") / name).read_text(encoding="utf-8")
