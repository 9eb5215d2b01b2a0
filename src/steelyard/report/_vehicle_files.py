"""An identified multirotor as autopilots and simulators take it: PX4 and ArduPilot parameters, SDF, MJCF.

What no log of this kind tells is not written, and named in a comment: a rotor's torque coefficient (`CA_ROTORn_KM`),
and the inertia where rotor commands and a gyroscope were not there. Simulators need an inertia: a file says which of
its numbers were identified and which are placeholders.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.models import STANDARD_GRAVITY
from steelyard.problems import Identification

_G = -STANDARD_GRAVITY[2]
_KM = "not identified, because no log of this kind has the torque that a rotor's drag makes"


@dataclasses.dataclass(frozen=True)
class _Vehicle:
    """What is known; None where it is not."""

    robot: str
    mass: float | None
    hover: float | None
    """Command, 0 to 1, that carries the weight."""
    curve: tuple[float, float, float] | None
    """Thrust of a rotor at a command u, a u² + b u + c, N."""
    effectiveness: tuple[float, ...]
    inertia: tuple[float, float] | None
    """About x and y, kg m²."""
    drag: float | None
    lag: float | None

    def coefficient(self, rotor: int) -> float | None:
        """N at full command if thrust went with its square, right at the hover; rotors count from 0."""
        share = self.effectiveness[rotor] if rotor < len(self.effectiveness) else 1.0
        if self.hover is None:
            return None
        if self.curve is not None:
            a, b, c = self.curve
            return share * (a * self.hover**2 + b * self.hover + c) / self.hover**2
        return None if self.mass is None else share * self.mass * _G / 4.0 / self.hover**2


def px4_of(vehicle: _Vehicle) -> str:
    """Lines of a parameter file as QGroundControl loads it: vehicle, component, name, value, type."""
    hover = _needed(vehicle.hover, vehicle, "hover_throttle", "px4")
    lines = ["# Identified by steelyard; CA_ROTORn_CT is N at full command, thrust taken to go with its square.\n"]
    lines.append(_px4("MPC_THR_HOVER", hover))
    for rotor in range(4):
        coefficient = vehicle.coefficient(rotor)
        if coefficient is None:
            lines.append(f"# CA_ROTOR{rotor}_CT: not identified.\n")
        else:
            lines.append(_px4(f"CA_ROTOR{rotor}_CT", coefficient))
        lines.append(f"# CA_ROTOR{rotor}_KM: {_KM}.\n")
    return "".join(lines)


def ardupilot_of(vehicle: _Vehicle) -> str:
    """Lines of a parameter file: name, value. Thrust is (1 - expo) u + expo u² of its largest."""
    hover = _needed(vehicle.hover, vehicle, "hover_throttle", "ardupilot")
    lines = ["# Identified by steelyard.\n"]
    if vehicle.curve is None:
        lines.append(
            "# MOT_THST_EXPO: not identified, because the log tells no thrust curve; hover is by the command.\n"
        )
        lines.append(f"MOT_THST_HOVER,{hover:.4f}\n")
        return "".join(lines)
    a, b, c = vehicle.curve
    expo = float(np.clip(a / (a + b), 0.0, 1.0)) if a + b > 0 else 0.0
    share = float(np.clip((a * hover**2 + b * hover + c) / (a + b + c), 0.0, 1.0))
    lines.append(f"MOT_THST_EXPO,{expo:.4f}\n")
    lines.append(
        "# The autopilot makes the thrust linear first: at hover it is this share of the largest.\n"
        f"MOT_THST_HOVER,{share:.4f}\n"
    )
    return "".join(lines)


def sdf_of(vehicle: _Vehicle) -> str:
    """A model of one link, for Gazebo."""
    mass = _needed(vehicle.mass, vehicle, "mass", "sdf")
    xx, yy, zz, words = _inertia(vehicle, mass)
    return (
        '<?xml version="1.0"?>\n<!-- kg, kg m²; mass identified. '
        f"{words} -->\n"
        f'<sdf version="1.9">\n  <model name="{vehicle.robot}">\n    <link name="body">\n      <inertial>\n'
        f"        <mass>{mass!r}</mass>\n        <inertia><ixx>{xx!r}</ixx><iyy>{yy!r}</iyy><izz>{zz!r}</izz>"
        "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>\n      </inertial>\n    </link>\n  </model>\n</sdf>\n"
    )


def mjcf_of(vehicle: _Vehicle) -> str:
    """A free body with a `thrust` actuator, N along body z, behind the motors' lag where it is known."""
    mass = _needed(vehicle.mass, vehicle, "mass", "mjcf")
    xx, yy, zz, words = _inertia(vehicle, mass)
    lag = "" if vehicle.lag is None else f' dyntype="filter" dynprm="{vehicle.lag!r}"'
    drag = "is NOT identified" if vehicle.drag is None else f"is {vehicle.drag!r} N s/m, to be applied as a force"
    return (
        f"<!-- kg, kg m², N; mass identified. {words} Linear drag across the thrust axis {drag}. -->\n"
        f'<mujoco model="{vehicle.robot}">\n  <option timestep="0.002" gravity="0 0 -{_G}" integrator="Euler"/>\n'
        "  <worldbody>\n"
        f'    <body name="{vehicle.robot}">\n      <freejoint/>\n'
        f'      <inertial pos="0 0 0" mass="{mass!r}" diaginertia="{xx!r} {yy!r} {zz!r}"/>\n'
        '      <site name="rotors"/>\n    </body>\n  </worldbody>\n  <actuator>\n'
        f'    <general name="thrust" site="rotors" gear="0 0 1 0 0 0"{lag}/>\n'
        "  </actuator>\n</mujoco>\n"
    )


