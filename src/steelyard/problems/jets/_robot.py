"""From the `[jets]` of a configuration to a robot: its URDF read, its engines checked."""

import dataclasses

import numpy as np

from steelyard.config import Config, JetEngine
from steelyard.errors import BadInput, nearest
from steelyard.models import (
    ENGINE_TYPES,
    Engines,
    EngineType,
    FlyingRobot,
    JetEngines,
    Multibody,
    ThrusterMount,
    read_urdf,
    steady_thrust,
)

_REMEDY = "write both in a TOML file for --config, such as `steelyard simulate jets --config robot.toml` makes."


@dataclasses.dataclass(frozen=True, eq=False)
class ConfiguredRobot:
    """A robot on thrusters as its owner describes it."""

    multibody: Multibody
    model: FlyingRobot
    names: tuple[str, ...]
    """Of the engines, in the order of the throttles."""
    feet: tuple[str, ...]
    """`foot_left`, `foot_right`, as far as they have a sensor."""
    kinds: tuple[EngineType | None, ...]
    """Of the jets; None for a propeller."""

    @property
    def maximum(self) -> np.ndarray:
        """Thrust at full throttle, N."""
        return np.asarray(self.model.engines.maximum)


def robot_from(config: Config) -> ConfiguredRobot:
    """The robot of a configuration; what is wrong with it is a `BadInput`."""
    jets = config.jets
    if jets.urdf is None or not jets.engines:
        lacks = "urdf" if jets.urdf is None else "engines"
        raise BadInput(f"--as jets needs to know the robot, and [jets] has no {lacks}; {_REMEDY}")
    urdf = read_urdf(jets.urdf)
    soles = {"foot_left": jets.foot_left, "foot_right": jets.foot_right}
    feet = {foot: sole for foot, sole in soles.items() if sole is not None}
    mounts = [ThrusterMount(engine.frame, engine.direction) for engine in jets.engines]
    multibody = Multibody(urdf, mounts, tuple(feet.values()))
    names = tuple(engine.name or engine.frame for engine in jets.engines)
    kinds = tuple(_kind(engine, name) for engine, name in zip(jets.engines, names, strict=True))
    model = FlyingRobot(_engines(jets.engines, kinds), multibody.mass, len(feet), config.gravity)
    return ConfiguredRobot(multibody, model, names, tuple(feet), kinds)


def _kind(engine: JetEngine, name: str) -> EngineType | None:
    """The kind with what its owner knows better, if it is a jet that settles at every throttle."""
    known = [*ENGINE_TYPES, "jet", "propeller"]
    if engine.kind not in known:
        raise BadInput(f'[jets] engine "{name}" has an unknown kind "{engine.kind}"; {nearest(engine.kind, known)}')
    if engine.kind == "propeller":
        if engine.maximum is None:
            raise BadInput(f'[jets] engine "{name}" is a propeller without a maximum; give its thrust at 100 %, in N.')
        return None
    if engine.kind == "jet":
        if engine.coefficients is None or engine.maximum is None:
            raise BadInput(f'[jets] engine "{name}" is a "jet" without its coefficients and maximum; give both.')
        kind = EngineType(engine.coefficients, engine.idle or 0.0, engine.maximum, speed_map=engine.speed_map)
    else:
        usual = ENGINE_TYPES[engine.kind]
        kind = EngineType(
            engine.coefficients or usual.jet_parameters,
            usual.idle if engine.idle is None else engine.idle,
            engine.maximum or usual.maximum,
            usual.thrust_rate,
            engine.speed_map or usual.speed_map,
        )
    for throttle in (30.0, 50.0, 70.0, 100.0):
        if steady_thrust(kind, throttle) is None:
            raise BadInput(
                f'[jets] engine "{name}" diverges: at a throttle of {throttle:g} % its equation never settles below '
                f"{1.5 * kind.maximum:g} N; check its ten coefficients, their order and their signs."
            )
    return kind


def _engines(engines: tuple[JetEngine, ...], kinds: tuple[EngineType | None, ...]) -> Engines:
    maps = {e: k.speed_map for e, k in enumerate(kinds) if k is not None and k.speed_map is not None}
    maps |= {e: engine.speed_map for e, engine in enumerate(engines) if engine.speed_map is not None}
    return Engines(
        jet=JetEngines.of([kind for kind in kinds if kind is not None]),
        jets=tuple(e for e, kind in enumerate(kinds) if kind is not None),
        maximum=np.array(
            [k.maximum if k is not None else (g.maximum or 0.0) for g, k in zip(engines, kinds, strict=True)]
        ),
        lag=np.array([engine.lag for engine in engines]),
        speed_map=np.array([maps[e] for e in sorted(maps)], float).reshape(-1, 3).T,
        with_speed=tuple(sorted(maps)),
    )
