"""Faults of a team that pushes a load on a plane."""

from steelyard.bench.faults import _edits as e
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.bench.faults._row_faults import row_faults
from steelyard.logs import Log
from steelyard.worlds import PlanarScenario, simulate_planar

_V, _F, _WHO = "velocity", "force", "r2"


def clean_push(seed: int) -> Log:
    """Three robots or four on a plate or a disc, contacts evenly or by chance."""
    scenario = PlanarScenario(
        robots=3 + seed % 2,
        shape=("plate", "disc")[seed // 2 % 2],  # type: ignore[arg-type]
        random_contacts=seed % 3 == 0,
        duration=15.0,
        velocity_noise=(0.2, 0.02)[seed % 2],
    )
    columns = simulate_planar(scenario, seed)
    return Log(columns.pop("time"), columns, f"push {seed}")


def rubbing(coefficient: float) -> e.Edit:
    """Friction at every contact that nobody stated, N s/m: the robots push against it, too."""

    def edit(log: Log, chance: e.Chance) -> Log:
        names = [f"{robot}/{_F}/{axis}" for robot in log.robots for axis in "xy"]
        return e.changed(
            log, {name: log.columns[name] + coefficient * log.columns[name.replace(_F, _V)] for name in names}
        )

    return edit


def at(signal: str, values) -> e.Edit:
    """The fault of one robot's signal."""
    return e.on(signal, values, _WHO)


_flip, _swap = e.axes((0, 1), (-1.0, -1.0)), e.axes((1, 0), (1.0, 1.0))
_ROBOT = r"r2|velocit|force"
FAULTS = (
    Fault("time in ms", r"time|millisecond|step", e.time_unit(1e3)),
    Fault("fast clock", r"clock|time", e.time_unit(1.2), e.time_unit(1.05), exempt=r"clock"),
    *row_faults(),
    Fault("velocity sign", _ROBOT, at(_V, _flip)),
    Fault("velocity axes", _ROBOT, at(_V, _swap)),
    Fault("velocity turned", _ROBOT, at(_V, e.turned(40.0)), at(_V, e.turned(5.0))),
    Fault("velocity scale", _ROBOT, at(_V, e.scale(1.5)), at(_V, e.scale(1.1))),
    Fault("velocity in mm/s", _ROBOT, at(_V, e.scale(1000.0))),
    Fault("velocity offset", _ROBOT, at(_V, e.offset(0.5)), at(_V, e.offset(0.05))),
    Fault("velocity drifts", _ROBOT, at(_V, e.drift(1.0)), at(_V, e.drift(0.1))),
    Fault("velocity late", _ROBOT, at(_V, e.delay(0.3)), at(_V, e.delay(0.05))),
    Fault("velocity filtered", _ROBOT, at(_V, e.filtered(0.3)), at(_V, e.filtered(0.05))),
    Fault("velocity held", r"held|repeat|r2", at(_V, e.held(0.2)), at(_V, e.held(0.05))),
    Fault("velocity stuck", r"stuck|repeat|r2", at(_V, e.stuck(0.25)), at(_V, e.stuck(0.03))),
    Fault("velocity outliers", r"outlier|r2", at(_V, e.outliers(0.05)), at(_V, e.outliers(0.01))),
    Fault("velocity saturated", r"limit|satur|r2", at(_V, e.saturated(0.3)), at(_V, e.saturated(0.04))),
    Fault("velocity quantised", r"quanti|step|repeat|round|r2", at(_V, e.quantised(0.5)), at(_V, e.quantised(0.1))),
    Fault("velocity noisy", r"nois|r2", at(_V, e.noisy(1.0)), at(_V, e.noisy(0.4))),
    Fault("velocity silent", r"silent|missing|gap", e.silent(_V, 3.0, _WHO), e.silent(_V, 0.5, _WHO)),
    Fault("force sign", _ROBOT, at(_F, _flip)),
    Fault("force axes", _ROBOT, at(_F, _swap)),
    Fault("force turned", _ROBOT, at(_F, e.turned(40.0)), at(_F, e.turned(5.0))),
    Fault("force scale", _ROBOT, at(_F, e.scale(1.5)), at(_F, e.scale(1.1))),
    Fault(
        "all forces' scale", r"force", e.on(_F, e.scale(1.15)), e.on(_F, e.scale(1.05)), exempt=r"force is 1 % too high"
    ),
    Fault("velocity axis", _ROBOT, at(_V, e.one_axis(1.3)), at(_V, e.one_axis(1.03))),
    Fault("velocity zeroed", r"stuck|zero|outlier|r2", at(_V, e.zeroed(0.2, 8)), at(_V, e.zeroed(0.02, 3))),
    Fault("velocity spikes", r"outlier|r2", at(_V, e.spikes(0.05, 8, 5.0)), at(_V, e.spikes(0.01, 3, 3.0))),
    Fault("force axis", _ROBOT, at(_F, e.one_axis(1.3)), at(_F, e.one_axis(1.05))),
    Fault("force gain", _ROBOT, at(_F, e.scale_steps(1.3)), at(_F, e.scale_steps(1.05))),
    Fault("force spikes", r"outlier|r2|force", at(_F, e.spikes(0.05, 8, 5.0)), at(_F, e.spikes(0.01, 3, 3.0))),
    Fault("force in grams", _ROBOT, at(_F, e.scale(102.0))),
    Fault("force offset", _ROBOT, at(_F, e.offset(2.0)), at(_F, e.offset(0.2))),
    Fault("force late", _ROBOT, at(_F, e.delay(0.5)), at(_F, e.delay(0.05))),
    Fault("force stuck", r"stuck|repeat|r2", at(_F, e.stuck(0.25)), at(_F, e.stuck(0.03))),
    Fault("force saturated", r"limit|satur|r2", at(_F, e.saturated(0.4)), at(_F, e.saturated(0.05))),
    Fault("force outliers", r"outlier|r2", at(_F, e.outliers(0.05)), at(_F, e.outliers(0.01))),
    Fault("force missing", r"silent|missing|gap", e.silent(_F, 3.0, _WHO), e.silent(_F, 0.3, _WHO)),
    Fault("friction", r"friction|rub|force", rubbing(1.0), rubbing(0.1)),
)

PLANAR_LOAD = TriedProblem("planar-load", clean_push, FAULTS, lambda quantity: quantity in ("mass", "inertia", "com"))
