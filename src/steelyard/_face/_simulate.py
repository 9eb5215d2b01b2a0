"""`sy.simulate` and `sy.plan`: logs with truth in them, and what a motion can tell before anybody moves."""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from steelyard._face._inputs import check_progress, plain
from steelyard.errors import BadInput, nearest, shown
from steelyard.logs import Log

if TYPE_CHECKING:
    from steelyard.planning import PlannedMotion, PlannedSpatialMotion


@dataclasses.dataclass(frozen=True)
class _World:
    settings: type
    check: Callable[[Any], None]
    run: Callable[[Any, int], dict]


def simulate(scenario: str, seed: int = 0, **settings: Any) -> Log:
    """A simulated log with the truth in it; `scenario` is `multirotor`, `planar`, `spatial`, `wrist` or `jets`.

    >>> import steelyard as sy
    >>> log = sy.simulate("multirotor", duration=0.5, mass=1.2, seed=3)
    >>> log.robots, len(log), log.truth("mass")[0]
    (('r1',), 51, array([1.2]))

    The settings are the options of `steelyard simulate`, with `_` for `-`; `seed` chooses the noise.
    """
    return simulated(scenario, _settings(_world(scenario), scenario, settings), plain(seed))


def simulated(scenario: str, settings: Any, seed: int) -> Log:
    """The log of a scenario whose settings are an object, as the command line makes it."""
    world = _world(scenario)
    world.check(settings)
    check_seed(seed)
    columns = world.run(settings, seed)
    facts = {"scenario": scenario, "seed": seed} | dataclasses.asdict(settings)
    return Log(columns.pop("time"), columns, "simulation", {name: str(value) for name, value in facts.items()})


def check_seed(seed: int) -> None:
    """Raises `BadInput` for what cannot be a seed."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise BadInput(f"--seed is {shown(seed, 20)}; give a number from 0 up, of at most 18 digits.")


def plan(
    scenario: str, seed: int = 0, progress: Callable[[int], None] = lambda steps: None, **settings: Any
) -> "list[PlannedMotion] | list[PlannedSpatialMotion]":
    """What the motion of a scenario, `planar` or `spatial`, can identify at best, and a motion that can tell more.

    >>> import steelyard as sy
    >>> motions = sy.plan("planar", robots=3, duration=2)
    >>> [motion.name for motion in motions][-1], bool(motions[-1].mass < 0.1)
    ('better ones', True)

    Each motion has attainable standard deviations, a `verdict`, and its inputs as log columns by `columns()`; the last
    is the best that was found. The settings are the options of `steelyard plan`, with `_` for `-`.
    """
    world = _world(scenario, ("planar", "spatial"))
    check_progress(progress)
    settings = {"robots": 5} | settings if scenario == "spatial" else settings  # the command line's default
    return planned(scenario, _settings(world, scenario, settings), plain(seed), progress)


def planned(
    scenario: str, settings: Any, seed: int, progress: Callable[[int], None]
) -> "list[PlannedMotion] | list[PlannedSpatialMotion]":
    """The plan of a scenario whose settings are an object, as the command line makes it."""
    world = _world(scenario, ("planar", "spatial"))
    world.check(settings)
    check_seed(seed)

    from steelyard.planning import plan_planar, plan_spatial

    if scenario == "planar":
        return plan_planar(settings, seed, progress)
    return plan_spatial(settings, seed, progress)


def _world(scenario: str, known: tuple[str, ...] = ("multirotor", "planar", "spatial", "wrist", "jets")) -> _World:
    from steelyard import worlds

    if not isinstance(scenario, str) or scenario not in known:
        given = f'"{scenario}"' if isinstance(scenario, str) and scenario.isprintable() else shown(scenario)
        raise BadInput(f"Unknown scenario {given[:60]}; {nearest(str(given), list(known))}")
    return {
        "multirotor": _World(worlds.MultirotorScenario, worlds.check_multirotor, worlds.simulate),
        "planar": _World(worlds.PlanarScenario, worlds.check_planar, worlds.simulate_planar),
        "spatial": _World(worlds.SpatialScenario, worlds.check_spatial, worlds.simulate_spatial),
        "wrist": _World(worlds.WristScenario, worlds.check_wrist, worlds.simulate_wrist),
        "jets": _World(worlds.JetsScenario, worlds.check_jets, worlds.simulate_jets),
    }[scenario]


def _settings(world: _World, scenario: str, given: dict[str, Any]) -> Any:
    known = [field.name for field in dataclasses.fields(world.settings)]
    for name in given:
        if name not in known:
            raise BadInput(f'The scenario {scenario} has no setting "{name}"; {nearest(name, known)}')
    try:
        return msgspec.convert(plain(given), world.settings)
    except msgspec.ValidationError as error:
        raise BadInput(f"The scenario {scenario} cannot have these settings: {error}; correct it.") from None
