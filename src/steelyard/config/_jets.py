"""The keys of a robot on thrusters: its URDF, its engines, its feet."""

import math

import msgspec

from steelyard.config._faults import BadValueError


class JetEngine(msgspec.Struct, frozen=True):
    """One thruster of a robot.

    frame: frame of the URDF at which it pushes; there is no default.
    kind: "P100", "P160", "P220", "P220-first", "jet" (by its coefficients) or "propeller"; there is no default.
    name: what it is called in answers, default its frame.
    direction: three numbers, where it pushes in that frame, default [0, 0, 1].
    coefficients: ten numbers of a "jet": K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c; default its kind's.
    idle: least thrust of a jet that runs, N, default its kind's, 0 for a "jet".
    maximum: thrust at full throttle, N, default its kind's.
    lag: time constant of a propeller, s, default 0.05.
    speed_map: a, b, c of its rotor speed a T^b + c T in thousands of rpm, default its kind's, or none.
    """

    frame: str
    kind: str
    name: str | None = None
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    coefficients: tuple[float, ...] | None = None
    idle: float | None = None
    maximum: float | None = None
    lag: float = 0.05
    speed_map: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        if not (0 < math.hypot(*self.direction) < math.inf):
            raise BadValueError(
                f'direction of the engine at "{self.frame}" is {list(self.direction)}, which points nowhere; give the '
                "direction in which it pushes, such as [0, 0, 1]."
            )
        if self.coefficients is not None and len(self.coefficients) != 10:
            raise BadValueError(
                f'coefficients of the engine at "{self.frame}" are {len(self.coefficients)}; give ten numbers.'
            )
        for key in ("maximum", "lag"):
            value = getattr(self, key)
            if value is not None and not (0 < value < math.inf):
                raise BadValueError(f'{key} of the engine at "{self.frame}" is {value}; give a number above 0.')


class Jets(msgspec.Struct, frozen=True):
    """A robot on thrusters.

    urdf: path of its URDF from the folder you are in, or the text itself; default none (then nothing can be told).
    engines: list of tables, in the order of the log's throttle/1, throttle/2, …; one to twelve.
    foot_left: frame of the left sole, in whose axes foot_left/wrench is logged, default none (no such sensor).
    foot_right: frame of the right sole, default none.
    mass_error: how wrong the URDF's mass may be, standard deviation as a share of it, default 0.03.
    foot_bias: how biased the feet's forces may be, standard deviation in N, default 3; torques a twentieth in N m.
    engine_error: how wrong an engine's coefficients may be, largest share of each, default 0.05.
    rotor_speed: whether logged rotor speeds are used where an engine's map is known, default true.
    """

    urdf: str | None = None
    engines: tuple[JetEngine, ...] = ()
    foot_left: str | None = None
    foot_right: str | None = None
    mass_error: float = 0.03
    foot_bias: float = 3.0
    engine_error: float = 0.05
    rotor_speed: bool = True

    def __post_init__(self) -> None:
        if len(self.engines) > 12:
            raise BadValueError(f"engines has {len(self.engines)} tables; one to twelve can be told apart.")
        for key in ("mass_error", "foot_bias", "engine_error"):
            value = getattr(self, key)
            if not (0 <= value < math.inf):
                raise BadValueError(
                    f"{key} is {value}, but it must be finite and not negative; give a number from 0 up."
                )
        names = [engine.name or engine.frame for engine in self.engines]
        for name in names:
            if names.count(name) > 1:
                raise BadValueError(f'engines has "{name}" twice; give each a name of its own.')