FORMATS: dict[str, Callable[[_Vehicle], str]] = {
    "px4": px4_of,
    "ardupilot": ardupilot_of,
    "sdf": sdf_of,
    "mjcf": mjcf_of,
}


def vehicle_text(identification: Identification, name: str) -> str:
    """The one multirotor of a log as text; `BadInput` where what the format needs is not known."""
    if identification.problem != "multirotor" or len(identification.robots) != 1:
        raise BadInput("--vehicle is of one multirotor; it goes with --as multirotor and a log of one vehicle.")
    ((robot, found),) = identification.robots.items()

    def known(quantity: str) -> np.ndarray | None:
        estimate: Estimate | None = found.get(quantity)
        return None if estimate is None or estimate.value is None else np.asarray(estimate.value, float)

    def number(quantity: str) -> float | None:
        value = known(quantity)
        return None if value is None else float(value)

    curve = found.get("thrust_curve")
    in_newtons = curve is not None and curve.value is not None and curve.unit == "N"
    across = [number(f"inertia/{axis}") for axis in ("xx", "yy")]
    rotors = [number(f"rotor/{k}/effectiveness") for k in range(1, 5)]
    return FORMATS[name](
        _Vehicle(
            robot=robot,
            mass=number("mass"),
            hover=number("hover_throttle"),
            curve=tuple(map(float, np.asarray(curve.value))) if in_newtons else None,  # type: ignore[union-attr, arg-type]
            effectiveness=tuple(1.0 if one is None else one for one in rotors),
            inertia=None if None in across else (float(across[0] or 0.0), float(across[1] or 0.0)),
            drag=number("drag"),
            lag=number("motor_lag"),
        )
    )


def _inertia(vehicle: _Vehicle, mass: float) -> tuple[float, float, float, str]:
    if vehicle.inertia is None:
        usual = mass * 0.1**2
        return usual, usual, 2.0 * usual, "Inertia NOT identified: a placeholder, radius of gyration 0.1 m; replace it."
    xx, yy = vehicle.inertia
    return xx, yy, xx + yy, "Ixx and Iyy identified; Izz NOT identified: that of a flat body, the largest possible."


def _px4(name: str, value: float) -> str:
    return f"1\t1\t{name}\t{value:.6g}\t9\n"


def _needed(value: float | None, vehicle: _Vehicle, quantity: str, name: str) -> float:
    if value is None:
        raise BadInput(f"--vehicle {name}: the {quantity} of {vehicle.robot} is not known.")
    return value
