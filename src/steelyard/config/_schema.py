"""The keys of a configuration file: one `Struct` a table, each key with its unit and default in one line.

The help text quotes those lines, so they are part of the interface.
"""

import math
from typing import Literal

import msgspec

from steelyard.config._faults import BadValueError
from steelyard.config._jets import Jets
from steelyard.config._live import Faults, Live, World
from steelyard.errors import nearest, shown


def _number(value: object) -> float:
    """A number; NaN for anything else, which a configuration made by hand may hold."""
    try:
        return math.nan if isinstance(value, str | bytes) else float(value)  # type: ignore[arg-type]
    except Exception:
        return math.nan


def _positive(key: str, value: float | None, what: str) -> None:
    if value is not None and not 0.0 < _number(value) < math.inf:
        raise BadValueError(
            f"{key} is {shown(value)}, but {what} must be positive; give a number above 0 or leave the key out."
        )


def _not_negative(key: str, value: float | None) -> None:
    if value is not None and not 0.0 <= _number(value) < math.inf:
        raise BadValueError(f"{key} is {shown(value)}, but it must be finite and not negative; give one from 0 up.")


class Noise(msgspec.Struct, frozen=True):
    """Sensor noise: one standard deviation an axis; a signal without one has it estimated from the log.

    velocity: m/s, default none.
    force: N, default none.
    twist_angular: rad/s, default none.
    twist_linear: m/s, default none.
    specific_force: m/s², default none.
    wrench_torque: N m, default none.
    wrench_force: N, default none.
    position: m, default none.
    attitude: rad, default none.
    linear_velocity: m/s, default none.
    rates: rad/s, default none.
    thrust: N, default none.
    rpm: revolutions a minute, default none.
    """

    velocity: float | None = None
    force: float | None = None
    twist_angular: float | None = None
    twist_linear: float | None = None
    specific_force: float | None = None
    wrench_torque: float | None = None
    wrench_force: float | None = None
    position: float | None = None
    attitude: float | None = None
    linear_velocity: float | None = None
    rates: float | None = None
    thrust: float | None = None
    rpm: float | None = None

    def __post_init__(self) -> None:
        for key in self.__struct_fields__:
            _positive(key, getattr(self, key), "a standard deviation")


class Inputs(msgspec.Struct, frozen=True):
    """How inputs (force, wrench, thrust, rates, throttle) behave between two rows of a log.

    hold: "sample" when they vary smoothly, "step" when a command is held until the next row; default "sample".
    """

    hold: Literal["sample", "step"] = "sample"

    def __post_init__(self) -> None:
        if self.hold not in ("sample", "step"):
            raise BadValueError(f'hold is "{self.hold}"; write "sample" or "step".')


class Guess(msgspec.Struct, frozen=True):
    """First guesses, where there are any.

    mass: kg, default none (none is needed).
    """

    mass: float | None = None

    def __post_init__(self) -> None:
        _positive("mass", self.mass, "a mass")


class Team(msgspec.Struct, frozen=True):
    """The robots of a team, and which of them exchange messages.

    robots: names, default all robots of the log in its order.
    links: pairs of names that hear each other, default a line in the order of the robots.
    """

    robots: tuple[str, ...] | None = None
    links: tuple[tuple[str, str], ...] | None = None

    def __post_init__(self) -> None:
        robots = self.robots
        if robots is not None and len(robots) == 0:
            raise BadValueError("robots is empty; name at least one robot or leave the key out.")
        for k, name in enumerate(robots or ()):
            if name in ("", "load", "truth") or "/" in name:
                raise BadValueError(f'robots has "{name}", which cannot name a robot; use a name such as "r1".')
            if name in (robots or ())[:k]:
                raise BadValueError(f'robots has "{name}" twice; delete one of them.')
        for one, other in self.links or ():
            if one == other:
                raise BadValueError(f'links joins "{one}" to itself; name two robots.')
            for name in (one, other):
                if robots is not None and name not in robots:
                    raise BadValueError(
                        f'links names "{name}", which is not among robots; {nearest(name, list(robots))}'
                    )


class Load(msgspec.Struct, frozen=True):
    """What a team pushes over a plane.

    friction: whether the load rubs on the plane; how much is then estimated too, default false.
    """

    friction: bool = False


class Wrist(msgspec.Struct, frozen=True):
    """The sensors at a wrist.

    tared: whether the wrench is known to have no offset; otherwise its offsets are estimated, default false.
    calibrated: whether the motion sensors are known to have no bias, scale error or delay, and to sit in the force
        sensor's origin and axes; otherwise all of these are estimated, default false.
    drift: how far the offset of the force sensor wanders in a minute, N (a random walk), default 0: it is constant.
    known: a URDF with one link, the sensor frame, whose <inertial> is a tool that the sensor carries beside the load;
        the load is what comes on top, default none.
    """

    tared: bool = False
    calibrated: bool = False
    drift: float = 0.0
    known: str | None = None

    def __post_init__(self) -> None:
        _not_negative("drift", self.drift)


class Multirotor(msgspec.Struct, frozen=True):
    """A multirotor's own parameters.

    drag: linear drag across the rotors' axis, N s/m, default none (estimated).
    quadratic_drag: quadratic drag along each body axis, N s²/m², default none (estimated).
    estimate_drag: whether drag is estimated along with the mass where neither is stated, default true.
    commanded: whether the logged thrust is what was asked for and not what acted, default false.
    motor_lag: time constant of the thrust behind its command, s, default none (estimated where there is a command).
    throttle_map: collective thrust, N, at evenly spaced throttle from 0 to 100 %, default none (thrust is logged).
    thrust_coefficient: thrust of one rotor, N a squared rpm, where rotor speeds are logged, default none (mass over
        this coefficient is answered).
    thrust_uncertainty: relative standard deviation of the thrust's scale, default none (that of a known map, else 0).
    arm: distance of a rotor from the roll or pitch axis, m, default none (the method vehicle then tells no inertia).
    mass_drift: how fast the mass may wander, as a share of it per √s, default none (the method's own).
    window: rows that the methods msckf and swls look back on, default 10.
    """

    drag: float | None = None
    quadratic_drag: float | None = None
    estimate_drag: bool = True
    commanded: bool = False
    motor_lag: float | None = None
    throttle_map: tuple[float, ...] | None = None
    thrust_coefficient: float | None = None
    thrust_uncertainty: float | None = None
    arm: float | None = None
    mass_drift: float | None = None
    window: int = 10

    def __post_init__(self) -> None:
        if self.window < 1:
            raise BadValueError(f"window is {self.window}; give at least one row.")
        for key in ("drag", "quadratic_drag", "motor_lag", "mass_drift", "thrust_coefficient", "thrust_uncertainty"):
            _not_negative(key, getattr(self, key))
        _positive("arm", self.arm, "a length")
        if self.throttle_map is not None and len(self.throttle_map) < 2:
            raise BadValueError("throttle_map needs two numbers or more; give the thrust at 0 and 100 % at least.")
        for k, thrust in enumerate(self.throttle_map or ()):
            _not_negative(f"throttle_map[{k}]", thrust)


class Config(msgspec.Struct, frozen=True):
    """A whole configuration file.

    >>> import steelyard as sy
    >>> from steelyard.config import Noise
    >>> config = sy.Config(noise=Noise(thrust=0.3), gravity=(0.0, 0.0, -9.8))
    >>> config.noise.thrust, config.noise.rates is None, config.multirotor.window
    (0.3, True, 10)

    noise: table, sensor noise; default estimated from the log.
    inputs: table, how inputs behave between rows; default sampled.
    guess: table, first guesses; default none.
    team: table, robots and links; default a line in the order of the log.
    load: table, what a team pushes over a plane; default as listed there.
    wrist: table, the sensors at a wrist; default as listed there.
    multirotor: table, a multirotor's own parameters; default as listed there.
    jets: table, a robot on thrusters; default none.
    live: table, how the robots run, one process each; default as listed there.
    world: table, what steelyard team lets happen to the load; default as listed there.
    faults: table, what goes wrong on purpose; default nothing.
    gravity: m/s², three numbers in the world frame, default [0, 0, -9.81]; [0, 0, 0] for space.
    """

    noise: Noise = Noise()
    inputs: Inputs = Inputs()
    guess: Guess = Guess()
    team: Team = Team()
    load: Load = Load()
    wrist: Wrist = Wrist()
    multirotor: Multirotor = Multirotor()
    jets: Jets = Jets()
    live: Live = Live()
    world: World = World()
    faults: Faults = Faults()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)

    def __post_init__(self) -> None:
        try:
            finite = len(self.gravity) == 3 and all(math.isfinite(component) for component in self.gravity)
        except Exception:  # made by hand, it may be anything
            finite = False
        if not finite:
            given = list(self.gravity) if isinstance(self.gravity, tuple) else self.gravity
            raise BadValueError(f"gravity is {shown(given)}; give three finite numbers.")
